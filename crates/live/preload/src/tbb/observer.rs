//! `tbb::task_scheduler_observer`: reports the threads that enter and leave an arena.
//!
//! The class has virtual functions. Its table follows the C++ binary interface of Linux (Itanium): first the functions in the order of
//! their declarations, then two destructors.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicPtr};
use std::sync::{Mutex, PoisonError};

use crate::next::{TBB, next};
use crate::process::steering_already;
use crate::region::Inside;

/// `tbb::detail::d1::task_scheduler_observer`, the fields in their order.
#[repr(C)]
struct Observer {
    functions: &'static Functions,
    proxy: AtomicPtr<c_void>,
    busy: AtomicIsize,
    arena: *mut c_void,
}

/// The virtual functions.
#[repr(C)]
struct Functions {
    entry: extern "C" fn(*mut Observer, bool),
    exit: extern "C" fn(*mut Observer, bool),
    destructor: extern "C" fn(*mut Observer),
    deleting_destructor: extern "C" fn(*mut Observer),
}

static FUNCTIONS: Functions = Functions { entry, exit, destructor: nothing, deleting_destructor: nothing };

extern "C" fn nothing(_: *mut Observer) {}

thread_local! {
    /// Number of nested arenas that this worker is in.
    static ARENAS: Cell<u32> = const { Cell::new(0) };
}

/// A thread enters. The program's threads are counted where they begin work.
extern "C" fn entry(_: *mut Observer, is_worker: bool) {
    if is_worker && let Some(steering) = steering_already() {
        let arenas = ARENAS.get();
        ARENAS.set(arenas + 1);
        if arenas == 0 {
            std::mem::forget(Inside::enter());
            steering.enter(thread());
        }
    }
}

extern "C" fn exit(_: *mut Observer, is_worker: bool) {
    let arenas = ARENAS.get();
    if is_worker && arenas > 0 {
        ARENAS.set(arenas - 1);
        if arenas == 1 {
            Inside::leave();
            if let Some(steering) = steering_already() {
                steering.leave(thread());
            }
        }
    }
}

/// The thread ID of the calling thread.
fn thread() -> u32 {
    // SAFETY: no arguments.
    u32::try_from(unsafe { libc::gettid() }).unwrap_or(0)
}

fn new(arena: *mut c_void) -> Observer {
    Observer {
        functions: &FUNCTIONS,
        proxy: AtomicPtr::new(ptr::null_mut()),
        busy: AtomicIsize::new(0),
        arena,
    }
}

fn observe(observer: *mut Observer, on: bool) {
    type Entry = unsafe extern "C-unwind" fn(*mut Observer, bool);
    let observe = next!(c"_ZN3tbb6detail2r17observeERNS0_2d123task_scheduler_observerEb" in TBB, as Entry);
    // SAFETY: the object is in the state in which its constructor in the header leaves it, and lives until it is switched off or forever.
    unsafe { observe(observer, on) };
}

/// Observes the arena of the calling thread, permanently: it ends with the thread, and oneTBB then releases the observer.
pub(super) fn observe_own_arena() {
    observe(Box::into_raw(Box::new(new(ptr::null_mut()))), true);
}

/// An observer in the list below.
struct Listed(Box<Observer>);

// SAFETY: the list never reads an observer; any thread may call oneTBB with it.
unsafe impl Send for Listed {}

/// The observers of arenas that the program made, by the address of the arena.
static OF_ARENAS: Mutex<Option<HashMap<usize, Listed>>> = Mutex::new(None);

/// Observes an arena that was made.
pub(super) fn observe_arena(arena: *mut c_void) {
    let mut observer = Box::new(new(arena));
    observe(&raw mut *observer, true);
    let mut list = OF_ARENAS.lock().unwrap_or_else(PoisonError::into_inner);
    let old = list.get_or_insert_default().insert(arena as usize, Listed(observer));
    drop(list);
    switch_off(old);
}

/// Stops observing an arena that ends.
pub(super) fn forget_arena(arena: *mut c_void) {
    let mut list = OF_ARENAS.lock().unwrap_or_else(PoisonError::into_inner);
    let old = list.as_mut().and_then(|list| list.remove(&(arena as usize)));
    drop(list);
    switch_off(old);
}

/// Waits until no thread is inside a function of the observer.
fn switch_off(observer: Option<Listed>) {
    if let Some(Listed(mut observer)) = observer {
        observe(&raw mut *observer, false);
    }
}

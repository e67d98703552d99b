//! oneTBB: functions called by its headers that begin work, wait for it, or make arenas.
//!
//! The headers of oneTBB are compiled into programs, so each algorithm ends in one of these functions. Their names are those of the
//! binary interface 12 (2021 and later).

mod control;
mod observer;

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;

use crate::next::{Next, TBB, next};
use crate::process::steering;
use crate::region::{Inside, Region, is_inside};
use crate::steering::Steering;

type Pointer = *mut c_void;

/// Whether this program's oneTBB has the interface that this library supports. The first call makes the control.
fn is_known(steering: &Steering) -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        static VERSION: Next = Next::new(c"TBB_runtime_interface_version", TBB);
        let version = VERSION.find();
        if version.is_null() {
            return false;
        }
        // SAFETY: the function is that of `tbb/version.h`.
        let version = unsafe { std::mem::transmute::<Pointer, extern "C" fn() -> i32>(version)() };
        let known = (12_000..13_000).contains(&version);
        if known {
            steering.also(control::allow);
        } else {
            eprintln!("numasim: oneTBB with interface {version} follows no orders: 12000 to 12999 is known");
        }
        known
    })
}

/// Work begins: the first call connects, and each call puts the order in force.
fn arrived() -> bool {
    steering().is_some_and(is_known)
}

thread_local! {
    /// Whether the implicit arena of this thread is observed.
    static OBSERVED: Cell<bool> = const { Cell::new(false) };
}

/// A thread of the program that is about to work in an arena, until the result is dropped.
struct Master {
    _inside: Inside,
    _region: Region,
}

/// Counts the calling thread, and waits if the order allows none. `None` for workers, inside other work, and without an agent.
fn master() -> Option<Master> {
    if !arrived() || is_inside() {
        return None;
    }
    let region = Region::begin(|_| 1)?;
    let inside = region.inside(|| 0);
    if !OBSERVED.replace(true) {
        observer::observe_own_arena();
    }
    Some(Master { _inside: inside, _region: region })
}

/// Functions of oneTBB, each with a value that is held while it runs.
macro_rules! wrap {
    ($held:expr => $($name:ident = $text:literal, $symbol:literal ($($argument:ident: $type:ty),*);)*) => {$(
        /// The function of this name.
        ///
        /// # Safety
        /// As for the function in oneTBB.
        #[unsafe(export_name = $text)]
        pub(crate) unsafe extern "C-unwind" fn $name($($argument: $type),*) {
            type Entry = unsafe extern "C-unwind" fn($($type),*);
            let next = next!($symbol in TBB, as Entry);
            let _held = $held;
            // SAFETY: the arguments are those of the caller.
            unsafe { next($($argument),*) };
        }
    )*};
}

// They return when the work is done, in which the calling thread takes part.
wrap! {
    master() =>
    execute_and_wait =
        "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_",
        c"_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_"
        (task: Pointer, context: Pointer, until: Pointer, of: Pointer);
    wait = "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE",
        c"_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE"
        (until: Pointer, context: Pointer);
    execute = "_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE",
        c"_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"
        (arena: Pointer, work: Pointer);
    parallel_pipeline = "_ZN3tbb6detail2r117parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE",
        c"_ZN3tbb6detail2r117parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE"
        (context: Pointer, tokens: usize, filters: Pointer);
}

// They hand work to other threads.
wrap! {
    arrived() =>
    spawn = "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE",
        c"_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE"
        (task: Pointer, context: Pointer);
    spawn_at = "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt",
        c"_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt"
        (task: Pointer, context: Pointer, slot: u16);
    enqueue = "_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE",
        c"_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"
        (task: Pointer, arena: Pointer);
    enqueue_in = "_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE",
        c"_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE"
        (task: Pointer, context: Pointer, arena: Pointer);
}

/// Makes an arena, which is observed from then on.
///
/// # Safety
/// As for the function in oneTBB.
#[unsafe(export_name = "_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE")]
pub(crate) unsafe extern "C-unwind" fn initialize(arena: Pointer) {
    type Entry = unsafe extern "C-unwind" fn(Pointer);
    let next = next!(c"_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE" in TBB, as Entry);
    let known = arrived();
    // SAFETY: the argument is that of the caller.
    unsafe { next(arena) };
    if known {
        observer::observe_arena(arena);
    }
}

/// Terminates an arena.
///
/// # Safety
/// As for the function in oneTBB.
#[unsafe(export_name = "_ZN3tbb6detail2r19terminateERNS0_2d115task_arena_baseE")]
pub(crate) unsafe extern "C-unwind" fn terminate(arena: Pointer) {
    type Entry = unsafe extern "C-unwind" fn(Pointer);
    let next = next!(c"_ZN3tbb6detail2r19terminateERNS0_2d115task_arena_baseE" in TBB, as Entry);
    observer::forget_arena(arena);
    // SAFETY: the argument is that of the caller.
    unsafe { next(arena) };
}

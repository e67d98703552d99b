//! Memory that the system refuses is no fault of the program: one line and exit code 1 instead of an abort.
//!
//! The standard library ends a program whose allocation fails with a signal, and its hook for that
//! (`std::alloc::set_alloc_error_hook`) is not stable. So the allocator itself looks at what the system answers. It ends
//! the process at once: nothing that needs more memory could be done any more. Files are whole or not there all the
//! same (`output`), and rows that are written are safe.

#![allow(unsafe_code, reason = "an allocator; every call is handed on to that of the system")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::failure::OF_INPUT;

#[global_allocator]
static MEMORY: OrEnd = OrEnd;

/// The allocator of the system, which ends the process where it has no more.
struct OrEnd;

// SAFETY: every call goes to `System` as it came, and what `System` returns is handed back.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the promise of the caller is the one that `System` wants.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; all memory of this allocator is from `System`.
        or_end(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn or_end(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        end(bytes);
    }
    memory
}

/// Says it once without allocating, and ends the process.
#[cold]
fn end(bytes: usize) -> ! {
    // A thread is known by the place of its own constant: its name or number might need memory.
    thread_local! { static HERE: u8 = const { 0 }; }
    static SAID_BY: AtomicUsize = AtomicUsize::new(0);
    let here = HERE.with(|here| std::ptr::from_ref(here).addr());
    match SAID_BY.compare_exchange(0, here, Relaxed, Relaxed) {
        Ok(_) => {}
        Err(said_by) if said_by == here => end_at_once(),
        // Another thread says it and ends the process.
        Err(_) => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
    }
    let mut line = [0_u8; 200];
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "error: out of memory: the system refuses {bytes} more bytes; raise the limit (ulimit -v, a container, a batch \
         job), or ask a smaller question"
    );
    let left = rest.len();
    let line = &line[..line.len() - left];
    // Not through the standard library's lock, which the thread may hold.
    #[cfg(unix)]
    let _ = rustix::io::write(rustix::stdio::stderr(), line);
    #[cfg(not(unix))]
    let _ = std::io::stderr().write_all(line);
    std::process::exit(i32::from(OF_INPUT));
}

/// Where the end of the process itself needs memory that there is not: nothing of it is left to do but to end, as a second call of
/// [`std::process::exit`] by one thread is a panic.
fn end_at_once() -> ! {
    #[cfg(unix)]
    {
        unsafe extern "C" {
            safe fn _exit(status: i32) -> !;
        }
        _exit(i32::from(OF_INPUT))
    }
    #[cfg(not(unix))]
    std::process::abort()
}

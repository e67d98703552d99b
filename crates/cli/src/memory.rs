//! If the system refuses memory, the program is not at fault: it prints one line and exits with code 1 instead of aborting.
//!
//! When an allocation fails, the standard library ends the program with a signal, and the hook for this case
//! (`std::alloc::set_alloc_error_hook`) is not stable. Therefore the allocator itself checks the answer of the system. It ends the
//! process at once, because nothing that needs more memory could be done. Files are nevertheless either complete or absent (`output`),
//! and rows that were written are safe.

#![allow(unsafe_code, reason = "an allocator; every call is handed on to that of the system")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::failure::OF_INPUT;

#[global_allocator]
static MEMORY: OrEnd = OrEnd;

/// The allocator of the system, which ends the process when memory runs out.
struct OrEnd;

// SAFETY: every call goes to `System` unchanged, and the result of `System` is returned.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantee is the one that `System` requires.
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

/// Prints the message once without allocating, and ends the process.
#[cold]
fn end(bytes: usize) -> ! {
    // A thread is identified by the address of its own constant: its name or number might need memory.
    thread_local! { static HERE: u8 = const { 0 }; }
    static SAID_BY: AtomicUsize = AtomicUsize::new(0);
    let here = HERE.with(|here| std::ptr::from_ref(here).addr());
    match SAID_BY.compare_exchange(0, here, Relaxed, Relaxed) {
        Ok(_) => {}
        Err(said_by) if said_by == here => end_at_once(),
        // Another thread prints the message and ends the process.
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

/// Used if ending the process itself needs memory that is not available. The only remaining option is to end immediately, because a
/// second call of [`std::process::exit`] by one thread is a panic.
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

//! Functions for both OpenMP libraries: the number of threads that a region would have, and the number of the calling thread.

use std::ffi::{c_int, c_void};

use crate::next::{OPENMP, next};
use crate::region::{At, Region};

/// The type of the functions of `omp.h` that are called.
type Ask = unsafe extern "C" fn() -> c_int;

fn ask(function: Ask) -> u32 {
    // SAFETY: the functions of `omp.h` may be called at any time by any thread.
    u32::try_from(unsafe { function() }).unwrap_or(0)
}

/// The threads that a region would have without an order: those of its clause, or else the default.
pub(crate) fn wanted(clause: u32, at: &At) -> u32 {
    if at.is_inside() {
        let levels = ask(next!(c"omp_get_active_level" in OPENMP, as Ask));
        if levels >= ask(next!(c"omp_get_max_active_levels" in OPENMP, as Ask)) {
            return 1; // the library itself would also give it only one
        }
    }
    if clause > 0 { clause } else { ask(next!(c"omp_get_max_threads" in OPENMP, as Ask)) }
}

/// The number of the calling thread in its region.
pub(crate) fn number() -> u32 {
    ask(next!(c"omp_get_thread_num" in OPENMP, as Ask))
}

/// The body of a region as libgomp calls it: a function with one argument.
pub(crate) type Body = unsafe extern "C-unwind" fn(*mut c_void);

/// A region with the body that its threads run.
pub(crate) struct Call {
    pub(crate) region: Region,
    pub(crate) body: Body,
    pub(crate) data: *mut c_void,
}

/// Runs the body of a [`Call`] on a thread of its region.
pub(crate) unsafe extern "C-unwind" fn run(call: *mut c_void) {
    // SAFETY: `call` is the `Call` that was handed to the library with this function. It lives until all threads have
    // left the region, and they only read it.
    let call = unsafe { &*call.cast::<Call>() };
    let _inside = call.region.inside(number);
    // SAFETY: the program handed both to the library, which would call them so.
    unsafe { (call.body)(call.data) };
}

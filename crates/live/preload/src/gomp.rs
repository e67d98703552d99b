//! The entry points of parallel regions in libgomp, which GCC calls. LLVM's libomp has most of them too.
//!
//! Types are those of `libgomp_g.h` of GCC.

use std::cell::RefCell;
use std::ffi::{c_long, c_uint, c_void};
use std::ptr;

use crate::next::{OPENMP, next};
use crate::omp::{Body, Call, run, wanted};
use crate::region::Region;

/// The clause for a region that may have `call`'s number of threads and would have `clause`, 0 for the default.
fn clause(call: &Call, clause: c_uint, wanted: u32) -> c_uint {
    if call.region.threads() == wanted { clause } else { call.region.threads() }
}

/// The region of a function that returns when it is over, and its clause; `None` if the process is not steered.
fn whole(body: Body, data: *mut c_void, threads: c_uint) -> Option<(Call, c_uint)> {
    let mut asked = 0;
    let region = Region::begin(|at| {
        asked = wanted(threads, at);
        asked
    })?;
    let call = Call { region, body, data };
    let threads = clause(&call, threads, asked);
    Some((call, threads))
}

/// `wrap!(NAME(arguments between the number of threads and the flags))`: entry points that return when the region is over.
macro_rules! wrap {
    ($($name:ident, $text:literal, ($($argument:ident: $type:ty),*), ($($last:ident: $of:ty)?) $(-> $result:ty)?;)*) => {$(
        /// The entry point of this name.
        ///
        /// # Safety
        /// As for the function in libgomp.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C-unwind" fn $name(
            body: Body, data: *mut c_void, threads: c_uint, $($argument: $type,)* $($last: $of)?
        ) $(-> $result)? {
            type Entry = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, $($type,)* $($of)?) $(-> $result)?;
            let next = next!($text in OPENMP, as Entry);
            match whole(body, data, threads) {
                // SAFETY: the arguments are those of the caller except for the body: `run` calls that one with its data. The `Call` lives
                // until the entry point returns, when the region is over.
                Some((call, threads)) => unsafe {
                    next(run, ptr::from_ref(&call).cast_mut().cast(), threads, $($argument,)* $($last)?)
                },
                // SAFETY: the arguments are those of the caller.
                None => unsafe { next(body, data, threads, $($argument,)* $($last)?) },
            }
        }
    )*};
}

wrap! {
    GOMP_parallel, c"GOMP_parallel", (), (flags: c_uint);
    GOMP_parallel_reductions, c"GOMP_parallel_reductions", (), (flags: c_uint) -> c_uint;
    GOMP_parallel_sections, c"GOMP_parallel_sections", (count: c_uint), (flags: c_uint);
    GOMP_parallel_loop_static, c"GOMP_parallel_loop_static",
        (start: c_long, end: c_long, step: c_long, chunk: c_long), (flags: c_uint);
    GOMP_parallel_loop_dynamic, c"GOMP_parallel_loop_dynamic",
        (start: c_long, end: c_long, step: c_long, chunk: c_long), (flags: c_uint);
    GOMP_parallel_loop_guided, c"GOMP_parallel_loop_guided",
        (start: c_long, end: c_long, step: c_long, chunk: c_long), (flags: c_uint);
    GOMP_parallel_loop_nonmonotonic_dynamic, c"GOMP_parallel_loop_nonmonotonic_dynamic",
        (start: c_long, end: c_long, step: c_long, chunk: c_long), (flags: c_uint);
    GOMP_parallel_loop_nonmonotonic_guided, c"GOMP_parallel_loop_nonmonotonic_guided",
        (start: c_long, end: c_long, step: c_long, chunk: c_long), (flags: c_uint);
    GOMP_parallel_loop_runtime, c"GOMP_parallel_loop_runtime",
        (start: c_long, end: c_long, step: c_long), (flags: c_uint);
    GOMP_parallel_loop_nonmonotonic_runtime, c"GOMP_parallel_loop_nonmonotonic_runtime",
        (start: c_long, end: c_long, step: c_long), (flags: c_uint);
    GOMP_parallel_loop_maybe_nonmonotonic_runtime, c"GOMP_parallel_loop_maybe_nonmonotonic_runtime",
        (start: c_long, end: c_long, step: c_long), (flags: c_uint);
}

// Entry points of GCC before 4.9: they return when the region has begun, the caller runs the body, and `GOMP_parallel_end` waits.

thread_local! {
    /// Regions that this thread began and has not ended, one inside the other; `None`: the region is not steered.
    static BEGUN: RefCell<Vec<Option<Box<Call>>>> = const { RefCell::new(Vec::new()) };
}

/// A region that begins: replaces body, data and number of threads in the call of the library.
fn begun(body: Body, data: *mut c_void, threads: c_uint) -> (Body, *mut c_void, c_uint) {
    let call = whole(body, data, threads);
    let call = call.map(|(call, threads)| (Box::new(call), threads));
    let instead = call.as_ref().map(|(call, threads)| {
        let place: *const Call = &raw const **call;
        (run as Body, place.cast_mut().cast(), *threads)
    });
    BEGUN.with_borrow_mut(|begun| begun.push(call.map(|(call, _)| call)));
    instead.unwrap_or((body, data, threads))
}

macro_rules! wrap_start {
    ($($name:ident, $text:literal, ($($argument:ident: $type:ty),*);)*) => {$(
        /// The entry point of this name.
        ///
        /// # Safety
        /// As for the function in libgomp.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C-unwind" fn $name(
            body: Body, data: *mut c_void, threads: c_uint, $($argument: $type,)*
        ) {
            type Entry = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, $($type,)*);
            let next = next!($text in OPENMP, as Entry);
            let (body, data, threads) = begun(body, data, threads);
            // SAFETY: the arguments are those of the caller, or `run` with its `Call`, which lives until `GOMP_parallel_end`.
            unsafe { next(body, data, threads, $($argument,)*) };
        }
    )*};
}

wrap_start! {
    GOMP_parallel_start, c"GOMP_parallel_start", ();
    GOMP_parallel_sections_start, c"GOMP_parallel_sections_start", (count: c_uint);
    GOMP_parallel_loop_static_start, c"GOMP_parallel_loop_static_start",
        (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_dynamic_start, c"GOMP_parallel_loop_dynamic_start",
        (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_guided_start, c"GOMP_parallel_loop_guided_start",
        (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_runtime_start, c"GOMP_parallel_loop_runtime_start",
        (start: c_long, end: c_long, step: c_long);
}

/// The end of a region that one of the functions above began.
///
/// # Safety
/// As for the function in libgomp.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C-unwind" fn GOMP_parallel_end() {
    type Entry = unsafe extern "C-unwind" fn();
    let next = next!(c"GOMP_parallel_end" in OPENMP, as Entry);
    // SAFETY: no arguments.
    unsafe { next() };
    drop(BEGUN.with_borrow_mut(Vec::pop));
}

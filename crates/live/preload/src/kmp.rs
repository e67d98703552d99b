//! The entry points of parallel regions in LLVM's libomp, which Clang calls.
//!
//! `__kmpc_fork_call(location, count, body, ...)` has `count` pointers after its body, and each thread calls the body with its two
//! numbers and these pointers. The entry point of this library is a few instructions, which find the pointers in registers and on the
//! stack. It then begins the region with one pointer, to all of them.

use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::{ptr, slice};

use crate::next::{LLVM, next};
use crate::omp::wanted;
use crate::region::Region;

/// Maximum number of pointers of a region. The threads of a region with more are not counted and bound; the order still applies.
const MOST: usize = 40;
/// Number of these that come in registers.
const IN_REGISTERS: usize = if cfg!(target_arch = "x86_64") { 3 } else { 5 };

/// A body, regardless of its pointers.
type Body = *const c_void;
type Pointer = *mut c_void;

thread_local! {
    /// The clause `num_threads` for the next region of this thread; 0 is none.
    static CLAUSE: Cell<u32> = const { Cell::new(0) };
}

/// `num_threads(threads)` for the next region.
///
/// # Safety
/// As for the function in libomp.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C-unwind" fn __kmpc_push_num_threads(
    location: Pointer,
    thread: c_int,
    threads: c_int,
) {
    CLAUSE.set(u32::try_from(threads).unwrap_or(0));
    push(location, thread, threads);
}

fn push(location: Pointer, thread: c_int, threads: c_int) {
    type Entry = unsafe extern "C-unwind" fn(Pointer, c_int, c_int);
    let next = next!(c"__kmpc_push_num_threads" in LLVM, as Entry);
    // SAFETY: the place is that of the caller, and any number of threads is allowed.
    unsafe { next(location, thread, threads) };
}

/// A region with `if(0)`: the clause applied to it.
///
/// # Safety
/// As for the function in libomp.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C-unwind" fn __kmpc_serialized_parallel(location: Pointer, thread: c_int) {
    type Entry = unsafe extern "C-unwind" fn(Pointer, c_int);
    let next = next!(c"__kmpc_serialized_parallel" in LLVM, as Entry);
    CLAUSE.set(0);
    // SAFETY: the arguments are those of the caller.
    unsafe { next(location, thread) };
}

/// A region. Its pointers are handed to `fork`, which returns the address at which to continue with the original arguments, or null.
///
/// # Safety
/// As for the function in libomp.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn __kmpc_fork_call() {
    // rdi, esi and rdx are location, count and body; rcx, r8 and r9 are the first pointers, the others are after the return address.
    naked_asm!(
        "push r9",
        "push r8",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "sub rsp, 8",
        "lea rcx, [rsp + 32]",
        "lea r8, [rsp + 64]",
        "call {fork}",
        "add rsp, 8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop r8",
        "pop r9",
        "test rax, rax",
        "jz 2f",
        "mov r11, rax",
        "xor eax, eax",
        "jmp r11",
        "2: ret",
        fork = sym fork,
    );
}

/// The same for a system on which the first five pointers are in x3 to x7, and the others begin at the stack pointer.
///
/// # Safety
/// As for the function in libomp.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn __kmpc_fork_call() {
    naked_asm!(
        "stp x29, x30, [sp, #-96]!",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        "add x3, sp, #40",
        "add x4, sp, #96",
        "bl {fork}",
        "mov x9, x0",
        "ldp x0, x1, [sp, #16]",
        "ldp x2, x3, [sp, #32]",
        "ldp x4, x5, [sp, #48]",
        "ldp x6, x7, [sp, #64]",
        "ldp x29, x30, [sp], #96",
        "cbz x9, 2f",
        "br x9",
        "2: ret",
        fork = sym fork,
    );
}

/// A region with its body and the arguments of the body.
struct Call {
    region: Region,
    body: Body,
    pointers: [Pointer; MOST],
    count: usize,
}

type Fork = unsafe extern "C" fn(Pointer, c_int, Body, ...);

/// Begins a region for `__kmpc_fork_call` and returns null when it is over; otherwise the function to call with the same arguments.
unsafe extern "C" fn fork(
    location: Pointer,
    count: c_int,
    body: Body,
    registers: *const Pointer,
    stack: *const Pointer,
) -> *const c_void {
    type Thread = unsafe extern "C-unwind" fn(Pointer) -> c_int;
    let next = next!(c"__kmpc_fork_call" in LLVM, as Fork);
    let clause = CLAUSE.replace(0);
    let mut asked = 0;
    let begun = Region::begin(|at| {
        asked = wanted(clause, at);
        asked
    });
    let Some(region) = begun else { return next as *const c_void };
    let count = usize::try_from(count).unwrap_or(0);
    if region.threads() != asked {
        let number = next!(c"__kmpc_global_thread_num" in LLVM, as Thread);
        // SAFETY: the place is that of the caller.
        let thread = unsafe { number(location) };
        push(location, thread, c_int::try_from(region.threads()).unwrap_or(c_int::MAX));
    }
    if count > MOST {
        return next as *const c_void;
    }
    let mut pointers = [ptr::null_mut(); MOST];
    let first = count.min(IN_REGISTERS);
    // SAFETY: `registers` points to the saved registers, all of which contain pointers if the region has that many.
    pointers[..first].copy_from_slice(unsafe { slice::from_raw_parts(registers, first) });
    // SAFETY: the caller put the others on the stack, one after the other, and waits with them.
    pointers[first..count].copy_from_slice(unsafe { slice::from_raw_parts(stack, count - first) });
    let call = Call { region, body, pointers, count };
    // SAFETY: the body takes one pointer, as in the count. The `Call` lives until the region is over, which is when this returns.
    unsafe { next(location, 1, run as Body, ptr::from_ref(&call)) };
    ptr::null()
}

/// A thread of a region: its numbers in the process and in the region, and the region.
unsafe extern "C-unwind" fn run(global: *mut c_int, number: *mut c_int, call: *const Call) {
    // SAFETY: `call` is what `fork` handed over, and it lives until all threads have left the region; libomp points to the numbers.
    let (call, thread) = unsafe { (&*call, *number) };
    let _inside = call.region.inside(|| u32::try_from(thread).unwrap_or(0));
    // SAFETY: the body takes the two numbers and `count` pointers.
    unsafe { invoke(call, global, number) };
}

/// The type `*mut c_void` for each token.
macro_rules! pointer {
    ($token:tt) => {
        Pointer
    };
}

/// Calls the body with the required number of pointers: tries no pointer, one, two, and so on.
macro_rules! call {
    ($call:ident $global:ident $number:ident [$($have:literal)*] []) => {
        // Regions with more pointers do not come here.
        std::process::abort()
    };
    ($call:ident $global:ident $number:ident [$($have:literal)*] [$next:literal $($rest:literal)*]) => {
        if $call.count == $next {
            type Exact = unsafe extern "C-unwind" fn(*mut c_int, *mut c_int $(, pointer!($have))*);
            // SAFETY: see `invoke`.
            unsafe { transmute::<Body, Exact>($call.body)($global, $number $(, $call.pointers[$have])*) }
        } else {
            call!($call $global $number [$($have)* $next] [$($rest)*])
        }
    };
}

/// # Safety
/// The body of the call takes this number of pointers after the two numbers.
unsafe fn invoke(call: &Call, global: *mut c_int, number: *mut c_int) {
    call!(call global number [] [
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
    ]);
}

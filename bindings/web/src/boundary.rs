//! The functions that the page calls. Texts cross as UTF-8 bytes in the memory of this module. [`reserve`] allocates space for a
//! question, a question returns the position of its answer (`address << 32 | length`), and [`release`] frees either. An answer begins
//! with `+`, an error with `-`. The page must provide `now_ms`, `tell` and `fault`.

#![allow(unsafe_code, reason = "memory that the page fills and reads; every block says why it is sound")]

use std::panic;

use crate::Outside;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    safe fn now_ms() -> f64;
    fn tell(address: *const u8, length: usize);
    fn fault(address: *const u8, length: usize);
}

struct Page;

impl Outside for Page {
    fn now_ms(&self) -> f64 {
        now_ms()
    }

    fn tell(&self, progress: &str) {
        // SAFETY: the page reads these bytes before it returns.
        unsafe { tell(progress.as_ptr(), progress.len()) }
    }
}

/// Call once: it reports a panic of this program to the page as text.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn start() {
    panic::set_hook(Box::new(|found| {
        let words = found.to_string();
        // SAFETY: the page reads these bytes before it returns.
        unsafe { fault(words.as_ptr(), words.len()) }
    }));
}

/// Allocates `length` bytes for a question.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn reserve(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Frees memory that [`reserve`] or a question returned.
///
/// # Safety
/// `address` and `length` are values that were returned, and the memory is not used after this call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn release(address: *mut u8, length: usize) {
    // SAFETY: see the contract above; both come from a boxed slice of this length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) });
}

/// [`crate::read`].
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn read(address: *const u8, length: usize) -> u64 {
    // SAFETY: the caller upholds the contract.
    unsafe { answered(address, length, crate::read) }
}

/// [`crate::evaluate`].
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn evaluate(address: *const u8, length: usize) -> u64 {
    // SAFETY: the caller upholds the contract.
    unsafe { answered(address, length, crate::evaluate) }
}

/// [`crate::under_models`].
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn under_models(address: *const u8, length: usize) -> u64 {
    // SAFETY: the caller upholds the contract.
    unsafe { answered(address, length, crate::under_models) }
}

/// [`crate::style`], for any question.
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn style(address: *const u8, length: usize) -> u64 {
    // SAFETY: the caller upholds the contract.
    unsafe { answered(address, length, |_| Ok(crate::style())) }
}

/// [`crate::explore`].
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn explore(address: *const u8, length: usize) -> u64 {
    // SAFETY: the caller upholds the contract.
    unsafe { answered(address, length, |question| crate::explore(question, &Page)) }
}

/// Answers the question at `address`.
///
/// # Safety
/// `address` is where [`reserve`] allocated `length` bytes.
unsafe fn answered(
    address: *const u8,
    length: usize,
    answer: impl FnOnce(&str) -> Result<String, String>,
) -> u64 {
    // SAFETY: see the contract above.
    let question = unsafe { std::slice::from_raw_parts(address, length) };
    let text = match str::from_utf8(question).map_err(|error| format!("error: {error}\n")).and_then(answer) {
        Ok(answer) => format!("+{answer}"),
        Err(mistake) => format!("-{mistake}"),
    };
    let bytes = text.into_bytes().into_boxed_slice();
    let length = bytes.len() as u64;
    (Box::into_raw(bytes).cast::<u8>() as u64) << 32 | length
}

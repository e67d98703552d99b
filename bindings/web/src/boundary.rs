//! What the page calls. Texts cross as bytes of UTF-8 in the memory of this module: [`reserve`] makes room for a question, a question
//! gives back where its answer lies (`address << 32 | length`), and [`release`] gives either back. An answer begins with `+`, a
//! mistake with `-`. What this module needs of the page are `now_ms`, `tell` and `fault`.

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

/// To be called once: a fault of this program reaches the page in words.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn start() {
    panic::set_hook(Box::new(|found| {
        let words = found.to_string();
        // SAFETY: the page reads these bytes before it returns.
        unsafe { fault(words.as_ptr(), words.len()) }
    }));
}

/// Room for a question of `length` bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn reserve(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Gives back what [`reserve`] or a question returned.
///
/// # Safety
/// `address` and `length` are those that were returned, and nobody uses them after this.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn release(address: *mut u8, length: usize) {
    // SAFETY: the promise above; both come from a boxed slice of this length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) });
}

/// [`crate::read`].
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn read(address: *const u8, length: usize) -> u64 {
    // SAFETY: the promise of the caller.
    unsafe { answered(address, length, crate::read) }
}

/// [`crate::evaluate`].
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn evaluate(address: *const u8, length: usize) -> u64 {
    // SAFETY: the promise of the caller.
    unsafe { answered(address, length, crate::evaluate) }
}

/// [`crate::explore`].
///
/// # Safety
/// As [`answered`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn explore(address: *const u8, length: usize) -> u64 {
    // SAFETY: the promise of the caller.
    unsafe { answered(address, length, |question| crate::explore(question, &Page)) }
}

/// The answer to a question that lies at `address`.
///
/// # Safety
/// `address` is where [`reserve`] made room for `length` bytes.
unsafe fn answered(
    address: *const u8,
    length: usize,
    answer: impl FnOnce(&str) -> Result<String, String>,
) -> u64 {
    // SAFETY: the promise above.
    let question = unsafe { std::slice::from_raw_parts(address, length) };
    let text = match str::from_utf8(question).map_err(|error| format!("error: {error}\n")).and_then(answer) {
        Ok(answer) => format!("+{answer}"),
        Err(mistake) => format!("-{mistake}"),
    };
    let bytes = text.into_bytes().into_boxed_slice();
    let length = bytes.len() as u64;
    (Box::into_raw(bytes).cast::<u8>() as u64) << 32 | length
}

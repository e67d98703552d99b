//! numasim in a browser: texts of JSON in, texts of JSON out.
//!
//! [`read`] says what the files have and what can be changed of it, [`evaluate`] what becomes of a placement, [`explore`] which one is
//! best. Files go through the checked reader of `model`; answers are the documents of the command line (`document`), whole and unrounded.
//! Mistakes are the messages of the command line, with file, line and column.
//!
//! `boundary` (WebAssembly alone) is what the page calls: numbers and memory. It is written by hand, as four functions on texts need
//! no generated code, and no further program that generates it.

#[cfg(target_arch = "wasm32")]
mod boundary;
mod evaluating;
mod exploring;
mod question;
mod reading;
#[cfg(test)]
mod tests;

pub use evaluating::evaluate;
pub use exploring::{Outside, explore};
pub use reading::read;

//! numasim in a browser: texts of JSON in, texts of JSON out.
//!
//! [`read`] returns the contents of the files and the values that can be changed. [`evaluate`] computes a placement, [`under_models`]
//! computes it under every sharing model, and [`explore`] finds the best one. [`style`] is the style sheet with the colours of plots. Files go through the checked reader of `model`. Answers are the documents of the command line (`document`),
//! complete and unrounded. Errors are the messages of the command line, with file, line and column.
//!
//! The page calls `boundary` (WebAssembly only): numbers and memory. It is written by hand because five functions on texts need
//! neither generated code nor the program that generates it.

#[cfg(target_arch = "wasm32")]
mod boundary;
mod evaluating;
mod exploring;
mod question;
mod reading;
#[cfg(test)]
mod tests;

pub use evaluating::{evaluate, under_models};
pub use exploring::{Outside, explore};
pub use numasim_draw::look::page_style as style;
pub use reading::read;

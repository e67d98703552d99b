//! From the profile of a tree of tasks to a plan: which blocks and which tasks belong on which NUMA node, for any number of iterations.
//!
//! Paper 000 (Dokulil and Benkner, *Automatic Placement of Tasks to NUMA Nodes in Iterative Applications*), section II, in three steps:
//! 1. A profiling run writes a [`profile`]: who created whom and what, and how long each task takes with its data here and there.
//! 2. An analyser puts tasks that were created alike in one class: [`Classes`]; blocks follow ([`BlockClasses`]), and from the seconds of
//!    [`Measured`] comes the [`Plan`].
//! 3. A run under the plan finds the class of each task from that of its creator: [`Guide`].
//!
//! The files are those of OCR-Vx, the runtime of the paper: cells with `;` between them, no header. They may have millions of lines, so
//! that every reader here is told one line after the other and keeps what it needs. Everything is pure: text in, values and text out.
#![warn(missing_docs)]

mod affinity;
mod analysis;
mod blocks;
mod cells;
mod classes;
mod fault;
pub mod graph_file;
mod guide;
pub mod plan;
pub mod profile;
mod profiled;
#[cfg(test)]
mod properties;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use affinity::Measured;
pub use analysis::{Lines, analyse, guide};
pub use blocks::Pattern;
pub use blocks::{BlockClass, BlockClasses};
pub use classes::Creation;
pub use classes::{Class, ClassId, Classes, Entry};
pub use classes::{Template, Templates};
pub use fault::{Fault, File};
pub use guide::GraphPlan;
pub use guide::{Fallbacks, Guide, GuideReader, Guided};
pub use plan::{Plan, PlannedBlocks, PlannedClass};
pub use profiled::Profiled;

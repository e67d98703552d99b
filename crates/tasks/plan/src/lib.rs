//! From the profile of a tree of tasks to a plan: the NUMA node of each block and each task, for any number of iterations.
//!
//! Paper 000 (Dokulil and Benkner, *Automatic Placement of Tasks to NUMA Nodes in Iterative Applications*), section II, in three steps:
//! 1. A profiling run writes a [`profile`]: the creators of tasks and blocks, and the time of each task with its data near and far.
//! 2. An analyser puts tasks that were created in the same way in one class: [`Classes`]; blocks follow ([`BlockClasses`]), and from the
//!    seconds of [`Measured`] comes the [`Plan`].
//! 3. A run under the plan finds the class of each task from that of its creator: [`Guide`].
//!
//! The files are those of OCR-Vx, the runtime of the paper: cells separated by `;`, no header. They may have millions of lines, so every
//! reader here receives one line after the other and keeps only the necessary data. All functions are pure: text in, values and text out.

#![warn(missing_docs)]

pub use affinity::Measured;
pub use blocks::{BlockClass, BlockClasses, Pattern};
pub use classes::{Class, ClassId, Classes, Creation, Entry, Template, Templates};
pub use fault::{Fault, File};
pub use guide::{Fallbacks, GraphPlan, Guide, GuideReader, Guided};
pub use plan::{Plan, PlannedBlocks, PlannedClass};
pub use profile::Profiled;

mod affinity;
mod blocks;
mod classes;
mod fault;
mod guide;
pub mod plan;
pub mod profile;
#[cfg(test)]
mod properties;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

// From the files of a profile to the plan, and from those of a plan to the guide: the order in which files are read.

/// A listener for the lines of a file: it receives the number of a line, from 1, and its text without the end of the line.
pub type Lines<'a> = &'a mut dyn FnMut(u64, &str) -> Result<(), Fault>;

/// The plan for a profile. `feed` passes on all lines of a file, one after the other, and stops if the listener reports a fault.
///
/// # Errors
/// Errors of `feed`, and problems of the profile.
pub fn analyse<E: From<Fault>>(
    pattern: Pattern,
    mut feed: impl FnMut(File, Lines<'_>) -> Result<(), E>,
) -> Result<Plan, E> {
    let mut nodes = None;
    feed(File::Meta, &mut |line, text| {
        nodes = Some(blocks::nodes(line, text, nodes)?);
        Ok(())
    })?;
    let nodes = nodes.ok_or_else(|| {
        Fault::new(File::Meta, 1, "the file is empty").hint("its one line is the number of nodes with cores")
    })?;
    let mut creation = Creation::default();
    feed(File::Edt, &mut |line, text| creation.edt(line, text))?;
    feed(File::New, &mut |line, text| creation.new_task(line, text))?;
    let classes = creation.classes()?;
    let mut blocks = BlockClasses::new(pattern, nodes);
    if pattern == Pattern::Hints {
        feed(File::AffDbs, &mut |line, text| blocks.hint(line, text))?;
    }
    feed(File::Dbs, &mut |line, text| blocks.block(&classes, line, text))?;
    blocks.place()?;
    let mut measured = Measured::new(&classes, &blocks)?;
    feed(File::Acc, &mut |line, text| measured.access((&classes, &blocks), line, text))?;
    feed(File::Raw, &mut |line, text| measured.seconds(&classes, line, text))?;
    Ok(Plan::of(classes, &blocks, &measured))
}

/// The plan in files, in the form for a run on this number of nodes with cores. `feed` as in [`analyse`].
///
/// # Errors
/// Errors of `feed`, and problems of the plan.
pub fn guide<E: From<Fault>>(
    nodes: usize,
    mut feed: impl FnMut(File, Lines<'_>) -> Result<(), E>,
) -> Result<Guide, E> {
    let mut reader = GuideReader::new(nodes);
    let mut last = 0;
    feed(File::PlanTree, &mut |line, text| {
        last = line;
        reader.tree(line, text)
    })?;
    reader.tree_ends(last + 1)?;
    feed(File::PlanDbs, &mut |line, text| reader.blocks(line, text))?;
    Ok(reader.finish())
}

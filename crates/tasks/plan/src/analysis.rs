//! From the files of a profile to the plan, and from those of a plan to the guide: which file is read when.

use crate::affinity::Measured;
use crate::blocks::Pattern;
use crate::blocks::{self, BlockClasses};
use crate::classes::Creation;
use crate::fault::{Fault, File};
use crate::guide::{Guide, GuideReader};
use crate::plan::Plan;

/// What is told a line of a file: its number, from 1, and its text without the end of the line.
pub type Lines<'a> = &'a mut dyn FnMut(u64, &str) -> Result<(), Fault>;

/// The plan for a profile. `feed` tells all lines of a file, one after the other, and stops where the listener has a fault.
///
/// # Errors
/// Those of `feed`, and what is wrong with the profile.
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

/// The plan in files as a run on so many nodes with cores uses it. `feed` as in [`analyse`].
///
/// # Errors
/// Those of `feed`, and what is wrong with the plan.
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

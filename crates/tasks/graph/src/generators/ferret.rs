//! Ferret: queries to a database of images that is dealt among the nodes, as a pipeline (paper 003, section 5).
//!
//! Each query is a chain of tasks: the master creates the first one, each of the others is created by the one before. A query looks at 2 % of each
//! part of the database, on its node.

use crate::values::{NewTask, Submit, TaskId, TreeTask};

use super::error::{GenerateError, at_least_one};
use super::size::Size;
use super::weaver::{Weaver, work};

/// FLOP of the steps that compute and read none of the database.
const SEGMENT: f64 = 1e7;
const EXTRACT: f64 = 5e7;
const RANK: f64 = 1e7;
/// Which part of the database a query looks at, and what it does with each byte.
const ONE_IN: f64 = 50.0;
const FLOP_PER_BYTE: f64 = 2.0;

pub(super) fn weave(weave: &mut Weaver<'_>, queries: u64, database: u64) -> Result<(), GenerateError> {
    let database = at_least_one("database", database)?;
    let nodes = weave.sockets();
    let (each, parts) = (queries as f64, nodes as f64);
    // Load, segment, extract, a part after the other, rank, out.
    weave.begin(Size { blocks: parts, tasks: each * (5.0 + parts), accesses: each * parts })?;
    let mut steps = Vec::new();
    for k in 0..nodes {
        let part = weave.hinted(database / parts, Some(&format!("part-{k}")), weave.node(k))?;
        steps.push((weave.kind(&format!("query-{k}")), part, weave.node(k)));
    }
    let [load, segment, extract, rank, out] =
        ["load", "segment", "extract", "rank", "out"].map(|name| weave.kind(name));
    for _ in 0..queries {
        let mut chain = Chain { weave, last: None };
        chain.plain(work(load, 0.0, &[]))?;
        chain.plain(work(segment, SEGMENT / 1e9, &[]))?;
        chain.plain(work(extract, EXTRACT / 1e9, &[]))?;
        for &(kind, part, node) in &steps {
            let moved = part.bytes() / ONE_IN;
            let tree = TreeTask { affinity: node, submit: Submit::Detach, ..TreeTask::default() };
            chain.add(work(kind, FLOP_PER_BYTE * moved / 1e9, &[part.read_part(moved)]), tree)?;
        }
        chain.plain(work(rank, RANK / 1e9, &[]))?;
        chain.plain(work(out, 0.0, &[]))?;
    }
    Ok(())
}

/// Tasks of which each creates the next one.
struct Chain<'c, 's> {
    weave: &'c mut Weaver<'s>,
    last: Option<TaskId>,
}

impl Chain<'_, '_> {
    fn plain(&mut self, task: NewTask<'_>) -> Result<(), GenerateError> {
        self.add(task, TreeTask::default())
    }

    fn add(&mut self, task: NewTask<'_>, tree: TreeTask<'_>) -> Result<(), GenerateError> {
        self.last = Some(self.weave.tree_task(task, TreeTask { created_by: self.last, ..tree })?);
        Ok(())
    }
}

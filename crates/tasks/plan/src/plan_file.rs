//! Plans as text: `plan-dbs.csv` and `plan-tree.csv`, which a run reads, and `plan.toml` for people.
//!
//! ```text
//! plan-dbs.csv    class;seq;node            ascending
//! plan-tree.csv   id;template;node;n        a class and its n children; node -1: no opinion
//!                 id;seq;template;child     by seq, then template
//! ```

use std::fmt::{self, Write};

use crate::classes::Entry;
use crate::path::Paths;
use crate::plan::Plan;
use crate::toml_text::{Escaped, Number};

/// Writes `plan-dbs.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_dbs(plan: &Plan, out: &mut impl Write) -> fmt::Result {
    let mut lines: Vec<_> =
        plan.blocks().iter().map(|class| (class.creator.0, class.seq, class.node)).collect();
    lines.sort_unstable();
    for (class, seq, node) in lines {
        writeln!(out, "{class};{seq};{node}")?;
    }
    Ok(())
}

/// Writes `plan-tree.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_tree(plan: &Plan, out: &mut impl Write) -> fmt::Result {
    let templates = plan.classes().templates();
    for (number, class, planned) in plan.planned() {
        let (number, name) = (number.0, templates.name(class.template));
        writeln!(out, "{number};{name};{};{}", Node(planned.node), class.entries.len())?;
        let mut entries: Vec<&Entry> = class.entries.iter().collect();
        entries.sort_unstable_by_key(|entry| (entry.seq, templates.name(entry.template)));
        for entry in entries {
            writeln!(out, "{number};{};{};{}", entry.seq, templates.name(entry.template), entry.child.0)?;
        }
    }
    Ok(())
}

/// Writes `plan.toml`.
///
/// # Errors
/// Those of `out`.
pub fn write_toml(plan: &Plan, out: &mut impl Write) -> fmt::Result {
    writeln!(
        out,
        "# Nodes count those with cores, from 0; -1: no opinion. Affinities are by access, 0 to 1."
    )?;
    writeln!(out, "[plan]\nnodes = {}\npattern = \"{}\"", plan.nodes(), plan.pattern().as_str())?;
    writeln!(out, "tasks = {}\nblocks = {}", plan.classes().task_count(), plan.block_count())?;
    let paths = Paths::new(plan.classes());
    let mut path = String::new();
    for (number, class, planned) in plan.planned() {
        path.clear();
        paths.write(number, &mut path)?;
        writeln!(out, "\n[[class]]\nid = {}\npath = \"{}\"", number.0, Escaped(&path))?;
        writeln!(out, "node = {}\ntasks = {}", Node(planned.node), class.tasks)?;
        writeln!(out, "work_s = {}", Number(planned.work_s))?;
        out.write_str("affinity = [")?;
        for (place, &affinity) in planned.affinity.iter().enumerate() {
            write!(out, "{}{}", if place == 0 { "" } else { ", " }, Number(affinity))?;
        }
        out.write_str("]\n")?;
    }
    for class in plan.blocks() {
        writeln!(
            out,
            "\n[[block]]\nclass = {}\nseq = {}\nnode = {}",
            class.creator.0, class.seq, class.node
        )?;
        writeln!(out, "blocks = {}\nbytes = {}", class.blocks, Number(class.bytes))?;
    }
    Ok(())
}

/// A node, or -1.
struct Node(Option<usize>);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(node) => node.fmt(f),
            None => f.write_str("-1"),
        }
    }
}

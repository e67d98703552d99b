//! The plan: the node of each class of blocks and of each class of tasks.

use std::fmt;
use std::fmt::Write;

use numasim_graph::values::{BlockHome, BlockId, TaskGraph};

use crate::affinity::Measured;
use crate::blocks::{BlockClass, BlockClasses, Pattern};
use crate::classes::{Class, ClassId, Classes, Entry, Paths};

/// Scores, and amounts of work, that differ by at most this fraction of the larger one are equal.
const EQUAL: f64 = 1e-9;

/// The plan for a class of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedClass {
    /// The node, among those with cores; `None`: no preference.
    pub node: Option<usize>,
    /// How much its tasks benefit from being near their data, by slot, 0 to 1.
    pub affinity: Vec<f64>,
    /// Seconds of its tasks in the full run of the profile.
    pub work_s: f64,
}

/// The plan for a class of blocks.
pub type PlannedBlocks = BlockClass;

/// The plan.
#[derive(Clone, Debug)]
pub struct Plan {
    classes: Classes,
    planned: Vec<PlannedClass>,
    blocks: Vec<PlannedBlocks>,
    pattern: Pattern,
    nodes: usize,
}

impl Plan {
    /// Assigns every class of tasks to the node with the largest score for its data. Equal scores go to the node with the least work so
    /// far, then to the lowest number.
    pub fn of(classes: Classes, blocks: &BlockClasses, measured: &Measured) -> Self {
        let mut work_s = vec![0.0; blocks.nodes()];
        let planned = (0..).map(ClassId).zip(classes.all()).map(|(class, _)| {
            let known = measured.of(&classes, class);
            let node = best(&known.scores, &work_s);
            if let Some(work_s) = node.and_then(|node| work_s.get_mut(node)) {
                *work_s += known.work_s;
            }
            PlannedClass { node, affinity: known.affinity, work_s: known.work_s }
        });
        let planned = planned.collect();
        Self {
            classes,
            planned,
            blocks: blocks.all().to_vec(),
            pattern: blocks.pattern(),
            nodes: blocks.nodes(),
        }
    }

    /// The classes of tasks.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Each class by number, with its plan.
    pub fn planned(&self) -> impl ExactSizeIterator<Item = (ClassId, &Class, &PlannedClass)> {
        let planned = self.classes.all().iter().zip(&self.planned);
        let numbers = 0..u32::try_from(self.planned.len()).unwrap_or(u32::MAX);
        numbers.map(ClassId).zip(planned).map(|(number, (class, planned))| (number, class, planned))
    }

    /// The classes of blocks, by their first blocks.
    pub fn blocks(&self) -> &[PlannedBlocks] {
        &self.blocks
    }

    /// Number of blocks.
    pub fn block_count(&self) -> u64 {
        self.blocks.iter().map(|class| class.blocks).sum()
    }

    /// The pattern by which blocks were distributed over nodes.
    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// Number of nodes with cores for which it was made.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Number of classes of tasks without a preference.
    pub fn no_opinion(&self) -> usize {
        self.planned.iter().filter(|class| class.node.is_none()).count()
    }
}

/// The node with the greatest score; `None` if all are 0.
fn best(scores: &[f64], work_s: &[f64]) -> Option<usize> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let good = || {
        let all = scores.iter().zip(work_s).enumerate();
        all.filter(|(_, (score, _))| most - **score <= EQUAL * most).map(|(node, (_, work))| (node, *work))
    };
    let least = good().map(|(_, work)| work).fold(f64::INFINITY, f64::min);
    good().find(|(_, work)| work - least <= EQUAL * work).map(|(node, _)| node)
}

// Plans as text: `plan-dbs.csv` and `plan-tree.csv`, which a run reads, and `plan.toml` for people.
//
// ```text
// plan-dbs.csv    class;seq;node            ascending
// plan-tree.csv   id;template;node;n        a class and its n children; node -1: no preference
//                 id;seq;template;child     by seq, then template
// ```

/// Writes `plan-dbs.csv`.
///
/// # Errors
/// Errors of `out`.
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
/// Errors of `out`.
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
/// Errors of `out`.
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

// Numbers and strings in TOML syntax.

/// A number in TOML syntax, in the shortest form that reads back to the same value.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `Debug` writes 1e-7, and a point if there is no exponent.
        write!(f, "{:?}", self.0)
    }
}

/// Text inside of a string of TOML.
pub(crate) struct Escaped<'t>(pub(crate) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                hidden if hidden.is_control() => write!(f, "\\u{:04X}", u32::from(hidden))?,
                plain => f.write_char(plain)?,
            }
        }
        Ok(())
    }
}

// A plan for one graph, task by task and block by block, as TOML: for graphs that no task tree repeats.

/// The simulated results of such a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Promise<'t> {
    /// The machine.
    pub machine: &'t str,
    /// The scheduler that chose the placement.
    pub scheduler: &'t str,
    /// The rule for homes of blocks.
    pub homes: &'t str,
    /// Simulated makespan with the plan.
    pub makespan_s: f64,
    /// Simulated makespan without any information about data.
    pub before_s: f64,
    /// Lower bound on the makespan of every plan.
    pub bound_s: f64,
}

impl Promise<'_> {
    /// Speedup over the run without a plan; 1 if nothing takes time.
    pub fn gain(&self) -> f64 {
        ratio(self.before_s, self.makespan_s)
    }

    /// Upper bound on this speedup.
    pub fn gain_at_most(&self) -> f64 {
        ratio(self.before_s, self.bound_s)
    }
}

fn ratio(before_s: f64, after_s: f64) -> f64 {
    if after_s > 0.0 { before_s / after_s } else { 1.0 }
}

/// Writes the plan: `graph` has a socket for each task and homes of blocks. No task accesses blocks without a home.
///
/// # Errors
/// Errors of `out`.
pub fn write(graph: &TaskGraph, promise: &Promise<'_>, out: &mut impl Write) -> fmt::Result {
    writeln!(
        out,
        "# Where the data and the tasks of one graph belong. Seconds are simulated; before_s is fifo with first touch,"
    )?;
    writeln!(
        out,
        "# gain = before_s / makespan_s, and no plan gains more than gain_at_most = before_s / bound_s."
    )?;
    writeln!(
        out,
        "[plan]\ngraph = \"{}\"\nmachine = \"{}\"",
        Escaped(graph.name()),
        Escaped(promise.machine)
    )?;
    writeln!(out, "tasks = {}\nblocks = {}", graph.task_count(), graph.blocks().len())?;
    writeln!(out, "placed_by = \"{}\"\nhomes = \"{}\"", promise.scheduler, promise.homes)?;
    writeln!(out, "makespan_s = {}\nbefore_s = {}", Number(promise.makespan_s), Number(promise.before_s))?;
    writeln!(out, "gain = {}\nbound_s = {}", Number(promise.gain()), Number(promise.bound_s))?;
    writeln!(out, "gain_at_most = {}", Number(promise.gain_at_most()))?;
    for (id, block) in (0..).map(BlockId).zip(graph.blocks()) {
        if block.home == BlockHome::Open {
            continue;
        }
        writeln!(out, "\n[[block]]\nid = {}", id.0)?;
        name(graph.block_name(id), out)?;
        match block.home {
            BlockHome::Node(node) => writeln!(out, "node = {}", node.0)?,
            BlockHome::Interleaved | BlockHome::Open => writeln!(out, "node = \"interleave\"")?,
        }
    }
    for task in graph.tasks() {
        writeln!(out, "\n[[task]]\nid = {}", task.0)?;
        name(graph.task_name(task), out)?;
        if let Some(node) = graph.socket(task) {
            writeln!(out, "node = {}", node.0)?;
        }
    }
    Ok(())
}

fn name(name: Option<&str>, out: &mut impl Write) -> fmt::Result {
    name.map_or(Ok(()), |name| writeln!(out, "name = \"{}\"", Escaped(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_score_wins_whatever_the_work() {
        assert_eq!(best(&[0.9, 0.2], &[5.0, 0.0]), Some(0));
        assert_eq!(best(&[0.9, 0.9 * (1.0 + 1e-8)], &[0.0, 5.0]), Some(1));
    }

    #[test]
    fn equal_scores_go_to_the_least_work_then_to_the_lowest_number() {
        assert_eq!(best(&[1.0, 1.0 + 1e-10, 1.0], &[2.0, 1.0, 1.0 + 1e-10]), Some(1));
        assert_eq!(best(&[1.0, 1.0, 1.0], &[2.0, 1.0 + 1e-10, 1.0]), Some(1));
        assert_eq!(best(&[1.0, 1.0], &[0.0, 0.0]), Some(0));
    }

    #[test]
    fn without_any_score_there_is_no_opinion() {
        assert_eq!(best(&[0.0, 0.0], &[0.0, 0.0]), None);
    }
}

#[cfg(test)]
mod graph_file_tests {
    use numasim_graph::values::{Access, AccessMode, Block, NewTask, TaskGraphBuilder};
    use numasim_model::NodeId;

    use super::*;

    #[test]
    fn every_task_and_every_block_that_is_used_has_its_node() {
        let mut graph = TaskGraphBuilder::new("a \"b\"");
        let kind = graph.kind("work");
        let homes = [BlockHome::Node(NodeId(1)), BlockHome::Interleaved, BlockHome::Open];
        for (home, name) in homes.into_iter().zip([Some("X\\"), None, None]) {
            graph.block(Block { bytes: 8.0, home }, name).expect("a block");
        }
        let read = Access { block: BlockId(0), mode: AccessMode::In, declared_bytes: 8.0, moved_bytes: 8.0 };
        let task = NewTask {
            kind,
            gflop: 0.0,
            accesses: &[read],
            socket: Some(NodeId(1)),
            taskwait: false,
            name: Some("t"),
        };
        graph.task(task).expect("a task");
        let promise = Promise {
            machine: "M2",
            scheduler: "dep",
            homes: "first-touch",
            makespan_s: 0.5,
            before_s: 1.0,
            bound_s: 0.25,
        };
        let mut text = String::new();
        write(&graph.finish(), &promise, &mut text).expect("text");
        let read: toml::Table = text.parse().expect("TOML");
        assert_eq!(read["plan"]["graph"].as_str(), Some("a \"b\""));
        assert_eq!(
            (read["plan"]["gain"].as_float(), read["plan"]["gain_at_most"].as_float()),
            (Some(2.0), Some(4.0))
        );
        assert_eq!(
            read["block"].to_string(),
            "[{ id = 0, name = 'X\\', node = 1 }, { id = 1, node = \"interleave\" }]"
        );
        assert_eq!(read["task"].to_string(), "[{ id = 0, name = \"t\", node = 1 }]");
    }
}

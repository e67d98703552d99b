//! Classes of blocks, and the node of each: `ptrace-meta.csv`, `ptrace-dbs.csv`, and for hints `ptrace-aff-dbs.csv`.
//!
//! Blocks that tasks of one class created at the same place form one class; classes are numbered by their first blocks.

use std::collections::HashMap;

use numasim_model::machine::MAX_NODES;

use crate::classes::{ClassId, Classes};
use crate::fault::{At, Cells, Fault, File};

/// A class of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockClass {
    /// The class of the tasks that create them.
    pub creator: ClassId,
    /// Their place among the blocks of their creators.
    pub seq: u64,
    /// The node that the pattern assigns to them, among the nodes with cores.
    pub node: usize,
    /// Number of blocks.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: f64,
}

/// All classes of blocks of a profile, read line by line.
#[derive(Clone, Debug)]
pub struct BlockClasses {
    pattern: Pattern,
    nodes: usize,
    all: Vec<BlockClass>,
    /// Lines of the first blocks of classes.
    first: Vec<(u64, u64)>,
    numbers: HashMap<(ClassId, u64), u32>,
    /// The class of each block.
    of_block: HashMap<u64, u32>,
    hints: HashMap<u64, usize>,
}

/// The number of nodes: the one line of `ptrace-meta.csv`.
///
/// # Errors
/// It is no number of nodes, or there is another line.
pub(crate) fn nodes(line: u64, text: &str, known: Option<usize>) -> Result<usize, Fault> {
    let cells = At { file: File::Meta, line }.cells(text, ["nodes"])?;
    if known.is_some() {
        return Err(cells.fault(0, "this file has one line, the number of nodes"));
    }
    let nodes = cells.number(0, "the number of nodes")?;
    let known = usize::try_from(nodes).ok().filter(|nodes| (1..=MAX_NODES).contains(nodes));
    known.ok_or_else(|| cells.fault(0, format!("there are {nodes} nodes, not 1 to {MAX_NODES}")))
}

impl BlockClasses {
    /// Before any block, on this number of nodes.
    pub fn new(pattern: Pattern, nodes: usize) -> Self {
        Self {
            pattern,
            nodes,
            all: Vec::new(),
            first: Vec::new(),
            numbers: HashMap::new(),
            of_block: HashMap::new(),
            hints: HashMap::new(),
        }
    }

    /// A line of `ptrace-aff-dbs.csv`, which [`Pattern::Hints`] requires: `block;1;hint`, `block;0;node`. These lines come before all
    /// others.
    ///
    /// # Errors
    /// The problem with the line.
    pub fn hint(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let cells = At { file: File::AffDbs, line }.cells(text, ["block", "given", "node"])?;
        let block = cells.number(0, "the block")?;
        if !matches!(cells.text(1), "0" | "1") {
            let message = format!("the second cell is '{}'", crate::fault::Shown(cells.text(1)));
            return Err(cells.fault(1, message).hint("write 1 for a hint, 0 for none"));
        }
        let node = self.node(&cells, 2)?;
        if self.hints.insert(block, node).is_some() {
            return Err(cells.fault(0, format!("block {block} is there twice")).hint("a block has one line"));
        }
        Ok(())
    }

    /// A line of `ptrace-dbs.csv`: `block;;;bytes;creator;seq`.
    ///
    /// # Errors
    /// The problem with the line.
    pub fn block(&mut self, classes: &Classes, line: u64, text: &str) -> Result<(), Fault> {
        let names = ["block", "name", "labels", "bytes", "creator", "seq"];
        let cells = At { file: File::Dbs, line }.cells(text, names)?;
        let id = cells.number(0, "the block")?;
        let bytes = cells.amount(3, "the size of the block in bytes")?;
        let (creator, _) = classes.of_cell(&cells, 4)?;
        let seq = cells.number(5, "the place of the block")?;
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let class = *self.numbers.entry((creator, seq)).or_insert(next);
        if self.of_block.insert(id, class).is_some() {
            return Err(cells.fault(0, format!("block {id} is there twice")).hint("a block has one line"));
        }
        if class == next {
            self.all.push(BlockClass { creator, seq, node: 0, blocks: 0, bytes: 0.0 });
            self.first.push((id, line));
        }
        if let Some(class) = self.all.get_mut(class as usize) {
            class.blocks += 1;
            class.bytes += bytes;
        }
        Ok(())
    }

    /// Assigns a node to each class, after the last line.
    ///
    /// # Errors
    /// A first block without a hint, if hints are required.
    pub fn place(&mut self) -> Result<(), Fault> {
        let Self { pattern, nodes, all, first, hints, .. } = self;
        let count = all.len();
        for (number, (class, &(block, line))) in all.iter_mut().zip(first.iter()).enumerate() {
            let hint = match (*pattern, hints.get(&block)) {
                (Pattern::Hints, None) => {
                    let message = format!("block {block} is not in {}", File::AffDbs.as_str());
                    let hint = "give it a line there, or take another --pattern";
                    return Err(Fault::new(File::Dbs, line, message).of(0).hint(hint));
                }
                (_, hint) => hint.copied().unwrap_or(0),
            };
            class.node = pattern.node(number, count, *nodes, hint);
        }
        hints.clear();
        Ok(())
    }

    /// The distribution pattern.
    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// All classes, by their first blocks.
    pub fn all(&self) -> &[BlockClass] {
        &self.all
    }

    /// The node of the block that a cell names.
    ///
    /// # Errors
    /// The block does not exist.
    pub(crate) fn of_cell<const N: usize>(&self, cells: &Cells<'_, N>, cell: usize) -> Result<usize, Fault> {
        let id = cells.number(cell, "the block")?;
        let class = self.of_block.get(&id).and_then(|&class| self.all.get(class as usize));
        class
            .map(|class| class.node)
            .ok_or_else(|| cells.fault(cell, format!("there is no block {id} in {}", File::Dbs.as_str())))
    }

    fn node(&self, cells: &Cells<'_, 3>, cell: usize) -> Result<usize, Fault> {
        let node = cells.number(cell, "the node")?;
        usize::try_from(node).ok().filter(|&node| node < self.nodes).ok_or_else(|| {
            let message = format!("there is no node {node}: {} says {}", File::Meta.as_str(), self.nodes);
            cells.fault(cell, message).hint(format!("write 0 to {}", self.nodes - 1))
        })
    }
}

// The distribution of blocks over nodes before anything is known about tasks: the "pre-defined data distribution pattern" of paper 000,
// section II.

numasim_model::words! {
    /// A distribution pattern.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Pattern {
        /// Consecutive block classes on one node, as many on each.
        #[default]
        Block = "block",
        /// One after the other, node by node.
        Cyclic = "cyclic",
        /// Where the programmer wants them.
        Hints = "hints",
    }
}

impl Pattern {
    /// The node of class `number` out of `count` on this number of nodes; `hint` is the programmer's hint.
    pub(crate) fn node(self, number: usize, count: usize, nodes: usize, hint: usize) -> usize {
        match self {
            // Classes and nodes are counted in memory: their product fits into 128 bits.
            Self::Block => {
                let place = number as u128 * nodes as u128 / count.max(1) as u128;
                usize::try_from(place).unwrap_or(usize::MAX)
            }
            Self::Cyclic => number % nodes.max(1),
            Self::Hints => hint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dealt(pattern: Pattern, count: usize, nodes: usize) -> Vec<usize> {
        (0..count).map(|number| pattern.node(number, count, nodes, 9)).collect()
    }

    #[test]
    fn blocks_are_consecutive_and_cyclic_ones_take_turns() {
        // floor(7 k / 3): 0 0 0 1 1 2 2
        assert_eq!(dealt(Pattern::Block, 7, 3), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(dealt(Pattern::Cyclic, 7, 3), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(dealt(Pattern::Hints, 2, 3), [9, 9]);
        assert_eq!(dealt(Pattern::Block, 2, 4), [0, 2]);
    }
}

//! One group more or less, without compiling all again: afterwards everything stands in the order in which it would stand then.

use super::{Block, Class, Rows, figures, number};
use crate::sharing::compiled::Compiled;
use crate::sharing::rounds::lanes::LANES;

/// For each class there may be so many blocks, most of them left behind by classes that are gone.
const BLOCKS_PER_CLASS: usize = 8;

impl Rows {
    /// Adds `group`, which stands in sums where `is_before` ends; `false`, and then all is to be compiled, where some port that it reads has
    /// no place yet or too much has been left behind.
    pub(in crate::sharing::rounds) fn add(
        &mut self,
        compiled: &Compiled,
        group: u32,
        node: usize,
        is_before: impl Fn(u32) -> bool,
    ) -> bool {
        if self.blocks.len() > BLOCKS_PER_CLASS * (self.classes.len() + 1) {
            return false;
        }
        let first_block = self.blocks.len();
        if !self.push_blocks(compiled, group, node) {
            self.blocks.truncate(first_block);
            return false;
        }
        let (known, new) = self.blocks.split_at(first_block);
        let blocks_of = |class: &Class| &known[class.first_block as usize..class.end_block as usize];
        let node = number(node);
        let order =
            |class: &Class| class.node.cmp(&node).then_with(|| figures(blocks_of(class)).cmp(figures(new)));
        let place = self.classes.binary_search_by(order);
        if let Ok(place) = place {
            let class = &mut self.classes[place];
            let alike = &self.groups[class.first as usize..class.end as usize];
            let before = alike.partition_point(|&known| is_before(known));
            self.groups.insert(class.first as usize + before, group);
            class.end += 1;
            self.blocks.truncate(first_block);
        } else if let Err(place) = place {
            let first = if place > 0 { self.classes[place - 1].end } else { 0 };
            self.groups.insert(first as usize, group);
            let limited = compiled.reads.iter().position(|reads| reads.users.contains(&group));
            let class = Class {
                node,
                first,
                end: first + 1,
                first_block: number(first_block),
                end_block: number(self.blocks.len()),
                reads: limited.map_or(Class::UNLIMITED, number),
                occupied: compiled.occupied[group as usize],
            };
            self.classes.insert(place, class);
        }
        let (Ok(place) | Err(place)) = place;
        for class in &mut self.classes[place + 1..] {
            (class.first, class.end) = (class.first + 1, class.end + 1);
        }
        true
    }

    /// Takes `group` away.
    pub(in crate::sharing::rounds) fn remove(&mut self, group: u32) {
        let Some(at) = self.groups.iter().position(|&known| known == group) else { return };
        self.groups.remove(at);
        let place = self.classes.partition_point(|class| class.end as usize <= at);
        for class in &mut self.classes[place + 1..] {
            (class.first, class.end) = (class.first - 1, class.end - 1);
        }
        self.classes[place].end -= 1;
        if self.classes[place].first == self.classes[place].end {
            self.classes.remove(place);
        }
    }

    /// Adds what `group` reads to the blocks; whether every port that it reads has a place.
    fn push_blocks(&mut self, compiled: &Compiled, group: u32, node: usize) -> bool {
        let first = self.blocks.len();
        for (m, p, _) in compiled.pool_indices().filter(|&(_, p, _)| compiled.pools[p].from.0 == node) {
            let mut flows = compiled.flows[compiled.pools[p].flows.clone()].iter();
            let Some(flow) = flows.find(|flow| flow.group == group) else { continue };
            let Some(&place) = self.place(number(p)) else { return false };
            if self.blocks[first..].last().is_none_or(|block| block.column != place.column) {
                self.blocks.push(Block { column: place.column, ..Block::NONE });
            }
            if let Some(block) = self.blocks.last_mut() {
                block.set(m % LANES, flow);
            }
        }
        true
    }
}

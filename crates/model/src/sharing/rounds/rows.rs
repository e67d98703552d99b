//! What each group reads, node by node: rounds walk the groups, and for each the memories that it reads, four at a time.

use super::lanes::{LANES, Lanes};
use crate::sharing::compiled::{Compiled, Flow};

mod changes;

/// What a group reads of [`LANES`] memories in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The ports of the group's node to these memories, as a number of a column.
    pub(super) column: u32,
    /// What a GB/s of the group occupies of each: the fraction of the data that lies there, in GB/s of reads; 0: none.
    pub(super) cost: Lanes,
    /// The same, infinite for none; and 1 / these, infinite for 0.
    pub(super) floor: Lanes,
    pub(super) inverse: Lanes,
    /// A bit for each memory where some lies.
    pub(super) used: u8,
}

impl Block {
    /// Nothing, of no column.
    const NONE: Self = {
        let none = [f64::INFINITY; LANES];
        Self { column: NONE, cost: [0.0; LANES], floor: none, inverse: none, used: 0 }
    };

    /// It reads what `flow` does.
    fn set(&mut self, lane: usize, flow: &Flow) {
        (self.cost[lane], self.floor[lane]) = (flow.cost, flow.cost);
        self.inverse[lane] = flow.inverse_cost;
        self.used |= 1 << lane;
    }
}

/// A group.
#[derive(Clone, Copy, Debug)]
struct Row {
    group: u32,
    node: u32,
    /// What it reads, as a range of [`Rows::blocks`].
    first: u32,
    end: u32,
}

/// The groups of a node whose data lie alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) node: u32,
    /// As a range of [`Rows::groups`].
    pub(super) first: u32,
    pub(super) end: u32,
    /// What each of them reads, as a range of [`Rows::blocks`].
    pub(super) first_block: u32,
    pub(super) end_block: u32,
    /// Which limit of what a node reads holds for them; [`Class::UNLIMITED`]: none.
    pub(super) reads: u32,
    /// What a GB/s of them occupies, on all memories together.
    pub(super) occupied: f64,
}

impl Class {
    /// What the node reads is not limited.
    const UNLIMITED: u32 = u32::MAX;
}

/// A port: where its figures stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pool: u32,
    pub(super) column: u32,
    pub(super) lane: u32,
}

/// Everything that groups read.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// Groups that read something, class by class, and in each in the order of sums.
    pub(super) groups: Vec<u32>,
    pub(super) classes: Vec<Class>,
    pub(super) blocks: Vec<Block>,
    /// Ports with flows.
    pub(super) places: Vec<Place>,
    /// Per pool: its place.
    place_of: Vec<u32>,
    /// Per [`LANES`] memories: the column after their last one.
    pub(super) ends: Vec<usize>,
    /// Groups, and per group its row; per [`LANES`] memories and node the column. While this is compiled.
    of_groups: Vec<Row>,
    row_of: Vec<u32>,
    column_of: Vec<u32>,
}

/// What blocks are compared by. Costs are not negative: their bits are in their order.
fn figures(blocks: &[Block]) -> impl Iterator<Item = (u32, [u64; LANES])> {
    blocks.iter().map(|block| (block.column, block.cost.map(f64::to_bits)))
}

const NONE: u32 = u32::MAX;

pub(super) fn number(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(NONE)
}

impl Rows {
    /// Compiles what the groups of `compiled` read.
    pub(super) fn compile(&mut self, compiled: &Compiled) {
        self.columns_and_places(compiled);
        self.find_blocks(compiled);
        let Self { groups, classes, blocks, of_groups: rows, row_of, .. } = self;
        let figures = |row: &Row| figures(&blocks[row.first as usize..row.end as usize]);
        // Those that are alike stay in the order of sums, in which their blocks were found.
        let alike = |a: &Row, b: &Row| a.node.cmp(&b.node).then_with(|| figures(a).cmp(figures(b)));
        rows.sort_unstable_by(|a, b| alike(a, b).then(a.first.cmp(&b.first)));
        groups.clear();
        groups.extend(rows.iter().map(|row| row.group));
        classes.clear();
        let mut first = 0;
        for class in rows.chunk_by(|a, b| alike(a, b).is_eq()) {
            let end = first + number(class.len());
            let (first_block, end_block) = (class[0].first, class[0].end);
            for row in class {
                row_of[row.group as usize] = number(classes.len());
            }
            let occupied = compiled.occupied[class[0].group as usize];
            let (node, reads) = (class[0].node, Class::UNLIMITED);
            classes.push(Class { node, first, end, first_block, end_block, reads, occupied });
            first = end;
        }
        for (r, common) in compiled.reads.iter().enumerate() {
            for &group in &common.users {
                if let Some(class) = classes.get_mut(row_of[group as usize] as usize) {
                    class.reads = number(r);
                }
            }
        }
    }

    /// Finds the blocks of every group that reads something.
    fn find_blocks(&mut self, compiled: &Compiled) {
        let (groups, nodes) = (compiled.demand_gbs.as_slice().len(), compiled.memories.len());
        let Self { of_groups: rows, blocks, row_of, column_of, .. } = self;
        rows.clear();
        blocks.clear();
        row_of.clear();
        row_of.resize(groups, NONE);
        let row = |group: u32| Row { group, node: NONE, first: 0, end: 0 };
        match &compiled.order {
            Some(order) => rows.extend(order.iter().map(|&group| row(group))),
            None => rows.extend((0..number(groups)).map(row)),
        }
        for (place, row) in rows.iter().enumerate() {
            row_of[row.group as usize] = number(place);
        }
        // The node of each, how many blocks it has, where these begin, and then the blocks.
        let flows = |p: usize| &compiled.flows[compiled.pools[p].flows.clone()];
        for (m, p, _) in compiled.pool_indices() {
            for flow in flows(p) {
                let row = &mut rows[row_of[flow.group as usize] as usize];
                row.node = number(compiled.pools[p].from.0);
                let block = number(m / LANES);
                // While counting, `first` is the block after the last one seen.
                if row.first != block + 1 {
                    (row.first, row.end) = (block + 1, row.end + 1);
                }
            }
        }
        rows.retain(|row| row.end > 0);
        row_of.fill(NONE);
        let mut first = 0;
        for (place, row) in rows.iter_mut().enumerate() {
            row_of[row.group as usize] = number(place);
            (row.first, row.end, first) = (first, first, first + row.end);
        }
        blocks.resize(first as usize, Block::NONE);
        for (m, p, _) in compiled.pool_indices() {
            let column = column_of[m / LANES * nodes + compiled.pools[p].from.0];
            for flow in flows(p) {
                let row = &mut rows[row_of[flow.group as usize] as usize];
                if row.end == row.first || blocks[row.end as usize - 1].column != column {
                    blocks[row.end as usize].column = column;
                    row.end += 1;
                }
                let block = &mut blocks[row.end as usize - 1];
                block.set(m % LANES, flow);
            }
        }
    }

    /// Numbers the columns that some group reads, and finds where the figures of every port stand.
    fn columns_and_places(&mut self, compiled: &Compiled) {
        let Self { places, place_of, ends, column_of, .. } = self;
        let nodes = compiled.memories.len();
        let with_flows = || compiled.pool_indices().filter(|&(_, p, _)| !compiled.pools[p].flows.is_empty());
        let cell = |m: usize, p: usize| m / LANES * nodes + compiled.pools[p].from.0;
        column_of.clear();
        column_of.resize(nodes.div_ceil(LANES) * nodes, NONE);
        with_flows().for_each(|(m, p, _)| column_of[cell(m, p)] = 0);
        let mut columns = 0;
        ends.clear();
        for bank in column_of.chunks_mut(nodes.max(1)) {
            for column in bank.iter_mut().filter(|column| **column != NONE) {
                *column = columns;
                columns += 1;
            }
            ends.push(columns as usize);
        }
        place_of.clear();
        place_of.resize(compiled.pools.len(), NONE);
        places.clear();
        for (m, p, _) in with_flows() {
            place_of[p] = number(places.len());
            places.push(Place { pool: number(p), column: column_of[cell(m, p)], lane: number(m % LANES) });
        }
    }

    /// Where the figures of a pool stand, if it has flows.
    pub(super) fn place(&self, pool: u32) -> Option<&Place> {
        self.places.get(self.place_of[pool as usize] as usize)
    }
}

//! The memories that each group reads, node by node: rounds walk the groups, and for each group the memories
//! that it reads, four at a time.

use crate::sharing::compiled::{Compiled, Flow};

/// The reads of a group on [`LANES`] consecutive memories.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The ports of the group's node to these memories, as a number of a column.
    pub(super) column: u32,
    /// Read-equivalent GB/s on each memory per GB/s of the group: the fraction of its data there times the
    /// factor of its kernel; 0: none.
    pub(super) cost: Lanes,
    /// The same, infinite for none; and 1 / these, infinite for 0.
    pub(super) floor: Lanes,
    pub(super) inverse: Lanes,
    /// A bit for each memory with a nonzero cost.
    pub(super) used: u8,
}

impl Block {
    /// No reads, and no column.
    const NONE: Self = {
        let none = [f64::INFINITY; LANES];
        Self { column: NONE, cost: [0.0; LANES], floor: none, inverse: none, used: 0 }
    };

    /// Sets the reads of `flow`.
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
    /// Index of the domain within the node.
    domain: u32,
    /// Its reads, as a range of [`Rows::blocks`].
    first: u32,
    end: u32,
}

/// The groups of a node (and of an L3 domain of it, if domains matter) with equal data placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) node: u32,
    /// As a range of [`Rows::groups`].
    pub(super) first: u32,
    pub(super) end: u32,
    /// The reads of each of them, as a range of [`Rows::blocks`].
    pub(super) first_block: u32,
    pub(super) end_block: u32,
    /// The read limits of an L3 domain and a node that apply to them; [`Class::UNLIMITED`]: none.
    pub(super) reads: [u32; 2],
    /// Read-equivalent GB/s of one GB/s of them, on all memories together.
    pub(super) occupied: f64,
}

impl Class {
    /// The reads of the node are not limited.
    const UNLIMITED: u32 = u32::MAX;
}

/// The position of a port's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pool: u32,
    pub(super) column: u32,
    pub(super) lane: u32,
}

/// The reads of all groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// Groups that read any memory, class by class, and within each class in the order of summation.
    pub(super) groups: Vec<u32>,
    pub(super) classes: Vec<Class>,
    pub(super) blocks: Vec<Block>,
    /// Ports with flows.
    pub(super) places: Vec<Place>,
    /// Per pool: its place.
    place_of: Vec<u32>,
    /// Per [`LANES`] memories: the column after their last one.
    pub(super) ends: Vec<usize>,
    /// Groups, and per group its row; per [`LANES`] memories and node the column. Used during compilation.
    of_groups: Vec<Row>,
    row_of: Vec<u32>,
    column_of: Vec<u32>,
}

/// Sort key of blocks. Costs are not negative, so their bits have the same order.
fn figures(blocks: &[Block]) -> impl Iterator<Item = (u32, [u64; LANES])> {
    blocks.iter().map(|block| (block.column, block.cost.map(f64::to_bits)))
}

const NONE: u32 = u32::MAX;

pub(super) fn number(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(NONE)
}

impl Rows {
    /// Compiles the reads of the groups of `compiled`.
    pub(super) fn compile(&mut self, compiled: &Compiled) {
        self.columns_and_places(compiled);
        self.find_blocks(compiled);
        let Self { groups, classes, blocks, of_groups: rows, row_of, .. } = self;
        let figures = |row: &Row| figures(&blocks[row.first as usize..row.end as usize]);
        // Equal groups stay in the order of summation, in which their blocks were found.
        let place = |row: &Row| (row.node, row.domain);
        let alike = |a: &Row, b: &Row| place(a).cmp(&place(b)).then_with(|| figures(a).cmp(figures(b)));
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
            let (node, reads) = (class[0].node, [Class::UNLIMITED; 2]);
            classes.push(Class { node, first, end, first_block, end_block, reads, occupied });
            first = end;
        }
        for (r, common) in compiled.reads.iter().enumerate() {
            for &group in &common.users {
                if let Some(class) = classes.get_mut(row_of[group as usize] as usize) {
                    class.reads[usize::from(r >= compiled.domains)] = number(r);
                }
            }
        }
    }

    /// Finds the blocks of every group that reads any memory.
    fn find_blocks(&mut self, compiled: &Compiled) {
        let (groups, nodes) = (compiled.demand_gbs.as_slice().len(), compiled.memories.len());
        let Self { of_groups: rows, blocks, row_of, column_of, .. } = self;
        rows.clear();
        blocks.clear();
        row_of.clear();
        row_of.resize(groups, NONE);
        let domain = |group: u32| number(group as usize / nodes.max(1) % compiled.rows_per_app);
        let row = |group: u32| Row { group, node: NONE, domain: domain(group), first: 0, end: 0 };
        match &compiled.order {
            Some(order) => rows.extend(order.iter().map(|&group| row(group))),
            None => rows.extend((0..number(groups)).map(row)),
        }
        for (place, row) in rows.iter().enumerate() {
            row_of[row.group as usize] = number(place);
        }
        // First the node of each group, its number of blocks and their start, then the blocks.
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

    /// Numbers the columns that any group reads, and finds the position of every port's values.
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

    /// The position of a pool's values, if it has flows.
    pub(super) fn place(&self, pool: u32) -> Option<&Place> {
        self.places.get(self.place_of[pool as usize] as usize)
    }
}

/// Maximum number of blocks per class, most of them left behind by removed classes.
const BLOCKS_PER_CLASS: usize = 8;

impl Rows {
    /// Adds `group`, whose position in sums is the end of `is_before`. Returns `false`, which requires a full
    /// compilation, if a port that it reads has no position yet or too many blocks have been left behind.
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
                reads: [Class::UNLIMITED, limited.map_or(Class::UNLIMITED, number)],
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

    /// Removes `group`.
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

    /// Adds the reads of `group` to the blocks. Returns whether every port that it reads has a position.
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

/// Number of memories that are processed together.
pub(super) const LANES: usize = 4;

/// One value for each of [`LANES`] memories.
pub(super) type Lanes = [f64; LANES];

/// One value for each memory.
#[inline]
pub(super) fn lanes(figure: impl FnMut(usize) -> f64) -> Lanes {
    std::array::from_fn(figure)
}

/// The smaller value; `b` if one of the two is NaN.
#[inline]
pub(super) fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger value; `b` if one of the two is NaN.
#[inline]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Adds `factor` times `figures`.
#[inline]
pub(super) fn add(sum: &mut Lanes, factor: f64, figures: &Lanes) {
    for lane in 0..LANES {
        sum[lane] += factor * figures[lane];
    }
}

/// The smallest value.
#[inline]
pub(super) fn smallest(figures: &Lanes) -> f64 {
    smaller(smaller(figures[0], figures[1]), smaller(figures[2], figures[3]))
}

/// The ports of one node to [`LANES`] memories; GB/s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// Demand of its threads, and its request to its controller.
    pub(super) wanted: Lanes,
    pub(super) offered: Lanes,
    /// Its grant.
    pub(super) granted: Lanes,
    /// The link: capacity, remaining bandwidth, and the amount that counts as nothing. Infinite for the
    /// node's local memory, and for none.
    pub(super) capacity: Lanes,
    pub(super) left: Lanes,
    pub(super) nothing: Lanes,
    /// Threads that use it, and the minimum demand of one of them.
    pub(super) users: Lanes,
    pub(super) lowest: Lanes,
    /// Baseline of each thread, and the sum of the baselines.
    pub(super) baseline: Lanes,
    pub(super) allocated: Lanes,
    /// Whether the allocated baselines have to be summed group by group.
    pub(super) is_mixed: bool,
    /// Grant of one thread with demand w: min(w, flat + ratio w).
    pub(super) flat: Lanes,
    pub(super) ratio: Lanes,
    /// Traffic of its threads.
    pub(super) drawn: Lanes,
    /// GB/s of the controller per GB/s of the port, and the pace at which the port is filled.
    pub(super) cost: Lanes,
    pub(super) weight: Lanes,
    pub(super) inverse_cores: f64,
    /// A bit for each memory if a resource that its threads use is full.
    pub(super) full: u8,
}

impl Column {
    /// No port yet, on a node with 1/`inverse_cores` cores.
    pub(super) fn new(inverse_cores: f64) -> Self {
        let none = [0.0; LANES];
        Self {
            wanted: none,
            offered: none,
            granted: none,
            capacity: [f64::INFINITY; LANES],
            left: none,
            nothing: [f64::NEG_INFINITY; LANES],
            users: none,
            lowest: [f64::INFINITY; LANES],
            baseline: none,
            allocated: none,
            is_mixed: false,
            flat: none,
            ratio: none,
            drawn: none,
            cost: [1.0; LANES],
            weight: [1.0; LANES],
            inverse_cores,
            full: 0,
        }
    }

    /// Restores all capacities.
    pub(super) fn begin(&mut self) {
        (self.left, self.full) = (self.capacity, 0);
    }

    /// Resets the demands.
    #[inline]
    pub(super) fn clear_wants(&mut self) {
        (self.wanted, self.lowest) = ([0.0; LANES], [f64::INFINITY; LANES]);
    }

    /// Adds groups whose threads have a total demand of `wants` GB/s, and each of them at least `least`.
    #[inline]
    pub(super) fn want(&mut self, block: &Block, wants: f64, least: f64) {
        add(&mut self.wanted, wants, &block.cost);
        self.lowest = lanes(|lane| smaller(least * block.floor[lane], self.lowest[lane]));
    }

    /// Step 1: its request, before shared links reduce it.
    #[inline]
    pub(super) fn offer(&mut self) {
        self.offered = lanes(|lane| smaller(self.wanted[lane], self.left[lane]));
    }

    /// The grant of its threads if controllers are filled up to `level`.
    #[inline]
    fn grant(&mut self, level: &Lanes) {
        self.granted = lanes(|lane| smaller(self.offered[lane], level[lane] * self.weight[lane]));
        self.baseline = lanes(|lane| self.granted[lane] * self.inverse_cores);
    }

    /// The allocated baselines if all threads request at least the baseline. Returns whether that holds for
    /// every memory without enough for all. Otherwise, or if threads request less than their demand, nothing
    /// is allocated yet.
    #[inline]
    pub(super) fn allocate(&mut self, are_limited: bool) -> bool {
        let mut is_mixed = are_limited;
        let allocated = lanes(|lane| {
            let all_above = self.baseline[lane] <= self.lowest[lane];
            is_mixed |= !all_above && self.wanted[lane] > self.granted[lane];
            self.users[lane] * self.baseline[lane]
        });
        self.is_mixed = is_mixed;
        self.allocated = if is_mixed { [0.0; LANES] } else { allocated };
        !is_mixed
    }

    /// Step 3, once `allocated` is known.
    #[inline]
    pub(super) fn split(&mut self) {
        for lane in 0..LANES {
            (self.flat[lane], self.ratio[lane]) =
                split(self.granted[lane], self.wanted[lane], self.baseline[lane], self.allocated[lane]);
        }
    }
}

/// The split of `granted` GB/s: one thread with demand w GB/s gets min(w, the first + the second times w).
#[inline]
pub(super) fn split(granted: f64, wanted: f64, baseline: f64, allocated: f64) -> (f64, f64) {
    // NaN or above 1 only if all demands are met; a remainder below zero by rounding counts as zero.
    let ratio = larger(smaller((granted - allocated) / (wanted - allocated), 1.0), 0.0);
    // Above zero, so that the result is infinite for a thread without data here.
    let flat = larger(baseline * (1.0 - ratio), f64::MIN_POSITIVE);
    let enough = wanted <= granted;
    (if enough { f64::INFINITY } else { flat }, if enough { 0.0 } else { ratio })
}

/// The controllers of [`LANES`] memories.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    /// The columns that contain their ports.
    pub(super) columns: std::ops::Range<usize>,
    /// Remaining GB/s, and the amount that counts as nothing.
    pub(super) left: Lanes,
    pub(super) nothing: Lanes,
}

impl Bank {
    /// Total requests of the ports, GB/s.
    pub(super) fn asked(&self, columns: &[Column]) -> Lanes {
        let mut asked = [0.0; LANES];
        for column in &columns[self.columns.clone()] {
            for lane in 0..LANES {
                asked[lane] += column.cost[lane] * column.offered[lane];
            }
        }
        asked
    }

    /// Step 2: fills the ports evenly, each at the pace of its weight, until all have their requests or
    /// nothing is left.
    pub(super) fn fill(&self, columns: &mut [Column]) {
        let columns = &mut columns[self.columns.clone()];
        let mut level = [0.0; LANES];
        // Each pass serves at least one more port of some controller in full, or is the last.
        loop {
            let (mut served, mut pace) = ([0.0; LANES], [0.0; LANES]);
            for column in columns.iter() {
                for lane in 0..LANES {
                    let hungry = column.offered[lane] > level[lane] * column.weight[lane];
                    pace[lane] += if hungry { column.cost[lane] * column.weight[lane] } else { 0.0 };
                    served[lane] += if hungry { 0.0 } else { column.cost[lane] * column.offered[lane] };
                }
            }
            let mut rises = false;
            for lane in 0..LANES {
                let next = (self.left[lane] - served[lane]) / pace[lane];
                // Infinite if all are served; NaN if rounding has already served them.
                let higher = next > level[lane];
                level[lane] = if higher { next } else { level[lane] };
                rises |= higher;
            }
            if !rises {
                break;
            }
        }
        for column in columns {
            column.grant(&level);
        }
    }

    /// Subtracts the traffic. Returns whether a resource became full.
    pub(super) fn use_up(&mut self, columns: &mut [Column]) -> bool {
        let mut is_new = false;
        let mut links_full = 0;
        for column in &mut columns[self.columns.clone()] {
            for lane in 0..LANES {
                self.left[lane] -= column.cost[lane] * column.drawn[lane];
                column.left[lane] -= column.drawn[lane];
            }
            let full = bits(&column.left, &column.nothing);
            links_full |= full & !column.full;
            column.full |= full;
        }
        is_new |= links_full != 0;
        let full = bits(&self.left, &self.nothing);
        if full != 0 {
            for column in &mut columns[self.columns.clone()] {
                is_new |= full & !column.full != 0;
                column.full |= full;
            }
        }
        is_new
    }
}

/// A bit for each memory whose remaining bandwidth counts as nothing.
#[inline]
fn bits(left: &Lanes, nothing: &Lanes) -> u8 {
    (0..LANES).fold(0, |bits, lane| bits | (u8::from(left[lane] <= nothing[lane]) << lane))
}

// The ports of one column, in registers while consecutive groups take from them.
//
// Each group adds to traffic and demand: in memory, each would wait for the one before.

/// A column that groups take from; see the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtHand {
    /// Its number, if there is one.
    column: Option<u32>,
    pub(super) flat: Lanes,
    pub(super) ratio: Lanes,
    pub(super) drawn: Lanes,
    wanted: Lanes,
    lowest: Lanes,
}

impl AtHand {
    /// No column.
    pub(super) const NONE: Self = {
        let none = [0.0; LANES];
        Self { column: None, flat: none, ratio: none, drawn: none, wanted: none, lowest: none }
    };

    /// Loads that column, and writes the last one back.
    #[inline]
    pub(super) fn reach(&mut self, column: u32, columns: &mut [Column]) {
        if self.column != Some(column) {
            self.give_back(columns);
            let Column { flat, ratio, drawn, wanted, lowest, .. } = columns[column as usize];
            *self = Self { column: Some(column), flat, ratio, drawn, wanted, lowest };
        }
    }

    /// Writes the changes back to the column.
    #[inline]
    pub(super) fn give_back(&mut self, columns: &mut [Column]) {
        if let Some(number) = self.column.take() {
            let column = &mut columns[number as usize];
            (column.drawn, column.wanted, column.lowest) = (self.drawn, self.wanted, self.lowest);
        }
    }

    /// As [`Column::want`].
    #[inline]
    pub(super) fn want(&mut self, block: &Block, wants: f64, least: f64) {
        add(&mut self.wanted, wants, &block.cost);
        self.lowest = lanes(|lane| smaller(least * block.floor[lane], self.lowest[lane]));
    }
}

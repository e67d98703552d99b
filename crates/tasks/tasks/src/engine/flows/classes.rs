//! Equal tasks, as classes that are found by what makes them equal.

use hashbrown::HashTable;
use numasim_engine::{Fluid, SimTime};
use numasim_model::NodeId;
use numasim_model::sharing::{FlowId, FlowKey, Load};

use super::super::known::scattered;
use crate::sockets::WorkerId;

/// Of a class without members.
pub(super) const NOWHERE: usize = usize::MAX;

/// Equal tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    /// Node, want and fractions: their bits; and their hash.
    bits: Vec<u64>,
    hash: u64,
    /// Which class it is of all that ever were, and [`scattered`] of that.
    pub(super) serial: u64,
    pub(super) weight: u64,
    /// Where it is a flow of the load.
    pub(super) flow: Option<FlowId>,
    pub(super) members: Fluid<WorkerId>,
    /// Its place among the classes with members, or [`NOWHERE`].
    pub(super) place: usize,
    /// Whether members came or went since rates were solved, and since the load heard of it.
    pub(super) is_touched: bool,
    pub(super) is_untold: bool,
    /// Whether it was forgotten: what is left has room for another one.
    is_forgotten: bool,
}

/// Classes, with and without members, by numbers that stay theirs until they are forgotten.
#[derive(Debug, Default)]
pub(super) struct Classes {
    all: Vec<Class>,
    free: Vec<usize>,
    by_bits: HashTable<usize>,
    /// By flow: its class.
    of_flow: Vec<usize>,
    next_serial: u64,
    /// Those that are about to be forgotten, by serial.
    empty: Vec<(u64, usize)>,
}

impl Classes {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.free.len()
    }

    pub(super) fn get(&self, number: usize) -> Option<&Class> {
        self.all.get(number).filter(|class| !class.is_forgotten)
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut Class> {
        self.all.get_mut(number).filter(|class| !class.is_forgotten)
    }

    /// The class with these bits, and whether it was there: else it is made.
    pub(super) fn reach(&mut self, bits: &[u64]) -> (usize, bool) {
        let Self { all, by_bits, .. } = self;
        let hash = hash(bits);
        let is_same = |&number: &usize| all.get(number).is_some_and(|class| *class.bits == *bits);
        if let Some(&number) = by_bits.find(hash, is_same) {
            return (number, true);
        }
        let number = self.free.pop().unwrap_or_else(|| {
            all.push(Class::default());
            all.len() - 1
        });
        if let Some(class) = all.get_mut(number) {
            class.bits.clear();
            class.bits.extend(bits);
            // What is left of another one: its members have gone, and their rate is that of none.
            class.members.set_rate(SimTime::START, 0.0);
            let serial = self.next_serial;
            (class.hash, class.serial, class.weight) = (hash, serial, scattered(serial));
            (class.flow, class.place) = (None, NOWHERE);
            (class.is_touched, class.is_untold, class.is_forgotten) = (false, false, false);
        }
        self.next_serial += 1;
        by_bits.insert_unique(hash, number, |&number| all.get(number).map_or(0, |class| class.hash));
        (number, false)
    }

    /// Tells the load how many members a class has: it is a flow while it has any, and where flows that come and go cost much
    /// (`flows_stay`) afterwards, too.
    pub(super) fn tell(&mut self, load: &mut Load<'_>, number: usize, flows_stay: bool) {
        let Some(class) = self.all.get_mut(number) else { return };
        class.is_untold = false;
        let members = class.members.len() as f64;
        match class.flow {
            Some(flow) if class.members.is_empty() && !flows_stay => {
                load.remove(flow);
                class.flow = None;
            }
            Some(flow) => load.set_threads(flow, members),
            None if class.members.is_empty() => {}
            None => {
                class.flow = class.add_to(load, members);
                if let Some(flow) = class.flow {
                    if self.of_flow.len() <= flow.index() {
                        self.of_flow.resize(flow.index() + 1, NOWHERE);
                    }
                    self.of_flow.get_mut(flow.index()).into_iter().for_each(|of| *of = number);
                }
            }
        }
    }

    /// The class that a flow is.
    pub(super) fn of_flow(&self, flow: FlowId) -> Option<usize> {
        self.of_flow.get(flow.index()).copied()
    }

    /// Forgets those without members, and takes their flows away: in the order in which they came.
    pub(super) fn forget_empty_ones(&mut self, load: &mut Load<'_>) {
        let Self { all, by_bits, empty, free, .. } = self;
        let is_empty = |class: &Class| class.place == NOWHERE && !class.is_forgotten;
        let named = all.iter().enumerate().filter(|(_, class)| is_empty(class));
        empty.extend(named.map(|(number, class)| (class.serial, number)));
        empty.sort_unstable();
        for (_, number) in empty.drain(..) {
            let Some(class) = all.get_mut(number) else { continue };
            class.is_forgotten = true;
            if let Some(flow) = class.flow.take() {
                load.remove(flow);
            }
            if let Ok(entry) = by_bits.find_entry(class.hash, |&known| known == number) {
                entry.remove();
            }
            free.push(number);
        }
    }
}

impl Class {
    /// Adds a flow with so many threads. Workers are on nodes with cores.
    fn add_to(&self, load: &mut Load<'_>, threads: f64) -> Option<FlowId> {
        let (&node, rest) = self.bits.split_first()?;
        let (&want, fractions) = rest.split_first()?;
        let fraction = |memory: NodeId| fractions.get(memory.0).map_or(0.0, |&bits| f64::from_bits(bits));
        let key = FlowKey(self.serial);
        let node = NodeId(usize::try_from(node).ok()?);
        load.add_reader(key, node, threads, f64::from_bits(want), fraction)
    }
}

/// Words are mixed as in `FxHash`, and then all bits.
fn hash(bits: &[u64]) -> u64 {
    let mixed = |hash: u64, &word: &u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    scattered(bits.iter().fold(0, mixed))
}

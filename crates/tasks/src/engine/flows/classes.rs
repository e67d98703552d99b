//! Equal tasks, as classes that are found by what makes them equal.

use hashbrown::HashTable;
use numasim_engine::Fluid;
use numasim_model::NodeId;
use numasim_model::sharing::{FlowId, FlowKey, Load};

use super::super::known::scattered;
use crate::sockets::WorkerId;

/// Of a class without members.
pub(super) const NOWHERE: usize = usize::MAX;

/// Equal tasks.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Node, want and fractions: their bits.
    bits: Box<[u64]>,
    /// Which class it is of all that ever were, and [`scattered`] of that.
    pub(super) serial: u64,
    pub(super) weight: u64,
    /// Where it is a flow of the load.
    pub(super) flow: Option<FlowId>,
    pub(super) members: Fluid<WorkerId>,
    /// Its place among the classes with members.
    pub(super) place: usize,
    /// Whether members came or went since rates were solved, and since the load heard of it.
    pub(super) is_touched: bool,
    pub(super) is_untold: bool,
}

/// Classes, with and without members, by numbers that stay theirs until they are forgotten.
#[derive(Debug, Default)]
pub(super) struct Classes {
    all: Vec<Option<Class>>,
    free: Vec<usize>,
    by_bits: HashTable<usize>,
    /// By flow: its class.
    of_flow: Vec<usize>,
    next_serial: u64,
}

impl Classes {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.free.len()
    }

    pub(super) fn get(&self, number: usize) -> Option<&Class> {
        self.all.get(number)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut Class> {
        self.all.get_mut(number)?.as_mut()
    }

    /// The class with these bits.
    pub(super) fn find(&self, bits: &[u64]) -> Option<usize> {
        let is_same = |&number: &usize| self.get(number).is_some_and(|class| *class.bits == *bits);
        self.by_bits.find(hash(bits), is_same).copied()
    }

    /// A new class with these bits, that no other one has.
    pub(super) fn add(&mut self, bits: &[u64]) -> usize {
        let serial = self.next_serial;
        self.next_serial += 1;
        let class = Class {
            bits: bits.into(),
            serial,
            weight: scattered(serial),
            flow: None,
            members: Fluid::new(),
            place: NOWHERE,
            is_touched: false,
            is_untold: false,
        };
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(None);
            self.all.len() - 1
        });
        if let Some(place) = self.all.get_mut(number) {
            *place = Some(class);
        }
        let Self { all, by_bits, .. } = self;
        let hash_of =
            |&number: &usize| all.get(number).and_then(Option::as_ref).map_or(0, |class| hash(&class.bits));
        by_bits.insert_unique(hash(bits), number, hash_of);
        number
    }

    /// Tells the load how many members a class has: it is a flow while it has any, and where flows that come and go cost much
    /// (`flows_stay`) afterwards, too.
    pub(super) fn tell(&mut self, load: &mut Load<'_>, number: usize, flows_stay: bool) {
        let Some(class) = self.all.get_mut(number).and_then(Option::as_mut) else { return };
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
        let is_empty = |class: &Class| class.place == NOWHERE;
        let empty = |(number, class): (usize, &Option<Class>)| {
            class.as_ref().filter(|class| is_empty(class)).map(|class| (class.serial, number))
        };
        let mut numbers: Vec<(u64, usize)> = self.all.iter().enumerate().filter_map(empty).collect();
        numbers.sort_unstable();
        for (_, number) in numbers {
            let Some(class) = self.all.get_mut(number).and_then(Option::take) else { continue };
            if let Some(flow) = class.flow {
                load.remove(flow);
            }
            if let Ok(entry) = self.by_bits.find_entry(hash(&class.bits), |&known| known == number) {
                entry.remove();
            }
            self.free.push(number);
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

fn hash(bits: &[u64]) -> u64 {
    bits.iter().fold(0, |hash, &word| scattered(hash ^ word))
}

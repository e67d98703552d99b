//! How a model shares what is compiled: all memories, or one of them.

use super::baseline;
use super::compiled::Compiled;
use super::corrected::{Corrected, Notes};
use super::remote::Remote;
use super::rounds::Dealing;
use super::shares::Shares;
use crate::ids::NodeId;
use crate::machine::Machine;

/// The way from counts of threads to rates.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// The default without corrections.
    Plain,
    /// Any other model.
    Corrected(Box<Corrected>),
}

/// Working memory of evaluations.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// What rounds note down.
    dealing: Dealing,
    /// What other models than the plain default note down.
    notes: Notes,
}

impl Memory {
    /// There is a flow more, on `node`; in sums it stands where `is_before` ends.
    pub(super) fn flow_added(
        &mut self,
        compiled: &Compiled,
        group: u32,
        node: NodeId,
        is_before: impl Fn(u32) -> bool,
    ) {
        self.dealing.flow_added(compiled, group, node.0, is_before);
    }

    /// There is a flow less.
    pub(super) fn flow_removed(&mut self, group: u32) {
        self.dealing.flow_removed(group);
    }
}

impl Way {
    /// The way of the model of `compiled`.
    pub(super) fn new(compiled: &Compiled, machine: &Machine) -> Self {
        if compiled.model.is_plain_default() {
            Self::Plain
        } else {
            Self::Corrected(Box::new(Corrected::new(compiled, machine)))
        }
    }

    /// Room for evaluations. `separable`: each thread reads one memory, and no limit is shared.
    pub(super) fn memory(&self, compiled: &Compiled, separable: bool) -> Memory {
        let mut memory = Memory::default();
        self.make_room(compiled, separable, &mut memory);
        if self.deals(separable) {
            memory.dealing.compile(compiled, self.remote());
        }
        memory
    }

    /// The same in place: nothing is allocated where there was as much room before.
    pub(super) fn make_room(&self, compiled: &Compiled, separable: bool, memory: &mut Memory) {
        if let Self::Corrected(corrected) = self {
            corrected.make_room(compiled, &mut memory.notes);
        }
        if !self.deals(separable) {
            memory.dealing.flows_changed();
        }
    }

    /// Whether what nobody could use is dealt again, in rounds.
    pub(super) fn deals(&self, separable: bool) -> bool {
        match self {
            Self::Plain => !separable,
            Self::Corrected(corrected) => corrected.deals(separable),
        }
    }

    /// Whether a change at one memory leaves the others as they are.
    pub(super) fn memories_are_apart(&self, separable: bool) -> bool {
        match self {
            Self::Plain => separable,
            Self::Corrected(corrected) => separable && corrected.looks_at_one_memory(),
        }
    }

    /// Whether rounds would give all what they want; `false` where that is not known without them.
    pub(super) fn all_have_room(&self, compiled: &Compiled, threads: &[f64]) -> bool {
        match self {
            Self::Plain => baseline::all_have_room(compiled, Remote::PLAIN, threads),
            Self::Corrected(corrected) => corrected.all_have_room(compiled, threads),
        }
    }

    fn remote(&self) -> Remote {
        match self {
            Self::Plain => Remote::PLAIN,
            Self::Corrected(corrected) => corrected.remote(),
        }
    }

    /// Learns which flows there are now; only where these change after [`Way::new`].
    pub(super) fn flows_changed(&mut self, compiled: &Compiled) {
        if let Self::Corrected(corrected) = self {
            corrected.flows_changed(compiled);
        }
    }

    /// Shares everything: `shares.bandwidth` has what every thread wants, and then what it gets.
    #[inline]
    pub(super) fn share(
        &self,
        compiled: &Compiled,
        separable: bool,
        threads: &[f64],
        shares: &mut Shares,
        memory: &mut Memory,
    ) {
        let Memory { dealing, notes } = memory;
        match self {
            Self::Plain if separable => {
                baseline::first_round(compiled, threads, shares);
            }
            Self::Plain if !compiled.has_common_limits() && begins_port_by_port(threads) => {
                let hungry = baseline::first_round(compiled, threads, shares);
                if hungry && !baseline::all_controllers_full(compiled, threads, shares) {
                    dealing.resume(compiled, threads, shares);
                }
            }
            // Not worth laying out groups that just came.
            Self::Plain
                if !dealing.is_compiled() && baseline::all_have_room(compiled, Remote::PLAIN, threads) => {}
            Self::Plain => {
                let controllers = |m: usize, _asked: f64| compiled.memories[m].bandwidth;
                dealing.share(compiled, Remote::PLAIN, controllers, threads, shares);
            }
            Self::Corrected(corrected) => {
                corrected.share(compiled, separable, threads, shares, dealing, notes);
            }
        }
    }

    /// Shares memory `m` alone, where [`Way::memories_are_apart`].
    #[inline]
    pub(super) fn share_one(
        &self,
        compiled: &Compiled,
        m: usize,
        threads: &[f64],
        shares: &mut Shares,
        memory: &mut Memory,
    ) {
        match self {
            Self::Plain => {
                baseline::first_round_of(compiled, m, threads, shares);
            }
            Self::Corrected(corrected) => {
                corrected.share_one(compiled, m, threads, shares, &mut memory.notes);
            }
        }
    }
}

/// Whether the first round is faster port by port, most often all there is to do: with few groups the ports are as many, and with
/// many it takes long to lay them out for rounds after some came or went.
fn begins_port_by_port(threads: &[f64]) -> bool {
    const FEW: usize = 32;
    const MANY: usize = 256;
    let takers = threads.iter().filter(|&&count| count > 0.0).count();
    !(FEW + 1..MANY).contains(&takers)
}

//! What a policy decides, and what applications are told of it.

use numasim_model::Machine;
use numasim_model::dynamics::{Control, Order};

use crate::view::{AppView, Looks, Presence, View};

/// A rule that decides. It depends on what it was made from and on the view alone: the same view, the same decision.
pub trait Policy {
    /// What of a view it looks at, beside who is there.
    fn looks_at(&self) -> Looks;

    /// Who may run how many threads.
    ///
    /// # Errors
    /// [`PolicyError`] where it cannot decide, such as for a machine whose sharing model refuses it.
    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError>;

    /// As [`Policy::decide`], for a host that may want to stop. Where `stop` says so, which is asked now and then, the decision comes early
    /// and is of no worth: it must not be used, nor the policy asked again.
    ///
    /// # Errors
    /// As [`Policy::decide`].
    fn decide_unless(&mut self, view: &View, stop: &dyn Fn() -> bool) -> Result<Decision, PolicyError> {
        let _ = stop;
        self.decide(view)
    }
}

/// Threads for applications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// For each application of the view: threads on each node; `None` leaves it as it is.
    pub threads: Vec<Option<Vec<u32>>>,
    /// For each application of the view: why, where the policy says it; empty for a policy that never does.
    pub reasons: Vec<Option<String>>,
}

/// Why a policy cannot decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PolicyError(pub String);

/// What each application of the view is told of `decision`: by the kind of order that it can follow. `None`: nothing, as it is
/// not there, cannot be controlled, or nothing is decided for it.
///
/// Cores are given out from the lowest of each node, application after application, and again from the lowest when all
/// are given out. Every application that is there takes its turn, also one that is told a number of threads or nothing: its threads
/// need cores, too, and the first ones run on the lowest. The whole order is made anew each time, so that it depends on the decision alone.
pub fn orders(machine: &Machine, view: &View, decision: &Decision) -> Vec<Option<Order>> {
    let mut first = Vec::with_capacity(machine.node_count());
    let mut cores = 0;
    for node in machine.nodes() {
        first.push(cores);
        cores += node.cores;
    }
    // Per node: cores that are given out.
    let mut given = vec![0_u32; machine.node_count()];
    let of = |(app, threads): (&AppView, Option<&Vec<u32>>)| {
        let threads = threads.filter(|_| app.presence == Presence::There)?;
        let mut own: Vec<u32> = Vec::new();
        for (n, node) in machine.nodes().iter().enumerate().filter(|(_, node)| node.cores > 0) {
            let wanted = threads.get(n).copied().unwrap_or(0).min(node.cores);
            own.extend((0..wanted).map(|i| first[n] + (given[n] + i) % node.cores));
            given[n] = (given[n] + wanted) % node.cores;
        }
        match app.control {
            Control::None => None,
            Control::Total => Some(Order::Total(threads.iter().sum())),
            Control::PerNode => Some(Order::PerNode(threads.clone())),
            Control::Cores => {
                own.sort_unstable();
                Some(Order::Cores(own))
            }
        }
    };
    let decided = decision.threads.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    view.apps.iter().zip(decided).map(of).collect()
}

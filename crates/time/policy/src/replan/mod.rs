//! `replan`: as `reexplore`, but it knows the work that is left and what a move costs, moves only what pays before the end, and says
//! why.
//!
//! \[decision: nothing of this is in the paper; section II only asks that the gain be worth what it costs.\]
//!
//! # Rule
//! For those that have something to do, in their present phases, it predicts for some allocations when all known work is done
//! (`outlook`): the present one, those of `fair-share`, `marginal` and `reexplore` (the last one up to
//! [`MOST_SEARCHED`] applications x nodes, beyond which a search takes seconds), and what is reached from the best of them by moving blocks of cores from
//! one application (or from idle ones) to another, as long as that is better (`climb`). One with few tasks left to begin gets no more threads than run and can take one. It takes the one with the earliest end; of
//! equal ones (relative 1e-9) the one with more GFLOPS at once; else it leaves things as they are. Others get 0. What a move costs is part
//! of the prediction, so that nothing moves to and fro for nothing.
//!
//! This is a rollout (Bertsekas) of `fair-share`: every allocation is followed by it until the end, and it is among those that are compared. By its
//! own prediction replan is therefore never worse than fair-share.
//!
//! `min_threads` and `max_threads` hold for whoever can keep to them: nobody goes below the former by a move, and `fair-share` is cut
//! to the latter.
//!
//! # Channels
//! Work that nobody can use in time counts nothing \[decision\]: a producer with [`ENOUGH`] items or more on a channel gets what the others
//! leave, core after core as in `marginal`, and with [`TOO_MANY`] nothing. A channel counts while both of its ends are there. In predictions,
//! producers and consumers keep pace with each other (`pace`).
//!
//! # Limits
//! It sees no further than `outlook` does: an application goes on as in its present phase, nobody arrives, and nobody ends
//! waiting for another one. At most [`PREDICTIONS`] allocations are looked at, in a fixed order. As the work that is left changes
//! all the time, it is asked at every instant: where many short tasks end, `period_ms` keeps it cheap.

mod climb;
mod outlook;
mod pace;
mod reason;

use numasim_model::Study;

use crate::ahead::{Channels, ENOUGH, TOO_MANY, ToCome};
use crate::dealing::{cores_of, decided};
use crate::decision::{Decision, Policy, PolicyError};
use crate::growth::what_is_left;
use crate::known::{Member, has_nothing_to_do};
use crate::marginal::Marginal;
use crate::reexplore::Reexplore;
use crate::view::{Looks, View};
use climb::climb;
use outlook::{Outlook, Prediction, Rates, Rows};

/// Most allocations that a climb looks at, for few applications.
const PREDICTIONS: usize = 150;
/// With more applications an allocation takes longer to look at, and fewer are looked at.
const FEW: usize = 8;

/// Most applications x nodes that are searched at every change, as far as `reexplore` does: changes are more.
const MOST_SEARCHED: usize = 64;

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Replan {
    search: Reexplore,
    grown: Marginal,
    channels: Channels,
    cores: Vec<u32>,
    /// Speeds that are known, and for whom.
    rates: Rates,
    rates_of: Vec<Member>,
}

impl Replan {
    /// The sharing model must not refuse the machine.
    pub(crate) fn new(study: &Study) -> Self {
        Self {
            search: Reexplore::new(study),
            grown: Marginal::new(study),
            channels: Channels::new(study, ToCome::DoesNotCount),
            cores: cores_of(&study.machine),
            rates: Rates::default(),
            rates_of: Vec::new(),
        }
    }
}

/// The best of the allocations that are looked at, with what it is predicted to do.
fn choose(outlook: &mut Outlook<'_>, cores: &[u32], others: Vec<Rows>) -> (Rows, Prediction) {
    let fair = outlook.cut(outlook.fair_share());
    let predicted = outlook.predict(&fair);
    let mut best = (fair, predicted);
    let present = outlook.present_of_controlled();
    // In the order of the list: of equal ones the first.
    let stay = outlook.may_stay(cores).then_some(present);
    if let Some(stay) = stay.clone() {
        let predicted = outlook.predict(&stay);
        if !best.1.beats(&predicted) {
            best = (stay, predicted);
        }
    }
    for rows in others {
        let rows = outlook.cut(rows);
        let predicted = outlook.predict(&rows);
        if predicted.beats(&best.1) {
            best = (rows, predicted);
        }
    }
    let predictions = PREDICTIONS * FEW / outlook.members.len().max(FEW);
    let from_stay = stay.filter(|stay| *stay != best.0);
    best = climb(outlook, cores, best, predictions);
    if let Some(stay) = from_stay {
        let predicted = outlook.predict(&stay);
        let other = climb(outlook, cores, (stay, predicted), predictions);
        if other.1.beats(&best.1) {
            best = other;
        }
    }
    best
}

impl Policy for Replan {
    fn looks_at(&self) -> Looks {
        Looks::ALL
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        self.decide_unless(view, &|| false)
    }

    fn decide_unless(&mut self, view: &View, stop: &dyn Fn() -> bool) -> Result<Decision, PolicyError> {
        let ahead = self.channels.fullest(view);
        let items = |member: &Member| ahead[member.at].map_or(0, |(items, _)| items);
        let mut members = self.search.known.members(view);
        members.retain(|member| items(member) < TOO_MANY && !has_nothing_to_do(&view.apps[member.at]));
        let (members, mut last): (Vec<Member>, Vec<Member>) =
            members.into_iter().partition(|member| items(member) < ENOUGH);
        let mut others = Vec::new();
        if self.search.not_searched(&members).is_none() && members.len() * self.cores.len() <= MOST_SEARCHED {
            // A question that the search refuses is no reason to decide nothing.
            others.extend(self.search.allocation(&members, stop).ok());
        }
        others.push(self.grown.allocation(&members, &[], stop));
        if self.rates_of != members {
            self.rates.clear();
            self.rates_of.clone_from(&members);
        }
        let (known, network) = (&self.search.known, &self.search.network);
        let mut outlook = Outlook::new(known, network, view, &members, &mut self.rates);
        let (mut rows, _) = choose(&mut outlook, &self.cores, others);
        let mut reasons = reason::reasons(&mut outlook, view, &rows);
        for member in &mut last {
            member.room = known.useful(&view.apps[member.at], member);
        }
        if !last.is_empty() {
            rows.extend(what_is_left(network, known, &members, &rows, &last, stop));
        }
        let all = [members.as_slice(), last.as_slice()].concat();
        let rows = known.rows(view, &all, &rows);
        reason::of_those_ahead(&mut reasons, known, view, &ahead, &rows);
        let mut decision = decided(view, rows);
        decision.reasons = reasons;
        Ok(decision)
    }
}

#[cfg(test)]
mod tests;

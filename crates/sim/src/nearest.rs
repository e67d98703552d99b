//! Finds a good placement near the current one, so that fewer threads and less data have to move.
//!
//! The best placement of a search is one of many that are equally good: on a machine with equal nodes, every exchange of two nodes gives
//! another one. Starting from the best, [`nearest`] exchanges nodes, then returns applications to their current places, and then single
//! threads. It continues as long as the score stays at or above the minimum and less has to move. It is a descent and proves nothing: a
//! nearer placement may exist.

use numasim_model::{Allocation, NodeId, Placement};

use crate::problem::{Candidate, Evaluator, Problem};

/// Maximum number of rounds of exchanges; further rounds find nothing.
const MOST_ROUNDS: usize = 64;
/// Maximum number of slots (L3 domains, or nodes) among which single threads are moved back.
const MOST_SLOTS: usize = 64;

/// The score of a placement that has at least this fraction of the gain of `best` over `now`.
pub fn least_score(best: &Candidate, now: &Candidate, part: f64) -> f64 {
    if now.score.is_finite() { now.score + part * (best.score - now.score) } else { best.score }
}

/// A placement with a score of at least `least` that is near to `now`. Returns `best` itself if it is not nearer, or if both use different
/// numbers of hardware threads of a core.
pub fn nearest(problem: &Problem, best: &Candidate, now: &Candidate, least: f64) -> Candidate {
    if best.smt != now.smt {
        return best.clone();
    }
    let problem = problem.with_smt(&best.smt);
    let mut descent = Descent::new(&problem, best, now, least);
    descent.move_data_only();
    descent.exchange_nodes();
    for _ in 0..MOST_ROUNDS {
        let before = descent.cost;
        descent.take_applications_back();
        descent.take_threads_back();
        if descent.cost >= before {
            break;
        }
    }
    let Descent { current, .. } = descent;
    let allocation = current.allocation(problem.is_by_domain());
    allocation.map_or_else(
        || best.clone(),
        |allocation| Evaluator::new(&problem, current.placements).candidate(allocation),
    )
}

/// Threads of each application in each slot of each node (its L3 domains if these matter, else one), and the placement of the data.
#[derive(Clone, PartialEq)]
struct Place {
    threads: Vec<Vec<Vec<u32>>>,
    placements: Vec<Placement>,
}

impl Place {
    fn of(problem: &Problem, candidate: &Candidate) -> Self {
        let threads = if problem.is_by_domain() {
            candidate.allocation.per_l3(problem.machine()).into_owned()
        } else {
            let row = |app| candidate.allocation.row(numasim_model::AppId(app));
            (0..candidate.allocation.apps())
                .map(|app| row(app).iter().map(|&threads| vec![threads]).collect())
                .collect()
        };
        Self { threads, placements: candidate.placements.clone() }
    }

    fn allocation(&self, by_domain: bool) -> Option<Allocation> {
        let whole = Allocation::from_domains(self.threads.clone())?;
        if by_domain {
            return Some(whole);
        }
        let rows: Vec<Vec<u32>> =
            self.threads.iter().map(|nodes| nodes.iter().map(|slots| slots.iter().sum()).collect()).collect();
        Allocation::from_rows(&rows)
    }
}

struct Descent<'a> {
    problem: &'a Problem,
    now: Place,
    current: Place,
    cost: u64,
    least: f64,
}

impl<'a> Descent<'a> {
    fn new(problem: &'a Problem, best: &Candidate, now: &Candidate, least: f64) -> Self {
        let (now, current) = (Place::of(problem, now), Place::of(problem, best));
        let cost = cost(&current, &now);
        Self { problem, now, current, cost, least }
    }

    /// Takes a place that is nearer, allowed, and good enough.
    fn take(&mut self, place: Place) -> bool {
        let cost = cost(&place, &self.now);
        if cost >= self.cost {
            return false;
        }
        let Some(allocation) = place.allocation(self.problem.is_by_domain()) else { return false };
        let mut evaluator = Evaluator::new(self.problem, place.placements.clone());
        if allocation.fits(self.problem.machine()).is_err()
            || !evaluator.allows(&allocation)
            || evaluator.rate_of(&allocation).0 < self.least
        {
            return false;
        }
        (self.current, self.cost) = (place, cost);
        true
    }

    /// Leaves all threads where they are. Moves the data of one application after the other to the node that is best for all.
    fn move_data_only(&mut self) {
        let mut place = self.now.clone();
        let Some(allocation) = place.allocation(self.problem.is_by_domain()) else { return };
        let score = |placements: &[Placement]| {
            let mut evaluator = Evaluator::new(self.problem, placements.to_vec());
            if evaluator.allows(&allocation) { evaluator.rate_of(&allocation).0 } else { f64::NEG_INFINITY }
        };
        let mut best = score(&place.placements);
        for app in 0..place.placements.len() {
            if !matches!(self.current.placements[app], Placement::Home(_)) {
                continue;
            }
            for node in self.problem.machine().memory_nodes() {
                let mut placements = place.placements.clone();
                placements[app] = Placement::Home(node);
                let own = score(&placements);
                if own > best + 1e-12 {
                    (best, place.placements) = (own, placements);
                }
            }
        }
        self.take(place);
    }

    /// Exchanges the contents of two nodes, data with a home included.
    fn exchange_nodes(&mut self) {
        let nodes = self.problem.machine().node_count();
        for _ in 0..MOST_ROUNDS {
            let mut found = false;
            for a in 0..nodes {
                for b in a + 1..nodes {
                    let mut place = self.current.clone();
                    place.threads.iter_mut().for_each(|row| row.swap(a, b));
                    place.placements.iter_mut().for_each(|placement| exchange(placement, a, b));
                    found |= self.take(place);
                }
            }
            if !found {
                return;
            }
        }
    }

    /// Puts the threads and the data of one application back, or its data alone.
    fn take_applications_back(&mut self) {
        for app in 0..self.now.threads.len() {
            let mut place = self.current.clone();
            place.threads[app].clone_from(&self.now.threads[app]);
            place.placements[app].clone_from(&self.now.placements[app]);
            if !self.take(place) {
                let mut place = self.current.clone();
                place.placements[app].clone_from(&self.now.placements[app]);
                self.take(place);
            }
        }
    }

    /// Moves single threads back to where they are now, or exchanges one with a thread of another application.
    fn take_threads_back(&mut self) {
        let slots: Vec<(usize, usize)> = match self.now.threads.first() {
            Some(nodes) => nodes
                .iter()
                .enumerate()
                .flat_map(|(node, slots)| (0..slots.len()).map(move |slot| (node, slot)))
                .collect(),
            None => return,
        };
        if slots.len() > MOST_SLOTS {
            return;
        }
        let apps = self.now.threads.len();
        let at = |place: &Place, app: usize, (node, slot): (usize, usize)| place.threads[app][node][slot];
        for app in 0..apps {
            for &from in &slots {
                for &to in &slots {
                    while at(&self.current, app, from) > at(&self.now, app, from)
                        && at(&self.current, app, to) < at(&self.now, app, to)
                    {
                        let moved = |place: &Place, app: usize, from: (usize, usize), to: (usize, usize)| {
                            let mut place = place.clone();
                            place.threads[app][from.0][from.1] -= 1;
                            place.threads[app][to.0][to.1] += 1;
                            place
                        };
                        let alone = moved(&self.current, app, from, to);
                        if self.take(alone.clone()) {
                            continue;
                        }
                        let others = (0..apps).filter(|&other| {
                            other != app && at(&self.current, other, to) > at(&self.now, other, to)
                        });
                        let exchanged: Vec<Place> =
                            others.map(|other| moved(&alone, other, to, from)).collect();
                        if !exchanged.into_iter().any(|place| self.take(place)) {
                            break;
                        }
                    }
                }
            }
        }
    }
}

/// Number of threads that move; data that moves counts as all threads of its application.
fn cost(place: &Place, now: &Place) -> u64 {
    let mut cost = 0;
    for (app, (own, then)) in place.threads.iter().zip(&now.threads).enumerate() {
        let slots = own.iter().flatten().zip(then.iter().flatten());
        cost += slots.map(|(own, then)| u64::from(own.saturating_sub(*then))).sum::<u64>();
        if place.placements[app] != now.placements[app] {
            cost += own.iter().flatten().map(|&threads| u64::from(threads)).sum::<u64>().max(1);
        }
    }
    cost
}

fn exchange(placement: &mut Placement, a: usize, b: usize) {
    let other = |node: &mut NodeId| {
        if node.0 == a {
            *node = NodeId(b);
        } else if node.0 == b {
            *node = NodeId(a);
        }
    };
    match placement {
        Placement::Home(home) | Placement::PartHome { home, .. } => other(home),
        Placement::Fractions(parts) => parts.swap(a, b),
        Placement::Local
        | Placement::Interleave
        | Placement::PartInterleave { .. }
        | Placement::Replicated => {}
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::{Data, Scenario, Smt};

    use super::*;
    use crate::restrictions::Restrictions;
    use crate::search::{Settings, Unattended, explore};
    use crate::testing::{app, local_app, uniform_machine};
    use crate::{Objective, Problem};

    fn candidate(problem: &Problem, name: &str, rows: &[Vec<u32>], data: Vec<Data>) -> Candidate {
        let scenario = Scenario {
            name: name.to_owned(),
            allocation: Allocation::from_rows(rows).expect("rows"),
            smt: vec![Smt::One; data.len()],
            data,
            static_work: false,
        };
        let found = problem.baselines(&[scenario], &Unattended);
        found.into_iter().find(|baseline| baseline.name == name).expect("there").candidate
    }

    /// Four nodes of 4 cores, 40 GB/s, links of 1 GB/s. `a` has 4 threads on node 2 and its data on node 0: 1 GB/s of 40.
    #[test]
    fn equally_good_answers_are_ranked_by_moves() {
        let machine = uniform_machine(4, 4, 10.0, 40.0, 1.0);
        let mut a = app("a", 1.0, Data::OpenHome { share: 1.0 });
        let mut b = local_app("b", 1.0);
        for one in [&mut a, &mut b] {
            (one.min_threads, one.max_threads) = (4, Some(4));
        }
        let apps = [a, b];
        let problem =
            Problem::new(&machine, &apps, Objective::Geomean, Restrictions::default()).expect("a problem");
        let local = Data::Placed(Placement::Local);
        let now = candidate(
            &problem,
            "now",
            &[vec![0, 0, 4, 0], vec![0, 4, 0, 0]],
            vec![Data::Placed(Placement::Home(NodeId(0))), local],
        );
        let best = explore(&problem, &Settings::default(), &Unattended).expect("an answer").best;
        let near = nearest(&problem, &best, &now, least_score(&best, &now, 1.0) - 1e-9);
        assert!(near.score >= best.score - 1e-9);
        // Either the four threads or the data move, and nothing of b.
        assert_eq!(near.allocation.row(numasim_model::AppId(1)), [0, 4, 0, 0]);
        let (place, then) = (Place::of(&problem, &near), Place::of(&problem, &now));
        assert_eq!(cost(&place, &then), 4);
        assert_eq!(nearest(&problem, &now, &now, now.score).allocation, now.allocation);
    }
}

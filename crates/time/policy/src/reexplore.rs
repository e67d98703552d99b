//! `reexplore`: repeats the search of `explore` whenever an application arrives, leaves, waits or enters another phase.
//!
//! The allocation of `explore --objective total-gflops` for the applications that do not wait, in their present phases (intensity and
//! data). The others, and those missing from the files, get 0 \[decision: the search of paper 002, section III, instead of the agent
//! of section II\]. `min_threads`, `max_threads`, `nodes` and `memory_gib` constrain it as always; it ignores scaling.
//!
//! The search gives at most one thread to a core. An application gets no thread on a node without threads of it, and no more than it
//! has in total. If the search gives it more threads on a node than it has there, the remaining cores are given out as in
//! `marginal`.
//!
//! The search budget is limited in steps, not in time, so that every machine gets the same answer; the answer is the best one found, proven or
//! not. Answers are cached by the applications that do not wait and their phases. Beyond [`MOST_MOVES`] there is no search, because its first
//! climb alone would take seconds: cores are given out as in `marginal`, and the reason states this.

use numasim_course::Study;
use numasim_model::sharing::Network;
use numasim_model::{App, Data, NodeId};
use numasim_sim::search::{Settings, Unattended, explore};
use numasim_sim::{Objective, Problem, Restrictions};

use crate::dealing::decided;
use crate::growth::{give_fewest, grow};
use crate::known::{Known, Member};
use crate::memo::Memo;
use crate::speeds::Speeds;
use crate::view::{Decision, Policy, PolicyError};
use crate::view::{Looks, View};

/// Steps of a search: about a tenth of a second if it cannot prove its answer, far less if it can.
const EFFORT: u64 = 2_000_000;

/// Maximum number of moves of a climb for which the search runs: (applications x nodes)^2 x cores of the largest node, as
/// cores move between any two applications on any two nodes; x nodes if a thread affects nodes other than its own.
///
/// A million takes 0.3 s on an idle machine and up to a second on a busy one (16 x 64 cores: 7 applications, 4 x 20: 55, 1 x 64: 125), and the
/// budget below hardly matters there (`examples/decisions.rs`).
const MOST_MOVES: f64 = 1e6;

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Reexplore {
    pub(crate) known: Known,
    pub(crate) network: Network,
    answers: Memo<Vec<Member>, Result<Vec<Vec<u32>>, PolicyError>>,
}

impl Reexplore {
    /// The sharing model must not refuse the machine.
    pub(crate) fn new(study: &Study) -> Self {
        let answers = Memo::new(study.apps.len() * study.machine.node_count());
        Self { known: Known::new(study), network: Network::new(&study.machine), answers }
    }

    /// Threads of each member on each node.
    ///
    /// # Errors
    /// The search rejects the question, or there is no answer.
    pub(crate) fn allocation(
        &mut self,
        members: &[Member],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Vec<u32>>, PolicyError> {
        let question = members.to_vec();
        if let Some(answer) = self.answers.get(&question) {
            return answer;
        }
        let answer = self.search(members, stop);
        self.answers.put(question, answer.clone());
        answer
    }

    /// The reason for not searching: the number of moves. `None`: the search runs.
    pub(crate) fn not_searched(&self, members: &[Member]) -> Option<String> {
        let nodes = self.known.machine.nodes();
        let cells = members.len() as f64 * nodes.len() as f64;
        let cores = nodes.iter().map(|node| node.cores).max().unwrap_or(0);
        let is_local = |member| self.known.demand(member).placement.stays_at_home(&self.known.machine);
        let felt = if members.iter().all(is_local) { 1.0 } else { nodes.len() as f64 };
        (cells * cells * f64::from(cores) * felt > MOST_MOVES).then(|| {
            format!(
                "not searched, as marginal: {} applications on {}",
                members.len(),
                count(nodes.len() as u64, "node")
            )
        })
    }

    fn search(&self, members: &[Member], stop: &dyn Fn() -> bool) -> Result<Vec<Vec<u32>>, PolicyError> {
        if self.not_searched(members).is_some() {
            let mut speeds = Speeds::new(&self.network, &self.known, members);
            give_fewest(&mut speeds, &self.known, members);
            grow(&mut speeds, &self.known, members, stop);
            return Ok(speeds.rows());
        }
        let mut rows: Vec<Vec<u32>> = members.iter().map(|member| vec![0; member.room.len()]).collect();
        let asked: Vec<usize> = (0..members.len()).filter(|&m| members[m].most() > 0).collect();
        if asked.is_empty() {
            return Ok(rows);
        }
        let apps: Vec<App> = asked.iter().map(|&m| self.asked(&members[m])).collect();
        let failed =
            |error: &dyn std::fmt::Display| PolicyError(format!("the search has no answer: {error}"));
        let machine = &self.known.machine;
        let problem = Problem::new(machine, &apps, Objective::TotalGflops, Restrictions::default())
            .map_err(|error| failed(&error))?;
        let settings = Settings { top: 0, effort: EFFORT, ..Settings::default() };
        let best = explore(&problem, &settings, &Unattended).map_err(|error| failed(&error))?.best;
        let mut is_cut = false;
        for (row, &m) in best.allocation.as_slice().chunks(machine.node_count()).zip(&asked) {
            for (n, &threads) in row.iter().enumerate() {
                rows[m][n] = threads.min(members[m].room[n]);
                is_cut |= threads > rows[m][n];
            }
        }
        if is_cut {
            let mut speeds = Speeds::new(&self.network, &self.known, members);
            speeds.set_all(&rows);
            give_fewest(&mut speeds, &self.known, members);
            grow(&mut speeds, &self.known, members, stop);
            rows = speeds.rows();
        }
        Ok(rows)
    }

    /// An application for the search: in its present phase, with no more threads than it has.
    fn asked(&self, member: &Member) -> App {
        let (app, demand) = (self.known.app(member), self.known.demand(member));
        let cores = self.known.machine.nodes().iter().map(|node| node.cores);
        let has_none = cores.zip(&member.room).any(|(cores, &room)| cores > 0 && room == 0);
        let where_it_has = || (0..member.room.len()).filter(|&n| member.room[n] > 0).map(NodeId).collect();
        let all: u64 = self.known.machine.total_cores();
        App {
            arithmetic_intensity: demand.arithmetic_intensity,
            data: Data::Placed(demand.placement),
            nodes: if has_none { Some(where_it_has()) } else { None },
            min_threads: self.known.fewest(member),
            // Only if it is tighter than the number of cores: a limit slows the search down.
            max_threads: if u64::from(member.most()) < all {
                Some(self.known.most(member))
            } else {
                app.max_threads
            },
            ..app.clone()
        }
    }
}

/// "1 core", "2 cores".
pub(crate) fn count(number: impl Into<u64>, noun: &str) -> String {
    match number.into() {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

impl Policy for Reexplore {
    fn looks_at(&self) -> Looks {
        Looks { waiting: true, phase: true, ..Looks::default() }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        self.decide_unless(view, &|| false)
    }

    fn decide_unless(&mut self, view: &View, stop: &dyn Fn() -> bool) -> Result<Decision, PolicyError> {
        let members = self.known.members(view);
        let rows = self.allocation(&members, stop)?;
        let mut decision = decided(view, self.known.rows(view, &members, &rows));
        if let Some(why) = self.not_searched(&members) {
            decision.reasons = vec![Some(why); view.apps.len()];
        }
        Ok(decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, machine, rows, study, view};
    use crate::view::AppView;
    use numasim_model::order::Waiting;

    #[test]
    fn the_search_gives_cores_to_the_compute_bound_one() {
        // Figure 2 of the paper with one thread at least for each: 3 memory-bound applications and one compute-bound one. With
        // one thread each somewhere, 3 x 10 GFLOPS of the former, and 29 cores of 10.
        let study = study(machine(&[8, 8, 8, 8]), &[0.5, 0.5, 0.5, 10.0]);
        let mut policy = Reexplore::new(&study);
        let all = (0..4).map(|entry| app(entry, &[8; 4])).collect();
        let dealt = rows(&policy.decide(&view(all)).expect("a decision"));
        let totals: Vec<u32> = dealt.iter().flatten().map(|row| row.iter().sum()).collect();
        assert_eq!((totals.iter().sum::<u32>(), totals[3] >= 20), (32, true), "{dealt:?}");
        let waits = |entry| AppView { waiting: Waiting::Input, ..app(entry, &[8; 4]) };
        let alone = policy.decide(&view(vec![waits(0), waits(1), waits(2), app(3, &[8; 4])]));
        let none = || Some(vec![0; 4]);
        assert_eq!(rows(&alone.expect("a decision")), [none(), none(), none(), Some(vec![8; 4])]);
    }

    #[test]
    fn missing_threads_are_not_given() {
        // The first has 2 threads on node 0 and 8 on node 1, the second none on node 1.
        let study = study(machine(&[8, 8]), &[10.0, 10.0]);
        let decision =
            Reexplore::new(&study).decide(&view(vec![app(0, &[2, 8]), app(1, &[8, 0])])).expect("a decision");
        // 8 cores of node 0 and 8 of node 1: 2 + 6, 8 + 0, for any result of the search before it is cut.
        let dealt = rows(&decision);
        let on = |n: usize| dealt.iter().flatten().map(|row| row[n]).sum::<u32>();
        assert_eq!((on(0), on(1)), (8, 8), "{dealt:?}");
        assert!(dealt[0].as_ref().is_some_and(|row| row[0] <= 2), "{dealt:?}");
        assert!(dealt[1].as_ref().is_some_and(|row| row[1] == 0), "{dealt:?}");
    }

    #[test]
    fn a_question_without_an_answer_is_an_error() {
        let mut study = study(machine(&[2]), &[10.0, 10.0, 10.0]);
        study.apps[0].min_threads = 2;
        let apps = (0..3).map(|entry| app(entry, &[2])).collect();
        let error = Reexplore::new(&study).decide(&view(apps)).expect_err("too few cores").to_string();
        assert!(error.starts_with("the search has no answer: "), "{error}");
    }

    #[test]
    fn an_empty_view_needs_no_search() {
        let study = study(machine(&[2]), &[10.0]);
        let waits = AppView { waiting: Waiting::Input, ..app(0, &[2]) };
        let decision = Reexplore::new(&study).decide(&view(vec![waits])).expect("a decision");
        assert_eq!(rows(&decision), [Some(vec![0])]);
    }

    #[test]
    fn beyond_the_search_limit_cores_are_given_out_one_by_one() {
        // 1 node x 8 cores: 354 applications are (354 x 1)^2 x 8 = 1,002,528 moves, 353 are 996,872. Intensity 10: a core is
        // worth 10 GFLOPS to each, and one thread each for the first eight is as good as any other answer.
        let many = |apps: usize| {
            let mut study = study(machine(&[8]), &vec![10.0; apps]);
            study.apps.iter_mut().for_each(|app| app.min_threads = 0);
            let policy = Reexplore::new(&study);
            let members = policy.known.members(&view((0..apps).map(|entry| app(entry, &[8])).collect()));
            policy.not_searched(&members)
        };
        assert_eq!(many(353), None);
        assert_eq!(many(354).as_deref(), Some("not searched, as marginal: 354 applications on 1 node"));
        let mut study = study(machine(&[8]), &vec![10.0; 354]);
        study.apps.iter_mut().for_each(|app| app.min_threads = 0);
        let all = view((0..354).map(|entry| app(entry, &[8])).collect());
        let decision = Reexplore::new(&study).decide(&all).expect("a decision");
        let dealt: u32 = rows(&decision).iter().flatten().flatten().sum();
        assert_eq!((dealt, decision.reasons[0].is_some()), (8, true));
    }
}

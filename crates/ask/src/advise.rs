//! Advise: moves on a host, from its snapshot. The search for the best placement is that of `explore`, with today's placement as a
//! baseline. Of several equally good placements it chooses the one with the fewest moves. It gives advice only if the gain is outside its
//! interval and no decisive value is assumed.

use numasim_draw::grid::wrap;
use numasim_draw::{Style, figures};
use numasim_evidence::compare::MODEL_ERROR;
use numasim_evidence::running::{Application, BusyThread};
use numasim_model::{AppId, Machine, NodeId, Placement};
use numasim_sim::nearest::{least_score, nearest};
use numasim_sim::{Candidate, Objective, Problem};
use serde::Serialize;

use crate::document::{Head, plain};
use crate::explore::{Clock, Explore, explore};
use crate::explored::ObjectiveWord;
use crate::input::Input;
use crate::refusal::Refusal;
use crate::snapshot::{DataNow, DemandKind, NOW, Snapshot};
use crate::table::{self, Of};
use crate::wording::with_unit;
use crate::{caution, intervals};

/// Objectives that compare each application with itself: the computation of a host's applications is unknown.
pub const OBJECTIVES: [Objective; 2] = [Objective::Geomean, Objective::Fair];
/// Moves are left out as long as the others keep this fraction of the gain.
const PART_OF_GAIN: f64 = 0.99;
/// A smaller gain counts as no gain.
const NOTHING: f64 = 1e-6;

/// Moves on a host, or the reasons why none are advised.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advice {
    /// Common keys of all documents.
    #[serde(flatten)]
    pub head: Head,
    /// Name of the machine.
    pub machine: String,
    /// The objective.
    objective: ObjectiveWord,
    /// Whether moves are advised.
    pub advised: bool,
    /// Reasons if none are advised, one sentence each.
    pub reasons: Vec<String>,
    /// Value of today's placement; null without a search.
    pub now: Option<f64>,
    /// Value after the moves; null without a search.
    pub then: Option<f64>,
    /// The improvement in percent; null without a search.
    pub gain_percent: Option<f64>,
    /// 95 % interval of the gain: the uncertain values of the machine, and the error of the model for both placements.
    pub gain_interval_percent: Option<[f64; 2]>,
    /// The moves.
    pub moves: Vec<Move>,
    /// Cautions before anything is moved, one sentence each.
    pub cautions: Vec<String>,
    #[serde(skip)]
    which: Objective,
    #[serde(skip)]
    snapshot: Snapshot,
    #[serde(skip)]
    targets: Vec<Target>,
}

/// The move of an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Move {
    /// Its name.
    pub app: String,
    /// Its threads on each node now.
    pub threads_now: Vec<u32>,
    /// Its threads on each node after the move.
    pub threads_then: Vec<u32>,
    /// Its data placement now; null if unknown.
    pub data_now: Option<DataNow>,
    /// Its data placement after the move; null if unknown.
    pub data_then: Option<DataNow>,
    /// GB/s that it gets now, according to the model.
    pub gbs_now: f64,
    /// GB/s that it gets after all moves, according to the model.
    pub gbs_then: f64,
    /// The move as a sentence.
    pub text: String,
}

/// A move in the form that commands need.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Index of the application in the snapshot.
    app: usize,
    /// Its busy threads that move, each with its target node.
    pub threads: Vec<(BusyThread, usize)>,
    /// Its busy threads on each node after the move.
    pub then: Vec<u32>,
    /// Nodes whose pages move, and their target nodes, as numbers of the operating system.
    pub pages: Option<(Vec<u32>, Vec<u32>)>,
    /// Nodes of its memory after the move, as numbers of the operating system.
    pub memory: Vec<u32>,
    /// The reason why commands cannot do exactly what was computed.
    pub inexact: Option<String>,
}

/// Searches the moves on the host of a snapshot. It runs on the threads of the caller.
///
/// # Errors
/// The study of the snapshot has no answer.
pub fn advise(snapshot: Snapshot, objective: Objective, clock: &dyn Clock) -> Result<Advice, Refusal> {
    let mut advice = Advice {
        head: Head::of("advise"),
        machine: snapshot.machine.clone(),
        objective: ObjectiveWord(objective.as_str()),
        advised: false,
        reasons: obstacles(&snapshot),
        now: None,
        then: None,
        gain_percent: None,
        gain_interval_percent: None,
        moves: Vec::new(),
        cautions: Vec::new(),
        which: objective,
        snapshot,
        targets: Vec::new(),
    };
    if advice.reasons.is_empty() {
        advice.search(clock)?;
    }
    Ok(advice)
}

/// Reasons against advice.
fn obstacles(snapshot: &Snapshot) -> Vec<String> {
    let mut reasons = Vec::new();
    if snapshot.seconds.is_none() {
        reasons.push("which threads work is unknown: that takes two instants".to_owned());
    } else if snapshot.apps.is_empty() {
        reasons.push("no application uses more than 5 % of a core".to_owned());
    } else if !snapshot.has_now {
        reasons.push(
            "today's placement does not fit the machine: there are more busy threads than cores".to_owned(),
        );
    }
    if !snapshot.host.assumed.is_empty() {
        reasons.push(format!(
            "{} of the machine are assumed, not measured: run `numasim calibrate -o machine.toml`, then pass --machine machine.toml",
            caution::listed(snapshot.host.assumed.clone(), 0)
        ));
    }
    let assumed: Vec<String> = snapshot
        .apps
        .iter()
        .filter(|app| app.demand.as_ref().is_some_and(|demand| demand.kind == DemandKind::Assumed))
        .map(|app| format!("`{}`", app.name))
        .collect();
    if !assumed.is_empty() {
        reasons.push(format!(
            "the bandwidth of {} is assumed, not counted: make a monitoring group of resctrl for each application, or write the study with numasim snapshot -o study.toml, set thread_gbs, and run numasim explore",
            caution::listed(assumed, 0)
        ));
    }
    reasons
}

impl Advice {
    fn search(&mut self, clock: &dyn Clock) -> Result<(), Refusal> {
        let input = Input::read(&[("the snapshot", &self.snapshot.open_study())])?;
        let question =
            Explore { objective: self.which, top: 0, intervals: true, doubt: false, ..Explore::new(&input) };
        let found = explore(&question, clock)?;
        let Some(now) = found.baselines.iter().find(|baseline| baseline.rated.scenario.name == NOW) else {
            self.reasons.push("today's placement cannot be compared with others".to_owned());
            return Ok(());
        };
        let (problem, goal) = (&found.problem, found.problem.goal());
        let (of_now, best) = (&now.rated.candidate, &found.best.candidate);
        let then = nearest(problem, best, of_now, least_score(best, of_now, PART_OF_GAIN));
        let (value_now, value) = (now.rated.value, goal.value(then.score));
        let gain = goal.factor(value, value_now).map_or(0.0, |factor| factor - 1.0);
        let draws = found.uncertainty.as_ref().map(|(draws, _)| draws);
        let rival = draws.and_then(|draws| draws.rivals(problem, &then, &[of_now]));
        let drawn = rival.and_then(|rivals| rivals.others.first().copied()).map(|rival| {
            // The difference of the best has the opposite sign of the gain.
            (-rival.difference.high / value_now, -rival.difference.low / value_now)
        });
        let (low, high) = with_model_error(gain, drawn);
        (self.now, self.then) = (Some(plain(value_now)), Some(plain(value)));
        self.gain_percent = Some(plain(gain * 100.0));
        self.gain_interval_percent = Some([plain(low * 100.0), plain(high * 100.0)]);
        self.cautions = caution::clauses(&found.cautions, &found.study.apps);
        self.cautions.extend(
            now.breaks.iter().map(|breaks| format!("today's placement breaks a rule of the model: {breaks}")),
        );
        self.cautions.extend(found.unproven.map(|_| {
            format!(
                "the search is not proven: no placement reaches more than {}",
                with_unit(self.which, found.bound)
            )
        }));
        if draws.is_none() {
            self.cautions.push("the values of the machine have no intervals: that of the gain has the error of the model only".to_owned());
        }
        self.cautions.extend(self.snapshot.apps.iter().filter_map(|app| {
            let demand = app.demand.as_ref().filter(|demand| demand.kind == DemandKind::Estimated)?;
            Some(format!("what a thread of `{}` wants is estimated: {}", app.name, demand.source))
        }));
        if gain <= NOTHING {
            self.reasons.push("no placement is better than today's".to_owned());
        } else if low <= 0.0 {
            self.reasons.push(format!(
                "the best placement that was found gains {}, which is inside its interval",
                self.gain_in_words(&Style::default())
            ));
        } else {
            self.advised = true;
            let numbers: Vec<usize> = found
                .study
                .apps
                .iter()
                .map(|app| self.snapshot.apps.iter().position(|own| own.name == app.name).unwrap_or(0))
                .collect();
            let targets = (0..numbers.len())
                .filter_map(|app| Some((app, self.target(problem, app, numbers[app], of_now, &then)?)));
            let targets: Vec<(usize, Target)> = targets.collect();
            let speeds = |candidate: &Candidate| -> Result<Vec<f64>, Refusal> {
                let (evaluation, _) =
                    problem.evaluated(candidate, false).map_err(|error| Refusal::said(error.to_string()))?;
                Ok(evaluation.apps.iter().map(|app| app.gflops.value()).collect())
            };
            let (before, after) = (speeds(of_now)?, speeds(&then)?);
            for (app, target) in targets {
                let own = self.one_move(problem, app, &target, of_now, &then, (before[app], after[app]));
                self.moves.push(own);
                self.targets.push(target);
            }
        }
        Ok(())
    }

    /// The target of an application; `None` if it has no moves.
    fn target(
        &self,
        problem: &Problem,
        app: usize,
        number: usize,
        now: &Candidate,
        then: &Candidate,
    ) -> Option<Target> {
        let machine = problem.machine();
        let (before, after) = (threads(problem, app, now), threads(problem, app, then));
        let (old, new) = (&now.placements[app], &then.placements[app]);
        if before == after && old == new {
            return None;
        }
        let own = self.snapshot.seen.running.apps.get(number)?;
        let os = |nodes: Vec<usize>| -> Vec<u32> {
            nodes.iter().filter_map(|&node| self.snapshot.seen.places.os_nodes.get(node).copied()).collect()
        };
        let lies = |placement: &Placement, threads: &[u32]| memory_nodes(machine, placement, threads);
        let (from, to) = (lies(old, &before), lies(new, &after));
        let leaves: Vec<usize> = from.iter().copied().filter(|node| !to.contains(node)).collect();
        let arrives: Vec<usize> = to.iter().copied().filter(|node| !from.contains(node)).collect();
        let split = before.iter().zip(&after).any(|(before, after)| *after > 0 && after < before);
        let inexact = (matches!(new, Placement::Local) && split).then(|| {
            "only a part of the data of a node moves with its threads: these commands move no page of it"
                .to_owned()
        });
        let pages = (!leaves.is_empty() && inexact.is_none())
            .then(|| (os(leaves), os(if arrives.is_empty() { to.clone() } else { arrives })));
        Some(Target {
            app: number,
            threads: moved(own, &before, &after),
            then: after,
            pages,
            memory: os(to),
            inexact,
        })
    }

    fn one_move(
        &self,
        problem: &Problem,
        app: usize,
        target: &Target,
        now: &Candidate,
        then: &Candidate,
        (gbs_now, gbs_then): (f64, f64),
    ) -> Move {
        let own = &self.snapshot.apps[target.app];
        let (before, after) = (threads(problem, app, now), threads(problem, app, then));
        let (old, new) = (&now.placements[app], &then.placements[app]);
        let knows_data = own.data.is_some();
        Move {
            app: own.name.clone(),
            text: in_words(&own.name, &before, &after, (old, new), knows_data),
            threads_now: before,
            threads_then: after,
            data_now: knows_data.then(|| DataNow::of(old)),
            data_then: knows_data.then(|| DataNow::of(new)),
            gbs_now: plain(gbs_now),
            gbs_then: plain(gbs_then),
        }
    }

    /// The targets of all moves, each with its application.
    pub fn targets(&self) -> impl Iterator<Item = (&Application, &Target)> {
        self.targets
            .iter()
            .filter_map(|target| Some((self.snapshot.seen.running.apps.get(target.app)?, target)))
    }

    /// The logical CPUs of a node, ascending.
    pub fn cpus_of(&self, node: usize) -> Vec<u32> {
        let places = &self.snapshot.seen.places;
        places.node_of.iter().filter(|(_, place)| **place == node).map(|(cpu, _)| *cpu).collect()
    }

    /// `+18 % (±7)`.
    fn gain_in_words(&self, style: &Style) -> String {
        let gain = self.gain_percent.unwrap_or(0.0);
        let reach = self.gain_interval_percent.map_or(0.0, |[low, high]| (gain - low).max(high - gain));
        let digits = |value: f64| if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") };
        format!("+{} % ({}{})", digits(gain), intervals::sign(style), digits(reach))
    }

    /// The advice, or the reason why there is none, in one sentence.
    pub fn verdict(&self, style: &Style) -> String {
        if self.advised {
            let value = |value: Option<f64>| with_unit(self.which, value.unwrap_or(0.0));
            let many = figures::count(self.moves.len() as u64, "move");
            return format!(
                "{many}: {} ({}: {} now, {} then).",
                self.gain_in_words(style),
                self.which.as_str(),
                value(self.now),
                value(self.then)
            );
        }
        format!("No advice: {}.", self.reasons.join("; and "))
    }

    /// For people.
    pub fn text(&self, style: &Style) -> String {
        let paragraph = |text: &str| wrap(text, style.columns()).join("\n") + "\n";
        let mut text = format!("Machine: {}\n\n", self.machine);
        text.push_str(&paragraph(&self.verdict(style)));
        if self.advised {
            text.push('\n');
            for (number, own) in (1..).zip(&self.moves) {
                text.push_str(&paragraph(&format!("{number}. {}", own.text)));
            }
            text.push('\n');
            text.push_str(&table::grid(&columns(style), &self.moves).render(style));
            text.push('\n');
            let note = format!(
                "{}: the farther end of the 95 % interval, from the uncertain values of the machine and an error of the model of {:.0} % for each placement. numasim changes nothing: --emit writes the commands.",
                intervals::sign(style),
                MODEL_ERROR * 100.0
            );
            text.extend(wrap(&note, style.columns()).iter().map(|line| style.faint(line) + "\n"));
        }
        for caution in &self.cautions {
            text.push_str(&paragraph(&format!("Caution: {caution}.")));
        }
        text
    }

    /// The columns of its CSV.
    pub fn columns<'a>() -> [Of<'a, Move>; 6] {
        columns(&Style::default())
    }

    /// A row for each move.
    pub fn csv(&self) -> String {
        table::csv(&Self::columns(), &self.moves)
    }
}

fn columns<'a>(style: &Style) -> [Of<'a, Move>; 6] {
    let list = |threads: &[u32]| threads.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let two = |value: f64| format!("{value:.2}");
    [
        Of::text("app", |own: &Move| own.app.clone()).titled("application"),
        Of::text("threads_now", move |own: &Move| list(&own.threads_now)).titled("threads now"),
        Of::text("threads_then", move |own: &Move| list(&own.threads_then)).titled("threads then"),
        Of::number("gbs_now", |own: &Move| own.gbs_now).titled("GB/s now").written(two),
        Of::number("gbs_then", |own: &Move| own.gbs_then).titled("GB/s then").written(two),
        Of::text("move", |own: &Move| own.text.clone()).only_if(false),
    ]
    .map(|of| of.none(style.idle()))
}

/// The interval of a gain. It combines the draws of the machine with the errors of the model for both placements, which are independent.
fn with_model_error(gain: f64, drawn: Option<(f64, f64)>) -> (f64, f64) {
    let own = (1.0 + gain) * MODEL_ERROR.hypot(MODEL_ERROR);
    let (low, high) = drawn.unwrap_or((gain, gain));
    (gain - (gain - low).hypot(own), gain + (high - gain).hypot(own))
}

/// Busy threads of an application on each node: hardware threads.
fn threads(problem: &Problem, app: usize, candidate: &Candidate) -> Vec<u32> {
    let smt = candidate.smt.get(app).copied().unwrap_or(problem.apps()[app].smt);
    candidate.allocation.row(AppId(app)).iter().map(|cores| cores * smt.threads_per_core()).collect()
}

/// Nodes with data of a placement, ascending.
fn memory_nodes(machine: &Machine, placement: &Placement, threads: &[u32]) -> Vec<usize> {
    let mut nodes: Vec<usize> = machine
        .node_ids()
        .filter(|&memory| {
            let of_thread = |from: usize| {
                threads.get(from).is_some_and(|&threads| threads > 0)
                    && placement.fraction(machine, NodeId(from), memory) > 0.0
            };
            (0..machine.node_count()).any(of_thread)
        })
        .map(|node| node.0)
        .collect();
    nodes.sort_unstable();
    nodes
}

/// Target nodes of busy threads: from each node with too many threads, the last ones move to the nodes with too few.
fn moved(app: &Application, before: &[u32], after: &[u32]) -> Vec<(BusyThread, usize)> {
    let mut wanted: Vec<usize> = (0..after.len())
        .flat_map(|node| vec![node; after[node].saturating_sub(before[node]) as usize])
        .collect();
    wanted.reverse();
    let mut moves = Vec::new();
    for node in 0..before.len() {
        let less = before[node].saturating_sub(after[node]) as usize;
        let here: Vec<&BusyThread> =
            app.busy.iter().flatten().filter(|thread| thread.node == Some(node)).collect();
        let keep = here.len().saturating_sub(less);
        for thread in here.into_iter().skip(keep) {
            if let Some(to) = wanted.pop() {
                moves.push((*thread, to));
            }
        }
    }
    moves
}

/// A move in words.
fn in_words(
    name: &str,
    before: &[u32],
    after: &[u32],
    (old, new): (&Placement, &Placement),
    knows_data: bool,
) -> String {
    let nodes = |which: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..before.len()).filter(|&node| which(node)).collect()
    };
    let (from, to) = (nodes(&|node| before[node] > after[node]), nodes(&|node| after[node] > before[node]));
    let count: u32 = from.iter().map(|&node| before[node] - after[node]).sum();
    let listed = |nodes: &[usize]| match nodes {
        [only] => format!("node {only}"),
        several => format!("nodes {}", caution::listed(several.iter().map(usize::to_string).collect(), 0)),
    };
    let moves_data = old != new;
    let follows = matches!(new, Placement::Local) && knows_data;
    let data_to = match new {
        Placement::Home(home) => Some(home.0),
        _ => None,
    };
    let threads = figures::count(u64::from(count), "thread");
    match (count, moves_data) {
        (0, _) => match (old, data_to) {
            (Placement::Home(home), Some(to)) => {
                format!("move the data of `{name}` from node {} to node {to}", home.0)
            }
            _ => format!("move the data of `{name}`"),
        },
        (_, true) if data_to.is_some_and(|data| to == [data]) => {
            format!("move {threads} and the data of `{name}` to {}", listed(&to))
        }
        (_, true) => {
            let data = data_to.map_or_else(String::new, |node| format!(" to node {node}"));
            format!(
                "move {threads} of `{name}` from {} to {}, and its data{data}",
                listed(&from),
                listed(&to)
            )
        }
        (_, false) if follows => {
            let use_it = if count == 1 { "it uses" } else { "they use" };
            format!(
                "move {threads} of `{name}` and the data that {use_it} from {} to {}",
                listed(&from),
                listed(&to)
            )
        }
        (_, false) => format!("move {threads} of `{name}` from {} to {}", listed(&from), listed(&to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_said_as_people_say_them() {
        let home = |node: usize| Placement::Home(NodeId(node));
        let said = |before: &[u32], after: &[u32], old: Placement, new: Placement| {
            in_words("redis", before, after, (&old, &new), true)
        };
        assert_eq!(
            said(&[6, 0], &[0, 6], home(0), home(1)),
            "move 6 threads and the data of `redis` to node 1"
        );
        assert_eq!(
            said(&[6, 0], &[6, 0], home(1), home(0)),
            "move the data of `redis` from node 1 to node 0"
        );
        assert_eq!(
            said(&[4, 0, 0], &[2, 1, 1], Placement::Interleave, Placement::Interleave),
            "move 2 threads of `redis` from node 0 to nodes 1 and 2"
        );
        assert_eq!(
            said(&[4, 0], &[0, 4], Placement::Local, Placement::Local),
            "move 4 threads of `redis` and the data that they use from node 0 to node 1"
        );
    }

    #[test]
    fn a_gain_has_the_error_of_the_model_twice() {
        // An error of 5 % for each placement yields 7.07 % for the ratio; with a drawn interval of 3 % the squares are added.
        let (low, high) = with_model_error(0.0, None);
        assert!((high - 0.070_71).abs() < 1e-4 && (low + high).abs() < 1e-12, "{low} {high}");
        let (low, _) = with_model_error(0.18, Some((0.15, 0.2)));
        assert!((low - (0.18 - 0.03_f64.hypot(1.18 * 0.070_71))).abs() < 1e-4, "{low}");
    }
}

//! Repeats every decision of a trace with its policy: the same code must reach the same decisions.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use numasim_agent::record::{Decision, Line, Seen, Start, json};
use numasim_course::Study;
use numasim_model::AppId;
use numasim_model::order::Order;
use numasim_model::units::{Gflop, Seconds};
use numasim_policy::{AppView, Policy, PolicyName, Presence, View, orders};
use numasim_protocol::Action;

use super::{Lines, Numbered, Unreadable};
use crate::diagnostics;
use crate::failure::Failure;

/// Maximum number of threads of an application on a node, as in the protocol of the agent.
const MOST_THREADS: u32 = 65_536;

/// The decisions that were repeated with the same result.
pub(crate) struct Replayed {
    /// The policy, as `--policy` accepts it.
    pub(crate) policy: String,
    /// Number of decisions.
    pub(crate) decisions: u64,
    /// Number of commands in them.
    pub(crate) actions: u64,
    /// The number of the last line if it is incomplete; the line was ignored.
    pub(crate) torn: Option<usize>,
}

/// Repeats every decision in the lines of `name`.
///
/// # Errors
/// A file that is not a trace, with the location; the first decision that differs, with both versions.
pub(crate) fn replay(name: &str, from: impl BufRead) -> Result<Replayed, Failure> {
    let mut lines = Lines::new(from);
    let first = match lines.next() {
        Ok(Some(Numbered::Whole(_, text))) => text,
        Ok(Some(Numbered::Torn(_)) | None) => return Err(no_trace(name, "it has no whole line")),
        Err(error) => return Err(unreadable(name, error)),
    };
    let start = Start::parse(&first).map_err(|why| no_trace(name, &why))?;
    let study = study(name, &start)?;
    let mut asked = Asked::new(name, &study, &start)?;
    let mut replayed = Replayed { policy: start.policy.clone(), decisions: 0, actions: 0, torn: None };
    loop {
        match lines.next() {
            Ok(None) => return Ok(replayed),
            Ok(Some(Numbered::Torn(number))) => replayed.torn = Some(number),
            Ok(Some(Numbered::Whole(number, text))) => {
                if let Some(actions) = asked.again(number, &text)? {
                    replayed.actions += actions;
                    replayed.decisions += 1;
                }
            }
            Err(error) => return Err(unreadable(name, error)),
        }
    }
}

pub(super) fn no_trace(name: &str, why: &str) -> Failure {
    Failure::input(format!("{name}:1: this is no trace: {why}"))
        .hint("name a file that `numasim simulate --trace FILE` or an agent has written")
}

pub(super) fn unreadable(name: &str, error: Unreadable) -> Failure {
    match error {
        Unreadable::System(error) => Failure::input(format!("{name} cannot be read")).caused_by(&error),
        Unreadable::TooLong(line) => {
            Failure::input(format!("{name}:{line}: this line is too long for a trace"))
        }
        Unreadable::NoText(line) => Failure::input(format!("{name}:{line}: this line is not UTF-8 text")),
    }
}

/// The study for which the policy was created.
fn study(name: &str, start: &Start) -> Result<Study, Failure> {
    let sources = start.sources(name);
    let read = numasim_ask::reading::read_programs(&sources)
        .map_err(|problems| Failure::Diagnostics(diagnostics::render(&problems, &sources, true)))?;
    start.applied_to(read.study).map_err(|why| no_trace(name, &why))
}

/// The policy of a trace while its decisions are repeated.
struct Asked<'a> {
    file: &'a str,
    study: &'a Study,
    name: &'a str,
    policy: Option<Box<dyn Policy + Send>>,
    /// The last command to each application, and the number of commands to it.
    told: HashMap<String, (Order, u64)>,
}

impl<'a> Asked<'a> {
    fn new(file: &'a str, study: &'a Study, start: &'a Start) -> Result<Self, Failure> {
        let mut asked = Self { file, study, name: &start.policy, policy: None, told: HashMap::new() };
        asked.begin_anew()?;
        Ok(asked)
    }

    /// Creates the policy in its initial state, at the start and at each turn.
    fn begin_anew(&mut self) -> Result<(), Failure> {
        let (file, start) = (self.file, self.name);
        let name: PolicyName =
            start.parse().map_err(|error: numasim_policy::NameError| no_trace(file, &error.to_string()))?;
        self.policy = name.make(self.study).map_err(|error| {
            Failure::input(format!("{file}:1: policy '{name}' cannot be made again")).caused_by(&error)
        })?;
        self.told.clear();
        Ok(())
    }

    fn wrong(&self, line: usize, why: impl std::fmt::Display) -> Failure {
        Failure::input(format!("{}:{line}: {why}", self.file))
    }

    /// Repeats the decision of one line. Returns its number of commands, or `None` at the beginning of a turn.
    fn again(&mut self, line: usize, text: &str) -> Result<Option<u64>, Failure> {
        let recorded = match serde_json::from_str(text) {
            Ok(Line::Decision(decision)) => decision,
            Ok(Line::Start(_)) => return Err(self.wrong(line, "a second start")),
            Ok(Line::Turn(_)) => {
                self.begin_anew()?;
                return Ok(None);
            }
            Err(error) => return Err(self.wrong(line, format!("this line is no decision: {error}"))),
        };
        let view = self.view(&recorded).map_err(|why| self.wrong(line, why))?;
        let decided = match &mut self.policy {
            Some(policy) => policy.decide(&view),
            None => return Err(self.wrong(line, format!("policy '{}' decides nothing", self.name))),
        };
        let decided =
            decided.map_err(|error| self.wrong(line, "the policy cannot decide").caused_by(&error))?;
        let told = orders(&self.study.machine, &view, &decided);
        let actions = self.actions(&recorded, &view, told, &decided.reasons);
        if actions == recorded.actions {
            return Ok(Some(actions.len() as u64));
        }
        let at = actions.iter().zip(&recorded.actions).take_while(|(now, then)| now == then).count();
        let shown = |action: Option<&Action>| action.map_or_else(|| "nothing".to_owned(), json);
        let failure = self.wrong(
            line,
            format!("after {} s policy '{}' decides something else than it did", recorded.time_s, self.name),
        );
        Err(failure
            .because(format!("recorded: {}", shown(recorded.actions.get(at))))
            .because(format!("now:      {}", shown(actions.get(at)))))
    }

    /// The commands that are sent: those that change something.
    fn actions(
        &mut self,
        recorded: &Decision,
        view: &View,
        orders: Vec<Option<Order>>,
        reasons: &[Option<String>],
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut strangers = strangers(self.study, recorded);
        for (place, (app, order)) in view.apps.iter().zip(orders).enumerate() {
            let name = match app.entry {
                Some(app) => self.study.apps[app.0].name.clone(),
                None => strangers.next().map(|seen| seen.name.clone()).unwrap_or_default(),
            };
            let Some(order) = order else { continue };
            // An agent restarts the count for an application that has returned.
            let is_new = recorded.actions.iter().any(|action| action.app == name && action.seq == 1);
            if is_new {
                self.told.remove(&name);
            }
            let seq = match self.told.get(&name) {
                Some((last, _)) if *last == order => continue,
                Some((_, seq)) => seq + 1,
                None => 1,
            };
            self.told.insert(name.clone(), (order.clone(), seq));
            actions.push(Action { app: name, seq, order, why: reasons.get(place).cloned().flatten() });
        }
        actions
    }

    /// The observations of the policy.
    fn view(&self, recorded: &Decision) -> Result<View, String> {
        let mut names = HashSet::new();
        if let Some(twice) = recorded.apps.iter().find(|seen| !names.insert(seen.name.as_str())) {
            return Err(format!("'{}' is there twice", twice.name));
        }
        let nodes = self.study.machine.node_count();
        let of_entry = |(number, app): (usize, &numasim_model::App)| {
            let entry = Some(AppId(number));
            match recorded.apps.iter().find(|seen| seen.name == app.name) {
                Some(seen) => {
                    let phases =
                        self.study.dynamics.courses.get(number).map_or(1, |course| course.phases.len());
                    if seen.phase >= phases {
                        return Err(format!(
                            "'{}' is in phase {}, of {phases} (from 0)",
                            seen.name, seen.phase
                        ));
                    }
                    there(seen, entry, nodes)
                }
                None => Ok(AppView::absent(self.study, AppId(number), recorded.gone.contains(&app.name))),
            }
        };
        let known = self.study.apps.iter().enumerate().map(of_entry);
        let others = strangers(self.study, recorded).map(|seen| there(seen, None, nodes));
        Ok(View { time: Seconds::new(recorded.time_s), apps: known.chain(others).collect::<Result<_, _>>()? })
    }
}

/// Applications that are not in the files, in the order of their arrival.
fn strangers<'r>(study: &Study, recorded: &'r Decision) -> impl Iterator<Item = &'r Seen> + use<'r> {
    let known: HashSet<String> = study.apps.iter().map(|app| app.name.clone()).collect();
    recorded.apps.iter().filter(move |seen| !known.contains(&seen.name))
}

fn there(seen: &Seen, entry: Option<AppId>, nodes: usize) -> Result<AppView, String> {
    let name = &seen.name;
    for (key, threads) in [("threads", &seen.threads), ("running", &seen.running), ("blocked", &seen.blocked)]
    {
        if threads.len() != nodes {
            return Err(format!(
                "`{key}` of '{name}' has {} entries, for a machine with {nodes} nodes",
                threads.len()
            ));
        }
        if let Some(many) = threads.iter().find(|&&threads| threads > MOST_THREADS) {
            return Err(format!(
                "`{key}` of '{name}': {many} threads on a node are more than {MOST_THREADS}"
            ));
        }
    }
    Ok(AppView {
        entry,
        presence: Presence::There,
        control: seen.control,
        threads: seen.threads.clone(),
        running: seen.running.clone(),
        blocked: seen.blocked.clone(),
        progress: seen.progress,
        waiting: seen.waiting,
        queued: seen.queued,
        phase: seen.phase,
        left: seen.left_gflop.map(Gflop::new),
    })
}

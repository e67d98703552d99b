//! Reasons why a study cannot be simulated, shown with their locations in the files.

use std::ops::RangeInclusive;

use numasim_course::{Course, Study};
use numasim_dynamic::{Deadlock, JobError, SimulateError, Stuck, WaitsFor, is_too_short};
use numasim_model::{App, AppId, OpenData, Scenario, Smt};
use numasim_policy::{ABOUT, MakeError, NameError, PolicyName};
use numasim_study::{Place, Problem, ProblemKind};

use crate::located::{HomeNeeded, Located};
use crate::reading::without_intensity;
use crate::refusal::Refusal;
use crate::suggest;

/// The policy that was probably intended.
pub fn did_you_mean(error: &NameError) -> Option<&'static str> {
    let NameError::Unknown(name) = error else { return None };
    let known = ABOUT.map(|about| about.usage.split(':').next().unwrap_or(about.usage));
    suggest::nearest(name, &known)
}

/// The policy named in the files; `none` if they do not name one.
///
/// # Errors
/// There is no such policy; shown with its location in the files.
pub fn policy_of_files(study: &Study, located: &Located) -> Result<PolicyName, Refusal> {
    let Some(name) = &study.dynamics.policy.name else { return Ok(PolicyName::None) };
    name.parse().map_err(|error: NameError| {
        let problem = Problem::new(ProblemKind::BadValue, error.to_string());
        let problem = match did_you_mean(&error) {
            Some(near) => problem.hint(format!("did you mean `name = \"{near}\"`?")),
            None => problem.hint("`numasim simulate --help` says what each policy does"),
        };
        located.refusal(&[match &located.over_time().policy {
            Some(place) => problem.at(place.clone(), "no policy"),
            None => problem,
        }])
    })
}

/// `runs` seeds starting with `first`.
///
/// # Errors
/// Seeds beyond the last one.
pub fn seeds(first: u64, runs: u32) -> Result<RangeInclusive<u64>, Refusal> {
    let last = first.checked_add(u64::from(runs.saturating_sub(1))).ok_or_else(|| {
        Refusal::said(format!("--seed {first} and {runs} runs: there are no such seeds"))
            .hint("give a smaller --seed")
    })?;
    Ok(first..=last)
}

/// Parts of the files that a simulation with these policies ignores: a warning for each.
pub fn ignored(study: &Study, located: &Located, policies: &[PolicyName]) -> Vec<String> {
    [ignored_commands(study, policies), ignored_data(study, located, policies)].concat()
}

/// Phases with separate data keep its placement, whatever the scenario of a policy defines for the data of their application: a warning
/// for each application.
pub fn ignored_data(study: &Study, located: &Located, policies: &[PolicyName]) -> Vec<String> {
    let scenarios = policies.iter().filter_map(|policy| policy.scenario(study).ok()?);
    scenarios.flat_map(|scenario| ignored_data_of(study, located, scenario)).collect()
}

fn ignored_data_of(study: &Study, located: &Located, scenario: &Scenario) -> Vec<String> {
    let number = study.scenarios.iter().position(|one| one.name == scenario.name);
    let Some(places) = number.and_then(|number| located.places().scenarios.get(number)) else {
        return Vec::new();
    };
    let mut groups: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for (app, course) in study.apps.iter().zip(&study.dynamics.courses) {
        let own: Vec<usize> =
            (0..).zip(&course.phases).filter(|(_, phase)| phase.owns_data).map(|(n, _)| n).collect();
        if own.is_empty() || groups.contains(&app.group.as_str()) {
            continue;
        }
        let Some(place) = places.data_of(&app.name, &app.group) else { continue };
        groups.push(&app.group);
        let at = located.line(place).map_or(String::new(), |at| format!(" ({at})"));
        let (scenario, app) = (&scenario.name, &app.group);
        all.push(if own.len() == course.phases.len() {
            format!("scenario '{scenario}' moves the data of '{app}'{at} without effect: each phase has its own `data` and keeps it")
        } else {
            let (which, keeps) = if own.len() == 1 { ("phase", "keeps its") } else { ("phases", "keep their") };
            let which = format!("{which} {}", numasim_draw::figures::ranges(&own));
            format!("scenario '{scenario}' moves the data of '{app}'{at}, but {which} {keeps} own `data`")
        });
    }
    all
}

/// Policies other than `script` ignore the commands in the files: a warning for each.
fn ignored_commands(study: &Study, policies: &[PolicyName]) -> Vec<String> {
    let ignores =
        |policy: &&PolicyName| !study.dynamics.commands.is_empty() && **policy != PolicyName::Script;
    let words = |policy: &PolicyName| {
        format!(
            "policy '{policy}' ignores the [[command]] tables of the files; --policy script carries them out"
        )
    };
    policies.iter().filter(ignores).map(words).collect()
}

/// Maximum number of threads of all applications together, because each is tracked from the first instant to the last \[decision: about
/// ten for each core of 1024 nodes of 1024 cores\].
const MOST_THREADS: u64 = 10_000_000;

/// Rejects studies without applications, without work, with too many threads, with a period that is too short, or with data whose home is
/// open.
///
/// # Errors
/// The first of these problems.
pub fn can_be_simulated(study: &Study, located: &Located, policies: &[PolicyName]) -> Result<(), Refusal> {
    if study.apps.is_empty() {
        return Err(Refusal::said("there is no [[app]] in the files").hint(
            "add one with its work, for example:\n\n[[app]]\nname = \"solver\"\narithmetic_intensity = 0.5\nwork_gflop = 1000.0",
        ));
    }
    one_thread_per_core(study, "simulate")?;
    copies_are_only_read(study, "simulate")?;
    work_is_given(study, located, "simulate", |_| true)?;
    if let Some(policy) = policies
        .iter()
        .find(|policy| matches!(policy, PolicyName::Marginal | PolicyName::Reexplore | PolicyName::Replan))
    {
        all_count_flop(study, located, &format!("the policy {policy}"), |_| true)?;
    }
    threads_are_few(study, located)?;
    period_is_long_enough(study, located, policies)?;
    policies.iter().try_for_each(|policy| {
        let scenario = policy.scenario(study).map_err(|error| unmade(policy, &error))?;
        homes_are_given(study, located, scenario)
    })
}

/// Rejects applications that may use both hardware threads of a core, which simulations over time do not support.
///
/// # Errors
/// The first of them.
pub fn one_thread_per_core(study: &Study, command: &str) -> Result<(), Refusal> {
    let in_scenarios = study.scenarios.iter().flat_map(|scenario| scenario.smt.iter().zip(&study.apps));
    let mut uses = study.apps.iter().map(|app| (&app.smt, app)).chain(in_scenarios);
    match uses.find(|(smt, _)| **smt != Smt::One) {
        None => Ok(()),
        Some((smt, app)) => {
            let message = format!(
                "{command} runs one thread on each core, and `smt` of '{}' is \"{}\"",
                app.name,
                smt.as_str()
            );
            Err(Refusal::said(message).hint("write `smt = \"one\"`, in the app and in scenarios"))
        }
    }
}

/// Rejects applications that write replicated data, in scenarios and phases as well. Their demand on memories changes with the nodes of
/// their threads, which simulations over time do not support.
///
/// # Errors
/// The first of them.
pub fn copies_are_only_read(study: &Study, command: &str) -> Result<(), Refusal> {
    let writes = |number: usize, app: &App| {
        let of_scenarios = study.scenarios.iter().filter_map(|scenario| scenario.data.get(number));
        let phases = study.dynamics.courses.get(number).into_iter().flat_map(|course| &course.phases);
        let mut all = of_scenarios.chain(phases.map(|phase| &phase.data)).chain([&app.data]);
        all.any(|data| data.placement().is_some_and(|placement| app.writes_copies(placement)))
    };
    match study.apps.iter().enumerate().find(|(number, app)| writes(*number, app)) {
        None => Ok(()),
        Some((_, app)) => {
            let message = format!(
                "{command} does not support replicated data that is written, and '{}' writes {} of its bytes",
                app.name,
                numasim_draw::figures::percent(app.traffic().write_share())
            );
            Err(Refusal::said(message).hint(
                "write another `data`, or leave out `write_share`: copies that are only read are as fast as local data",
            ))
        }
    }
}

/// Rejects applications without work among those that need it; `command` names the command that needs it.
///
/// # Errors
/// Each of them, with its location.
pub fn work_is_given(
    study: &Study,
    located: &Located,
    command: &str,
    needed: impl Fn(&Course) -> bool,
) -> Result<(), Refusal> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut groups: Vec<&str> = Vec::new();
    for (app, course) in study.apps.iter().zip(&study.dynamics.courses) {
        if course.total_work().is_some() || !needed(course) || groups.last() == Some(&app.group.as_str()) {
            continue;
        }
        groups.push(&app.group);
        let Some(places) = located.course_places(&app.group) else { continue };
        let missing = course.phases.iter().zip(&places.phases).filter(|(phase, _)| phase.work.is_none());
        let phases: Vec<&Place> = missing.map(|(_, places)| &places.table).collect();
        let problem = |place: &Place, what: &str| {
            let message = format!("the work of `{}` is unknown, and {command} needs it", app.group);
            if let Some(unit) = &app.rate_unit {
                return Problem::new(ProblemKind::MissingKey, message)
                    .at(place.clone(), format!("no `work` in the `rate` of this {what}"))
                    .hint(format!(
                        "add e.g. `work = 1e6` to its `rate`: how many there are to do, counted as in {unit}"
                    ));
            }
            Problem::new(ProblemKind::MissingKey, message)
                .at(place.clone(), format!("no `work_gflop` or `task_gflop` in this {what}"))
                .hint("add e.g. `work_gflop = 1000.0`, the total over all iterations; or `task_gflop = 0.1`, the work of each task")
        };
        if phases.is_empty() {
            problems.push(problem(&places.name, "app"));
        } else {
            problems.extend(phases.into_iter().map(|place| problem(place, "phase")));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(located.refusal(&problems)) }
}

/// Rejects external programs whose intensity is unknown, for `command`, which computes speeds.
///
/// # Errors
/// Each of them, with its location.
pub fn intensities_are_given(study: &Study, located: &Located, command: &str) -> Result<(), Refusal> {
    let place_of = |group: &str| Some(located.app_places(group)?.name.clone());
    let problems = without_intensity(&study.apps, place_of, command);
    if problems.is_empty() { Ok(()) } else { Err(located.refusal(&problems)) }
}

/// Rejects applications that count something other than FLOP, for `command`, among those for which it matters.
///
/// # Errors
/// Each of them, with its location.
pub fn all_count_flop(
    study: &Study,
    located: &Located,
    command: &str,
    matters: impl Fn(&Course) -> bool,
) -> Result<(), Refusal> {
    let rated = study.apps.iter().zip(&study.dynamics.courses);
    let rated = rated.filter(|(app, course)| app.rate_unit.is_some() && matters(course));
    let mut groups: Vec<&str> = rated.map(|(app, _)| app.group.as_str()).collect();
    groups.dedup();
    let problems: Vec<Problem> = groups
        .into_iter()
        .filter_map(|group| {
            let place = located.app_places(group)?.name.clone();
            let message = format!("`{group}` has a `rate`, and {command} counts in GFLOPS");
            Some(Problem::new(ProblemKind::Conflict, message).at(place, "this app counts something else"))
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(located.refusal(&problems)) }
}

/// Rejects a policy whose period is shorter than the resolution of time.
fn period_is_long_enough(study: &Study, located: &Located, policies: &[PolicyName]) -> Result<(), Refusal> {
    let is_asked = policies.iter().any(PolicyName::holds_arrivals);
    if !is_asked || !is_too_short(study.dynamics.policy.period) {
        return Ok(());
    }
    let message = "`period_ms` is shorter than 1 ns, and times that are nearer to each other are one instant";
    let problem = Problem::new(ProblemKind::BadValue, message.to_owned()).hint(
        "write `period_ms = 0`: the policy is asked whenever something changes; or e.g. `period_ms = 1.0`",
    );
    Err(located.refusal(&[match &located.over_time().period {
        Some(place) => problem.at(place.clone(), "too short"),
        None => problem,
    }]))
}

fn threads_are_few(study: &Study, located: &Located) -> Result<(), Refusal> {
    // Threads of one application, up to 1024 nodes x 65,536 threads.
    let of = |threads: &Vec<u32>| threads.iter().map(|&threads| u64::from(threads)).sum::<u64>();
    let threads: Vec<u64> = study.dynamics.courses.iter().map(|course| of(&course.threads)).collect();
    let all: u64 = threads.iter().sum();
    if all <= MOST_THREADS {
        return Ok(());
    }
    let message = format!(
        "{all} threads of all applications together are more than {MOST_THREADS}, each of which is simulated"
    );
    let problem = Problem::new(ProblemKind::BadValue, message)
        .hint("give applications fewer `threads` on each node, or write fewer `instances`");
    let most = study.apps.iter().zip(&threads).max_by_key(|(_, threads)| **threads);
    let place = most.and_then(|(app, threads)| Some((located.app_places(&app.group)?, threads)));
    Err(located.refusal(&[match place {
        Some((places, threads)) => {
            problem.at(places.name.clone(), format!("{threads} of them in each instance"))
        }
        None => problem,
    }]))
}

/// Rejects open data, in a scenario or in the files themselves.
///
/// # Errors
/// Each of them, with its location.
pub fn homes_are_given(study: &Study, located: &Located, scenario: Option<&Scenario>) -> Result<(), Refusal> {
    if let Some(scenario) = scenario {
        let open = |app: AppId| {
            let of_app = scenario.data.get(app.0);
            let course = study.dynamics.courses.get(app.0)?;
            let open = course.phases.iter().find_map(|phase| phase.data_with(of_app).open())?;
            Some((Some(scenario), app, open))
        };
        let hint = |app: &str, open: OpenData| {
            format!("{}, e.g. `data = {{ {app} = {} }}`", open.deciding(), open.example())
        };
        let needed = HomeNeeded {
            message: "simulate does not choose",
            in_scenario: "the scenario of policy static",
            hint: &hint,
        };
        return located.homes_are_needed(study, (0..study.apps.len()).map(AppId).filter_map(open), &needed);
    }
    let mut problems: Vec<Problem> = Vec::new();
    for (app, course) in study.apps.iter().zip(&study.dynamics.courses) {
        let Some(places) = located.app_places(&app.group) else { continue };
        let of_phases = located.course_places(&app.group).map_or(&[][..], |places| &places.phases);
        for (number, phase) in course.phases.iter().enumerate() {
            let of_phase = of_phases.get(number).and_then(|phase| phase.data.as_ref());
            let Some((place, open)) = of_phase.or(places.data.as_ref()).zip(phase.data.open()) else {
                continue;
            };
            if problems.iter().any(|known| known.place.as_ref() == Some(place)) {
                continue;
            }
            let message =
                format!("{}, and simulate does not choose", open.said_of(&format!("`{}`", app.group)));
            let problem = Problem::new(ProblemKind::BadValue, message).at(place.clone(), open.any());
            problems.push(problem.hint(format!(
                "{}, e.g. `data = {}`; `numasim explore` finds {}",
                open.deciding(),
                open.example(),
                open.best()
            )));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(located.refusal(&problems)) }
}

/// The reason why a simulation has no result, in a few words.
pub fn in_words(study: &Study, ended: &JobError) -> String {
    match ended {
        JobError::Unmade(error) => error.to_string(),
        JobError::Failed(SimulateError::Deadlock(deadlock)) => {
            let stuck = deadlock.stuck.iter().map(|stuck| study.apps[stuck.app.0].name.as_str());
            format!(
                "a deadlock after {} s, in which these cannot go on: {}",
                numasim_draw::figures::rounded(deadlock.time.value()),
                stuck.collect::<Vec<_>>().join(", ")
            )
        }
        JobError::Failed(SimulateError::Impossible { app, why }) => {
            format!("it ordered what '{}' cannot do: {why}", study.apps[app.0].name)
        }
        JobError::Failed(error) => error.to_string(),
    }
}

/// The refusal if a simulation with `policy` has no result.
pub fn failed(study: &Study, located: &Located, policy: &PolicyName, ended: &JobError) -> Refusal {
    let name = |app: AppId| study.apps[app.0].name.as_str();
    match ended {
        JobError::Unmade(error) => unmade(policy, error),
        JobError::Failed(SimulateError::Deadlock(deadlock)) => deadlocked(study, located, policy, deadlock),
        JobError::Failed(SimulateError::Impossible { app, why }) => {
            Refusal::said(format!("policy '{policy}' ordered what '{}' cannot do: {why}", name(*app)))
        }
        JobError::Failed(error) => {
            Refusal::said(format!("this cannot be simulated with policy '{policy}'")).caused_by(error)
        }
    }
}

fn unmade(policy: &PolicyName, error: &MakeError) -> Refusal {
    let refusal = Refusal::said(format!("--policy {policy}: {error}"));
    match error {
        MakeError::UnknownScenario { name, known } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            match suggest::nearest(name, &known) {
                Some(near) => refusal.hint(format!("did you mean 'static:{near}'?")),
                None => refusal,
            }
        }
        _ => refusal,
    }
}

/// The waiting applications and what they wait for, one line for each.
fn deadlocked(study: &Study, located: &Located, policy: &PolicyName, deadlock: &Deadlock) -> Refusal {
    /// More lines are of no use.
    const SHOWN: usize = 20;
    let time = numasim_draw::figures::short(deadlock.time.value());
    let mut refusal = Refusal::said(format!(
        "a deadlock after {time} s with policy '{policy}': no application can go on, and nothing is to come"
    ));
    for stuck in deadlock.stuck.iter().take(SHOWN) {
        let at = place(study, located, stuck).and_then(|place| located.line(place));
        let at = at.map_or(String::new(), |at| format!(" ({at})"));
        refusal = refusal.because(format!("{}{at}", words(study, stuck)));
    }
    if let Some(more) = deadlock.stuck.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        refusal = refusal.because(format!("{more} more applications wait"));
    }
    let waits = |kind: fn(&WaitsFor) -> bool| deadlock.stuck.iter().any(|stuck| kind(&stuck.waits_for));
    if waits(|waits| matches!(waits, WaitsFor::Threads)) {
        refusal = refusal.hint(match policy {
            PolicyName::Script => "give it a thread with a later [[command]]",
            _ => "policies give no core to an application for which none is left: use fewer applications at a time, or another policy",
        });
    }
    if waits(|waits| matches!(waits, WaitsFor::Speed)) {
        refusal = refusal.hint("let its data lie where its threads can read it: they get no bandwidth");
    }
    refusal
}

/// `'consumer' cannot begin iteration 3: it waits for an item of 'producer'`
fn words(study: &Study, stuck: &Stuck) -> String {
    let name = |app: AppId| study.apps[app.0].name.as_str();
    let (app, iteration) = (name(stuck.app), stuck.iteration);
    match stuck.waits_for {
        WaitsFor::Input(producer) => {
            format!(
                "'{app}' cannot begin iteration {iteration}: it waits for an item of '{}'",
                name(producer)
            )
        }
        WaitsFor::Output(consumer) => format!(
            "'{app}' cannot begin iteration {iteration}: it waits for room in the channel to '{}'",
            name(consumer)
        ),
        WaitsFor::Call => format!("'{app}' cannot begin iteration {iteration}: it waits for a call"),
        WaitsFor::Return(callee) => {
            format!("'{app}' cannot end iteration {iteration}: it waits for its call of '{}'", name(callee))
        }
        WaitsFor::Threads => {
            format!("'{app}' cannot continue iteration {iteration}: none of its threads may run")
        }
        WaitsFor::Speed => {
            format!("'{app}' cannot continue iteration {iteration}: its threads run at speed 0")
        }
    }
}

/// The location of what it waits for in the files; else its name.
fn place<'l>(study: &Study, located: &'l Located, stuck: &Stuck) -> Option<&'l Place> {
    let places = located.over_time();
    let dynamics = &study.dynamics;
    let channel = |from: AppId, to: AppId| {
        let number = dynamics.channels.iter().position(|channel| (channel.from, channel.to) == (from, to))?;
        places.channels.get(number)
    };
    let found = match stuck.waits_for {
        WaitsFor::Input(producer) => channel(producer, stuck.app),
        WaitsFor::Output(consumer) => channel(stuck.app, consumer),
        WaitsFor::Return(callee) => {
            let number = dynamics.calls.iter().position(|call| (call.from, call.to) == (stuck.app, callee));
            number.and_then(|number| places.calls.get(number))
        }
        WaitsFor::Call | WaitsFor::Threads | WaitsFor::Speed => None,
    };
    found.or_else(|| located.app_places(&study.apps[stuck.app.0].group).map(|places| &places.name))
}

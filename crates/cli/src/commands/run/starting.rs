//! From the command line to a run, and its files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use numasim_agent::turns::Turns;
use numasim_ask::located::Located;
use numasim_ask::{Explore, Input, document, explore, over_time};
use numasim_bench::live::{Family, FamilyError, Left, Program};
use numasim_course::Study;
use numasim_host::memory::bytes_per_thread;
use numasim_host::os::thread::now_ns;
use numasim_host::system::NodeCores;
use numasim_model::cpus::CpuList;
use numasim_model::order::Control;
use numasim_model::text::visible;
use numasim_model::{AppId, Data, NodeId};
use numasim_policy::PolicyName;
use numasim_sim::Candidate;
use numasim_study::writing::study::Written;
use numasim_study::{Problem, ProblemKind};
use tempfile::TempDir;

use crate::args::RunArgs;
use crate::commands::agent::{Asked, read_question};
use crate::commands::run::going::Going;
use crate::commands::run::going::{Agent, Wanted};
use crate::commands::run::planning::{self, How};
use crate::commands::run::preloading;
use crate::commands::run::rows;
use crate::commands::simulate::{RECORD, RESULT, TIMELINE};
use crate::commands::{host_nodes, measuring};
use crate::failure::Failure;
use crate::output::{Destination, Folder};
use crate::shell::Shell;
use crate::view::Style;
use crate::view::ran::{self, End, Ran};
use crate::watch::Watch;
use crate::{files, trace, watch};

const PROVENANCE: &str = "provenance.json";
const PLACEMENT: &str = "placement.toml";

/// Reads the files and checks that all of their applications can run.
fn read_input(args: &RunArgs) -> Result<Input, Failure> {
    if args.files.iter().any(|file| file == Path::new("-")) {
        return Err(Failure::input("`run` reads files only: its agent reads them again")
            .hint("write standard input to a file first"));
    }
    let input = files::read_input_of_programs(&args.files)?;
    let (study, located) = (&*input.study, &*input.located);
    if study.apps.is_empty() {
        return Err(Failure::input("there is no [[app]] in the files: nothing to run"));
    }
    kernels_are_synthetic(study, located)?;
    programs_stand_alone(study, located)?;
    if args.agent_in_apps {
        no_program_is_adopted(study)?;
    }
    over_time::one_thread_per_core(study, "run")?;
    over_time::copies_are_only_read(study, "run")?;
    over_time::all_count_flop(study, located, "run", |course| course.command.is_none())?;
    over_time::work_is_given(study, located, "run", |course| course.command.is_none())?;
    Ok(input)
}

/// The placement that `--explore` finds, if the command line asks for it, and the policy.
fn decided(args: &RunArgs, input: &Input, shell: &Shell) -> Result<(Option<Candidate>, PolicyName), Failure> {
    let (study, located) = (&*input.study, &*input.located);
    if args.explore {
        over_time::intensities_are_given(study, located, "run --explore")?;
    }
    let best = args.explore.then(|| best_placement(input, shell)).transpose()?;
    let policy = match &best {
        Some(_) => PolicyName::Static(EXPLORED.to_owned()),
        None => chosen_policy(args.policy.as_ref(), study, located)?,
    };
    if policy.computes() {
        over_time::intensities_are_given(study, located, &format!("the policy {policy}"))?;
    }
    Ok((best, policy))
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs, shell: &Shell) -> Result<(), Failure> {
    let input = read_input(args)?;
    let (study, located) = (&*input.study, &*input.located);
    let host = host_nodes::of_machine(&study.machine)?;
    let (best, policy) = decided(args, &input, shell)?;
    // Without a scenario of that name its agent refuses to start.
    let scenario = policy.scenario(study).ok().flatten();
    if best.is_none() {
        over_time::homes_are_given(study, located, scenario)?;
    }
    for warning in over_time::ignored_data(study, located, std::slice::from_ref(&policy)) {
        shell.warn(warning);
    }
    let how = How {
        isa: measuring::available(args.isa)?,
        variants: planning::variants(study, args.isa)?,
        bytes_per_thread: args.memory_per_thread.unwrap_or_else(|| largest_share(study, &host)),
        real_items: args.real_items,
        seed: args.seed,
    };
    let library = if args.no_agent { None } else { preloading::library(args, study, shell)? };
    let folder = open(&args.output)?;
    folder.make()?;
    let mut inputs = args.files.clone();
    if let Some(best) = &best {
        folder.destination(PLACEMENT)?.deliver(&placement_toml(study, best))?;
        inputs.push(args.output.join(PLACEMENT));
    }
    let mut provenance = rows::provenance(located.sources(), &host, &how, planning::extent(study));
    watch::listen();
    let told_to_end = watch::told_to_end()
        .map_err(|error| Failure::input("cannot listen for the end").caused_by(&error))?;

    let chosen = best.as_ref().map(|best| best.placements.iter().cloned().map(Data::Placed).collect());
    let data: Option<Vec<Data>> = chosen.or_else(|| Some(scenario?.data.clone()));
    let data = |app: AppId| data.as_ref().and_then(|data| data.get(app.0));
    let mut family = Family::new(planning::extent(study)).map_err(|error| failed(&error))?;
    let (_own_folder, path) = socket(args)?;
    let in_apps = args.agent_in_apps.then(|| record_only(&args.output, &inputs, &policy)).transpose()?;
    let (mut pids, mut adopted) = (Vec::new(), Vec::new());
    for app in (0..study.apps.len()).map(AppId) {
        let order = planning::order(study, app, &host, &how, data(app));
        let Some(order) = order else { return Err(Failure::fault("an application without an order")) };
        let course = &study.dynamics.courses[app.0];
        let foreign = matches!(order.program, Program::Command { .. });
        let name = order.name.clone();
        let mut environment = environment(&name, path.as_deref(), in_apps.as_deref());
        if foreign {
            environment.extend(preloading::environment(library.as_deref(), course, &host));
        }
        let outputs = foreign.then(|| outputs(&args.output, app)).transpose()?;
        let pid = family.add(order, outputs, &environment).map_err(|error| failed(&error))?;
        if foreign && course.control == Control::Cores {
            adopted.push((name, pid));
        }
        pids.push(pid);
    }
    let agent = match (&path, &args.socket) {
        (Some(path), None) if in_apps.is_none() => {
            let record = args.output.join(RECORD);
            let policy = policy.to_string();
            let wanted =
                Wanted { files: &inputs, policy: &policy, record: &record, adopted: &adopted, socket: path };
            Some(Agent::start(&wanted)?)
        }
        _ => None,
    };
    let mut going = Going {
        study,
        policy: shown(args, &policy),
        family,
        pids,
        agent,
        until: args.until,
        sample: args.sample_ms,
        told_to_end,
    };
    let mut ran = None;
    folder.destination(TIMELINE)?.deliver_by(|out| {
        ran = Some(going.go(out, shell)?);
        Ok(())
    })?;
    // The common start, on the clock of the record.
    let started_ns = now_ns().saturating_sub(nanoseconds(going.family.since_start()));
    drop(going);
    let Some(mut ran) = ran else { return Err(Failure::fault("a run without an end")) };
    if in_apps.is_some() {
        ran.agent_started_s = first_turn_s(&args.output.join(RECORD), started_ns)?;
    }
    ran.orders = orders(&args.output.join(RECORD), &ran)?;
    rows::took_place(&mut provenance, ran.started, ran.ended);
    folder.destination(PROVENANCE)?.deliver(&provenance.to_json())?;
    let ran_document = ran::document(study, &ran);
    folder.destination(RESULT)?.deliver_by(|out| document::write(&ran_document, out))?;
    let (table, rows) = (|style: &Style| ran::table(study, &ran, style), || ran::csv(study, &ran));
    shell.answer(&Destination::Stdout, args.format, table, &ran_document, rows)?;
    warn_of_pages(study, &ran, shell);
    verdict(&ran, &args.output, shell)
}

/// The agent's socket, if there is an agent, and the folder of a private socket. The environment of each application contains the path;
/// adopted applications do not need it.
fn socket(args: &RunArgs) -> Result<(TempDir, Option<PathBuf>), Failure> {
    let socket = (!args.no_agent).then(|| args.socket.clone());
    let own_folder = tempfile::Builder::new().prefix("numasim-run-").tempdir();
    let own_folder = own_folder
        .map_err(|error| Failure::output("cannot make a folder for the agent's socket").caused_by(&error))?;
    let path = socket.map(|path| path.unwrap_or_else(|| own_folder.path().join("agent").join("agent.sock")));
    Ok((own_folder, path))
}

fn warn_of_pages(study: &Study, ran: &Ran, shell: &Shell) {
    for (app, look) in study.apps.iter().zip(&ran.look.apps) {
        if let Some(pages) = look.pages.as_ref().filter(|pages| pages.misplaced > 0) {
            let (wrong, all) = (pages.misplaced, pages.on_node.iter().sum::<u64>());
            shell.warn(format!("{wrong} of {all} pages of '{}' are not on the node of their data", app.name));
        }
    }
}

/// The name of a process, the agent's socket, and the record if applications take turns as the agent.
fn environment(name: &str, socket: Option<&Path>, record: Option<&Path>) -> Vec<(String, String)> {
    let socket = socket.map_or_else(|| "off".to_owned(), |path| path.display().to_string());
    let record = record.map_or_else(String::new, |path| path.display().to_string());
    [("NUMASIM_APP", name), ("NUMASIM_AGENT", &socket), (Turns::RECORD, &record)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec()
}

/// Writes the start of the record that applications continue; returns its absolute path.
fn record_only(folder: &Path, files: &[PathBuf], policy: &PolicyName) -> Result<PathBuf, Failure> {
    let path = folder.join(RECORD);
    let path = std::path::absolute(&path).unwrap_or(path);
    let asked = Asked { files, policy: Some(policy), period_ms: None, this_host: true };
    read_question(&asked)?.record_only(&path)?;
    Ok(path)
}

/// Time at which the first application began its turn as the agent, in the time of the run.
fn first_turn_s(record: &Path, started_ns: u64) -> Result<Option<f64>, Failure> {
    let (name, from) = files::open_trace(record)?;
    Ok(trace::first_turn_s(&name, from)?.map(|clock_s| clock_s - started_ns as f64 / 1e9))
}

fn nanoseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The policy, in words.
fn shown(args: &RunArgs, policy: &PolicyName) -> String {
    match (&args.socket, args.no_agent) {
        (Some(path), _) => format!("that of the agent at {}", path.display()),
        (None, true) => "none".to_owned(),
        (None, false) => policy.to_string(),
    }
}

/// Warnings in addition to the result.
fn verdict(ran: &Ran, folder: &Path, shell: &Shell) -> Result<(), Failure> {
    let written = format!("what was seen until then is in {}", folder.display());
    let left = left(&ran.left);
    match &ran.end {
        End::Finished | End::Until => {
            if let Some(left) = left {
                shell.warn(left);
            }
            Ok(())
        }
        End::Interrupted => {
            let left = left.unwrap_or_else(|| "no process is left".to_owned());
            Err(Failure::interrupted(format!("the run was ended before its time; {left}")).hint(written))
        }
        End::Failed(what) => {
            let left = left.unwrap_or_else(|| "all others were ended".to_owned());
            Err(Failure::input(format!("{what}; {left}")).hint(written))
        }
    }
}

/// The processes that could not be stopped, if there are any.
fn left(left: &[Left]) -> Option<String> {
    const SHOWN: usize = 10;
    let name = |one: &Left| format!("{} ({})", one.pid, visible(&one.name));
    let mut names: Vec<String> = left.iter().take(SHOWN).map(name).collect();
    if left.len() > SHOWN {
        names.push(format!("{} more", left.len() - SHOWN));
    }
    let these = match left {
        [] => return None,
        [_] => "process",
        _ => "processes",
    };
    Some(format!("{these} {} could not be ended", names.join(", ")))
}

/// The folder of a new run: existing results are never overwritten.
fn open(path: &Path) -> Result<Folder, Failure> {
    for name in [RESULT, TIMELINE, PROVENANCE, RECORD, PLACEMENT] {
        let file = path.join(name);
        if fs::symlink_metadata(&file).is_ok() {
            return Err(Failure::input(format!("{} already exists", file.display()))
                .hint("give -o another folder; results are never overwritten"));
        }
    }
    Folder::open(path, &[RESULT, TIMELINE, PROVENANCE], "-o")
}

/// The output files of an external program: numbered, because names of applications need not be valid file names.
fn outputs(folder: &Path, app: AppId) -> Result<(File, File), Failure> {
    let create = |ending: &str| {
        let path = folder.join(format!("app-{}.{ending}", app.0));
        File::create_new(&path)
            .map_err(|error| Failure::output(format!("cannot create {}", path.display())).caused_by(&error))
    };
    Ok((create("out")?, create("err")?))
}

fn largest_share(study: &Study, host: &[NodeCores]) -> u64 {
    let mut lists = Vec::new();
    for course in &study.dynamics.courses {
        for (node, &threads) in host.iter().zip(&course.threads) {
            let cpus: Vec<u32> = node.cores.iter().filter_map(|core| core.first().copied()).collect();
            if let Ok(cpus) = CpuList::new(cpus) {
                lists.extend(std::iter::repeat_n(cpus, threads as usize));
            }
        }
    }
    bytes_per_thread(&lists.iter().collect::<Vec<_>>())
}

/// Number of commands sent until the end of the run, according to the record of the agent; `None` without one. Its clock began before
/// that of the run, and it continues to decide while applications are being stopped.
fn orders(record: &Path, ran: &Ran) -> Result<Option<u64>, Failure> {
    if !record.exists() {
        return Ok(None);
    }
    let last_s = ran.agent_started_s.map(|started_s| ran.look.at.as_secs_f64() - started_s);
    let (name, from) = files::open_trace(record)?;
    let sent = trace::orders(&name, from)?.into_iter();
    Ok(Some(sent.filter(|(at, _)| last_s.is_none_or(|last_s| at.value() <= last_s)).count() as u64))
}

fn failed(error: &FamilyError) -> Failure {
    Failure::input(error.to_string())
}

// `--explore`: the placement is chosen before the applications start.

/// The name of the scenario that it writes.
pub(super) const EXPLORED: &str = "explored";

/// The best allocation for the total GFLOPS.
///
/// # Errors
/// The errors of `explore`.
pub(super) fn best_placement(input: &Input, shell: &Shell) -> Result<Candidate, Failure> {
    crate::threads::start(None)?;
    let question = Explore { top: 0, intervals: false, ..Explore::new(input) };
    let watch = Watch::start(None, question.objective, shell);
    let best = explore(&question, &watch)?.best.candidate;
    let study = &input.study;
    for (app, course) in study.dynamics.courses.iter().enumerate() {
        for (node, &threads) in course.threads.iter().enumerate() {
            let chosen = best.allocation.get(AppId(app), NodeId(node));
            if chosen > threads {
                let name = study.apps.get(app).map_or("", |app| app.name.as_str());
                return Err(Failure::input(format!(
                    "the best placement has {chosen} threads of '{name}' on node {node}, which has {threads} there"
                ))
                .hint("raise its `threads`, or bound it with `max_threads`"));
            }
        }
    }
    Ok(best)
}

/// The placement as a scenario that every command reads with the same files.
pub(super) fn placement_toml(study: &Study, best: &Candidate) -> String {
    let Candidate { allocation, placements, smt, .. } = best;
    let written =
        Written { name: EXPLORED, apps: &study.apps, allocation, placements, smt, static_work: false };
    let model = study.machine.sharing().in_words();
    format!(
        "# Chosen by `numasim run --explore`: the largest total GFLOPS under {model}.\n{}",
        written.toml()
    )
}

// Features that `run` does not support, shown with their locations in the files.

/// The policy on the command line, else in the files, else `fair-share`.
///
/// # Errors
/// A name in the files that is not a policy, and `script`: its commands have times of a simulation.
pub(super) fn chosen_policy(
    asked: Option<&PolicyName>,
    study: &Study,
    located: &Located,
) -> Result<PolicyName, Failure> {
    let policy = match asked {
        Some(policy) => policy.clone(),
        None if study.dynamics.policy.name.is_none() => PolicyName::FairShare,
        None => numasim_ask::over_time::policy_of_files(study, located)?,
    };
    if policy == PolicyName::Script {
        return Err(Failure::input(
            "policy script is for `numasim simulate`: an agent has no list of commands",
        )
        .hint("name another one with --policy"));
    }
    Ok(policy)
}

/// Rejects real kernels: here an application consists of tasks of any size, with a synthetic kernel.
///
/// # Errors
/// The first of them.
pub(super) fn kernels_are_synthetic(study: &Study, located: &Located) -> Result<(), Failure> {
    let alone = |app: usize| study.dynamics.courses.get(app).is_some_and(|course| course.command.is_some());
    for (number, app) in study.apps.iter().enumerate() {
        let Some(problem) = app.problem.filter(|_| !alone(number)) else { continue };
        let (name, kernel) = (&app.group, problem.kernel().as_str());
        let message =
            format!("the kernel {kernel} of `{name}` is measured by `numasim bench`; `run` has tasks");
        let problem = Problem::new(ProblemKind::BadValue, message).hint(
            "write `kernel = \"read\"`, \"copy\", \"triad\" or \"update\" with an `arithmetic_intensity`, or the `command` of a program",
        );
        return Err(located
            .refusal(&[match located.app_places(name) {
                Some(places) => problem.at(places.name.clone(), format!("its kernel is {kernel}")),
                None => problem,
            }])
            .into());
    }
    Ok(())
}

/// Rejects programs that only a separate agent can move.
///
/// # Errors
/// The first of them.
fn no_program_is_adopted(study: &Study) -> Result<(), Failure> {
    let mut apps = study.apps.iter().zip(&study.dynamics.courses);
    match apps.find(|(_, course)| course.command.is_some() && course.control == Control::Cores) {
        Some((app, _)) => Err(Failure::input(format!(
            "'{}' follows commands by affinity alone, which needs a separate agent",
            app.name
        ))
        .hint("give it control = \"total\" or \"per-node\", or leave out --agent-in-apps")),
        None => Ok(()),
    }
}

/// Rejects external programs that other applications wait for, because their iterations cannot be observed from outside.
///
/// # Errors
/// The first of them.
pub(super) fn programs_stand_alone(study: &Study, located: &Located) -> Result<(), Failure> {
    let channels = study.dynamics.channels.iter().map(|channel| [channel.from, channel.to]);
    let calls = study.dynamics.calls.iter().map(|call| [call.from, call.to]);
    for app in channels.chain(calls).flatten() {
        let course = study.dynamics.courses.get(app.0);
        if course.is_none_or(|course| course.command.is_none()) {
            continue;
        }
        let Some(name) = study.apps.get(app.0).map(|app| app.group.as_str()) else { continue };
        let message =
            format!("`{name}` is a separate program, and its iterations are not visible from outside");
        let problem = Problem::new(ProblemKind::BadValue, message).hint(
            "leave out its [[channel]] and [[call]], or its `command`: then its tasks are those of numasim",
        );
        return Err(located
            .refusal(&[match located.app_places(name) {
                Some(places) => problem.at(places.name.clone(), "in a channel or a call"),
                None => problem,
            }])
            .into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_ended_is_named() {
        let one = |pid, name: &str| Left { pid, name: name.to_owned() };
        assert_eq!(left(&[]), None);
        assert_eq!(left(&[one(7, "a\u{1b}b")]), Some("process 7 (a\\u{1b}b) could not be ended".to_owned()));
        assert_eq!(
            left(&[one(7, "sh"), one(8, "sleep")]),
            Some("processes 7 (sh), 8 (sleep) could not be ended".to_owned())
        );
        let many: Vec<Left> = (1..=12).map(|pid| one(pid, "x")).collect();
        assert!(left(&many).is_some_and(|text| text.ends_with("10 (x), 2 more could not be ended")));
    }
}

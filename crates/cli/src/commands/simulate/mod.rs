//! `numasim simulate`: applications over time, with a policy that assigns cores.

use std::path::{Path, PathBuf};

use numasim_ask::over_time::in_words;
use numasim_ask::simulate::Replayed;
use numasim_ask::tables::Ran;
use numasim_ask::{Input, Simulate, Simulated, Simulation, Simulations, table};
use numasim_course::Study;
use numasim_dynamic::{Both, Job, JobError, Observer, Silent, StripRecorder, Strips};
use numasim_evidence::timeline;
use numasim_model::AppId;
use numasim_model::units::Seconds;
use numasim_policy::PolicyName;
use outputs::Outputs;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::args::SimulateArgs;
use crate::commands::simulate::progress::Progress;
use crate::failure::Failure;
use crate::output::{Destination, Format, without_table};
use crate::shell::Shell;
use crate::trace::replay;
use crate::view::beside::Measured;
use crate::view::plots::{self, Course, CourseRecorder, Other};
use crate::view::{Style, beside, figures, simulated};
use crate::{files, sharing, threads, trace, watch};

pub(crate) mod outputs;
mod progress;

/// Runs the command.
pub(crate) fn run(args: &SimulateArgs, shell: &Shell) -> Result<(), Failure> {
    if let Some(path) = &args.replay {
        return replayed(path, args, shell);
    }
    let input = sharing::read(&args.files, args.sharing.model, shell)?;
    let study = &*input.study;
    let compared = args.compare.as_deref().map(read_run).transpose()?;
    let policies = match (args.policy.as_slice(), &compared) {
        ([], Some(compared)) => vec![compared.policy()?],
        (named, _) => named.to_vec(),
    };
    if let Some(compared) = &compared {
        compared.is_of(study)?;
    }
    let question = Simulate {
        input: &input,
        policies: &policies,
        until_s: args.until,
        seed: args.seed,
        runs: args.runs,
    };
    let simulations = Simulations::of(&question)?;
    let jobs = simulations.jobs();
    if compared.is_some() && jobs.len() > 1 {
        return Err(Failure::input(format!("--compare is of one simulation, and these are {}", jobs.len()))
            .hint("give one --policy, and leave out --runs"));
    }
    let outputs = Outputs::open(args, jobs.len())?;
    shell.warn_all(&simulations.warnings);
    watch::listen();
    let picture = outputs.plot.as_ref().map(|_| Picture::of(study, compared.as_ref()));
    let mut picture = picture.transpose()?;
    let on_screen = outputs.rows_on_screen(shell);
    let progress = Progress::new(simulations.policies(), jobs.len(), args.until, on_screen, shell);
    let results = compute(&jobs, &outputs, args, &input, picture.as_mut(), &progress);
    progress.finish();
    let mut answer = simulations.answer(results?)?;
    if let (Some(compared), [one]) = (&compared, answer.runs.as_slice()) {
        answer.compare = Some(beside::json(study, one, &compared.measured));
    }
    deliver(args, &answer, compared.as_ref(), &outputs.result, shell)?;
    if let (Some(plot), Some(picture), [one]) = (&outputs.plot, picture, answer.runs.as_slice()) {
        plot.deliver(&picture.svg(study, one))?;
    }
    told(&answer, shell)
}

/// All simulations; those not started before Ctrl-C are missing.
fn compute(
    jobs: &[Job],
    outputs: &Outputs,
    args: &SimulateArgs,
    input: &Input,
    picture: Option<&mut Picture>,
    progress: &Progress,
) -> Result<Vec<Option<Result<Simulated, JobError>>>, Failure> {
    let ([only], true) = (jobs, outputs.look_on()) else {
        threads::start(None)?;
        return Ok(run_all(jobs, progress));
    };
    let mut silent = Silent;
    let picture: &mut dyn Observer = match picture {
        Some(picture) => picture.observer(),
        None => &mut silent,
    };
    let mut progress = progress.of(0);
    let lookers = &mut Both(picture, &mut progress);
    let run = outputs.simulate(only, input.located.sources(), args.sharing.model, lookers)?;
    Ok(vec![Some(run.map(|run| Simulated::of(only, only.with(run, &watch::interrupted))))])
}

fn deliver(
    args: &SimulateArgs,
    answer: &Simulation,
    compared: Option<&Compared>,
    destination: &Destination,
    shell: &Shell,
) -> Result<(), Failure> {
    let Simulation { study, runs, .. } = answer;
    let table = |style: &Style| {
        let mut text = simulated::table(study, runs, style);
        if let (Some(compared), [one]) = (compared, runs.as_slice()) {
            let folder = compared.folder.display().to_string();
            text.push('\n');
            text += &beside::table(study, one, &compared.measured, &folder, style);
        }
        text
    };
    let rows = || table::csv(&Ran::columns(&study.apps), Ran::all(&study.apps, runs));
    shell.answer(destination, args.output.format, table, answer, rows)
}

/// Warnings in addition to the result.
fn told(answer: &Simulation, shell: &Shell) -> Result<(), Failure> {
    let runs = answer.runs.as_slice();
    if runs.len() < answer.asked || runs.iter().any(Simulated::is_partial) {
        let whole = runs.iter().filter(|one| !one.is_partial()).count();
        let message = match (answer.asked, runs) {
            (1, [only]) => {
                format!("interrupted after {} s of simulated time", figures::short(only.run.time.value()))
            }
            (all, _) => format!("interrupted after {whole} of {all} simulations"),
        };
        return Err(Failure::interrupted(message)
            .hint("what was simulated until then is written, and says that it is partial"));
    }
    shell.warn_all(&answer.warnings);
    Ok(())
}

/// `--replay`.
fn replayed(path: &std::path::Path, args: &SimulateArgs, shell: &Shell) -> Result<(), Failure> {
    let (name, from) = files::open_trace(path)?;
    let destination = args.output.open()?;
    let replayed = replay::replay(&name, from)?;
    if let Some(line) = replayed.torn {
        shell.warn(format!("{name}:{line}: the last line does not end, and is ignored"));
    }
    let (decisions, actions) = (replayed.decisions, replayed.actions);
    if args.output.format == Format::Markdown {
        return Err(without_table("--replay says whether the orders are the same"));
    }
    let sentence = |_: &Style| {
        format!(
            "Policy '{}', asked again for {}, sends the same {}.\n",
            replayed.policy,
            figures::count(decisions, "decision"),
            figures::count(actions, "order"),
        )
    };
    let rows = || format!("decisions,actions\n{decisions},{actions}\n");
    shell.answer(&destination, args.output.format, sentence, &Replayed::new(decisions, actions), rows)
}

// `--compare DIR`: reads the result of a `numasim run`.

/// The file of a run that is read here.
pub(crate) const RESULT: &str = "result.json";
pub(crate) const TIMELINE: &str = "timeline.csv";
pub(crate) const RECORD: &str = "agent.jsonl";

const HINT: &str = "give the folder that `numasim run ... -o DIR` wrote";

/// A run and its folder.
struct Compared {
    folder: PathBuf,
    measured: Measured,
}

/// Reads `result.json` of a folder.
///
/// # Errors
/// There is none, or it is from another command.
fn read_run(folder: &Path) -> Result<Compared, Failure> {
    let path = folder.join(RESULT);
    let text = files::read_measurements(&path)?.text;
    let measured: Measured = serde_json::from_str(&text).map_err(|error| {
        Failure::input(format!("{} is no result of `numasim run`", path.display()))
            .caused_by(&error)
            .hint(HINT)
    })?;
    if measured.command != "run" {
        let message = format!("{} is a result of `{}`, not of `run`", path.display(), measured.command);
        return Err(Failure::input(message).hint(HINT));
    }
    Ok(Compared { folder: folder.to_owned(), measured })
}

impl Compared {
    /// The policy of the run.
    ///
    /// # Errors
    /// The policy is that of an agent that already existed.
    fn policy(&self) -> Result<PolicyName, Failure> {
        self.measured.policy.parse().map_err(|_| {
            Failure::input(format!(
                "the run was under {}, which simulate does not know",
                self.measured.policy
            ))
            .hint("name the policy with --policy")
        })
    }

    /// Checks that it is a run of the applications in these files.
    ///
    /// # Errors
    /// It had other applications, or not all of them: makespans of different work cannot be compared.
    fn is_of(&self, study: &Study) -> Result<(), Failure> {
        let ran = |name: &str| self.measured.apps.iter().any(|app| app.name == name);
        let missing = study.apps.iter().map(|app| app.name.as_str()).find(|name| !ran(name));
        let known = |name: &str| study.apps.iter().any(|app| app.name == name);
        let other = self.measured.apps.iter().map(|app| app.name.as_str()).find(|name| !known(name));
        let folder = self.folder.display();
        let shown = |name: &str| numasim_model::text::visible(name).into_owned();
        let message = match (missing, other) {
            (None, None) => return Ok(()),
            (Some(missing), None) => {
                format!("'{}' is in the files and not in the run in {folder}", shown(missing))
            }
            (None, Some(other)) => {
                format!("'{}' is in the run in {folder} and not in the files", shown(other))
            }
            (Some(missing), Some(other)) => format!(
                "'{}' is in the files and not in the run in {folder}, which had '{}'",
                shown(missing),
                shown(other)
            ),
        };
        Err(Failure::input(message)
            .hint("simulate the files that were run: provenance.json next to the result lists them"))
    }

    /// Its course over time.
    ///
    /// # Errors
    /// The timeline or the record of the agent cannot be read, or does not match these applications.
    fn course(&self, study: &Study) -> Result<Course, Failure> {
        let source = files::read_measurements(&self.folder.join(TIMELINE)).map_err(|failure| {
            failure.hint("--plot needs the timeline of the run; without it the table is printed")
        })?;
        let names: Vec<&str> = study.apps.iter().map(|app| app.name.as_str()).collect();
        let steps = timeline::read(&source.text, &names, study.machine.node_count())
            .map_err(|problems| files::refused(&problems, source))?;
        let mut recorder = CourseRecorder::new(study);
        for (at, app) in self.orders()? {
            if let Some(number) = names.iter().position(|name| *name == app) {
                recorder.order(at, AppId(number));
            }
        }
        recorder.take(&steps);
        Ok(recorder.finish(Seconds::new(self.measured.time_s.max(0.0))))
    }

    /// The commands of its agent, in the time of the run; empty without a record, or if the start time of the agent is unknown.
    fn orders(&self) -> Result<Vec<(Seconds, String)>, Failure> {
        let path = self.folder.join(RECORD);
        let (Some(started), true) = (self.measured.agent_started_s, path.exists()) else {
            return Ok(Vec::new());
        };
        let (name, from) = files::open_trace(&path)?;
        let orders = trace::orders(&name, from)?.into_iter();
        // Commands from before the common start are in force when it begins.
        let in_time = |at: Seconds| Seconds::new((at.value() + started).max(0.0));
        // Commands after its end, to applications that were being stopped, do not belong to the run.
        let counts = |at: Seconds| at.value() <= self.measured.time_s;
        Ok(orders.map(|(at, app)| (in_time(at), app)).filter(|(at, _)| counts(*at)).collect())
    }
}

// `--plot`: the simulation alone, or below the run that it is compared with.

/// A picture whose simulation is running.
enum Picture<'a> {
    Alone(StripRecorder),
    Beside { recorder: CourseRecorder, compared: &'a Compared, course: Course },
}

impl<'a> Picture<'a> {
    /// Reads the data for a comparison.
    ///
    /// # Errors
    /// The files of the run do not exist, or are invalid.
    fn of(study: &Study, compared: Option<&'a Compared>) -> Result<Self, Failure> {
        Ok(match compared {
            None => Self::Alone(StripRecorder::new(study)),
            Some(compared) => {
                let course = compared.course(study)?;
                Self::Beside { recorder: CourseRecorder::new(study), compared, course }
            }
        })
    }

    /// The observer of the simulation.
    fn observer(&mut self) -> &mut dyn Observer {
        match self {
            Self::Alone(recorder) => recorder,
            Self::Beside { recorder, .. } => recorder,
        }
    }

    /// The picture of a finished simulation.
    fn svg(self, study: &Study, simulated: &Simulated) -> String {
        let end = simulated.run.time;
        match self {
            Self::Alone(recorder) => plots::strips(study, simulated, &recorder.finish(end)).svg(),
            Self::Beside { recorder, compared, course } => {
                let other = Other { measured: &compared.measured, course: &course };
                plots::timelines(study, simulated, &recorder.finish(end), &other).svg()
            }
        }
    }
}

// Simulations with the data for a picture of them, for the page of `report`.

/// A simulation, with its cores and items over time.
pub(crate) struct Pictured {
    pub(crate) simulated: Simulated,
    pub(crate) strips: Strips,
}

/// Simulates with one policy.
///
/// # Errors
/// The reason why there is no result, in words.
pub(crate) fn pictured(study: &Study, policy: &PolicyName, until_s: Option<f64>) -> Result<Pictured, String> {
    let job = Job { study, policy, seed: 1, until_s };
    let mut recorder = StripRecorder::new(study);
    let run = job.run(&mut recorder, &|| false).map_err(|ended| in_words(study, &ended))?;
    let strips = recorder.finish(run.time);
    Ok(Pictured { simulated: Simulated::of(&job, job.with(run, &watch::interrupted)), strips })
}

// Simulations in sequence, or several in parallel.

/// All simulations, in their order; those not started before Ctrl-C are `None`.
fn run_all(jobs: &[Job], progress: &Progress) -> Vec<Option<Result<Simulated, JobError>>> {
    let run = |(number, job): (usize, &Job)| {
        (!watch::interrupted()).then(|| Simulated::run(job, &mut progress.of(number), &watch::interrupted))
    };
    jobs.par_iter().enumerate().map(run).collect()
}

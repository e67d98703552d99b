//! `numasim simulate`: applications over time, with a policy that gives and takes cores.

pub(crate) mod compared;
mod outputs;
mod picture;
mod pictured;
mod progress;
mod running;
pub(crate) mod timeline;

use std::io;

use numasim_ask::over_time;
use numasim_dynamic::{Both, Job, JobError, Observer, Run, Silent};
use numasim_model::Study;
use numasim_policy::PolicyName;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::json;

use crate::args::SimulateArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format, without_table};
use crate::sharing;
use crate::shell::Shell;
use crate::threads;
use crate::trace::replay;
use crate::view::beside;
use crate::view::simulated::{self, Simulated};
use crate::view::{Style, figures};
use crate::watch;
use numasim_ask::document;
use numasim_ask::located::Located;
use outputs::Outputs;
use picture::Picture;
pub(super) use pictured::{Pictured, in_words, pictured};
use progress::Progress;

/// Runs the command.
pub(crate) fn run(args: &SimulateArgs, shell: &Shell) -> Result<(), Failure> {
    if let Some(path) = &args.replay {
        return replayed(path, args, shell);
    }
    let (reading, sources) = files::read_study_and_texts(&args.files)?;
    let (study, located) = Located::split(reading, sources);
    let study = sharing::choose(study, args.model, shell)?;
    let compared = args.compare.as_deref().map(compared::read).transpose()?;
    let policies = match (args.policy.as_slice(), &compared) {
        ([], Some(compared)) => vec![compared.policy()?],
        ([], None) => vec![over_time::policy_of_files(&study, &located)?],
        (named, _) => named.to_vec(),
    };
    if let Some(compared) = &compared {
        compared.is_of(&study)?;
    }
    over_time::can_be_simulated(&study, &located, &policies)?;
    let jobs = jobs(args, &study, &policies)?;
    if compared.is_some() && jobs.len() > 1 {
        return Err(Failure::input(format!("--compare is of one simulation, and these are {}", jobs.len()))
            .hint("give one --policy, and leave out --runs"));
    }
    let outputs = Outputs::open(args, jobs.len())?;
    for warning in over_time::ignored(&study, &located, &policies) {
        shell.warn(warning);
    }
    watch::listen();
    let picture = outputs.plot.as_ref().map(|_| Picture::of(&study, compared.as_ref()));
    let mut picture = picture.transpose()?;
    let progress = Progress::new(&policies, jobs.len(), args.until, outputs.rows_on_screen(shell), shell);
    let runs = compute(&jobs, &outputs, args, &located, picture.as_mut(), &progress);
    progress.finish();
    let runs = runs?;
    let done: Vec<(&Job, Run)> = jobs.iter().zip(runs).map_while(|(job, run)| Some((job, run?))).collect();
    let simulated: Vec<Simulated> = done
        .into_par_iter()
        .map(|(job, run)| Simulated::of(job, job.with(run, &watch::interrupted)))
        .collect();
    deliver(args, &study, &simulated, compared.as_ref(), &outputs.result, shell)?;
    if let (Some(plot), Some(picture), [one]) = (&outputs.plot, picture, simulated.as_slice()) {
        let files: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
        plot.deliver(Ok(picture.svg(&study, one, &files)))?;
    }
    told(&jobs, &simulated, shell)
}

/// Every policy with every seed.
fn jobs<'a>(
    args: &SimulateArgs,
    study: &'a Study,
    policies: &'a [PolicyName],
) -> Result<Vec<Job<'a>>, Failure> {
    let seeds = over_time::seeds(args.seed, args.runs)?;
    let of = |policy| seeds.clone().map(move |seed| Job { study, policy, seed, until_s: args.until });
    Ok(policies.iter().flat_map(of).collect())
}

/// All simulations; of those that Ctrl-C came before there is none.
fn compute(
    jobs: &[Job],
    outputs: &Outputs,
    args: &SimulateArgs,
    located: &Located,
    picture: Option<&mut Picture>,
    progress: &Progress,
) -> Result<Vec<Option<Run>>, Failure> {
    let ended = if let ([only], true) = (jobs, outputs.look_on()) {
        let mut silent = Silent;
        let picture: &mut dyn Observer = match picture {
            Some(picture) => picture.observer(),
            None => &mut silent,
        };
        let mut progress = progress.of(0);
        let lookers = &mut Both(picture, &mut progress);
        vec![Some(outputs.simulate(only, located.sources(), args.model, lookers)?)]
    } else {
        threads::start(None)?;
        running::all(jobs, progress)
    };
    let result = |(job, ended): (&Job, Option<Result<Run, JobError>>)| {
        let failed = |error: JobError| over_time::failed(job.study, located, job.policy, &error);
        Ok(ended.map(|ended| ended.map_err(failed)).transpose()?)
    };
    jobs.iter().zip(ended).map(result).collect()
}

fn deliver(
    args: &SimulateArgs,
    study: &Study,
    simulated: &[Simulated],
    compared: Option<&compared::Compared>,
    destination: &Destination,
    shell: &Shell,
) -> Result<(), Failure> {
    match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let table = |style: &Style| {
                let mut text = simulated::table(study, simulated, style);
                if let (Some(compared), [one]) = (compared, simulated) {
                    let folder = compared.folder.display().to_string();
                    text.push('\n');
                    text += &beside::table(study, one, &compared.measured, &folder, style);
                }
                text
            };
            destination.deliver(&shell.for_people(format, args.output.output.is_some(), table))
        }
        Format::Json => {
            let mut json = simulated::json(study, simulated);
            if let (Some(compared), [one]) = (compared, simulated) {
                json["compare"] = beside::json(study, one, &compared.measured);
            }
            destination.deliver_by(|out| document::write(&json, out))
        }
        Format::Csv => {
            let csv = simulated::csv(study, simulated)
                .map_err(|error| Failure::fault("cannot write CSV").caused_by(error.as_ref()))?;
            destination.deliver(&csv)
        }
    }
}

/// What a person must know beside the result.
fn told(jobs: &[Job], simulated: &[Simulated], shell: &Shell) -> Result<(), Failure> {
    if simulated.len() < jobs.len() || simulated.iter().any(Simulated::is_partial) {
        let whole = simulated.iter().filter(|one| !one.is_partial()).count();
        let message = match (jobs.len(), simulated) {
            (1, [only]) => {
                format!("interrupted after {} s of simulated time", figures::short(only.run.time.value()))
            }
            (all, _) => format!("interrupted after {whole} of {all} simulations"),
        };
        return Err(Failure::interrupted(message)
            .hint("what was simulated until then is written, and says that it is partial"));
    }
    for warning in over_time::unfinished(simulated) {
        shell.warn(warning);
    }
    Ok(())
}

/// `--replay`.
fn replayed(path: &std::path::Path, args: &SimulateArgs, shell: &Shell) -> Result<(), Failure> {
    let (name, from) = files::open_trace(path)?;
    let destination = Destination::open(args.output.output.as_deref())?;
    let replayed = replay::replay(&name, from)?;
    if let Some(line) = replayed.torn {
        shell.warn(format!("{name}:{line}: the last line does not end, and is ignored"));
    }
    let (decisions, actions) = (replayed.decisions, replayed.actions);
    match args.output.format {
        Format::Markdown => Err(without_table("--replay says whether the orders are the same")),
        Format::Table => destination.deliver(&format!(
            "Policy '{}', asked again for {}, sends the same {}.\n",
            replayed.policy,
            figures::count(decisions, "decision"),
            figures::count(actions, "order"),
        )),
        Format::Json => {
            let json = json!({
                "schema": 1,
                "command": "simulate",
                "replay": { "decisions": decisions, "actions": actions },
            });
            destination.deliver_by(|out: &mut dyn io::Write| document::write(&json, out))
        }
        Format::Csv => destination.deliver(&format!("decisions,actions\n{decisions},{actions}\n")),
    }
}

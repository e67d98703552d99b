//! `numasim simulate`: applications over time, with a policy that gives and takes cores.

pub(crate) mod compared;
mod outputs;
mod picture;
mod pictured;
mod progress;
mod running;
pub(crate) mod timeline;

use numasim_ask::simulate::Replayed;
use numasim_ask::tables::Ran;
use numasim_ask::{Input, Simulate, Simulation, Simulations, document, table};
use numasim_dynamic::{Both, Job, JobError, Observer, Silent};

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
use outputs::Outputs;
use picture::Picture;
pub(super) use pictured::{Pictured, pictured};
use progress::Progress;

/// Runs the command.
pub(crate) fn run(args: &SimulateArgs, shell: &Shell) -> Result<(), Failure> {
    if let Some(path) = &args.replay {
        return replayed(path, args, shell);
    }
    let input = sharing::choose_for(files::read_input(&args.files)?, args.model, shell)?;
    let study = &*input.study;
    let compared = args.compare.as_deref().map(compared::read).transpose()?;
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
        let files: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
        plot.deliver(&picture.svg(study, one, &files))?;
    }
    told(&answer, shell)
}

/// All simulations; of those that Ctrl-C came before there is none.
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
        return Ok(running::all(jobs, progress));
    };
    let mut silent = Silent;
    let picture: &mut dyn Observer = match picture {
        Some(picture) => picture.observer(),
        None => &mut silent,
    };
    let mut progress = progress.of(0);
    let lookers = &mut Both(picture, &mut progress);
    let run = outputs.simulate(only, input.located.sources(), args.model, lookers)?;
    Ok(vec![Some(run.map(|run| Simulated::of(only, only.with(run, &watch::interrupted))))])
}

fn deliver(
    args: &SimulateArgs,
    answer: &Simulation,
    compared: Option<&compared::Compared>,
    destination: &Destination,
    shell: &Shell,
) -> Result<(), Failure> {
    let Simulation { study, runs, .. } = answer;
    match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let table = |style: &Style| {
                let mut text = simulated::table(study, runs, style);
                if let (Some(compared), [one]) = (compared, runs.as_slice()) {
                    let folder = compared.folder.display().to_string();
                    text.push('\n');
                    text += &beside::table(study, one, &compared.measured, &folder, style);
                }
                text
            };
            destination.deliver(&shell.for_people(format, args.output.output.is_some(), table))
        }
        Format::Json => destination.deliver_by(|out| document::write(answer, out)),
        Format::Csv => destination.deliver(&table::csv(&Ran::columns(), Ran::all(&study.apps, runs))),
    }
}

/// What a person must know beside the result.
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
            let replayed = Replayed::new(decisions, actions);
            destination.deliver_by(|out| document::write(&replayed, out))
        }
        Format::Csv => destination.deliver(&format!("decisions,actions\n{decisions},{actions}\n")),
    }
}

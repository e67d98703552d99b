//! `--gantt` of a run on this host: drawn as those of simulations.

use numasim_bench::execute::Execution;
use numasim_draw::gantt::Gantt;
use numasim_draw::{Heading, figures};
use numasim_model::units::Seconds;
use numasim_tasks::Job;

use super::super::bars::{Recorder, title};
use crate::args::TasksArgs;
use crate::failure::Failure;
use crate::plot_file::PlotFile;

/// Checks that it can be written, where it is asked for, and changes nothing.
///
/// # Errors
/// More than one run, and those of [`PlotFile::open`].
pub(super) fn open(args: &TasksArgs, runs: usize) -> Result<Option<PlotFile>, Failure> {
    let Some(path) = args.gantt.as_deref() else { return Ok(None) };
    if runs > 1 {
        return Err(Failure::input(format!("--gantt is of one run, and these are {runs}"))
            .hint("give one --scheduler, and leave out --runs"));
    }
    PlotFile::open(Some(path)).map(Some)
}

/// What each worker did when.
pub(super) fn chart(job: &Job<'_>, run: &Execution) -> Gantt {
    let mut bars = Recorder::default();
    for record in &run.records {
        bars.ended(record, job.program.graph.kind(record.task).0);
    }
    bars.drawn(job, heading(job, run), Seconds::new(run.makespan_s), Vec::new())
}

fn heading(job: &Job<'_>, run: &Execution) -> Heading {
    let busy_s: f64 = run.records.iter().map(|record| record.end_s - record.start_s).sum();
    let all_s = run.makespan_s * job.machine.total_cores() as f64;
    let idle = if all_s > 0.0 { 1.0 - busy_s / all_s } else { 0.0 };
    let mut parts = vec![
        format!("{}: {} s, measured", job.settings.label(), figures::single(run.makespan_s)),
        format!("{:.1} % idle", idle * 100.0),
    ];
    if run.held > 0 {
        parts.push("an agent held workers back".to_owned());
    }
    Heading { title: title(job), subtitle: parts.join("; ") }
}

//! `published`: assesses the sharing models of numasim with published measurements.
//!
//! The data are in `results/published-data/data`, with their sources in the comments of each file; `results/published-data`
//! contains the answers. `cargo run --release -p numasim-published -- --help`.

mod bundles;
mod plots;
mod sets;
mod view;

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use numasim_ask::document;
use numasim_ask::refusal::Refusal;
use numasim_draw::Style;
use numasim_study::SourceFile;

use sets::{Judged, PublishedError, scaling, together};

/// End of the help: the data, and the columns of each kind of file.
const KINDS: &str = "\
Examples, each after `cargo run --release -p numasim-published --`:
  --format csv --plots results/published-data > results/published-data/summary.csv
  --scaling curves.csv
  --data lulesh.csv
  --bundle my-host.tar.zst their-host.tar.zst

The data are built in: bandwidth over cores of eight machines (RRZE), several nodes that read \
one memory of an Opteron, the paper's Table III, local and remote readers of a Xeon Max. Errors are those of \
points that no fit used. results/published-data/README.md explains them.

--scaling takes the columns machine_file,kernel,cores,bw_GBs,cores_per_numa_domain and, if there are \
hyper-threads, smt_per_core_used. Four points of each curve are fitted: one core, half, three quarters (or a quarter) and all of the NUMA domain.

--co-run has sets of several domains, memories or applications at once, with null models beside every model, and where the same was measured twice \
the error of a repetition. --data takes a file of the columns \
of one of these sets:
  cluster,size_per_domain,mpi_ranks,omp_threads,fom_zones_per_s
  cluster,benchmark,ranks,runtime_max_s,mem_total_MBps
  cluster,size,threads,kernel,runtime_s,mem_total_MBps
  machine,threads_socket0,threads_socket1,bandwidth_MBps
  machine,run,experiment,n_corunning,core,bandwidth_MBps
  kernel,threads_per_domain,memory_domains,rate_MBps
  machine,kernel,threads_node0 to threads_node3,policy,mem_nodes,bandwidth_MBps
  benchmark,kernel_or_mix,placement,weights_dram_cxl,bandwidth_best_MBps,machine
  interleave_nodes,pattern,threads,buffer_GB,read_ratio,total_MBps
  machine,mode,parallelism,kernel,bandwidth_GBps
  experiment,app,threads,alone_gbs,together_gbs,capacity_gbs (and, if they are there, machine,one_gbs: one thread alone; write_share)
  machine,kernel,node,memory,threads,gbs (and experiment, of threads that ran at once; write_share)
  machine,kernel,cores,cores_per_l3,threads_on_chiplets,gbs,given (and experiment; write_share)
  machine,cores,read_pct,bandwidth_gbs,latency_ns
Other columns do not matter, but one that says on which memory data lie is refused where a kind takes all data for local. Machines that are not known here give the cores of a domain as cores_per_numa_domain (the fourth to \
the sixth kind, and the last). results/published-data/CHOICES.md says what is given and what is predicted.

--bundle takes what numasim validate --bundle packed on other hosts: every model on the measured rows of each, beside null models, and how many \
scenarios want more than there is. Errors, contention and verdict are those of numasim compare.";

/// Assesses the sharing models with published measurements of real machines
///
/// Without options all data of results/published-data/data but those of --co-run are judged. results/published-data/README.md
/// explains the tables, CHOICES.md what is given and what is predicted.
#[derive(Parser)]
#[command(after_help = KINDS)]
struct Args {
    /// Assess only the curves of bandwidth over cores in this CSV
    #[arg(long, value_name = "FILE")]
    scaling: Option<PathBuf>,

    /// Assess only the sets of several domains, memories and applications at once
    #[arg(long, conflicts_with_all = ["scaling", "data"])]
    co_run: bool,

    /// Assess only this CSV of one of these sets; its columns say which
    #[arg(long, value_name = "FILE", conflicts_with = "scaling")]
    data: Option<PathBuf>,

    /// Assess only the results of other hosts in these bundles of `numasim validate --bundle`
    #[arg(long, value_name = "FILE.tar.zst", num_args = 1.., conflicts_with_all = ["scaling", "co_run", "data", "plots"])]
    bundle: Vec<PathBuf>,

    /// Draw the plots into this directory, as SVG
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,

    /// How the answer is written to standard output
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

/// How an answer is written.
#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Tables
    Table,
    /// Every point and every summary
    Json,
    /// One row for each set and method
    Csv,
}

fn main() -> ExitCode {
    match answer(&Args::parse()) {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            // A reader that closes early, such as `head`, is no failure.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                eprintln!("error: cannot write to standard output: {error}");
                ExitCode::FAILURE
            }
            _ => ExitCode::SUCCESS,
        },
        Err(refusal) => {
            eprintln!("{}", refusal.text(false));
            ExitCode::FAILURE
        }
    }
}

fn answer(args: &Args) -> Result<String, Refusal> {
    if !args.bundle.is_empty() {
        let sent = bundles::judge(&args.bundle)?;
        return Ok(match args.format {
            Format::Table => view::bundles::table(&sent, &Style::default()),
            Format::Json => document::pretty(&view::bundles::Document::from(&*sent)),
            Format::Csv => view::bundles::csv(&sent),
        });
    }
    let judged = match (&args.scaling, &args.data) {
        (Some(path), _) => curves(path)?,
        (None, Some(path)) => of_file(path)?,
        (None, None) if args.co_run => together::carried().map_err(|error| broken(&error))?,
        (None, None) => sets::everything().map_err(|error| broken(&error))?,
    };
    if let Some(folder) = &args.plots {
        for (name, svg) in plots::published(&judged) {
            let path = folder.join(name);
            fs::write(&path, svg).map_err(|error| {
                Refusal::said(format!("cannot write {}", path.display())).caused_by(&error)
            })?;
        }
    }
    Ok(match args.format {
        Format::Table => view::table(&judged, &Style::default()),
        Format::Json => document::pretty(&view::Document::from(&*judged)),
        Format::Csv => view::csv(&judged),
    })
}

/// The curves over cores of a file.
fn curves(path: &Path) -> Result<Vec<Judged>, Refusal> {
    let source = read(path)?;
    let curves = scaling::read(&source.text).map_err(|problems| located(problems, &source))?;
    for curve in curves.iter().filter(|curve| curve.seen().is_none()) {
        eprintln!(
            "warning: {} of {}: a curve needs one core and at least four more counts within the NUMA domain",
            curve.kernel,
            curve.name()
        );
    }
    for (curve, unsteady) in
        curves.iter().flat_map(|curve| curve.unsteady.iter().map(move |one| (curve, one)))
    {
        eprintln!("warning: {} of {}: {unsteady}; their median is judged", curve.kernel, curve.name());
    }
    let judged = scaling::judge(&curves).map_err(|error| broken(&error))?;
    if judged.is_empty() {
        return Err(Refusal::said(format!("{} has no curve that can be predicted", source.name))
            .hint("four counts of cores are fitted: one, half, three quarters and all of the NUMA domain; others are predicted"));
    }
    Ok(judged)
}

/// The sets of several at once of a file.
fn of_file(path: &Path) -> Result<Vec<Judged>, Refusal> {
    let source = read(path)?;
    match together::judge(&source.text) {
        Ok(judged) if judged.is_empty() => {
            Err(Refusal::said(format!("{} has nothing that can be predicted", source.name)).hint(
                "results/published-data/CHOICES.md says for each kind of file what is given and what is predicted from it",
            ))
        }
        Ok(judged) => Ok(judged),
        Err(PublishedError::Data(problems)) => Err(located(problems, &source)),
        Err(error) => Err(Refusal::said(format!("{} cannot be judged", source.name)).caused_by(&error)),
    }
}

fn read(path: &Path) -> Result<SourceFile, Refusal> {
    let name = path.display().to_string();
    match fs::read_to_string(path) {
        Ok(text) => Ok(SourceFile { name, text }),
        Err(error) => Err(Refusal::said(format!("{name} cannot be read")).caused_by(&error)),
    }
}

fn located(problems: Vec<numasim_study::Problem>, source: &SourceFile) -> Refusal {
    Refusal::Located { problems, sources: vec![source.clone()] }
}

/// No input file can cause it.
fn broken(error: &PublishedError) -> Refusal {
    Refusal::said("the published data cannot be judged").caused_by(error)
}

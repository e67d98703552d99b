//! The command lines of the commands about machines and models: `numasim catalog`, `models`, `init`, `export` and `import`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand, ValueHint, value_parser};
use numasim_model::ModelKind;

use crate::args::measure::{LikwidPerfctrArgs, PerfArgs};
use crate::args::{CpusFrom, FileArgs, above_zero, one_model, positive};
use crate::output::OutputArgs;

// The command line of `numasim catalog`.

const CATALOG: &str = "\
Examples:
  numasim catalog
  numasim catalog machines --format csv -o machines.csv
  numasim catalog @a64fx > my-machine.toml
  numasim check @epyc-9654-2s-nps4
  numasim explore @xeon-gold-6138-4s @hpc-node --time-limit 5

Letters show the origin of peaks, memory bandwidths and links: m measured, t theoretical (data sheets), e estimated, a assumed. `numasim check @NAME` prints the \
source of each value. Write ./@NAME for a file on disk whose name begins with @.";

/// `numasim catalog`.
#[derive(Debug, Args)]
#[command(after_help = CATALOG)]
pub(crate) struct CatalogArgs {
    /// Print this file (@epyc-7501-2s), or list only this folder (machines) [default: list all]
    #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

// `--model` and `numasim models`.

const MODELS: &str = "\
Examples:
  numasim models
  numasim models max-min
  numasim models --format json

Select a model with --model NAME or in the machine file:

  [machine.sharing]
  model = \"max-min\"
  link_efficiency = 0.9";

/// `numasim models`.
#[derive(Debug, Args)]
#[command(after_help = MODELS)]
pub(crate) struct ModelsArgs {
    /// Only this model
    #[arg(value_name = "NAME", value_parser = one_model(), value_hint = ValueHint::Other)]
    pub(crate) name: Option<ModelKind>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

// The command line of `numasim import` for tools that print topologies.

const FIGURES: &str = "Values that a topology does not contain, for all nodes";

/// `numasim import numactl`.
#[derive(Debug, Args)]
pub(crate) struct NumactlArgs {
    /// Output of `numactl --hardware`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Output of lscpu on the same machine, in any of its forms: cores, sockets and caches, which numactl does not report
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, conflicts_with = "threads_per_core")]
    pub(crate) lscpu: Vec<PathBuf>,

    /// Hardware threads of each core: N logical CPUs count as one core
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=16))]
    pub(crate) threads_per_core: Option<u32>,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import lscpu`.
#[derive(Debug, Args)]
pub(crate) struct LscpuArgs {
    /// Output of `lscpu`, `lscpu -J`, `lscpu -e` or `lscpu -p`; the summary and a table of the same machine are combined
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import likwid-topology`.
#[derive(Debug, Args)]
pub(crate) struct LikwidTopologyArgs {
    /// Output of `likwid-topology`, with or without -c or -O
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// Figures of a person, and the name.
#[derive(Debug, Args)]
pub(crate) struct FiguresArgs {
    /// The name of the machine [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Peak of one core in GFLOPS
    #[arg(long, value_name = "GFLOPS", value_parser = positive, help_heading = FIGURES)]
    pub(crate) gflops_per_core: Option<f64>,

    /// Bandwidth of the memory of a node for local cores, in GB/s
    #[arg(long, value_name = "GB/S", value_parser = positive, help_heading = FIGURES)]
    pub(crate) bandwidth_gbs: Option<f64>,

    /// Bandwidth between the cores of a node and the memory of another node, in GB/s
    #[arg(long, value_name = "GB/S", value_parser = positive, help_heading = FIGURES)]
    pub(crate) link_gbs: Option<f64>,
}

// The command line of `numasim init`.

const INIT: &str = "\
Examples:
  numasim init
  numasim init --machine @epyc-9654-2s-nps4 --app solver=spmv --app train=8
  numasim init --from-host my-study
  numasim init --machine machine.toml --app solver=0.2 -o study.toml

Without --machine and --from-host it asks questions; press Enter to accept the value in brackets. Nothing is written before the last answer, and no file is replaced \
without --force.

--from-host reads nodes, cores and memory of this host. Bandwidths and peaks cannot be read: the study contains round values of kind `assumed` instead, \
and explains how to measure each (numasim calibrate).";

/// `numasim init`.
#[derive(Debug, Args)]
#[command(after_help = INIT)]
pub(crate) struct InitArgs {
    /// Write study.toml into this directory, which is created if it is missing [default: the current directory]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "output")]
    pub(crate) folder: Option<PathBuf>,

    /// Write the study to FILE; - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// The machine: a file of the catalogue (@epyc-7501-2s) or on disk
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "from_host")]
    pub(crate) machine: Option<PathBuf>,

    /// The machine: this host, its nodes, cores and memory. Values that cannot be read are assumed, with instructions for measuring them
    #[arg(long)]
    pub(crate) from_host: bool,

    /// An application: NAME=INTENSITY in FLOP per byte, NAME=TEMPLATE, or TEMPLATE alone; a template is an application of a workload of the
    /// catalogue (triad, spmv, dgemm, scan, ...). May be given more than once
    #[arg(long, value_name = "NAME=INTENSITY", action = ArgAction::Append, value_parser = AppTemplate::parse)]
    pub(crate) app: Vec<AppTemplate>,

    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

/// What `--app` says of an application.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AppTemplate {
    /// Its name.
    pub(crate) name: String,
    /// What it is like.
    pub(crate) like: Like,
}

/// What an application is like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Like {
    /// Its arithmetic intensity in FLOP per byte.
    Intensity(f64),
    /// An application of a workload of the catalogue, by its name.
    Template(String),
}

impl AppTemplate {
    /// Reads `solver=0.2`, `solver=spmv` or `spmv`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, like) = text.split_once('=').unwrap_or((text, text));
        let (name, like) = (name.trim(), like.trim());
        if name.is_empty() || like.is_empty() {
            return Err(
                "write NAME=INTENSITY, such as solver=0.2, or NAME=TEMPLATE, such as solver=spmv".into()
            );
        }
        Ok(Self { name: name.to_owned(), like: Like::parse(like)? })
    }
}

impl Like {
    /// Reads a number above zero, or the name of a template, which is not looked up here.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(_) => above_zero(text, "an intensity, in FLOP per byte,", "0.2").map(Self::Intensity),
            Err(_) => Ok(Self::Template(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_has_a_number_or_a_template() {
        let read = |text| AppTemplate::parse(text).map(|app| (app.name, app.like));
        assert_eq!(read("solver=0.2"), Ok(("solver".into(), Like::Intensity(0.2))));
        assert_eq!(read("solver = spmv"), Ok(("solver".into(), Like::Template("spmv".into()))));
        assert_eq!(read("spmv"), Ok(("spmv".into(), Like::Template("spmv".into()))));
        for wrong in ["", "=1", "solver=", "solver=0", "solver=-1", "solver=inf"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

// The command line of `numasim export`.

const EXPORT: &str = "\
Examples:
  numasim export hwloc machine.toml -o machine.xml
  lstopo -i machine.xml --memattrs
  numasim import hwloc machine.xml

hwloc 2.3 and newer read it: lstopo -i, HWLOC_XMLFILE, hwloc_topology_set_xml. The bandwidth of each pair of nodes is written as the attributes \
Bandwidth and ReadBandwidth of a memory, for the cores of the node that reads, rounded to whole MiB/s; latencies are Latency and \
ReadLatency in whole ns. Peaks and the source of the values are info attributes of the machine, which `import hwloc` reads. Values that hwloc \
cannot represent are listed on standard error.";

/// `numasim export`.
#[derive(Debug, Args)]
#[command(after_help = EXPORT)]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) kind: ExportKind,
}

/// What is written.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportKind {
    /// XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes
    Hwloc(ExportHwlocArgs),
}

/// `numasim export hwloc`.
#[derive(Debug, Args)]
pub(crate) struct ExportHwlocArgs {
    /// Input files (TOML); only the table [machine] is used
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

// The command line of `numasim import`.

const IMPORT: &str = "\
Examples:
  mlc --bandwidth_matrix > mlc.txt; numasim import mlc mlc.txt -o machine.toml
  numasim import mlc mlc.txt --cores-per-node 26 --gflops-per-core 80 \\
      -o machine.toml
  lstopo --of xml host.xml; numasim import hwloc host.xml -o machine.toml
  numactl --hardware > numactl.txt; lscpu > lscpu.txt; lscpu -e > cores.txt
  numasim import numactl numactl.txt --lscpu lscpu.txt cores.txt \
      -o machine.toml
  likwid-topology > topology.txt
  numasim import likwid-topology topology.txt --gflops-per-core 35.2 \
      --bandwidth-gbs 65 --link-gbs 28 -o machine.toml
  perf stat -x, -o run.csv -e ... ./solver
  numasim import perf run.csv --name solver -o solver.toml
  likwid-bench -t load -w S0:1GB:4 > load.txt
  numasim import likwid load.txt -o bandwidth.csv
  ./stream > stream.txt; numasim import stream stream.txt -o stream.csv
  virsh dumpxml db > db.xml
  numasim import libvirt db.xml --study machine.toml -o today.toml
  numasim import wfcommons blast.json --reference-gflops 18.4 -o blast
  numasim import starpu tasks.rec -o cholesky
  numasim import dot graph.dot -o graph
  numasim tasks machine.toml --graph graph --scheduler fifo,dep

A topology contains neither bandwidths nor peaks: they are written as comments with a `?` that explain how to get them, unless switches give them for all \
nodes. `numasim check` names the missing values. Distances are not bandwidths. A warning lists whatever is left out or assumed in a graph. Output of several runs in one file is read as a sweep. CSV tables of such results are also read: comment lines that \
begin with #, then a header. Anything else is rejected, and the message shows the offending line.";

/// `numasim import`.
#[derive(Debug, Args)]
#[command(after_help = IMPORT)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) kind: ImportKind,
}

/// The tools whose output is read.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportKind {
    /// Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file
    Mlc(MlcArgs),
    /// hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it
    Hwloc(HwlocArgs),
    /// numactl --hardware: the skeleton of a machine file, with memory and distances
    Numactl(NumactlArgs),
    /// lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches
    Lscpu(LscpuArgs),
    /// likwid-topology, as text, -c or -O: the skeleton of a machine file
    LikwidTopology(LikwidTopologyArgs),
    /// perf stat, one file for each run: an application, as `profile-app --perf` writes it
    Perf(PerfArgs),
    /// likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it
    LikwidPerfctr(LikwidPerfctrArgs),
    /// likwid-bench, one run or a sweep: a CSV of bandwidth over threads
    Likwid(LikwidArgs),
    /// STREAM or BabelStream: a CSV of bandwidth by kernel
    Stream(StreamArgs),
    /// virsh dumpxml, domains of libvirt: applications and a scenario
    Libvirt(PlacedArgs),
    /// docker inspect, containers: applications and a scenario
    Docker(PlacedArgs),
    /// Kubernetes, pods and the NRI balloons that place them: applications and a scenario
    Kubernetes(PlacedArgs),
    /// A rankfile of Open MPI 5 with its mpirun line: applications and a scenario
    Rankfile(RankfileArgs),
    /// WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks
    Wfcommons(WfcommonsArgs),
    /// DOT, a digraph with work and bytes as attributes: a graph of tasks
    Dot(DotArgs),
    /// StarPU, the tasks.rec of a run: a graph of tasks
    Starpu(StarpuArgs),
}

/// `numasim import libvirt`, `docker` and `kubernetes`.
#[derive(Debug, Args)]
pub(crate) struct PlacedArgs {
    /// Output of the tool (virsh dumpxml, docker inspect, kubectl get -o yaml), or of --emit
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) on: PlacedOn,
}

/// `numasim import rankfile`.
#[derive(Debug, Args)]
pub(crate) struct RankfileArgs {
    /// A rankfile with logical core numbers
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// A script with the mpirun command line: programs, their numbers of ranks, numactl
    ///
    /// Without it, all ranks form one application with the name of the file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) run: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) on: PlacedOn,
}

/// The machine on which a tool places applications.
#[derive(Debug, Args)]
pub(crate) struct PlacedOn {
    /// The machine, with the logical CPUs of each node (`cpus`); may be repeated
    ///
    /// Applications that are already in these files get no new table; the scenario refers to them by name.
    #[arg(long, value_name = "STUDY", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) study: Vec<PathBuf>,

    /// Logical CPU numbers
    ///
    /// From an hwloc XML or from this host (`host`), instead of the machine file.
    #[arg(long, value_name = "FILE", value_parser = CpusFrom::parse, value_hint = ValueHint::FilePath)]
    pub(crate) cpus_from: Option<CpusFrom>,

    /// The name of the scenario
    #[arg(long, value_name = "NAME", default_value = "imported")]
    pub(crate) scenario: String,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import mlc`.
#[derive(Debug, Args)]
pub(crate) struct MlcArgs {
    /// Output of mlc, or a CSV with the columns from_node,to_mem0,to_mem1,...
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// The name of the machine [default: the name of the table or of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Physical cores of each node, which the matrix does not contain
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=65_536))]
    pub(crate) cores_per_node: Option<u32>,

    /// Peak of one core in GFLOPS, which the matrix does not contain
    #[arg(long, value_name = "GFLOPS", value_parser = positive)]
    pub(crate) gflops_per_core: Option<f64>,

    /// Only the table whose name contains this, in a CSV with a column `file`
    #[arg(long, value_name = "NAME")]
    pub(crate) select: Option<String>,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import hwloc`.
#[derive(Debug, Args)]
pub(crate) struct HwlocArgs {
    /// Output of `lstopo --of xml`, or of `numasim export hwloc`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import likwid`.
#[derive(Debug, Args)]
pub(crate) struct LikwidArgs {
    /// Output of likwid-bench, or a CSV with the columns kernel,threads,bw_GBs
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Only machines whose name contains this, in a CSV with a column `machine_file`
    #[arg(long, value_name = "NAME")]
    pub(crate) select: Option<String>,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import stream`.
#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// Output of STREAM or BabelStream (also --csv), or a CSV with the columns threads,Copy,Scale,Add,Triad
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import wfcommons`.
#[derive(Debug, Args)]
pub(crate) struct WfcommonsArgs {
    /// An instance in WfFormat, JSON
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// GFLOPS of a core of the measured machine, which the file does not contain: work is runtimeInSeconds x avgCPU / 100 x
    /// GFLOPS
    #[arg(long, value_name = "GFLOPS", required = true, value_parser = positive)]
    pub(crate) reference_gflops: f64,

    #[command(flatten)]
    pub(crate) output: GraphFolder,
}

/// `numasim import dot`.
#[derive(Debug, Args)]
pub(crate) struct DotArgs {
    /// A digraph; nodes have `flop` (or `size`) and `type`, edges have `bytes` (or `size`)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Work of nodes without `flop`, in GFLOP (10^9 FLOP); drawings of graphs contain no work
    #[arg(long, value_name = "GFLOP", value_parser = positive)]
    pub(crate) default_gflop: Option<f64>,

    #[command(flatten)]
    pub(crate) output: GraphFolder,
}

/// `numasim import starpu`.
#[derive(Debug, Args)]
pub(crate) struct StarpuArgs {
    /// The file tasks.rec that StarPU writes with STARPU_FXT_TRACE=1 and starpu_fxt_tool
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// GFLOPS of a core of the measured machine, for tasks without GFlop: their work is EndTime - StartTime x GFLOPS
    #[arg(long, value_name = "GFLOPS", value_parser = positive)]
    pub(crate) reference_gflops: Option<f64>,

    #[command(flatten)]
    pub(crate) output: GraphFolder,
}

/// Where a graph goes.
#[derive(Debug, Args)]
pub(crate) struct GraphFolder {
    /// Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them
    #[arg(short, long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,
}

//! Values of the options of searches: constraints on single applications, pairs of objectives, and `--emit`.

use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum, ValueHint};
use numasim_ask::limits::MOST_WORKERS;
use numasim_ask::placing::{Asked, OfApp};
use numasim_sim::Objective;

// Constraints on single applications: numbers of threads, multiples, few nodes, exclusive nodes.

/// The heading of constraints in help.
pub(super) const CONSTRAINTS: &str = "Constraints (these combine)";

/// The value of `--threads`: of an application, or of the search itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// `APP=N`.
    OfApp(OfApp<u32>),
    /// `N`: worker threads of the search.
    OfSearch(NonZeroU16),
}

/// Constraints on single applications.
#[derive(Default, Debug, Args)]
pub(crate) struct PlacingArgs {
    /// Exactly N threads of APP
    ///
    /// APP=N: the application (or each instance of a group) has exactly N threads on the whole machine. N without APP: worker threads of the
    /// search [default: one per core of this host].
    #[arg(long, value_name = "APP=N", value_parser = threads, action = ArgAction::Append)]
    #[arg(help_heading = CONSTRAINTS)]
    threads: Vec<Threads>,

    /// A multiple of N threads on each node
    ///
    /// The number of threads of the application on each node is a multiple of N (the cores of an L3, or the hardware threads of a core).
    /// N without APP applies to every application.
    #[arg(long, value_name = "APP=N", value_parser = multiple, action = ArgAction::Append)]
    #[arg(help_heading = CONSTRAINTS)]
    threads_multiple: Vec<OfApp<NonZeroU32>>,

    /// Threads on at most N nodes
    ///
    /// At most N nodes have threads of the application. N without APP applies to each application.
    #[arg(long, value_name = "APP=N", value_parser = nodes, action = ArgAction::Append)]
    #[arg(help_heading = CONSTRAINTS)]
    max_nodes: Vec<OfApp<NonZeroU16>>,

    /// 0 or N threads in each L3 domain
    ///
    /// An L3 domain (`cores_per_l3`) has 0 or N threads of the application. N without APP applies to each application.
    #[arg(long, value_name = "APP=N", value_parser = per_domain, action = ArgAction::Append)]
    #[arg(help_heading = CONSTRAINTS)]
    threads_per_l3: Vec<OfApp<NonZeroU32>>,

    /// Threads in at most N L3 domains
    ///
    /// At most N L3 domains of the machine have threads of the application. N without APP applies to each application.
    #[arg(long, value_name = "APP=N", value_parser = domains, action = ArgAction::Append)]
    #[arg(help_heading = CONSTRAINTS)]
    max_l3: Vec<OfApp<NonZeroU16>>,

    /// No other application on the nodes of APP
    ///
    /// Nodes with threads of the application have no threads of other applications. May be given more than once.
    #[arg(long, value_name = "APP", action = ArgAction::Append, help_heading = CONSTRAINTS)]
    exclusive: Vec<String>,
}

impl PlacingArgs {
    /// What is asked of applications.
    pub(crate) fn asked(&self) -> Asked {
        let threads = self.threads.iter().filter_map(|threads| match threads {
            Threads::OfApp(of) => Some(of.clone()),
            Threads::OfSearch(_) => None,
        });
        Asked {
            threads: threads.collect(),
            threads_multiple: self.threads_multiple.clone(),
            max_nodes: self.max_nodes.clone(),
            threads_per_l3: self.threads_per_l3.clone(),
            max_l3: self.max_l3.clone(),
            exclusive: self.exclusive.clone(),
        }
    }

    /// Worker threads of the search; the last number counts.
    pub(crate) fn workers(&self) -> Option<u16> {
        self.threads.iter().rev().find_map(|threads| match threads {
            Threads::OfApp(_) => None,
            Threads::OfSearch(workers) => Some(workers.get()),
        })
    }
}

fn threads(text: &str) -> Result<Threads, String> {
    if text.contains('=') {
        let refusal = "write a name and a number, such as solver=16";
        return of_app(text, refusal).map(Threads::OfApp);
    }
    let workers = text.parse::<NonZeroU16>().ok().filter(|workers| workers.get() <= MOST_WORKERS);
    workers.map(Threads::OfSearch).ok_or_else(|| {
        format!(
            "write solver=16 for 16 threads of the application solver, or a number from 1 to {MOST_WORKERS} for the worker threads \
             of the search"
        )
    })
}

fn multiple(text: &str) -> Result<OfApp<NonZeroU32>, String> {
    of_app(text, "write a number from 1 up, alone or of one application, such as 4 or solver=4")
}

fn nodes(text: &str) -> Result<OfApp<NonZeroU16>, String> {
    of_app(text, "write a number of nodes from 1 up, alone or of one application, such as 2 or solver=2")
}

fn per_domain(text: &str) -> Result<OfApp<NonZeroU32>, String> {
    of_app(text, "write a number of threads from 1 up, alone or of one application, such as 8 or vm=8")
}

fn domains(text: &str) -> Result<OfApp<NonZeroU16>, String> {
    of_app(text, "write a number of L3 domains from 1 up, alone or of one application, such as 2 or vm=2")
}

/// Reads `APP=N`, or `N`. A name may contain `=`.
fn of_app<T: std::str::FromStr>(text: &str, refusal: &str) -> Result<OfApp<T>, String> {
    let (app, value) = match text.rsplit_once('=') {
        Some((app, value)) => (Some(app.trim().to_owned()), value),
        None => (None, text),
    };
    let value = value.trim().parse().map_err(|_| refusal.to_owned())?;
    if app.as_ref().is_some_and(String::is_empty) {
        return Err(refusal.to_owned());
    }
    Ok(OfApp { app, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_that_of_one_application_or_of_all() {
        let of = |app: Option<&str>, value| OfApp { app: app.map(str::to_owned), value };
        assert_eq!(
            multiple("solver=4").map(|of| (of.app, of.value.get())),
            Ok((Some("solver".to_owned()), 4))
        );
        assert_eq!(multiple("4").map(|of| (of.app, of.value.get())), Ok((None, 4)));
        assert_eq!(threads("a=b=16"), Ok(Threads::OfApp(of(Some("a=b"), 16))));
        assert_eq!(threads("8"), Ok(Threads::OfSearch(NonZeroU16::new(8).expect("not 0"))));
        for wrong in ["solver", "solver=", "=4", "solver=-1", "0", "1025", ""] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "solver=0", "x", "solver=1.5"] {
            assert!(multiple(wrong).is_err() && nodes(wrong).is_err(), "{wrong}");
        }
    }
}

// The value of `--pareto`.

/// Two different objectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectivePair(pub(crate) [Objective; 2]);

/// Reads `total-gflops,fair`.
pub(super) fn pair(text: &str) -> Result<ObjectivePair, String> {
    let known = || Objective::ALL.map(Objective::as_str).join(", ");
    let objective = |name: &str| {
        let found = Objective::from_word(name.trim());
        found.ok_or_else(|| format!("'{}' is no objective; choose two of {}", name.trim(), known()))
    };
    let Some((first, second)) = text.split_once(',') else {
        return Err("write two objectives with a comma between them, such as total-gflops,fair".to_owned());
    };
    let pair = [objective(first)?, objective(second)?];
    if pair[0] == pair[1] {
        return Err(format!("a trade-off needs two different objectives; choose two of {}", known()));
    }
    Ok(ObjectivePair(pair))
}

#[cfg(test)]
mod pareto_tests {
    use super::*;

    #[test]
    fn two_different_objectives_make_a_pair() {
        use Objective::{Fair, TotalGflops};
        assert_eq!(pair("total-gflops,fair"), Ok(ObjectivePair([TotalGflops, Fair])));
        assert_eq!(pair("fair, total-gflops"), Ok(ObjectivePair([Fair, TotalGflops])));
        for wrong in ["fair", "fair,fair", "fair,speed", "fair,geomean,makespan", ""] {
            assert!(pair(wrong).is_err(), "{wrong}");
        }
    }
}

// The options of `--emit`, which evaluate and explore share.

/// What `--emit` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitKind {
    /// Binds logical CPUs and memory of each process; sets node weights for unequal fractions
    Numactl,
    /// Pins each OpenMP thread: OMP_NUM_THREADS, OMP_PLACES, OMP_PROC_BIND
    Omp,
    /// A batch script: srun with --cpu-bind and --mem-bind, for each rank
    Slurm,
    /// Binds logical CPUs and memory of each process, with hwloc-bind
    Hwloc,
    /// Groups of cgroup v2 with cpuset.cpus and cpuset.mems
    Cgroup,
    /// Pins each thread, with likwid-pin
    Likwid,
    /// Open MPI 5: a rankfile and the mpirun line
    Openmpi,
    /// systemd: a drop-in for each service
    Systemd,
    /// Docker: a compose file, and docker run lines
    Docker,
    /// libvirt: a domain for each virtual machine
    Libvirt,
    /// Kubernetes: pods, with NRI balloons or the kubelet's static CPU manager
    Kubernetes,
}

/// `--emit`: commands instead of a table.
#[derive(Debug, Args)]
pub(crate) struct EmitArgs {
    /// A script or files that set up the placement
    ///
    /// Printed instead of the table. Kinds with several files print them one after another; `-o FOLDER/` writes each to the folder.
    #[arg(long, value_name = "KIND", conflicts_with = "format", help_heading = "Output")]
    pub(crate) emit: Option<EmitKind>,

    /// Logical CPU numbers for --emit
    ///
    /// From an hwloc XML or from this host (`host`), instead of the machine file.
    #[arg(long, value_name = "FILE", requires = "emit", value_parser = CpusFrom::parse, help_heading = "Output")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) cpus_from: Option<CpusFrom>,
}

/// What `--cpus-from` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CpusFrom {
    /// The machine on which numasim runs.
    Host,
    /// A file that `lstopo` wrote.
    Xml(PathBuf),
}

impl CpusFrom {
    /// Reads the value of the switch; every text is one.
    #[allow(clippy::unnecessary_wraps, reason = "clap wants a result")]
    pub(super) fn parse(text: &str) -> Result<Self, std::convert::Infallible> {
        Ok(if text == "host" { Self::Host } else { Self::Xml(text.into()) })
    }
}

//! From files to a plan for this host, and what is told about it.

use numasim_bench::plan::{self, Change, Misfit, Options, Plan, PlanError};
use numasim_draw::figures;
use numasim_host::HostTopology;
use numasim_model::{Machine, Study};
use numasim_study::SourceFile;

use crate::args::Benchmark;
use crate::failure::Failure;
use crate::shell::Shell;
use crate::suggest;
use numasim_ask::evaluate;
use numasim_ask::room;

/// What the files say.
pub(super) struct Asked {
    pub(super) study: Study,
    pub(super) host_machine: Option<Machine>,
    /// The text of every file, for the provenance.
    pub(super) texts: Vec<SourceFile>,
}

impl Asked {
    pub(super) fn read(args: &Benchmark) -> Result<Self, Failure> {
        let (reading, mut texts) = crate::files::read_study_and_texts(&args.files)?;
        let host_machine = match &args.host_machine {
            None => None,
            Some(path) => {
                let (reading, text) = crate::files::read_study_and_texts(std::slice::from_ref(path))?;
                texts.extend(text);
                Some(reading.study.machine)
            }
        };
        Ok(Self { study: reading.study, host_machine, texts })
    }
}

/// The plan, or everything that does not fit.
pub(super) fn plan(asked: &Asked, args: &Benchmark, host: &HostTopology) -> Result<Plan, Failure> {
    let scenarios = evaluate::wanted(&asked.study, &args.scenario)?;
    // Scaled to a host, the memory of the file's nodes says nothing.
    for scenario in scenarios.iter().filter(|_| !args.fit_host) {
        if let Ok(placements) = scenario.placements() {
            room::check(&asked.study, scenario, &placements)?;
        }
    }
    let host_machine = asked.host_machine.clone();
    let options = Options { bind: args.bind.into(), fit: args.fit_host, host_machine, isa: args.isa };
    plan::make(&asked.study, &scenarios, host, &options).map_err(|error| refused(&error, args.fit_host, host))
}

fn refused(error: &PlanError, fitting: bool, host: &HostTopology) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        PlanError::Misfits(misfits) => {
            const MOST: usize = 20;
            let cores: u64 = host.nodes.iter().map(|node| u64::from(node.cores)).sum();
            let nodes = figures::count(host.nodes.len() as u64, "NUMA node");
            let mut failure = Failure::input(format!(
                "{error} ({nodes}, {} that may be used)",
                figures::count(cores, "core")
            ));
            for misfit in misfits.iter().take(MOST) {
                failure = failure.caused_by(misfit);
            }
            if misfits.len() > MOST {
                failure = failure.hint(format!("and {} more", misfits.len() - MOST));
            }
            let another = |misfit: &Misfit| matches!(misfit, Misfit::OsNode { .. } | Misfit::Cpus { .. });
            if fitting {
                failure.hint("choose scenarios with fewer applications, or a host with more cores")
            } else if misfits.iter().flat_map(|one| &one.misfits).any(another) {
                failure.hint("`numasim detect` prints the machine file of this host; --fit-host scales to it")
            } else {
                failure.hint(
                    "--fit-host scales them to this host and says what it changed; --dry-run shows the plan",
                )
            }
        }
        PlanError::OpenHome { app, .. } => failure
            .hint(format!(
                "name the node in the scenario, for example  data = {{ {} = {{ home = 0 }} }}",
                suggest::key(app)
            ))
            .hint("or let `numasim explore` find the best home"),
        PlanError::OtherHost { .. } => failure
            .hint("--host-machine takes the machine file of this host, as detect and calibrate write it"),
        PlanError::Kernel { .. } | PlanError::Study(_) => failure,
    }
}

/// Says what was changed and left out.
pub(super) fn tell(plan: &Plan, shell: &Shell) {
    for scenario in plan.scenarios.iter().filter(|scenario| scenario.fitted) {
        let own = plan.changes.iter().filter(|change| change.scenario() == scenario.name);
        let messages: Vec<String> = own.map(Change::to_string).collect();
        shell.warn(format!("scenario '{}' was scaled to this host: {}", scenario.name, messages.join("; ")));
    }
    for skipped in &plan.skipped {
        shell.warn(format!("{skipped}; it is left out"));
    }
}

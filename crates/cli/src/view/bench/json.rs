//! A run and a plan for programs.

use numasim_ask::document::Head;
use numasim_ask::measuring::{
    Benched, BenchedApp, BenchedScenario, Change, Doubt, MemoryShare, Misplaced, PlannedBench, PlannedGroup,
    PlannedScenario, PlannedThread, Settings, Skipped, Spread, Threads,
};
use numasim_bench::doubt::RecordedDoubt;
use numasim_bench::plan::{self, Plan};
use numasim_bench::session::Ended;
use numasim_evidence::measured::{Figure, Summary};

use super::plan::groups;
use super::{Planned, Result};

/// The document of a run.
pub(crate) fn json(result: &Result) -> Benched {
    let provenance = result.provenance;
    let status = match result.outcome.ended {
        Ended::Interrupted => "interrupted",
        Ended::Failed(_) => "failed",
        Ended::Complete if result.outcome.lost().next().is_some() => "misplaced",
        Ended::Complete => "complete",
    };
    let misplaced = result.outcome.misplaced.iter().map(|one| Misplaced {
        scenario: one.scenario.clone(),
        repetition: one.repetition,
        problems: one.problems.clone(),
        repeated_in_place: one.mended,
    });
    let settings = &provenance.settings;
    Benched {
        head: Head::of("bench"),
        machine: result.plan.study.machine.name().to_owned(),
        host: result.host.name.clone(),
        run: provenance.run.clone(),
        status: status.to_owned(),
        result: result.path.display().to_string(),
        provenance: result.beside.display().to_string(),
        study: result.study.display().to_string(),
        settings: Settings {
            isa: settings.isa.clone(),
            warm_up_s: settings.warm_up_s,
            window_s: settings.window_s,
            repeat: settings.repeat,
            bind: settings.bind.clone(),
            processes: settings.processes,
            bytes_per_thread: settings.bytes_per_thread,
        },
        scenarios: scenarios(result.summaries),
        changes: changes(result.plan),
        skipped: skipped(result.plan),
        misplaced: misplaced.collect(),
        doubts: provenance.doubts.iter().cloned().map(doubt).collect(),
    }
}

/// A doubt of a document.
pub(crate) fn doubt(recorded: RecordedDoubt) -> Doubt {
    let RecordedDoubt { code, message, advice } = recorded;
    Doubt { code, message, advice }
}

fn scenarios(summaries: &[Summary]) -> Vec<BenchedScenario> {
    let spread = |figure: Option<Figure>| {
        figure.map(|Figure { median, min, max, spread }| {
            let spread = spread;
            Spread { median, min, max, spread }
        })
    };
    let app = |one: &&Summary| {
        let threads = one.threads.iter().map(|&(node, threads)| Threads { node: node as u64, threads });
        Some(BenchedApp {
            name: one.app.clone()?,
            threads: threads.collect(),
            repetitions: one.repetitions as u64,
            gflops: spread(one.gflops),
            bandwidth_gbs: spread(one.bandwidth_gbs),
            counting_percent: one.counting_percent,
        })
    };
    let scenario = |own: Vec<&Summary>| {
        // A single application is the whole scenario.
        let whole = own.iter().find(|one| one.app.is_none()).or(own.first());
        BenchedScenario {
            name: own.first().map_or_else(String::new, |one| one.scenario.clone()),
            fitted: own.iter().any(|one| one.fitted),
            repetitions: whole.map(|one| one.repetitions as u64),
            total_gflops: spread(whole.and_then(|one| one.gflops)),
            total_bandwidth_gbs: spread(whole.and_then(|one| one.bandwidth_gbs)),
            apps: own.iter().filter_map(app).collect(),
        }
    };
    summaries
        .chunk_by(|one, next| one.scenario == next.scenario)
        .map(|own| scenario(own.iter().collect()))
        .collect()
}

fn changes(plan: &Plan) -> Vec<Change> {
    let change = |change: &plan::Change| Change {
        scenario: change.scenario().to_owned(),
        what: change.code().to_owned(),
        change: change.to_string(),
    };
    plan.changes.iter().map(change).collect()
}

fn skipped(plan: &Plan) -> Vec<Skipped> {
    let reasons =
        |misfits: &[plan::Misfit]| misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let skipped = plan.skipped.iter();
    skipped.map(|one| Skipped { scenario: one.scenario.clone(), reason: reasons(&one.misfits) }).collect()
}

/// The document of a plan.
pub(crate) fn plan_json(planned: &Planned) -> PlannedBench {
    let (settings, all) = (planned.settings, groups(planned));
    let thread = |thread: &&plan::PlannedThread| {
        let memory = thread.memory.iter().map(|&(os_node, share)| MemoryShare { os_node, share });
        PlannedThread { cpus: thread.cpus.to_string(), memory: memory.collect() }
    };
    let scenario = |scenario: &plan::PlannedScenario| {
        let own = all.iter().filter(|(of, ..)| of.name == scenario.name);
        let groups = own.map(|(_, app, node, threads)| PlannedGroup {
            app: app.name.clone(),
            node: node.0 as u64,
            kernel: app.kernel.name().to_owned(),
            arithmetic_intensity: app.kernel.arithmetic_intensity().value(),
            threads: threads.iter().map(thread).collect(),
        });
        PlannedScenario { name: scenario.name.clone(), fitted: scenario.fitted, groups: groups.collect() }
    };
    PlannedBench {
        head: Head::of("bench"),
        machine: planned.plan.study.machine.name().to_owned(),
        host: planned.host.name.clone(),
        status: "planned".to_owned(),
        repetitions: planned.repetitions,
        isa: settings.isa.as_str().to_owned(),
        window_s: settings.window.as_secs_f64(),
        warm_up_s: settings.warm_up.as_secs_f64(),
        bytes_per_thread: settings.bytes_per_thread,
        processes: settings.processes,
        scenarios: planned.plan.scenarios.iter().map(scenario).collect(),
        changes: changes(planned.plan),
        skipped: skipped(planned.plan),
        doubts: planned.doubts.iter().map(|one| doubt(one.into())).collect(),
    }
}

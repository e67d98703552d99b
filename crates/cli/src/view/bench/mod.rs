//! Output of a benchmark run, and of the plan for one, for people and programs.

use std::fmt::Write as _;
use std::path::Path;

use numasim_ask::compare::percent;
use numasim_ask::measuring::{
    self as document, Benched, BenchedApp, BenchedScenario, MemoryShare, Misplaced, PlannedBench,
    PlannedGroup, Skipped, Spread, Threads,
};
use numasim_ask::table::{self, Of};
use numasim_bench::doubt::{Doubt, RecordedDoubt};
use numasim_bench::plan::{self, Plan, PlannedApp, PlannedScenario, PlannedThread};
use numasim_bench::provenance::Provenance;
use numasim_bench::runner::Settings;
use numasim_bench::session::{Ended, Outcome};
use numasim_evidence::measured::{Figure, Summary};
use numasim_model::NodeId;
use numasim_model::cpus::ranges;
use numasim_model::text::visible;
use numasim_study::topology::HostTopology;

use crate::view::{Style, figures};

/// A run and its outcome.
pub(crate) struct Result<'a> {
    /// This host.
    pub(crate) host: &'a HostTopology,
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// The provenance, and the measurement warnings.
    pub(crate) provenance: &'a Provenance,
    /// The path of the CSV.
    pub(crate) path: &'a Path,
    /// The path of the study that ran, as an input file.
    pub(crate) study: &'a Path,
    /// The path of the provenance.
    pub(crate) beside: &'a Path,
    /// The outcome.
    pub(crate) outcome: &'a Outcome,
    /// Summaries over the repetitions.
    pub(crate) summaries: &'a [Summary],
}

/// A plan that is not carried out.
pub(crate) struct Planned<'a> {
    /// This host.
    pub(crate) host: &'a HostTopology,
    /// The scenarios that would run.
    pub(crate) plan: &'a Plan,
    /// The settings.
    pub(crate) settings: &'a Settings,
    /// Number of repetitions.
    pub(crate) repetitions: u32,
    /// Reasons for distrust that are already known.
    pub(crate) doubts: &'a [Doubt],
}

/// Size of the data of the kernels in a plan: synthetic kernels use this amount per thread, real ones their problem sizes.
fn data(plan: &Plan, bytes_per_thread: u64) -> String {
    let apps = || plan.scenarios.iter().flat_map(|scenario| &scenario.apps);
    let mib = bytes_per_thread >> 20;
    match apps().filter(|app| app.kernel.synthetic().is_none()).count() {
        0 => format!("{mib} MiB for each thread"),
        real if real == apps().count() => "real ones on their problems".to_owned(),
        _ => format!("{mib} MiB for each thread, real ones on their problems"),
    }
}

/// Threads on each node: `2 on 0, 1 on 3`.
fn threads(threads: &[(usize, u32)]) -> String {
    let each = threads.iter().map(|(node, count)| format!("{count} on {node}"));
    each.collect::<Vec<_>>().join(", ")
}

/// The summary as CSV: one line for each application, and one without `app` for a scenario of several.
///
/// | column | meaning |
/// |---|---|
/// | `scenario`, `app` | names; an empty `app` is the whole scenario |
/// | `threads` | on all nodes |
/// | `repetitions` | valid ones |
/// | `gflops_median`, `_min`, `_max` | over the repetitions |
/// | `gflops_spread` | sample standard deviation over mean; empty with one repetition |
/// | `bandwidth_gbs_…` | the same of the traffic |
/// | `fitted` | the scenario was scaled to the host |
pub(crate) fn csv(summaries: &[Summary]) -> String {
    table::csv(&columns(&Style::default()), summaries)
}

fn columns(style: &Style) -> Vec<Of<'_, Summary>> {
    let strong = |one: &Summary, text: String| if one.app.is_none() { style.strong(&text) } else { text };
    let figure = |name, of: fn(&Summary) -> Option<Figure>, value: fn(&Figure) -> f64| {
        Of::number(name, move |one: &Summary| of(one).as_ref().map(value)).rounded()
    };
    let spread = |name, of: fn(&Summary) -> Option<Figure>| {
        Of::number(name, move |one: &Summary| of(one).and_then(|figure| figure.spread))
            .titled("spread")
            .written(percent)
    };
    vec![
        Of::text("scenario", |one: &Summary| one.scenario.clone())
            .painted(|one, name| marked(name, one.fitted))
            .once(),
        Of::text("app", |one: &Summary| one.app.clone())
            .titled("application")
            .painted(move |one, name| if one.app.is_none() { style.strong("together") } else { name }),
        Of::whole("threads", |one: &Summary| one.threads.iter().map(|(_, threads)| threads).sum::<u32>()),
        Of::whole("repetitions", |one: &Summary| one.repetitions).titled("valid"),
        figure("gflops_median", |one| one.gflops, |of| of.median).titled("GFLOPS\nmedian").painted(strong),
        figure("gflops_min", |one| one.gflops, |of| of.min).titled("min"),
        figure("gflops_max", |one| one.gflops, |of| of.max).titled("max"),
        spread("gflops_spread", |one| one.gflops),
        figure("bandwidth_gbs_median", |one| one.bandwidth_gbs, |of| of.median).titled("GB/s\nmedian"),
        figure("bandwidth_gbs_min", |one| one.bandwidth_gbs, |of| of.min),
        figure("bandwidth_gbs_max", |one| one.bandwidth_gbs, |of| of.max),
        spread("bandwidth_gbs_spread", |one| one.bandwidth_gbs),
        Of::text("fitted", |one: &Summary| one.fitted),
    ]
}

// A run and a plan for programs.

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
        head: numasim_ask::document::Head::of("bench"),
        machine: result.plan.study.machine.name().to_owned(),
        host: result.host.name.clone(),
        run: provenance.run.clone(),
        status: status.to_owned(),
        result: result.path.display().to_string(),
        provenance: result.beside.display().to_string(),
        study: result.study.display().to_string(),
        settings: document::Settings {
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

/// A measurement warning in a document.
pub(crate) fn doubt(recorded: RecordedDoubt) -> document::Doubt {
    let RecordedDoubt { code, message, advice } = recorded;
    document::Doubt { code, message, advice }
}

fn scenarios(summaries: &[Summary]) -> Vec<BenchedScenario> {
    let spread = |figure: Option<Figure>| {
        figure.map(|Figure { median, min, max, spread }| Spread { median, min, max, spread })
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

fn changes(plan: &Plan) -> Vec<document::Change> {
    let change = |change: &plan::Change| document::Change {
        scenario: change.scenario.clone(),
        what: change.code.to_owned(),
        change: change.words.clone(),
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
    let thread = |thread: &&PlannedThread| {
        let memory = thread.memory.iter().map(|&(os_node, share)| MemoryShare { os_node, share });
        document::PlannedThread { cpus: thread.cpus.to_string(), memory: memory.collect() }
    };
    let scenario = |scenario: &PlannedScenario| {
        let own = all.iter().filter(|(of, ..)| of.name == scenario.name);
        let groups = own.map(|(_, app, node, threads)| PlannedGroup {
            app: app.name.clone(),
            node: node.0 as u64,
            kernel: app.kernel.name().to_owned(),
            arithmetic_intensity: app.kernel.arithmetic_intensity().value(),
            threads: threads.iter().map(thread).collect(),
        });
        document::PlannedScenario {
            name: scenario.name.clone(),
            fitted: scenario.fitted,
            groups: groups.collect(),
        }
    };
    PlannedBench {
        head: numasim_ask::document::Head::of("bench"),
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

// A plan for people and spreadsheets: the logical CPU of each thread, and the placement of its data.

/// One line for each scenario, application and node.
pub(crate) fn plan_table(planned: &Planned, style: &Style) -> String {
    let settings = planned.settings;
    let each = settings.warm_up + settings.window;
    let all = planned.plan.scenarios.len() as f64 * f64::from(planned.repetitions);
    let out = format!(
        "Host          {} ({})\nWould measure {} x {}, {} s each and the time to place the data: at least {} s\n\
         Kernels       {}, {}\n\n",
        planned.host.name,
        figures::count(planned.host.nodes.len() as u64, "NUMA node"),
        figures::count(planned.plan.scenarios.len() as u64, "scenario"),
        figures::count(u64::from(planned.repetitions), "repetition"),
        figures::short(each.as_secs_f64()),
        figures::short((all * each.as_secs_f64()).ceil()),
        settings.isa,
        data(planned.plan, settings.bytes_per_thread),
    );
    let columns = plan_columns();
    let shown = [
        "scenario",
        "app",
        "kernel",
        "arithmetic_intensity_flop_per_byte",
        "node",
        "threads",
        "data_os_nodes",
        "cpus",
    ];
    out + &table::grid(table::named(&columns, &shown), &groups(planned)).render(style)
}

/// The same as CSV: every thread's logical CPUs, and the shares of its data in percent.
pub(crate) fn plan_csv(planned: &Planned) -> String {
    table::csv(&plan_columns(), groups(planned))
}

fn plan_columns<'a>() -> [Of<'a, Group<'a>>; 9] {
    [
        Of::text("scenario", |(scenario, ..): &Group<'a>| scenario.name.clone())
            .painted(|(scenario, ..), name| marked(name, scenario.fitted))
            .once(),
        Of::text("app", |(_, app, ..): &Group| app.name.clone()).titled("application"),
        Of::whole("node", |(_, _, node, _): &Group| node.0),
        Of::whole("threads", |(.., threads): &Group| threads.len()),
        Of::text("kernel", |(_, app, ..): &Group| app.kernel.name()),
        Of::number("arithmetic_intensity_flop_per_byte", |(_, app, ..): &Group| {
            app.kernel.arithmetic_intensity().value()
        })
        .titled("FLOP/byte")
        .written(figures::short),
        Of::text("data_os_nodes", |(.., threads): &Group| data_on(threads)).titled("data on OS node"),
        Of::text("cpus", |(.., threads): &Group| processors(threads)).titled("processors"),
        Of::text("fitted", |(scenario, ..): &Group| scenario.fitted),
    ]
}

/// The name of a scenario, marked if it was scaled to the host.
fn marked(name: String, fitted: bool) -> String {
    if fitted { name + " (fitted)" } else { name }
}

/// Threads of each scenario and application, node by node.
type Group<'a> = (&'a PlannedScenario, &'a PlannedApp, NodeId, Vec<&'a PlannedThread>);

fn groups<'a>(planned: &Planned<'a>) -> Vec<Group<'a>> {
    let mut all = Vec::new();
    for scenario in &planned.plan.scenarios {
        for app in &scenario.apps {
            for (node, _) in app.nodes() {
                let threads = app.threads.iter().filter(|thread| thread.node == node).collect();
                all.push((scenario, app, node, threads));
            }
        }
    }
    all
}

/// Placement of the data of threads on one node: `0:100`, by number in the operating system.
fn data_on(threads: &[&PlannedThread]) -> String {
    let shares = threads.first().map_or(&[][..], |thread| &thread.memory);
    let part = |(node, share): &(u32, f64)| format!("{node}:{}", (share * 1e8).round() / 1e6);
    shares.iter().map(part).collect::<Vec<_>>().join(" ")
}

/// The logical CPUs of threads on one node: each thread's own, or those that all may use.
fn processors(threads: &[&PlannedThread]) -> String {
    match threads {
        [first, ..] if first.cpus.as_slice().len() > 1 => format!("any of {}", first.cpus),
        _ => {
            let cpus: Vec<u32> =
                threads.iter().flat_map(|thread| thread.cpus.as_slice().iter().copied()).collect();
            ranges(&cpus)
        }
    }
}

// A run for people.

/// Median and extremes of every application.
pub(crate) fn table(result: &Result, style: &Style) -> String {
    let mut text = head(result);
    text.push('\n');
    text.push_str(&summaries(result.summaries, style));
    if let Some(percent) =
        result.summaries.iter().filter_map(|one| one.counting_percent).max_by(f64::total_cmp)
    {
        let percent = figures::short((percent * 1e3).ceil() / 1e3);
        // Writing to a String cannot fail.
        let _ = write!(text, "\nCounting      took at most {percent} % of a window\n");
    }
    let files = [("Measurements", result.path), ("Provenance", result.beside), ("What ran", result.study)];
    text.push('\n');
    for (what, path) in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{what:<13} {}", visible(&path.display().to_string()));
    }
    text
}

fn head(result: &Result) -> String {
    let settings = &result.provenance.settings;
    let nodes = figures::count(result.host.nodes.len() as u64, "NUMA node");
    let cores: u64 = result.host.nodes.iter().map(|node| u64::from(node.cores)).sum();
    let cores = figures::count(cores, "usable core");
    let model =
        result.provenance.facts.cpu_model.as_deref().map_or_else(String::new, |model| format!(", {model}"));
    format!(
        "Host          {} ({nodes}, {cores}{model})\nRun           {}\nMeasured      {}\n",
        result.host.name,
        result.provenance.run,
        measured(result, settings.repeat),
    )
}

fn measured(result: &Result, repetitions: u32) -> String {
    let settings = &result.provenance.settings;
    let bound = match settings.bind.as_str() {
        "node" => "threads bound to their node",
        "none" => "threads not bound",
        _ => "one core for each thread",
    };
    let apart = if settings.processes { ", a process for each application" } else { "" };
    format!(
        "{}, window {} s after {} s, {} kernels, {}, {bound}{apart}",
        figures::count(u64::from(repetitions), "repetition"),
        figures::short(settings.window_s),
        figures::short(settings.warm_up_s),
        settings.isa,
        data(result.plan, settings.bytes_per_thread),
    )
}

fn summaries(summaries: &[Summary], style: &Style) -> String {
    let mut columns = columns(style);
    columns.push(Of::text("nodes", |one: &Summary| threads(&one.threads)).titled("threads on nodes"));
    let shown = [
        "scenario",
        "app",
        "gflops_median",
        "gflops_min",
        "gflops_max",
        "gflops_spread",
        "bandwidth_gbs_median",
        "repetitions",
        "nodes",
    ];
    table::grid(table::named(&columns, &shown), summaries).render(style)
}

#[cfg(test)]
mod tests;

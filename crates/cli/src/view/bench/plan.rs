//! A plan for people and spreadsheets: which thread on which processor, with its data where.

use numasim_ask::table::{self, Of};
use numasim_bench::plan::{PlannedApp, PlannedScenario, PlannedThread};
use numasim_draw::grid::{Align, Grid};
use numasim_model::NodeId;
use numasim_model::cpus::ranges;

use super::Planned;
use crate::view::{Style, figures};

/// One line for each scenario, application and node.
pub(crate) fn plan_table(planned: &Planned, style: &Style) -> String {
    let settings = planned.settings;
    let each = settings.warm_up + settings.window;
    let all = planned.plan.scenarios.len() as f64 * f64::from(planned.repetitions);
    let mut out = format!(
        "Host          {} ({})\nWould measure {} x {}, {} s each and the time to place the data: at least {} s\n\
         Kernels       {}, {}\n\n",
        planned.host.name,
        figures::count(planned.host.nodes.len() as u64, "NUMA node"),
        figures::count(planned.plan.scenarios.len() as u64, "scenario"),
        figures::count(u64::from(planned.repetitions), "repetition"),
        figures::short(each.as_secs_f64()),
        figures::short((all * each.as_secs_f64()).ceil()),
        settings.isa,
        super::data(planned.plan, settings.bytes_per_thread),
    );
    let mut grid = Grid::new(&[
        ("scenario", Align::Left),
        ("application", Align::Left),
        ("kernel", Align::Left),
        ("FLOP/byte", Align::Right),
        ("node", Align::Right),
        ("threads", Align::Right),
        ("data on OS node", Align::Left),
        ("processors", Align::Left),
    ]);
    let mut last = "";
    for (scenario, app, node, threads) in groups(planned) {
        let fitted = if scenario.fitted { " (fitted)" } else { "" };
        let name = if scenario.name == last { String::new() } else { format!("{}{fitted}", scenario.name) };
        last = &scenario.name;
        grid.row(vec![
            name,
            app.name.clone(),
            app.kernel.name().to_owned(),
            figures::short(app.kernel.arithmetic_intensity().value()),
            node.0.to_string(),
            threads.len().to_string(),
            data(&threads),
            processors(&threads),
        ]);
    }
    out.push_str(&grid.render(style));
    out
}

/// The same as CSV; every thread's processors, and the shares of its data in percent.
pub(crate) fn plan_csv(planned: &Planned) -> String {
    let columns = [
        Of::text("scenario", |(scenario, ..): &Group| scenario.name.clone()),
        Of::text("app", |(_, app, ..): &Group| app.name.clone()),
        Of::whole("node", |(_, _, node, _): &Group| node.0),
        Of::whole("threads", |(.., threads): &Group| threads.len()),
        Of::text("kernel", |(_, app, ..): &Group| app.kernel.name()),
        Of::number("arithmetic_intensity_flop_per_byte", |(_, app, ..): &Group| {
            app.kernel.arithmetic_intensity().value()
        }),
        Of::text("data_os_nodes", |(.., threads): &Group| data(threads)),
        Of::text("cpus", |(.., threads): &Group| processors(threads)),
        Of::text("fitted", |(scenario, ..): &Group| scenario.fitted),
    ];
    table::csv(&columns, groups(planned))
}

/// Threads of each scenario and application, node by node.
type Group<'a> = (&'a PlannedScenario, &'a PlannedApp, NodeId, Vec<&'a PlannedThread>);

pub(super) fn groups<'a>(planned: &Planned<'a>) -> Vec<Group<'a>> {
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

/// Where the data of threads on one node lies: `0:100`, by number of the operating system.
pub(super) fn data(threads: &[&PlannedThread]) -> String {
    let shares = threads.first().map_or(&[][..], |thread| &thread.memory);
    let part = |(node, share): &(u32, f64)| format!("{node}:{}", (share * 1e8).round() / 1e6);
    shares.iter().map(part).collect::<Vec<_>>().join(" ")
}

/// The processors of threads on one node: each thread's own, or those that all may use.
pub(super) fn processors(threads: &[&PlannedThread]) -> String {
    match threads {
        [first, ..] if first.cpus.as_slice().len() > 1 => format!("any of {}", first.cpus),
        _ => {
            let cpus: Vec<u32> =
                threads.iter().flat_map(|thread| thread.cpus.as_slice().iter().copied()).collect();
            ranges(&cpus)
        }
    }
}

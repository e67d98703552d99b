//! Wording of machines, nodes and objectives in titles and sentences.

use numasim_draw::figures;
use numasim_model::{App, Machine, NodeId};
use numasim_sim::Objective;

/// Prevents a line break.
pub const NO_BREAK: &str = "\u{a0}";

/// The page that explains every term, in the sources of numasim; help and reports refer to it.
pub const GLOSSARY: &str = "docs/guide/glossary.md";

/// `4 x Xeon (4 NUMA nodes, 80 cores)`
pub fn machine_title(machine: &Machine) -> String {
    let nodes = figures::count(machine.node_count() as u64, "NUMA node");
    format!("{} ({nodes}, {})", machine.name(), figures::count(machine.total_cores(), "core"))
}

/// `0-3, 6`
pub fn node_ranges(nodes: &[NodeId]) -> String {
    figures::ranges(&numbers(nodes))
}

/// The numbers of nodes.
pub fn numbers(nodes: &[NodeId]) -> Vec<usize> {
    nodes.iter().map(|node| node.0).collect()
}

/// The unit in which all of these applications count; `None` if they differ.
pub fn common_unit<'a>(apps: impl IntoIterator<Item = &'a App>) -> Option<&'a str> {
    let mut units = apps.into_iter().map(App::unit);
    let first = units.next().unwrap_or("GFLOPS");
    units.all(|unit| unit == first).then_some(first)
}

/// Title of a column or axis of such values: the unit of all `apps`, or `GFLOPS or rate`.
pub fn unit_title<'a>(apps: impl IntoIterator<Item = &'a App>) -> &'a str {
    common_unit(apps).unwrap_or("GFLOPS or rate")
}

/// Definition of p, the measure of each application in `fair` and `geomean`: `GFLOPS / stand-alone GFLOPS`.
pub fn relative<'a>(apps: impl IntoIterator<Item = &'a App>) -> String {
    let unit = common_unit(apps).unwrap_or("speed");
    format!("{unit} / stand-alone {unit}")
}

/// Description of an objective.
pub fn meaning(objective: Objective, apps: &[App]) -> String {
    match objective {
        Objective::TotalGflops => "the largest sum of weight x GFLOPS".to_owned(),
        Objective::Fair => {
            format!(
                "the largest minimum of p = {} under the same constraints, then the next smallest",
                relative(apps)
            )
        }
        Objective::Geomean => {
            format!(
                "the largest weighted geometric mean of p = {} under the same constraints",
                relative(apps)
            )
        }
        Objective::Makespan => "the shortest time until every application has finished its work".to_owned(),
    }
}

/// Whether applications have weights other than 1.
pub fn weighted(apps: &[App]) -> bool {
    apps.iter().any(|app| (app.weight - 1.0).abs() > 0.0)
}

/// The title above a column of values of an objective, as lines.
pub const fn value_title(objective: Objective, weighted: bool) -> &'static str {
    match objective {
        Objective::TotalGflops if weighted => "weighted\nGFLOPS",
        Objective::TotalGflops => "GFLOPS",
        Objective::Fair => "smallest p\n%",
        Objective::Geomean => "mean p\n%",
        Objective::Makespan => "makespan\ns",
    }
}

/// The factor of a value in tables and sentences: p is shown as a percentage of the stand-alone speed.
pub const fn value_scale(objective: Objective) -> f64 {
    match objective {
        Objective::Fair | Objective::Geomean => PERCENT,
        Objective::TotalGflops | Objective::Makespan => 1.0,
    }
}

/// A p as a percentage.
pub const PERCENT: f64 = 100.0;

/// The title along an axis or a colour scale, with the unit in parentheses.
pub const fn axis_title(objective: Objective, weighted: bool) -> &'static str {
    match objective {
        Objective::TotalGflops if weighted => "weighted GFLOPS",
        Objective::TotalGflops => "GFLOPS",
        Objective::Fair => "smallest p",
        Objective::Geomean => "mean of p",
        Objective::Makespan => "makespan (s)",
    }
}

/// `254.0 GFLOPS`, `50 % of stand-alone speed`, `10.00 s`
pub fn with_unit(objective: Objective, value: f64) -> String {
    let figure = figures::single(value * value_scale(objective));
    match objective.unit() {
        "" => format!("{figure}{NO_BREAK}% of stand-alone speed"),
        unit => format!("{figure} {unit}"),
    }
}

/// A gap as a percentage: two decimals, or one significant digit below 0.01 %.
pub fn gap(share: f64) -> String {
    let percent = share * 100.0;
    if percent <= 0.0 || percent >= 0.01 {
        return format!("{} %", figures::short((percent * 1e2).round() / 1e2));
    }
    let decimals = (3..=6).find(|&decimals| percent >= 0.95 * 0.1_f64.powi(decimals));
    decimals.map_or_else(
        || "below 0.000001 %".to_owned(),
        |decimals| format!("{percent:.*} %", usize::try_from(decimals).unwrap_or(6)),
    )
}

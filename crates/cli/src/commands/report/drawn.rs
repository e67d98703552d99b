//! The plots of a report.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use numasim_ask::Simulation;
use numasim_ask::compare::Compared;
use numasim_ask::located::Located;
use numasim_ask::over_time::{can_be_simulated, ignored_data, policy_of_files};
use numasim_ask::refusal::Refusal;
use numasim_course::Study;
use numasim_draw::strips::MOST_COLUMNS;
use numasim_dynamic::{Items, Strips};
use numasim_evidence::compare::ComparedScenario;
use numasim_model::units::Seconds;
use numasim_model::{AppId, NodeId, Table};
use numasim_policy::PolicyName;
use serde_json::{Value, json};

use crate::args::{Axes, Page};
use crate::commands::plot::allocations;
use crate::commands::simulate::{Pictured, pictured};
use crate::failure::Failure;
use crate::plot_file::MOST_MAPPED_NODES;
use crate::report::{Course, Figure, MOST_APPS, Simulations};
use crate::shell::Shell;
use crate::view::{ScenarioView, figures, plots};

/// Maximum number of scenarios with a map if there are many: a page with thousands of pictures is too large for a phone.
const MOST_MAPS: usize = 40;
/// Maximum number of pairs of bars in a readable picture.
const MOST_BARS: usize = 60;
/// Maximum number of applications whose allocations are drawn: two on the axes, one with the remaining cores.
const FEW_APPS: usize = 3;
/// With fewer possible numbers of threads, a picture shows nothing.
const FEWEST_CELLS: usize = 4;

/// The machine: its nodes with their links, and its bandwidths as colours.
pub(super) fn machine(study: &Study) -> Vec<Figure> {
    let machine = &study.machine;
    let nodes = machine.node_count();
    let mut figures = Vec::new();
    if nodes <= MOST_MAPPED_NODES {
        figures.push(Figure {
            title: "Nodes and links".to_owned(),
            caption: "Each circle is a core; each bar is a memory, with what it delivers at most. An arrow is a link: \
                      cores read the memory that it points at; two heads: both ways alike."
                .to_owned(),
            svg: plots::machine_map(machine).svg(),
        });
    }
    if nodes > 1 {
        figures.push(Figure {
            title: "Bandwidth matrix".to_owned(),
            caption: "From the memory of a column to the cores of a row; framed: a node's own memory."
                .to_owned(),
            svg: plots::matrix(machine).svg(),
        });
    }
    figures
}

/// The maps of scenarios, in their order; `None` if there are too many of them, or too many nodes.
pub(super) fn maps(views: &[ScenarioView<'_>], compared: Option<&Compared>) -> Vec<Option<String>> {
    let drawn = chosen(views, compared);
    let map = |(i, view): (usize, &ScenarioView<'_>)| {
        let is_small = view.machine.node_count() <= MOST_MAPPED_NODES;
        (is_small && drawn.contains(&i)).then(|| plots::thread_map(view).svg())
    };
    views.iter().enumerate().map(map).collect()
}

/// The most interesting of many scenarios: the choices of model and measurement, then the largest errors.
fn chosen(views: &[ScenarioView<'_>], compared: Option<&Compared>) -> BTreeSet<usize> {
    if views.len() <= MOST_MAPS {
        return (0..views.len()).collect();
    }
    let Some(comparison) = compared.map(|view| &view.comparison) else { return (0..MOST_MAPS).collect() };
    let by_name: HashMap<&str, &ComparedScenario> =
        comparison.scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario)).collect();
    let worth = |view: &ScenarioView<'_>| {
        let regret = comparison.regret.as_ref();
        if regret.is_some_and(|regret| regret.preferred == view.name || regret.best == view.name) {
            return f64::INFINITY;
        }
        let scenario = by_name.get(view.name);
        let error = scenario.and_then(|scenario| scenario.total.as_ref()?.gflops.error);
        error.map_or(-1.0, f64::abs)
    };
    let mut order: Vec<(f64, usize)> = views.iter().map(worth).zip(0..).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().take(MOST_MAPS).map(|(_, i)| i).collect()
}

/// The scenario that the model prefers among the measured ones, or among all.
pub(super) fn preferred<'a, 'b>(
    views: &'a [ScenarioView<'b>],
    compared: Option<&Compared>,
) -> Option<&'a ScenarioView<'b>> {
    let regret = compared.and_then(|view| view.comparison.regret.as_ref());
    let named = regret.and_then(|regret| views.iter().find(|view| view.name == regret.preferred));
    let total = |view: &ScenarioView<'_>| view.evaluation.total.value();
    named.or_else(|| views.iter().reduce(|best, next| if total(next) > total(best) { next } else { best }))
}

/// The pictures of all scenarios together. `preferred` is the scenario that the model rates best.
pub(super) fn of_all(
    study: &Study,
    compared: Option<&Compared>,
    preferred: Option<&ScenarioView<'_>>,
) -> Vec<Figure> {
    let mut figures = Vec::new();
    if let Some(view) = compared {
        figures.extend(bars(view));
        figures.push(Figure {
            title: "Predicted over measured".to_owned(),
            caption:
                "On the line both are equal; the band is 5 % to both sides. The largest errors are named."
                    .to_owned(),
            svg: plots::scatter(view).svg(),
        });
    }
    figures.push(Figure {
        title: "Roofline".to_owned(),
        caption:
            "Upper limits of a core, a node, the whole machine and a link, with the applications. Points are \
                  the predictions of the model for the scenario that it prefers."
                .to_owned(),
        svg: plots::roofline(&study.machine, &study.apps, preferred).svg(),
    });
    figures.extend(preferred.and_then(|view| allocation_map(study, view)));
    figures
}

fn bars(view: &Compared) -> Option<Figure> {
    let mut plot = plots::bars(view);
    let all = plot.pairs.len();
    if all > MOST_BARS {
        let error = |pair: &numasim_draw::bars::Pair| pair.error_percent.map_or(-1.0, f64::abs);
        plot.pairs.sort_by(|a, b| error(b).total_cmp(&error(a)));
        plot.pairs.truncate(MOST_BARS);
    }
    let which = if all > MOST_BARS {
        format!(" The {MOST_BARS} largest errors of {all} scenarios.")
    } else {
        String::new()
    };
    (all > 0).then(|| Figure {
        title: "Model and measurement".to_owned(),
        caption: format!(
            "GFLOPS of all applications together; whiskers: smallest and largest repetition, if there are several.{which}"
        ),
        svg: plot.svg(),
    })
}

/// The objective over the threads of the applications of a scenario, if there are few applications and it can be drawn.
fn allocation_map(study: &Study, view: &ScenarioView<'_>) -> Option<Figure> {
    let mut groups: Vec<&str> = Vec::new();
    for app in view.active_apps() {
        let group = study.apps.get(app.0)?.group.as_str();
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    if !(2..=FEW_APPS).contains(&groups.len()) {
        return None;
    }
    let name = |i: usize| groups.get(i).map(|group| (*group).to_owned());
    let axes = Axes { x: name(0), y: name(1), rest: name(2), ..Axes::default() };
    let scenario = study.scenarios.iter().find(|scenario| scenario.name == view.name);
    // This drawing is not possible for every machine and application; the page omits it.
    let map = allocations::heat_map(&axes, scenario, study, None).ok()?;
    let possible = map.values.iter().filter(|value| value.is_finite()).count();
    if possible < FEWEST_CELLS {
        return None;
    }
    Some(Figure {
        title: "Allocations".to_owned(),
        caption: format!(
            "GFLOPS predicted by the model for the same threads on every node, with data as in '{}'; framed: the best.",
            view.name
        ),
        svg: map.svg(),
    })
}

// Applications over time: simulated with several policies, as pictures, and in slots for the script of the page.

/// Maximum number of slots on a page: a slider on a phone hardly has more positions. If not even the minimum number fits, the page has
/// none.
const MOST_SLOTS: usize = 256;
const FEWEST_SLOTS: usize = 16;
/// Maximum number of values in all slots together: half a megabyte.
const MOST_NUMBERS: usize = 100_000;
/// Maximum number of steps of all pictures together, about 32 bytes each, and minimum number of columns in one.
const MOST_STEPS: usize = 60_000;
const FEWEST_COLUMNS: usize = 32;
/// Maximum number of applications and channels of all runs together in the JSON of the page, about 300 bytes each; beyond it, the page
/// contains the first ones of each run.
const MOST_OBJECTS: usize = 6_000;
/// Maximum number of columns of nodes in a readable table: with more nodes, neighbours share one.
const MOST_NODES: usize = 8;

/// Simulates the study if every application has work; otherwise `None`, unless a policy was requested.
pub(super) fn simulations(
    page: &Page,
    study: &Study,
    located: &Located,
    shell: &Shell,
) -> Result<Option<Simulations>, Failure> {
    let policies = if page.policy.is_empty() { usual(study, located)? } else { page.policy.clone() };
    match can_be_simulated(study, located, &policies) {
        Ok(()) => {}
        // The page shows only placements.
        Err(_) if page.policy.is_empty() => return Ok(None),
        Err(refusal) => return Err(refusal.into()),
    }
    for warning in ignored_data(study, located, &policies) {
        shell.warn(warning);
    }
    let (mut done, mut without): (Vec<Pictured>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    for policy in &policies {
        match pictured(study, policy, page.until) {
            Ok(one) => done.push(one),
            Err(why) => without.push((policy.to_string(), why)),
        }
    }
    let strips = strips(study, &done);
    let simulated = done.iter().map(|one| one.simulated.clone()).collect();
    let simulation = Simulation::new(&Arc::new(study.clone()), simulated);
    let mut document = serde_json::to_value(&simulation).unwrap_or_default();
    let is_whole = thinned(&mut document);
    let runs = done.len();
    let courses = done.into_iter().map(|one| course(study, one, runs)).collect();
    Ok(Some(Simulations { courses, without, document, is_whole, strips }))
}

/// The default policies: no policy, fixed shares, shares of those that do not wait, and the policy in the files.
fn usual(study: &Study, located: &Located) -> Result<Vec<PolicyName>, Refusal> {
    let mut policies = vec![PolicyName::None, PolicyName::StaticEven, PolicyName::FairShare];
    let of_files = policy_of_files(study, located)?;
    if !policies.contains(&of_files) {
        policies.push(of_files);
    }
    Ok(policies)
}

/// Removes applications and channels that do not fit on the page from the output of `simulate --format json`, and adds their number.
/// Returns whether nothing was removed.
fn thinned(document: &mut Value) -> bool {
    let Some(runs) = document.get_mut("runs").and_then(Value::as_array_mut) else { return true };
    let length = |run: &Value, key: &str| run[key].as_array().map_or(0, Vec::len);
    let all: usize = runs.iter().map(|run| length(run, "apps") + length(run, "channels")).sum();
    if all <= MOST_OBJECTS {
        return true;
    }
    let most = (MOST_OBJECTS / (2 * runs.len()).max(1)).min(MOST_APPS);
    for run in runs {
        for (key, left_out) in [("apps", "apps_left_out"), ("channels", "channels_left_out")] {
            run[left_out] = length(run, key).saturating_sub(most).into();
            if let Some(objects) = run[key].as_array_mut() {
                objects.truncate(most);
            }
        }
    }
    false
}

/// One of `runs` pictures that share a page.
fn course(study: &Study, Pictured { simulated, strips }: Pictured, runs: usize) -> Course {
    let mut plot = plots::strips(study, &simulated, &strips);
    let room = MOST_STEPS / (plot.rows() * runs).max(1);
    plot.columns = room.clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    let per_column = plot.slots_per_column();
    let thin = if plot.columns < MOST_COLUMNS && per_column > 1 {
        format!(
            " Steps are means over {} s: a page of {} has no room for shorter ones, `numasim simulate --plot` has.",
            figures::rounded(strips.slot.value() * per_column as f64),
            figures::count(runs as u64, "such picture"),
        )
    } else {
        String::new()
    };
    let below = if plot.below.is_empty() { "" } else { " Below: items in the channels." };
    let title = format!("Policy {}", simulated.policy);
    let caption =
        format!("Cores of each application on each node; a full strip is all its cores.{below}{thin}");
    Course { figure: Figure { title, caption, svg: plot.svg() }, area: plot.area(), simulated }
}

/// Cores, GFLOPS and items of all simulations, in as many slots as fit on a page.
fn strips(study: &Study, done: &[Pictured]) -> Value {
    let groups = plots::node_groups(study, MOST_NODES);
    let series = 2 * study.apps.len() * groups.len() + 2 * study.dynamics.channels.len();
    let most = (MOST_NUMBERS / (series * done.len()).max(1)).min(MOST_SLOTS);
    let nodes = groups.iter().map(|group| {
        let numbers: Vec<usize> = group.iter().map(|node| node.0).collect();
        figures::nodes(&numbers)
    });
    let nodes: Vec<String> = nodes.collect();
    let shown = if most >= FEWEST_SLOTS { done } else { &[] };
    let runs = shown.iter().map(|one| run(study, &one.strips, &groups, &nodes, most));
    let end_s = done.iter().map(|one| one.strips.end.value()).fold(0.0, f64::max);
    let (unit, per_second) = plots::time_unit(Seconds::new(end_s));
    json!({
        "unit": unit,
        "per_second": per_second,
        "end_s": end_s,
        "runs": runs.collect::<Vec<_>>(),
    })
}

fn run(study: &Study, strips: &Strips, groups: &[Vec<NodeId>], nodes: &[String], most: usize) -> Value {
    let every = strips.slots().div_ceil(most).max(1);
    let of = |values: &Table<Vec<f64>>, app: usize| -> Vec<Vec<f64>> {
        let of_group = |group: &Vec<NodeId>| {
            let sum = plots::summed(group, strips.slots(), |node| &values[(AppId(app), node)]);
            joined(strips, every, &sum)
        };
        groups.iter().map(of_group).collect()
    };
    let app = |(a, app): (usize, &numasim_model::App)| json!({ "name": app.name, "cores": of(&strips.busy, a), "gflops": of(&strips.gflops, a) });
    let channel = |(items, channel): (&Vec<Items>, &numasim_course::Channel)| {
        let mean: Vec<f64> = items.iter().map(|items| items.mean).collect();
        let most = items.chunks(every).map(|chunk| chunk.iter().map(|items| items.max).fold(0.0, f64::max));
        json!({
            "from": study.apps[channel.from.0].name,
            "to": study.apps[channel.to.0].name,
            "items": joined(strips, every, &mean),
            "most": most.collect::<Vec<f64>>(),
        })
    };
    json!({
        "slot_s": strips.slot.value() * every as f64,
        "end_s": strips.end.value(),
        "nodes": nodes,
        "apps": study.apps.iter().enumerate().map(app).collect::<Vec<_>>(),
        "channels": strips.items.iter().zip(&study.dynamics.channels).map(channel).collect::<Vec<_>>(),
    })
}

/// Merges every `every` slots into one, with four digits; the last slot may be shorter than the others.
fn joined(strips: &Strips, every: usize, values: &[f64]) -> Vec<f64> {
    let slot_s = strips.slot.value();
    let length = |slot: usize| (strips.end.value() - slot as f64 * slot_s).min(slot_s).max(0.0);
    let mean = |(chunk, values): (usize, &[f64])| {
        let first = chunk * every;
        let lengths = (first..first + values.len()).map(length);
        let all: f64 = lengths.clone().sum();
        let sum: f64 = values.iter().zip(lengths).map(|(value, length)| value * length).sum();
        four_digits(if all > 0.0 { sum / all } else { 0.0 })
    };
    values.chunks(every).enumerate().map(mean).collect()
}

/// Smaller differences are rounding: less than a millionth of a core, of a GFLOPS or of an item counts as zero.
fn four_digits(value: f64) -> f64 {
    if value.abs() < 1e-6 { 0.0 } else { format!("{value:.3e}").parse().unwrap_or(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_slots_are_weighed_by_their_length() {
        let table = Table::from_fn(1, 1, |_: AppId, _: NodeId| Vec::new());
        let (slot, end) = (Seconds::new(2.0), Seconds::new(9.0));
        let strips = Strips { slot, end, busy: table.clone(), gflops: table, items: Vec::new() };
        // Five slots, the last of 1 s: (1 + 3) / 2, (5 + 5) / 2, 8; by three: 9 / 3, (5 x 2 + 8 x 1) / 3.
        let values = [1.0, 3.0, 5.0, 5.0, 8.0];
        assert_eq!(joined(&strips, 2, &values), [2.0, 5.0, 8.0]);
        assert_eq!(joined(&strips, 3, &values), [3.0, 6.0]);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([1.0 / 3.0, 12345.678, 1e-9, 0.0].map(four_digits), [0.3333, 12350.0, 0.0, 0.0]);
    }
}

//! The plots of a report.

use std::collections::{BTreeSet, HashMap};

use numasim_ask::compare::Compared;
use numasim_evidence::compare::ComparedScenario;
use numasim_model::Study;

use crate::args::Axes;
use crate::commands::plot::allocations;
use crate::plot_file::MOST_MAPPED_NODES;
use crate::report::Figure;
use crate::view::{ScenarioView, plots};

/// Of more scenarios only these have a map; a page with thousands of pictures opens on no phone.
const MOST_MAPS: usize = 40;
/// More pairs of bars are no picture any more.
const MOST_BARS: usize = 60;
/// Applications whose allocations are drawn: two on the axes, one that has the rest.
const FEW_APPS: usize = 3;
/// With fewer possible numbers of threads there is no picture in it.
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

/// The maps of scenarios, in their order; `None` where there are too many of them, or of nodes.
pub(super) fn maps(views: &[ScenarioView<'_>], compared: Option<&Compared>) -> Vec<Option<String>> {
    let drawn = chosen(views, compared);
    let map = |(i, view): (usize, &ScenarioView<'_>)| {
        let is_small = view.machine.node_count() <= MOST_MAPPED_NODES;
        (is_small && drawn.contains(&i)).then(|| plots::thread_map(view).svg())
    };
    views.iter().enumerate().map(map).collect()
}

/// Of many scenarios those that are worth a look: the choices of model and measurement, then the largest errors.
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

/// The scenario that the model prefers among those that were measured, or among all.
pub(super) fn preferred<'a, 'b>(
    views: &'a [ScenarioView<'b>],
    compared: Option<&Compared>,
) -> Option<&'a ScenarioView<'b>> {
    let regret = compared.and_then(|view| view.comparison.regret.as_ref());
    let named = regret.and_then(|regret| views.iter().find(|view| view.name == regret.preferred));
    let total = |view: &ScenarioView<'_>| view.evaluation.total.value();
    named.or_else(|| views.iter().reduce(|best, next| if total(next) > total(best) { next } else { best }))
}

/// What is drawn of all scenarios together. `preferred` is the one that the model says is best.
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
        caption: "What a core, a node, the whole machine and a link can do at most, and where the applications are. \
                  Points are what the model says for the scenario that it prefers."
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
            "GFLOPS of all applications together; whiskers: smallest and largest repetition, where there are several.{which}"
        ),
        svg: plot.svg(),
    })
}

/// The objective over the threads of the applications of a scenario, if they are few and it can be drawn.
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
    // Not every machine and application can be drawn so; the page does without.
    let map = allocations::heat_map(&axes, scenario, study, None).ok()?;
    let possible = map.values.iter().filter(|value| value.is_finite()).count();
    if possible < FEWEST_CELLS {
        return None;
    }
    Some(Figure {
        title: "Allocations".to_owned(),
        caption: format!(
            "GFLOPS that the model says for the same threads on every node, data as in '{}'; framed: the best.",
            view.name
        ),
        svg: map.svg(),
    })
}

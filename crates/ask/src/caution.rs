//! Cautions: what value and proof leave out, in words shown next to them.

use numasim_draw::figures;
use numasim_model::{App, AppId, Machine};
use numasim_sim::{Caution, Objective, cautions};
use serde::Serialize;

use crate::numbers;
use crate::scenario::ScenarioView;
use crate::wording::{NO_BREAK, gap};

/// Beyond this number, names are counted instead of listed.
const MOST_NAMES: usize = 6;
/// From this number of consecutive instances on, only the first and the last are named.
const A_ROW: usize = 3;

/// Cautions about a scenario that the user chose; empty if there are none.
pub fn of_scenario(view: &ScenarioView<'_>) -> Vec<String> {
    let own = of_evaluation(view).into_iter();
    own.chain(of_machine(view.machine, view.apps)).collect()
}

/// Like [`of_scenario`], without the cautions that apply to every scenario of its machine.
pub fn of_evaluation(view: &ScenarioView<'_>) -> Vec<String> {
    clauses(&cautions::of_evaluation(view.evaluation, view.allocation), view.apps)
}

/// Cautions that apply to every answer about these applications on a machine.
pub fn of_machine(machine: &Machine, apps: &[App]) -> Vec<String> {
    clauses(&cautions::of_machine(machine, apps), apps)
}

/// The same as separate sentences, with the name of the machine.
pub fn beside_machine(machine: &Machine, apps: &[App]) -> Vec<String> {
    let named = |clause| format!("machine '{}': {clause}", machine.name());
    of_machine(machine, apps).into_iter().map(named).collect()
}

/// Cautions about a scenario for output that also shows the warnings of the model and, elsewhere, the cautions about the machine.
pub fn beside_warnings(view: &ScenarioView<'_>) -> Vec<String> {
    let all = cautions::of_evaluation(view.evaluation, view.allocation).into_iter();
    let other: Vec<Caution> = all.filter(|one| !matches!(one, Caution::StarvedByRemote { .. })).collect();
    clauses(&other, view.apps)
}

/// Each caution as the rest of a sentence that begins with "but", without a full stop.
pub fn clauses(cautions: &[Caution], apps: &[App]) -> Vec<String> {
    cautions.iter().map(|caution| clause(caution, apps)).collect()
}

/// `, but` and all clauses; empty if there are none.
pub fn but(clauses: &[String]) -> String {
    if clauses.is_empty() { String::new() } else { format!(", but {}", clauses.join("; ")) }
}

/// A caution about an allocation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CautionObject<'a> {
    /// A stable word.
    code: &'static str,
    /// The applications concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    apps: Option<Vec<&'a str>>,
    /// The nodes concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<u64>>,
    /// The caution as a sentence.
    message: String,
}

/// For programs: a stable word, the applications and nodes concerned, and the sentence.
pub fn object<'a>(caution: &Caution, apps: &'a [App]) -> CautionObject<'a> {
    let (of_apps, nodes) = match caution {
        Caution::NothingDecided { apps: of, .. }
        | Caution::GetsNothing { apps: of }
        | Caution::NoThreads { apps: of }
        | Caution::FewestThreads { apps: of, .. } => {
            (Some(of.iter().map(|app| apps[app.0].name.as_str()).collect()), None)
        }
        Caution::StarvedByRemote { nodes } | Caution::CoresUnlimited { nodes } => {
            (None, Some(nodes.iter().map(|node| node.0 as u64).collect()))
        }
        Caution::Assumed { .. } | Caution::DependsOnModel { .. } => (None, None),
    };
    CautionObject { code: code(caution), apps: of_apps, nodes, message: clause(caution, apps) }
}

/// For CSV: the stable words of all cautions, separated by `;`.
pub fn codes(cautions: &[Caution]) -> String {
    cautions.iter().map(code).collect::<Vec<_>>().join(";")
}

/// A stable word.
pub(crate) const fn code(caution: &Caution) -> &'static str {
    match caution {
        Caution::NothingDecided { .. } => "nothing-decided",
        Caution::GetsNothing { .. } => "gets-nothing",
        Caution::NoThreads { .. } => "no-threads",
        Caution::StarvedByRemote { .. } => "starved-by-remote",
        Caution::FewestThreads { .. } => "fewest-threads",
        Caution::CoresUnlimited { .. } => "no-core-bandwidth",
        Caution::Assumed { .. } => "assumed-figures",
        Caution::DependsOnModel { .. } => "depends-on-model",
    }
}

fn clause(caution: &Caution, apps: &[App]) -> String {
    let one_or_many = |of: &[AppId], one: &str, many: &str| {
        format!("{} {}", names(of, apps), if of.len() == 1 { one } else { many })
    };
    match caution {
        Caution::NothingDecided { objective, apps: of } => {
            let name = objective.as_str();
            let why = one_or_many(of, "gets", "get");
            let p = if *objective == Objective::Fair { "the smallest p" } else { "the mean p" };
            format!(
                "{name} does not distinguish placements here: {why} 0 GFLOPS even alone on the machine, so {p} is 0 in every \
                 placement (--objective total-gflops still distinguishes them)"
            )
        }
        Caution::GetsNothing { apps: of } => one_or_many(of, "gets nothing", "get nothing"),
        Caution::NoThreads { apps: of } => one_or_many(
            of,
            "has no threads (its min_threads is 0)",
            "have no threads (their min_threads is 0)",
        ),
        Caution::StarvedByRemote { nodes } => {
            let nodes = numbers(nodes);
            format!(
                "remote reads starve the threads of {} (remote-first serves them first, baseline-proportional \
                 does not)",
                figures::nodes(&nodes)
            )
        }
        Caution::CoresUnlimited { nodes } => {
            format!(
                "nothing limits the bandwidth of one core of {} (no core_bandwidth_gbs): one thread can saturate a memory, so results for \
                 small numbers of threads mean little",
                figures::nodes(&numbers(nodes))
            )
        }
        Caution::Assumed { keys } => {
            let verb = if keys.len() == 1 { "is" } else { "are" };
            format!("{} of the machine {verb} assumed, not measured", listed(keys.clone(), 0))
        }
        Caution::DependsOnModel { model, loss } => format!(
            "under {} it is at least {} below another placement (--models all compares the models)",
            model.as_str(),
            gap(*loss).replace(' ', NO_BREAK)
        ),
        Caution::FewestThreads { apps: of, geomean_decides } => {
            let (their, them) = if of.len() == 1 { ("its", "it") } else { ("their", "each of them") };
            let instead = if *geomean_decides {
                format!(" (--objective geomean counts the loss of {them})")
            } else {
                String::new()
            };
            format!("total-gflops leaves {} at {their} minimum number of threads{instead}", names(of, apps))
        }
    }
}

/// `scan`, `graph and scan`, `mem-1 to mem-3, graph and 12 more`.
pub(crate) fn names(of: &[AppId], apps: &[App]) -> String {
    let follows = |a: &AppId, b: &AppId| a.0 + 1 == b.0 && apps[a.0].group == apps[b.0].group;
    let name = |app: AppId| apps[app.0].name.clone();
    let mut parts: Vec<(String, usize)> = Vec::new();
    for run in of.chunk_by(follows) {
        match run {
            [first, .., last] if run.len() >= A_ROW => {
                parts.push((format!("{} to {}", name(*first), name(*last)), run.len()));
            }
            few => parts.extend(few.iter().map(|&app| (name(app), 1))),
        }
    }
    let more: usize = parts.iter().skip(MOST_NAMES).map(|(_, count)| count).sum();
    listed(parts.into_iter().take(MOST_NAMES).map(|(words, _)| words).collect(), more)
}

/// `a, b and 3 more`.
pub(crate) fn listed(mut words: Vec<String>, more: usize) -> String {
    if more > 0 {
        words.push(format!("{more} more"));
    }
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::read_study;
    use numasim_model::{ModelKind, NodeId};
    use numasim_study::SourceFile;

    /// mem-1 to mem-8, graph, scan-1 and scan-2.
    fn apps() -> Vec<App> {
        let text = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 16\ngflops_per_core = 1\nbandwidth_gbs = 1\n\
                    [[app]]\nname = \"mem\"\ninstances = 8\narithmetic_intensity = 1\n\
                    [[app]]\nname = \"graph\"\narithmetic_intensity = 1\n\
                    [[app]]\nname = \"scan\"\ninstances = 2\narithmetic_intensity = 1\n";
        let file = SourceFile { name: "apps.toml".to_owned(), text: text.to_owned() };
        read_study(&[file]).expect("a study").study.at_rest.apps
    }

    fn ids(numbers: &[usize]) -> Vec<AppId> {
        numbers.iter().copied().map(AppId).collect()
    }

    #[test]
    fn many_names_are_shortened() {
        let apps = apps();
        let named = |numbers: &[usize]| names(&ids(numbers), &apps);
        assert_eq!(named(&[8]), "graph");
        assert_eq!(named(&[8, 9]), "graph and scan-1");
        assert_eq!(named(&[0, 1, 2, 8, 9, 10]), "mem-1 to mem-3, graph, scan-1 and scan-2");
        assert_eq!(named(&[0, 2, 4, 6, 8, 9, 10]), "mem-1, mem-3, mem-5, mem-7, graph, scan-1 and 1 more");
    }

    #[test]
    fn every_caution_follows_but() {
        let all = [
            Caution::NothingDecided { objective: Objective::Geomean, apps: ids(&[8]) },
            Caution::GetsNothing { apps: ids(&[8, 9]) },
            Caution::NoThreads { apps: ids(&[8]) },
            Caution::StarvedByRemote { nodes: vec![NodeId(4), NodeId(6)] },
            Caution::FewestThreads { apps: ids(&[0, 1, 2]), geomean_decides: true },
            Caution::FewestThreads { apps: ids(&[0]), geomean_decides: false },
            Caution::CoresUnlimited { nodes: vec![NodeId(0), NodeId(1)] },
            Caution::Assumed { keys: vec!["bandwidth_gbs".to_owned(), "link_gbs".to_owned()] },
            Caution::DependsOnModel { model: ModelKind::Ecm, loss: 0.123 },
        ];
        assert_eq!(
            clauses(&all, &apps()),
            [
                "geomean does not distinguish placements here: graph gets 0 GFLOPS even alone on the machine, so the mean p is 0 in \
                 every placement (--objective total-gflops still distinguishes them)",
                "graph and scan-1 get nothing",
                "graph has no threads (its min_threads is 0)",
                "remote reads starve the threads of nodes 4, 6 (remote-first serves them first, \
                 baseline-proportional does not)",
                "total-gflops leaves mem-1 to mem-3 at their minimum number of threads (--objective geomean counts the loss of \
                 each of them)",
                "total-gflops leaves mem-1 at its minimum number of threads",
                "nothing limits the bandwidth of one core of nodes 0, 1 (no core_bandwidth_gbs): one thread can saturate a memory, so results for \
                 small numbers of threads mean little",
                "bandwidth_gbs and link_gbs of the machine are assumed, not measured",
                "under ecm it is at least 12.3\u{a0}% below another placement (--models all compares the models)",
            ]
        );
        assert_eq!(
            but(&clauses(&all[1..3], &apps())),
            ", but graph and scan-1 get nothing; graph has no threads (its min_threads is 0)"
        );
        assert_eq!(but(&[]), "");
    }
}

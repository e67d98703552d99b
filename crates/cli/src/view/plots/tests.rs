//! Plots of a real machine of 8 nodes with 8 applications.

use std::sync::Arc;

use numasim_ask::compare::Compared;
use numasim_ask::reading::read_study;
use numasim_course::Study;
use numasim_draw::testing::{assert_apart, words};
use numasim_evidence::compare::{compare, read_measured};
use numasim_model::{Placement, evaluate};
use numasim_study::SourceFile;

use super::*;
use crate::view::ScenarioView;

const OPTERON: &str = include_str!("../../../../../configs/machines/opteron-8n.toml");
const CXL: &str = include_str!("../../../../../configs/machines/epyc-9224-2s-nps2-cxl.toml");
const TABLE_III: &str = include_str!("../../../../../configs/paper/table-iii-all.toml");
const MEASURED: &str = include_str!("../../../../../results/paper-table-iii/measured.csv");

/// One thread of each application on every node, half of them with remote data.
const EIGHT: &str = r#"
    [[app]]
    name = "stream"
    instances = 4
    arithmetic_intensity = 0.083
    [[app]]
    name = "first-touch-on-0"
    arithmetic_intensity = 0.25
    data = { home = 0 }
    [[app]]
    name = "first-touch-on-3"
    arithmetic_intensity = 0.03125
    data = { home = 3 }
    [[app]]
    name = "dense-linear-algebra"
    arithmetic_intensity = 16.0
    [[app]]
    name = "halves"
    arithmetic_intensity = 1.0
    data = { fractions = [0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] }
    [[scenario]]
    name = "one thread of each on every node"
    threads = { stream = 1, first-touch-on-0 = 1, first-touch-on-3 = 1, dense-linear-algebra = 1, halves = 1 }
    [[scenario]]
    name = "few remote readers"
    threads = { stream = 1, first-touch-on-0 = [1, 1, 0, 0, 1, 0, 0, 0], dense-linear-algebra = 2 }
"#;

fn study(texts: &[&str]) -> Study {
    let file = |(i, text): (usize, &&str)| SourceFile { name: format!("{i}.toml"), text: (*text).to_owned() };
    let files: Vec<SourceFile> = texts.iter().enumerate().map(file).collect();
    read_study(&files).expect("no problems").study
}

/// Draws each scenario.
fn each<T>(study: &Study, draw: impl Fn(&ScenarioView<'_>) -> T) -> Vec<T> {
    let scenarios = study.scenarios.iter();
    scenarios
        .map(|scenario| {
            let placements: Vec<Placement> =
                scenario.data.iter().filter_map(|data| data.placement().cloned()).collect();
            let evaluation =
                evaluate(&study.machine, &study.apps, &placements, &scenario.allocation).expect("fits");
            draw(&ScenarioView {
                name: &scenario.name,
                machine: &study.machine,
                apps: &study.apps,
                allocation: &scenario.allocation,
                placements: &placements,
                evaluation: &evaluation,
                intervals: None,
            })
        })
        .collect()
}

#[test]
fn nothing_overlaps_on_8_nodes_with_8_applications() {
    let study = study(&[OPTERON, EIGHT]);
    for svg in each(&study, |view| thread_map(view).svg()) {
        assert_apart(&svg);
    }
    for svg in each(&study, |view| roofline(view.machine, view.apps, Some(view)).svg()) {
        assert_apart(&svg);
    }
    assert_apart(&matrix(&study.machine).svg());
}

#[test]
fn the_thread_map_of_8_nodes_says_what_is_where() {
    let svg = each(&study(&[OPTERON, EIGHT]), |view| thread_map(view).svg()).swap_remove(1);
    insta::assert_snapshot!(words(&svg));
}

#[test]
fn the_fastest_and_the_slowest_link_have_a_roof() {
    let roofs = roofline(&study(&[OPTERON]).machine, &[], None).roofs;
    let names: Vec<&str> = roofs.iter().map(|roof| roof.name.as_str()).collect();
    // 3 -> 2 reads 5.7309 GB/s, 5 -> 0 only 2.0554.
    assert_eq!(
        names,
        [
            "all nodes, own memories",
            "node 1, own memory",
            "node 3 reads 2 (fastest link)",
            "node 5 reads 0 (slowest link)",
            "one core of node 1, own memory"
        ]
    );
    assert_eq!([roofs[2].bandwidth_gbs, roofs[3].bandwidth_gbs], [5.7309, 2.0554]);
    assert_eq!([roofs[1].peak_gflops, roofs[4].peak_gflops], [8.0 * 9.2, 9.2]);
}

#[test]
fn a_core_is_limited_by_its_own_bandwidth_where_that_is_known() {
    let machine = study(&[CXL]).at_rest.machine;
    let roofs = roofline(&machine, &[], None).roofs;
    assert_eq!(roofs.last().map(|roof| roof.bandwidth_gbs), Some(45.0));
    // Node 4 has only memory: a column of the matrix, but no row.
    let matrix = matrix(&machine);
    assert_eq!((matrix.nodes, matrix.rows.len()), (5, 4));
    assert_eq!(matrix.rows[1].gbs, [101.1967, 101.2919, 77.1372, 77.0678, 17.602]);
}

#[test]
fn bars_and_points_of_the_paper_s_table_have_its_errors() {
    let study = study(&[TABLE_III]);
    let measurements = read_measured(MEASURED).expect("no mistake in it");
    let asked: Vec<_> = study.scenarios.iter().collect();
    let comparison = compare(&study, &asked, &measurements, |scenario| {
        let placements: Vec<Placement> =
            scenario.data.iter().filter_map(|data| data.placement().cloned()).collect();
        evaluate(&study.machine, &study.apps, &placements, &scenario.allocation)
    })
    .expect("everything fits");
    let compared = Compared::new(Arc::new(study), "measured.csv".to_owned(), comparison);
    let svg = bars(&compared).svg();
    assert_apart(&svg);
    insta::assert_snapshot!(words(&svg));
    let svg = scatter(&compared).svg();
    assert_apart(&svg);
    // The only one beyond 5 %.
    assert!(words(&svg).contains("1  +5.5 %\nNUMA-bad cross-node\n"), "{}", words(&svg));
}

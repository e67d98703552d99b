//! Pictures of few and of many applications, of short and of long runs.

use super::*;
use crate::testing::{assert_apart, words};

fn timeline(name: &str, apps: usize, nodes: usize, slots: usize, end: f64) -> Timeline {
    let wave = |slot: usize, app: usize| f64::from(u8::from((slot / 50 + app).is_multiple_of(2)));
    let values =
        |app: usize, factor: f64| -> Vec<f64> { (0..slots).map(|slot| factor * wave(slot, app)).collect() };
    Timeline {
        name: name.to_owned(),
        outcome: format!("makespan {end} s"),
        finished: Some(end),
        slot: end / slots as f64,
        end,
        shares: vec![(0..apps).map(|app| values(app, 4.0 / apps as f64)).collect(); nodes],
        running: (0..apps).map(|app| values(app, 2.0)).collect(),
        blocked: (0..apps).map(|app| values(app + 1, 2.0)).collect(),
        items: (0..apps).map(|app| (app + 1 < apps).then(|| (values(app, 1.0), values(app, 2.0)))).collect(),
        progress: (0..apps)
            .map(|app| (0..slots).map(|slot| 100.0 * slot as f64 / (slots + app) as f64).collect())
            .collect(),
        orders: (0..apps).map(|_| (0..100).map(|i| end * f64::from(i) / 100.0).collect()).collect(),
    }
}

fn plot(apps: usize, nodes: usize) -> TimelinePlot {
    let row = |cells: [&str; 6]| cells.map(str::to_owned).to_vec();
    let mut table = vec![row(["of", "figure", "measured", "simulated", "error", "work / peak"])];
    table.extend(
        (0..apps)
            .map(|app| row([&format!("application-{app}"), "finished s", "12.3", "11.9", "-3.3 %", "10.0"])),
    );
    TimelinePlot {
        heading: Heading { title: "A machine".to_owned(), subtitle: "policy lead:1".to_owned() },
        x: "time (s)".to_owned(),
        names: (0..apps).map(|app| format!("application-{app}")).collect(),
        threads: vec![4.0; apps],
        resources: (0..nodes).map(|node| (format!("node {node}"), 4.0)).collect(),
        resource_label: "cores".to_owned(),
        progress_label: "iterations".to_owned(),
        progress_end: 100.0,
        measured: timeline("measured", apps, nodes, 1000, 12.3),
        simulated: timeline("simulated", apps, nodes, 700, 11.9),
        table_title: "Errors: simulated / measured - 1".to_owned(),
        table,
    }
}

#[test]
fn both_timelines_show_their_names_results_and_table() {
    insta::assert_snapshot!(words(&plot(2, 1).svg()));
}

#[test]
fn nothing_overlaps_from_one_application_to_seven_and_from_one_node_to_eight() {
    for (apps, nodes) in [(1, 1), (2, 1), (3, 2), (4, 4), (6, 1), (6, 8), (7, 8)] {
        assert_apart(&plot(apps, nodes).svg());
    }
}

#[test]
fn short_runs_long_names_and_distant_ends_do_not_overlap() {
    let mut plot = plot(3, 2);
    plot.simulated.end = 2.0;
    plot.simulated.finished = Some(2.0);
    plot.measured.finished = None;
    plot.measured.outcome = "interrupted after 12.3 s".to_owned();
    for (i, name) in plot.names.iter_mut().enumerate() {
        *name = format!("application-with-a-name-that-is-longer-than-there-is-room-{i}");
    }
    let svg = plot.svg();
    assert_apart(&svg);
    assert!((0..3).all(|i| svg.contains(&format!("room-{i}"))), "{svg}");
}

#[test]
fn the_picture_is_valid_xml_for_any_names() {
    let mut plot = plot(2, 2);
    plot.names[0] = "<a> & \"b\"".to_owned();
    plot.resources[1].0 = "]]> &amp;".to_owned();
    plot.table[1][0] = "<!-- ' -->".to_owned();
    let svg = plot.svg();
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for name in ["<a> & \"b\"", "]]> &amp;", "<!-- ' -->"] {
        assert!(texts.contains(&name), "{name} is not in {texts:?}");
    }
}

#[test]
fn a_hundred_thousand_slots_are_thinned_and_their_extremes_stay() {
    let mut long = plot(2, 1);
    long.measured = timeline("measured", 2, 1, 10_000, 12.3);
    let short = long.svg().len();
    long.measured = timeline("measured", 2, 1, 100_000, 12.3);
    let peak = long.measured.items.iter_mut().flatten().next().expect("items");
    peak.1[77_777] = 40.0;
    let svg = long.svg();
    assert!(svg.len() < 2 * short, "{} {short}", svg.len());
    // The axis reaches up to the one slot with 40 items, and so does the line.
    assert!(words(&svg).contains("\n40\n"), "{}", words(&svg));
    let layout = Layout::new(&long, long.legend().height(SIZE.0));
    let [at, _] = layout.items.expect("panels");
    let y = at.bottom() - at.height * layout.items_scale.share(40.0);
    assert!(svg.contains(&format!(" {:.1} L", (10.0 * y).round() / 10.0).replace(".0 L", " L")), "{y}");
}

#[test]
fn excess_applications_and_nodes_are_omitted() {
    let svg = plot(9, 12).svg();
    assert_apart(&svg);
    assert!(!words(&svg).contains("node 8"));
}

#[test]
fn an_empty_plot_is_a_valid_picture() {
    let mut empty = plot(0, 0);
    (empty.measured, empty.simulated) = (Timeline::default(), Timeline::default());
    empty.progress_end = 0.0;
    let svg = empty.svg();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

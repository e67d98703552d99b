//! Pictures of few and of many strips.

use super::*;
use crate::testing::{assert_apart, words};

fn plot(apps: usize, nodes: usize, channels: usize) -> StripPlot {
    let slots = 1000;
    let wave = |slot: usize, app: usize| 0.5 + 0.5 * ((slot / 100 + app) % 2) as f64;
    let strip = |node: usize| Strip {
        name: format!("node {node}"),
        capacity: 8.0,
        bands: (0..apps)
            .map(|app| (0..slots).map(|slot| 8.0 / apps as f64 * wave(slot, app + node)).collect())
            .collect(),
    };
    let below = |channel: usize| Below {
        name: format!("producer-{channel} to consumer-{channel}"),
        mean: (0..slots).map(|slot| (slot * (channel + 1)) as f64 / 100.0).collect(),
        most: (0..slots).map(|slot| (slot * (channel + 1)) as f64 / 100.0 + 1.0).collect(),
    };
    StripPlot {
        heading: Heading { title: "Cores over time".to_owned(), subtitle: "policy lead:2".to_owned() },
        x: "time (s)".to_owned(),
        slot: 0.0375,
        end: 37.5,
        columns: MOST_COLUMNS,
        y: "cores".to_owned(),
        names: (0..apps).map(|app| format!("application-{app}")).collect(),
        strips: (0..nodes).map(strip).collect(),
        below_label: "items".to_owned(),
        below: (0..channels).map(below).collect(),
    }
}

#[test]
fn strips_have_their_names_capacities_and_one_axis() {
    insta::assert_snapshot!(words(&plot(3, 2, 1).svg()));
}

#[test]
fn nothing_overlaps_from_one_node_to_32() {
    for (apps, nodes, channels) in [(1, 1, 0), (2, 1, 1), (4, 4, 2), (8, 8, 3), (30, 16, 5), (3, 32, 0)] {
        assert_apart(&plot(apps, nodes, channels).svg());
    }
}

#[test]
fn long_names_differ_at_their_ends_and_do_not_overlap() {
    let mut long = plot(8, 2, 6);
    for (i, line) in long.below.iter_mut().enumerate() {
        line.name = format!("application-with-a-long-name-{i} → application-with-a-long-name-{}", i + 1);
    }
    for (i, name) in long.names.iter_mut().enumerate() {
        *name = format!("application-with-a-name-that-is-even-longer-{i}");
    }
    let svg = long.svg();
    assert_apart(&svg);
    assert!((0..8).all(|i| svg.contains(&format!("longer-{i}"))), "{svg}");
    assert!((1..7).all(|i| svg.contains(&format!("name-{i}\n</text>"))), "{svg}");
}

#[test]
fn many_bands_are_drawn_as_the_largest_and_the_others() {
    let mut many = plot(20, 1, 0);
    many.strips[0].bands[13] = vec![5.0; 1000];
    let svg = many.svg();
    assert!(svg.contains("application-13") && svg.contains("13 others"));
}

#[test]
fn the_area_is_that_of_the_strips() {
    let plot = plot(2, 2, 1);
    let Area { left, right, top, bottom } = plot.area();
    let svg = plot.svg();
    let has = |name: &str, value: f64| svg.contains(&format!("{name}=\"{}\"", (10.0 * value).round() / 10.0));
    assert!(has("x", left) && has("y", top) && has("width", right - left) && has("y1", bottom), "{svg}");
}

#[test]
fn fewer_columns_make_a_smaller_picture_of_the_same_axes() {
    let mut whole = plot(4, 8, 1);
    let changing = |slot: usize| 2.0 * (slot % 7) as f64 / 7.0;
    for values in whole.strips.iter_mut().flat_map(|strip| &mut strip.bands) {
        values.iter_mut().enumerate().for_each(|(slot, value)| *value = changing(slot));
    }
    // 1000 slots by 3 and by 20.
    let thin = StripPlot { columns: 50, ..whole.clone() };
    assert_eq!((whole.slots_per_column(), thin.slots_per_column(), thin.rows()), (3, 20, 34));
    assert!(4 * thin.svg().len() < whole.svg().len(), "{} {}", thin.svg().len(), whole.svg().len());
    assert_eq!(words(&thin.svg()), words(&whole.svg()));
}

#[test]
fn an_empty_plot_is_a_valid_picture() {
    let empty = StripPlot { strips: Vec::new(), below: Vec::new(), end: 0.0, ..plot(0, 0, 0) };
    assert!(!empty.svg().contains("NaN"));
}

//! The sets of several at the same time: each method of each set, and whether it is better than the null models.

use crate::sets::together::verdict::{Advantage, Drawn, OfSet, of_sets};
use crate::sets::{Judged, Part};
use numasim_draw::grid::{Align, Grid};

use numasim_draw::Style;

use super::{heading, short};

/// The questions, in their order, with the given and the predicted values.
const QUESTIONS: [(Part, &str, &str); 8] = [
    (
        Part::Domains,
        "Unequal numbers of threads on like domains",
        "Fitted: the first domain (one core, half, three quarters or a quarter, and all of its cores), as any curve over cores. Predicted: its other counts, and \
         all counts on several domains, where static work waits for the slowest thread. Of synchronised codes node_overhead and interpolation know one run more: all cores of all domains.",
    ),
    (
        Part::Chiplets,
        "A node of chiplets, from one thread, a chiplet and all cores",
        "Flat: without l3_read_gbs. Null models know what a chiplet has, where that is known. No fit but that of the capacities of ecm.",
    ),
    (
        Part::Intensity,
        "Many cores, from what one has and how much it moves",
        "Given: time and GB/s of one, and the most that any other draws in one full domain. No fit. Speed-up of all counts.",
    ),
    (
        Part::Interleave,
        "Data on several memories, from each of them",
        "Given: one thread, where it was measured, and the most of each memory. read_gbs: what one node reads, fitted to all of its processes on all memories.",
    ),
    (
        Part::Home,
        "All threads on one memory, from all with local data",
        "One memory of as many as there are sockets. No link was measured.",
    ),
    (
        Part::Pair,
        "Unlike applications on one memory, from each of them alone",
        "Given: one thread of each, and the most of each kind of traffic. The pairs of a machine are sets by their load: what both draw alone, in parts of the memory.",
    ),
    (
        Part::Memories,
        "Threads of any nodes on any memories, from one of them and from all of them",
        "Given: one thread, and the most of each memory and link. Interpolation: a monotone cubic through the counts that are given.",
    ),
    (
        Part::Latency,
        "Latency of one core beside the traffic of all others, by bandwidth",
        "Given: the latency of an idle memory (no-sharing: always that) and at the most bandwidth (two-points: a line between them); interpolation and ecm_penalty know one row more, at three quarters.",
    ),
];

/// One table for each question.
pub(crate) fn table(judged: &[Judged], style: &Style) -> String {
    let sets = of_sets(judged);
    let part = |&(part, title, notes): &(Part, &str, &str)| {
        let shown: Vec<&OfSet> = sets.iter().filter(|set| set.part == part).collect();
        (!shown.is_empty()).then(|| one(title, notes, &shown, style))
    };
    let mut parts: Vec<String> = QUESTIONS.iter().filter_map(part).collect();
    if !parts.is_empty() {
        parts.push(heading(
            "How to read it",
            "Absolute errors in % of the measured values, of points that no fit used. Gain: how much larger the mean error of the null model is that is \
             hardest to beat, with the 95 % interval of a bootstrap over curves, or over points (p) where there are fewer than six; points of one curve \
             err together, so those intervals are too narrow. Better: the intervals of all null models are above 0; ? : too few to say. \
             Measured-again: the second of two measurements as a prediction of the first, both of them single ones; the models are compared with their mean, and half \
             of this is what a model without any error would have.",
            style,
        ).trim_end().to_owned() + "\n");
    }
    parts.join("\n")
}

fn one(title: &str, notes: &str, sets: &[&OfSet], style: &Style) -> String {
    let mut names: Vec<&str> = Vec::new();
    for set in sets {
        if !names.contains(&set.set.as_str()) {
            names.push(&set.set);
        }
    }
    let of = |name: &str| {
        let methods: Vec<&OfSet> = sets.iter().copied().filter(|set| set.set == name).collect();
        let points = methods.first().map_or(0, |set| set.summary.points);
        format!(
            "{name} ({points} {})\n{}",
            if points == 1 { "point" } else { "points" },
            methods_of(&methods, points).render(style)
        )
    };
    format!("{}{}", heading(title, notes, style), names.into_iter().map(of).collect::<Vec<_>>().join("\n"))
}

/// A row for each method of a set with this number of points.
fn methods_of(sets: &[&OfSet], points: usize) -> Grid {
    let mut grid = Grid::new(&[
        ("method", Align::Left),
        ("mean", Align::Right),
        ("worst", Align::Right),
        ("gain", Align::Left),
        ("better", Align::Left),
    ])
    .named_by(1);
    for set in sets {
        let better = match set.is_better() {
            _ if set.advantages.is_empty() => "",
            Some(true) => "yes",
            Some(false) => "no",
            None => "?",
        };
        let fewer = set.summary.points;
        let of = if fewer == points { String::new() } else { format!(", {fewer} points") };
        grid.row(vec![
            method(set) + &of,
            format!("{:.1}", 100.0 * set.summary.mean),
            format!("{:.1}", 100.0 * set.summary.worst),
            set.closest().map_or_else(String::new, gain),
            better.to_owned(),
        ]);
    }
    grid
}

fn method(set: &OfSet) -> String {
    let model = short(set.model);
    if set.variant == "no fit" { model.to_owned() } else { format!("{model}, {}", set.variant) }
}

/// "+12.3 (8.1 to 16.0) equal-parts".
fn gain(closest: &Advantage) -> String {
    let interval = closest.interval.map_or_else(String::new, |(low, high)| {
        let drawn = if closest.drawn == Drawn::Points { " p" } else { "" };
        format!(" ({:.1} to {:.1}{drawn})", 100.0 * low, 100.0 * high)
    });
    format!("{:+.1}{interval} {}", 100.0 * closest.mean, closest.null)
}

//! Sections 3.2.4 and 3.2.5: the window, and stealing.

use numasim_graph::values::SchedulerKind::{self, Dep, RipDep, RipSp, Sa};

use crate::common::statements::List;
use crate::common::statistics::Estimate;
use crate::partitions::Division;
use crate::runs::Way;
use crate::study::{COMPARED, Study};
use crate::windows::{BEFORE, Dense, ITERATION, Point};

/// 001-e
pub(super) fn windows(points: &[Point], dense: &[Dense]) -> List {
    let mut list = List::new('e');
    let at = |window: u32| {
        let point = points.iter().find(|point| point.window == window);
        let first = point.and_then(|point| point.speedups.first());
        first.copied().unwrap_or(Estimate { mean: f64::NAN, low: f64::NAN, high: f64::NAN })
    };
    let best = points.iter().filter_map(|point| point.speedups.first()).map(|e| e.mean).fold(0.0, f64::max);
    let (blocks, third, whole) = (at(ITERATION), at(BEFORE + ITERATION / 3), at(BEFORE + ITERATION));
    let words = format!("{}, the best window {best:.3}", blocks.shown());
    list.holds("window of 150", "good", words, blocks.mean > 1.0 && blocks.mean > 0.95 * best);
    let words = format!("150: {:.3}, 202: {}", blocks.mean, third.shown());
    list.holds("a part of an iteration in the window", "falls", words, third.high < blocks.low);
    let inside = points.iter().filter(|point| (BEFORE + 1..BEFORE + ITERATION).contains(&point.window));
    let mean = |point: &&Point| point.speedups.first().map_or(f64::NAN, |speedup| speedup.mean);
    let worst = inside.min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let words = worst.map_or(String::new(), |point| format!("at {}: {:.3}", point.window, mean(&point)));
    let near = worst.is_some_and(|point| point.window.abs_diff(BEFORE + ITERATION / 3) <= ITERATION / 10);
    list.holds("worst window", "152 + 50 = 202", words, near);
    let words = format!("202: {:.3}, 302: {}", third.mean, whole.shown());
    list.holds("a whole iteration in the window", "recovers", words, whole.low > third.high);
    let last = points.last();
    let ends =
        last.map(|point| point.speedups.iter().map(|e| e.mean).collect::<Vec<_>>()).unwrap_or_default();
    let words = format!(
        "302: {:.3}, all 3152 tasks: {}; partitioning 100 times dearer: {}",
        whole.mean,
        ends.first().map_or(String::new(), |mean| format!("{mean:.3}")),
        ends.get(1).map_or(String::new(), |mean| format!("{mean:.3}")),
    );
    list.holds(
        "a window too large",
        "its cost wins",
        words,
        ends.first().is_some_and(|&end| end < whole.low),
    );
    for Dense { code, speedups } in dense {
        let best = speedups.iter().map(|(_, speedup)| speedup.mean).fold(0.0, f64::max);
        let said = speedups.iter().filter(|(times, _)| matches!(times, 2 | 3));
        let of_said = said.map(|(_, speedup)| speedup.mean).fold(0.0, f64::max);
        let words = speedups.iter().map(|(times, speedup)| format!("{times}: {:.3}", speedup.mean));
        let words = words.collect::<Vec<_>>().join(", ");
        // The best one, or equally good.
        list.holds(format!("{code}, best window"), "2 or 3 times the blocks", words, of_said >= 0.97 * best);
    }
    list
}

/// Sections 2.3.4 and 3.2.1, figures 2.4 and 2.5
pub(super) fn partitions([dep, rip_dep]: [Division; 2]) -> List {
    let mut list = List::new('g');
    let words = format!("rip-dep {:.2}, dep {:.2}", rip_dep.like_diagonal, dep.like_diagonal);
    let near = rip_dep.like_diagonal >= 0.8;
    list.holds("tiles as along the diagonal, rip-dep", "very close", words.clone(), near);
    let nearer = rip_dep.like_diagonal > dep.like_diagonal + 0.1;
    list.holds("the same", "rip-dep much more than dep", words, nearer);
    let words = format!("dep {:.2}", dep.like_diagonal);
    list.holds("the same, dep", "not close", words, dep.like_diagonal < 0.8);
    let words = format!("rip-dep {:.0}, dep {:.0}", rip_dep.cut_edges, dep.cut_edges);
    list.holds("edges cut in three iterations", "rip-dep < dep", words, rip_dep.cut_edges < dep.cut_edges);
    list
}

/// Gain from stealing: the mean of the seven with stealing divided by that without it.
pub(crate) fn worth(study: &Study, kind: SchedulerKind) -> f64 {
    study.seven(Way::stealing(kind)).mean / study.seven(Way::of(kind)).mean
}

/// 001-f
pub(super) fn stealing(sandy: &Study, uv100: &Study, power8: &Study) -> List {
    let mut list = List::new('f');
    let pair = |kind| (worth(sandy, kind), worth(uv100, kind));
    let words = |(sandy, uv100): (f64, f64)| format!("Sandy Bridge x {sandy:.3}, UV100 x {uv100:.3}");
    let better = COMPARED.into_iter().filter(|&kind| pair(kind).0 > pair(kind).1).count();
    let said = format!("{better} of {} schedulers", COMPARED.len());
    list.holds("worth more on Sandy Bridge than on UV100", "all", said, better == COMPARED.len());
    for (kind, what) in [(Sa, "sa"), (Dep, "dep")] {
        let both = pair(kind);
        list.holds(what, "harmed", words(both), both.0 < 1.0 && both.1 < 1.0);
        list.holds(what, "more on UV100", words(both), both.1 < both.0);
    }
    let both = pair(RipDep);
    list.holds("rip-dep on Sandy Bridge", "slightly better", words(both), both.0 > 1.0);
    list.holds("rip-dep on UV100", "worse", words(both), both.1 < 1.0);
    let third = worth(power8, RipSp);
    let both = pair(RipSp);
    let said = format!("{}, POWER8 x {third:.3}", words(both));
    list.holds("rip-sp", "better everywhere", said, both.0.min(both.1).min(third) > 1.0);
    let worths = [Sa, Dep, RipDep].map(|kind| worth(power8, kind));
    let words = format!("sa x {:.3}, dep x {:.3}", worths[0], worths[1]);
    list.holds("POWER8, sa and dep", "as Sandy Bridge: harmed", words, worths[0] < 1.0 && worths[1] < 1.0);
    let words = format!("x {:.3}", worths[2]);
    list.holds("POWER8, rip-dep", "as Sandy Bridge: better", words, worths[2] > 1.0);
    list
}

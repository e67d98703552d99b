//! Sections 3.2.1 to 3.2.3: one machine each.

use numasim_graph::values::SchedulerKind::{self, Dep, RipDep, RipMw, RipSp, Sa};

use crate::calibration::SEVEN;
use crate::common::statements::{List, Verdict};
use crate::common::statistics::Estimate;
use crate::runs::Way;
use crate::study::Study;

/// Within this range a speedup counts as neither gain nor loss.
const NOTHING: f64 = 0.05;
/// A scheduler that is reported to change nothing loses at most this.
const LOSS: f64 = 0.10;
/// Within this range two speedups count as equal.
const SAME: f64 = 0.03;

impl Study {
    fn mean(&self, kind: SchedulerKind) -> Estimate {
        self.seven(Way::of(kind))
    }

    fn single(&self, code: &str, kind: SchedulerKind) -> Estimate {
        self.runs.speedup(code, Way::of(kind))
    }

    /// `sa 1.10, dep 1.09` for a code or, without one, for the seven.
    fn several(&self, code: Option<&str>, kinds: &[SchedulerKind]) -> (Vec<f64>, String) {
        let of = |kind| code.map_or_else(|| self.mean(kind), |code| self.single(code, kind)).mean;
        let values: Vec<f64> = kinds.iter().map(|&kind| of(kind)).collect();
        let words = kinds.iter().zip(&values).map(|(kind, value)| format!("{} {value:.3}", kind.as_str()));
        let words = words.collect::<Vec<_>>().join(", ");
        (values, words)
    }

    /// `cg 0.83, qr 0.79` for one scheduler.
    fn codes(&self, codes: &[&str], kind: SchedulerKind) -> (Vec<f64>, String) {
        let values: Vec<f64> = codes.iter().map(|code| self.single(code, kind).mean).collect();
        let words = codes.iter().zip(&values).map(|(code, value)| format!("{code} {value:.3}"));
        let words = words.collect::<Vec<_>>().join(", ");
        (values, words)
    }
}

/// Whether each is larger than the next one.
fn falls(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] > pair[1])
}

/// 001-a
pub(super) fn sandy_bridge(study: &Study) -> List {
    let mut list = List::new('a');
    list.fitted("mean of 7, sa", 1.16, study.mean(Sa));
    list.near("mean of 7, dep", 1.14, study.mean(Dep), 0.10);
    list.near("mean of 7, rip-dep", 1.12, study.mean(RipDep), 0.10);
    list.near("mean of 7, rip-mw", 0.90, study.mean(RipMw), 0.10);
    let (values, words) = study.several(None, &[Sa, Dep, RipDep, RipMw]);
    list.holds("order of the means", "sa > dep > rip-dep > rip-mw", words, falls(&values));
    let sp = study.mean(RipSp);
    list.holds("mean of 7, rip-sp", "below 1", sp.shown(), sp.mean < 1.0);
    let (values, words) = study.codes(&["cg", "qr", "smi"], RipSp);
    list.holds("rip-sp is slower than fifo", "on cg, qr, smi", words, values.iter().all(|&v| v < 1.0));
    let (values, words) = study.codes(&["gauss-seidel", "red-black", "jacobi", "integral-histogram"], RipSp);
    list.holds("rip-sp is not slower than fifo", "on the others", words, values.iter().all(|&v| v > 1.0));
    let median = study.runs.mean_of_medians(&SEVEN, Way::of(RipSp));
    list.holds("mean of the 7 medians, rip-sp", "above 1", format!("{median:.3}"), median > 1.0);
    list
}

/// 001-b
pub(super) fn single_codes(study: &Study) -> List {
    let mut list = List::new('b');
    let gains = |estimate: Estimate| estimate.mean > 1.0 + NOTHING;
    let cg = |kind| study.single("cg", kind);
    list.holds("cg, dep", "gains: 1.42", cg(Dep).shown(), gains(cg(Dep)));
    list.holds("cg, rip-dep", "gains: 1.34", cg(RipDep).shown(), gains(cg(RipDep)));
    let (values, words) = study.several(Some("cg"), &[Dep, RipDep]);
    list.holds("cg, order", "dep > rip-dep", words, falls(&values));
    // For rip-sp a slowdown is reported (a7); for the others only that there is no gain.
    let none = |code: &str, kinds: &[SchedulerKind]| {
        let is_none = |&kind: &SchedulerKind| {
            let mean = study.single(code, kind).mean;
            mean < 1.0 + NOTHING && (kind == RipSp || mean > 1.0 - LOSS)
        };
        kinds.iter().all(is_none)
    };
    let kinds = [RipSp, RipMw];
    let (_, words) = study.several(Some("cg"), &kinds);
    list.holds("cg, rip-sp and rip-mw", "no real gain; rip-sp loses", words, none("cg", &kinds));
    for (code, what) in [("gauss-seidel", "gauss-seidel, sa"), ("red-black", "red-black, sa")] {
        list.fitted(what, 1.11, study.single(code, Sa));
    }
    for (code, what) in [("gauss-seidel", "gauss-seidel, rip-dep"), ("red-black", "red-black, rip-dep")] {
        let ours = study.single(code, RipDep);
        list.holds(what, "gains: 1.07", ours.shown(), gains(ours));
    }
    for (code, what) in [("gauss-seidel", "gauss-seidel, order"), ("red-black", "red-black, order")] {
        let (values, words) = study.several(Some(code), &[Sa, RipDep]);
        list.holds(what, "sa > rip-dep", words, falls(&values));
        let (values, words) = study.several(Some(code), &[Sa, Dep]);
        list.holds(what, "sa > dep", words, falls(&values));
    }
    for (code, what) in [("qr", "qr, rip-dep, -sp, -mw"), ("smi", "smi, rip-dep, -sp, -mw")] {
        let kinds = [RipDep, RipSp, RipMw];
        let (_, words) = study.several(Some(code), &kinds);
        list.holds(what, "no gain; rip-sp loses", words, none(code, &kinds));
    }
    let reached = |code: &&str| {
        let of = |kind| study.single(code, kind).mean;
        of(RipMw) > of(Dep).min(of(RipDep))
    };
    let reached: Vec<&str> = SEVEN.into_iter().filter(reached).collect();
    let words = if reached.is_empty() { "in none".to_owned() } else { format!("in {}", reached.join(", ")) };
    list.holds("rip-mw reaches dep or rip-dep", "in no code", words, reached.is_empty());
    list
}

/// 001-c
pub(super) fn uv100(study: &Study) -> List {
    let mut list = List::new('c');
    for (what, printed, kind) in [("mean of 7, dep", 1.98, Dep), ("mean of 7, rip-dep", 2.02, RipDep)] {
        list.add(what, format!("{printed:.2}"), study.mean(kind).shown(), Verdict::OutOfReach);
    }
    list.near("mean of 7, rip-sp", 1.28, study.mean(RipSp), 0.25);
    list.near("mean of 7, rip-mw", 1.09, study.mean(RipMw), 0.25);
    let (values, words) = study.several(None, &[RipDep, Dep, RipSp, RipMw]);
    list.holds("order of the means", "rip-dep > dep > rip-sp > rip-mw", words, falls(&values));
    list.fitted("gauss-seidel, sa", 2.05, study.single("gauss-seidel", Sa));
    list.fitted("red-black, sa", 2.05, study.single("red-black", Sa));
    list.near("gauss-seidel, rip-dep", 2.01, study.single("gauss-seidel", RipDep), 0.25);
    list.near("red-black, rip-dep", 2.08, study.single("red-black", RipDep), 0.25);
    for (code, what) in [("gauss-seidel", "gauss-seidel, order"), ("red-black", "red-black, order")] {
        let (values, words) = study.several(Some(code), &[RipDep, Dep]);
        list.holds(what, "rip-dep > dep", words, falls(&values));
    }
    list
}

/// 001-d
pub(super) fn power8(study: &Study) -> List {
    let mut list = List::new('d');
    list.near("mean of 7, dep", 1.20, study.mean(Dep), 0.15);
    list.fitted("mean of 7, sa", 1.10, study.mean(Sa));
    list.near("mean of 7, rip-dep", 1.11, study.mean(RipDep), 0.15);
    list.near("mean of 7, rip-sp", 0.80, study.mean(RipSp), 0.15);
    list.near("mean of 7, rip-mw", 0.80, study.mean(RipMw), 0.15);
    let (values, words) = study.several(None, &[Dep, RipDep, Sa]);
    list.holds("order of the means", "dep > rip-dep > sa", words, falls(&values));
    let (values, words) = study.several(None, &[Sa, RipSp, RipMw]);
    let below = values[1].max(values[2]) < values[0];
    list.holds("order of the means", "sa > rip-sp, rip-mw", words, below);
    let (values, words) = study.several(Some("jacobi"), &[Dep, RipDep, Sa]);
    let same = (values[0] - values[1]).abs() <= SAME * values[0];
    list.holds("jacobi", "dep = rip-dep", words.clone(), same);
    list.holds("jacobi", "both > sa", words, values[0].min(values[1]) > values[2]);
    for (code, what) in [("gauss-seidel", "gauss-seidel, order"), ("red-black", "red-black, order")] {
        let (values, words) = study.several(Some(code), &[Dep, Sa]);
        list.holds(what, "dep much > sa", words, values[0] > 1.2 * values[1]);
    }
    for (code, what) in [("cg", "cg, order"), ("integral-histogram", "integral-histogram, order")] {
        let (values, words) = study.several(Some(code), &[Dep, RipDep]);
        list.holds(what, "rip-dep is weak: dep >", words, falls(&values));
    }
    list
}

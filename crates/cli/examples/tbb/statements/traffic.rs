//! Section 5.2, Fig. 15: the sources of bytes.

use numasim_graph::values::TaskScenario::{ApIntl, NacsIntl, NacsNadd, NoapFt, NoapIntl};

use crate::common::statements::List;
use crate::runs::Runs;

/// Fraction of remote bytes that counts as "almost none".
const ALMOST_NONE: f64 = 0.05;
/// Fraction of bytes from caches that does "not matter much".
const FEW: f64 = 0.05;
/// Within this range the numbers of bytes from memory count as equal.
const AS_MANY: f64 = 0.02;

/// 003-b
pub(super) fn breakdown(runs: &Runs) -> List {
    let mut list = List::new('b');
    for code in ["cg", "mg"] {
        let [ft, ap, nadd] = [NoapFt, ApIntl, NacsNadd].map(|scenario| runs.remote(code, scenario));
        let words =
            format!("{:.1} %; (noap, FT) {:.1} %, (ap, INTL) {:.1} %", 100.0 * nadd, 100.0 * ft, 100.0 * ap);
        let what = format!("{code}, remote bytes of (NACS, NADD)");
        list.holds(what, "almost none", words, nadd < ALMOST_NONE && nadd < ft && nadd < ap);
    }
    for code in ["streamcluster", "fluidanimate", "ferret"] {
        let [noap, nadd] = [NoapIntl, NacsNadd].map(|scenario| runs.remote(code, scenario));
        let words = format!("{:.1} %; (noap, INTL) {:.1} %", 100.0 * nadd, 100.0 * noap);
        list.holds(format!("{code}, remote bytes of (NACS, NADD)"), "fewer", words, nadd < noap);
    }
    let codes = ["cg", "mg", "streamcluster", "fluidanimate", "ferret"];
    let cached = |code: &str, scenario| {
        let [own, _, other, _] = runs.shares(code, scenario);
        own + other
    };
    let most = |code: &str| {
        runs.scenarios(code).into_iter().map(|scenario| cached(code, scenario)).fold(0.0, f64::max)
    };
    let words = |of: Vec<(&str, f64)>| {
        let all: Vec<String> =
            of.iter().map(|(code, value)| format!("{code} {:.1} %", 100.0 * value)).collect();
        all.join(", ")
    };
    let uncached: Vec<(&str, f64)> =
        codes.into_iter().map(|code| (code, most(code))).filter(|(_, most)| *most < FEW).collect();
    let holds = !uncached.is_empty();
    list.holds("bytes from caches, at most", "some codes: hardly any", words(uncached), holds);
    let more = |code: &str| {
        let numa = cached(code, NacsIntl).max(cached(code, NacsNadd));
        numa - cached(code, runs.best_standard(code))
    };
    let raised: Vec<(&str, f64)> =
        codes.into_iter().map(|code| (code, more(code))).filter(|(_, more)| *more > 0.01).collect();
    let holds = !raised.is_empty();
    list.holds("bytes from caches, more by TBB-NUMA", "some codes", words(raised), holds);
    for code in ["cg", "mg"] {
        let memory =
            |scenario| runs.mean_of(code, scenario, |run| run.traffic.dram_local + run.traffic.dram_remote);
        let ratio = memory(ApIntl) / memory(NoapIntl);
        let what = format!("{code}, memory traffic of (ap, INTL) over (noap, INTL)");
        list.holds(what, "not less", format!("{ratio:.3}"), ratio > 1.0 - AS_MANY);
    }
    list
}

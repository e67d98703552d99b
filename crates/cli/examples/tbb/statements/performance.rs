//! Sections 5.2 and 5.4: times without contention.

use numasim_graph::values::TaskScenario::{ApIntl, NacsNadd, NoapFt, NoapIntl};

use super::{Studies, percent};
use crate::common::statements::List;
use crate::common::statistics::Estimate;
use crate::runs::Runs;

/// Maximum difference between a relative time and the reported one.
const TIME: f64 = 0.05;
/// Maximum difference between a gain and the reported one.
const GAIN: f64 = 0.10;
/// Maximum distance of a gain from a reported range of gains.
const BEYOND: f64 = 0.05;
/// Within this range there is neither gain nor loss.
const NOTHING: f64 = 0.03;

/// Gains of a reported range, in percent: positive, and not far outside.
fn within(list: &mut List, what: String, printed: [f64; 2], gain: Estimate) {
    let [low, high] = printed.map(|percent| 1.0 + percent / 100.0);
    let holds = gain.mean > 1.0 && (low - BEYOND..=high + BEYOND).contains(&gain.mean);
    list.holds(what, format!("+{} to +{} %", printed[0], printed[1]), percent(gain), holds);
}

/// 003-a
pub(super) fn westmere(runs: &Runs) -> List {
    let mut list = List::new('a');
    list.fitted("cg, (NACS, NADD)", 0.34, runs.relative("cg", NacsNadd));
    list.fitted("streamcluster, (NACS, NADD)", 0.38, runs.relative("streamcluster", NacsNadd));
    list.fitted("streamcluster, (noap, INTL)", 0.55, runs.relative("streamcluster", NoapIntl));
    list.near("cg, (ap, INTL)", 0.40, runs.relative("cg", ApIntl), TIME);
    let gain = runs.over("cg", ApIntl, NacsNadd, true);
    list.holds("cg, gain over (ap, INTL)", "+18 % +- 10", percent(gain), (gain.mean - 1.18).abs() <= GAIN);
    let times = [NoapFt, NoapIntl, NacsNadd].map(|scenario| runs.relative("cg", scenario).mean);
    let order = format!("1, {:.3}, {:.3}", times[1], times[2]);
    list.holds("cg, order", "FT > INTL > (NACS, NADD)", order, times[0] > times[1] && times[1] > times[2]);
    let best = runs.best_standard("cg");
    let (ap, noap) = (runs.relative("cg", ApIntl).mean, runs.relative("cg", NoapIntl).mean);
    let words = format!("ap {ap:.3}, noap {noap:.3}");
    list.holds("cg, the best of standard TBB", "(ap, INTL)", words, best == ApIntl);
    let computing = runs.over("mg", runs.best_standard("mg"), NacsNadd, false);
    let holds = computing.mean > 1.0 && (computing.mean - 1.12).abs() <= GAIN;
    list.holds("mg, computation alone", "+12 % +- 10", percent(computing), holds);
    let whole = runs.gain("mg");
    list.holds("mg, with migration", "slightly worse", percent(whole), (0.9..1.0).contains(&whole.mean));
    let gain = runs.gain("streamcluster");
    list.fitted("streamcluster, times faster", 1.44, gain);
    for code in ["fluidanimate", "ferret"] {
        within(&mut list, format!("{code}, gain"), [16.0, 44.0], runs.gain(code));
    }
    list
}

/// 003-d
pub(super) fn others(studies: &Studies) -> List {
    let mut list = List::new('d');
    for code in ["cg", "mg", "streamcluster", "fluidanimate", "ferret"] {
        within(&mut list, format!("Nehalem, {code}, gain"), [3.0, 18.0], studies.nehalem.gain(code));
    }
    for code in ["cg", "streamcluster", "ferret"] {
        within(&mut list, format!("Bulldozer, {code}, gain"), [6.0, 18.0], studies.bulldozer.gain(code));
    }
    let gain = studies.bulldozer.gain("fluidanimate");
    list.holds("Bulldozer, fluidanimate, gain", "0", percent(gain), (gain.mean - 1.0).abs() <= NOTHING);
    let gain = studies.bulldozer.gain("mg");
    let holds = (1.0 - 0.03 - BEYOND..1.0).contains(&gain.mean);
    list.holds("Bulldozer, mg, gain", "-3 %", percent(gain), holds);
    list
}

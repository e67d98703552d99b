//! Section 5.3: with a co-runner.

use numasim_graph::values::TaskScenario::{ApIntl, NacsNadd, NoapIntl};

use super::Studies;
use crate::common::statements::List;
use crate::runs::Runs;

/// Within this range relative times count as similar.
const SIMILAR: f64 = 0.10;

/// 003-c
pub(super) fn with_contender(studies: &Studies) -> List {
    let mut list = List::new('c');
    for (kind, runs) in [("permanent", &studies.permanent), ("phases", &studies.phases)] {
        for code in ["cg", "mg", "streamcluster", "fluidanimate", "ferret"] {
            similar(&mut list, kind, code, runs, &studies.westmere);
        }
        let slower = runs.over("cg", ApIntl, NoapIntl, true);
        let what = format!("{kind}, cg, (ap, INTL) over (noap, INTL)");
        list.holds(what, "above 1: slower", slower.shown(), slower.low > 1.0);
    }
    list
}

/// (NACS, NADD) relative to (noap, FT), with and without the co-runner.
fn similar(list: &mut List, kind: &str, code: &str, with: &Runs, without: &Runs) {
    let (with, without) = (with.relative(code, NacsNadd), without.relative(code, NacsNadd));
    let printed = format!("similar to {:.3} (without)", without.mean);
    let holds = (with.mean - without.mean).abs() <= SIMILAR;
    list.holds(format!("{kind}, {code}, (NACS, NADD)"), printed, with.shown(), holds);
}

//! Every statement of the paper with a value, a sign or an order, compared with the results here.

mod causes;
mod contention;
mod performance;
mod traffic;

use crate::common::statements::{Statement, explained};
use crate::common::statistics::Estimate;
use crate::runs::Runs;

/// The simulations.
pub(crate) struct Studies {
    pub(crate) westmere: Runs,
    pub(crate) permanent: Runs,
    pub(crate) phases: Runs,
    pub(crate) nehalem: Runs,
    pub(crate) bulldozer: Runs,
}

/// `+17.6 % [16.8, 18.3]` for a speedup.
fn percent(gain: Estimate) -> String {
    let of = |times: f64| 100.0 * (times - 1.0);
    format!("{:+.1} % [{:.1}, {:.1}]", of(gain.mean), of(gain.low), of(gain.high))
}

/// All statements, in the order of the paper.
pub(crate) fn all(studies: &Studies) -> Vec<Statement> {
    let lists = [
        performance::westmere(&studies.westmere),
        traffic::breakdown(&studies.westmere),
        contention::with_contender(studies),
        performance::others(studies),
    ];
    explained(lists, causes::of)
}

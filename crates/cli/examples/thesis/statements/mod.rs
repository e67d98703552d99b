//! Every statement of the thesis with a value or an order, compared with the results here.

mod causes;
mod machines;
pub(crate) mod small;

use crate::common::statements::{Statement, explained};
use crate::partitions::Division;
use crate::study::Study;
use crate::windows::{Dense, Point};

/// All statements; the studies are those of Sandy Bridge, UV100 and POWER8, the divisions those of `dep` and `rip-dep`.
pub(crate) fn all(
    studies: [&Study; 3],
    windows: &[Point],
    dense: &[Dense],
    divisions: [Division; 2],
) -> Vec<Statement> {
    let [sandy, uv100, power8] = studies;
    let lists = [
        machines::sandy_bridge(sandy),
        machines::single_codes(sandy),
        machines::uv100(uv100),
        machines::power8(power8),
        small::windows(windows, dense),
        small::stealing(sandy, uv100, power8),
        small::partitions(divisions),
    ];
    explained(lists, causes::of)
}

//! Every statement of the thesis with a value or an order in it, beside what comes out here.

mod causes;
mod machines;
pub(crate) mod small;

use crate::common::statements::{Statement, explained};
use crate::study::Study;
use crate::windows::Point;

/// All statements, in the order of the thesis; the studies are those of Sandy Bridge, UV100 and POWER8.
pub(crate) fn all(studies: [&Study; 3], windows: &[Point]) -> Vec<Statement> {
    let [sandy, uv100, power8] = studies;
    let lists = [
        machines::sandy_bridge(sandy),
        machines::single_codes(sandy),
        machines::uv100(uv100),
        machines::power8(power8),
        small::windows(windows),
        small::stealing(sandy, uv100, power8),
    ];
    explained(lists, causes::of)
}

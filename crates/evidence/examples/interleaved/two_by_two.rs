//! Two choices with two options each: the effect of each on the time, and the effect of both together.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::Failure;
use crate::rows::{change, read};

/// The scenarios, in the order of [`Block`].
const SCENARIOS: [&str; 2] = ["data by the main thread", "data by node"];
/// The ways of binding threads, in the order of [`Block`].
const BINDS: [&str; 2] = ["none", "core"];

/// Logarithms of the rates of a block by binding and scenario, each the mean of the measured ones.
type Block = [[f64; 2]; 2];

/// Logarithms of rates: sum and number.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

/// The blocks of a file.
fn blocks(file: &Path) -> Result<Vec<Block>, Failure> {
    let mut all: BTreeMap<u32, [[Mean; 2]; 2]> = BTreeMap::new();
    for ([block, bind], row) in read(file, ["block", "bind"])? {
        let bind = BINDS.iter().position(|one| *one == bind).ok_or(format!("no binding {bind}"))?;
        let scenario = SCENARIOS.iter().position(|one| *one == row.scenario);
        let scenario = scenario.ok_or(format!("no scenario '{}'", row.scenario))?;
        let mean = &mut all.entry(block.parse()?).or_default()[bind][scenario];
        // Only one node: its threads share one problem.
        (mean.sum, mean.count) = (mean.sum + row.gflops.ln(), mean.count + 1.0);
    }
    let complete = |block: [[Mean; 2]; 2]| {
        let done = block.iter().flatten().all(|mean| mean.count > 0.0);
        done.then(|| block.map(|binding| binding.map(|mean| mean.sum / mean.count)))
    };
    let complete: Option<Vec<Block>> = all.into_values().map(complete).collect();
    Ok(complete.ok_or("a block has not all four cases")?)
}

/// Reduction of the time: `-0.01` is 1 % shorter.
fn shorter(slower: f64, faster: f64) -> f64 {
    (slower - faster).exp_m1()
}

/// The effect of each choice on the time in each block.
fn effects(blocks: &[Block]) -> [(&'static str, Vec<f64>); 4] {
    let of = |effect: &dyn Fn(&Block) -> f64| blocks.iter().map(effect).collect::<Vec<f64>>();
    let mean = |binding: [f64; 2]| f64::midpoint(binding[0], binding[1]);
    let [none, core] = [0, 1];
    let [main, node] = [0, 1];
    [
        ("pinned, mean of both placements", of(&|block| shorter(mean(block[none]), mean(block[core])))),
        (
            "data by node, mean of both bindings",
            of(&|block| {
                shorter(
                    f64::midpoint(block[none][main], block[core][main]),
                    f64::midpoint(block[none][node], block[core][node]),
                )
            }),
        ),
        ("both", of(&|block| shorter(block[none][main], block[core][node]))),
        (
            "more than the sum of both",
            of(&|block| {
                shorter(block[none][main] + block[core][node], block[none][node] + block[core][main])
            }),
        ),
    ]
}

/// The table.
pub(crate) fn table(file: &Path) -> Result<String, Failure> {
    let blocks = blocks(file)?;
    let mut text = format!(
        "{} blocks; change of the time, median and 95 % bootstrap interval over blocks\n",
        blocks.len()
    );
    for (what, values) in effects(&blocks) {
        writeln!(text, "{what:<38} {}", change(&values))?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_match_the_hand_calculation() {
        // Rates 100 and 100 unpinned, 125 and 125 pinned: times are 80 % for any data placement, without an
        // interaction.
        let block = [[100.0_f64.ln(); 2], [125.0_f64.ln(); 2]];
        let found = effects(&[block]).map(|(_, values)| values[0]);
        for (found, expected) in found.into_iter().zip([-0.2, 0.0, -0.2, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}

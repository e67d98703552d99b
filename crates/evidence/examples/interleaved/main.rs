//! What runs of `numasim bench` in turn say: `two-by-two` of two choices and both together, `co-runs` of pairs of applications beside what models say of them.
//!
//! `interleaved two-by-two RUNS.csv`: rows of `bench` behind the columns `block`, `place` and `bind`; see `results/blackscholes-2x2/run`.
//! `interleaved co-runs MACHINE.toml STUDY.toml MEASURED.csv`: see `results/real-kernel-co-runs/run`.

mod co_runs;
mod rows;
mod two_by_two;

use std::path::Path;

/// Why there is no table, in words.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let table = match arguments[..] {
        ["two-by-two", runs] => two_by_two::table(Path::new(runs))?,
        ["co-runs", machine, study, measured] => co_runs::table(machine, study, Path::new(measured))?,
        _ => {
            return Err(
                "usage: interleaved two-by-two RUNS.csv | co-runs MACHINE.toml STUDY.toml MEASURED.csv"
                    .into(),
            );
        }
    };
    print!("{table}");
    Ok(())
}

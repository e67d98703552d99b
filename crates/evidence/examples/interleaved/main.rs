//! Evaluates interleaved runs of `numasim bench`: `two-by-two` for two choices and both together, `co-runs`
//! for pairs of applications, compared with predictions of models.
//!
//! `interleaved two-by-two RUNS.csv`: rows of `bench` after the columns `block`, `place` and `bind`; see
//! `results/blackscholes-2x2/run`. `interleaved co-runs MACHINE.toml STUDY.toml MEASURED.csv`: see
//! `results/real-kernel-co-runs/run`.

mod co_runs;
mod rows;
mod two_by_two;

use std::path::Path;

/// The reason that there is no table, in words.
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

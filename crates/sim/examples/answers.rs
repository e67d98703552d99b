//! Prints the complete, exact answers of searches, to compare two builds of the search.
//!
//! `cargo run -p numasim-sim --example answers -- configs/paper/uneven-even-nodes.toml`, and the same with `--no-default-features`: the
//! output must be identical without the feature `parallel` (`.ci/one-thread`).

use std::error::Error;

use numasim_model::units::Gflop;
use numasim_model::{App, Study};
use numasim_sim::search::{Settings, Unattended, explore};
use numasim_sim::{Objective, Problem, Restrictions};
use numasim_study::{SourceFile, read_study};

const OBJECTIVES: [Objective; 4] =
    [Objective::TotalGflops, Objective::Fair, Objective::Geomean, Objective::Makespan];

fn study(name: String) -> Result<Study, Box<dyn Error>> {
    let text = std::fs::read_to_string(&name)?;
    let file = SourceFile { name, text };
    Ok(read_study(&[file]).map_err(|problems| format!("{problems:?}"))?.study)
}

/// The question in a file. If the file gives no work for the makespan, each application has 1000 GFLOP.
fn problem(study: &Study, objective: Objective) -> Result<Problem, Box<dyn Error>> {
    let with_work = |app: &App| App { work: app.work.or(Some(Gflop::new(1000.0))), ..app.clone() };
    let apps: Vec<App> = study.apps.iter().map(with_work).collect();
    Ok(Problem::new(&study.machine, &apps, objective, Restrictions::default())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let build = if cfg!(feature = "parallel") { "all threads" } else { "one thread" };
    eprintln!("answers of {build}");
    for name in std::env::args().skip(1) {
        println!("# {name}");
        let study = study(name)?;
        for objective in OBJECTIVES {
            let found = explore(&problem(&study, objective)?, &Settings::default(), &Unattended)?;
            println!("{objective:?} {found:#?}");
        }
    }
    Ok(())
}

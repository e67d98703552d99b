//! Schedulers of I. Sánchez Barrera's thesis (paper 001), simulated.
mod calibration;
mod codes;
mod machines;
mod runs;
mod statistics;

use std::path::Path;
use std::time::Instant;

use machines::Platform;
use numasim_model::graph::SchedulerKind;
use runs::Way;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let root = Path::new(".");
    let codes = codes::all();
    let what = std::env::args().nth(1).unwrap_or_default();
    let seeds: u64 = std::env::args().nth(2).map_or(Ok(3), |s| s.parse())?;
    for platform in Platform::ALL {
        let machine = platform.read(root)?;
        let begin = Instant::now();
        if what == "calibrate" {
            for point in calibration::grid(platform, &machine, &codes)? {
                println!("{} {:?} {:?} {:.5}", platform.name(), point.figures, point.speedups, point.error);
            }
            eprintln!("{:?}", begin.elapsed());
            continue;
        }
        let machine = match what.as_str() { "nonuma" => machines::without_numa(&machine)?, "nocache" => machines::without_caches(&machine)?, _ => machine };
        let lines = std::env::args().nth(3).map(|s| s.parse::<f64>()).transpose()?;
        let machine = match lines { Some(l) => machines::Calibrated { outstanding_lines: l, ..machines::Calibrated::of(&machine).unwrap() }.on(&machine)?, None => machine };
        let ways: Vec<Way> = SchedulerKind::ALL.into_iter().map(Way::of).collect();
        let runs = runs::all(&machine, &codes, &ways, seeds)?;
        println!("{} {:?}", platform.name(), begin.elapsed());
        for code in &codes {
            print!("{:20}", code.name());
            for way in &ways {
                print!(" {} {:.3}", way.kind.as_str(), runs.speedup(code.name(), *way).mean);
            }
            println!(" fifo {:.3} s", runs.of(code.name(), ways[0])[0].makespan.value());
        }
        print!("{:20}", "seven");
        for way in &ways {
            print!(" {} {:.3}", way.kind.as_str(), runs.mean(&calibration::SEVEN, *way).mean);
        }
        println!();
    }
    Ok(())
}

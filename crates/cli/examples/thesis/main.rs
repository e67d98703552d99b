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
        let machine = if std::env::var_os("OFF").is_some() { machines::without_caches(&machine)? } else { machine };
        if what == "calibrate" {
            for point in calibration::grid(platform, &machine, &codes)? {
                println!("{} {:?} {:?} {:.5}", platform.name(), point.figures, point.speedups, point.error);
            }
            eprintln!("{:?}", begin.elapsed());
            continue;
        }
        let machine = match what.as_str() { "nonuma" => machines::without_numa(&machine)?, "nocache" => machines::without_caches(&machine)?, _ => machine };
        let lines = std::env::args().nth(3).map(|s| s.parse::<f64>()).transpose()?;
        let llc_gbs = std::env::args().nth(4).map(|s| s.parse::<f64>()).transpose()?.filter(|x| *x > 0.0);
        let machine = match lines { Some(l) => machines::Calibrated { outstanding_lines: l, llc_gbs }.on(&machine)?, None => machine };
        if what == "kinds" {
            debug(&machine, &codes, &std::env::args().nth(5).unwrap(), &std::env::args().nth(6).unwrap())?;
            continue;
        }
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

struct Kinds<'a>(&'a numasim_model::graph::TaskGraph, std::collections::BTreeMap<(String, usize), (u32, f64)>);
impl numasim_tasks::Observer for Kinds<'_> {
    fn ended(&mut self, r: &numasim_tasks::TaskRecord) {
        let kind = self.0.types()[self.0.kind(r.task).0 as usize].clone();
        let e = self.1.entry((kind, r.node.0)).or_default();
        e.0 += 1;
        e.1 += r.end_s - r.start_s;
    }
}
fn debug(machine: &numasim_model::Machine, codes: &[codes::Code], code: &str, kind: &str) -> Result<(), Failure> {
    let code = codes.iter().find(|c| c.name() == code).unwrap();
    let graph = code.graph(&machines::sockets(machine))?;
    let kind = SchedulerKind::ALL.into_iter().find(|k| k.as_str() == kind).unwrap();
    let mut kinds = Kinds(&graph, Default::default());
    let scheduler = code.scheduler(kind);
    let runtime = numasim_model::graph::RuntimeSettings::default();
    let q = numasim_tasks::Question { machine, graph: &graph, scheduler: &scheduler, runtime: &runtime, placement: numasim_model::graph::PagePlacement::FirstTouch, steal: false, contender: None, plan: None };
    let run = numasim_tasks::simulate(&q, &mut kinds)?;
    println!("{} {} makespan {:?} idle {:.3} partition {:?} traffic {:?} cut {:?}", code.name(), kind.as_str(), run.makespan, run.idle, run.partition, run.traffic, run.cut);
    for (k, v) in kinds.1 { println!("  {:?} {} tasks {:.3} s busy", k, v.0, v.1); }
    Ok(())
}

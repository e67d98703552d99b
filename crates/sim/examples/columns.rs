//! Writes a question as a mixed-integer linear program in MPS format, to compare the search with MILP solvers.
//!
//! `cargo run --release -p numasim-sim --features examples --example columns -- mps fair configs/paper/uneven-even-nodes.toml > question.mps`
//! writes the program. `... -- search fair FILE...` answers the question and prints value, bound, gap, status and seconds on one line.
//! `crates/sim/peers/milp.py` does both in turn.
//!
//! # When the model is linear in counts
//! The model is not linear in the counts of threads: the bandwidth of a thread depends on the other threads on its node. But if all data is
//! local, no node affects another. The GFLOPS of an application are then a sum over nodes of the GFLOPS from a *whole content* of a node,
//! under every sharing model. Let x(k, o) be the number of equal nodes of class k that have content o, with one column for each:
//!
//! - sum over o of x(k, o) = nodes of class k, for each class,
//! - min <= sum over k, o of threads(a, o) x(k, o) <= max, for each application a,
//! - total-gflops: maximise sum of weight x gflops(k, o) x(k, o),
//! - fair, makespan: maximise t with sum of gflops(a, k, o) x(k, o) >= t unit(a): GFLOPS alone, or GFLOP of work.
//!
//! Two cases are rejected: a geometric mean, because it is not linear, and remote data, because it couples nodes.

use std::error::Error;
use std::time::Instant;

use numasim_model::units::Gflop;
use numasim_model::{Allocation, App, AppId, Machine, Node, NodeId, Placement, Placing, evaluate};
use numasim_sim::search::{Settings, Unattended, explore};
use numasim_sim::{Objective, Problem, Restrictions};
use numasim_study::{SourceFile, read_study};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Maximum number of columns of a program.
const MOST_COLUMNS: usize = 1_000_000;

/// A content of a node: its threads and the GFLOPS of each application.
struct Column {
    class: usize,
    threads: Vec<u32>,
    gflops: Vec<f64>,
}

/// Work of each application if the file gives none, GFLOP. It keeps t near 1, so that the absolute tolerances of a solver (HiGHS: 1e-6) do
/// not count for more than they do for p.
const WORK_GFLOP: f64 = 10.0;

/// The question in these files. Rejected if it is not linear.
fn problem(objective: Objective, names: &[String]) -> Result<Problem> {
    let file = |name: &String| -> Result<SourceFile> {
        Ok(SourceFile { name: name.clone(), text: std::fs::read_to_string(name)? })
    };
    let files = names.iter().map(file).collect::<Result<Vec<_>>>()?;
    let study = read_study(&files).map_err(|problems| format!("{problems:?}"))?.study;
    let with_work = |app: &App| App { work: app.work.or(Some(Gflop::new(WORK_GFLOP))), ..app.clone() };
    let apps: Vec<App> = study.apps.iter().map(with_work).collect();
    let simple = |app: &App| {
        let local = app.data.placement() == Some(&Placement::Local);
        local && app.nodes.is_none() && app.memory.is_none() && app.placing == Placing::default()
    };
    if !apps.iter().all(simple) || !study.machine.shared_links().is_empty() {
        return Err(
            "only local data, no `nodes`, `memory_gib` or shared links: elsewhere nodes are not independent"
                .into(),
        );
    }
    Ok(Problem::new(&study.machine, &apps, objective, Restrictions::default())?)
}

/// Equal nodes that have cores: one of each class and their number.
fn classes(machine: &Machine) -> Vec<(NodeId, usize)> {
    let mut classes: Vec<(NodeId, usize)> = Vec::new();
    for node in machine.compute_nodes() {
        let like = |of: &Node| of == machine.node(node);
        match classes.iter_mut().find(|(first, _)| like(machine.node(*first))) {
            Some((_, count)) => *count += 1,
            None => classes.push((node, 1)),
        }
    }
    classes
}

/// Every content of the nodes of each class.
fn columns(problem: &Problem, classes: &[(NodeId, usize)]) -> Result<Vec<Column>> {
    let (machine, apps) = (problem.machine(), problem.apps());
    let placements = vec![Placement::Local; apps.len()];
    let mut columns = Vec::new();
    for (class, &(node, _)) in classes.iter().enumerate() {
        let cores = machine.node(node).cores;
        let mut threads = vec![0_u32; apps.len()];
        // An odometer: each wheel turns until the node is full.
        'next: loop {
            let mut allocation = Allocation::empty(apps.len(), machine.node_count());
            for (app, &count) in threads.iter().enumerate() {
                allocation.set(AppId(app), node, count);
            }
            let evaluation = evaluate(machine, apps, &placements, &allocation)?;
            let gflops = evaluation.apps.iter().map(|app| app.gflops.value()).collect();
            if columns.len() == MOST_COLUMNS {
                return Err(
                    format!("more than {MOST_COLUMNS} contents of nodes: no solver reads that many").into()
                );
            }
            columns.push(Column { class, threads: threads.clone(), gflops });
            for app in 0..apps.len() {
                threads[app] += 1;
                if threads.iter().sum::<u32>() <= cores {
                    continue 'next;
                }
                threads[app] = 0;
            }
            break;
        }
    }
    Ok(columns)
}

/// The program in free MPS. `t` is the last column.
fn print_mps(problem: &Problem, classes: &[(NodeId, usize)], columns: &[Column]) -> Result<()> {
    let apps = problem.apps();
    let unit: Option<Vec<f64>> = match problem.goal().objective() {
        Objective::TotalGflops => None,
        Objective::Fair => Some(problem.goal().alone().to_vec()),
        Objective::Makespan => Some(apps.iter().filter_map(|app| app.work.map(Gflop::value)).collect()),
        Objective::Geomean => return Err("a geometric mean is not linear".into()),
    };
    println!("NAME question\nOBJSENSE\n    MAX\nROWS\n N score");
    (0..classes.len()).for_each(|class| println!(" E class{class}"));
    for a in 0..apps.len() {
        println!(" G least{a}\n L most{a}");
        if unit.is_some() {
            println!(" G share{a}");
        }
    }
    println!("COLUMNS\n    MARKER 'MARKER' 'INTORG'");
    for (number, column) in columns.iter().enumerate() {
        println!("    x{number} class{} 1", column.class);
        for a in 0..apps.len() {
            let (threads, gflops) = (column.threads[a], column.gflops[a]);
            if threads == 0 {
                continue;
            }
            println!("    x{number} least{a} {threads}\n    x{number} most{a} {threads}");
            if let Some(unit) = &unit {
                println!("    x{number} share{a} {}", gflops / unit[a]);
            }
        }
        if unit.is_none() {
            // One entry for all applications: a second one of the same row does not count.
            println!("    x{number} score {}", problem.goal().score(&column.gflops));
        }
    }
    println!("    MARKER 'MARKER' 'INTEND'");
    if unit.is_some() {
        println!("    t score 1");
        (0..apps.len()).for_each(|a| println!("    t share{a} -1"));
    }
    println!("RHS");
    classes.iter().enumerate().for_each(|(class, (_, count))| println!("    rhs class{class} {count}"));
    let cores: u64 = problem.machine().nodes().iter().map(|node| u64::from(node.cores)).sum();
    for (a, app) in apps.iter().enumerate() {
        let most = app.max_threads.map_or(cores, u64::from);
        println!("    rhs least{a} {}\n    rhs most{a} {most}", app.min_threads);
    }
    println!("BOUNDS");
    for (number, column) in columns.iter().enumerate() {
        println!(" UI bound x{number} {}", classes[column.class].1);
    }
    println!("ENDATA");
    Ok(())
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [what, objective, files @ ..] = words.as_slice() else {
        return Err("say `mps` or `search`, the objective, and the files".into());
    };
    let all = [Objective::TotalGflops, Objective::Fair, Objective::Geomean, Objective::Makespan];
    let objective = all.into_iter().find(|one| one.as_str() == objective.as_str()).ok_or("an objective")?;
    let problem = problem(objective, files)?;
    if what == "search" {
        let start = Instant::now();
        let found = explore(&problem, &Settings { top: 0, ..Settings::default() }, &Unattended)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{} {} {:e} {:?} {seconds}", found.value, found.bound, found.gap, found.status);
        return Ok(());
    }
    let start = Instant::now();
    let classes = classes(problem.machine());
    let columns = columns(&problem, &classes)?;
    eprintln!("{} columns in {:.3} s", columns.len(), start.elapsed().as_secs_f64());
    print_mps(&problem, &classes, &columns)
}

//! A study as an input file: every key of it, so that what is read again is the same, but for what its applications do
//! over time.

use numasim_model::app::{App, Data};
use numasim_model::ids::AppId;
use numasim_model::problem::{Cells, KernelProblem};
use numasim_model::scenario::{Scenario, Study};

use super::machine::{Style, machine};
use super::scenario::{home, placement, threads};
use super::{Lines, float, list, quoted};
use crate::keys::{Key, Shape, app, problem, scenario};

/// The study as an input file.
pub fn study(study: &Study) -> String {
    let mut lines = Lines::default();
    machine(&mut lines, &study.machine, Style { figure: float, short: false });
    for app in &study.apps {
        write_app(&mut lines, app);
    }
    for scenario in &study.scenarios {
        write_scenario(&mut lines, study, scenario);
    }
    lines.text()
}

fn write_app(lines: &mut Lines, of: &App) {
    lines.table(&app::TABLE);
    lines.put(&app::NAME, quoted(&of.name));
    lines.put(&app::DATA, data(&of.data));
    if let Some(nodes) = &of.nodes {
        lines.put(&app::NODES, list(nodes.iter().map(|node| node.0)));
    }
    let kernel = of.problem.map_or(of.kernel.as_str(), |problem| problem.kernel().as_str());
    lines.put(&app::KERNEL, quoted(kernel));
    for key in app::TABLE.keys {
        match key.app.and_then(|field| (field.get)(of)) {
            Some(value) if matches!(key.shape, Shape::Whole(..)) => lines.put(key, value),
            Some(value) => lines.put(key, float(value)),
            None => {}
        }
    }
    if let Some(problem) = &of.problem {
        lines.table(&problem::TABLE);
        write_problem(lines, problem);
    }
}

fn write_problem(lines: &mut Lines, of: &KernelProblem) {
    let mut counts = |counts: &[(&Key, u64)]| {
        for (key, count) in counts {
            lines.put(key, count);
        }
    };
    match of {
        KernelProblem::BlackScholes(own) => {
            counts(&[(&problem::OPTIONS, own.options), (&problem::RUNS, own.runs)]);
        }
        KernelProblem::Dmv(own) => {
            counts(&[(&problem::ROWS, own.rows), (&problem::ITERATIONS, own.iterations)]);
        }
        KernelProblem::Stencil2d(own) => counts(&[
            (&problem::ROWS, own.rows),
            (&problem::COLUMNS, own.columns),
            (&problem::ITERATIONS, own.iterations),
        ]),
        KernelProblem::Seismic(own) => counts(&[
            (&problem::ROWS, own.rows),
            (&problem::COLUMNS, own.columns),
            (&problem::ITERATIONS, own.iterations),
        ]),
        KernelProblem::Chase(own) => counts(&[
            (&problem::SIZE_MIB, own.size_mib),
            (&problem::CHAINS, own.chains),
            (&problem::HOPS, own.hops),
        ]),
        KernelProblem::Spmv(own) => {
            let Cells(cells) = own.cells;
            counts(&[(&problem::ITERATIONS, own.iterations)]);
            lines.put(&problem::CELLS, format!("{cells:?}"));
            lines.put(&problem::ELEMENTS, quoted(own.elements.as_str()));
            lines.put(&problem::PARTITION, quoted(own.partition.as_str()));
            lines.put(&problem::STORAGE, quoted(own.storage.as_str()));
        }
        KernelProblem::Memcpy(own) => {
            counts(&[(&problem::SIZE_MIB, own.size_mib), (&problem::COPIES, own.copies)]);
            lines.put(&problem::SOURCE, quoted(own.source.as_str()));
            lines.put(&problem::FAULTS, quoted(own.faults.as_str()));
            lines.put(&problem::HOW, quoted(own.how.as_str()));
        }
    }
}

fn write_scenario(lines: &mut Lines, study: &Study, of: &Scenario) {
    lines.table(&scenario::TABLE);
    lines.put(&scenario::NAME, quoted(&of.name));
    if of.static_work {
        lines.put(&scenario::STATIC, true);
    }
    lines.put(&scenario::THREADS, threads(&study.apps, &of.allocation));
    let apps = study.apps.iter().zip(&of.data).enumerate();
    let elsewhere: Vec<String> = apps
        .filter(|(number, (app, own))| of.allocation.total(AppId(*number)) > 0 && app.data != **own)
        .map(|(_, (app, own))| format!("{} = {}", quoted(&app.name), data(own)))
        .collect();
    if !elsewhere.is_empty() {
        lines.put(&scenario::DATA, format!("{{ {} }}", elsewhere.join(", ")));
    }
}

/// The value of `data`.
fn data(of: &Data) -> String {
    match of {
        Data::Placed(placed) => placement(placed),
        Data::OpenHome { share } => home("\"any\"", *share),
    }
}

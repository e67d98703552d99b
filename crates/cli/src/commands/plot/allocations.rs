//! `numasim plot allocations`: the objective over the threads of two applications on each node.

mod limits;
mod memory;
mod question;
mod words;

use numasim_draw::heat_map::HeatMap;
use numasim_model::sharing::Solver;
use numasim_model::{AppId, Demand, Scenario, Study};
use numasim_sim::objective::Goal;
use numasim_sim::{Objective, ProblemError};

use crate::args::{Axes, ObjectiveName};
use crate::commands::explore::objective;
use crate::failure::Failure;
use limits::Room;
use memory::LyingData;
use numasim_ask::explore::refused;
use numasim_ask::located::{HomeNeeded, Located};
use question::{Addressed, Question};
use words::{axis, heading, title_of_values};

/// More cells are smaller than a pixel.
const MOST_THREADS: u32 = 400;

/// Refuses open homes where they stand in the files.
pub(super) fn homes_are_given(
    axes: &Axes,
    scenario: Option<&Scenario>,
    study: &Study,
    located: &Located,
) -> Result<(), Failure> {
    let data = |a: usize| scenario.map_or(&study.apps[a].data, |scenario| &scenario.data[a]);
    let open = Question::new(axes, study)?.apps().into_iter().filter(|&a| data(a).is_open());
    let hint = |app: &str| {
        format!(
            "name the node in the file, or choose a --scenario with e.g. `data = {{ {app} = {{ home = 0 }} }}`"
        )
    };
    let needed = HomeNeeded {
        message: "plot does not choose",
        in_scenario: "drawn with the data of this scenario",
        hint: &hint,
    };
    Ok(located.homes_are_needed(study, open.map(|a| (scenario, AppId(a))), &needed)?)
}

/// The values at all numbers of threads; cells whose data does not fit the memory have none. `located`: where the study
/// stands, if a person is to be told.
pub(crate) fn heat_map(
    axes: &Axes,
    scenario: Option<&Scenario>,
    study: &Study,
    located: Option<&Located>,
) -> Result<HeatMap, Failure> {
    let question = Question::new(axes, study)?;
    let machine = &study.machine;
    let objective = objective(axes.objective.unwrap_or(ObjectiveName::TotalGflops));
    let taking_part = question.apps();
    let apps: Vec<_> = taking_part.iter().map(|&a| study.apps[a].clone()).collect();
    let goal = Goal::new(objective, machine, &apps).map_err(|error| refused(ProblemError::Goal(error)))?;
    let static_work = axes.static_work || scenario.is_some_and(|scenario| scenario.static_work);
    let demands = demands(study, scenario, &taking_part)?;
    let mut data = LyingData::new(study, scenario, &taking_part);
    let solver = Solver::new(machine, &demands);
    let mut workspace = solver.workspace();

    let cores: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    // The same number on every node that has cores: the smallest one limits it.
    let smallest = cores.iter().copied().filter(|&cores| cores > 0).min().unwrap_or(0);
    if smallest > MOST_THREADS {
        return Err(Failure::input(format!("{smallest} cores on each node are more than a plot can show"))
            .hint("use `numasim sweep` with larger steps"));
    }
    let room = Room { cores: smallest, nodes: machine.compute_nodes().count() as u64 };
    let (mut columns, mut rows) = (room.threads(study, &question.x)?, room.threads(study, &question.y)?);
    // Nothing beside the fewest threads of the other: rows and columns without any value.
    let beside = |least: Option<&u32>, other: &Addressed| {
        smallest.saturating_sub(least.copied().unwrap_or(0) * other.count())
    };
    let (for_x, for_y) = (beside(rows.first(), &question.y), beside(columns.first(), &question.x));
    columns.retain(|x| x * question.x.count() <= for_x);
    rows.retain(|y| y * question.y.count() <= for_y);
    if columns.is_empty() || rows.is_empty() {
        return Err(Failure::input(format!(
            "'{}' and '{}' together need more than the {smallest} cores of a node",
            question.x.name, question.y.name
        ))
        .hint("lower min_threads, or name other applications with --x and --y"));
    }
    let rest = question.rest.as_ref().map(|rest| (rest, room.limits(study, rest)));
    let mut values = Vec::new();
    for (&x, &y) in columns.iter().flat_map(|x| rows.iter().map(move |y| (x, y))) {
        let used = x * question.x.count() + y * question.y.count();
        // What is left is shared evenly by the instances of the rest, up to their limit.
        let left = |cores: u32| {
            rest.as_ref().map_or(0, |(rest, (_, most))| ((cores - used) / rest.count()).min(*most))
        };
        if used > smallest || rest.as_ref().is_some_and(|(_, (fewest, _))| left(smallest) < *fewest) {
            values.push(f64::NAN);
            continue;
        }
        let threads = |app: usize, cores: u32| match app {
            _ if cores == 0 => 0,
            app if app < question.x.apps.len() => x,
            app if app < question.x.apps.len() + question.y.apps.len() => y,
            _ => left(cores),
        };
        let all: Vec<u32> = (0..apps.len())
            .flat_map(|app| cores.iter().map(move |&cores| (app, cores)))
            .map(|(app, cores)| threads(app, cores))
            .collect();
        if !data.fits(&all) {
            values.push(f64::NAN);
            continue;
        }
        solver.solve(&all, &mut workspace);
        if static_work {
            solver.wait_for_slowest(&mut workspace);
        }
        values.push(goal.value(goal.score(workspace.gflops())));
    }
    if values.iter().all(|value| value.is_nan())
        && let Some(full) = &data.full
    {
        return Err(memory::no_room(study, full, located));
    }
    let best = best(&values, objective);
    let message = best.map(|at| (columns[at / rows.len()], rows[at % rows.len()], values[at]));
    Ok(HeatMap {
        heading: heading(study, &question, &goal, static_work, message),
        x: axis(&question.x, &columns),
        y: axis(&question.y, &rows),
        label: title_of_values(&goal, &apps),
        values,
        best,
        numbers: true,
        gap: "impossible",
    })
}

/// What the applications want, with their data as in the scenario.
fn demands(study: &Study, scenario: Option<&Scenario>, apps: &[usize]) -> Result<Vec<Demand>, Failure> {
    let demand = |&a: &usize| {
        let app = &study.apps[a];
        let data = scenario.map_or(&app.data, |scenario| &scenario.data[a]);
        let placement = data.placement().cloned().ok_or_else(|| {
            let name = &app.name;
            Failure::input(format!(
                "the home of the data of '{name}' is open (home = \"any\"), and plot does not choose"
            ))
            .hint("name the node in the file, or choose a --scenario that does")
        })?;
        Ok(app.demand(placement))
    };
    apps.iter().map(demand).collect()
}

/// The best cell, if there is only one.
fn best(values: &[f64], objective: Objective) -> Option<usize> {
    let sign = if objective == Objective::Makespan { -1.0 } else { 1.0 };
    let finite = || values.iter().copied().enumerate().filter(|(_, value)| value.is_finite());
    let (at, best) = finite().reduce(|best, next| if sign * next.1 > sign * best.1 { next } else { best })?;
    let equal = finite().filter(|(_, value)| (value - best).abs() <= 1e-9 * best.abs()).count();
    (equal == 1).then_some(at)
}

//! What stands above the plot and beside its axes.

use numasim_draw::{Axis, Heading, Scale};
use numasim_model::{App, Study};
use numasim_sim::Objective;
use numasim_sim::objective::Goal;

use super::question::{Addressed, Question};
use crate::view::{figures, machine_title};

pub(super) fn axis(addressed: &Addressed, threads: &[u32]) -> Axis {
    // As words: threads are whole, and so are their ticks.
    Axis { label: addressed.title(), scale: Scale::Words(threads.iter().map(u32::to_string).collect()) }
}

pub(super) fn title_of_values(goal: &Goal, apps: &[App]) -> String {
    match goal.objective() {
        Objective::TotalGflops if apps.iter().any(|app| app.weight != 1.0) => "weighted GFLOPS".to_owned(),
        Objective::TotalGflops => "GFLOPS".to_owned(),
        Objective::Fair => "smallest p".to_owned(),
        Objective::Geomean => "mean of p".to_owned(),
        Objective::Makespan => "makespan (s)".to_owned(),
    }
}

pub(super) fn heading(
    study: &Study,
    question: &Question,
    goal: &Goal,
    static_work: bool,
    best: Option<(u32, u32, f64)>,
) -> Heading {
    let model = format!("model {}", study.machine.sharing().name());
    let mut parts = vec![goal.objective().name().to_owned(), model];
    if static_work {
        parts.push("work divided beforehand".to_owned());
    }
    if let Some(rest) = &question.rest {
        parts.push(format!("{} gets the remaining cores", rest.name));
    }
    let left_out = study.apps.len() - question.apps().len();
    if left_out > 0 {
        parts.push(format!("{} without threads", figures::count(left_out as u64, "application")));
    }
    if let Some((x, y, value)) = best {
        let (x_name, y_name) = (&question.x.name, &question.y.name);
        parts.push(format!("best: {} for {x} {x_name}, {y} {y_name}", figures::single(value)));
    }
    Heading { title: machine_title(&study.machine), subtitle: parts.join("; ") }
}

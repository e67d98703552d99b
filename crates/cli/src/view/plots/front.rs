//! A front as a picture.

use numasim_draw::Heading;
use numasim_draw::scatter::{FrontPlot, Mark};
use numasim_sim::Objective;

use numasim_ask::pareto::Front;
use numasim_ask::wording::weighted;

/// The first objective to the right, the second upwards.
pub(crate) fn front(front: &Front) -> FrontPlot {
    let names = front.objectives().map(Objective::name);
    let coverage = if front.unproven.is_none() {
        "every allocation was compared".to_owned()
    } else {
        let proven = front.ends.map(|end| end.proven);
        match proven {
            [true, true] => "both ends proven, in between the best found".to_owned(),
            [true, false] => format!("best {} proven, the others the best found", names[0]),
            [false, true] => format!("best {} proven, the others the best found", names[1]),
            [false, false] => "the best found".to_owned(),
        }
    };
    let mut marks: Vec<Mark> = Vec::new();
    let last = front.points.len() - 1;
    for (point, text) in [
        (Some(0), format!("best {}", if last == 0 { names.join(" and ") } else { names[0].to_owned() })),
        (Some(last), format!("best {}", names[1])),
        (front.knee, "knee".to_owned()),
    ] {
        if let Some(point) = point.filter(|&i| i != 0 || marks.is_empty()) {
            marks.push(Mark { at: front.points[point].values, text, on_front: true });
        }
    }
    let allowed = front.baselines.iter().filter(|baseline| baseline.breaks.is_none());
    let from = marks.len();
    for baseline in allowed {
        let (at, name) = (baseline.point.values, &baseline.point.scenario.name);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        let same = |mark: &&mut Mark| close(mark.at[0], at[0]) && close(mark.at[1], at[1]);
        match marks.iter_mut().skip(from).find(same) {
            Some(mark) => mark.text = format!("{}, {name}", mark.text),
            None => marks.push(Mark { at, text: name.clone(), on_front: false }),
        }
    }
    FrontPlot {
        heading: Heading {
            title: front.study.machine.name().to_owned(),
            subtitle: format!(
                "{} against {}: {coverage}; model {}",
                names[0],
                names[1],
                front.study.machine.sharing().name()
            ),
        },
        labels: front.objectives().map(|objective| axis(objective, weighted(&front.study.apps))),
        smaller_is_better: front.objectives().map(|objective| objective == Objective::Makespan),
        points: front.points.iter().map(|point| point.values).collect(),
        marks,
    }
}

fn axis(objective: Objective, weighted: bool) -> String {
    match objective {
        Objective::TotalGflops if weighted => "total-gflops (weighted GFLOPS)".to_owned(),
        Objective::TotalGflops => "total-gflops (GFLOPS)".to_owned(),
        Objective::Fair => "fair (smallest p = GFLOPS / GFLOPS alone)".to_owned(),
        Objective::Geomean => "geomean (mean p, p = GFLOPS / GFLOPS alone)".to_owned(),
        Objective::Makespan => "makespan (s)".to_owned(),
    }
}

//! A front as a picture.

use numasim_draw::Heading;
use numasim_draw::front::{FrontPlot, Mark};
use numasim_sim::Objective;

use super::FrontView;

impl FrontView<'_> {
    /// The plot: the first objective to the right, the second upwards.
    pub(crate) fn plot(&self) -> FrontPlot {
        let names = self.objectives().map(Objective::name);
        let coverage = if self.unproven.is_none() {
            "every allocation was compared".to_owned()
        } else {
            let proven = self.ends.map(|end| end.proven);
            match proven {
                [true, true] => "both ends proven, in between the best found".to_owned(),
                [true, false] => format!("best {} proven, the others the best found", names[0]),
                [false, true] => format!("best {} proven, the others the best found", names[1]),
                [false, false] => "the best found".to_owned(),
            }
        };
        let mut marks: Vec<Mark> = Vec::new();
        let last = self.points.len() - 1;
        for (point, text) in [
            (Some(0), format!("best {}", if last == 0 { names.join(" and ") } else { names[0].to_owned() })),
            (Some(last), format!("best {}", names[1])),
            (self.knee, "knee".to_owned()),
        ] {
            if let Some(point) = point.filter(|&i| i != 0 || marks.is_empty()) {
                marks.push(Mark { at: self.points[point].values, text, on_front: true });
            }
        }
        let allowed = self.baselines.iter().filter(|baseline| baseline.breaks.is_none());
        let from = marks.len();
        for baseline in allowed {
            let (at, name) = (baseline.shown.values, &baseline.shown.name);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
            let same = |mark: &&mut Mark| close(mark.at[0], at[0]) && close(mark.at[1], at[1]);
            match marks.iter_mut().skip(from).find(same) {
                Some(mark) => mark.text = format!("{}, {name}", mark.text),
                None => marks.push(Mark { at, text: name.clone(), on_front: false }),
            }
        }
        FrontPlot {
            heading: Heading {
                title: self.study.machine.name().to_owned(),
                subtitle: format!(
                    "{} against {}: {coverage}; model {}",
                    names[0],
                    names[1],
                    self.study.machine.sharing().name()
                ),
            },
            labels: self.objectives().map(|objective| self.axis(objective)),
            smaller_is_better: self.objectives().map(|objective| objective == Objective::Makespan),
            points: self.points.iter().map(|point| point.values).collect(),
            marks,
        }
    }

    fn axis(&self, objective: Objective) -> String {
        match objective {
            Objective::TotalGflops if self.weighted() => "total-gflops (weighted GFLOPS)".to_owned(),
            Objective::TotalGflops => "total-gflops (GFLOPS)".to_owned(),
            Objective::Fair => "fair (smallest p = GFLOPS / GFLOPS alone)".to_owned(),
            Objective::Geomean => "geomean (mean p, p = GFLOPS / GFLOPS alone)".to_owned(),
            Objective::Makespan => "makespan (s)".to_owned(),
        }
    }
}

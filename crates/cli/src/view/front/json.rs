//! A front for programs.

use serde_json::{Value, json};

use super::{FrontView, Shown};
use crate::view::caution;
use crate::view::json::number;

impl FrontView<'_> {
    /// The head of the documented JSON of `explore`, with `pareto` instead of an objective and its best allocation.
    ///
    /// `status` of a point is `optimal` if it is proven that nothing beats it, else `feasible`; of an end, whether its
    /// value is proven to be the best for its objective.
    pub(crate) fn json(&self) -> Value {
        let names = self.objectives().map(numasim_sim::Objective::name);
        let complete = self.unproven.is_none();
        let points = self.points.iter().enumerate().map(|(i, point)| {
            let mut object = self.rated(point);
            object["status"] = Value::from(status(complete));
            let best_for = self.best_for(i).into_iter().map(numasim_sim::Objective::name);
            object["best_for"] = best_for.collect::<Vec<_>>().into();
            object["knee"] = Value::from(self.knee == Some(i));
            object
        });
        let ends = self.ends.iter().zip(names).enumerate().map(|(i, (end, name))| {
            let cautions = self.cautions(i);
            let cautions = cautions.iter().map(|one| caution::object(one, &self.study.apps));
            json!({
                "objective": name,
                "status": status(end.proven),
                "cautions": cautions.collect::<Vec<_>>(),
                "value": number(end.value),
                "bound": end.bound.map(number),
                "gap": end.gap().map(number),
            })
        });
        let baselines = self.baselines.iter().map(|baseline| {
            let mut object = self.rated(&baseline.shown);
            let beaten_by = baseline.beaten_by.iter().map(|&i| self.points[i].name.as_str());
            object["beaten_by"] = beaten_by.collect::<Vec<_>>().into();
            object["same_as"] =
                baseline.same_as.map_or(Value::Null, |i| Value::from(self.points[i].name.as_str()));
            object["breaks"] = baseline.breaks.as_deref().map_or(Value::Null, Value::from);
            object
        });
        let goal = self.question.problems()[0].goal();
        let apps = self.study.apps.iter().zip(goal.alone());
        let alone: serde_json::Map<String, Value> =
            apps.map(|(app, &alone)| (app.name.clone(), number(alone))).collect();
        json!({
            "schema": 1,
            "command": "explore",
            "machine": self.study.machine.name(),
            "model": self.study.machine.sharing().name(),
            "pareto": {
                "objectives": names,
                "complete": complete,
                "incomplete": self.unproven.map(super::WhyUnproven::word),
                "compared": self.compared,
                "ends": ends.collect::<Vec<_>>(),
                "points": points.collect::<Vec<_>>(),
                "baselines": baselines.collect::<Vec<_>>(),
            },
            "elapsed_s": number(self.elapsed_s),
            "restrictions": self.question.problems()[0].restrictions().describe(&self.study.apps),
            "seed": self.seed,
            "alone_gflops": alone,
        })
    }

    fn rated(&self, shown: &Shown) -> Value {
        let mut object = serde_json::to_value(self.scenario(shown)).unwrap_or_default();
        let values = self.objectives().into_iter().zip(shown.values);
        object["values"] = values
            .map(|(o, value)| (o.name().to_owned(), number(value)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        object["smallest_p"] = number(self.smallest_p(shown));
        object
    }
}

fn status(proven: bool) -> &'static str {
    if proven { "optimal" } else { "feasible" }
}

//! A search for programs.

use serde_json::{Value, json};

use super::{Answer, Rated};
use crate::view::json::{json as scenario, name_model, number};

impl Answer<'_> {
    /// The documented JSON of `explore`, keys in the documented order.
    ///
    /// Beyond the contract: `unproven` (null, `time-limit`, `interrupted`, `too-large`), `restrictions`, `seed`,
    /// `alternatives_complete`, `alone_gflops`; on each scenario object its `value`, on alternatives `tie`, on baselines
    /// `factor` (how many times better the best is) and `breaks` (the restriction that the baseline breaks).
    pub(crate) fn json(&self) -> Value {
        let goal = self.problem.goal();
        let alternatives = self.alternatives.iter().map(|rated| {
            let mut object = self.rated(rated);
            object["tie"] = Value::from(self.ties(rated));
            object
        });
        let baselines = self.baselines.iter().map(|(rated, breaks)| {
            let mut object = self.rated(rated);
            object["factor"] = goal.factor(self.best.value, rated.value).map_or(Value::Null, number);
            object["breaks"] = breaks.as_deref().map_or(Value::Null, Value::from);
            object
        });
        let apps = self.study.apps.iter().zip(goal.alone());
        let alone: serde_json::Map<String, Value> =
            apps.map(|(app, &alone)| (app.name.clone(), number(alone))).collect();
        let mut document = json!({
            "schema": 1,
            "command": "explore",
            "machine": self.study.machine.name(),
        });
        name_model(&mut document, self.study.machine.sharing());
        let rest = json!({
            "objective": goal.objective().name(),
            "status": if self.unproven.is_none() { "optimal" } else { "feasible" },
            "value": number(self.best.value),
            "bound": number(self.bound),
            "gap": number(self.gap),
            "elapsed_s": number(self.elapsed_s),
            "unproven": self.unproven.map(super::WhyUnproven::word),
            "restrictions": self.problem.restrictions().describe(&self.study.apps),
            "seed": self.seed,
            "best": self.rated(&self.best),
            "alternatives": alternatives.collect::<Vec<_>>(),
            "alternatives_complete": self.alternatives_complete,
            "baselines": baselines.collect::<Vec<_>>(),
            "alone_gflops": alone,
        });
        if let (Some(document), Value::Object(rest)) = (document.as_object_mut(), rest) {
            document.extend(rest);
        }
        document
    }

    fn rated(&self, rated: &Rated) -> Value {
        let mut object = scenario(&self.view(rated));
        object["value"] = number(rated.value);
        object
    }
}

//! A search for programs.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use super::robust::RobustAnswer;
use super::sensitivity::SensitivityView;
use super::{Answer, Rated};
use crate::view::caution;
use crate::view::intervals;
use crate::view::json::{Number, Sequence, ends, entries, name_model, number};

/// The documented JSON of `explore`, keys in the documented order.
///
/// Beyond the contract: `cautions` (what to know beside value and status: `code`, `apps` or `nodes`, `message`), `unproven` (null, `time-limit`, `interrupted`, `too-large`), `restrictions`, `seed`,
/// `alternatives_complete`, `alone_gflops`; on each scenario object its `value`, on alternatives `tie`, on baselines
/// `factor` (how many times better the best is) and `breaks` (the restriction that the baseline breaks).
/// Where figures of the machine are uncertain: `intervals` (of what they are), `value_interval`, and on all but the best
/// `difference_interval` (its value less that of the best, draw by draw) and `distinguishable`.
pub(crate) struct Document<'a> {
    pub(crate) answer: &'a Answer<'a>,
    pub(crate) sensitivity: Option<&'a SensitivityView<'a>>,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = self.answer;
        let goal = answer.problem.goal();
        let mut document = serializer.serialize_map(None)?;
        let mut head = json!({
            "schema": 1,
            "command": "explore",
            "machine": answer.study.machine.name(),
        });
        name_model(&mut head, answer.study.machine.sharing());
        let cautions: Vec<Value> =
            answer.cautions.iter().map(|one| caution::json(one, &answer.study.apps)).collect();
        let rest = json!({
            "objective": goal.objective().name(),
            "status": if answer.unproven.is_none() { "optimal" } else { "feasible" },
            "cautions": cautions,
            "value": number(answer.best.value),
            "bound": number(answer.bound),
            "gap": number(answer.gap),
            "elapsed_s": number(answer.elapsed_s),
            "unproven": answer.unproven.map(super::WhyUnproven::word),
            "restrictions": answer.problem.restrictions().describe(&answer.study.apps),
            "seed": answer.seed,
        });
        if let Some((draws, _)) = &answer.uncertainty {
            head["intervals"] = intervals::json(draws);
        }
        for (key, value) in [&head, &rest].into_iter().filter_map(Value::as_object).flatten() {
            document.serialize_entry(key, value)?;
        }
        let best = RatedObject { answer, rated: &answer.best, role: Role::Best };
        document.serialize_entry("best", &best)?;
        let alternatives = answer.alternatives.iter();
        let alternatives = alternatives.map(|rated| RatedObject { answer, rated, role: Role::Alternative });
        document.serialize_entry("alternatives", &Sequence(alternatives))?;
        document.serialize_entry("alternatives_complete", &answer.alternatives_complete)?;
        let baselines = answer.baselines.iter().map(|(rated, breaks)| {
            let role = Role::Baseline { breaks: breaks.as_deref() };
            RatedObject { answer, rated, role }
        });
        document.serialize_entry("baselines", &Sequence(baselines))?;
        let apps = answer.study.apps.iter().zip(goal.alone());
        let alone: serde_json::Map<String, Value> =
            apps.map(|(app, &alone)| (app.name.clone(), number(alone))).collect();
        document.serialize_entry("alone_gflops", &alone)?;
        if let Some(robust) = &answer.robust {
            document.serialize_entry("robust", &RobustObject { answer, robust })?;
        }
        if let Some(simple) = &answer.simple {
            let best = RatedObject { answer, rated: &simple.rated, role: Role::Best };
            document.serialize_entry("simple", &simple.document(best))?;
        }
        if let Some(view) = self.sensitivity {
            document.serialize_entry("sensitivity", &view.json())?;
        }
        document.end()
    }
}

/// What an allocation is in the document.
enum Role<'a> {
    Best,
    Alternative,
    Robust,
    Baseline { breaks: Option<&'a str> },
}

/// The entry of `--models`.
struct RobustObject<'a> {
    answer: &'a Answer<'a>,
    robust: &'a RobustAnswer,
}

impl Serialize for RobustObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for (key, value) in &self.robust.json() {
            object.serialize_entry(key, value)?;
        }
        let (answer, rated) = (self.answer, &self.robust.best);
        object.serialize_entry("best", &RatedObject { answer, rated, role: Role::Robust })?;
        object.end()
    }
}

struct RatedObject<'a> {
    answer: &'a Answer<'a>,
    rated: &'a Rated,
    role: Role<'a>,
}

impl Serialize for RatedObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { answer, rated, role } = self;
        let mut object = serializer.serialize_map(None)?;
        entries(&answer.view(rated), &mut object)?;
        object.serialize_entry("value", &Number(rated.value))?;
        match (&answer.uncertainty, &rated.rival) {
            // Its intervals would be those of one model.
            _ if matches!(role, Role::Robust) => {}
            (Some((_, value)), None) => object.serialize_entry("value_interval", &ends(*value))?,
            (_, Some(rival)) => {
                object.serialize_entry("value_interval", &ends(rival.value))?;
                object.serialize_entry("difference_interval", &ends(rival.difference))?;
                object.serialize_entry("distinguishable", &rival.distinguishable)?;
            }
            (None, None) => {}
        }
        match role {
            Role::Best | Role::Robust => {}
            Role::Alternative => object.serialize_entry("tie", &answer.ties(rated))?,
            Role::Baseline { breaks } => {
                let factor = answer.problem.goal().factor(answer.best.value, rated.value);
                object.serialize_entry("factor", &factor.map(Number))?;
                object.serialize_entry("breaks", breaks)?;
            }
        }
        object.end()
    }
}

//! Evaluate: the performance of scenarios.

use std::sync::Arc;

use numasim_course::Study;
use numasim_draw::{Style, figures};
use numasim_model::evaluation::Options;
use numasim_model::{Evaluation, ModelKind, Placement, Scenario, evaluate_with};
use numasim_sim::cautions::of_machine;
use numasim_sim::intervals::Draws;
use numasim_sim::search::Monitor;
use serde::Serialize;

use crate::caution::{self, CautionObject};
use crate::document::{Head, Intervals, StudyHead};
use crate::input::{Input, implausible};
use crate::intervals;
use crate::refusal::{Refusal, failed};
use crate::scenario::study_with;
use crate::{EvaluatedScenario, ScenarioView, explain, located, suggest};

/// Maximum number of values in one run: threads of applications on nodes, and links, over all scenarios. As JSON these are some hundred
/// megabytes, which people cannot read but programs can.
pub const MOST_FIGURES: u64 = 3_000_000;

/// The worked calculation in JSON has space for its long titles.
const IN_JSON: Style = Style { color: false, unicode: true, width: Some(120), markdown: false };

/// A question to [`evaluate`].
#[derive(Clone, Copy, Debug)]
pub struct Evaluate<'a> {
    /// The files.
    pub input: &'a Input,
    /// Names of scenarios; all if it is empty.
    pub scenarios: &'a [String],
    /// Whether to use static scheduling in all scenarios, including those that do not specify it.
    pub static_work: bool,
    /// Whether to add the calculation behind each result, which is far larger than the result.
    pub explained: bool,
    /// Whether to compute intervals if values of the machine are uncertain.
    pub intervals: bool,
    /// Maximum number of values: for answers that become text ([`MOST_FIGURES`]).
    pub most_figures: Option<u64>,
}

impl<'a> Evaluate<'a> {
    /// All scenarios of the files, with intervals.
    pub fn new(input: &'a Input) -> Self {
        Self {
            input,
            scenarios: &[],
            static_work: false,
            explained: false,
            intervals: true,
            most_figures: None,
        }
    }

    /// The requested scenarios, in the order of the files, if they can be evaluated.
    fn wanted(&self) -> Result<Vec<&'a Scenario>, Refusal> {
        let study = &self.input.study;
        let scenarios = wanted(study, self.scenarios)?;
        self.input.located.can_be_evaluated(study, &scenarios)?;
        Ok(scenarios)
    }
}

/// The scenarios of the files.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evaluated {
    /// Common keys of documents about a study.
    #[serde(flatten)]
    pub head: StudyHead,
    /// Source of the intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// In the order of the files.
    pub scenarios: Vec<Arc<EvaluatedScenario>>,
    /// Cautions that apply to every scenario, because they concern the machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<CautionObject<'static>>,
    /// The drawn machines behind the intervals.
    #[serde(skip)]
    pub draws: Option<Draws>,
    /// The reason why there are no intervals, although values of the machine are uncertain.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// The document of `--model all`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvaluatedUnderAll {
    /// Common keys of all documents.
    #[serde(flatten)]
    pub head: Head,
    /// Name of the machine.
    pub machine: String,
    /// `all`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "all")))]
    pub model: &'static str,
    /// The scenarios once for each sharing model.
    pub models: Vec<UnderModel>,
    /// Models that do not support the machine; implausible values of the machine.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// One sharing model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnderModel {
    /// Its name.
    pub model: &'static str,
    /// In the order of the files.
    pub scenarios: Vec<Arc<EvaluatedScenario>>,
}

impl Evaluated {
    /// These scenarios, without intervals.
    pub fn new(study: &Study, scenarios: Vec<Arc<EvaluatedScenario>>) -> Self {
        Self {
            head: StudyHead::of("evaluate", &study.machine),
            intervals: None,
            scenarios,
            cautions: of_machine(&study.machine, &study.apps)
                .iter()
                .map(|one| caution::object(one, &[]))
                .collect(),
            draws: None,
            warnings: Vec::new(),
        }
    }

    /// The views from which pictures and tables are made.
    pub fn views(&self) -> Vec<ScenarioView<'_>> {
        self.scenarios.iter().map(|one| one.view()).collect()
    }
}

/// The performance of scenarios.
///
/// ```
/// use numasim_ask::{Evaluate, Input, evaluate};
/// use numasim_sim::search::Unattended;
///
/// let input = Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?;
/// let answer = evaluate(&Evaluate::new(&input), &Unattended)?;
/// // 4 threads of `stream` want 80 GB/s and get the 32 GB/s of their node: 0.5 FLOP for each byte.
/// assert_eq!(answer.scenarios[0].evaluation.apps[0].gflops.value(), 16.0);
/// // What `numasim evaluate --format json` writes.
/// assert!(numasim_ask::document::text(&answer).starts_with(r#"{"schema":1,"command":"evaluate""#));
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// Unknown names, open homes, data that does not fit, or too many values; `monitor` stopped it.
pub fn evaluate(question: &Evaluate<'_>, monitor: &dyn Monitor) -> Result<Evaluated, Refusal> {
    let study = &question.input.study;
    let scenarios = question.wanted()?;
    if let Some(most) = question.most_figures {
        can_be_shown(study, &scenarios, 1, most)?;
    }
    let mut warnings = Vec::new();
    let draws =
        question.intervals.then(|| intervals::of_scenarios(study, &scenarios, &mut warnings)).flatten();
    let scenarios = of_all(study, &scenarios, question, draws.as_ref(), monitor)?;
    let intervals = draws.as_ref().map(Intervals::from);
    Ok(Evaluated { intervals, draws, warnings, ..Evaluated::new(study, scenarios) })
}

/// The same under each sharing model that supports the machine, without intervals and calculations.
///
/// # Errors
/// The errors of [`evaluate`].
pub fn evaluate_under_all(
    question: &Evaluate<'_>,
    monitor: &dyn Monitor,
) -> Result<EvaluatedUnderAll, Refusal> {
    let study = &question.input.study;
    let mut warnings = implausible(&study.machine);
    warnings.extend(caution::beside_machine(&study.machine, &study.apps));
    let scenarios = question.wanted()?;
    let mut studies = Vec::new();
    for kind in ModelKind::ALL {
        let machine = study.machine.clone().with_model(kind);
        if let Some(refusal) = machine.sharing_refusal() {
            warnings.push(format!("left out: {refusal}"));
        } else {
            let mut own = Study::clone(study);
            own.machine = machine;
            studies.push((kind, Arc::new(own)));
        }
    }
    if let Some(most) = question.most_figures {
        can_be_shown(study, &scenarios, studies.len(), most)?;
    }
    let question = Evaluate { explained: false, ..*question };
    let under = |(kind, study): &(ModelKind, Arc<Study>)| {
        let scenarios = of_all(study, &scenarios, &question, None, monitor)?;
        Ok(UnderModel { model: kind.as_str(), scenarios })
    };
    Ok(EvaluatedUnderAll {
        head: Head::of("evaluate"),
        machine: study.machine.name().to_owned(),
        model: "all",
        models: studies.iter().map(under).collect::<Result<_, Refusal>>()?,
        warnings,
    })
}

/// These scenarios, evaluated in sequence.
fn of_all(
    study: &Arc<Study>,
    scenarios: &[&Scenario],
    question: &Evaluate<'_>,
    draws: Option<&Draws>,
    monitor: &dyn Monitor,
) -> Result<Vec<Arc<EvaluatedScenario>>, Refusal> {
    let of_one = |scenario: &&Scenario| {
        if monitor.stop() {
            return Err(Refusal::Interrupted);
        }
        let options = Options {
            explained: question.explained,
            static_work: scenario.static_work || question.static_work,
        };
        let mut one = EvaluatedScenario::new(study, scenario, options)?;
        let predict = |draws: &Draws| {
            let options = Options { explained: false, ..options };
            draws.predict(&one.study.apps, &one.placements, &one.allocation, options)
        };
        let intervals =
            draws.map(predict).transpose().map_err(|error| failed(&in_words(scenario), &error))?;
        one.intervals = intervals.flatten();
        Ok(Arc::new(one))
    };
    scenarios.iter().map(of_one).collect()
}

impl EvaluatedScenario {
    /// A scenario of the study, without intervals.
    ///
    /// # Errors
    /// The errors of [`of_scenario`].
    pub fn new(study: &Arc<Study>, scenario: &Scenario, options: Options) -> Result<Self, Refusal> {
        let (placements, evaluation) = of_scenario(study, scenario, options)?;
        let mut one = Self {
            study: study_with(study, &scenario.smt),
            name: scenario.name.clone(),
            allocation: scenario.allocation.clone(),
            placements,
            evaluation,
            intervals: None,
            explanation: None,
        };
        one.explanation = options.explained.then(|| explain::explain(&one.view(), &IN_JSON));
        Ok(one)
    }
}

/// The data placement of a scenario, and its evaluation.
///
/// # Errors
/// An open home, data that does not fit, too many threads.
pub fn of_scenario(
    study: &Study,
    scenario: &Scenario,
    options: Options,
) -> Result<(Vec<Placement>, Evaluation), Refusal> {
    let placements = located::placements(study, scenario)?;
    let evaluation =
        evaluate_with(&study.machine, &study.apps_in(scenario), &placements, &scenario.allocation, options)
            .map_err(|error| failed(&in_words(scenario), &error))?;
    Ok((placements, evaluation))
}

fn in_words(scenario: &Scenario) -> String {
    format!("scenario '{}'", scenario.name)
}

/// The scenarios with these names, or all, in the order of the files.
///
/// # Errors
/// There are none, or a name is unknown.
pub fn wanted<'a>(study: &'a Study, names: &[String]) -> Result<Vec<&'a Scenario>, Refusal> {
    if study.scenarios.is_empty() && study.apps.is_empty() {
        let message = "there is no [[app]] and no [[scenario]] in the files: nothing to evaluate";
        return Err(Refusal::said(message)
            .hint("add files with applications and scenarios; configs/paper has complete examples"));
    }
    if study.scenarios.is_empty() {
        return Err(Refusal::said("there is no [[scenario]] in the files: nothing to evaluate")
            .hint(format!("add one, for example:\n\n{}", suggest::scenario(study)))
            .hint("or run `numasim explore` with the same files to find the best placement"));
    }
    let known: Vec<&str> = study.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let refusal = Refusal::said(format!("there is no scenario '{name}'"));
        return Err(match suggest::nearest(name, &known) {
            Some(near) => refusal.hint(format!("did you mean '{near}'?")),
            None => refusal.hint(format!("the scenarios are: {}", suggest::list(&known))),
        });
    }
    let asked = |scenario: &&Scenario| names.is_empty() || names.contains(&scenario.name);
    Ok(study.scenarios.iter().filter(asked).collect())
}

/// Rejects results that would need more memory and text than is useful, each scenario evaluated `times` times.
///
/// # Errors
/// There are more than `most` values.
pub fn can_be_shown(study: &Study, scenarios: &[&Scenario], times: usize, most: u64) -> Result<(), Refusal> {
    let (apps, nodes) = (study.apps.len() as u64, study.machine.node_count() as u64);
    let all = intervals::figures_of_all(study, scenarios).saturating_mul(times as u64);
    if all <= most {
        return Ok(());
    }
    let scenarios = figures::count(scenarios.len() as u64, "scenario");
    let message = format!(
        "{scenarios} of {} on {} have {all} values: threads on each node, and links; at most {most} are shown",
        figures::count(apps, "application"),
        figures::count(nodes, "node"),
    );
    Err(Refusal::said(message).hint("put fewer scenarios into one run, or a smaller machine"))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use numasim_sim::search::Unattended;

    use super::*;

    /// One application with `data` on nodes of one core each, and `scenarios` in which it has one thread.
    fn input(nodes: usize, data: &str, scenarios: usize) -> Input {
        let mut text = format!(
            "[machine]\nname = \"m\"\nnodes = {nodes}\ncores_per_node = 1\ngflops_per_core = 1.0\n\
             bandwidth_gbs = 1.0\nlink_gbs = 1.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\ndata = \"{data}\"\n"
        );
        for number in 0..scenarios {
            write!(text, "[[scenario]]\nname = \"s{number}\"\nthreads = {{ a = 1 }}\n").expect("memory");
        }
        Input::read(&[("a.toml", &text)]).expect("a study")
    }

    #[test]
    fn more_figures_than_anybody_reads_are_refused() {
        let refused = |input: &Input, most| {
            let question = Evaluate { most_figures: Some(most), ..Evaluate::new(input) };
            evaluate(&question, &Unattended).err().map(|refusal| refusal.text(false))
        };
        // 3 scenarios x 1 application x 65 nodes; interleaved, with 65 x 65 links each
        assert_eq!(refused(&input(65, "local", 3), 195), None);
        let said = refused(&input(65, "local", 3), 194).expect("too many");
        assert!(said.contains("have 195 values") && said.contains("at most 194 are shown"), "{said}");
        assert_eq!(refused(&input(65, "interleave", 3), 195 + 3 * 65 * 65), None);
        assert!(refused(&input(65, "interleave", 3), 194 + 3 * 65 * 65).is_some());
        // 64 nodes have all links: 64 + 64 x 64
        assert_eq!(refused(&input(64, "local", 1), 64 + 64 * 64), None);
        assert!(refused(&input(64, "local", 1), 63 + 64 * 64).is_some());
    }

    #[test]
    fn the_document_is_the_same_as_a_value_and_as_text() {
        let input = input(2, "interleave", 2);
        let answer = evaluate(&Evaluate::new(&input), &Unattended).expect("an answer");
        let value = serde_json::to_value(&answer).expect("a value");
        assert_eq!(serde_json::to_string_pretty(&answer).expect("text"), format!("{value:#}"));
    }
}

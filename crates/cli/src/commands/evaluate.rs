//! `numasim evaluate`: the performance of every scenario in the files.

mod amount;
mod document;
pub(super) mod drawn;

use std::error::Error;
use std::io::{self, Write};

use numasim_draw::grid::note;
use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::{Evaluation, ModelKind, Placement, Scenario, Study, evaluate_with};

use numasim_sim::intervals::{Draws, Prediction};

use crate::args::{EvaluateArgs, ModelChoice};
use crate::emit::{self, processors};
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::suggest;
use crate::view;
use crate::view::saved::Saved;
use crate::view::side_by_side::{self, UnderModel};
use crate::view::{
    ScenarioView, Style, caution, compare, csv, explain, figures, json, machine_title, saved, table, warning,
};
pub(super) use amount::{MOST_FIGURES, can_be_shown, figures_of};
use document::Document;
pub(super) use document::document;
use numasim_ask::located::{Located, placements};

/// Runs the command.
pub(crate) fn run(args: &EvaluateArgs, shell: &Shell) -> Result<(), Failure> {
    let (reading, sources) = crate::files::read_study_and_texts(&args.files)?;
    let (mut study, located) = Located::split(reading, sources);
    if args.static_work {
        study.scenarios.iter_mut().for_each(|scenario| scenario.static_work = true);
    }
    let mut study = match args.model {
        Some(ModelChoice::All) => return side_by_side(args, &study, &located, shell),
        Some(ModelChoice::One(kind)) => sharing::choose(study, Some(kind), shell)?,
        None => sharing::choose(study, None, shell)?,
    };
    study.machine = processors::complete(study.machine, &args.emit)?;
    let destination = Destination::open(args.output.output.as_deref())?;
    let saved = args.save.as_deref().map(|path| Destination::open(Some(path))).transpose()?;
    let scenarios = wanted(&study, &args.scenario)?;
    located.can_be_evaluated(&study, &scenarios)?;
    can_be_shown(&study, &scenarios, 1, MOST_FIGURES)?;
    let draws = match args.emit.emit {
        Some(_) => None,
        None => drawn::of_scenarios(&study, &scenarios, shell),
    };
    let evaluated: Vec<Evaluated> = scenarios
        .into_iter()
        .map(|scenario| {
            Evaluated::with(&study, scenario, args.explain)?.with_intervals(&study, draws.as_ref())
        })
        .collect::<Result<_, _>>()?;
    let views: Vec<ScenarioView> = evaluated.iter().map(|one| one.view(&study)).collect();

    let mut rule_stated = false;
    for view in &views {
        for facts in warning::facts(&view.evaluation.warnings) {
            // The rule behind it is the same for all: said once.
            let rule = if rule_stated { String::new() } else { format!(" {}", warning::RULE) };
            shell.warn(format!("scenario '{}': {facts}{rule}", view.name));
            rule_stated = true;
        }
    }
    if let Some(saved) = saved {
        saved.deliver(&saved_text(&study, &evaluated))?;
    }
    if let Some(kind) = args.emit.emit {
        let view = only(&views)?;
        let text = emit::script_with_warnings(kind, view, &facts(&study, view), shell)?;
        return destination.deliver(&text);
    }
    let table = |style: &Style, out: &mut dyn Write| {
        tables((&study, draws.as_ref()), &views, args.explain, style, out)
    };
    match args.output.format {
        Format::Table => destination.deliver_by(|out| table(&shell.style(args.output.output.is_some()), out)),
        Format::Markdown => destination.deliver(&shell.for_people(Format::Markdown, true, |style| {
            let mut text = Vec::new();
            // Memory does not fail, and all of it is text.
            let _ = table(style, &mut text);
            String::from_utf8(text).unwrap_or_default()
        })),
        Format::Json => {
            let document =
                Document { study: &study, draws: draws.as_ref(), views: &views, explained: args.explain };
            destination.deliver_by(|out| json::write(&document, out))
        }
        Format::Csv => {
            if args.explain {
                shell.warn("--explain has no effect on CSV; use it with --format table or json");
            }
            let text = csv::csv(&views);
            destination
                .deliver(&text.map_err(|error| Failure::fault("cannot write CSV").caused_by(error.as_ref()))?)
        }
    }
}

/// `--model all`.
fn side_by_side(args: &EvaluateArgs, study: &Study, located: &Located, shell: &Shell) -> Result<(), Failure> {
    if args.emit.emit.is_some() || args.explain || args.save.is_some() {
        return Err(Failure::input(
            "--model all compares models; --emit, --explain and --save apply to a single one",
        )
        .hint("name the model with --model"));
    }
    sharing::warn_of_doubts(&study.machine, shell);
    let destination = Destination::open(args.output.output.as_deref())?;
    located.can_be_evaluated(study, &wanted(study, &args.scenario)?)?;
    let under = |kind: ModelKind| Study { machine: study.machine.clone().with_model(kind), ..study.clone() };
    let mut studies = Vec::new();
    for kind in ModelKind::ALL {
        let study = under(kind);
        match study.machine.sharing_refusal() {
            Some(refusal) => shell.warn(format!("left out: {refusal}")),
            None => studies.push((kind, study)),
        }
    }
    can_be_shown(study, &wanted(study, &args.scenario)?, studies.len(), MOST_FIGURES)?;
    let mut all = Vec::new();
    for (kind, study) in &studies {
        let scenarios = wanted(study, &args.scenario)?.into_iter();
        let evaluated: Vec<Evaluated> =
            scenarios.map(|scenario| Evaluated::new(study, scenario)).collect::<Result<_, _>>()?;
        all.push((*kind, study, evaluated));
    }
    let models: Vec<UnderModel> = all
        .iter()
        .map(|(kind, study, evaluated)| UnderModel {
            kind: *kind,
            views: evaluated.iter().map(|one| one.view(study)).collect(),
        })
        .collect();
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let machine = machine_title(&study.machine);
            shell.for_people(format, args.output.output.is_some(), |style| {
                let tables = side_by_side::table(&models, style);
                format!("Machine: {machine}\nGFLOPS under each sharing model\n\n{tables}")
            })
        }
        Format::Json => {
            let document = side_by_side::Document { machine: study.machine.name(), models: &models };
            return destination.deliver_by(|out| json::write(&document, out));
        }
        Format::Csv => side_by_side::csv(&models)
            .map_err(|error| Failure::fault("cannot write CSV").caused_by(error.as_ref()))?,
    };
    destination.deliver(&text)
}

/// The scenarios with these names, or all, in the order of the files.
pub(super) fn wanted<'a>(study: &'a Study, names: &[String]) -> Result<Vec<&'a Scenario>, Failure> {
    if study.scenarios.is_empty() && study.apps.is_empty() {
        let message = "there is no [[app]] and no [[scenario]] in the files: nothing to evaluate";
        return Err(Failure::input(message)
            .hint("add files with applications and scenarios; configs/paper has complete examples"));
    }
    if study.scenarios.is_empty() {
        return Err(Failure::input("there is no [[scenario]] in the files: nothing to evaluate")
            .hint(format!("add one, for example:\n\n{}", suggest::scenario(study)))
            .hint("or run `numasim explore` with the same files to find the best allocation"));
    }
    let known: Vec<&str> = study.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    for name in names {
        if !known.contains(&name.as_str()) {
            let failure = Failure::input(format!("there is no scenario '{name}'"));
            return Err(match suggest::nearest(name, &known) {
                Some(near) => failure.hint(format!("did you mean '{near}'?")),
                None => failure.hint(format!("the scenarios are: {}", suggest::list(&known))),
            });
        }
    }
    let asked = |scenario: &&Scenario| names.is_empty() || names.contains(&scenario.name);
    Ok(study.scenarios.iter().filter(asked).collect())
}

/// The scenario that `--emit` is about.
fn only<'a, 'b>(views: &'a [ScenarioView<'b>]) -> Result<&'a ScenarioView<'b>, Failure> {
    if let [only] = views {
        return Ok(only);
    }
    let names: Vec<&str> = views.iter().map(|view| view.name).collect();
    Err(Failure::input("--emit writes the commands of one scenario, but there are several")
        .hint(format!("choose one with --scenario; the scenarios are: {}", suggest::list(&names))))
}

/// What `--save` writes.
fn saved_text(study: &Study, evaluated: &[Evaluated<'_>]) -> String {
    let facts = [("Machine", machine_title(&study.machine)), ("Model", study.machine.sharing().in_words())];
    let saved: Vec<Saved> = evaluated
        .iter()
        .map(|one| Saved { view: one.view(study), role: "scenario", static_work: one.scenario.static_work })
        .collect();
    saved::toml(&facts, &saved, &[])
}

/// The head of what `--emit` prints.
fn facts(study: &Study, view: &ScenarioView<'_>) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Machine", machine_title(&study.machine)),
        ("Model", study.machine.sharing().in_words()),
        ("Scenario", format!("{}: {} GFLOPS", view.name, figures::single(view.evaluation.total.value()))),
    ];
    facts.extend(caution::of_scenario(view).into_iter().map(|clause| ("Caution", clause)));
    facts
}

/// A scenario with decided homes, and its result.
pub(super) struct Evaluated<'a> {
    scenario: &'a Scenario,
    placements: Vec<Placement>,
    evaluation: Evaluation,
    intervals: Option<Prediction>,
}

impl<'a> Evaluated<'a> {
    pub(super) fn new(study: &Study, scenario: &'a Scenario) -> Result<Self, Failure> {
        Self::with(study, scenario, false)
    }

    /// `explained`: with the calculation behind the result.
    fn with(study: &Study, scenario: &'a Scenario, explained: bool) -> Result<Self, Failure> {
        let placements = placements(study, scenario)?;
        let options = Options { explained, static_work: scenario.static_work };
        let evaluation =
            evaluate_with(&study.machine, &study.apps, &placements, &scenario.allocation, options)
                .map_err(|error| failed(&format!("scenario '{}'", scenario.name), &error))?;
        Ok(Self { scenario, placements, evaluation, intervals: None })
    }

    /// The same with its intervals, where there are draws.
    fn with_intervals(mut self, study: &Study, draws: Option<&Draws>) -> Result<Self, Failure> {
        if let Some(draws) = draws {
            let found = drawn::of_scenario(study, self.scenario, &self.placements, draws);
            self.intervals =
                found.map_err(|error| failed(&format!("scenario '{}'", self.scenario.name), &error))?;
        }
        Ok(self)
    }

    pub(super) fn view<'b>(&'b self, study: &'b Study) -> ScenarioView<'b> {
        ScenarioView {
            name: &self.scenario.name,
            machine: &study.machine,
            apps: &study.apps,
            allocation: &self.scenario.allocation,
            placements: &self.placements,
            evaluation: &self.evaluation,
            intervals: self.intervals.as_ref(),
        }
    }
}

/// Evaluates one scenario of the files.
pub(super) fn evaluated(study: &Study, scenario: &Scenario) -> Result<Evaluation, Failure> {
    Evaluated::new(study, scenario).map(|evaluated| evaluated.evaluation)
}

/// Why `what` cannot be evaluated: a fault of the program where the result contradicts its model.
pub(super) fn failed(what: &str, error: &EvaluateError) -> Failure {
    match error {
        EvaluateError::Unsound(violation) => unsound(what, violation),
        error => Failure::input(format!("{what}: {error}")),
    }
}

/// A result that contradicts its model.
pub(super) fn unsound(what: &str, violation: &dyn Error) -> Failure {
    Failure::fault(format!("{what}: this is a fault of numasim, not of your input")).caused_by(violation).hint(
        format!(
            "please report it as an issue with these lines, the command line, the input files and the version, \
             numasim {}",
            env!("CARGO_PKG_VERSION")
        ),
    )
}

/// Why the answer of a search cannot be evaluated: always a fault of the program.
pub(super) fn impossible(error: &EvaluateError) -> Failure {
    match error {
        EvaluateError::Unsound(_) => failed("the answer of the search", error),
        error => Failure::fault("the search made an impossible allocation").caused_by(error),
    }
}

/// For people: each scenario, then all of them side by side, with an empty line between them.
fn tables(
    (study, draws): (&Study, Option<&Draws>),
    views: &[ScenarioView],
    explained: bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (machine, model) = (machine_title(&study.machine), study.machine.sharing().in_words());
    writeln!(out, "Machine: {machine}\nModel:   {model}")?;
    for view in views {
        write!(out, "\n{}", table::table(view, style))?;
        let cautions = caution::of_scenario(view);
        if !cautions.is_empty() {
            write!(out, "\n{}", note(&format!("Caution: {}.", cautions.join("; ")), style))?;
        }
        if explained {
            write!(out, "\n{}", explain::shown(view, style))?;
        }
    }
    if let Some(draws) = draws {
        write!(out, "\n{}", view::intervals::note(draws, style))?;
    }
    if views.len() > 1 {
        let all_move = views.iter().all(|view| view.worth().1 == "GB/s");
        let of = |view: &ScenarioView| if all_move { view.worth().0 } else { view.evaluation.total.value() };
        let totals: Vec<(&str, f64)> = views.iter().map(|view| (view.name, of(view))).collect();
        let unit = if all_move { "GB/s" } else { "GFLOPS" };
        write!(out, "\n{}", compare::compare(&totals, unit, style))?;
    }
    Ok(())
}

//! `numasim evaluate`: the performance of every scenario in the files.

use std::io::{self, Write};
use std::sync::Arc;

use numasim_ask::evaluate::MOST_FIGURES;
use numasim_ask::{Evaluate, Evaluated, document, evaluate, evaluate_under_all};
use numasim_course::Study;
use numasim_draw::grid::note;
use numasim_sim::search::Unattended;

use crate::args::{EvaluateArgs, ModelChoice};
use crate::emit::{self, processors};
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::suggest;
use crate::view;
use crate::view::saved::Saved;
use crate::view::side_by_side;
use crate::view::{ScenarioView, Style, caution, explain, figures, machine_title, saved, table, warning};
use numasim_ask::tables::Placed;

/// Runs the command.
pub(crate) fn run(args: &EvaluateArgs, shell: &Shell) -> Result<(), Failure> {
    let mut input = crate::files::read_input(&args.toml.files)?;
    let question = |input| Evaluate {
        scenarios: &args.scenario,
        static_work: args.static_work,
        explained: args.explain,
        intervals: args.emit.emit.is_none(),
        most_figures: Some(MOST_FIGURES),
        ..Evaluate::new(input)
    };
    let kind = match args.model {
        Some(ModelChoice::All) => return under_all(args, &question(&input), shell),
        Some(ModelChoice::One(kind)) => Some(kind),
        None => None,
    };
    input = sharing::choose_for(input, kind, shell)?;
    let study = Arc::make_mut(&mut input.study);
    study.machine = processors::complete(study.machine.clone(), &args.emit)?;
    let place = emit::Place::open(&args.emit, &args.output)?;
    let saved = Destination::beside(args.save.as_deref())?;
    let answer = evaluate(&question(&input), &Unattended)?;
    shell.warn_all(&answer.warnings);
    let views = answer.views();

    let mut rule_stated = false;
    for view in &views {
        for facts in warning::facts(&view.evaluation.warnings) {
            // The rule behind it is the same for all and is printed once.
            let rule = if rule_stated { String::new() } else { format!(" {}", warning::RULE) };
            shell.warn(format!("scenario '{}': {facts}{rule}", view.name));
            rule_stated = true;
        }
    }
    if let Some(saved) = saved {
        saved.deliver(&saved_text(&input.study, &views))?;
    }
    if let Some(kind) = args.emit.emit {
        let view = only(&views)?;
        return place.deliver(kind, view, &facts(&input.study, view), &input.located, shell);
    }
    let destination = place.destination();
    let table = |style: &Style, out: &mut dyn Write| tables(&input.study, &answer, &views, style, out);
    match args.output.format {
        Format::Table => destination.deliver_by(|out| table(&shell.style(args.output.output.is_some()), out)),
        Format::Markdown => destination.deliver(&shell.for_people(Format::Markdown, true, |style| {
            let mut text = Vec::new();
            // Writing to memory does not fail, and everything is text.
            let _ = table(style, &mut text);
            String::from_utf8(text).unwrap_or_default()
        })),
        Format::Json => destination.deliver_by(|out| document::write(&answer, out)),
        Format::Csv => {
            if args.explain {
                shell.warn("--explain has no effect on CSV; use it with --format table or json");
            }
            destination.deliver(&numasim_ask::table::csv(
                &Placed::columns(&input.study.apps),
                views.iter().flat_map(Placed::all),
            ))
        }
    }
}

/// `--model all`.
fn under_all(args: &EvaluateArgs, question: &Evaluate<'_>, shell: &Shell) -> Result<(), Failure> {
    if args.emit.emit.is_some() || args.explain || args.save.is_some() {
        return Err(Failure::input(
            "--model all compares models; --emit, --explain and --save apply to a single one",
        )
        .hint("name the model with --model"));
    }
    let destination = args.output.open()?;
    let answer = evaluate_under_all(question, &Unattended)?;
    shell.warn_all(&answer.warnings);
    let table = |style: &Style| {
        let study = &question.input.study;
        let (machine, unit) = (machine_title(&study.machine), numasim_ask::wording::unit_title(&study.apps));
        let tables = side_by_side::table(&answer.models, style);
        format!("Machine: {machine}\n{unit} under each sharing model\n\n{tables}")
    };
    let rows = || numasim_ask::tables::under_models(&answer.models);
    shell.answer(&destination, args.output.format, table, &answer, rows)
}

/// The scenario for `--emit`.
fn only<'a, 'b>(views: &'a [ScenarioView<'b>]) -> Result<&'a ScenarioView<'b>, Failure> {
    if let [only] = views {
        return Ok(only);
    }
    let names: Vec<&str> = views.iter().map(|view| view.name).collect();
    Err(Failure::input("--emit writes the commands of one scenario, but there are several")
        .hint(format!("choose one with --scenario; the scenarios are: {}", suggest::list(&names))))
}

/// The output of `--save`.
fn saved_text(study: &Study, views: &[ScenarioView<'_>]) -> String {
    let facts = [("Machine", machine_title(&study.machine)), ("Model", study.machine.sharing().in_words())];
    let saved: Vec<Saved> = views
        .iter()
        .map(|&view| Saved { view, role: "scenario", static_work: view.evaluation.static_work })
        .collect();
    saved::toml(&facts, &saved, &[])
}

/// The head of the output of `--emit`.
fn facts(study: &Study, view: &ScenarioView<'_>) -> Vec<(&'static str, String)> {
    let (total, unit) = view.total();
    let mut facts = vec![
        ("Machine", machine_title(&study.machine)),
        ("Model", study.machine.sharing().in_words()),
        ("Scenario", format!("{}: {} {unit}", view.name, figures::single(total))),
    ];
    facts.extend(caution::of_scenario(view).into_iter().map(|clause| ("Caution", clause)));
    facts
}

/// For people: each scenario, then all of them side by side, with an empty line between them.
fn tables(
    study: &Study,
    answer: &Evaluated,
    views: &[ScenarioView],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (machine, model) = (machine_title(&study.machine), study.machine.sharing().in_words());
    writeln!(out, "Machine: {machine}\nModel:   {model}")?;
    let of_machine = caution::of_machine(&study.machine, &study.apps);
    if !of_machine.is_empty() {
        write!(out, "{}", note(&format!("Caution: {}.", of_machine.join("; ")), style))?;
    }
    for (view, one) in views.iter().zip(&answer.scenarios) {
        write!(out, "\n{}", table::table(view, style))?;
        let cautions = caution::of_evaluation(view);
        if !cautions.is_empty() {
            write!(out, "\n{}", note(&format!("Caution: {}.", cautions.join("; ")), style))?;
        }
        if one.explanation.is_some() {
            write!(out, "\n{}", explain::shown(view, style))?;
        }
    }
    if let Some(draws) = &answer.draws {
        write!(out, "\n{}", view::intervals::note(draws, style))?;
    }
    if views.len() > 1 {
        let unit = views[0].worth().1;
        let alike = views.iter().all(|view| view.worth().1 == unit);
        let of = |view: &ScenarioView| if alike { view.worth().0 } else { view.evaluation.total.value() };
        let totals: Vec<(&str, f64)> = views.iter().map(|view| (view.name, of(view))).collect();
        let unit = if alike { unit } else { "GFLOPS" };
        write!(out, "\n{}", side_by_side::compare(&totals, unit, style))?;
    }
    Ok(())
}

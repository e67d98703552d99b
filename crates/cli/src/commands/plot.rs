//! `numasim plot`: pictures of machines, scenarios and allocations.

pub(super) mod allocations;

use std::path::Path;
use std::sync::Arc;

use numasim_ask::compare::Compared;
use numasim_ask::{Input, Refusal};
use numasim_course::Study;
use numasim_draw::look;
use numasim_model::Scenario;
use numasim_model::evaluation::Options;

use super::evidence;
use crate::args::{PlotArgs, PlotKind, PlotLook, PlotTheme};
use crate::failure::Failure;
use crate::plot_file::{PlotFile, can_be_mapped};
use crate::sharing;
use crate::shell::Shell;
use crate::suggest;
use crate::view::plots;
use numasim_ask::EvaluatedScenario;
use numasim_ask::evaluate::wanted;
use numasim_ask::located::Located;

/// Runs the command.
pub(crate) fn run(args: &PlotArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::read(&args.study.toml.files, args.study.sharing.model, shell)?;
    let Input { study, located, .. } = &input;
    refuse_idle_switches(args)?;
    let file = PlotFile::open(args.output.as_deref())?;
    let drawn = match args.kind {
        PlotKind::Matrix => plots::matrix(&study.machine).svg(),
        PlotKind::Roofline => roofline(args, study, located)?,
        PlotKind::Threads => threads(args, study, located)?,
        PlotKind::Allocations => {
            let scenario = scenario(args, study)?;
            allocations::homes_are_given(&args.axes, scenario, study, located)?;
            allocations::heat_map(&args.axes, scenario, study, Some(located))?.svg()
        }
        PlotKind::Bars => plots::bars(&compared(args, &input, shell)?).svg(),
        PlotKind::Scatter => plots::scatter(&compared(args, &input, shell)?).svg(),
    };
    file.deliver(&shown(&drawn, &args.look))
}

/// The plot in the requested theme and size.
fn shown(svg: &str, asked: &PlotLook) -> String {
    let theme = match asked.theme {
        PlotTheme::Light => look::Theme::Light,
        PlotTheme::Dark => look::Theme::Dark,
        PlotTheme::Auto => look::Theme::Auto,
    };
    let svg = look::in_theme(svg, theme);
    match (asked.width, asked.font_size) {
        (Some(pixels), _) => look::of_width(&svg, f64::from(pixels)),
        (None, Some(points)) => look::of_font_size(&svg, f64::from(points)),
        (None, None) => svg,
    }
}

/// An option without effect would hide a misunderstanding.
fn refuse_idle_switches(args: &PlotArgs) -> Result<(), Failure> {
    let axes = &args.axes;
    let of_allocations = [
        ("--x", axes.x.is_some()),
        ("--y", axes.y.is_some()),
        ("--rest", axes.rest.is_some()),
        ("--objective", axes.objective.is_some()),
        ("--static-work", axes.static_work),
    ];
    let given = of_allocations.iter().find(|(_, given)| *given);
    if let Some((switch, _)) = given.filter(|_| args.kind != PlotKind::Allocations) {
        return Err(Failure::input(format!("{switch} is for `plot allocations` only")).hint("leave it out"));
    }
    if args.kind == PlotKind::Matrix && args.scenario.is_some() {
        return Err(
            Failure::input("a matrix shows the machine; it has no scenario").hint("leave --scenario out")
        );
    }
    match (args.kind, &args.measured) {
        (PlotKind::Bars | PlotKind::Scatter, None) => {
            Err(Failure::input("this plot needs measurements").hint("name their CSV with --measured"))
        }
        (PlotKind::Bars | PlotKind::Scatter, Some(_)) | (_, None) => Ok(()),
        (_, Some(_)) => {
            Err(Failure::input("--measured is for `plot bars` and `plot scatter` only").hint("leave it out"))
        }
    }
}

/// Prediction compared with measurement.
fn compared(args: &PlotArgs, input: &Input, shell: &Shell) -> Result<Compared, Failure> {
    let measured = evidence::measured(args.measured.as_deref().unwrap_or(Path::new("-")))?;
    evidence::compared_with(input, args.scenario.as_slice(), &measured, shell)
}

/// The scenario of `--scenario`, if it was given.
fn scenario<'a>(args: &PlotArgs, study: &'a Study) -> Result<Option<&'a Scenario>, Failure> {
    match &args.scenario {
        None => Ok(None),
        Some(name) => Ok(wanted(study, std::slice::from_ref(name))?.first().copied()),
    }
}

fn roofline(args: &PlotArgs, study: &Arc<Study>, located: &Located) -> Result<String, Failure> {
    let scenario = scenario(args, study)?;
    located.can_be_evaluated(study, scenario.as_slice())?;
    let evaluated = scenario.map(|scenario| evaluated(study, scenario)).transpose()?;
    let view = evaluated.as_ref().map(EvaluatedScenario::view);
    Ok(plots::roofline(&study.machine, &study.apps, view.as_ref()).svg())
}

fn threads(args: &PlotArgs, study: &Arc<Study>, located: &Located) -> Result<String, Failure> {
    can_be_mapped(&study.machine)?;
    let names: Vec<String> = args.scenario.iter().cloned().collect();
    let scenarios = wanted(study, &names)?;
    let [only] = scenarios.as_slice() else {
        let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        return Err(Failure::input("a thread map shows one scenario, but there are several")
            .hint(format!("choose one with --scenario; the scenarios are: {}", suggest::list(&names))));
    };
    located.can_be_evaluated(study, &[only])?;
    Ok(plots::thread_map(&evaluated(study, only)?.view()).svg())
}

fn evaluated(study: &Arc<Study>, scenario: &Scenario) -> Result<EvaluatedScenario, Refusal> {
    let options = Options { static_work: scenario.static_work, ..Options::default() };
    EvaluatedScenario::new(study, scenario, options)
}

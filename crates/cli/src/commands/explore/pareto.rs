//! `numasim explore --pareto FIRST,SECOND`: what one objective costs in the other.

use std::collections::BTreeSet;

use numasim_model::{Study, evaluate};
use numasim_sim::baselines::BUILT_IN_BASELINES;
use numasim_sim::pareto::{Front, Settings, TradeOff, TradeOffError, front};

use super::{in_pool, objective, open_plot, restrictions};
use crate::args::{ExploreArgs, ObjectivePair};
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::view::front::{Compared, FrontView, Shown};
use crate::view::{figures, warning};
use crate::watch::{Parts, Watch};
use numasim_ask::Clock;
use numasim_ask::evaluate::MOST_FIGURES;
use numasim_ask::explore::{refused, static_work_warning, without_answer};
use numasim_ask::explored::{WhyUnproven, hopeless};
use numasim_ask::intervals::figures_of;
use numasim_ask::located::Located;
use numasim_ask::placing::placed;
use numasim_ask::refusal::impossible;

/// Runs the command.
pub(super) fn run(args: &ExploreArgs, pair: ObjectivePair, shell: &Shell) -> Result<(), Failure> {
    let (reading, sources) = files::read_study_and_texts(&args.study.files)?;
    let (study, located) = Located::split(reading, sources);
    let study = placed(sharing::choose(study, args.study.model, shell)?, &args.placing.asked())?;
    let what = "its figures here are those of work shared by speed, as in the search";
    shell.warn_all(static_work_warning(&study, what).as_slice());
    let destination = Destination::open(args.output.output.as_deref())?;
    let picture = open_plot(args)?;
    let objectives = pair.0.map(objective);
    let watch = Parts::new(Watch::start(args.time_limit, objectives[0], shell), objectives);
    let question =
        TradeOff::new(&study.machine, &study.apps, objectives, restrictions(args)).map_err(|error| {
            match error {
                TradeOffError::SameObjective(_) => Failure::input(error.to_string()),
                TradeOffError::Problem(error) => {
                    located.refused(&study, &error).unwrap_or_else(|| refused(error)).into()
                }
            }
        })?;
    let settings = Settings { seed: args.seed, ..Settings::default() };
    let searched = in_pool(args.placing.workers(), || front(&question, &study.scenarios, &settings, &watch))?;
    watch.watch.finish();
    let found = searched.map_err(|error| without_answer(error, &question.problems()[0]))?;
    let view = view(&study, &question, found, &watch.watch, args.seed)?;

    tell_warnings(&view, shell);
    if let Some(picture) = picture {
        picture.deliver(&view.plot().svg())?;
    }
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| view.table(style))
        }
        Format::Json => format!("{:#}\n", view.json()),
        Format::Csv => view.csv(),
    };
    destination.deliver(&text)
}

fn tell_warnings(view: &FrontView, shell: &Shell) {
    let warned = |shown: &Shown| !shown.evaluation.warnings.is_empty();
    let points: Vec<usize> = (0..view.points.len()).filter(|&i| warned(&view.points[i])).collect();
    let numbers: Vec<usize> = points.iter().map(|i| i + 1).collect();
    let nodes = points.first().and_then(|&i| warning::summary(&view.points[i].evaluation.warnings));
    let front = match (numbers.as_slice(), nodes) {
        ([only], Some(nodes)) => Some(format!("point {only}: {nodes}")),
        (all, Some(_)) => {
            let among = format!("points {} of {}", figures::ranges(all), view.points.len());
            Some(format!("{among}: remote reads starve the threads of some nodes."))
        }
        _ => None,
    };
    let baselines = view.baselines.iter().filter_map(|baseline| {
        let summary = warning::summary(&baseline.shown.evaluation.warnings)?;
        Some(format!("baseline '{}': {summary}", baseline.shown.name))
    });
    for (i, warned) in front.into_iter().chain(baselines).enumerate() {
        let rule = if i == 0 { format!(" {}", warning::RULE) } else { String::new() };
        shell.warn(format!("{warned}{rule}"));
    }
    for problem in view.question.problems() {
        shell.warn_all(&hopeless(problem));
    }
}

/// Checks that the plot can be written, before anything is computed.
/// Evaluates everything that is shown.
fn view<'a>(
    study: &'a Study,
    question: &'a TradeOff,
    mut found: Front,
    watch: &Watch,
    seed: u64,
) -> Result<FrontView<'a>, Failure> {
    let of_one = figures_of(study, found.points.iter().flat_map(|point| &point.placements));
    let most = usize::try_from(MOST_FIGURES / of_one.max(1)).unwrap_or(usize::MAX);
    // Of a very large machine a few points say enough.
    let kept: BTreeSet<usize> = found.spread(most).into_iter().collect();
    let mut number = 0..;
    found.points.retain(|_| number.next().is_some_and(|number| kept.contains(&number)));
    let knee = found.knee();
    let shown = found.spread(FrontView::MOST_ROWS);
    let rated = |name: String, values, allocation, placements: Vec<_>| {
        let evaluation = evaluate(&study.machine, &study.apps, &placements, &allocation)
            .map_err(|error| impossible(&error))?;
        Ok(Shown { name, values, allocation, placements, evaluation })
    };
    let points: Vec<Shown> = found
        .points
        .into_iter()
        .enumerate()
        .map(|(i, p)| rated(format!("point {}", i + 1), p.values, p.allocation, p.placements))
        .collect::<Result<_, Failure>>()?;
    let mut baselines: Vec<Compared> = Vec::new();
    for baseline in found.baselines {
        let (allocation, placements) = (baseline.candidate.allocation, baseline.candidate.placements);
        let values = question.values(&allocation, &placements);
        let shown = rated(baseline.name, values, allocation, placements)?;
        let beaten_by: Vec<usize> =
            (0..points.len()).filter(|&i| question.beats(points[i].values, values)).collect();
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * b.abs();
        let same_as = points.iter().position(|point| (0..2).all(|i| close(point.values[i], values[i])));
        // A scenario of the files may be what a built-in baseline is, by the same name.
        let same = |other: &Compared| {
            (&other.shown.name, &other.shown.allocation, &other.shown.placements)
                == (&shown.name, &shown.allocation, &shown.placements)
        };
        // Scenarios have different names, so only the built-in ones, which come first, can be the same.
        if !baselines.iter().take(BUILT_IN_BASELINES).any(same) {
            baselines.push(Compared { shown, beaten_by, same_as, breaks: baseline.breaks });
        }
    }
    let unproven = (!found.complete).then(|| watch.ended_by().unwrap_or(WhyUnproven::TooLarge));
    Ok(FrontView {
        study,
        question,
        seed,
        points,
        shown,
        knee,
        ends: found.ends,
        compared: found.compared,
        unproven,
        elapsed_s: watch.elapsed_s(),
        baselines,
    })
}

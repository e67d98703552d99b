//! Discriminate: scenarios that distinguish the sharing models.

use std::fmt::Write as _;

use numasim_draw::grid::wrap;
use numasim_draw::{Style, figures};
use numasim_model::{Machine, ModelKind, Placement};
use numasim_sim::discriminate::{self as search, Chosen, Pair, Proposal, SEPARATED};
use numasim_study::writing::quoted;
use numasim_study::writing::study::Written;
use serde::Serialize;

use crate::Refusal;
use crate::document::{ByName, Head};
use crate::table::{self, Of};

/// The scenarios that separate the models best on a machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Discriminated {
    #[serde(flatten)]
    head: Head,
    /// Name of the machine.
    machine: String,
    /// Number of scenarios that were tried.
    candidates: usize,
    /// The chosen scenarios.
    scenarios: Vec<ScenarioEntry>,
    /// Difference between each pair of models.
    pairs: Vec<PairEntry>,
    /// Features of the machine that some models do not support.
    #[serde(skip)]
    pub warnings: Vec<String>,
    #[serde(skip)]
    proposal: Proposal,
}

/// A scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ScenarioEntry {
    /// Its name.
    name: String,
    /// GFLOPS of all applications, by model.
    total_gflops: ByName<f64>,
    /// Difference between each pair of models in this scenario.
    pairs: Vec<PairEntry>,
}

/// Two models.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PairEntry {
    /// Their names.
    models: [&'static str; 2],
    /// The largest relative difference of an application.
    difference: f64,
}

/// At most `most` scenarios that separate the models on `machine`.
///
/// # Errors
/// A scenario has more threads than cores on a node: the program is wrong.
pub fn discriminate(machine: &Machine, most: usize) -> Result<Discriminated, Refusal> {
    let refused =
        ModelKind::ALL.into_iter().filter_map(|kind| machine.clone().with_model(kind).sharing_refusal());
    let warnings = refused.map(|refusal| format!("{refusal}: it is compared as if that were not there"));
    let proposal = search::discriminate(machine, most).map_err(|forbidden| Refusal::from(&forbidden))?;
    let scenario = |chosen: &Chosen| ScenarioEntry {
        name: chosen.scenario.name.clone(),
        total_gflops: ByName(names().map(str::to_owned).zip(chosen.total_gflops.iter().copied()).collect()),
        pairs: pairs(&chosen.pairs),
    };
    Ok(Discriminated {
        head: Head::of("discriminate"),
        machine: machine.name().to_owned(),
        candidates: proposal.candidates,
        scenarios: proposal.scenarios.iter().map(scenario).collect(),
        pairs: pairs(&proposal.pairs),
        warnings: warnings.collect(),
        proposal,
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    ModelKind::ALL.iter().map(|kind| kind.as_str())
}

fn pairs(pairs: &[Pair]) -> Vec<PairEntry> {
    let entry =
        |pair: &Pair| PairEntry { models: pair.models.map(ModelKind::as_str), difference: pair.difference };
    pairs.iter().map(entry).collect()
}

impl Discriminated {
    /// One row for each scenario and pair of models.
    pub fn csv(&self) -> String {
        type Row<'p> = (&'p ScenarioEntry, &'p PairEntry);
        let columns = [
            Of::text("scenario", |(scenario, _): &Row| scenario.name.clone()),
            Of::text("model", |(_, pair): &Row| pair.models[0]),
            Of::text("other_model", |(_, pair): &Row| pair.models[1]),
            Of::number("difference", |(_, pair): &Row| pair.difference),
        ];
        let rows = self.scenarios.iter().flat_map(|of| of.pairs.iter().map(move |pair| (of, pair)));
        table::csv(&columns, rows)
    }

    /// For people: GFLOPS of each scenario by model, then the models that each scenario separates.
    pub fn text(&self, style: &Style) -> String {
        type Row<'p> = (usize, &'p ScenarioEntry);
        let mut columns = vec![Of::count("", |(number, _): &Row| *number)];
        for (place, model) in names().enumerate() {
            let total =
                move |(_, of): &Row| of.total_gflops.0.get(place).map(|(_, gflops)| figures::single(*gflops));
            columns.push(Of::number("total_gflops", total).titled(model.replacen('-', "-\n", 1)));
        }
        columns.push(Of::text("scenario", |(_, of): &Row| of.name.clone()));
        let totals = table::grid_of(&columns, (1..).zip(&self.scenarios));
        let pairs = table::grid_of(
            &[
                Of::text("models", |(_, pair): &(usize, &PairEntry)| pair.models.join(", ")),
                Of::number("differ by\nup to", |(_, pair): &(usize, &PairEntry)| percent(pair.difference)),
                Of::text("in scenario", |(place, _): &(usize, &PairEntry)| self.separating(*place)),
            ],
            self.pairs.iter().enumerate(),
        );
        let title = format!("{}: {} of {} scenarios", self.machine, self.scenarios.len(), self.candidates);
        // Names include the intensity: "local-0.125 (0.125 FLOP/byte)" would repeat it.
        let apps: Vec<&str> = self.proposal.apps.iter().map(|app| app.name.as_str()).collect();
        let intro = format!(
            "GFLOPS of the whole scenario, by model. Applications: {}; the number is FLOP/byte, data on its own nodes (local) \
             or all on one node (home).",
            apps.join(", ")
        );
        let explained = format!(
            "The largest difference of an application; below {} measurements can hardly distinguish them. Scenarios: largest difference first.",
            percent(SEPARATED)
        );
        let lines = |words: &str| wrap(words, style.columns()).join("\n") + "\n";
        let mut text = style.heading(2, &title);
        // Writing to a String cannot fail.
        let _ = write!(text, "{}\n{}\n", lines(&intro), totals.render(style));
        let _ = write!(text, "{}\n{}", lines(&explained), pairs.render(style));
        let same: Vec<String> = self
            .proposal
            .not_separated()
            .map(|pair| pair.models.map(ModelKind::as_str).join(" and "))
            .collect();
        if !same.is_empty() {
            let note = format!("Not distinguishable on this machine: {}.", same.join("; "));
            text.push('\n');
            for line in wrap(&note, style.columns()) {
                let _ = writeln!(text, "{}", style.faint(&line));
            }
        }
        text
    }

    /// The scenarios that separate a pair, the best first: "3 (45 %), 1 (12 %)".
    fn separating(&self, place: usize) -> String {
        let scenarios = self.scenarios.iter().zip(1..);
        let mut found: Vec<(f64, usize)> = scenarios
            .filter_map(|(of, number)| Some((of.pairs.get(place)?.difference, number)))
            .filter(|(difference, _)| *difference >= SEPARATED)
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let words: Vec<String> = found
            .iter()
            .take(4)
            .map(|(difference, number)| format!("{number} ({})", percent(*difference)))
            .collect();
        if words.is_empty() { "none".to_owned() } else { words.join(", ") }
    }

    /// The applications and scenarios as an input file, without the machine.
    pub fn toml(&self) -> String {
        let apps = &self.proposal.apps;
        let mut text = format!(
            "# Scenarios in which the sharing models disagree most on {}.\n\
             # Found by `numasim discriminate`; run with `numasim bench`, judge with `numasim compare --model NAME`.\n",
            self.machine.replace('\n', " ")
        );
        for app in apps {
            let _ = write!(
                text,
                "\n[[app]]\nname = {}\narithmetic_intensity = {:?}\n",
                quoted(&app.name),
                app.arithmetic_intensity.value()
            );
            if let Some(home) = app.data.placement().and_then(Placement::home) {
                let _ = writeln!(text, "data = {{ home = {} }}", home.0);
            }
        }
        let placements: Vec<Placement> =
            apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        for (chosen, entry) in self.proposal.scenarios.iter().zip(&self.scenarios) {
            let mut best: Vec<&PairEntry> =
                entry.pairs.iter().filter(|pair| pair.difference >= SEPARATED).collect();
            best.sort_by(|a, b| b.difference.total_cmp(&a.difference));
            let best: Vec<String> = best
                .into_iter()
                .map(|pair| format!("{} {}", pair.models.join(" / "), percent(pair.difference)))
                .collect();
            text.push('\n');
            for line in wrap(&format!("distinguishes: {}", best.join(", ")), 100) {
                let _ = writeln!(text, "# {line}");
            }
            let written = Written {
                name: &chosen.scenario.name,
                apps,
                allocation: &chosen.scenario.allocation,
                placements: &placements,
                smt: &chosen.scenario.smt,
                static_work: chosen.scenario.static_work,
            };
            text.push_str(&written.toml());
        }
        text
    }
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

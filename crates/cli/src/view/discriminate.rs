//! Scenarios that tell the sharing models apart.

use std::fmt::Write as _;

use numasim_ask::table::{self, Of};
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::{Machine, ModelKind, Placement};
use numasim_sim::discriminate::{Chosen, Pair, Proposal, SEPARATED};
use numasim_study::writing::scenario::Written;
use serde_json::{Value, json};

use super::Style;

/// For people: GFLOPS of each scenario by model, then which scenario separates which models.
pub(crate) fn table(machine: &Machine, proposal: &Proposal, style: &Style) -> String {
    let headers: Vec<String> =
        ModelKind::ALL.iter().map(|kind| kind.name().replacen('-', "-\n", 1)).collect();
    let mut columns = vec![("", Align::Right)];
    columns.extend(headers.iter().map(|header| (header.as_str(), Align::Right)));
    columns.push(("scenario", Align::Left));
    let mut totals = Grid::new(&columns);
    for (number, chosen) in proposal.scenarios.iter().enumerate() {
        let mut row = vec![(number + 1).to_string()];
        row.extend(chosen.total_gflops.iter().map(|gflops| super::figures::single(*gflops)));
        row.push(chosen.scenario.name.clone());
        totals.row(row);
    }
    let mut pairs = Grid::new(&[
        ("models", Align::Left),
        ("differ by\nup to", Align::Right),
        ("in scenario", Align::Left),
    ]);
    for (place, pair) in proposal.pairs.iter().enumerate() {
        let [first, second] = pair.models.map(ModelKind::name);
        pairs.row(vec![format!("{first}, {second}"), percent(pair.difference), separating(proposal, place)]);
    }
    let title =
        format!("{}: {} of {} scenarios", machine.name(), proposal.scenarios.len(), proposal.candidates);
    let intro = format!("GFLOPS of the whole scenario, by model. Applications: {}.", apps(proposal));
    let mut text = style.heading(2, &title);
    for line in wrap(&intro, style.columns()) {
        let _ = writeln!(text, "{line}");
    }
    let explained = format!(
        "The largest difference of an application; below {} measurements can hardly distinguish them. Scenarios: largest difference first.",
        percent(SEPARATED)
    );
    let _ = write!(text, "\n{}\n", totals.render(style));
    for line in wrap(&explained, style.columns()) {
        let _ = writeln!(text, "{line}");
    }
    let _ = write!(text, "\n{}", pairs.render(style));
    let same: Vec<String> =
        proposal.not_separated().map(|pair| pair.models.map(ModelKind::name).join(" and ")).collect();
    if !same.is_empty() {
        let note = format!("Not distinguishable on this machine: {}.", same.join("; "));
        text.push('\n');
        for line in wrap(&note, style.columns()) {
            let _ = writeln!(text, "{}", style.faint(&line));
        }
    }
    text
}

/// "local-0.125 (0.125 FLOP/byte)" would say it twice: names have the intensity.
fn apps(proposal: &Proposal) -> String {
    let names: Vec<&str> = proposal.apps.iter().map(|app| app.name.as_str()).collect();
    format!(
        "{}; the number is FLOP/byte, data on its own nodes (local) or all on one node (home)",
        names.join(", ")
    )
}

/// The scenarios that separate a pair, the best first: "3 (45 %), 1 (12 %)".
fn separating(proposal: &Proposal, place: usize) -> String {
    let difference = |chosen: &Chosen| chosen.pairs.get(place).map_or(0.0, |pair: &Pair| pair.difference);
    let mut found: Vec<(usize, f64)> = proposal
        .scenarios
        .iter()
        .enumerate()
        .map(|(number, chosen)| (number + 1, difference(chosen)))
        .filter(|(_, difference)| *difference >= SEPARATED)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let words: Vec<String> = found
        .iter()
        .take(4)
        .map(|(number, difference)| format!("{number} ({})", percent(*difference)))
        .collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// A string as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The applications and scenarios as an input file, without the machine.
pub(crate) fn toml(machine: &Machine, proposal: &Proposal) -> String {
    let mut text = format!(
        "# Scenarios in which the sharing models disagree most on {}.\n\
         # Found by `numasim discriminate`; run with `numasim bench`, judge with `numasim compare --model NAME`.\n",
        machine.name().replace('\n', " ")
    );
    for app in &proposal.apps {
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
    for chosen in &proposal.scenarios {
        let best: Vec<String> = separated(chosen)
            .into_iter()
            .map(|pair| {
                format!("{} / {} {}", pair.models[0].name(), pair.models[1].name(), percent(pair.difference))
            })
            .collect();
        text.push('\n');
        for line in wrap(&format!("distinguishes: {}", best.join(", ")), 100) {
            let _ = writeln!(text, "# {line}");
        }
        let scenario = &chosen.scenario;
        let placements: Vec<Placement> =
            proposal.apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        text.push_str(
            &Written {
                name: &scenario.name,
                apps: &proposal.apps,
                allocation: &scenario.allocation,
                placements: &placements,
                static_work: scenario.static_work,
            }
            .toml(),
        );
    }
    text
}

/// The pairs that a scenario separates, the largest difference first.
fn separated(chosen: &Chosen) -> Vec<Pair> {
    let mut pairs: Vec<Pair> =
        chosen.pairs.iter().copied().filter(|pair| pair.difference >= SEPARATED).collect();
    pairs.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    pairs
}

/// One row for each scenario and pair of models.
pub(crate) fn csv(proposal: &Proposal) -> String {
    let columns = [
        Of::text("scenario", |(chosen, _): &(&Chosen, &Pair)| chosen.scenario.name.clone()),
        Of::text("model", |(_, pair): &(&Chosen, &Pair)| pair.models[0].name()),
        Of::text("other_model", |(_, pair): &(&Chosen, &Pair)| pair.models[1].name()),
        Of::number("difference", |(_, pair): &(&Chosen, &Pair)| pair.difference),
    ];
    let rows =
        proposal.scenarios.iter().flat_map(|chosen| chosen.pairs.iter().map(move |pair| (chosen, pair)));
    table::csv(&columns, rows)
}

/// Everything.
pub(crate) fn json(machine: &Machine, proposal: &Proposal) -> Value {
    let pair =
        |pair: &Pair| json!({ "models": pair.models.map(ModelKind::name), "difference": pair.difference });
    let pairs = |pairs: &[Pair]| pairs.iter().map(pair).collect::<Vec<_>>();
    let gflops = |chosen: &Chosen| {
        let named = ModelKind::ALL.iter().zip(&chosen.total_gflops);
        named.map(|(kind, gflops)| (kind.name().to_owned(), json!(gflops))).collect::<serde_json::Map<_, _>>()
    };
    let scenarios = proposal.scenarios.iter().map(|chosen| {
        json!({ "name": chosen.scenario.name, "total_gflops": gflops(chosen), "pairs": pairs(&chosen.pairs) })
    });
    json!({
        "schema": 1, "command": "discriminate", "machine": machine.name(), "candidates": proposal.candidates,
        "scenarios": scenarios.collect::<Vec<_>>(), "pairs": pairs(&proposal.pairs),
    })
}

//! Reads `[machine.provenance]`: how the figures of a machine came about.

use std::collections::BTreeMap;

use numasim_model::machine::{FigureKind, Provenance};

use super::names;
use super::problem::ProblemKind;
use super::table::TableReader;
use super::value::{Quantity, Value};

const INTERVAL: Quantity =
    Quantity { what: "the half-width of an interval of 95 % in percent", example: "1.5", zero: true };
const UNCERTAINTY: Quantity = Quantity { what: "an uncertainty in percent", example: "2.5", zero: true };

/// Keys whose origin `[machine.provenance]` may state.
pub(super) const FIGURES: [&str; 18] = [
    "cores",
    "gflops_per_core",
    "core_bandwidth_gbs",
    "bandwidth_gbs",
    "link_gbs",
    "socket_link_gbs",
    "bandwidth_matrix_gbs",
    "shared_link",
    "read_gbs",
    "memory_gib",
    "copy_gbs",
    "triad_gbs",
    "update_gbs",
    "llc_mb",
    "llc_gbs",
    "latency_matrix_ns",
    "distance_matrix",
    "sharing",
];

/// The origin of each figure that the file has one for.
pub(super) fn read(table: &mut TableReader<'_>) -> BTreeMap<String, Provenance> {
    table.optional("provenance").map(|value| read_provenance(&value)).unwrap_or_default()
}

fn read_provenance(value: &Value<'_>) -> BTreeMap<String, Provenance> {
    let mut provenance = BTreeMap::new();
    let expected = "a table of figures";
    let hint = "write e.g. `[machine.provenance]` and below it `link_gbs = { kind = \"measured\" }`";
    let Some(mut table) = value.table("[machine.provenance]", expected, hint) else { return provenance };
    for figure in FIGURES {
        if let Some(read) = table.optional(figure).and_then(|value| read_figure(&value)) {
            provenance.insert(figure.to_owned(), read);
        }
    }
    table.finish();
    provenance
}

fn read_figure(value: &Value<'_>) -> Option<Provenance> {
    const KINDS: [FigureKind; 4] =
        [FigureKind::Measured, FigureKind::Theoretical, FigureKind::Estimated, FigureKind::Assumed];
    let hint = "write e.g. `{ kind = \"measured\", source = \"STREAM, 8 threads\" }`";
    let mut table = value.table("an entry of [machine.provenance]", "a table with `kind`", hint)?;
    let kind = table.required("kind", "\"measured\"");
    let source = table.optional("source").and_then(|value| value.string());
    let uncertainty_percent =
        table.optional("uncertainty_percent").and_then(|value| value.number(UNCERTAINTY));
    let interval95_percent = table.optional("interval95_percent").and_then(|value| value.number(INTERVAL));
    table.finish();
    let kind = kind?;
    let word = kind.string()?;
    let found = KINDS.into_iter().find(|kind| kind.as_str() == word);
    if found.is_none() {
        let words = KINDS.map(FigureKind::as_str);
        let hint = match kind.source.log.suggest(word, words) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => format!("write {}", names::one_of(words)),
        };
        let message = format!("`kind` must be {}, not {}", names::one_of(words), kind.text());
        kind.report(ProblemKind::BadValue, message, "unknown kind", hint);
    }
    Some(Provenance {
        kind: found?,
        source: source.map(str::to_owned),
        uncertainty_percent,
        interval95_percent,
    })
}

//! Reads `[machine.provenance]`: how the figures of a machine came about.

use std::collections::BTreeMap;

use numasim_model::machine::{FigureKind, Provenance};

use super::keys::{machine, origin, provenance};
use super::names;
use super::problem::ProblemKind;
use super::table::TableReader;
use super::value::Value;

/// The origin of each figure that the file has one for.
pub(super) fn read(table: &mut TableReader<'_>) -> BTreeMap<String, Provenance> {
    table.optional(&machine::PROVENANCE).map(|value| read_provenance(&value)).unwrap_or_default()
}

fn read_provenance(value: &Value<'_>) -> BTreeMap<String, Provenance> {
    let mut origins = BTreeMap::new();
    let expected = "a table of figures";
    let hint = "write e.g. `[machine.provenance]` and below it `link_gbs = { kind = \"measured\" }`";
    let Some(mut table) = value.table(&provenance::TABLE, expected, hint) else { return origins };
    for &figure in provenance::TABLE.keys {
        if let Some(read) = table.optional(figure).and_then(|value| read_figure(&value)) {
            origins.insert(figure.name.to_owned(), read);
        }
    }
    table.finish();
    origins
}

fn read_figure(value: &Value<'_>) -> Option<Provenance> {
    const KINDS: [FigureKind; 4] =
        [FigureKind::Measured, FigureKind::Theoretical, FigureKind::Estimated, FigureKind::Assumed];
    let hint = "write e.g. `{ kind = \"measured\", source = \"STREAM, 8 threads\" }`";
    let mut table = value.table(&origin::TABLE, "a table with `kind`", hint)?;
    let kind = table.required(&origin::KIND);
    let source = table.optional(&origin::SOURCE).and_then(|value| value.string());
    let uncertainty_percent = table.optional(&origin::UNCERTAINTY_PERCENT).and_then(|value| value.number());
    let interval95_percent = table.optional(&origin::INTERVAL95_PERCENT).and_then(|value| value.number());
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

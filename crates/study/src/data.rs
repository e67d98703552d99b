//! Reads the data placement of an application.

use toml::de::DeValue;

use numasim_model::app::{Data, DataWord, Placement};
use numasim_model::ids::NodeId;
use numasim_model::words::choice;

use super::keys::{data, fractions, home, interleave};
use super::machine::MachineReading;
use super::machine::{has_memory, node_with_memory};
use super::names::plural;
use super::problem::{Problem, ProblemKind};
use super::table::TableReader;
use super::value::Value;

/// All forms of `data`.
fn hint() -> String {
    const TABLES: [&str; 6] = [
        "{ home = 0 }",
        "{ home = \"any\" }",
        "{ home = 0, share = 0.5 }",
        "{ interleave = 0.3 }",
        "{ fractions = [0.5, 0.5] }",
        "{ fractions = \"any\" }",
    ];
    let words = DataWord::ALL.map(|word| format!("\"{}\"", word.as_str()));
    let all = words.into_iter().chain(TABLES.map(str::to_owned));
    format!("write {}", choice(all.map(|value| format!("`{value}`"))))
}

/// Maximum deviation of the sum of the fractions from 1.
const SUM_TOLERANCE: f64 = 1e-9;

/// Reads `data`; `machine` contains the values that could be read.
pub fn read(value: &Value<'_>, machine: &MachineReading) -> Option<Data> {
    match value.get() {
        DeValue::String(word) => read_word(value, word),
        DeValue::Integer(_) => {
            let text = value.text();
            let hint = format!("write `{{ home = {text} }}` for data that lies on node {text}");
            value.wrong_type("a word or a table", hint);
            None
        }
        DeValue::Array(_) => {
            value.wrong_type(
                "a word or a table",
                "write `{ fractions = [0.5, 0.5] }`, with one fraction for each node",
            );
            None
        }
        _ => read_table(value, machine),
    }
}

fn read_word(value: &Value<'_>, word: &str) -> Option<Data> {
    if let Some(word) = DataWord::from_word(word) {
        return Some(Data::Placed(word.placement()));
    }
    let words = DataWord::ALL.map(DataWord::as_str);
    let hint = match value.source.log.suggest(word, words.into_iter().chain(["interleaved", "any"])) {
        Some("any") => {
            "write `{ home = \"any\" }` for a home that explore chooses, `{ fractions = \"any\" }` for fractions"
                .to_owned()
        }
        Some("interleaved") => "did you mean `\"interleave\"`?".to_owned(),
        Some(close) => format!("did you mean `\"{close}\"`?"),
        None => hint(),
    };
    let choices = words.iter().map(|word| format!("`\"{word}\"`")).chain(["a table".to_owned()]);
    let message = format!("`{}` must be {}, not {}", value.name, choice(choices), value.text());
    value.report(ProblemKind::BadValue, message, "unknown word", hint);
    None
}

fn read_table(value: &Value<'_>, machine: &MachineReading) -> Option<Data> {
    let mut table = value.table(&data::TABLE, "a word or a table", hint())?;
    let home = table.optional(&home::HOME);
    let share = table.optional(&home::SHARE);
    let interleave = table.optional(&interleave::INTERLEAVE);
    let fractions = table.optional(&fractions::FRACTIONS);
    if home.is_none() && fractions.is_none() && interleave.is_none() {
        report_no_place(value, &mut table, share.as_ref());
    }
    table.finish();
    let ways = [&home, &interleave, &fractions].map(Option::as_ref);
    if conflict(&ways) {
        return None;
    }
    if let (None, Some(share), Some(other)) = (&home, &share, interleave.as_ref().or(fractions.as_ref())) {
        let problem = Problem::new(ProblemKind::Conflict, "`share` belongs to `home`")
            .at(share.key_place(), "the share at which home?")
            .related(other.key_place(), "this says already how much lies where")
            .hint("write `{ home = 0, share = 0.5 }` or `{ interleave = 0.3 }`");
        value.source.log.report(problem);
        return None;
    }
    match (home, interleave, fractions) {
        (Some(home), ..) => {
            // Both are read, so that both mistakes are reported.
            let share = share.map_or(Some(1.0), |share| read_share(&share, SHARE));
            read_home(&home, share, machine)
        }
        (None, Some(interleave), _) => {
            Some(Data::Placed(Placement::interleaved(read_share(&interleave, SHARE)?)))
        }
        (None, None, Some(fractions)) => read_fractions(&fractions, machine),
        (None, None, None) => None,
    }
}

fn report_no_place(value: &Value<'_>, table: &mut TableReader<'_>, share: Option<&Value<'_>>) {
    let problem = match share {
        Some(share) => Problem::new(ProblemKind::MissingKey, format!("`{}` says no `home`", value.name))
            .at(share.key_place(), "the share at which node?")
            .hint("write e.g. `{ home = 0, share = 0.5 }`: half on node 0, the rest where each thread runs"),
        None => Problem::new(
            ProblemKind::MissingKey,
            format!("`{}` says neither `home` nor `interleave` nor `fractions`", value.name),
        )
        .at(table.place(), "where is the data?")
        .hint(hint()),
    };
    table.missing_any(&[&home::HOME, &interleave::INTERLEAVE, &fractions::FRACTIONS], problem);
}

/// Whether several placements are given, which is reported. `ways`: home, interleave, fractions.
fn conflict(ways: &[Option<&Value<'_>>; 3]) -> bool {
    const WORDS: [&str; 3] = ["on one node", "over all nodes", "a fraction on each node"];
    let mut given = ways.iter().zip(WORDS).filter_map(|(way, words)| way.map(|way| (way, words)));
    let (Some((first, on)), Some((second, spread))) = (given.next(), given.next()) else { return false };
    let key = |way: &Value<'_>| way.name.rsplit('.').next().unwrap_or_default().to_owned();
    let problem = Problem::new(ProblemKind::Conflict, "the data is placed in two ways")
        .at(first.key_place(), on)
        .related(second.key_place(), spread)
        .hint(format!("keep either `{}` or `{}`", key(first), key(second)));
    first.source.log.report(problem);
    true
}

const SHARE: &str = "1 is all of the data, 0 none of it; the rest lies where each thread runs";

/// From 0 to 1.
pub(super) fn read_share(value: &Value<'_>, hint: &str) -> Option<f64> {
    let share = value.number()?;
    if share > 1.0 {
        let message = format!("`{}` must be a share from 0 to 1, not {}", value.name, value.text());
        value.report(ProblemKind::BadValue, message, "more than all of it", hint);
        return None;
    }
    Some(share)
}

/// `share` is `None` if it is invalid.
fn read_home(value: &Value<'_>, share: Option<f64>, machine: &MachineReading) -> Option<Data> {
    match value.get() {
        DeValue::String(word) if word == "any" => {
            let share = share?;
            // With a share of 0 nothing is open.
            return Some(if share > 0.0 { Data::OpenHome { share } } else { Data::Placed(Placement::Local) });
        }
        DeValue::String(_) => {
            let message =
                format!("`{}` must be the number of a node or `\"any\"`, not {}", value.name, value.text());
            let hint = "write `home = 0` for node 0, or `home = \"any\"` if explore is to choose";
            value.report(ProblemKind::BadValue, message, "not a node", hint);
            return None;
        }
        _ => {}
    }
    let home = node_with_memory(value, machine)?;
    Some(Data::Placed(Placement::at_home(home, share?)))
}

fn read_fractions(value: &Value<'_>, machine: &MachineReading) -> Option<Data> {
    const HINT: &str = "write one fraction for each node, e.g. `[0.5, 0.5]`, or `fractions = \"any\"` if explore is to choose";
    if let DeValue::String(word) = value.get() {
        if word == "any" {
            return Some(Data::OpenFractions);
        }
        let message =
            format!("`{}` must be a list of fractions or `\"any\"`, not {}", value.name, value.text());
        value.report(ProblemKind::BadValue, message, "no fractions", HINT);
        return None;
    }
    let entries = value.list("a list of fractions or `\"any\"`", HINT)?;
    let fractions: Vec<Option<f64>> = entries.iter().map(Value::number).collect();
    if let Some(nodes) = machine.nodes().filter(|&nodes| nodes != fractions.len()) {
        let message = format!(
            "`fractions` has {}, but the machine has {}",
            plural(fractions.len(), "entry"),
            plural(nodes, "node")
        );
        let hint = "write one fraction for each node; 0.0 for a node without data";
        value.report(ProblemKind::WrongLength, message, &plural(fractions.len(), "entry"), hint);
        return None;
    }
    let fractions: Vec<f64> = fractions.into_iter().collect::<Option<_>>()?;
    let lies = entries.iter().zip(&fractions).enumerate().filter(|(_, (_, fraction))| **fraction > 0.0);
    let checked: Vec<Option<()>> =
        lies.map(|(node, (entry, _))| has_memory(entry, NodeId(node), machine)).collect();
    checked.into_iter().collect::<Option<()>>()?;
    let sum: f64 = fractions.iter().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        // Twelve digits hide the rounding of 0.1 + 0.2, but not a mistake.
        let shown = format!("{sum:.12}");
        let shown = shown.trim_end_matches('0').trim_end_matches('.');
        let message = format!("the fractions sum to {shown}, not to 1");
        let hint = "write fractions that sum to 1, e.g. `[0.5, 0.5]` on two nodes";
        value.report(ProblemKind::BadValue, message, &format!("sum {shown}"), hint);
        return None;
    }
    Some(Data::Placed(Placement::Fractions(fractions)))
}

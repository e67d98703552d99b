//! Reads where the data of an application lies.

use toml::de::DeValue;

use crate::app::{Data, Placement};
use crate::ids::NodeId;
use crate::machine::MAX_NODES;

use super::names::plural;
use super::problem::{Problem, ProblemKind};
use super::value::{Count, Quantity, Value};

const HINT: &str = "write `\"local\"`, `\"interleave\"`, `{ home = 0 }`, `{ home = \"any\" }` or `{ fractions = [0.5, 0.5] }`";
const FRACTION: Quantity = Quantity { what: "a fraction between 0 and 1", example: "0.5", zero: true };
/// How far the sum of the fractions may be from 1.
const SUM_TOLERANCE: f64 = 1e-9;

/// Reads `data`. `nodes` is the number of nodes, if the machine is known.
pub(super) fn read(value: &Value<'_>, nodes: Option<usize>) -> Option<Data> {
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
        _ => read_table(value, nodes),
    }
}

fn read_word(value: &Value<'_>, word: &str) -> Option<Data> {
    match word {
        "local" => return Some(Data::Placed(Placement::Local)),
        "interleave" => return Some(Data::Placed(Placement::Interleave)),
        _ => {}
    }
    let hint = match value.source.log.suggest(word, ["local", "interleave", "interleaved", "any"]) {
        Some("any") => "write `{ home = \"any\" }` for a home that explore chooses".to_owned(),
        Some("interleaved") => "did you mean `\"interleave\"`?".to_owned(),
        Some(close) => format!("did you mean `\"{close}\"`?"),
        None => HINT.to_owned(),
    };
    let message =
        format!("`{}` must be `\"local\"`, `\"interleave\"` or a table, not {}", value.name, value.text());
    value.report(ProblemKind::BadValue, message, "unknown word", hint);
    None
}

fn read_table(value: &Value<'_>, nodes: Option<usize>) -> Option<Data> {
    let mut table = value.table("data", "a word or a table", HINT)?;
    let home = table.optional("home");
    let fractions = table.optional("fractions");
    if home.is_none() && fractions.is_none() {
        let message = format!("`{}` says neither `home` nor `fractions`", value.name);
        let problem =
            Problem::new(ProblemKind::MissingKey, message).at(table.place(), "where is the data?").hint(HINT);
        table.missing_any(&["home", "fractions"], problem);
    }
    table.finish();
    match (home, fractions) {
        (Some(home), None) => read_home(&home, nodes),
        (None, Some(fractions)) => read_fractions(&fractions, nodes),
        (Some(home), Some(fractions)) => {
            let problem = Problem::new(ProblemKind::Conflict, "the data is placed in two ways")
                .at(home.key_place(), "all on one node")
                .related(fractions.key_place(), "spread over the nodes")
                .hint("keep either `home` or `fractions`");
            value.source.log.report(problem);
            None
        }
        (None, None) => None,
    }
}

fn read_home(value: &Value<'_>, nodes: Option<usize>) -> Option<Data> {
    const HOME: Count =
        Count { what: "the number of a node, from 0", example: "0", min: 0, max: MAX_NODES as u64 - 1 };
    match value.get() {
        DeValue::String(word) if word == "any" => return Some(Data::OpenHome { share: 1.0 }),
        DeValue::String(_) => {
            let message =
                format!("`{}` must be the number of a node or `\"any\"`, not {}", value.name, value.text());
            let hint = "write `home = 0` for node 0, or `home = \"any\"` if explore is to choose";
            value.report(ProblemKind::BadValue, message, "not a node", hint);
            return None;
        }
        _ => {}
    }
    let home = match nodes {
        Some(nodes) => {
            let home = value.count(Count { max: u64::from(u32::MAX), ..HOME })? as usize;
            if home >= nodes {
                let message = format!("there is no node {home}; the machine has {}", plural(nodes, "node"));
                let hint = format!("nodes are numbered from 0: write a number from 0 to {}", nodes - 1);
                value.report(ProblemKind::BadValue, message, "no such node", hint);
                return None;
            }
            home
        }
        None => value.count(HOME)? as usize,
    };
    Some(Data::Placed(Placement::Home(NodeId(home))))
}

fn read_fractions(value: &Value<'_>, nodes: Option<usize>) -> Option<Data> {
    let entries = value.list("a list of fractions", "write one fraction for each node, e.g. `[0.5, 0.5]`")?;
    let fractions: Vec<Option<f64>> = entries.iter().map(|entry| entry.number(FRACTION)).collect();
    if let Some(nodes) = nodes.filter(|&nodes| nodes != fractions.len()) {
        let message = format!(
            "`fractions` has {}, but the machine has {}",
            plural(fractions.len(), "entry"),
            plural(nodes, "node")
        );
        let hint = "write one fraction for each node; 0.0 where no data lies";
        value.report(ProblemKind::WrongLength, message, &plural(fractions.len(), "entry"), hint);
        return None;
    }
    let fractions: Vec<f64> = fractions.into_iter().collect::<Option<_>>()?;
    let sum: f64 = fractions.iter().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        // Twelve digits hide the rounding of 0.1 + 0.2, not the mistake.
        let shown = format!("{sum:.12}");
        let shown = shown.trim_end_matches('0').trim_end_matches('.');
        let message = format!("the fractions sum to {shown}, not to 1");
        let hint = "write fractions that sum to 1, e.g. `[0.5, 0.5]` on two nodes";
        value.report(ProblemKind::BadValue, message, &format!("sum {shown}"), hint);
        return None;
    }
    Some(Data::Placed(Placement::Fractions(fractions)))
}

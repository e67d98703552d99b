//! What all tables of tasks have: names that nothing has, nodes with cores, and how many entries leave out which key.

use numasim_model::ids::NodeId;
use numasim_study::keys::{Key, Table};
use numasim_study::names::plural;
use numasim_study::reader::{Log, MachineReading, Value, node_number};
use numasim_study::{Place, Problem, ProblemKind, names};

/// Letters that are compared to find the one that was meant by an unknown name.
const MOST_COMPARED: usize = 200_000;

/// Reports that no `noun` is called `name`; `known` are those that there are, and `none` says what to do where there are none.
pub(super) fn report_unknown(noun: &str, name: &str, place: Place, known: &[&str], none: &str, log: &Log) {
    let mut compared = 0;
    let few = known.iter().copied().take_while(|known| {
        compared += known.len().saturating_mul(name.len());
        compared <= MOST_COMPARED
    });
    let hint = if let Some(close) = log.suggest(name, few) {
        format!("did you mean `{}`?", names::shown(close))
    } else if known.is_empty() {
        none.to_owned()
    } else {
        let shown: Vec<String> = known.iter().take(100).map(|known| names::shown(known)).collect();
        let more = known.len() - shown.len();
        let more = if more > 0 { format!(" (and {more} others)") } else { String::new() };
        format!("the {noun}s are {}{more}", names::list(shown.iter().map(String::as_str)))
    };
    let message = format!("there is no {noun} `{}`", names::shown(name));
    log.report(
        Problem::new(ProblemKind::UnknownName, message).at(place, format!("unknown {noun}")).hint(hint),
    );
}

/// The number of a node with cores.
pub(super) fn core_node(value: &Value<'_>, machine: &MachineReading) -> Option<NodeId> {
    let node = node_number(value, machine.nodes())?;
    let cores = machine.cores.as_deref().unwrap_or_default();
    if cores.get(node.0) == Some(&0) {
        let message = format!("`{}` is node {}, which has no cores", value.name, node.0);
        let with_cores = cores.iter().enumerate().filter(|(_, cores)| **cores > 0);
        let with_cores: Vec<String> = with_cores.map(|(node, _)| node.to_string()).collect();
        let list = names::list(with_cores.iter().map(String::as_str));
        let hint = format!("write a node that can run the task: {list}");
        value.report(ProblemKind::BadValue, message, "memory only", hint);
        return None;
    }
    Some(node)
}

/// How many entries of a list of tables leave each key out that has a default.
pub(super) struct LeftOut {
    table: &'static Table,
    counts: Vec<usize>,
}

impl LeftOut {
    pub(super) fn new(table: &'static Table) -> Self {
        Self { table, counts: vec![0; table.keys.len()] }
    }

    /// One more entry does not give `key`.
    pub(super) fn count(&mut self, key: &Key) {
        for (own, count) in self.table.keys.iter().zip(&mut self.counts) {
            *count += usize::from(own.name == key.name);
        }
    }

    /// Notes the defaults, of which there are as many as entries that leave them out.
    pub(super) fn note(&self, entries: usize, log: &Log) {
        let Some(kind) = self.table.kind else { return };
        for (key, &count) in self.table.keys.iter().zip(&self.counts).filter(|(_, count)| **count > 0) {
            let value = if count == entries {
                key.default.to_owned()
            } else {
                format!("{}, of {count} of {}", key.default, plural(entries, kind.as_str()))
            };
            log.note_default(kind, "", key.name, value);
        }
    }
}

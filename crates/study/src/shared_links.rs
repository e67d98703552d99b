//! Reads `[[machine.shared_link]]`: bandwidth that several pairs of nodes use together.

use std::collections::HashMap;

use numasim_model::ids::NodeId;
use numasim_model::machine::SharedLink;
use numasim_model::units::GigabytesPerSecond;

use super::keys::{machine, shared_link};
use super::names::{plural, shown};
use super::node_numbers;
use super::problem::{Place, Problem, ProblemKind};
use super::table::TableReader;
use super::value::Value;

/// Most shared links of a machine: as many as the pairs of 64 sockets, and more.
const MAX_SHARED_LINKS: usize = 4096;

const BETWEEN: &str = "write two groups of nodes, e.g. `between = [[0, 1], [2, 3]]`";

/// The links of the file; `None` if one of them makes no sense.
pub(super) fn read(table: &mut TableReader<'_>, nodes: Option<usize>) -> Option<Vec<SharedLink>> {
    let Some(list) = table.optional(&machine::SHARED_LINK) else { return Some(Vec::new()) };
    let hint = "write `[[machine.shared_link]]`, with two brackets on each side, above each of them";
    let entries = list.list("a list of shared links", hint)?;
    if entries.len() > MAX_SHARED_LINKS {
        let message =
            format!("the machine has {} shared links; at most {MAX_SHARED_LINKS} are read", entries.len());
        let problem = Problem::new(ProblemKind::Limit, message).at(list.key_place(), "the shared links");
        list.source.log.report(problem.hint("let one shared link stand for several that are alike"));
        return None;
    }
    let mut names = HashMap::new();
    let links: Vec<Option<SharedLink>> =
        entries.iter().map(|entry| read_link(entry, nodes, &mut names)).collect();
    links.into_iter().collect()
}

fn read_link(
    entry: &Value<'_>,
    nodes: Option<usize>,
    names: &mut HashMap<String, Place>,
) -> Option<SharedLink> {
    let hint = "write a table, e.g. `{ name = \"xGMI\", gbs = 60.0, between = [[0, 1], [2, 3]] }`";
    let mut table = entry.table(&shared_link::TABLE, "a table", hint)?;
    let name_value = table.required(&shared_link::NAME);
    let mut name = name_value.as_ref().and_then(Value::name);
    if let (Some(value), Some(own)) = (&name_value, name) {
        if let Some(first) = names.get(own) {
            let message = format!("two shared links are named `{}`", shown(own));
            let problem = Problem::new(ProblemKind::DuplicateName, message)
                .at(value.place(), "named again here")
                .related(first.clone(), "first named here")
                .hint("give each shared link its own name");
            table.source.log.report(problem);
            name = None;
        } else {
            names.insert(own.to_owned(), value.place());
        }
    }
    let gbs = table.required(&shared_link::GBS).and_then(|value| value.number());
    let groups = read_groups(&mut table, nodes);
    table.finish();
    let (from, to, both_ways) = groups?;
    Some(SharedLink { name: name?.to_owned(), bandwidth: GigabytesPerSecond::new(gbs?), from, to, both_ways })
}

type Groups = (Vec<NodeId>, Vec<NodeId>, bool);

fn read_groups(table: &mut TableReader<'_>, nodes: Option<usize>) -> Option<Groups> {
    let between = table.optional(&shared_link::BETWEEN);
    let (from, to) = (table.optional(&shared_link::FROM), table.optional(&shared_link::TO));
    match (&between, from.as_ref().or(to.as_ref())) {
        (Some(between), Some(one_way)) => {
            let message = "the shared link says in two ways which nodes it joins";
            let problem = Problem::new(ProblemKind::Conflict, message)
                .at(one_way.key_place(), "one direction")
                .related(between.key_place(), "both directions")
                .hint("keep `between`, or `from` and `to` for a link that carries one direction only");
            table.source.log.report(problem);
            None
        }
        (Some(between), None) => {
            let (from, to) = read_between(between, nodes)?;
            Some((from, to, true))
        }
        (None, Some(_)) => {
            for (key, value) in [(&shared_link::FROM, &from), (&shared_link::TO, &to)] {
                if value.is_none() {
                    table.missing(key);
                }
            }
            let read = |value: Option<&Value<'_>>| value.map(|value| node_numbers::read_list(value, nodes));
            let (from_nodes, to_nodes) = (read(from.as_ref()), read(to.as_ref()));
            let (from_nodes, to_nodes) = (from_nodes??, to_nodes??);
            do_not_overlap(&from_nodes, &to_nodes, to.as_ref()?, from.as_ref()?)?;
            Some((from_nodes, to_nodes, false))
        }
        (None, None) => {
            let problem =
                Problem::new(ProblemKind::MissingKey, "the shared link does not say which nodes it joins")
                    .at(table.place(), "this table needs `between`")
                    .hint(format!("{BETWEEN}, or `from` and `to` for one direction only"));
            table.missing_any(&[&shared_link::BETWEEN, &shared_link::FROM, &shared_link::TO], problem);
            None
        }
    }
}

fn read_between(value: &Value<'_>, nodes: Option<usize>) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
    let groups = value.list("two groups of nodes", BETWEEN)?;
    let [first, second] = groups.as_slice() else {
        let found = plural(groups.len(), "group");
        let message = format!("`between` has {found}, but a shared link joins two groups");
        let hint =
            "write exactly two groups; links between three sockets are three shared links, one for each pair";
        value.report(ProblemKind::WrongLength, message, &found, hint);
        return None;
    };
    let (a, b) = (node_numbers::read_list(first, nodes), node_numbers::read_list(second, nodes));
    let (a, b) = (a?, b?);
    do_not_overlap(&a, &b, second, first)?;
    Some((a, b))
}

/// `None`, and a report, if a node is in both groups. `here` is where `b` stands, `there` where `a` does.
fn do_not_overlap(a: &[NodeId], b: &[NodeId], here: &Value<'_>, there: &Value<'_>) -> Option<()> {
    let Some(node) = b.iter().find(|node| a.contains(node)) else { return Some(()) };
    let problem = Problem::new(ProblemKind::BadValue, format!("{node} is in both groups of the shared link"))
        .at(here.place(), "here")
        .related(there.place(), "and here")
        .hint("what a node reads from itself goes over no link: name each node in one group");
    here.source.log.report(problem);
    None
}

//! Reads `[[command]]`: how many threads of an application may run from some time on.

use numasim_model::dynamics::{Command, Control, Order};
use numasim_model::ids::AppId;
use numasim_model::units::Seconds;

use super::apps::{Apps, Named};
use super::by_name;
use super::course::CourseReading;
use super::keys::command;
use super::machine::MachineReading;
use super::names::{self, plural};
use super::places::AppPlaces;
use super::problem::{Place, Problem, ProblemKind};
use super::table::TableReader;
use super::thread_row;
use super::value::Value;

const ORDER_HINT: &str = "write one of `total = 2`, `per_node = [4, 2]`, or `cores = [0, 1]`";
/// Most numbers in the orders of all commands, one order for each instance: 128 MB.
const MAX_NUMBERS: usize = 16_000_000;
/// What a command needs beside the numbers of its order.
const OWN_NUMBERS: usize = 16;

/// The commands of all files.
#[derive(Default)]
pub(super) struct Commands {
    read: Vec<(Command, Place)>,
    numbers: usize,
    /// Some command could not be read.
    incomplete: bool,
}

/// Whom a command is for: the first of equal instances, and how many.
struct Addressee<'a> {
    first: usize,
    instances: usize,
    name: String,
    course: &'a CourseReading,
    places: &'a AppPlaces,
}

impl Commands {
    pub(super) fn add(&mut self, mut table: TableReader<'_>, apps: &Apps, machine: &MachineReading) {
        if self.read(&mut table, apps, machine).is_none() {
            self.incomplete = true;
        }
        table.finish();
    }

    fn read(&mut self, table: &mut TableReader<'_>, apps: &Apps, machine: &MachineReading) -> Option<()> {
        let (log, header) = (table.source.log, table.place());
        let at = table.required(&command::AT_S).and_then(|value| value.number());
        let app = table.required(&command::APP).and_then(|value| addressee(&value, apps));
        let given = [Control::Total, Control::PerNode, Control::Cores]
            .map(|kind| table.named(key(kind)?).map(|value| (kind, value)));
        let mut given = given.into_iter().flatten();
        let (first, second) = (given.next(), given.next());
        let Some((kind, value)) = first else {
            let problem = Problem::new(ProblemKind::MissingKey, "[[command]] orders nothing")
                .at(header, "how many threads?")
                .hint(ORDER_HINT);
            table.missing_any(&[&command::TOTAL, &command::PER_NODE, &command::CORES], problem);
            return None;
        };
        if let Some((_, second)) = second {
            let problem = Problem::new(ProblemKind::Conflict, "a command orders one thing")
                .at(second.key_place(), "and this?")
                .related(value.key_place(), "this")
                .hint(ORDER_HINT);
            log.report(problem);
            return None;
        }
        // All of it is read, so that every mistake is reported.
        let follows = app.as_ref().map(|app| can_follow(app, kind, &value));
        // What it has may stand in text that could not be read.
        let known = app.as_ref().filter(|_| follows == Some(true) && !log.has_broken_syntax());
        let order = read_order(kind, &value, known, machine);
        let (at, app, order) = (at?, app.filter(|_| follows == Some(true))?, order?);
        let length = match &order {
            Order::Total(_) => 0,
            Order::PerNode(numbers) | Order::Cores(numbers) => numbers.len(),
        };
        let before = self.numbers;
        self.numbers = before.saturating_add((length + OWN_NUMBERS).saturating_mul(app.instances));
        if self.numbers > MAX_NUMBERS {
            if before <= MAX_NUMBERS {
                let message = format!("the commands have more than {MAX_NUMBERS} numbers");
                let hint = "a command has an order for each instance of its app; give fewer commands";
                log.report(
                    Problem::new(ProblemKind::Limit, message).at(header, "too much from here on").hint(hint),
                );
            }
            return None;
        }
        for instance in app.first..app.first + app.instances {
            let command = Command { at: Seconds::new(at), app: AppId(instance), order: order.clone() };
            self.read.push((command, value.place()));
        }
        Some(())
    }

    /// The commands in the order of the files and where their orders stand; `None` where some could not be read.
    pub(super) fn finish(self) -> Option<(Vec<Command>, Vec<Place>)> {
        (!self.incomplete).then(|| self.read.into_iter().unzip())
    }
}

/// The key of an order that an application with this control follows.
const fn key(control: Control) -> Option<&'static str> {
    match control {
        Control::Total => Some("total"),
        Control::PerNode => Some("per_node"),
        Control::Cores => Some("cores"),
        Control::None => None,
    }
}

/// Whom a value names, if it can be said.
fn addressee<'a>(value: &Value<'_>, apps: &'a Apps) -> Option<Addressee<'a>> {
    let (first, instances) = match by_name::named(value, apps)? {
        Named::Group(group) => apps.groups.get(group).map(|group| (group.first, group.instances))?,
        Named::Instance(instance) => (instance, 1),
        Named::Unclear | Named::Nothing => return None,
    };
    let (course, places) = apps.course_of(first)?;
    Some(Addressee { first, instances, name: names::shown(value.name()?), course, places })
}

/// Whether the application can follow an order of this kind; reports it where it cannot.
fn can_follow(app: &Addressee<'_>, kind: Control, value: &Value<'_>) -> bool {
    let Some(control) = app.course.control else { return true };
    if control == kind || value.source.log.has_broken_syntax() {
        return true;
    }
    let word = control.as_str();
    let (message, hint) = match key(control) {
        None => (
            format!("`{}` has `control = \"{word}\"`, so it takes no command", app.name),
            "leave the command out, or let the app have another `control`".to_owned(),
        ),
        Some(own) => (
            format!("`{}` has `control = \"{word}\"`, so it cannot follow `{}`", app.name, value.name),
            format!("write `{own} = …`, or `control = \"{}\"` in the app", kind.as_str()),
        ),
    };
    let problem =
        Problem::new(ProblemKind::BadValue, message).at(value.key_place(), "cannot be followed").hint(hint);
    value.source.log.report(match &app.places.control {
        Some(place) => problem.related(place.clone(), "its control"),
        None => problem.related(app.places.name.clone(), "the default is `control = \"per-node\"`"),
    });
    false
}

/// What the command says; `app`: whose threads are to be enough, if that can be looked at.
fn read_order(
    kind: Control,
    value: &Value<'_>,
    app: Option<&Addressee<'_>>,
    machine: &MachineReading,
) -> Option<Order> {
    let threads = app.and_then(|app| Some((app, app.course.threads.as_deref()?)));
    match kind {
        Control::Total => {
            let total = value.count()?;
            if let Some((app, threads)) = threads {
                let all: u64 = threads.iter().map(|&threads| u64::from(threads)).sum();
                fits(app, value, u64::from(total), all, "")?;
            }
            Some(Order::Total(total))
        }
        Control::PerNode => {
            let order = thread_row::read(value, u32::MAX, machine.cores.as_deref())?;
            if let Some((app, threads)) = threads {
                for (node, (&ordered, &there)) in order.iter().zip(threads).enumerate() {
                    let entry = value.list_entry(node);
                    let shown = entry.as_ref().unwrap_or(value);
                    let on = format!(" on node {node}");
                    fits(app, shown, u64::from(ordered), u64::from(there), &on)?;
                }
            }
            machine.cores.as_ref().map(|_| Order::PerNode(order))
        }
        Control::Cores => read_cores(value, threads, machine.cores.as_deref()).map(Order::Cores),
        Control::None => None,
    }
}

/// Reports an order for more threads than the application has.
fn fits(app: &Addressee<'_>, value: &Value<'_>, ordered: u64, there: u64, on: &str) -> Option<()> {
    if ordered <= there {
        return Some(());
    }
    let count = |count: u64| plural(usize::try_from(count).unwrap_or(usize::MAX), "thread");
    let message = format!("a command for {}{on}, but `{}` has {there}", count(ordered), app.name);
    let hint = format!("order at most {there}, or give the app more `threads`");
    report(app, value, message, hint);
    None
}

fn report(app: &Addressee<'_>, value: &Value<'_>, message: String, hint: String) {
    let problem = Problem::new(ProblemKind::TooManyThreads, message)
        .at(value.place(), "more threads than exist")
        .hint(hint);
    value.source.log.report(match &app.places.threads {
        Some(place) => problem.related(place.clone(), "its threads"),
        None => problem,
    });
}

/// Cores, numbered through all nodes, ascending.
fn read_cores(
    value: &Value<'_>,
    threads: Option<(&Addressee<'_>, &[u32])>,
    cores: Option<&[u32]>,
) -> Option<Vec<u32>> {
    let hint = "write the numbers of cores, counted through all nodes from 0, e.g. `cores = [0, 1]`";
    let entries = value.list("a list of cores", hint)?;
    let numbers: Vec<Option<u32>> = entries.iter().map(Value::count).collect();
    let cores = cores?;
    // The first core behind each node.
    let mut ends = Vec::with_capacity(cores.len());
    let mut all = 0_u64;
    for &cores in cores {
        all += u64::from(cores);
        ends.push(all);
    }
    let mut order = Vec::with_capacity(entries.len());
    let mut known = std::collections::HashSet::new();
    for (entry, number) in entries.iter().zip(&numbers) {
        let core = (*number)?;
        let node = ends.partition_point(|&end| end <= u64::from(core));
        let Some(&end) = ends.get(node) else {
            let message = format!("there is no core {core}; the machine has {all}");
            let hint =
                format!("cores are numbered through all nodes from 0: write a number from 0 to {}", all - 1);
            entry.report(ProblemKind::BadValue, message, "no such core", hint);
            return None;
        };
        if !known.insert(core) {
            let message = format!("`{}` names core {core} twice", value.name);
            entry.report(ProblemKind::BadValue, message, "a second time", "name each core once");
            return None;
        }
        if let Some((app, threads)) = threads {
            // Thread i of a node belongs to core i mod cores of the node.
            let there = threads.get(node).copied().unwrap_or(0);
            let first = end - u64::from(cores[node]);
            if u64::from(core) - first >= u64::from(there) {
                let on = plural(there as usize, "thread");
                let message = format!("`{}` has no thread on core {core}: {on} on node {node}", app.name);
                let hint = if there == 0 {
                    format!("leave out the cores of node {node}")
                } else {
                    format!("its threads there belong to cores {first} to {}", first + u64::from(there) - 1)
                };
                report(app, entry, message, hint);
                return None;
            }
        }
        order.push(core);
    }
    order.sort_unstable();
    Some(order)
}

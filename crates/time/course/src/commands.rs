//! Reads `[[command]]` and the environment of the applications: `[policy]`, `[os]` and `[cluster]`.

use numasim_model::ids::AppId;
use numasim_model::order::{Control, Order};
use numasim_model::units::Seconds;
use numasim_study::names::{self, plural};
use numasim_study::reader::{Apps, MachineReading, Named, TableReader, Value, named, thread_row, time};
use numasim_study::{Group, Place, Problem, ProblemKind};

use crate::courses::{CourseReading, Courses};
use crate::keys::{cluster, command, os, policy};
use crate::values::{Cluster, Command, Os, PolicyChoice, Synchronisation};

const ORDER_HINT: &str = "write one of `total = 2`, `per_node = [4, 2]`, or `cores = [0, 1]`";
/// Maximum count of numbers in the orders of all commands, one order for each instance: 128 MB.
const MAX_NUMBERS: usize = 16_000_000;
/// Memory of a command in addition to the numbers of its order.
const OWN_NUMBERS: usize = 16;

/// The commands of all files.
#[derive(Default)]
pub(super) struct Commands {
    read: Vec<(Command, Place)>,
    numbers: usize,
    /// Whether some command could not be read.
    incomplete: bool,
}

/// The target of a command: the first of equal instances, and their number.
struct Addressee<'a> {
    first: usize,
    instances: usize,
    name: String,
    course: &'a CourseReading,
}

impl Commands {
    pub(super) fn add(
        &mut self,
        mut table: TableReader<'_>,
        apps: (&Apps, &Courses),
        machine: &MachineReading,
    ) {
        if self.read(&mut table, apps, machine).is_none() {
            self.incomplete = true;
        }
        table.finish();
    }

    fn read(
        &mut self,
        table: &mut TableReader<'_>,
        (apps, courses): (&Apps, &Courses),
        machine: &MachineReading,
    ) -> Option<()> {
        let (log, header) = (table.source.log, table.place());
        let at = table.required(&command::AT_S).and_then(|value| value.number());
        let app = table.required(&command::APP).and_then(|value| addressee(&value, apps, courses));
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
        // Reads every key, so that every mistake is reported.
        let follows = app.as_ref().map(|app| can_follow(app, kind, &value));
        // The missing key may be in text that could not be read.
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

    /// The commands in file order and the places of their orders; `None` if some could not be read.
    pub(super) fn finish(self) -> Option<(Vec<Command>, Vec<Place>)> {
        (!self.incomplete).then(|| self.read.into_iter().unzip())
    }
}

/// The key of an order for an application with this control.
const fn key(control: Control) -> Option<&'static str> {
    match control {
        Control::Total => Some("total"),
        Control::PerNode => Some("per_node"),
        Control::Cores => Some("cores"),
        Control::None => None,
    }
}

/// The target that a value names, if it is valid.
fn addressee<'a>(value: &Value<'_>, apps: &Apps, courses: &'a Courses) -> Option<Addressee<'a>> {
    let (first, instances) = match named(value, apps)? {
        Named::Group(group) => {
            let Group { first, instances, .. } = apps.groups.get(group)?;
            (*first, *instances)
        }
        Named::Instance(instance) => (instance, 1),
        Named::Unclear | Named::Nothing => return None,
    };
    let course = courses.of_instance(first, apps)?;
    Some(Addressee { first, instances, name: names::shown(value.name()?), course })
}

/// Whether the application can follow an order of this kind; reports it if not.
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
    value.source.log.report(match &app.course.places.control {
        Some(place) => problem.related(place.clone(), "its control"),
        None => problem.related(app.course.places.name.clone(), "the default is `control = \"per-node\"`"),
    });
    false
}

/// The order of the command. `app`: the application that must have enough threads, if that can be checked.
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
    value.source.log.report(match &app.course.places.threads {
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
    // The first core after each node.
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

/// Places of the values of `[policy]` that only their users can check.
pub(super) struct PolicyPlaces {
    pub(super) name: Option<Place>,
    pub(super) period: Option<Place>,
}

/// The policy and its place. The name is not checked here.
pub(super) fn policy(mut table: TableReader<'_>) -> Option<(PolicyChoice, PolicyPlaces)> {
    let value = table.given(&policy::NAME);
    let name = value.as_ref().map_or(Some(None), |value| value.name().map(Some));
    let none = PolicyChoice::default();
    let period_place = table.place_of(&policy::PERIOD_MS);
    let period = time(&mut table, &policy::PERIOD_MS, 1e3, none.period);
    let command_delay = time(&mut table, &policy::COMMAND_MS, 1e3, none.command_delay);
    table.finish();
    let choice =
        PolicyChoice { name: name?.map(str::to_owned), period: period?, command_delay: command_delay? };
    Some((choice, PolicyPlaces { name: value.as_ref().map(Value::place), period: period_place }))
}

/// The operating system. The assumed values also hold without the table.
pub(super) fn os(mut table: TableReader<'_>) -> Option<Os> {
    let assumed = Os::default();
    let slice = time(&mut table, &os::SLICE_MS, 1e3, assumed.slice);
    let switch = time(&mut table, &os::SWITCH_US, 1e6, assumed.switch);
    let refill = time(&mut table, &os::REFILL_MS, 1e3, assumed.refill);
    table.finish();
    Some(Os { slice: slice?, switch: switch?, refill: refill? })
}

/// The largest number of nodes of a cluster with noise: each node draws a number in each iteration.
const MOST_NOISY: u64 = 1_000_000;

/// The cluster; the outer `None` means an invalid value.
#[allow(clippy::option_option, reason = "not there, there, or there and wrong")]
pub(super) fn cluster(table: Option<TableReader<'_>>) -> Option<Option<Cluster>> {
    let Some(mut table) = table else { return Some(None) };
    let log = table.source.log;
    let nodes_value = table.required(&cluster::NODES);
    let sync = table.word_or(
        &cluster::SYNC,
        Synchronisation::default(),
        &Synchronisation::ALL,
        Synchronisation::as_str,
    );
    let policy_on = table.given(&cluster::POLICY_ON);
    let noise = table.read_or(&cluster::NOISE, 0.0, Value::number);
    table.finish();
    let nodes = nodes_value.as_ref().and_then(Value::large_count);
    let on = policy_on.as_ref().map_or(nodes, Value::large_count);
    let (nodes, on) = (nodes?, on?);
    if let (true, Some(value), Some(of)) = (on > nodes, &policy_on, &nodes_value) {
        let problem = Problem::new(ProblemKind::BadValue, format!("`policy_on` is {on} of {nodes} nodes"))
            .at(value.place(), "more than all")
            .related(of.place(), "all nodes")
            .hint(format!("write at most {nodes}"));
        log.report(problem);
        return None;
    }
    let noise = noise?;
    if let (true, Some(value)) = (noise > 0.0 && nodes > MOST_NOISY, &nodes_value) {
        let message = format!("a cluster of {nodes} nodes has no `noise`");
        let problem = Problem::new(ProblemKind::BadValue, message)
            .at(value.place(), "too many")
            .hint(format!("write at most {MOST_NOISY} nodes, or leave out `noise`"));
        log.report(problem);
        return None;
    }
    Some(Some(Cluster { nodes, sync: sync?, policy_on: on, noise }))
}

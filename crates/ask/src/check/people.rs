//! The values that were read, for people. Keys that are rare in files are shown if one of these files contains them.

use std::fmt::Write as _;

use crate::reading::Reading;
use numasim_course::keys::{app as course_keys, os, policy};
use numasim_course::{Call, Channel, Course, Phase, Synchronisation, Work};
use numasim_draw::Style;
use numasim_draw::figures::count;
use numasim_draw::grid::{Align, wrap};
use numasim_graph::keys::{contender, program, runtime, scheduler};
use numasim_graph::values::{GraphSource, TaskGraph};
use numasim_model::{App, AppId, Scenario};
use numasim_study::keys::{Echo, Key, Part, Table, app};
use numasim_study::{Group, TableKind};

use crate::check::words::{self, DEFAULT, figure, marked};
use crate::check::{Checked, Keys, machine, parameters};

/// Maximum number of channels, and of calls, that are shown individually.
const MOST_SHOWN: usize = 20;

pub(super) fn text(checked: &Checked<'_>, style: &Style) -> String {
    let reading = checked.reading;
    let study = &reading.study;
    let mut text = String::new();
    let summary = format!(
        "{}: no problems. {}, {}, {}, {}.",
        reading.files.join(", "),
        count(study.machine.node_count() as u64, "NUMA node"),
        count(study.machine.total_cores(), "core"),
        count(study.apps.len() as u64, "application"),
        count(study.scenarios.len() as u64, "scenario"),
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", wrap(&summary, style.columns()).join("\n"));
    machine::write(&mut text, reading, style);
    apps(&mut text, reading, style);
    write_scenarios(&mut text, reading, style);
    section(&mut text, "OVER TIME", &over_time(reading), style);
    section(&mut text, "TASKS", &tasks(checked), style);
    if text.contains(DEFAULT) {
        let _ = writeln!(text, "\n{DEFAULT}: no file gives this value.");
    } else {
        text.push_str("\nEvery value above is given in a file.\n");
    }
    text
}

/// A name, and its description.
type Rows = Vec<[String; 2]>;

fn section(text: &mut String, title: &str, rows: &Rows, style: &Style) {
    if !rows.is_empty() {
        words::heading(text, title, style);
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.to_vec()).collect();
        words::write_untitled(text, &rows, &[Align::Left], style);
    }
}

/// One value of an application.
struct Cell {
    key: &'static str,
    text: String,
    /// Whether a file contains it.
    said: bool,
}

/// The applications: keys in rows, `[[app]]` tables in columns.
fn apps(text: &mut String, reading: &Reading, style: &Style) {
    /// Rows that are always shown. The others are shown if a file contains them for one of the applications.
    const ALWAYS: [&str; 9] = [
        "",
        "instances",
        "arithmetic_intensity",
        "data",
        "kernel",
        "min_threads",
        "max_threads",
        "weight",
        "work_gflop",
    ];
    let of = |group: &Group| Some(column(reading, group, reading.study.apps.get(group.first)?));
    let columns: Vec<Vec<Cell>> = reading.groups.iter().filter_map(of).collect();
    let Some(first) = columns.first() else { return };
    words::heading(text, "APPLICATIONS", style);
    let is_shown = |index: &usize| {
        let said = |column: &Vec<Cell>| column.get(*index).is_some_and(|cell| cell.said);
        ALWAYS.contains(&first[*index].key) || columns.iter().any(said)
    };
    let row = |index: usize| {
        let cells =
            columns.iter().map(|column| column.get(index).map(|cell| cell.text.clone()).unwrap_or_default());
        std::iter::once(first[index].key.to_owned()).chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = (0..first.len()).filter(is_shown).map(row).collect();
    words::write(text, &rows, &[Align::Left], style);
}

fn column(reading: &Reading, group: &Group, of: &App) -> Vec<Cell> {
    let cell = |key: &'static str, value: String| {
        let said = !reading.is_default(TableKind::App, &group.name, key);
        Cell { key, text: marked(value, !said), said }
    };
    let given = |key: &'static str, text: String| Cell { key, text, said: true };
    let name = &group.name;
    let instances = match group.instances {
        0 | 1 => cell("instances", "1".to_owned()),
        many => given("instances", format!("{many}: {name}-1 to {name}-{many}")),
    };
    let mut cells = vec![given("", name.clone()), instances];
    for (key, value) in app::TABLE.echo(&[Part::App(of)]) {
        if key.goes_without_saying(&value) {
            cells.push(Cell { key: key.name, text: marked(key.default.to_owned(), true), said: false });
            continue;
        }
        let words = match (key.name, &of.nodes) {
            ("problem", _) => continue,
            ("data", _) => words::data(&of.data),
            ("kernel", _) => words::kernel(of),
            ("arithmetic_intensity", _) if of.rate_unit.is_some() => "none: it has a rate".to_owned(),
            ("rate", _) => {
                let unit = of.rate_unit.as_deref().unwrap_or_default();
                let work =
                    of.work.map(|work| format!(", work {}", words::figure(work.value()))).unwrap_or_default();
                format!("{} {unit} for each GB/s{work}", words::figure(of.arithmetic_intensity.value()))
            }
            ("nodes", Some(nodes)) => words::ranges_of(nodes),
            _ => words::shown(key, &value),
        };
        cells.push(cell(key.name, words));
    }
    if let Some(course) = reading.study.dynamics.courses.get(group.first)
        && let Some(first) = course.phases.first()
    {
        cells.extend(course_cells(
            course,
            first,
            reading.further.over_time.has_phases(&reading.groups, group),
            &cell,
        ));
    }
    cells
}

/// Behaviour of an application over time; `phases`: whether it has separate phases.
fn course_cells(
    course: &Course,
    first: &Phase,
    phases: bool,
    cell: &dyn Fn(&'static str, String) -> Cell,
) -> Vec<Cell> {
    const ORDER: [&str; 15] = [
        "iterations",
        "phase",
        "tasks",
        "task_gflop",
        "task_spread",
        "task_jitter",
        "io_ms",
        "scaling",
        "arrives_s",
        "threads",
        "command",
        "bind",
        "control",
        "pick",
        "wake",
    ];
    let unsaid = |key: &'static str, text: &str| Cell { key, text: text.to_owned(), said: false };
    let keys = course_keys::TABLE.echo(&[Part::Further(course), Part::Further(first)]).into_iter();
    let mut cells: Vec<Cell> = keys
        .map(|(key, value)| {
            if key.goes_without_saying(&value) {
                return unsaid(key.name, key.default);
            }
            let words = match key.name {
                "scaling" => words::scaling(&first.scaling),
                "threads" => words::threads(&course.threads),
                _ => words::shown(key, &value),
            };
            cell(key.name, words)
        })
        .collect();
    if phases {
        let all: Vec<String> = course.phases.iter().map(words::phase).collect();
        let text = format!("{}: {}", all.len(), all.join("; "));
        cells.push(Cell { key: "phase", text, said: true });
        cells.extend([unsaid("tasks", "in its phases"), unsaid("task_gflop", "in its phases")]);
    } else {
        let (count, each) = match &first.work {
            Some(Work::Tasks { count, each }) => (count.to_string(), words::list(each)),
            Some(Work::Divisible(_)) | None => (course_keys::TASKS.default.to_owned(), String::new()),
        };
        let own = !first.total_given && !each.is_empty();
        let each = if own { each } else { "not given".to_owned() };
        cells.extend([unsaid("phase", "one"), cell("tasks", count)]);
        cells.push(Cell { key: "task_gflop", text: each, said: own });
    }
    cells.sort_by_key(|cell| ORDER.iter().position(|key| *key == cell.key).unwrap_or(ORDER.len()));
    cells
}

/// Dependences between applications, the source of commands, and the environment of the applications.
fn over_time(reading: &Reading) -> Rows {
    let dynamics = &reading.study.dynamics;
    let mut rows = cut(dynamics.channels.iter().map(|of| channel(reading, of)), "channel");
    rows.extend(cut(dynamics.calls.iter().map(|of| call(reading, of)), "call"));
    rows.extend(commands(reading));
    let shown = |kind, table: &Table, part| {
        let keys = table.echo(&[part]);
        let keys = keys.iter().map(|(key, value)| (key.name, words::without_unit(key, value)));
        settings(reading, kind, keys.collect())
    };
    rows.extend(shown(TableKind::Policy, &policy::TABLE, Part::Further(&dynamics.policy)));
    rows.extend(shown(TableKind::Os, &os::TABLE, Part::Further(&dynamics.os)));
    rows.extend(cluster(reading));
    rows
}

/// `producer -> consumer`.
fn ends(reading: &Reading, from: AppId, to: AppId) -> String {
    let name = |app: AppId| reading.study.apps.get(app.0).map_or("", |app| app.name.as_str());
    format!("{} -> {}", name(from), name(to))
}

/// The rows, or the first of them and the number of the others.
fn cut(rows: impl ExactSizeIterator<Item = String>, noun: &str) -> Rows {
    let more = rows.len().saturating_sub(MOST_SHOWN);
    let more = (more > 0).then(|| format!("and {more} more"));
    rows.take(MOST_SHOWN).chain(more).map(|words| [noun.to_owned(), words]).collect()
}

fn channel(reading: &Reading, of: &Channel) -> String {
    let ends = ends(reading, of.from, of.to);
    let default = |key: &str| reading.is_default(TableKind::Channel, &ends, key);
    let item = marked(format!("items of {} MB", figure(of.item.value())), default("item_mb"));
    let capacity = match of.capacity {
        Some(capacity) => format!("at most {capacity}"),
        None => marked("no limit".to_owned(), default("capacity")),
    };
    format!("{ends}, {item}, {capacity}")
}

fn call(reading: &Reading, of: &Call) -> String {
    let ends = ends(reading, of.from, of.to);
    let every = match of.every {
        1 => "each iteration".to_owned(),
        every => format!("every {every} iterations"),
    };
    let every = marked(every, reading.is_default(TableKind::Call, &ends, "every"));
    format!("{ends}, {every}")
}

fn commands(reading: &Reading) -> Option<[String; 2]> {
    let times = || reading.study.dynamics.commands.iter().map(|command| command.at.value());
    let (first, last) = (times().reduce(f64::min)?, times().reduce(f64::max)?);
    let when = if first < last {
        format!("from {} s to {} s", figure(first), figure(last))
    } else {
        format!("at {} s", figure(first))
    };
    Some(["command".to_owned(), format!("{}, {when}", count(times().len() as u64, "order"))])
}

/// The row of a table; none if all of its keys have defaults.
fn settings(reading: &Reading, kind: TableKind, keys: Vec<(&str, String)>) -> Option<[String; 2]> {
    let default = |key: &str| reading.is_default(kind, "", key);
    let is_said = keys.iter().any(|(key, _)| !default(key));
    let values = keys.into_iter().map(|(key, value)| marked(format!("{key} {value}"), default(key)));
    is_said.then(|| [kind.as_str().to_owned(), values.collect::<Vec<_>>().join(", ")])
}

fn cluster(reading: &Reading) -> Option<[String; 2]> {
    let cluster = reading.study.dynamics.cluster.as_ref()?;
    let default = |key: &str| reading.is_default(TableKind::Cluster, "", key);
    let sync = match cluster.sync {
        Synchronisation::Barrier => "a barrier after each iteration",
        Synchronisation::Loose => "loosely synchronised",
    };
    let noise = if cluster.noise > 0.0 { format!(", noise {}", cluster.noise) } else { String::new() };
    let text = format!(
        "{} nodes, {}, the policy on {}{noise}",
        cluster.nodes,
        marked(sync.to_owned(), default("sync")),
        marked(cluster.policy_on.to_string(), default("policy_on"))
    );
    Some(["cluster".to_owned(), text])
}

/// The graph, its scheduler, and the cost of creating and fetching tasks.
fn tasks(checked: &Checked<'_>) -> Rows {
    let reading = checked.reading;
    let of = |kind, table: &Table, keys: &Option<Keys>| {
        let words = |(name, value): &'_ (String, Echo)| match (table.key(name), value) {
            (Some(key), Echo::None) => words::absent(key).to_owned(),
            _ => words::plain(value),
        };
        let keys = keys.as_ref()?.0.iter().map(|entry| (entry.0.as_str(), words(entry))).collect();
        settings(reading, kind, keys)
    };
    let graph = graph(reading).map(|words| ["graph".to_owned(), words]);
    let rows = [
        graph,
        of(TableKind::Scheduler, &scheduler::TABLE, &checked.scheduler),
        of(TableKind::Runtime, &runtime::TABLE, &checked.runtime),
        of(TableKind::Contender, &contender::TABLE, &checked.contender),
    ];
    rows.into_iter().flatten().collect()
}

fn graph(reading: &Reading) -> Option<String> {
    let default = |key: &str| reading.is_default(TableKind::Graph, "", key);
    Some(match &reading.further.tasks.source {
        GraphSource::None => return None,
        GraphSource::Given(graph) => {
            format!("{}: {}", marked(graph.name().to_owned(), default("name")), sizes(graph))
        }
        GraphSource::Generated { name, generator } => {
            let values = parameters(generator).into_iter().map(|(key, value)| {
                let default = default(&key);
                marked(format!("{key} {}", words::plain(&value)), default)
            });
            let values = values.collect::<Vec<_>>().join(", ");
            let called = if name == generator.as_str() { String::new() } else { format!("{name}: ") };
            format!("{called}{}, {values}", generator.as_str())
        }
        GraphSource::Program { name, program } => {
            let loops = count(program.loops.len() as u64, "loop");
            let arrays = count(program.arrays.len() as u64, "array");
            let of = |key: &Key, value: u64| {
                let default = reading.is_default(TableKind::Program, "", key.name);
                marked(format!("{} {value}", key.name), default)
            };
            let name = marked(name.to_owned(), default("name"));
            let chunks = of(&program::CHUNKS, program.chunks.unwrap_or(0));
            let repeat = of(&program::REPEAT, program.repeat);
            format!("{name}: {loops} over {arrays}, {chunks}, {repeat}")
        }
    })
}

/// `2 blocks (4 MB), 3 tasks with 5 accesses, 2 GFLOP`.
fn sizes(graph: &TaskGraph) -> String {
    let bytes = words::total(graph.blocks().iter().map(|block| block.bytes / 1e6));
    let work = words::total(graph.tasks().map(|task| graph.gflop(task)));
    format!(
        "{} ({bytes} MB), {} with {} access{}, {work} GFLOP",
        count(graph.blocks().len() as u64, "block"),
        count(graph.task_count() as u64, "task"),
        graph.access_count(),
        if graph.access_count() == 1 { "" } else { "es" },
    )
}

// The scenarios: threads of each application on each node.

/// With more nodes, threads are shown in ranges of nodes.
const MOST_NODES: usize = 16;

fn write_scenarios(text: &mut String, reading: &Reading, style: &Style) {
    for (scenario, named) in reading.study.scenarios.iter().zip(&reading.named) {
        let static_work = if scenario.static_work { " (static work)" } else { "" };
        let heading = format!("SCENARIO  {}{static_work}", scenario.name);
        words::heading(text, &heading, style);
        let nodes = reading.study.machine.node_count();
        let wide = nodes > MOST_NODES;
        let mut head = vec!["threads on node".to_owned()];
        if wide {
            head.push("each of".to_owned());
        } else {
            head.extend((0..nodes).map(|node| node.to_string()));
            head.push("all".to_owned());
        }
        let mut rows = vec![head];
        for group in &reading.groups {
            for (first, last) in equal_instances(reading, scenario, named, group) {
                rows.push(row(reading, scenario, named, first..=last, wide));
            }
        }
        if !wide {
            rows.push(cores(reading, scenario));
        }
        let mut align = vec![Align::Left];
        align.resize(if wide { 2 } else { nodes + 2 }, if wide { Align::Left } else { Align::Right });
        align.push(Align::Left);
        words::write(text, &rows, &align, style);
    }
}

/// Instances of a group with the same threads and data, as first and last.
fn equal_instances(
    reading: &Reading,
    scenario: &Scenario,
    named: &[bool],
    group: &Group,
) -> Vec<(usize, usize)> {
    let domains = |app: usize| scenario.threads_per_l3(AppId(app));
    let same = |a: usize, b: usize| {
        scenario.allocation.row(AppId(a)) == scenario.allocation.row(AppId(b))
            && domains(a) == domains(b)
            && scenario.data.get(a) == scenario.data.get(b)
            && scenario.smt[a] == scenario.smt[b]
            && named.get(a) == named.get(b)
    };
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for instance in group.first..(group.first + group.instances).min(reading.study.apps.len()) {
        match ranges.last_mut() {
            Some((first, last)) if same(*first, instance) => *last = instance,
            _ => ranges.push((instance, instance)),
        }
    }
    ranges
}

fn row(
    reading: &Reading,
    scenario: &Scenario,
    named: &[bool],
    instances: std::ops::RangeInclusive<usize>,
    wide: bool,
) -> Vec<String> {
    let (first, last) = (*instances.start(), *instances.end());
    let name = |index: usize| reading.study.apps.get(index).map_or("", |app| app.name.as_str());
    let smt = scenario.smt[first];
    let threads = &scenario.threads(AppId(first));
    let mut row = vec![if first == last {
        name(first).to_owned()
    } else {
        format!("{} to {}, each", name(first), name(last))
    }];
    if wide {
        let runs = words::runs(threads);
        let one = |(nodes, threads): &(std::ops::RangeInclusive<usize>, &u32)| {
            format!("{threads} on {}", words::range(nodes))
        };
        row.push(runs.iter().map(one).collect::<Vec<_>>().join(", "));
    } else {
        row.extend(threads.iter().map(ToString::to_string));
        row.push(threads.iter().map(|&threads| u64::from(threads)).sum::<u64>().to_string());
    }
    let own = scenario
        .data
        .get(first)
        .filter(|own| reading.study.apps.get(first).is_some_and(|app| app.data != **own));
    if let Some(nodes) = scenario.threads_per_l3(AppId(first)) {
        row.push(format!("in L3 domains: {nodes:?}"));
    }
    if reading.study.apps.get(first).is_some_and(|app| app.smt != smt) {
        row.push(format!("smt here: {}", smt.as_str()));
    }
    match own {
        Some(own) => row.push(format!("data here: {}", words::data(own))),
        None if named.get(first) == Some(&false) => row.push(DEFAULT.to_owned()),
        None => {}
    }
    row
}

/// "8/8" for each node: threads of all applications and cores.
fn cores(reading: &Reading, scenario: &Scenario) -> Vec<String> {
    let machine = &reading.study.machine;
    let used: Vec<u64> = machine.node_ids().map(|node| scenario.allocation.on_node(node)).collect();
    let mut row = vec!["of cores".to_owned()];
    row.extend(used.iter().zip(machine.nodes()).map(|(used, node)| format!("{used}/{}", node.cores)));
    row.push(format!("{}/{}", used.iter().sum::<u64>(), machine.total_cores()));
    row
}

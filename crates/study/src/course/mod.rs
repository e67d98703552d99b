//! Reads what an `[[app]]` does over time: its iterations and phases, their work, its threads, and who may command them.
#![allow(clippy::option_option, reason = "not there, there, or there and wrong")]

mod command;
mod phases;
mod scaling;
mod work;

use numasim_model::app::Data;
use numasim_model::bounds::MOST_REPEATED;
use numasim_model::dynamics::{Binding, Control, Course, Pick, Work};
use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_CORES_PER_NODE;
use numasim_model::units::{FlopPerByte, Gflop, Seconds};

use super::machine::MachineReading;
use super::places::PhasePlaces;
use super::problem::{Place, ProblemKind};
use super::reading::TableKind;
use super::table::TableReader;
use super::thread_row;
use super::value::{Count, Quantity, Value};
use super::words;
use phases::FromApp;
use work::WorkKeys;

const ITERATIONS: Count =
    Count { what: "a number of iterations", example: "100", min: 1, max: MOST_REPEATED };
const ARRIVES: Quantity = Quantity { what: "when it arrives, in seconds", example: "2.5", zero: true };
const SPREAD: Quantity = Quantity {
    what: "the coefficient of variation of the work of tasks; 0 is none",
    example: "0.2",
    zero: true,
};

/// What the file says about one application, as far as it could be read.
#[derive(Default)]
pub(super) struct CourseReading {
    pub(super) iterations: Option<u64>,
    /// Threads on each node.
    pub(super) threads: Option<Vec<u32>>,
    pub(super) control: Option<Control>,
    /// All of it, if all could be read.
    pub(super) course: Option<Course>,
    /// The work of all iterations, where the file says how much there is to do.
    pub(super) total_work: Option<Gflop>,
    pub(super) phases: Vec<PhasePlaces>,
}

/// What other keys of the application say, as far as they could be read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) intensity: Option<FlopPerByte>,
    pub(super) data: Option<&'a Data>,
    /// The only nodes that may hold its threads, and where the file says so; `None` is all.
    pub(super) nodes: Option<(&'a [NodeId], &'a Place)>,
}

impl CourseReading {
    /// How many numbers one instance has to keep.
    pub(super) fn size(&self) -> usize {
        /// A phase without its lists.
        const PHASE: usize = 16;
        let Some(course) = &self.course else { return 0 };
        let of_phase = |phase: &numasim_model::dynamics::Phase| {
            let tasks = match &phase.work {
                Some(Work::Tasks { each, .. }) => each.len(),
                Some(Work::Divisible(_)) | None => 0,
            };
            PHASE + tasks + phases::size(phase)
        };
        // As figures of 8 bytes, with what a text needs beside its letters.
        let words = course.command.iter().flatten().map(|word| 3 + word.len() / 8);
        words.sum::<usize>() + course.threads.len() + course.phases.iter().map(of_phase).sum::<usize>()
    }
}

/// Reads the keys of an application; `name` is for the defaults.
pub(super) fn read(
    table: &mut TableReader<'_>,
    name: &str,
    known: Known<'_>,
    machine: &MachineReading,
) -> CourseReading {
    let log = table.source.log;
    let default = |key: &'static str, value: &'static str| log.note_default(TableKind::App, name, key, value);
    let iterations = table.optional("iterations").map_or_else(
        || {
            default("iterations", "1");
            Some(1)
        },
        |value| value.large_count(ITERATIONS),
    );
    let keys = WorkKeys::of(table);
    let from_app = FromApp::read(table, name, known, &keys);
    let (phases, total, phase_places) = phases::read(table, name, &from_app, &keys, iterations, machine);
    let spread = table.optional("task_spread").map_or_else(
        || {
            default("task_spread", "0");
            Some(0.0)
        },
        |value| value.number(SPREAD),
    );
    let arrives = table.optional("arrives_s").map_or_else(
        || {
            default("arrives_s", "0");
            Some(0.0)
        },
        |value| value.number(ARRIVES),
    );
    let threads = read_threads(table, name, known, machine);
    let command = command::read(table, name);
    let control = table.optional("control").map_or_else(
        || {
            // Who knows nothing of an agent is told by the processors that it may use.
            let own = if command == Some(None) { Control::default() } else { Control::Cores };
            default("control", own.as_str());
            Some(own)
        },
        |value| words::read(&value, &Control::ALL, Control::as_str),
    );
    let bind = table.optional("bind").map_or_else(
        || {
            let own = if control == Some(Control::Cores) { Binding::Core } else { Binding::default() };
            default("bind", own.as_str());
            Some(own)
        },
        |value| words::read(&value, &Binding::ALL, Binding::as_str),
    );
    let pick = table.optional("pick").map_or_else(
        || {
            default("pick", Pick::default().as_str());
            Some(Pick::default())
        },
        |value| words::read(&value, &Pick::ALL, Pick::as_str),
    );
    let course = || {
        Some(Course {
            iterations: iterations?,
            phases: phases?,
            arrives: Seconds::new(arrives?),
            threads: threads.clone()?,
            binding: bind?,
            control: control?,
            pick: pick?,
            task_spread: spread?,
            command: command.clone()?,
        })
    };
    CourseReading { iterations, control, course: course(), threads, total_work: total, phases: phase_places }
}

/// Threads on each node: as many as the file says, else one per core; none where there are no cores, or where the
/// application may not run.
fn read_threads(
    table: &mut TableReader<'_>,
    name: &str,
    known: Known<'_>,
    machine: &MachineReading,
) -> Option<Vec<u32>> {
    let cores = machine.cores.as_deref();
    let only_allowed = |mut threads: Vec<u32>| {
        for (node, threads) in threads.iter_mut().enumerate() {
            if known.nodes.is_some_and(|(nodes, _)| !nodes.contains(&NodeId(node))) {
                *threads = 0;
            }
        }
        threads
    };
    let Some(value) = table.optional("threads") else {
        table.source.log.note_default(TableKind::App, name, "threads", "one per core");
        return cores.map(|cores| only_allowed(cores.to_vec()));
    };
    let threads = thread_row::read(&value, MAX_CORES_PER_NODE, cores)?;
    let threads = if thread_row::is_list(&value) {
        thread_row::nodes_are_allowed(&value, &threads, known.nodes)?;
        threads
    } else {
        only_allowed(threads)
    };
    cores?;
    if threads.iter().all(|&threads| threads == 0) {
        let message = format!("`{}` is 0 on every node, so nobody could do the work", value.name);
        let hint = "write how many threads there are, e.g. `threads = 8` for so many on each node";
        value.report(ProblemKind::BadValue, message, "no thread at all", hint);
        return None;
    }
    Some(threads)
}

/// A value that makes no sense, told from one that is not there.
fn given<T>(value: Option<&Value<'_>>, read: impl FnOnce(&Value<'_>) -> Option<T>) -> Option<Option<T>> {
    value.map_or(Some(None), |value| read(value).map(Some))
}

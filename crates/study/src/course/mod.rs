//! Reads what an `[[app]]` does over time: its iterations and phases, their work, its threads, and who may command them.
#![allow(clippy::option_option, reason = "not there, there, or there and wrong")]

mod command;
mod phases;
mod scaling;
mod work;

use numasim_model::app::Data;
use numasim_model::dynamics::{Binding, Control, Course, Pick, Work};
use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_CORES_PER_NODE;
use numasim_model::units::{FlopPerByte, Gflop, Seconds};

use super::keys::app;
use super::machine::MachineReading;
use super::places::PhasePlaces;
use super::problem::{Place, ProblemKind};
use super::table::TableReader;
use super::thread_row;
use super::value::Value;
use phases::FromApp;
use work::WorkKeys;

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

/// Reads the keys of an application.
pub(super) fn read(table: &mut TableReader<'_>, known: Known<'_>, machine: &MachineReading) -> CourseReading {
    let iterations = table.read_or(&app::ITERATIONS, 1, Value::large_count);
    let keys = WorkKeys::of(table);
    let from_app = FromApp::read(table, known, &keys);
    let (phases, total, phase_places) = phases::read(table, &from_app, &keys, iterations, machine);
    let spread = table.read_or(&app::TASK_SPREAD, 0.0, Value::number);
    let arrives = table.read_or(&app::ARRIVES_S, 0.0, Value::number);
    let threads = read_threads(table, known, machine);
    let command = command::read(table);
    // Who knows nothing of an agent is told by the processors that it may use.
    let own = if command == Some(None) { Control::default() } else { Control::Cores };
    let control = table.word_or(&app::CONTROL, own, &Control::ALL, Control::as_str);
    let own = if control == Some(Control::Cores) { Binding::Core } else { Binding::default() };
    let bind = table.word_or(&app::BIND, own, &Binding::ALL, Binding::as_str);
    let pick = table.word_or(&app::PICK, Pick::default(), &Pick::ALL, Pick::as_str);
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
fn read_threads(table: &mut TableReader<'_>, known: Known<'_>, machine: &MachineReading) -> Option<Vec<u32>> {
    let cores = machine.cores.as_deref();
    let only_allowed = |mut threads: Vec<u32>| {
        for (node, threads) in threads.iter_mut().enumerate() {
            if known.nodes.is_some_and(|(nodes, _)| !nodes.contains(&NodeId(node))) {
                *threads = 0;
            }
        }
        threads
    };
    let Some(value) = table.given(&app::THREADS) else {
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

//! Reads the behaviour of an `[[app]]` over time: iterations and phases, their work, threads, and control.
#![allow(clippy::option_option, reason = "not there, there, or there and wrong")]

use numasim_model::app::{Data, Placement};
use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_CORES_PER_NODE;
use numasim_model::order::Control;
use numasim_model::scaling::Scaling;
use numasim_model::units::{FlopPerByte, Gflop, Seconds};
use numasim_study::keys::{app as at_rest, scaling, serial, speedup};
use numasim_study::reader::{
    AppReading, Apps, Count, Log, MachineReading, Quantity, TableReader, Value, data, given, thread_row,
};
use numasim_study::{Group, Place, Problem, ProblemKind};

use crate::keys::{app, phase};
use crate::values::{Binding, Course, Phase, Pick, Wake, Work};

/// Places of the keys of one `[[app]]` table that are about time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoursePlaces {
    /// The value of `name`.
    pub name: Place,
    /// The value of `work_gflop` or `task_gflop` of the application itself; `None` if the file gives neither.
    pub work: Option<Place>,
    /// The value of `iterations`; `None` if the file does not give it.
    pub iterations: Option<Place>,
    /// The value of `threads`; `None` if the file does not give it.
    pub threads: Option<Place>,
    /// The value of `control`; `None` if the file does not give it.
    pub control: Option<Place>,
    /// One entry for each `[[app.phase]]`; empty if an iteration is one phase.
    pub phases: Vec<PhasePlaces>,
}

/// Places of one `[[app.phase]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhasePlaces {
    /// Its header.
    pub table: Place,
    /// The value of `work_gflop` or `task_gflop`; `None` if the file gives neither.
    pub work: Option<Place>,
    /// The value of `data`; `None` if the file does not give it.
    pub data: Option<Place>,
}
/// Maximum number of values in the courses of all instances: 256 MB.
const MAX_COURSE_SIZE: usize = 32_000_000;

/// The parts of one application that could be read.
pub(super) struct CourseReading {
    pub(super) iterations: Option<u64>,
    /// Threads on each node.
    pub(super) threads: Option<Vec<u32>>,
    pub(super) control: Option<Control>,
    /// The complete course, if every key could be read.
    pub(super) course: Option<Course>,
    /// The work of all iterations, if the file defines it.
    pub(super) total_work: Option<Gflop>,
    pub(super) places: CoursePlaces,
}

/// The courses of the applications of all files, table by table.
#[derive(Default)]
pub struct Courses {
    tables: Vec<CourseReading>,
    /// Number of values in the courses of all instances.
    size: usize,
}

impl Courses {
    /// Reads the keys of one more application; `app` is its static part. Returns the work of all its iterations, if the file defines
    /// it.
    pub(super) fn read(
        &mut self,
        table: &mut TableReader<'_>,
        app: &AppReading,
        machine: &MachineReading,
    ) -> Option<Gflop> {
        let course = read(table, app, machine);
        let before = self.size;
        let more = course.size().saturating_mul(app.instances);
        self.size = before.saturating_add(more);
        if before <= MAX_COURSE_SIZE && self.size > MAX_COURSE_SIZE {
            report_size(table.source.log, &app.name);
        }
        let work = course.total_work;
        // Instances beyond the limit are not examined again.
        if app.is_kept {
            self.tables.push(course);
        }
        work
    }

    /// The course of the application with this number, as far as it could be read.
    pub(super) fn of(&self, group: usize) -> Option<&CourseReading> {
        self.tables.get(group)
    }

    /// The places of each course in its file.
    pub(super) fn places(&self) -> Vec<CoursePlaces> {
        self.tables.iter().map(|course| course.places.clone()).collect()
    }

    /// The same for an instance.
    pub(super) fn of_instance(&self, instance: usize, apps: &Apps) -> Option<&CourseReading> {
        self.of(apps.group_of(instance))
    }

    /// The courses of all instances, if all could be read.
    pub(super) fn of_instances(&self, groups: &[Group]) -> Option<Vec<Course>> {
        if self.size > MAX_COURSE_SIZE {
            return None;
        }
        let mut courses = Vec::new();
        for (course, group) in self.tables.iter().zip(groups) {
            courses.extend(std::iter::repeat_n(course.course.as_ref()?, group.instances).cloned());
        }
        Some(courses)
    }
}

fn report_size(log: &Log, name: &Place) {
    let message =
        format!("the phases, tasks and threads of all instances are more than {MAX_COURSE_SIZE} figures");
    let problem = Problem::new(ProblemKind::Limit, message)
        .at(name.clone(), "too much from here on")
        .hint("each instance has its own: describe fewer instances, or shorter lists");
    log.report(problem);
}

impl CourseReading {
    /// The count of numbers that one instance stores.
    fn size(&self) -> usize {
        /// A phase without its lists.
        const PHASE: usize = 16;
        let Some(course) = &self.course else { return 0 };
        let of_phase = |phase: &Phase| {
            let tasks = match &phase.work {
                Some(Work::Tasks { each, .. }) => each.len(),
                Some(Work::Divisible(_)) | None => 0,
            };
            PHASE + tasks + phase_size(phase)
        };
        // Counted as values of 8 bytes, including the overhead of a text.
        let words = course.command.iter().flatten().map(|word| 3 + word.len() / 8);
        words.sum::<usize>() + course.threads.len() + course.phases.iter().map(of_phase).sum::<usize>()
    }
}

/// Reads the keys of an application.
fn read(table: &mut TableReader<'_>, known: &AppReading, machine: &MachineReading) -> CourseReading {
    let places = CoursePlaces {
        name: known.name.clone(),
        work: table
            .place_of(&at_rest::WORK_GFLOP)
            .or_else(|| table.place_of(&app::TASK_GFLOP))
            .or_else(|| known.work_of_rate.as_ref().map(|(_, place)| place.clone())),
        iterations: table.place_of(&app::ITERATIONS),
        threads: table.place_of(&app::THREADS),
        control: table.place_of(&app::CONTROL),
        phases: Vec::new(),
    };
    let iterations = table.read_or(&app::ITERATIONS, 1, Value::large_count);
    let keys = WorkKeys { of_rate: known.work_of_rate.clone(), ..WorkKeys::of(table) };
    let from_app = FromApp::read(table, known, &keys);
    let (phases, total, phase_places) = read_phases(table, &from_app, &keys, iterations, machine);
    let spread = table.read_or(&app::TASK_SPREAD, 0.0, Value::number);
    let jitter = read_jitter(table, phases.as_deref());
    let arrives = table.read_or(&app::ARRIVES_S, 0.0, Value::number);
    let threads = read_threads(table, known, machine);
    let command = read_command(table);
    // A program unaware of agents is controlled by the processors that it may use.
    let own = if command == Some(None) { Control::default() } else { Control::Cores };
    let control = table.word_or(&app::CONTROL, own, &Control::ALL, Control::as_str);
    let own = if control == Some(Control::Cores) { Binding::Core } else { Binding::default() };
    let bind = table.word_or(&app::BIND, own, &Binding::ALL, Binding::as_str);
    let pick = table.word_or(&app::PICK, Pick::default(), &Pick::ALL, Pick::as_str);
    let wake = read_wake(table, control);
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
            task_jitter: jitter?,
            wake: wake?,
            command: command.clone()?,
        })
    };
    let places = CoursePlaces { phases: phase_places, ..places };
    CourseReading { iterations, control, course: course(), threads, total_work: total, places }
}

/// The jitter of task times. Reports one of an application whose phases all have divisible work.
fn read_jitter(table: &mut TableReader<'_>, phases: Option<&[Phase]>) -> Option<f64> {
    let Some(value) = table.optional(&app::TASK_JITTER) else { return Some(0.0) };
    let jitter = value.number()?;
    let is_divisible = |phase: &Phase| matches!(phase.work, Some(Work::Divisible(_)));
    if jitter > 0.0 && phases.is_some_and(|phases| phases.iter().all(is_divisible)) {
        let message = format!("`{}` needs tasks: it varies the time of each", value.name);
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .at(value.place(), "of which tasks?")
            .hint("add e.g. `tasks = 64`, or `task_gflop`, the work of each task");
        value.source.log.report(problem);
        return None;
    }
    Some(jitter)
}

/// The threads that wake first. Reports a random choice if orders leave nothing to choose.
fn read_wake(table: &mut TableReader<'_>, control: Option<Control>) -> Option<Wake> {
    let Some(value) = table.optional(&app::WAKE) else { return Some(Wake::default()) };
    let wake = value.word(&Wake::ALL, Wake::as_str)?;
    let counts = matches!(control, Some(Control::Total | Control::PerNode) | None);
    if wake == Wake::Random && !counts {
        let control = control.map_or("", Control::as_str);
        let message = format!(
            "`{}` is random, and no order to an application with `control = \"{control}\"` counts threads",
            value.name
        );
        let hint = "write `control = \"total\"` or `\"per-node\"`, or leave `wake` out";
        value.report(ProblemKind::BadValue, message, "nothing to choose", hint);
        return None;
    }
    Some(wake)
}

/// Threads on each node: the number in the file, else one per core; 0 if the node has no cores or the application may
/// not run there.
fn read_threads(
    table: &mut TableReader<'_>,
    known: &AppReading,
    machine: &MachineReading,
) -> Option<Vec<u32>> {
    let cores = machine.cores.as_deref();
    let only_allowed = |mut threads: Vec<u32>| {
        for (node, threads) in threads.iter_mut().enumerate() {
            if known.nodes().is_some_and(|(nodes, _)| !nodes.contains(&NodeId(node))) {
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
        thread_row::nodes_are_allowed(&value, &threads, known.nodes())?;
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

/// An invalid value, as opposed to a missing one.
const PHASE: &str = phase::TABLE.title;
const PHASES: &str = "write `[[app.phase]]`, with two brackets on each side, above each phase";
/// Maximum number of phases of an application.
const MOST_PHASES: usize = 10_000;

/// The values that a phase inherits from its application; the outer `None` means an invalid value.
struct FromApp<'a> {
    intensity: Option<FlopPerByte>,
    data: Option<&'a Data>,
    scaling: Option<Scaling>,
    /// Milliseconds.
    io: Option<f64>,
}

impl<'a> FromApp<'a> {
    fn read(table: &mut TableReader<'_>, known: &'a AppReading, keys: &WorkKeys<'_>) -> Self {
        keys.each.iter().for_each(|each| known.check_counting(each));
        let scaling_value = table.given(&app::SCALING);
        if keys.io.is_none() {
            table.note(&app::IO_MS, app::IO_MS.default);
        }
        Self {
            intensity: known.intensity,
            data: known.data.as_ref(),
            scaling: given(scaling_value.as_ref(), read_scaling).map(Option::unwrap_or_default),
            io: keys.sleep().map(Option::unwrap_or_default),
        }
    }
}

type Phases = (Option<Vec<Phase>>, Option<Gflop>, Vec<PhasePlaces>);

/// The phases, the total work of all iterations if it is known completely, and their places.
fn read_phases(
    table: &mut TableReader<'_>,
    from_app: &FromApp<'_>,
    keys: &WorkKeys<'_>,
    iterations: Option<u64>,
    machine: &MachineReading,
) -> Phases {
    let Some(list) = table.optional(&app::PHASE) else {
        if keys.total.is_none() && keys.each.is_none() && keys.of_rate.is_none() {
            table.note(&at_rest::WORK_GFLOP, at_rest::WORK_GFLOP.default);
        }
        if keys.tasks.is_none() && keys.each.is_none() {
            table.note(&app::TASKS, app::TASKS.default);
        }
        return single(from_app, keys, iterations);
    };
    let entries = list.tables(&phase::TABLE, PHASES);
    work_is_in_the_phases(keys, &list);
    let Some(entries) = entries else { return (None, None, Vec::new()) };
    let wrong = if entries.is_empty() {
        Some((ProblemKind::BadValue, format!("`{}` has no phase", list.name), "empty"))
    } else if entries.len() > MOST_PHASES {
        let message = format!("there are {} phases; at most {MOST_PHASES} are read", entries.len());
        Some((ProblemKind::Limit, message, "the phases"))
    } else {
        None
    };
    if let Some((kind, message, label)) = wrong {
        list.report(kind, message, label, PHASES);
        return (None, None, Vec::new());
    }
    let (mut phases, mut total, mut places) = (Some(Vec::new()), Some(Gflop::new(0.0)), Vec::new());
    for entry in entries {
        let (phase, work, place) = read_phase(entry, from_app, keys, iterations, machine);
        places.push(place);
        total = total.zip(work).map(|(total, work)| total + work);
        phases = phases.zip(phase).map(|(mut phases, phase)| {
            phases.push(phase);
            phases
        });
    }
    (phases, total, places)
}

/// The iteration is a single phase: that of the application itself.
fn single(app: &FromApp<'_>, keys: &WorkKeys<'_>, iterations: Option<u64>) -> Phases {
    let work = keys.read(iterations);
    let sleeps = app.io.zip(keys.io.as_ref()).is_none_or(|(io, value)| !keys.lacks_tasks(io, value, None));
    let total = work.as_ref().and_then(|work| work.total);
    let phase = || app.phase(None, None, None, None, work.filter(|_| sleeps)?);
    (phase().map(|phase| vec![phase]), total, Vec::new())
}

impl FromApp<'_> {
    /// A phase with these values, falling back to those of the application.
    fn phase(
        &self,
        intensity: Option<FlopPerByte>,
        data: Option<Data>,
        scaling: Option<Scaling>,
        io: Option<f64>,
        work: WorkReading,
    ) -> Option<Phase> {
        Some(Phase {
            arithmetic_intensity: intensity.or(self.intensity)?,
            owns_data: data.is_some(),
            data: data.or_else(|| self.data.cloned())?,
            scaling: scaling.or_else(|| self.scaling.clone())?,
            io: Seconds::new(io.or(self.io)? / 1e3),
            work: work.work,
            total_given: work.total_given,
        })
    }
}

/// Reports work in the table of an application that has phases.
fn work_is_in_the_phases(keys: &WorkKeys<'_>, phases: &Value<'_>) {
    for value in keys.of_phases() {
        let message = format!("`{}` stands in an app that has phases", value.name);
        let problem = Problem::new(ProblemKind::Conflict, message)
            .at(value.key_place(), "of which phase?")
            .related(phases.key_place(), "the first phase")
            .hint(format!("write `{}` in each `{PHASE}`, and not in the app", value.name));
        value.source.log.report(problem);
    }
    if let Some((_, place)) = &keys.of_rate {
        let problem =
            Problem::new(ProblemKind::Conflict, "the `work` of a rate is that of an app without phases")
                .at(place.clone(), "of which phase?")
                .related(phases.key_place(), "the first phase")
                .hint("leave out the phases, or the work");
        phases.source.log.report(problem);
    }
}

fn read_phase(
    mut table: TableReader<'_>,
    app: &FromApp<'_>,
    of_app: &WorkKeys<'_>,
    iterations: Option<u64>,
    machine: &MachineReading,
) -> (Option<Phase>, Option<Gflop>, PhasePlaces) {
    let place = table.place();
    let intensity = table.optional(&phase::ARITHMETIC_INTENSITY);
    let data = table.optional(&phase::DATA);
    let scaling = table.optional(&phase::SCALING);
    let keys = WorkKeys::of(&mut table);
    table.finish();
    let places =
        PhasePlaces { table: place.clone(), work: keys.place(), data: data.as_ref().map(Value::place) };
    // Reads every key, so that every mistake is reported.
    let work = keys.read(iterations);
    let total = work.as_ref().and_then(|work| work.total);
    #[allow(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general enough in its lifetimes"
    )]
    let intensity = given(intensity.as_ref(), |value| value.number());
    let data = given(data.as_ref(), |value| read_data(value, machine));
    let scaling = given(scaling.as_ref(), read_scaling);
    let io = keys.sleep();
    let effective = io.and_then(|own| own.or(app.io));
    let said = keys.io.as_ref().or(of_app.io.as_ref());
    let sleeps = effective.zip(said).is_none_or(|(io, value)| !keys.lacks_tasks(io, value, Some(&place)));
    let phase =
        || app.phase(intensity?.map(FlopPerByte::new), data?, scaling?, io?, work.filter(|_| sleeps)?);
    (phase(), total, places)
}

/// The data placement of a phase: explore chooses only the data of applications.
fn read_data(value: &Value<'_>, machine: &MachineReading) -> Option<Data> {
    let read = data::read(value, machine)?;
    if let Some(open) = read.open() {
        let hint = format!(
            "{}, e.g. `{}`; explore decides the data of applications only",
            open.deciding(),
            open.example()
        );
        value.report(ProblemKind::BadValue, open.said_of("a phase"), "where does it lie?", hint);
        return None;
    }
    Some(read)
}

/// The count of numbers in the lists of a phase, excluding those of its tasks.
fn phase_size(phase: &Phase) -> usize {
    let points = match &phase.scaling {
        Scaling::Table(points) => 2 * points.len(),
        Scaling::Linear | Scaling::Serial { .. } => 0,
    };
    let fractions = match &phase.data {
        Data::Placed(Placement::Fractions(fractions)) => fractions.len(),
        _ => 0,
    };
    points + fractions
}

/// The keys of a table that define its work, as far as they are present.
struct WorkKeys<'a> {
    total: Option<Value<'a>>,
    each: Option<Value<'a>>,
    tasks: Option<Value<'a>>,
    io: Option<Value<'a>>,
    /// Work in the unit of the rate of the application.
    of_rate: Option<(f64, Place)>,
}

/// Their values.
#[derive(Clone, Default)]
struct WorkReading {
    /// In one iteration.
    work: Option<Work>,
    /// Whether the file gives the work of all iterations together.
    total_given: bool,
    /// In all iterations.
    total: Option<Gflop>,
}

impl<'a> WorkKeys<'a> {
    fn of(table: &mut TableReader<'a>) -> Self {
        Self {
            total: table.optional(&at_rest::WORK_GFLOP),
            each: table.optional(&app::TASK_GFLOP),
            tasks: table.optional(&app::TASKS),
            io: table.optional(&app::IO_MS),
            of_rate: None,
        }
    }

    /// The definition of the work; if an application has phases, the phases contain it.
    fn of_phases(&self) -> impl Iterator<Item = &Value<'a>> {
        [&self.total, &self.each, &self.tasks].into_iter().flatten()
    }

    /// The place of the work.
    fn place(&self) -> Option<Place> {
        self.total.as_ref().or(self.each.as_ref()).map(Value::place)
    }

    /// Milliseconds of sleep after each task; the outer `None` means an invalid value.
    fn sleep(&self) -> Option<Option<f64>> {
        self.io.as_ref().map_or(Some(None), |value| value.number().map(Some))
    }

    /// Reports a sleep after tasks if there are no tasks; `io` is its length, `place` its place. Returns whether there
    /// are none.
    fn lacks_tasks(&self, io: f64, place: &Value<'_>, phase: Option<&Place>) -> bool {
        if io == 0.0 || self.tasks.is_some() || self.each.is_some() {
            return false;
        }
        let problem =
            Problem::new(ProblemKind::MissingKey, "`io_ms` needs tasks: a thread sleeps after each task")
                .at(place.place(), "after which tasks?")
                .hint("add e.g. `tasks = 64`, or `task_gflop`, the work of each task");
        let problem = match (phase, &self.total) {
            (Some(phase), _) => problem.related(phase.clone(), "this phase has no tasks"),
            (None, Some(total)) => problem.related(total.key_place(), "work that is not divided into tasks"),
            (None, None) => problem,
        };
        place.source.log.report(problem);
        true
    }

    /// The work of one iteration; `None` if a value is invalid.
    fn read(&self, iterations: Option<u64>) -> Option<WorkReading> {
        let tasks = self.tasks.as_ref().map(Value::large_count);
        if let (Some(total), Some(each)) = (&self.total, &self.each) {
            let problem = Problem::new(ProblemKind::Conflict, "the work is given in two ways")
                .at(each.key_place(), "of each task")
                .related(total.key_place(), "of all iterations together")
                .hint("keep either `work_gflop` or `task_gflop`");
            each.source.log.report(problem);
            return None;
        }
        let each = self.each.as_ref().map(read_each);
        // Work of tasks may be zero: threads that only sleep.
        let quantity = Quantity { zero: tasks.is_some(), ..at_rest::WORK_GFLOP.quantity() };
        let total = self.total.as_ref().map(|value| value.number_of(quantity));
        let (tasks, each, total) = (transposed(tasks)?, transposed(each)?, transposed(total)?);
        let total = total.or(self.of_rate.as_ref().map(|(work, _)| *work));
        let iterations = iterations? as f64;
        Some(match (total, each, tasks) {
            (None, None, _) => WorkReading::default(),
            (None, Some(each), tasks) => {
                let work = Work::Tasks { count: tasks.unwrap_or(each.len() as u64), each };
                let total = work.total() * iterations;
                WorkReading { work: Some(work), total_given: false, total: Some(total) }
            }
            (Some(total), _, tasks) => {
                let work = Work::of_iteration(Gflop::new(total / iterations), tasks);
                WorkReading { work: Some(work), total_given: true, total: Some(Gflop::new(total)) }
            }
        })
    }
}

/// `None` if the value is present and invalid.
fn transposed<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    value.map_or(Some(None), |read| read.map(Some))
}

/// The work of each task: a number, or a list that repeats.
fn read_each(value: &Value<'_>) -> Option<Vec<Gflop>> {
    if !value.is_list() {
        return Some(vec![Gflop::new(value.number()?)]);
    }
    let hint = "write the work of one task after the other in GFLOP, e.g. `task_gflop = [3.0, 4.0]`";
    let entries = value.list("a number or a list", hint)?;
    if entries.is_empty() {
        value.report(ProblemKind::BadValue, format!("`{}` names no task", value.name), "empty", hint);
        return None;
    }
    // Reads every entry, so that every mistake is reported.
    let each: Vec<Option<Gflop>> = entries.iter().map(|entry| entry.number().map(Gflop::new)).collect();
    each.into_iter().collect()
}

const SCALING: &str = "write `{ serial_fraction = 0.1 }`, or speedups: `{ table = [[1, 1.0], [4, 3.1]] }`";
const SPEEDUPS: &str = "write pairs of threads and speedup from one thread up, e.g. `[[1, 1.0], [4, 3.1]]`";
const SPEEDUP: Quantity = Quantity { what: "a speedup", example: "3.1", zero: false };
const POINT_THREADS: Count =
    Count { what: "a number of threads", example: "4", min: 1, max: u32::MAX as u64 };

/// The scaling that the file gives; a mistake is reported.
fn read_scaling(value: &Value<'_>) -> Option<Scaling> {
    let mut table = value.table(&scaling::TABLE, "a table", SCALING)?;
    let (fraction, points) =
        (table.optional(&serial::SERIAL_FRACTION), table.optional(&speedup::TABLE_OF_SPEEDUPS));
    if fraction.is_none() && points.is_none() {
        let message = format!("`{}` says neither `serial_fraction` nor `table`", value.name);
        let problem = Problem::new(ProblemKind::MissingKey, message).at(table.place(), "how does it scale?");
        table.missing_any(&[&serial::SERIAL_FRACTION, &speedup::TABLE_OF_SPEEDUPS], problem.hint(SCALING));
    }
    table.finish();
    match (fraction, points) {
        (Some(fraction), Some(points)) => {
            let problem = Problem::new(ProblemKind::Conflict, "the scaling is given in two ways")
                .at(points.key_place(), "by its speedups")
                .related(fraction.key_place(), "by the part that is serial")
                .hint("keep either `serial_fraction` or `table`");
            value.source.log.report(problem);
            None
        }
        (Some(fraction), None) => read_fraction(&fraction),
        (None, Some(points)) => read_points(&points),
        (None, None) => None,
    }
}

fn read_fraction(value: &Value<'_>) -> Option<Scaling> {
    let fraction = value.number()?;
    if fraction > 1.0 {
        let message = format!("`{}` must be a fraction from 0 to 1, not {}", value.name, value.text());
        let hint = "0 scales linearly; with 1 no thread adds to the speed of the first";
        value.report(ProblemKind::BadValue, message, "more than all of it", hint);
        return None;
    }
    Some(Scaling::Serial { fraction })
}

fn read_points(value: &Value<'_>) -> Option<Scaling> {
    let entries = value.list("a list of pairs", SPEEDUPS)?;
    // Reads every pair, so that every mistake is reported.
    let points: Vec<Option<(u32, f64)>> = entries.iter().map(read_point).collect();
    let points: Vec<(u32, f64)> = points.into_iter().collect::<Option<_>>()?;
    let Some((&first, entry)) = points.first().zip(entries.first()) else {
        value.report(ProblemKind::BadValue, format!("`{}` has no pair", value.name), "empty", SPEEDUPS);
        return None;
    };
    if first != (1, 1.0) {
        let message = format!("`{}` must begin with `[1, 1.0]`, not with `{}`", value.name, entry.text());
        let hint = "the speedup of one thread is 1; all others are compared with it";
        entry.report(ProblemKind::BadValue, message, "not the speed of one thread", hint);
        return None;
    }
    for (pair, entry) in points.windows(2).zip(entries.iter().skip(1)) {
        let [(before, low), (threads, speedup)] = *pair else { continue };
        let wrong = if threads <= before {
            (format!("{threads} threads stand behind {before}"), "not more threads", "begin with the fewest")
        } else if speedup < low {
            let what = format!("{threads} threads are slower than {before}: {speedup} after {low}");
            (what, "less speedup", "more threads are at least as fast: write at least the speedup before")
        } else if speedup > f64::from(threads) {
            let what = format!("{threads} threads are more than {threads} times as fast as one: {speedup}");
            (what, "more than one speed for each", "write a speedup of at most the number of threads")
        } else {
            continue;
        };
        entry.report(ProblemKind::BadValue, wrong.0, wrong.1, wrong.2);
        return None;
    }
    Some(Scaling::Table(points))
}

fn read_point(value: &Value<'_>) -> Option<(u32, f64)> {
    let pair = value.list("a pair of threads and speedup", SPEEDUPS)?;
    let [threads, speedup] = pair.as_slice() else {
        let message = format!("`{}` must have two entries: threads and speedup", value.name);
        value.report(ProblemKind::WrongLength, message, "not a pair", SPEEDUPS);
        return None;
    };
    let (threads, speedup) = (threads.count_of(POINT_THREADS), speedup.number_of(SPEEDUP));
    threads.zip(speedup)
}

/// The hint of the message.
const COMMAND: &str =
    "write the program and its arguments, e.g. `command = [\"./a.out\", \"--size\", \"100\"]`";

/// The program and its arguments; `Some(None)` if there is none.
fn read_command(table: &mut TableReader<'_>) -> Option<Option<Vec<String>>> {
    let Some(value) = table.given(&app::COMMAND) else { return Some(None) };
    let words = value.list("a list of texts", COMMAND)?;
    if words.is_empty() {
        let message = format!("`{}` is empty, so there is nothing to start", value.name);
        value.report(ProblemKind::BadValue, message, "no program", COMMAND);
        return None;
    }
    // Checks every word, so that every mistake is reported.
    let read: Vec<Option<String>> = words.iter().enumerate().map(|(number, one)| word(number, one)).collect();
    read.into_iter().collect::<Option<_>>().map(Some)
}

/// The program, which needs a name, or an argument, which may be empty. No operating system accepts a zero byte in
/// either.
fn word(number: usize, value: &Value<'_>) -> Option<String> {
    let word = value.string()?;
    if number == 0 && word.is_empty() {
        value.report(ProblemKind::BadValue, format!("`{}` is empty", value.name), "no program", COMMAND);
        return None;
    }
    if word.contains('\0') {
        let message = format!("`{}` contains a zero byte", value.name);
        value.report(ProblemKind::BadValue, message, "not an argument", "leave the zero byte out");
        return None;
    }
    Some(word.to_owned())
}

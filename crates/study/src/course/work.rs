//! Reads the work of an application or of one of its phases: `work_gflop`, `task_gflop` and `tasks`.

use toml::de::DeValue;

use numasim_model::dynamics::Work;
use numasim_model::units::Gflop;

use super::super::keys::app;
use super::super::problem::{Place, Problem, ProblemKind};
use super::super::table::TableReader;
use super::super::value::{Quantity, Value};

/// The keys of a table that say how much there is to do, as far as they are there.
pub(super) struct WorkKeys<'a> {
    pub(super) total: Option<Value<'a>>,
    pub(super) each: Option<Value<'a>>,
    pub(super) tasks: Option<Value<'a>>,
    pub(super) io: Option<Value<'a>>,
}

/// What they say.
#[derive(Clone, Default)]
pub(super) struct WorkReading {
    /// In one iteration.
    pub(super) work: Option<Work>,
    /// Whether the file gives the work of all iterations together.
    pub(super) total_given: bool,
    /// In all iterations.
    pub(super) total: Option<Gflop>,
}

impl<'a> WorkKeys<'a> {
    pub(super) fn of(table: &mut TableReader<'a>) -> Self {
        Self {
            total: table.optional(&app::WORK_GFLOP),
            each: table.optional(&app::TASK_GFLOP),
            tasks: table.optional(&app::TASKS),
            io: table.optional(&app::IO_MS),
        }
    }

    /// What says how much there is to do; of an application with phases that is their part.
    pub(super) fn of_phases(&self) -> impl Iterator<Item = &Value<'a>> {
        [&self.total, &self.each, &self.tasks].into_iter().flatten()
    }

    /// Where the work stands.
    pub(super) fn place(&self) -> Option<Place> {
        self.total.as_ref().or(self.each.as_ref()).map(Value::place)
    }

    /// Milliseconds of sleep after each task; the outer `None` where the value makes no sense.
    pub(super) fn sleep(&self) -> Option<Option<f64>> {
        self.io.as_ref().map_or(Some(None), |value| value.number().map(Some))
    }

    /// Reports a sleep after tasks that there are not; `io` says how long, `place` where. Whether there are none.
    pub(super) fn lacks_tasks(&self, io: f64, place: &Value<'_>, phase: Option<&Place>) -> bool {
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

    /// The work of one iteration; `None` where something makes no sense.
    pub(super) fn read(&self, iterations: Option<u64>) -> Option<WorkReading> {
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
        // Work of tasks may be nothing: threads that only sleep.
        let quantity = Quantity { zero: tasks.is_some(), ..app::WORK_GFLOP.quantity() };
        let total = self.total.as_ref().map(|value| value.number_of(quantity));
        let (tasks, each, total) = (transposed(tasks)?, transposed(each)?, transposed(total)?);
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

/// `None` where the value is there and makes no sense.
fn transposed<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    value.map_or(Some(None), |read| read.map(Some))
}

/// The work of each task: a number, or a list that repeats.
fn read_each(value: &Value<'_>) -> Option<Vec<Gflop>> {
    if !matches!(value.get(), DeValue::Array(_)) {
        return Some(vec![Gflop::new(value.number()?)]);
    }
    let hint = "write the work of one task after the other in GFLOP, e.g. `task_gflop = [3.0, 4.0]`";
    let entries = value.list("a number or a list", hint)?;
    if entries.is_empty() {
        value.report(ProblemKind::BadValue, format!("`{}` names no task", value.name), "empty", hint);
        return None;
    }
    // Every entry is read, so that every mistake is reported.
    let each: Vec<Option<Gflop>> = entries.iter().map(|entry| entry.number().map(Gflop::new)).collect();
    each.into_iter().collect()
}

//! Reads `[[app.phase]]`: the parts of an iteration, one after the other; without them an iteration is one phase.

use numasim_model::app::{Data, Placement};
use numasim_model::dynamics::{Phase, Scaling};
use numasim_model::units::{FlopPerByte, Gflop, Seconds};

use super::super::data;
use super::super::keys::{app, phase};
use super::super::machine::MachineReading;
use super::super::places::PhasePlaces;
use super::super::problem::{Problem, ProblemKind};
use super::super::table::TableReader;
use super::super::value::Value;
use super::work::{WorkKeys, WorkReading};
use super::{Known, given, scaling};

const TITLE: &str = phase::TABLE.title;
const HINT: &str = "write `[[app.phase]]`, with two brackets on each side, above each phase";
/// Most phases of an application.
const MOST_PHASES: usize = 10_000;

/// What a phase takes from its application; the outer `None` where a value makes no sense.
pub(super) struct FromApp<'a> {
    intensity: Option<FlopPerByte>,
    data: Option<&'a Data>,
    scaling: Option<Scaling>,
    /// Milliseconds.
    io: Option<f64>,
}

impl<'a> FromApp<'a> {
    pub(super) fn read(table: &mut TableReader<'_>, known: Known<'a>, keys: &WorkKeys<'_>) -> Self {
        let scaling_value = table.given(&app::SCALING);
        if keys.io.is_none() {
            table.note(&app::IO_MS, app::IO_MS.default);
        }
        Self {
            intensity: known.intensity,
            data: known.data,
            scaling: given(scaling_value.as_ref(), scaling::read).map(Option::unwrap_or_default),
            io: keys.sleep().map(Option::unwrap_or_default),
        }
    }
}

type Phases = (Option<Vec<Phase>>, Option<Gflop>, Vec<PhasePlaces>);

/// The phases, the work of all of them in all iterations where all of it is known, and where they stand.
pub(super) fn read(
    table: &mut TableReader<'_>,
    from_app: &FromApp<'_>,
    keys: &WorkKeys<'_>,
    iterations: Option<u64>,
    machine: &MachineReading,
) -> Phases {
    let Some(list) = table.optional(&app::PHASE) else {
        if keys.total.is_none() && keys.each.is_none() {
            table.note(&app::WORK_GFLOP, app::WORK_GFLOP.default);
        }
        if keys.tasks.is_none() && keys.each.is_none() {
            table.note(&app::TASKS, app::TASKS.default);
        }
        return single(from_app, keys, iterations);
    };
    let entries = list.tables(&phase::TABLE, HINT);
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
        list.report(kind, message, label, HINT);
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

/// All of an iteration is one phase: that of the application itself.
fn single(app: &FromApp<'_>, keys: &WorkKeys<'_>, iterations: Option<u64>) -> Phases {
    let work = keys.read(iterations);
    let sleeps = app.io.zip(keys.io.as_ref()).is_none_or(|(io, value)| !keys.lacks_tasks(io, value, None));
    let total = work.as_ref().and_then(|work| work.total);
    let phase = || app.phase(None, None, None, None, work.filter(|_| sleeps)?);
    (phase().map(|phase| vec![phase]), total, Vec::new())
}

impl FromApp<'_> {
    /// A phase with these values, or those of the application.
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

/// Reports work that stands in the application although that has phases.
fn work_is_in_the_phases(keys: &WorkKeys<'_>, phases: &Value<'_>) {
    for value in keys.of_phases() {
        let message = format!("`{}` stands in an app that has phases", value.name);
        let problem = Problem::new(ProblemKind::Conflict, message)
            .at(value.key_place(), "of which phase?")
            .related(phases.key_place(), "the first phase")
            .hint(format!("write `{}` in each `{TITLE}`, and not in the app", value.name));
        value.source.log.report(problem);
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
    // All of it is read, so that every mistake is reported.
    let work = keys.read(iterations);
    let total = work.as_ref().and_then(|work| work.total);
    #[allow(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general enough in its lifetimes"
    )]
    let intensity = given(intensity.as_ref(), |value| value.number());
    let data = given(data.as_ref(), |value| read_data(value, machine));
    let scaling = given(scaling.as_ref(), scaling::read);
    let io = keys.sleep();
    let effective = io.and_then(|own| own.or(app.io));
    let said = keys.io.as_ref().or(of_app.io.as_ref());
    let sleeps = effective.zip(said).is_none_or(|(io, value)| !keys.lacks_tasks(io, value, Some(&place)));
    let phase =
        || app.phase(intensity?.map(FlopPerByte::new), data?, scaling?, io?, work.filter(|_| sleeps)?);
    (phase(), total, places)
}

/// Where the data of a phase lies: nobody chooses a home for it.
fn read_data(value: &Value<'_>, machine: &MachineReading) -> Option<Data> {
    let read = data::read(value, machine)?;
    if matches!(read, Data::OpenHome { .. }) {
        let hint = "name the node, e.g. `{ home = 0 }`; explore chooses homes of applications only";
        let message = "the home of the data of a phase is open";
        value.report(ProblemKind::BadValue, message.to_owned(), "on which node?", hint);
        return None;
    }
    Some(read)
}

/// How many numbers the lists of a phase have, those of its tasks left out.
pub(super) fn size(phase: &Phase) -> usize {
    let points = match &phase.scaling {
        Scaling::Table(points) => 2 * points.len(),
        Scaling::Linear | Scaling::Serial { .. } => 0,
    };
    let fractions = match &phase.data {
        Data::Placed(Placement::Fractions(fractions)) => fractions.len(),
        Data::Placed(_) | Data::OpenHome { .. } => 0,
    };
    points + fractions
}

//! Reads `[contender]`: other programs that want the workers, too.

use crate::values::Contender;
use numasim_model::units::Seconds;

use crate::keys::contender;
use numasim_study::reader::TableReader;
use numasim_study::reader::Value;
use numasim_study::{Problem, ProblemKind};

const PHASES: &str = "write when they want workers, from and to in seconds, e.g. `phases_s = [[0.1, 0.2], [0.3, 0.4]]`; without it they do as long as the run lasts";

/// The contender; `None` where it makes no sense.
pub(super) fn read(mut table: TableReader<'_>) -> Option<Contender> {
    let gflop = table.required(&contender::GFLOP).and_then(|value| value.number());
    let count = table.read_or(&contender::COUNT, 1, Value::count);
    let phases = table.read_or(&contender::PHASES_S, None, |value| read_phases(value).map(Some));
    table.finish();
    Some(Contender { gflop: gflop?, count: count?, phases: phases? })
}

fn read_phases(value: &Value<'_>) -> Option<Vec<(Seconds, Seconds)>> {
    let entries = value.list("a list of phases", PHASES)?;
    if entries.is_empty() {
        let message = format!("`{}` has no phase", value.name);
        value.report(ProblemKind::BadValue, message, "empty", PHASES);
        return None;
    }
    let mut phases: Vec<(Seconds, Seconds)> = Vec::with_capacity(entries.len());
    let mut last: Option<(f64, &Value<'_>)> = None;
    let mut complete = true;
    for entry in &entries {
        let Some((from, to)) = read_phase(entry) else {
            complete = false;
            continue;
        };
        if let Some((end, before)) = last
            && from <= end
        {
            let message =
                format!("`{}` begins at {from}, but the phase before it lasts until {end}", entry.name);
            let problem = Problem::new(ProblemKind::BadValue, message)
                .at(entry.place(), "too early")
                .related(before.place(), "the phase before")
                .hint("write phases in the order of time, and what has no gap in between as one");
            value.source.log.report(problem);
            complete = false;
        }
        phases.push((Seconds::new(from), Seconds::new(to)));
        last = Some((to, entry));
    }
    complete.then_some(phases)
}

/// From and to.
fn read_phase(entry: &Value<'_>) -> Option<(f64, f64)> {
    let bounds = entry.list("a phase: from and to", PHASES)?;
    let [from, to] = bounds.as_slice() else {
        let message =
            format!("`{}` has {} numbers, but a phase has two: from and to", entry.name, bounds.len());
        entry.report(ProblemKind::WrongLength, message, "not two", PHASES);
        return None;
    };
    let (from, to_s) = (from.number(), to.number());
    let (from, to_s) = (from?, to_s?);
    if from >= to_s {
        let message = format!("`{}` ends at {to_s}, but begins at {from}", entry.name);
        to.report(ProblemKind::BadValue, message, "not behind the begin", PHASES);
        return None;
    }
    Some((from, to_s))
}

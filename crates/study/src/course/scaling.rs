//! Reads `scaling`: how fast several threads of an application are together.

use numasim_model::dynamics::Scaling;

use super::super::keys::{scaling, serial, speedup};
use super::super::problem::{Problem, ProblemKind};
use super::super::value::{Count, Quantity, Value};

const HINT: &str = "write `{ serial_fraction = 0.1 }`, or speedups: `{ table = [[1, 1.0], [4, 3.1]] }`";
const TABLE: &str = "write pairs of threads and speedup from one thread up, e.g. `[[1, 1.0], [4, 3.1]]`";
const SPEEDUP: Quantity = Quantity { what: "a speedup", example: "3.1", zero: false };
const THREADS: Count = Count { what: "a number of threads", example: "4", min: 1, max: u32::MAX as u64 };

/// The scaling that the file gives; a mistake is reported.
pub(super) fn read(value: &Value<'_>) -> Option<Scaling> {
    let mut table = value.table(&scaling::TABLE, "a table", HINT)?;
    let (fraction, points) =
        (table.optional(&serial::SERIAL_FRACTION), table.optional(&speedup::TABLE_OF_SPEEDUPS));
    if fraction.is_none() && points.is_none() {
        let message = format!("`{}` says neither `serial_fraction` nor `table`", value.name);
        let problem = Problem::new(ProblemKind::MissingKey, message).at(table.place(), "how does it scale?");
        table.missing_any(&[&serial::SERIAL_FRACTION, &speedup::TABLE_OF_SPEEDUPS], problem.hint(HINT));
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
    let entries = value.list("a list of pairs", TABLE)?;
    // Every pair is read, so that every mistake is reported.
    let points: Vec<Option<(u32, f64)>> = entries.iter().map(read_point).collect();
    let points: Vec<(u32, f64)> = points.into_iter().collect::<Option<_>>()?;
    let Some((&first, entry)) = points.first().zip(entries.first()) else {
        value.report(ProblemKind::BadValue, format!("`{}` has no pair", value.name), "empty", TABLE);
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
    let pair = value.list("a pair of threads and speedup", TABLE)?;
    let [threads, speedup] = pair.as_slice() else {
        let message = format!("`{}` must have two entries: threads and speedup", value.name);
        value.report(ProblemKind::WrongLength, message, "not a pair", TABLE);
        return None;
    };
    let (threads, speedup) = (threads.count_of(THREADS), speedup.number_of(SPEEDUP));
    threads.zip(speedup)
}

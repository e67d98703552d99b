//! A process that is one application: waits for the start, arrives, does its iterations, ends.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::thread;
use std::time::Duration;

use numasim_host::os::clock::now_ns;
use numasim_host::os::shared::Shared;

use super::board::{Board, Counts, OfApp};
use super::channels::{Begun, Neighbours};
use super::order::{Order, Program, Tasks};
use super::program;
use super::team::Team;
use super::work::Workshop;

/// First argument of a program that shall be an application: it hands its standard input to [`serve`].
pub const APP_COMMAND: &str = "__run-app";

/// How often the number of blocked threads is written down.
const NOTE: Duration = Duration::from_millis(10);

/// Is the application of an order, the text of which came from standard input. Returns when it is finished, or when everybody has
/// to end; a program of its own takes the place of this process instead.
///
/// # Errors
/// What went wrong, in a line for people.
pub fn serve(order: &str) -> Result<(), String> {
    let order: Order = serde_json::from_str(order).map_err(|error| {
        format!("this is for numasim itself, which starts it with an order on standard input: {error}")
    })?;
    let board =
        Shared::<Board>::inherited(order.board).map_err(|error| format!("no shared memory: {error}"))?;
    if !order.extent.fits() || order.nodes.len() != order.extent.nodes {
        return Err("its order contradicts itself".to_owned());
    }
    let counts = Counts { board: &board, extent: order.extent };
    match &order.program {
        Program::Tasks(tasks) => iterate(counts, &order, tasks),
        Program::Command { words, cpus } => match arrive(counts, &order) {
            Some(_) => program::become_it(words, cpus),
            None => Ok(()),
        },
    }
}

/// Says that all is in place, and waits for the start and the time of arrival; when the start was, or `None` to end.
fn arrive(counts: Counts<'_>, order: &Order) -> Option<u64> {
    counts.of_app(order.app, OfApp::Ready).store(1, SeqCst);
    counts.tell();
    let start = counts.wait_for(|| counts.start_ns())?;
    // Not negative; the conversion of a float saturates.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let arrives = start.saturating_add((order.arrives_s * 1e9) as u64);
    while let Some(left) = arrives.checked_sub(now_ns()).filter(|&left| left > 0) {
        if counts.aborted() {
            return None;
        }
        // In pieces, so that an end is seen.
        thread::sleep(Duration::from_nanos(left.min(50_000_000)));
    }
    counts.of_app(order.app, OfApp::Arrived).store(now_ns(), SeqCst);
    counts.tell();
    Some(start)
}

fn iterate(counts: Counts<'_>, order: &Order, tasks: &Tasks) -> Result<(), String> {
    let workshop =
        Workshop::new(counts, order.app, tasks, &order.nodes).map_err(|error| error.to_string())?;
    let Some(start_ns) = arrive(counts, order) else { return Ok(()) };
    let team = Team::start(tasks, &order.nodes)?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Ended however the iterations end.
        let _over = SetOnDrop(&over);
        scope.spawn(|| {
            while !over.load(Relaxed) {
                team.note(counts, order.app);
                if counts.aborted() {
                    team.let_go();
                }
                thread::sleep(NOTE);
            }
        });
        let mut neighbours = Neighbours::new(counts, order.app, tasks, start_ns);
        let mut drawn = 0_u64;
        for number in 1..=tasks.iterations {
            let Some(Begun { call }) = neighbours.begin(number, &team) else { return };
            for (phase, of) in tasks.phases.iter().enumerate() {
                let flop = |task: u64| factor(&tasks.spread, drawn + task) * entry(&of.each_flop, task);
                team.phase(phase, of.tasks, &|task| workshop.task(phase, flop(task)));
                drawn += of.tasks;
                if counts.aborted() {
                    return;
                }
            }
            if neighbours.call(number, &team).is_none() {
                return;
            }
            neighbours.end(number, call);
            team.progress(number);
        }
        counts.of_app(order.app, OfApp::Finished).store(now_ns(), SeqCst);
        counts.tell();
    });
    // At the end, so that what the system moved meanwhile is seen, and nobody's time is taken for it.
    workshop.note_pages();
    Ok(())
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Entry k mod length; 0 of nothing.
fn entry(list: &[f64], number: u64) -> f64 {
    let length = list.len().max(1) as u64;
    usize::try_from(number % length).ok().and_then(|at| list.get(at)).copied().unwrap_or(0.0)
}

fn factor(spread: &[f64], number: u64) -> f64 {
    if spread.is_empty() { 1.0 } else { entry(spread, number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_repeat_their_list() {
        assert_eq!([0, 1, 2].map(|task| entry(&[3.0, 4.0], task)), [3.0, 4.0, 3.0]);
        assert_eq!((entry(&[], 1), factor(&[], 1), factor(&[0.5], 7)), (0.0, 1.0, 0.5));
    }

    #[test]
    fn an_order_that_is_none_is_refused_in_one_line() {
        let refused = serve("{}").expect_err("no order");
        assert!(
            refused.starts_with("this is for numasim itself") && refused.lines().count() == 1,
            "{refused}"
        );
    }
}

//! The other side of [`super::processes`]: a process that measures one application.

use numasim_host::os::shared::Shared;

use super::RunError;
use super::gate::Gate;
use super::group::{self, Start};
use super::order::{Answer, Order};
use super::pool::Pool;

/// Measures what the text of an order says, together with the other processes of the measurement, and returns the text
/// of the answer.
///
/// For the program that [`super::WORKER_COMMAND`] starts; the order comes from its standard input, the answer goes to
/// its standard output. Every failure is in the answer.
pub fn serve(order: &str) -> String {
    let answer = answer(order).unwrap_or_else(Answer::Failed);
    serde_json::to_string(&answer).unwrap_or_default() // plain values: it cannot fail
}

fn answer(order: &str) -> Result<Answer, String> {
    let order: Order = serde_json::from_str(order).map_err(|error| {
        format!("this is for numasim itself, which starts it with an order on standard input: {error}")
    })?;
    let gate = Shared::<Gate>::inherited(order.gate).map_err(|error| format!("no shared memory: {error}"))?;
    let message = measure(&order, &gate);
    if !matches!(message, Ok(Answer::Measured(_))) {
        gate.abort();
    }
    message
}

fn measure(order: &Order, gate: &Gate) -> Result<Answer, String> {
    let Order { all_threads, threads_before, ref app, ref settings, .. } = *order;
    let start = Start { gate, all_threads, threads_before, settings };
    // The starting process conducts.
    match group::measure(std::slice::from_ref(app), &mut Pool::default(), start, || Ok(())) {
        Ok(((), apps)) => Ok(Answer::Measured(apps.into_iter().flat_map(|app| app.threads).collect())),
        Err(RunError::Interrupted) => Ok(Answer::Aborted),
        Err(error) => Err(error.to_string()),
    }
}

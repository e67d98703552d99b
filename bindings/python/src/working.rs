//! Work on a separate thread, while this thread listens for Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use numasim_ask::Clock;
use numasim_ask::explored::WhyUnproven;
use numasim_sim::search::over_models::Shared;
use numasim_sim::search::{Monitor, Progress};
use pyo3::prelude::*;

/// Interval between checks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Signals to running work.
#[derive(Debug)]
pub(crate) struct Stop {
    interrupted: AtomicBool,
    out_of_time: AtomicBool,
    start: Instant,
    limit: Option<Duration>,
    /// The fraction of the limit that is reserved for the steps after the search.
    kept_back: Mutex<Duration>,
}

impl Stop {
    /// `limit`: time after which work must stop with the result so far.
    pub(crate) fn after(limit: Option<Duration>) -> Self {
        let no = || AtomicBool::new(false);
        Self {
            interrupted: no(),
            out_of_time: no(),
            start: Instant::now(),
            limit,
            kept_back: Mutex::default(),
        }
    }

    /// The same interruption with a separate clock.
    pub(crate) fn for_one(&self, limit: Option<Duration>) -> OnePoint<'_> {
        OnePoint { stop: self, start: Instant::now(), limit }
    }

    /// Whether the user asked to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

impl Monitor for Stop {
    fn stop(&self) -> bool {
        // The whole time: a search that used up its fraction leaves the rest to others.
        self.is_interrupted() || self.is_over(1.0)
    }

    fn progress(&self, _: &Progress) {}
}

impl Shared for Stop {
    fn is_over(&self, part: f64) -> bool {
        let over = self.limit.is_some_and(|limit| {
            let kept_back = *self.kept_back.lock().unwrap_or_else(PoisonError::into_inner);
            self.start.elapsed() >= limit.saturating_sub(kept_back).mul_f64(part)
        });
        if over {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        over
    }
}

impl Clock for Stop {
    fn elapsed_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn limit(&self) -> Option<Duration> {
        self.limit
    }

    fn ended_by(&self) -> Option<WhyUnproven> {
        self.out_of_time.load(Ordering::Relaxed).then_some(WhyUnproven::TimeLimit)
    }

    fn keep_back(&self, time: Duration) {
        let kept = self.limit.map_or(Duration::ZERO, |limit| time.min(limit / 2));
        *self.kept_back.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    fn another(&self, limit: Option<Duration>) -> Box<dyn Clock + '_> {
        Box::new(self.for_one(limit))
    }
}

/// One of several searches that get equal time.
#[derive(Debug)]
pub(crate) struct OnePoint<'a> {
    stop: &'a Stop,
    start: Instant,
    limit: Option<Duration>,
}

impl Monitor for OnePoint<'_> {
    fn stop(&self) -> bool {
        self.stop.is_interrupted() || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    fn progress(&self, _: &Progress) {}
}

impl Shared for OnePoint<'_> {
    fn is_over(&self, part: f64) -> bool {
        self.limit.is_some_and(|limit| self.start.elapsed() >= limit.mul_f64(part))
    }
}

impl Clock for OnePoint<'_> {
    fn elapsed_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn limit(&self) -> Option<Duration> {
        self.limit
    }

    fn ended_by(&self) -> Option<WhyUnproven> {
        self.is_over(1.0).then_some(WhyUnproven::TimeLimit)
    }

    fn keep_back(&self, _: Duration) {}

    fn another(&self, limit: Option<Duration>) -> Box<dyn Clock + '_> {
        Box::new(self.stop.for_one(limit))
    }
}

/// Whether the work is over, including by a panic.
struct Over<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for Over<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

/// Does `work` without the interpreter lock. After Ctrl-C, or any signal whose handler raises, `stop` becomes true and the
/// work ends soon.
///
/// # Errors
/// The exception of the signal handler, such as `KeyboardInterrupt`; no thread can be started.
pub(crate) fn work<T: Send>(py: Python<'_>, stop: &Stop, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let over = (Mutex::new(false), Condvar::new());
    let mut raised = None;
    let result = std::thread::scope(|scope| {
        let working = std::thread::Builder::new().name("numasim".to_owned()).spawn_scoped(scope, || {
            let _over = Over(&over);
            work()
        })?;
        while !py.detach(|| is_over(&over)) {
            if raised.is_none()
                && let Err(error) = py.check_signals()
            {
                stop.interrupted.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        PyResult::Ok(working.join())
    })?;
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}

/// Waits briefly for the end of the work.
fn is_over((over, changed): &(Mutex<bool>, Condvar)) -> bool {
    let over = over.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = changed.wait_timeout_while(over, LOOK, |over| !*over);
    *waited.unwrap_or_else(PoisonError::into_inner).0
}

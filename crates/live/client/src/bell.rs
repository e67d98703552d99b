//! A bell that wakes the thread that sends statuses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Wakes the thread that sends statuses when a status is due before its time.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Mutex<bool>,
    sound: Condvar,
}

impl Bell {
    /// Wakes the listener, or makes its next [`Bell::listen`] return immediately.
    pub fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.sound.notify_all();
    }

    /// Waits for the bell, at most until `end`. Returns whether it rang.
    pub fn listen(&self, end: Instant) -> bool {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let time = end.saturating_duration_since(Instant::now());
        let quiet = |rung: &mut bool| !*rung;
        let (mut rung, _) =
            self.sound.wait_timeout_while(rung, time, quiet).unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *rung)
    }

    /// Waits for a time, or until `stop` is set and the bell rings.
    pub fn pause(&self, time: Duration, stop: &AtomicBool) {
        let end = Instant::now() + time;
        while !stop.load(Ordering::Acquire) && Instant::now() < end {
            self.listen(end);
        }
    }
}

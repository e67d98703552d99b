//! The tasks of a phase in one iteration.

use numasim_model::dynamics::Work;

use crate::spread::Spread;

/// The work of a phase in one iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tasks {
    /// GFLOP of all.
    pub(super) sum: f64,
    /// GFLOP of the longest and the shortest task; 0 for divisible work.
    pub(super) longest: f64,
    pub(super) shortest: f64,
    /// 0 for divisible work.
    pub(super) count: u64,
}

impl Tasks {
    /// `None` where `stop` says so.
    pub(super) fn of(
        work: &Work,
        spread: &mut Spread,
        is_spread: bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        /// After so many tasks it is asked.
        const UNHEARD: u64 = 1 << 20;
        let sum = work.total().value();
        Some(match work {
            Work::Divisible(_) => Self { sum, longest: 0.0, shortest: 0.0, count: 0 },
            Work::Tasks { count, each } => {
                // Each entry of the list once, or each task where no two are equal.
                let different = if is_spread { *count } else { (*count).min(each.len() as u64) };
                let mut tasks = Self { sum: 0.0, longest: 0.0, shortest: f64::INFINITY, count: *count };
                for number in 0..different {
                    if number % UNHEARD == UNHEARD - 1 && stop() {
                        return None;
                    }
                    let gflop = work.of_task(number).value() * spread.next();
                    tasks.sum += gflop;
                    tasks.longest = tasks.longest.max(gflop);
                    tasks.shortest = tasks.shortest.min(gflop);
                }
                if !is_spread {
                    tasks.sum = sum;
                }
                tasks.shortest = tasks.shortest.min(tasks.longest);
                tasks
            }
        })
    }
}

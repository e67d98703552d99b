//! The simulation of a graph. `simulation` runs one instant after the other; the other modules are its parts (`README.md` in this
//! folder).

mod caches;
mod flows;
mod living;
mod master;
mod profile;
mod simulation;
#[cfg(test)]
pub(crate) mod testing;
mod work;
mod workers;

#[cfg(test)]
mod tests;

use numasim_graph::Dependencies;
use numasim_model::sharing::Network;

pub use self::profile::{Profiler, profile};
use self::simulation::Simulation;
use crate::bound::{LowerBound, lower_bound};
pub(crate) use crate::engine::living::{Living, Ready};
pub use crate::engine::master::Creation;
pub(crate) use crate::engine::master::{Around, Master};
use crate::error;
use crate::error::TasksError;
use crate::invariants;
use crate::question::Question;
use crate::result::Observer;
use crate::result::Run;
use crate::schedulers;
use crate::schedulers::Scheduler;
use crate::sockets::Sockets;

/// Simulates a graph under a scheduler.
///
/// # Errors
/// Every variant of [`TasksError`]; [`TasksError::TooManyEdges`] only for tree programs.
pub fn simulate(question: &Question<'_>, observer: &mut dyn Observer) -> Result<Run, TasksError> {
    error::check(question)?;
    let sockets = Sockets::new(question.machine);
    let scheduler = schedulers::make(question, &sockets)?;
    let network = Network::new(question.machine);
    let run = Simulation::new(question, &sockets, &network, scheduler, observer)?.run()?;
    debug_assert_eq!(
        invariants::of_run(question, &run, bound_of(question).as_ref()),
        [],
        "a fault of the simulation"
    );
    Ok(run)
}

/// Simulates a graph under a scheduler of the caller: that of the question is ignored. Every task that the scheduler hands out must be
/// ready and not taken; this is not checked.
///
/// # Errors
/// As [`simulate`]; [`TasksError::NeverEnds`] if it hands out nothing although tasks are ready.
pub fn simulate_under(
    question: &Question<'_>,
    scheduler: Box<dyn Scheduler + '_>,
    observer: &mut dyn Observer,
) -> Result<Run, TasksError> {
    error::check(question)?;
    let sockets = Sockets::new(question.machine);
    let network = Network::new(question.machine);
    Simulation::new(question, &sockets, &network, scheduler, observer)?.run()
}

/// The lower bound on the makespan; `None` beyond 2^32 edges.
fn bound_of(question: &Question<'_>) -> Option<LowerBound> {
    Dependencies::of(question.graph).map(|dependencies| lower_bound(question, &dependencies))
}

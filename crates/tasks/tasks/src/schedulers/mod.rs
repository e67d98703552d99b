//! Who decides which task runs where: each scheduler in a file, a value that is told what happens and asked for tasks.
//!
//! [`Scheduler`] is what they have in common, `start` and `tree` what they say and hear, `placed` what those have in common that give each task a socket; `queues`, `weights`,
//! `round_robin`, `dep_table`, `given` and `draw` are what several of them use.

mod arena_per_node;
mod dep;
mod dep_table;
mod draw;
mod fifo;
mod given;
mod heft;
mod hint;
mod placed;
mod queues;
mod random_steal;
mod rip;
mod round_robin;
mod sa;
mod scheduler;
mod start;
mod static_loops;
mod taskloop_affinity;
mod tbb;
mod tracked;
mod tree;
mod weights;

#[cfg(feature = "reference")]
pub(crate) use heft::Estimate;
pub use scheduler::{Partitioning, Pause, Scheduler, View};
pub use start::{Round, Source, Start};
pub use tree::{Fallbacks, HandOver};

use numasim_graph::values::SchedulerKind;

use self::placed::Placed;
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::Sockets;

/// The scheduler that `question` asks for.
///
/// # Errors
/// What it refuses of the question: [`TasksError::NoSocket`], [`TasksError::NoCores`], [`TasksError::Intersection`], [`TasksError::NoPlan`].
pub(crate) fn make<'a>(
    question: &Question<'a>,
    sockets: &Sockets,
) -> Result<Box<dyn Scheduler + 'a>, TasksError> {
    Ok(match question.scheduler.kind {
        SchedulerKind::Fifo => Box::new(fifo::Fifo::new(question, sockets)),
        SchedulerKind::Sa => Box::new(sa::sa(question, sockets)?),
        SchedulerKind::Dep => Box::new(Placed::new(dep::Dep::new(question, sockets), question, sockets)),
        SchedulerKind::RandomSteal => Box::new(random_steal::RandomSteal::new(question, sockets)),
        SchedulerKind::RipDep | SchedulerKind::RipSp | SchedulerKind::RipMw => {
            Box::new(Placed::new(rip::Rip::new(question, sockets)?, question, sockets))
        }
        SchedulerKind::Heft => Box::new(heft::heft(question, sockets)?),
        SchedulerKind::Tracked => {
            Box::new(Placed::new(tracked::Tracked::new(question, sockets), question, sockets))
        }
        SchedulerKind::Tbb | SchedulerKind::TbbNuma => Box::new(tbb::Tbb::new(question, sockets)),
        SchedulerKind::Hint => Box::new(hint::Hint::of_programmer(sockets)),
        SchedulerKind::Plan => Box::new(hint::Hint::of_plan(question, sockets)?),
        SchedulerKind::ArenaPerNode => Box::new(arena_per_node::ArenaPerNode::new(question, sockets)),
        SchedulerKind::TaskloopAffinity => {
            Box::new(taskloop_affinity::TaskloopAffinity::new(question, sockets))
        }
        SchedulerKind::Static => Box::new(static_loops::StaticLoops::new(question, sockets)),
    })
}

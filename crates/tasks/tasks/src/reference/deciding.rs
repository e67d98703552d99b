//! Who decides: each scheduler with its queues as plain lists.
//!
//! `fifo`, `random_steal`, `static_loops`, `arenas` and `nearest` are one scheduler each, `hints` is `hint` and `plan`, `libraries` is `tbb` and
//! `tbb-numa`, and `given` all that give each task a node, by `weights`, `windows` or a plan (`planned`).

mod arenas;
mod fifo;
mod given;
mod hints;
mod libraries;
mod nearest;
mod planned;
mod random_steal;
mod static_loops;
mod weights;
mod windows;

use numasim_graph::values::SchedulerKind;

use super::decides::Decides;
use crate::error::TasksError;
use crate::question::Question;

/// The scheduler that a question asks for.
pub(super) fn make<'a>(question: &'a Question<'a>) -> Result<Box<dyn Decides + 'a>, TasksError> {
    use SchedulerKind as Kind;
    Ok(match question.scheduler.kind {
        Kind::Fifo => Box::new(fifo::Fifo::new(question)),
        Kind::RandomSteal => Box::new(random_steal::OwnQueues::new(question)),
        Kind::Sa | Kind::Dep | Kind::Tracked | Kind::Heft | Kind::RipDep | Kind::RipSp | Kind::RipMw => {
            Box::new(given::Given::new(question)?)
        }
        Kind::Tbb | Kind::TbbNuma => Box::new(libraries::Library::new(question)),
        Kind::Hint | Kind::Plan => Box::new(hints::Hints::new(question)?),
        Kind::ArenaPerNode => Box::new(arenas::Arenas::new(question)),
        Kind::TaskloopAffinity => Box::new(nearest::Nearest::new(question)),
        Kind::Static => Box::new(static_loops::StaticLoops::new(question)),
    })
}

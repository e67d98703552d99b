//! What plots show of a machine and of an evaluated scenario: from the values of the model to plain figures.

mod compared;
mod machine;
mod published;
#[cfg(test)]
mod tests;
mod threads;

pub(crate) use compared::{bars, scatter};
pub(crate) use machine::{matrix, roofline};
pub(crate) use published::published;
pub(crate) use threads::{machine_map, thread_map};

use super::{ScenarioView, figures};
use crate::plot::Heading;

/// The machine, and which scenario is shown.
fn heading(view: &ScenarioView<'_>) -> Heading {
    Heading {
        title: figures::machine(view.machine),
        subtitle: format!(
            "scenario {}: {} GFLOPS, model {}",
            view.name,
            figures::single(view.evaluation.total.value()),
            view.machine.sharing().name()
        ),
    }
}

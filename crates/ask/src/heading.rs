//! What stands above the plots of a scenario.

use numasim_draw::{Heading, figures};

use crate::{ScenarioView, machine_title};

/// The machine, and which scenario is shown.
pub fn heading(view: &ScenarioView<'_>) -> Heading {
    Heading {
        title: machine_title(view.machine),
        subtitle: format!(
            "scenario {}: {} GFLOPS, model {}",
            view.name,
            figures::single(view.evaluation.total.value()),
            view.machine.sharing().name()
        ),
    }
}

//! `numasim explore --pareto FIRST,SECOND`: what one objective costs in the other.

use numasim_ask::evaluate::MOST_FIGURES;
use numasim_ask::explore::static_work_warning;
use numasim_ask::{Pareto, document, table};

use super::{in_pool, objective, open_plot, restrictions};
use crate::args::{ExploreArgs, ObjectivePair};
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::view::{front, plots};
use crate::watch::{Parts, Watch};

/// Runs the command.
pub(super) fn run(args: &ExploreArgs, pair: ObjectivePair, shell: &Shell) -> Result<(), Failure> {
    let input = files::read_input(&args.study.files)?;
    let input = sharing::choose_for(input, args.study.model, shell)?.placed(&args.placing.asked())?;
    let what = "its figures here are those of work shared by speed, as in the search";
    shell.warn_all(static_work_warning(&input.study, what).as_slice());
    let destination = Destination::open(args.output.output.as_deref())?;
    let picture = open_plot(args)?;
    let question = Pareto {
        objectives: pair.0.map(objective),
        restrictions: restrictions(args),
        seed: args.seed,
        most_figures: Some(MOST_FIGURES),
        ..Pareto::new(&input)
    };
    let start = Watch::start(args.time_limit, question.objectives[0], shell);
    let parts = Parts::new(start, question.objectives);
    let searched = || numasim_ask::pareto(&question, &parts.watch, &parts);
    let found = in_pool(args.placing.workers(), searched)??;
    shell.warn_all(&found.notes());
    if let Some(picture) = picture {
        picture.deliver(&plots::front(&found).svg())?;
    }
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| front::table(&found, style))
        }
        Format::Json => return destination.deliver_by(|out| document::write(&found, out)),
        Format::Csv => table::csv(&found.columns(), found.rows()),
    };
    destination.deliver(&text)
}

//! From a profile to a plan for any number of iterations.

use std::path::Path;

use numasim_plan::{File, analyse, plan};

use crate::args::PlanArgs;
use crate::failure::Failure;
use crate::files::{PlainFiles, Stop};
use crate::output::{Destination, Folder, Format};
use crate::shell::Shell;
use crate::view::planned;
use crate::watch;
use numasim_ask::plan::{ProfilePlan, of_profile};
use numasim_ask::{document, table};

/// Reads the profile in `from`, and writes the plan.
pub(super) fn run(args: &PlanArgs, from: &Path, shell: &Shell) -> Result<(), Failure> {
    let profile =
        PlainFiles::in_folder(from, &File::PROFILE, "a profile is a folder with the files ptrace-*.csv")?;
    let names = File::PLAN.map(File::name);
    let folder = Folder::open(&args.output, &names, "-o")?;
    let told = Destination::open(None)?;
    watch::listen();
    let pattern = args.pattern.unwrap_or_default();
    let plan = analyse::<Stop>(pattern, |file, each| profile.feed(file, each))
        .map_err(|stop| profile.failure(stop))?;
    profile.are_unchanged()?;
    let [dbs, tree, toml] = names;
    folder.write_whole(|files| {
        files.write(dbs, |out| plan::write_dbs(&plan, out))?;
        files.write(tree, |out| plan::write_tree(&plan, out))?;
        files.write(toml, |out| plan::write_toml(&plan, out))
    })?;
    match args.format {
        format @ (Format::Table | Format::Markdown) => {
            told.deliver(&shell.for_people(format, false, |style| planned::table(&plan, style)))
        }
        Format::Json => told.deliver_by(|out| document::write(&ProfilePlan::from(&plan), out)),
        Format::Csv => told.deliver(&table::csv(&of_profile(&plan), plan.planned())),
    }
}

//! `numasim profile`: the files `ptrace-*.csv` of a tree program.

mod program;
mod writing;

use numasim_model::Study;
use numasim_plan::File;

use self::program::Program;
use crate::args::ProfileArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Folder};
use crate::sharing;
use crate::shell::Shell;
use crate::view::machine_title;
use crate::watch;

/// Runs the command.
pub(crate) fn run(args: &ProfileArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::choose_for(files::read_input(&args.files)?, args.model, shell)?;
    let graph = super::tasks::graph(&input, args.graph.as_deref())?;
    let study = &input.study;
    let program = Program::of(&study.machine, &graph)?;
    let names = File::PROFILE.map(File::name);
    let folder = Folder::open(&args.output, &names, "-o")?;
    let told = Destination::open(None)?;
    watch::listen();
    folder.write_whole(|files| writing::write(&study.machine, &program, files))?;
    told.deliver(&summary(study, &program))
}

/// What was written, in a few lines.
fn summary(study: &Study, program: &Program<'_>) -> String {
    let graph = program.profiled.graph();
    format!(
        "Machine: {}\nModel:   {}\nGraph:   {}: {} tasks, {} accesses, {} blocks\nNodes:   near {}, far {}\n",
        machine_title(&study.machine),
        study.machine.sharing().in_words(),
        graph.name(),
        graph.task_count(),
        graph.access_count(),
        graph.blocks().len(),
        program.near(),
        program.far(),
    )
}

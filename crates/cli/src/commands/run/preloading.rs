//! The library that puts OpenMP and oneTBB programs under the control of the agent: its location, and the environment of such a program.

use std::path::{Path, PathBuf};

use numasim_course::{Course, Study};
use numasim_host::system::NodeCores;
use numasim_model::order::Control;

use crate::args::RunArgs;
use crate::commands::run::planning;
use crate::failure::Failure;
use crate::shell::Shell;

/// Its file, next to the program or in `lib/numasim` next to the folder of the program.
const FILE: &str = "libnumasim_agent.so";
/// Variable with the libraries that the system loads before those of a program.
const PRELOAD: &str = "LD_PRELOAD";

/// The library: the requested one, else the one installed with this program. If there is none, returns `None`, with a warning for each
/// program that needs it.
///
/// # Errors
/// No such file, or a path that `LD_PRELOAD` does not support.
pub(super) fn library(args: &RunArgs, study: &Study, shell: &Shell) -> Result<Option<PathBuf>, Failure> {
    let library = found(args.agent_library.as_deref())?;
    let apps = study.apps.iter().zip(&study.dynamics.courses);
    for (app, _) in apps.filter(|(_, course)| is_for(course) && library.is_none()) {
        let name = &app.name;
        shell.warn(format!(
            "'{name}' follows orders only if it connects to the agent itself: {FILE} is not installed with numasim, and --agent-library names none"
        ));
    }
    Ok(library)
}

fn found(asked: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let found = match asked {
        Some(path) if !path.is_file() => {
            return Err(Failure::input(format!("there is no library {}", path.display()))
                .hint(format!("--agent-library and NUMASIM_LIBRARY name a {FILE}")));
        }
        Some(path) => Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())),
        None => std::env::current_exe().ok().and_then(|program| beside(&program)),
    };
    match found {
        Some(path) if path.display().to_string().contains([' ', ':']) => Err(Failure::input(format!(
            "{} has a space or a colon in its path, which {PRELOAD} takes for the end of a name",
            path.display()
        ))
        .hint("name a copy elsewhere with --agent-library")),
        found => Ok(found),
    }
}

fn beside(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let installed = folder.parent().map(|above| above.join("lib/numasim").join(FILE));
    [Some(folder.join(FILE)), installed].into_iter().flatten().find(|path| path.is_file())
}

/// Whether the library supports an external program: its commands are those that OpenMP and oneTBB can follow.
fn is_for(course: &Course) -> bool {
    course.command.is_some() && matches!(course.control, Control::Total | Control::PerNode)
}

/// The environment of an external program, with or without the library.
pub(super) fn environment(
    library: Option<&Path>,
    course: &Course,
    host: &[NodeCores],
) -> Vec<(String, String)> {
    let (ours, openmp) = match library.filter(|_| is_for(course)) {
        Some(library) => (steered(library, course, host), openmp(course)),
        None => (Vec::new(), numasim_agent::load::variables(&planning::cores(host, course))),
    };
    // The user may have set the variables of OpenMP.
    let unset = openmp.into_iter().filter(|(key, _)| std::env::var_os(key).is_none());
    ours.into_iter().chain(unset).collect()
}

/// The variables that the library reads.
fn steered(library: &Path, course: &Course, host: &[NodeCores]) -> Vec<(String, String)> {
    let before = std::env::var(PRELOAD).ok().filter(|list| !list.is_empty());
    let preload = [Some(library.display().to_string()), before].into_iter().flatten();
    let joined = |numbers: &mut dyn Iterator<Item = u32>| {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",")
    };
    let variable = |name: &str, value: String| (name.to_owned(), value);
    vec![
        variable(PRELOAD, preload.collect::<Vec<_>>().join(":")),
        variable("NUMASIM_CONTROL", course.control.as_str().to_owned()),
        variable("NUMASIM_NODES", joined(&mut host.iter().map(|node| node.number))),
        variable("NUMASIM_THREADS", joined(&mut course.threads.iter().copied())),
    ]
}

/// The variables of OpenMP with the library, which binds threads itself.
fn openmp(course: &Course) -> Vec<(String, String)> {
    let variable = |name: &str, value: String| (name.to_owned(), value);
    vec![
        variable("OMP_NUM_THREADS", course.thread_count().to_string()),
        // Otherwise the runtime may create fewer threads when the system is busy.
        variable("OMP_DYNAMIC", "false".into()),
        // Threads of LLVM's OpenMP spin for 200 ms after a region, including those that the next command leaves out. Threads of GNU's
        // OpenMP spin for about 3 ms.
        variable("KMP_BLOCKTIME", "3".into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_next_to_the_program_or_where_it_is_installed() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("bin/numasim");
        std::fs::create_dir_all(folder.path().join("bin")).expect("a folder");
        std::fs::create_dir_all(folder.path().join("lib/numasim")).expect("a folder");
        assert_eq!(beside(&program), None);
        for place in ["lib/numasim", "bin"] {
            let file = folder.path().join(place).join(FILE);
            std::fs::write(&file, "").expect("a file");
            assert_eq!(beside(&program), Some(file));
        }
    }
}

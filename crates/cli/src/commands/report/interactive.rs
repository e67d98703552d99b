//! Where the what-if page of `--interactive` is. It is WebAssembly of another compiler and cannot be a part of this program.

use std::path::{Path, PathBuf};
use std::{env, fs};

use numasim_study::SourceFile;

use crate::args::Page;
use crate::failure::Failure;
use crate::inputs;
use crate::report::Interactive;

/// Its name.
const NAME: &str = "numasim.html";
/// How to come by it.
const HINT: &str = "bindings/web/build in the sources of numasim makes it: target/web/numasim.html; name it with --interactive=FILE, \
     or put it beside the program";

/// The page that is embedded: the file that is named, else the one beside the program, in `share/numasim` of where it is installed,
/// or in the folder in which it was built.
pub(super) fn embedded(page: &Page, files: &[SourceFile]) -> Result<Option<Interactive>, Failure> {
    let Some(named) = &page.interactive else { return Ok(None) };
    let path = match named {
        Some(path) => path.clone(),
        None => beside_the_program().ok_or_else(|| {
            Failure::input(format!("the what-if page ({NAME}) is not installed with this program")).hint(HINT)
        })?,
    };
    inputs::note(&path);
    let text = fs::read_to_string(&path).map_err(|error| {
        Failure::input(format!("{} cannot be read", path.display())).caused_by(&error).hint(HINT)
    })?;
    let version = env!("CARGO_PKG_VERSION");
    let made = Interactive::new(&text, files).ok_or_else(|| {
        Failure::input(format!("{} is not the what-if page of numasim {version}", path.display())).hint(HINT)
    })?;
    Ok(Some(made))
}

fn beside_the_program() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let folder = program.parent()?;
    let above = folder.parent().unwrap_or(folder);
    let places = [folder.join(NAME), above.join("share/numasim").join(NAME), above.join("web").join(NAME)];
    places.into_iter().find(|place: &PathBuf| Path::is_file(place))
}

//! Lists the files of `configs/` for the catalogue (`src/catalog.rs`): adding a file there adds it to the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let configs = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../configs");
    let mut files = Vec::new();
    collect(&configs, &configs, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for (name, path) in files {
        // The `Debug` form of a text is a Rust literal. Writing to a String cannot fail.
        let _ = writeln!(list, "    ({name:?}, include_str!({:?})),", path.canonicalize()?.to_string_lossy());
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("catalog.rs"), list)
}

/// The TOML files below `folder` with their paths from `root`, without the extension and with `/` on every system.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let stem = path.with_extension("");
            let parts = stem.strip_prefix(root).unwrap_or(&stem).components();
            let parts: Vec<String> =
                parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            files.push((parts.join("/"), path));
        }
    }
    Ok(())
}

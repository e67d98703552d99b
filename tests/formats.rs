//! `--format markdown` and the JSON Schemas of command output: every command that has a table or a schema, on small
//! files.

mod markdown;
mod schemas;

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{config_path, folder, repository, run, stdout};

/// Names that look like markup. Two nodes of two cores.
const ODD_NAMES: &str = r##"
[machine]
name = "a | b <img src=x> `c`"
nodes = 2
cores_per_node = 2
gflops_per_core = 10.0
bandwidth_gbs = 20.0
link_gbs = 5.0

[machine.provenance]
bandwidth_gbs = { kind = "measured", source = "1. STREAM\n| two | lines |", interval95_percent = 2 }

[[app]]
name = "mem*|*<b>\\"
arithmetic_intensity = 0.5

[[app]]
name = "_cpu_ [x](y) # 1"
arithmetic_intensity = 8.0

[[scenario]]
name = "# even | 1. $x$"
threads = { "mem*|*<b>\\" = 1, "_cpu_ [x](y) # 1" = 1 }

[[scenario]]
name = "- apart"
threads = { "mem*|*<b>\\" = [2, 0], "_cpu_ [x](y) # 1" = [0, 2] }
"##;

/// Four tasks a step on two nodes.
const STENCIL: &str = "[machine]\nname = \"M2\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10.0\nbandwidth_gbs = 20.0\n\
     link_gbs = 5.0\n[graph]\ngenerator = \"stencil2d\"\nn = 256\nrows = 2\ncolumns = 2\niterations = 3\n";

/// The output of a command in a format.
fn printed(args: &[&str], format: &str) -> String {
    stdout(&run(&[args, &["--format", format]].concat()))
}

/// A file with this text.
fn written(folder: &Path, name: &str, text: &str) -> String {
    let file: PathBuf = folder.join(name);
    fs::write(&file, text).expect("a file for the test");
    file.display().to_string()
}

/// Table III and its measurements, for `compare` and `fit`.
fn table_iii() -> [String; 3] {
    let measured = repository("results/paper-table-iii/measured.csv").display().to_string();
    [config_path("paper/table-iii-all.toml"), "--measured".to_owned(), measured]
}

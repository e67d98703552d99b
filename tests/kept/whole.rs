//! Folders are written completely, and readers reject incomplete ones.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::{content, in_folder};
use crate::common::{folder, numasim, stderr};

/// Two nodes with two cores.
pub(super) const MACHINE: &str = "[machine]\nname = \"M2\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10.0\n\
     bandwidth_gbs = 20.0\nlink_gbs = 5.0\n";

/// The same, and a stencil with the given number of iterations.
pub(super) fn stencil(iterations: u32) -> String {
    format!(
        "{MACHINE}[graph]\ngenerator = \"stencil2d\"\nn = 256\nrows = 2\ncolumns = 2\niterations = {iterations}\n"
    )
}

fn files() -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("machine.toml"), MACHINE).expect("a file for the test");
    fs::write(folder.path().join("small.toml"), stencil(2)).expect("a file for the test");
    fs::write(folder.path().join("large.toml"), stencil(40)).expect("a file for the test");
    folder
}

#[track_caller]
fn done(at: &Path, args: &str) {
    let done = in_folder(at, &args.split(' ').collect::<Vec<_>>());
    assert!(done.status.success(), "{args}: {}", stderr(&done));
}

#[test]
fn a_folder_of_a_killed_run_is_refused_and_repaired_by_the_next_run() {
    let folder = files();
    let at = folder.path();
    done(at, "profile small.toml -o profile");
    done(at, "plan profile -o plan");
    done(at, "tasks small.toml --emit-graph graph");
    for (read, args) in [
        ("plan", "tasks small.toml --scheduler plan --plan plan"),
        ("graph", "tasks machine.toml --graph graph"),
        ("graph", "plan machine.toml --graph graph -o new"),
        ("graph", "profile machine.toml --graph graph -o new"),
        ("profile", "plan profile -o new"),
    ] {
        fs::create_dir(at.join(read).join(".numasim-unfinished")).expect("a folder for the test");
        let refused = in_folder(at, &args.split(' ').collect::<Vec<_>>());
        assert_eq!(refused.status.code(), Some(1), "{args}: {}", stderr(&refused));
        let said = format!("{read} has files of two runs: numasim was stopped while it wrote them");
        assert!(stderr(&refused).contains(&said), "{args}: {}", stderr(&refused));
        fs::remove_dir(at.join(read).join(".numasim-unfinished")).expect("removed");
    }
    fs::create_dir(at.join("plan/.numasim-unfinished")).expect("a folder for the test");
    done(at, "plan profile -o plan");
    done(at, "tasks small.toml --scheduler plan --plan plan");
}

#[test]
fn other_files_stay_in_a_folder_that_is_written() {
    let folder = files();
    let at = folder.path();
    for (args, name) in [
        ("profile small.toml -o p", "p"),
        ("plan small.toml -o q", "q"),
        ("tasks small.toml --emit-graph g", "g"),
        ("man --dir m", "m"),
    ] {
        fs::create_dir_all(at.join(name).join("notes")).expect("a folder for the test");
        fs::write(at.join(name).join("notes/mine.txt"), "mine").expect("a file for the test");
        done(at, args);
        let first = content(&at.join(name));
        done(at, args);
        assert!(content(&at.join(name)) == first, "{args}");
        let alone = format!("{name}-alone");
        done(at, &args.replace(&format!(" {name}"), &format!(" {alone}")));
        assert_eq!(content(&at.join(&alone)).len() + 1, first.len(), "{args}");
    }
    // Nothing else remains next to them.
    let hidden = fs::read_dir(at).expect("a folder").map_while(Result::ok).map(|entry| entry.file_name());
    assert_eq!(hidden.filter(|name| name.to_string_lossy().starts_with('.')).count(), 0);
}

#[test]
fn a_folder_is_written_from_within() {
    let folder = files();
    let here = folder.path().join("here");
    fs::create_dir(&here).expect("a folder for the test");
    for _ in 0..2 {
        let done = in_folder(&here, &["plan", "../small.toml", "-o", "."]);
        assert!(done.status.success(), "{}", stderr(&done));
        // The folder is the same one: a shell inside it sees the files.
        assert_eq!(content(&here).len(), 4);
    }
}

#[test]
fn two_runs_at_once_never_mix_their_files() {
    let folder = files();
    let at = folder.path();
    done(at, "plan small.toml -o a");
    done(at, "plan large.toml -o b");
    let named = |folder: &str| -> Vec<Vec<u8>> {
        content(&at.join(folder)).into_iter().map(|(_, bytes)| bytes).collect()
    };
    let (small, large) = (named("a"), named("b"));
    for _ in 0..5 {
        let children = ["small.toml", "large.toml"].map(|file| {
            let mut command = numasim();
            command
                .current_dir(at)
                .args(["plan", file, "-o", "both"])
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            command.spawn().expect("the program starts")
        });
        for child in children {
            let ended = child.wait_with_output().expect("it ends");
            assert!(
                ended.status.success() || stderr(&ended).contains("another numasim is writing both"),
                "{}",
                stderr(&ended)
            );
        }
        let both = named("both");
        assert!(both == small || both == large);
    }
}

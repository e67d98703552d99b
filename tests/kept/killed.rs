//! Commands that write several files, killed at any moment.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::whole::stencil;
use super::{content, in_folder};
use crate::common::{folder, numasim, stderr};

/// Kills of each command: of two that write the same folder in turn.
const KILLS: u32 = 20;

/// Names without the folder, and contents.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |path: &str| Path::new(path).file_name().expect("a name").to_string_lossy().into_owned();
    content(folder).into_iter().map(|(path, bytes)| (name(&path), bytes)).collect()
}

#[test]
fn a_killed_run_leaves_the_old_folder_or_the_new_one() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("small.toml"), stencil(20)).expect("a file for the test");
    fs::write(at.join("large.toml"), stencil(60)).expect("a file for the test");
    let words = |text: &str, file: &str, out: &str| -> Vec<String> {
        text.split(' ').map(|word| word.replace("FILE", file).replace("OUT", out)).collect()
    };
    for (command, mine) in [
        ("plan FILE.toml -o OUT", false),
        ("plan FILE.toml -o OUT", true),
        ("profile FILE.toml -o OUT", false),
        ("tasks FILE.toml --scheduler fifo --emit-graph OUT", false),
    ] {
        let mut longest = Duration::ZERO;
        let whole = ["small", "large"].map(|file| {
            let begun = Instant::now();
            let args = words(command, file, file);
            let done = in_folder(at, &args.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(done.status.success(), "{}", stderr(&done));
            longest = longest.max(begun.elapsed());
            files(&at.join(file))
        });
        let out = at.join("out");
        fs::create_dir(&out).expect("a folder for the test");
        if mine {
            fs::write(out.join("notes.txt"), "mine").expect("a file for the test");
        }
        for kill in 0..KILLS {
            let file = if kill % 2 == 0 { "small" } else { "large" };
            let mut child = numasim();
            child
                .current_dir(at)
                .args(words(command, file, "out"))
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let mut child = child.spawn().expect("the program starts");
            // Most of the time passes before the files are written: the kills are near its end.
            std::thread::sleep(longest.mul_f64(0.5 + 0.7 * f64::from(kill) / f64::from(KILLS)));
            let _ = child.kill();
            child.wait().expect("it ended");
            let marked = out.join(".numasim-unfinished").exists();
            let mut found = files(&out);
            assert_eq!(found.iter().any(|(name, bytes)| name == "notes.txt" && bytes == b"mine"), mine);
            let is_ours = |name: &str| whole.iter().flatten().any(|(ours, _)| ours == name);
            found.retain(|(name, _)| is_ours(name));
            assert!(
                found.is_empty() || whole.contains(&found) || marked,
                "{command}, kill {kill}: a mixture"
            );
        }
        fs::remove_dir_all(&out).expect("removed");
        for name in ["small", "large"] {
            fs::remove_dir_all(at.join(name)).expect("removed");
        }
    }
}

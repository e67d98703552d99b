//! The what-if page (`bindings/web`) in headless Chromium, from `file://`, and its values compared with those of the
//! program.
//!
//! The page is that of `NUMASIM_WEB_PAGE` (`.ci/web` builds it and sets the variable). Without it these tests print that they
//! test nothing.

#[path = "web/chromium.rs"]
mod chromium;
#[path = "web/embedded.rs"]
mod embedded;
#[path = "web/figures.rs"]
mod figures;
#[path = "web/sight.rs"]
mod sight;
#[path = "web/used.rs"]
mod used;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The page, if it was built and a browser is installed.
fn page() -> Option<String> {
    let Some(path) = std::env::var_os("NUMASIM_WEB_PAGE") else {
        eprintln!("NUMASIM_WEB_PAGE names no page: not tested (.ci/web)");
        return None;
    };
    crate::report::browser::is_there().then(|| std::fs::read_to_string(path).expect("the page can be read"))
}

/// The JSON that the program writes.
fn numasim(args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_numasim"))
        .args(args)
        .args(["--format", "json"])
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

//! Hosts made of files, for tests of code that judges a host (feature `testing`).

#![allow(
    clippy::missing_panics_doc,
    clippy::expect_used,
    reason = "for tests: what fails here fails the test"
)]

use std::fs;
use std::time::Duration;

use numasim_model::cpus::CpuList;
use tempfile::TempDir;

use crate::system::{Facts, System};

/// A host made of files.
pub struct Tree(TempDir);

impl Tree {
    /// With these files: path below the root, text.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(TempDir::new().expect("a temporary folder"));
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    /// Writes or replaces a file.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The host with this root.
    pub fn system(&self) -> System {
        System::at(self.0.path())
    }

    /// The facts for logical CPUs 0 and 1, without a sample of their load.
    pub fn facts(&self) -> Facts {
        self.system().facts(&cpus("0-1"), Duration::ZERO)
    }
}

/// A list of logical CPUs from its text.
pub fn cpus(list: &str) -> CpuList {
    CpuList::parse(list).expect("a list of processors")
}

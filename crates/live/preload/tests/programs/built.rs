//! The library, and programs of OpenMP and oneTBB, built with Debian's compilers. If a compiler or a library is missing, its programs are
//! skipped; with `NUMASIM_REQUIRE_TOOLS=1`, as in `.ci/run`, that is a failure.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The repository.
fn root() -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.find(|folder| folder.join("Cargo.lock").exists()).expect("the repository").to_owned()
}

/// `libnumasim_agent.so`. Cargo builds no cdylib for tests, so the first call does.
pub(crate) fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // target/debug/deps/programs-0123: the library is two folders above.
        let this = std::env::current_exe().expect("this test");
        let profile = this.parent().and_then(Path::parent).expect("a folder of a profile");
        let target = profile.parent().expect("the target folder");
        let name = profile.file_name().and_then(|name| name.to_str()).expect("a name");
        let name = if name == "debug" { "test" } else { name };
        let mut build = Command::new(env!("CARGO"));
        build.current_dir(root()).args([
            "build",
            "--locked",
            "--quiet",
            "-p",
            "numasim-preload",
            "--lib",
            "--profile",
            name,
        ]);
        let built = build.arg("--target-dir").arg(target).output().expect("cargo starts");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        profile.join("libnumasim_agent.so")
    })
}

/// A program of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Its name.
    pub(crate) name: &'static str,
    file: &'static str,
    compiler: &'static [&'static str],
    /// After the file.
    libraries: &'static [&'static str],
    package: &'static str,
}

const GNU: &[&str] = &["gcc", "-O2", "-fopenmp"];
const LLVM: &[&str] = &["clang", "-O2", "-fopenmp"];

/// Regions of GNU OpenMP.
pub(crate) const GNU_REGIONS: Source =
    Source { name: "gnu", file: "regions.c", compiler: GNU, libraries: &[], package: "gcc" };
/// Regions of LLVM's OpenMP.
pub(crate) const LLVM_REGIONS: Source =
    Source { name: "llvm", file: "regions.c", compiler: LLVM, libraries: &[], package: "clang libomp-dev" };
/// Every kind of region of GNU OpenMP.
#[allow(dead_code, reason = "not every test that includes this file has it")]
pub(crate) const GNU_ENTRIES: Source = Source {
    name: "gnu-entries",
    file: "entries.c",
    compiler: &["gcc", "-O2", "-fopenmp", "-DOLD_ENTRIES"],
    ..GNU_REGIONS
};
/// Every kind of region of LLVM's OpenMP.
#[allow(dead_code, reason = "not every test that includes this file has it")]
pub(crate) const LLVM_ENTRIES: Source = Source { name: "llvm-entries", file: "entries.c", ..LLVM_REGIONS };
/// Loops of oneTBB.
pub(crate) const TBB_LOOPS: Source = Source {
    name: "tbb",
    file: "tasks.cpp",
    compiler: &["g++", "-O2", "-std=c++17"],
    libraries: &["-ltbb"],
    package: "g++ libtbb-dev",
};

impl Source {
    /// The program, built in this folder; `None` if there is no compiler for it.
    pub(crate) fn built(self, folder: &Path) -> Option<PathBuf> {
        let source = root().join("crates/live/preload/tests/programs/sources").join(self.file);
        let program = folder.join(self.name);
        let (compiler, switches) = self.compiler.split_first().expect("a compiler");
        let compilers = [(*compiler).to_owned(), format!("{compiler}-14")];
        let mut said = format!("{compiler} is not installed");
        for compiler in compilers {
            let mut build = Command::new(compiler);
            let built =
                build.args(switches).arg(&source).arg("-o").arg(&program).args(self.libraries).output();
            match built {
                Ok(built) if built.status.success() => return Some(program),
                Ok(built) => said = String::from_utf8_lossy(&built.stderr).into_owned(),
                Err(_) => {}
            }
        }
        let required = std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!required, "install {} ({said})", self.package);
        println!("skipped: {} needs {}", self.name, self.package);
        None
    }
}

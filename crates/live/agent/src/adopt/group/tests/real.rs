//! Folders of this system, and a real control group if one can be made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use numasim_host::affinity::allowed;
use numasim_host::os::thread::affinity_of;

use super::super::super::{AdoptError, Adopted, Ledger, What};

/// The mount point of cgroup v2 on systems without version 1.
const ROOT: &str = "/sys/fs/cgroup";

fn why(folder: &Path) -> String {
    Adopted::begin(&What::Group(folder.into()), vec![vec![0]], &Ledger::default())
        .expect_err("refused")
        .to_string()
}

#[test]
fn what_is_no_folder_of_cgroup_v2_is_refused() {
    let kept = tempfile::tempdir().expect("a folder");
    let (folder, link, file) = (kept.path().join("f"), kept.path().join("l"), kept.path().join("x"));
    fs::create_dir(&folder).expect("room");
    fs::write(&file, "").expect("room");
    std::os::unix::fs::symlink(&folder, &link).expect("room");
    let no_folder = |path: &Path| format!("there is no folder {}: `cat /proc/PID/cgroup`", path.display());
    for path in [&kept.path().join("missing"), &link, &link.join(""), &file] {
        assert!(why(path).starts_with(&no_folder(path)), "{}", why(path));
    }
    assert!(
        why(&folder).starts_with(&format!("{} is no folder of cgroup v2: ", folder.display())),
        "{}",
        why(&folder)
    );
}

/// A group for this test, with a process in it that sleeps.
struct Made {
    folder: PathBuf,
    child: Child,
}

impl Made {
    /// `None`, which is printed, if no group with a cpuset can be made. If the root delegates cpusets and is writable, that is a failure
    /// with `NUMASIM_REQUIRE_TOOLS=1`. The test does not change the root's delegation: it belongs to the system.
    fn new(name: &str) -> Option<Self> {
        let handed_down = fs::read_to_string(format!("{ROOT}/cgroup.subtree_control")).unwrap_or_default();
        let has_cpuset = handed_down.split_whitespace().any(|one| one == "cpuset");
        let folder = PathBuf::from(format!("{ROOT}/numasim-test-{name}-{}", std::process::id()));
        if !has_cpuset || fs::create_dir(&folder).is_err() {
            let required = std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
            let writable = rustix::fs::access(ROOT, rustix::fs::Access::WRITE_OK).is_ok();
            assert!(!(required && has_cpuset && writable), "no control group can be made in {ROOT}");
            println!("skipped: no control group with a cpuset can be made in {ROOT}");
            return None;
        }
        let child = Command::new("sleep").arg("600").spawn().expect("sleep");
        let made = Self { folder, child };
        fs::write(made.folder.join("cgroup.procs"), made.child.id().to_string()).expect("ours");
        Some(made)
    }

    fn adopt(&self) -> Result<Adopted, AdoptError> {
        let cores = allowed().expect("Linux tells").into_iter().map(|cpu| vec![cpu]).collect();
        Adopted::begin(&What::Group(self.folder.clone()), cores, &Ledger::default())
    }

    fn end(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("an end");
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A process leaves its group a moment after its end.
        let start = Instant::now();
        while fs::remove_dir(&self.folder).is_err() && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_real_group_gets_its_cpuset_and_has_it_back() {
    let Some(mut made) = Made::new("cpuset") else { return };
    let cpus = || affinity_of(made.child.id()).expect("alive");
    let before = cpus();
    let mut adopted = made.adopt().expect("a group");
    assert_eq!((adopted.pid(), adopted.has_ended()), (None, false));
    assert!(adopted.way().is_some_and(|way| way.starts_with("its processors are set in cpuset.cpus")));
    let said = || fs::read_to_string(made.folder.join("cpuset.cpus")).expect("a cpuset");
    let had = said();
    adopted.order(&[0]).expect("possible");
    let first = allowed().expect("Linux tells")[0];
    assert_eq!((cpus(), said().trim()), (vec![first], first.to_string().as_str()));
    adopted.look().expect("possible");
    drop(adopted);
    assert_eq!((cpus(), said()), (before, had));

    // The end is signalled immediately, and once.
    let mut adopted = made.adopt().expect("a group");
    adopted.order(&[0]).expect("possible");
    let told = |adopted: &Adopted, seconds: i64| {
        let watch = adopted.watch().expect("events");
        let patience = rustix::event::Timespec { tv_sec: seconds, tv_nsec: 0 };
        rustix::event::poll(&mut [watch.polled()], Some(&patience)).expect("a number") == 1
    };
    assert!(!told(&adopted, 0), "nothing has happened");
    made.end();
    assert!(told(&adopted, 60));
    assert!(adopted.has_ended() && !told(&adopted, 0));
    adopted.look().expect("nobody to be bound");
}

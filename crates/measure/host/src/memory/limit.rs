//! Memory limits of control groups: containers and batch systems kill what exceeds them.

use std::fs;
use std::path::{Path, PathBuf};

use super::MemoryError;

const GROUPS: &str = "/sys/fs/cgroup";

/// Refuses if a limit on this process leaves less than `wanted_bytes`.
pub(super) fn refuse_if_lower(wanted_bytes: u64) -> Result<(), MemoryError> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    match tightest(Path::new(GROUPS), &own) {
        Some((free_bytes, place)) if free_bytes < wanted_bytes => {
            Err(MemoryError::MemoryLimit { limit: place.display().to_string(), free_bytes, wanted_bytes })
        }
        _ => Ok(()),
    }
}

/// The least that any limit of the process's group and the groups around it leaves, and the file of the limit.
fn tightest(root: &Path, own: &str) -> Option<(u64, PathBuf)> {
    // Version 2: `0::/path`. Version 1 has a path for each kind of resource.
    let groups = own.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (kind, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        if kind.is_empty() {
            Some((root.to_owned(), path, "memory.max", "memory.current"))
        } else if kind.split(',').any(|kind| kind == "memory") {
            Some((root.join("memory"), path, "memory.limit_in_bytes", "memory.usage_in_bytes"))
        } else {
            None
        }
    });
    let limits = groups.flat_map(|(top, path, limit, used)| {
        let group = top.join(path);
        let around: Vec<PathBuf> =
            group.ancestors().take_while(|group| group.starts_with(&top)).map(Path::to_owned).collect();
        around.into_iter().filter_map(move |group| {
            let number = |file: &str| fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
            let (most, used) = (number(limit)?, number(used)?); // `max` is no number: no limit
            Some((most.saturating_sub(used.saturating_sub(files(&group))), group.join(limit)))
        })
    });
    limits.min_by_key(|(free, _)| *free)
}

/// Files in memory that count as used, but give way to data.
fn files(group: &Path) -> u64 {
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let kinds = ["active_file ", "inactive_file "];
    let of = |line: &str| kinds.iter().find_map(|kind| line.strip_prefix(kind)?.trim().parse::<u64>().ok());
    stat.lines().filter_map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).expect("a temporary folder");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("a temporary file");
        }
    }

    #[test]
    fn the_tightest_limit_around_the_process_counts() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let job = root.path().join("slurm/job_7");
        write(&root.path().join("slurm"), &[("memory.max", "5000\n"), ("memory.current", "4500\n")]);
        write(&job, &[("memory.max", "max\n"), ("memory.current", "4500\n")]);
        // 5000 - 4500 = 500 above the job; the job itself has no limit.
        let expected = (500, root.path().join("slurm/memory.max"));
        assert_eq!(tightest(root.path(), "0::/slurm/job_7\n"), Some(expected));
        // 1000 - (900 - 300 - 200) = 600 is not tighter; with 600 - 400 = 200 it is.
        write(&job, &[("memory.max", "1000\n"), ("memory.current", "900\n")]);
        write(&job, &[("memory.stat", "anon 400\nactive_file 300\ninactive_file 200\n")]);
        assert_eq!(tightest(root.path(), "0::/slurm/job_7\n").map(|(free, _)| free), Some(500));
        write(&job, &[("memory.max", "600\n")]);
        assert_eq!(tightest(root.path(), "0::/slurm/job_7\n").map(|(free, _)| free), Some(200));
    }

    #[test]
    fn version_1_has_its_own_files() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let files = [("memory.limit_in_bytes", "900\n"), ("memory.usage_in_bytes", "100\n")];
        write(&root.path().join("memory/box"), &files);
        let own = "5:cpu,cpuacct:/other\n4:memory:/box\n";
        assert_eq!(tightest(root.path(), own).map(|(free, _)| free), Some(800));
    }

    #[test]
    fn no_limit_is_no_limit() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(tightest(root.path(), "0::/\n"), None);
        assert_eq!(tightest(root.path(), ""), None);
    }
}

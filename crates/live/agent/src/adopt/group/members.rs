//! The threads of all processes in a group and in those below it.

use std::io;
use std::path::{Path, PathBuf};

use super::files::Files;
use crate::adopt::threads::{Threads, is_gone};

/// All threads of the processes in a group. `cgroup.procs` names the processes alone, and cannot be read in a group of threads.
const THREADS: &str = "cgroup.threads";

/// See the module.
pub(super) struct Members<'a, F>(pub(super) &'a F);

impl<F: Files> Threads for Members<'_, F> {
    fn list(&self) -> io::Result<Vec<u32>> {
        let mut threads = Vec::new();
        let mut groups = vec![PathBuf::new()];
        while let Some(group) = groups.pop() {
            let is_first = group.as_os_str().is_empty();
            match look(self.0, &group, &mut threads) {
                Ok(below) => groups.extend(below),
                // Removed meanwhile.
                Err(why) if is_gone(&why) && !is_first => {}
                Err(why) => return Err(why),
            }
        }
        Ok(threads)
    }
}

/// The threads of one group; the groups right below it.
fn look(files: &impl Files, group: &Path, threads: &mut Vec<u32>) -> io::Result<Vec<PathBuf>> {
    let text = files.read(&group.join(THREADS))?;
    // 0 is a thread that cannot be seen from this namespace.
    threads
        .extend(text.lines().filter_map(|line| line.trim().parse::<u32>().ok()).filter(|&thread| thread > 0));
    Ok(files.below(group)?.into_iter().map(|name| group.join(name)).collect())
}

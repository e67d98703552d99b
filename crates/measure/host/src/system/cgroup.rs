//! Limits on CPU time by control groups, versions 1 and 2.
//!
//! A limit of any group on the way from the root to the process applies, so all of them are read. Inside a container only the groups from
//! its own upwards to the mount are visible.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::{CpuLimit, System};

/// How often and how long groups of this process were throttled by their limits, since they were created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttled {
    /// Periods in which the time was used up.
    pub periods: u64,
    /// Time that threads waited for the next period, summed over logical CPUs.
    pub waited: Duration,
}

impl Throttled {
    /// The increase since an earlier reading.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            periods: self.periods.saturating_sub(earlier.periods),
            waited: self.waited.saturating_sub(earlier.waited),
        }
    }
}

/// A group of this process: its folder on the host, and the version of its hierarchy.
struct Group {
    folder: PathBuf,
    unified: bool,
}

impl System {
    /// The tightest limit among the groups of this process.
    pub(super) fn cpu_limit(&self) -> Option<CpuLimit> {
        let limits = self.groups().into_iter().filter_map(|group| self.limit(&group));
        limits.min_by(|a, b| a.cpus.total_cmp(&b.cpus))
    }

    /// The throttling of the groups of this process so far; `None` if none counts it. Two readings, before and after a run, show whether
    /// its limits were reached.
    pub fn throttled(&self) -> Option<Throttled> {
        let counts = self.groups().into_iter().filter_map(|group| {
            let text = self.in_group(&group, "cpu.stat")?;
            let value = |key: &str| {
                text.lines()
                    .find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse::<u64>().ok())
            };
            let waited = if group.unified {
                Duration::from_micros(value("throttled_usec")?)
            } else {
                Duration::from_nanos(value("throttled_time")?)
            };
            Some(Throttled { periods: value("nr_throttled")?, waited })
        });
        counts.reduce(|sum, group| Throttled {
            periods: sum.periods.saturating_add(group.periods),
            waited: sum.waited.saturating_add(group.waited),
        })
    }

    fn limit(&self, group: &Group) -> Option<CpuLimit> {
        let name = if group.unified { "cpu.max" } else { "cpu.cfs_quota_us" };
        let text = self.in_group(group, name)?;
        let (quota, period) = if group.unified {
            let mut words = text.split_whitespace();
            // `max 100000`: no limit.
            (words.next()?.parse::<f64>().ok()?, words.next()?.parse::<f64>().ok()?)
        } else {
            let period = self.in_group(group, "cpu.cfs_period_us")?;
            // -1: no limit.
            (text.trim().parse::<f64>().ok()?, period.trim().parse::<f64>().ok()?)
        };
        let file = Path::new("/").join(&group.folder).join(name).display().to_string();
        (quota > 0.0 && period > 0.0).then(|| CpuLimit { cpus: quota / period, file })
    }

    fn in_group(&self, group: &Group, name: &str) -> Option<String> {
        self.text(group.folder.join(name).to_str()?)
    }

    /// The groups of this process that control CPU time, from its own up to the mounts.
    fn groups(&self) -> Vec<Group> {
        let (Some(own), Some(mounts)) = (self.text("proc/self/cgroup"), self.text("proc/self/mountinfo"))
        else {
            return Vec::new();
        };
        let mut groups = Vec::new();
        for line in own.lines() {
            // `4:cpu,cpuacct:/docker/abc`; version 2 has no controllers: `0::/user.slice`.
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
            let unified = controllers.is_empty();
            if !unified && !controllers.split(',').any(|name| name == "cpu") {
                continue;
            }
            let Some(mount) = mounts.lines().find_map(|line| Mount::of_processors(line, unified)) else {
                continue;
            };
            groups.extend(mount.from(path).into_iter().map(|folder| Group { folder, unified }));
        }
        groups
    }
}

/// A mounted hierarchy: `root` of the hierarchy is visible at `point`.
struct Mount {
    root: PathBuf,
    point: PathBuf,
}

impl Mount {
    /// `36 35 0:31 / /sys/fs/cgroup/cpu rw,relatime shared:3 - cgroup cgroup rw,cpu` (proc(5)).
    fn of_processors(line: &str, unified: bool) -> Option<Self> {
        let (place, kind) = line.split_once(" - ")?;
        let mut kind = kind.split_whitespace();
        let wanted = match kind.next()? {
            "cgroup2" => unified,
            "cgroup" => !unified && kind.nth(1)?.split(',').any(|option| option == "cpu"),
            _ => false,
        };
        let mut place = place.split_whitespace().skip(3);
        let (root, point) = (place.next()?, place.next()?);
        wanted.then(|| Self { root: unescaped(root), point: unescaped(point) })
    }

    /// The folders from a group up to the mount point.
    fn from(&self, group: &str) -> Vec<PathBuf> {
        // A group outside the mounted part (a container with the groups of its host): only the mount is visible.
        let below = Path::new(group).strip_prefix(&self.root).unwrap_or(Path::new(""));
        let plain = below.components().all(|part| matches!(part, Component::Normal(_)));
        let own = if plain { self.point.join(below) } else { self.point.clone() };
        own.ancestors().take_while(|folder| folder.starts_with(&self.point)).map(Path::to_owned).collect()
    }
}

/// Spaces are written `\040` in mountinfo.
fn unescaped(text: &str) -> PathBuf {
    PathBuf::from(text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
}

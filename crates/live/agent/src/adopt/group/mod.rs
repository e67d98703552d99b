//! All processes of a control group: placed with its `cpuset.cpus` if that is writable, otherwise thread by thread.

#[cfg(test)]
mod tests;

use super::GroupError;
use super::binding::{Binding, less};
use super::ledger::Ledger;
use super::process::{Threads, is_gone};
use numasim_host::os::process::own_uid;
use numasim_model::cpus::{CpuList, ranges};
use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, accessat, fstat, fstatfs, openat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// See the module.
#[derive(Debug)]
pub(super) struct Group<F> {
    files: F,
    way: Way,
}

/// How its logical CPUs are set.
#[derive(Debug)]
enum Way {
    Cpuset(Cpuset),
    Threads {
        binding: Binding,
        /// Why `cpuset.cpus` cannot be used.
        why: io::Error,
    },
}

impl<F: Files> Group<F> {
    /// `folder` is its name in messages. Nothing changes before the first order.
    pub(super) fn begin(files: F, folder: &str, ledger: &Ledger) -> Result<Self, GroupError> {
        let folder = || folder.to_owned();
        let refused = |source| GroupError::Refused { folder: folder(), source };
        if !is_populated(&files.events().map_err(refused)?) {
            return Err(GroupError::Empty(folder()));
        }
        let members = Members(&files);
        if members.list().map_err(refused)?.contains(&std::process::id()) {
            return Err(GroupError::Oneself(folder()));
        }
        let way = match Cpuset::new(&files) {
            Ok(cpuset) => Way::Cpuset(cpuset),
            Err(why) => Way::Threads { binding: Binding::of_all(&members, ledger).map_err(refused)?, why },
        };
        Ok(Self { files, way })
    }

    /// How its logical CPUs are set, in words.
    pub(super) fn way(&self) -> String {
        match &self.way {
            Way::Cpuset(_) => format!("its processors are set in {CPUS} of its control group"),
            Way::Threads { why, .. } => {
                format!(
                    "its threads are bound one by one, as {CPUS} of its control group cannot be written: {why}"
                )
            }
        }
    }

    /// The threads of all its processes.
    pub(super) fn threads(&self) -> io::Result<Vec<u32>> {
        Members(&self.files).list()
    }

    pub(super) fn changes(&self) -> Option<BorrowedFd<'_>> {
        self.files.changes()
    }

    /// Whether it has no processes left.
    pub(super) fn has_ended(&self) -> bool {
        match self.files.events() {
            Ok(events) => !is_populated(&events),
            // It was removed, which requires that it was empty.
            Err(why) => is_gone(&why),
        }
    }

    pub(super) fn order(&mut self, cpus: &[u32]) -> io::Result<()> {
        let Self { files, way } = self;
        let outcome = match way {
            Way::Cpuset(cpuset) => cpuset.order(files, cpus),
            Way::Threads { binding, .. } => binding.order(&Members(files), cpus),
        };
        self.unless_ended(outcome)
    }

    pub(super) fn look(&mut self) -> io::Result<()> {
        let Self { files, way } = self;
        let outcome = match way {
            Way::Cpuset(cpuset) => cpuset.look(files),
            Way::Threads { binding, .. } => binding.look(&Members(files)),
        };
        self.unless_ended(outcome)
    }

    /// If the group no longer exists, there are no processes left to place.
    fn unless_ended(&self, outcome: io::Result<()>) -> io::Result<()> {
        match outcome {
            Err(why) if is_gone(&why) && self.has_ended() => Ok(()),
            outcome => outcome,
        }
    }

    pub(super) fn release(&mut self) -> Vec<io::Error> {
        let Self { files, way } = self;
        match way {
            Way::Cpuset(cpuset) => {
                cpuset.release(files);
                Vec::new()
            }
            Way::Threads { binding, .. } => binding.release(&Members(files)),
        }
    }
}

/// Parses the text of `cgroup.events`.
fn is_populated(events: &str) -> bool {
    !events.lines().any(|line| line == "populated 0")
}

// The logical CPUs of a group by its `cpuset.cpus`: the kernel keeps every process on them, including those that come later.

/// The requested CPUs.
pub(super) const CPUS: &str = "cpuset.cpus";
/// The CPUs that the kernel actually granted.
const EFFECTIVE: &str = "cpuset.cpus.effective";

/// See the module.
#[derive(Debug)]
pub(super) struct Cpuset {
    /// Content of the file before the first order.
    had: String,
    /// Effective CPUs before the first order.
    had_effective: String,
    /// The order in force.
    order: Option<Vec<u32>>,
}

impl Cpuset {
    /// # Errors
    /// The file does not exist, because it has not been delegated, or it cannot be written.
    pub(super) fn new(files: &impl Files) -> io::Result<Self> {
        let had = files.read(Path::new(CPUS))?;
        files.may_write(Path::new(CPUS))?;
        let had_effective = files.read(Path::new(EFFECTIVE))?;
        Ok(Self { had, had_effective, order: None })
    }

    /// Orders these logical CPUs (ascending); on failure, the last order is in force again.
    pub(super) fn order(&mut self, files: &impl Files, cpus: &[u32]) -> io::Result<()> {
        if self.order.is_none() {
            self.had = files.read(Path::new(CPUS))?;
            self.had_effective = files.read(Path::new(EFFECTIVE))?;
        }
        let before = self.order.replace(cpus.to_vec());
        let outcome = put(files, cpus);
        if outcome.is_err() {
            match before {
                Some(before) => {
                    // If this cannot be restored now, the next look does it.
                    let _ = put(files, &before);
                    self.order = Some(before);
                }
                None => self.release(files),
            }
        }
        outcome
    }

    /// Writes the order again if another process has written the file.
    pub(super) fn look(&self, files: &impl Files) -> io::Result<()> {
        let Some(order) = &self.order else { return Ok(()) };
        if numbers(&files.read(Path::new(CPUS))?) == *order { Ok(()) } else { put(files, order) }
    }

    /// Restores the group's former CPUs. If the group had no explicit list, and Linux does not remove a list from processes
    /// (`validate_change` of kernel/cgroup/cpuset.c), it gets the list that was in effect before.
    pub(super) fn release(&mut self, files: &impl Files) {
        if self.order.take().is_none() {
            return;
        }
        // Only a line feed removes the former value; an empty text would be no order.
        let had = if self.had.trim().is_empty() { "\n" } else { &self.had };
        if files.write(Path::new(CPUS), had).is_err() {
            // There is no caller left to report a failure to.
            let _ = files.write(Path::new(CPUS), &self.had_effective);
        }
    }
}

/// # Errors
/// The system refuses it, or grants fewer: the parent group may have fewer.
fn put(files: &impl Files, cpus: &[u32]) -> io::Result<()> {
    files.write(Path::new(CPUS), &format!("{}\n", ranges(cpus)))?;
    let found = numbers(&files.read(Path::new(EFFECTIVE))?);
    if found == cpus { Ok(()) } else { Err(less(&found)) }
}

/// Ascending; empty for a text that is no list.
fn numbers(text: &str) -> Vec<u32> {
    let mut numbers = CpuList::parse(text.trim()).map(|list| list.as_slice().to_vec()).unwrap_or_default();
    numbers.sort_unstable();
    numbers
}

// The files of a control group (cgroup v2; Documentation/admin-guide/cgroup-v2.rst of Linux).

/// `CGROUP2_SUPER_MAGIC` of linux/magic.h.
const CGROUP2: u64 = 0x6367_7270;
/// Contains whether processes are in the group or below it.
pub(super) const EVENTS: &str = "cgroup.events";

/// The files of a group's folder that the kernel provides; paths are relative to the folder.
pub(in crate::adopt) trait Files {
    fn read(&self, file: &Path) -> io::Result<String>;
    /// Whether this process may write it.
    fn may_write(&self, file: &Path) -> io::Result<()>;
    fn write(&self, file: &Path, text: &str) -> io::Result<()>;
    /// Names of the direct subgroups of a group; an empty path is the group itself.
    fn below(&self, group: &Path) -> io::Result<Vec<PathBuf>>;
    /// The present content of [`EVENTS`].
    fn events(&self) -> io::Result<String>;
    /// A descriptor that signals an exceptional condition when [`Files::events`] differs from when it was last read.
    fn changes(&self) -> Option<BorrowedFd<'_>>;
}

/// The real folder. It remains that of the same group even if another group gets its name.
#[derive(Debug)]
pub(in crate::adopt) struct Folder {
    folder: OwnedFd,
    events: File,
}

impl Folder {
    /// # Errors
    /// Not a folder of cgroup v2 that this user owns or may write in.
    pub(in crate::adopt) fn open(path: &Path) -> Result<Self, GroupError> {
        let shown = || numasim_model::text::visible(&path.display().to_string()).into_owned();
        let refused = |why: Errno| match why {
            // A link does not count as a folder.
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => GroupError::NoFolder(shown()),
            why => GroupError::Refused { folder: shown(), source: why.into() },
        };
        // With a trailing `/` a link would be followed.
        let name: PathBuf = path.components().collect();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let folder = openat(CWD, &name, flags | OFlags::DIRECTORY, Mode::empty()).map_err(refused)?;
        let kind = fstatfs(&folder).map_err(refused)?.f_type;
        if u64::try_from(kind).ok() != Some(CGROUP2) {
            return Err(GroupError::NotCgroup2(shown()));
        }
        let (uid, own) = (fstat(&folder).map_err(refused)?.st_uid, own_uid());
        if uid != own && accessat(&folder, ".", Access::WRITE_OK, AtFlags::empty()).is_err() {
            return Err(GroupError::Foreign { folder: shown(), uid, own });
        }
        let events = openat(&folder, EVENTS, flags, Mode::empty()).map_err(|why| match why {
            Errno::NOENT => GroupError::Root(shown()),
            why => refused(why),
        })?;
        Ok(Self { folder, events: events.into() })
    }

    fn open_file(&self, file: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        Ok(openat(&self.folder, file, flags | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty())?)
    }
}

impl Files for Folder {
    fn read(&self, file: &Path) -> io::Result<String> {
        io::read_to_string(File::from(self.open_file(file, OFlags::RDONLY)?))
    }

    fn may_write(&self, file: &Path) -> io::Result<()> {
        // The kernel may refuse although the mode of the file allows it.
        self.open_file(file, OFlags::WRONLY).map(drop)
    }

    fn write(&self, file: &Path, text: &str) -> io::Result<()> {
        // In a single call: each call is a separate order.
        File::from(self.open_file(file, OFlags::WRONLY)?).write_all(text.as_bytes())
    }

    fn below(&self, group: &Path) -> io::Result<Vec<PathBuf>> {
        let group = if group.as_os_str().is_empty() { Path::new(".") } else { group };
        let mut names = Vec::new();
        for entry in Dir::new(self.open_file(group, OFlags::RDONLY | OFlags::DIRECTORY)?)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if entry.file_type() == FileType::Directory && name != b"." && name != b".." {
                names.push(OsString::from_vec(name.to_vec()).into());
            }
        }
        Ok(names)
    }

    fn events(&self) -> io::Result<String> {
        // The file to wait for: reading it clears its exceptional condition.
        let mut file = &self.events;
        file.rewind()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(text)
    }

    fn changes(&self) -> Option<BorrowedFd<'_>> {
        Some(self.events.as_fd())
    }
}

// The threads of all processes in a group and in those below it.

/// All threads of the processes in a group. `cgroup.procs` lists only the processes, and cannot be read in a group of threads.
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

/// The threads of one group, and its direct subgroups.
fn look(files: &impl Files, group: &Path, threads: &mut Vec<u32>) -> io::Result<Vec<PathBuf>> {
    let text = files.read(&group.join(THREADS))?;
    // 0 is a thread that is not visible in this namespace.
    threads
        .extend(text.lines().filter_map(|line| line.trim().parse::<u32>().ok()).filter(|&thread| thread > 0));
    Ok(files.below(group)?.into_iter().map(|name| group.join(name)).collect())
}

//! The files of a control group (cgroup v2; Documentation/admin-guide/cgroup-v2.rst of Linux).

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use numasim_host::os::peer::own_uid;
use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, accessat, fstat, fstatfs, openat};
use rustix::io::Errno;

use crate::adopt::error::GroupError;

/// `CGROUP2_SUPER_MAGIC` of linux/magic.h.
const CGROUP2: u64 = 0x6367_7270;
/// Says whether processes are in the group or below it.
pub(super) const EVENTS: &str = "cgroup.events";

/// What the kernel shows and takes in the folder of a group; paths are from there.
pub(in crate::adopt) trait Files {
    fn read(&self, file: &Path) -> io::Result<String>;
    /// Whether this process may write it.
    fn may_write(&self, file: &Path) -> io::Result<()>;
    fn write(&self, file: &Path, text: &str) -> io::Result<()>;
    /// Names of the groups right below one; that with an empty path is the group itself.
    fn below(&self, group: &Path) -> io::Result<Vec<PathBuf>>;
    /// What [`EVENTS`] says now.
    fn events(&self) -> io::Result<String>;
    /// Tells by an exceptional condition that [`Files::events`] says something else than when it was read last.
    fn changes(&self) -> Option<BorrowedFd<'_>>;
}

/// The real folder. It stays that of the same group when another one gets its name.
#[derive(Debug)]
pub(in crate::adopt) struct Folder {
    folder: OwnedFd,
    events: File,
}

impl Folder {
    /// # Errors
    /// What is not a folder of cgroup v2 that this user owns or may write in.
    pub(in crate::adopt) fn open(path: &Path) -> Result<Self, GroupError> {
        let shown = || numasim_model::text::visible(&path.display().to_string()).into_owned();
        let refused = |why: Errno| match why {
            // A link is no folder.
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => GroupError::NoFolder { folder: shown() },
            why => GroupError::Refused { folder: shown(), source: why.into() },
        };
        // With a `/` at its end a link would be followed.
        let name: PathBuf = path.components().collect();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let folder = openat(CWD, &name, flags | OFlags::DIRECTORY, Mode::empty()).map_err(refused)?;
        let kind = fstatfs(&folder).map_err(refused)?.f_type;
        if u64::try_from(kind).ok() != Some(CGROUP2) {
            return Err(GroupError::NotCgroup2 { folder: shown() });
        }
        let (uid, own) = (fstat(&folder).map_err(refused)?.st_uid, own_uid());
        if uid != own && accessat(&folder, ".", Access::WRITE_OK, AtFlags::empty()).is_err() {
            return Err(GroupError::Foreign { folder: shown(), uid, own });
        }
        let events = openat(&folder, EVENTS, flags, Mode::empty()).map_err(|why| match why {
            Errno::NOENT => GroupError::Root { folder: shown() },
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
        // The kernel may refuse what the mode of the file allows.
        self.open_file(file, OFlags::WRONLY).map(drop)
    }

    fn write(&self, file: &Path, text: &str) -> io::Result<()> {
        // At once: each call is an order of its own.
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
        // The file that is waited for: reading it is what makes it quiet again.
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

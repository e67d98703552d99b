//! Which file a name stands for, whatever the name is: through `..`, symbolic links and second hard links.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Device and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    number: u64,
}

impl Identity {
    /// Of an open file; `None` where the system has no such numbers.
    #[cfg_attr(unix, allow(clippy::unnecessary_wraps, reason = "other systems have no such numbers"))]
    pub(super) fn of(found: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Some(Self { device: found.dev(), number: found.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = found;
            None
        }
    }
}

/// Of the regular file with this name.
pub(super) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().filter(Metadata::is_file).as_ref().and_then(Identity::of)
}

/// Whether the file has another name, too.
pub(super) fn is_linked_twice(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).is_ok_and(|found| found.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The name without links and `..`, also of a file that is not there yet.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let of_folder = || {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok::<_, io::Error>(folder.canonicalize()?.join(name))
    };
    path.canonicalize()
        .or_else(|_| of_folder())
        .unwrap_or_else(|_| std::path::absolute(path).unwrap_or(path.to_owned()))
}

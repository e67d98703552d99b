//! Files by their names: the folder of one, and opening one itself rather than what a link names.

use std::fs::OpenOptions;
use std::path::Path;

/// Opening fails where the name is a symbolic link.
pub(super) fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flag = rustix::fs::OFlags::NOFOLLOW.bits();
        options.custom_flags(flag.cast_signed());
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    }
    options
}

/// The folder of a file; `.` where the path names none.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

//! Why nobody can listen on a path, or be reached there, in words for people.

use std::io;
use std::path::{Path, PathBuf};

use numasim_model::text::visible;
use rustix::fs::FileType;

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// A path without a name in a folder.
    #[error("{} names no socket: write a path that ends in the name of a file", shown(path))]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The folder is a symbolic link.
    #[error(
        "the folder {} of the socket is a symbolic link, which may lead anywhere tomorrow: name the folder it leads to \
         with --socket PATH, or remove the link",
        shown(folder)
    )]
    Link {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder is something else.
    #[error(
        "{} is {what}, but the socket needs a folder there: choose another place with --socket PATH",
        shown(folder)
    )]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The folder is somebody else's.
    #[error(
        "the folder {} of the socket belongs to user {uid}, and this is user {own}: choose a folder of your own with \
         --socket PATH",
        shown(folder)
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// Whose it is.
        uid: u32,
        /// Who we are.
        own: u32,
    },
    /// Others may look into the folder.
    #[error(
        "the folder {} of the socket is open to others (mode {mode:04o}): close it with \"chmod go= {}\", or choose \
         another with --socket PATH",
        shown(folder),
        shown(folder)
    )]
    Open {
        /// The folder.
        folder: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The folder was exchanged for another one while the socket was made.
    #[error(
        "the folder {} of the socket was exchanged for another one meanwhile: somebody else can change \
             the folder above it",
        shown(folder)
    )]
    Changed {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process keeps the lock of the folder.
    #[error(
        "another process keeps the folder {} of the socket locked, as an agent does for a moment when it starts or \
         ends: is one stopped (Ctrl-Z)?",
        shown(folder)
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// There is something else.
    #[error(
        "{} is {what}, not a socket: it is left as it is; remove it, or choose another path with --socket PATH",
        shown(path)
    )]
    NotASocket {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A program uses the socket in another way than an agent.
    #[error(
        "{} is a socket of another kind (no stream), and in use: choose another path with --socket PATH",
        shown(path)
    )]
    OtherKind {
        /// The path.
        path: PathBuf,
    },
    /// Somebody is there.
    #[error(
        "{} already listens on {}: stop it with \"numasim agent stop --socket {}\", or choose another path with \
         --socket PATH",
        who(*pid),
        shown(path),
        shown(path)
    )]
    Listens {
        /// The path.
        path: PathBuf,
        /// Who; `None` where the system does not tell.
        pid: Option<u32>,
    },
    /// Nobody is there.
    #[error(
        "no agent listens on {}: start one with \"numasim agent\", or say with --socket PATH where it is",
        shown(path)
    )]
    Nobody {
        /// The path.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {what} {}: {source}", shown(path))]
    Refused {
        /// What was tried.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
}

impl SocketError {
    pub(super) fn no_name(path: &Path) -> Self {
        Self::NoName { path: path.to_owned() }
    }

    pub(super) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Refused { what, path: path.to_owned(), source }
    }
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

fn who(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "a program that does not answer".to_owned(),
        |pid| format!("the program with pid {pid}"),
    )
}

/// What a file is, for messages.
pub(super) fn kind(of: FileType) -> &'static str {
    match of {
        FileType::RegularFile => "a file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Socket => "a socket",
        FileType::Unknown => "something unknown",
    }
}

//! The meeting point of applications and the agent of a user: the path of the socket, from the environment.
//!
//! Agents and the programs that look for one use this module. [`socket_path`] is pure: the environment is an argument.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable with the path of the agent's socket.
pub const VARIABLE: &str = "NUMASIM_AGENT";
/// Its value for programs that should not look for an agent.
pub const OFF: &str = "off";
/// Room of `sun_path` without the zero at its end (unix(7)).
pub const LONGEST_BYTES: usize = 107;

/// The parts of the environment that determine the path of the socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `NUMASIM_AGENT`.
    pub agent: Option<OsString>,
    /// `XDG_RUNTIME_DIR`.
    pub runtime_folder: Option<OsString>,
    /// The system's folder for temporary files.
    pub temporary: PathBuf,
    /// The effective user of this process.
    pub uid: u32,
}

impl Environment {
    /// The environment of this process.
    #[cfg(target_os = "linux")]
    pub fn of_this_process() -> Self {
        Self {
            agent: std::env::var_os(VARIABLE),
            runtime_folder: std::env::var_os("XDG_RUNTIME_DIR"),
            temporary: std::env::temp_dir(),
            uid: crate::os::process::own_uid(),
        }
    }
}

/// The reason why there is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// No agent is wanted.
    #[error("NUMASIM_AGENT is \"off\": say with --socket PATH which socket is meant, or unset NUMASIM_AGENT")]
    Off,
    /// A path that cannot name a socket.
    #[error(
        "\"{0}\" names no socket: write a path that ends in the name of a file, such as /tmp/mine/agent.sock"
    )]
    NoName(String),
    /// Longer than the system allows.
    #[error(
        "the path of the socket has {bytes} bytes, and the system has room for {LONGEST_BYTES}: {path}; choose a \
         shorter one with --socket PATH or NUMASIM_AGENT"
    )]
    TooLong {
        /// The path.
        path: String,
        /// Its length.
        bytes: usize,
    },
}

/// The path of the socket: `flag`, else `NUMASIM_AGENT`, else `numasim/agent.sock` in `XDG_RUNTIME_DIR`, else
/// `numasim-UID/agent.sock` in the folder for temporary files.
///
/// An empty variable is one that is not set, and a relative `XDG_RUNTIME_DIR` does not count (XDG Base Directory
/// Specification 0.8: "consider the path invalid and ignore it").
///
/// # Errors
/// Every variant of [`PathError`]; [`PathError::Off`] only without a `flag`.
pub fn socket_path(flag: Option<&Path>, environment: &Environment) -> Result<PathBuf, PathError> {
    let set = |value: &Option<OsString>| value.clone().filter(|value| !value.is_empty());
    let path = match (flag, set(&environment.agent), set(&environment.runtime_folder).map(PathBuf::from)) {
        (Some(flag), ..) => flag.to_owned(),
        (None, Some(agent), _) if agent == OFF => return Err(PathError::Off),
        (None, Some(agent), _) => agent.into(),
        (None, None, Some(folder)) if folder.is_absolute() => folder.join("numasim/agent.sock"),
        (None, None, _) => environment.temporary.join(format!("numasim-{}/agent.sock", environment.uid)),
    };
    let bytes = path.as_os_str().as_encoded_bytes();
    let named = path.file_name().is_some() && !bytes.ends_with(b"/") && !bytes.contains(&0);
    let shown = || numasim_model::text::visible(&path.to_string_lossy()).into_owned();
    if !named {
        Err(PathError::NoName(shown()))
    } else if bytes.len() > LONGEST_BYTES {
        Err(PathError::TooLong { path: shown(), bytes: bytes.len() })
    } else {
        Ok(path)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn environment(agent: Option<&str>, runtime_folder: Option<&str>) -> Environment {
        Environment {
            agent: agent.map(Into::into),
            runtime_folder: runtime_folder.map(Into::into),
            temporary: "/tmp".into(),
            uid: 1000,
        }
    }

    fn path(flag: Option<&str>, agent: Option<&str>, folder: Option<&str>) -> Result<PathBuf, PathError> {
        socket_path(flag.map(Path::new), &environment(agent, folder))
    }

    #[test]
    fn the_first_source_that_is_set_defines_the_socket() {
        let run = Some("/run/user/1000");
        assert_eq!(path(Some("/a/b"), Some("/c/d"), run), Ok("/a/b".into()));
        assert_eq!(path(None, Some("/c/d"), run), Ok("/c/d".into()));
        assert_eq!(path(None, None, run), Ok("/run/user/1000/numasim/agent.sock".into()));
        assert_eq!(path(None, None, None), Ok("/tmp/numasim-1000/agent.sock".into()));
    }

    #[test]
    fn empty_variables_and_relative_folders_are_ignored() {
        assert_eq!(path(None, Some(""), Some("")), Ok("/tmp/numasim-1000/agent.sock".into()));
        assert_eq!(path(None, None, Some("run")), Ok("/tmp/numasim-1000/agent.sock".into()));
    }

    #[test]
    fn off_means_no_agent_unless_the_command_line_names_one() {
        assert_eq!(path(None, Some("off"), Some("/run")), Err(PathError::Off));
        assert_eq!(path(Some("off"), Some("off"), None), Ok("off".into()));
    }

    #[test]
    fn a_path_of_107_bytes_fits_and_one_of_108_does_not() {
        let long = |bytes: usize| format!("/{}", "é".repeat(53)) + &"a".repeat(bytes - 107);
        assert_eq!(long(107).len(), 107);
        assert_eq!(path(Some(&long(107)), None, None), Ok(long(107).into()));
        assert_eq!(
            path(Some(&long(108)), None, None),
            Err(PathError::TooLong { path: long(108), bytes: 108 })
        );
        // The same for every other source of the path.
        let folder = "/".to_owned() + &"r".repeat(88);
        assert_eq!(folder.len() + "/numasim/agent.sock".len(), 108);
        assert!(matches!(path(None, None, Some(&folder)), Err(PathError::TooLong { bytes: 108, .. })));
    }

    #[test]
    fn a_path_without_a_name_is_rejected() {
        for wrong in ["/", "", "..", "/tmp/..", "/tmp/mine/"] {
            assert_eq!(path(Some(wrong), None, None), Err(PathError::NoName(wrong.into())));
        }
    }
}

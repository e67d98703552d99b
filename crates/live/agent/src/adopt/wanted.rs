//! `NAME=PID` and `NAME=/FOLDER` as they are written on the command line.

use std::fmt;
use std::path::PathBuf;

/// Something to be adopted, and what to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name among the applications.
    pub name: String,
    /// What it is.
    pub what: What,
}

/// What is adopted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The process with this number.
    Process(u32),
    /// All processes in a control group (cgroup v2): its folder.
    Group(PathBuf),
}

/// As it is written.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Process(pid) => write!(f, "{}={pid}", self.name),
            What::Group(folder) => write!(f, "{}={}", self.name, folder.display()),
        }
    }
}

/// What is wrong with a text that should be a [`Wanted`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WantedError {
    /// No `=`.
    #[error("write NAME=PID, such as solver=4711, or NAME=/FOLDER with the folder of a control group")]
    NoPid,
    /// Neither a number of a process nor a folder.
    #[error(
        "\"{0}\" is no pid: write NAME=PID, such as solver=4711, or NAME=/FOLDER with the folder of a control group"
    )]
    Pid(String),
    /// A name that no application may have.
    #[error("a name has 1 to 128 characters, and no control characters")]
    Name,
    /// The same name again.
    #[error("the name \"{0}\" is there twice")]
    NameTwice(String),
    /// The same process again.
    #[error("the process with pid {0} is there twice")]
    PidTwice(u32),
    /// The same folder again.
    #[error("the folder {0} is there twice")]
    FolderTwice(String),
}

impl std::str::FromStr for Wanted {
    type Err = WantedError;

    fn from_str(text: &str) -> Result<Self, WantedError> {
        // A name may contain `=`; a number does not.
        let (name, value) = text.rsplit_once('=').ok_or(WantedError::NoPid)?;
        let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.parse::<i32>().ok().filter(|&number| digits && number > 0);
        let number = number.and_then(|number| u32::try_from(number).ok());
        // And a folder may contain `=`, too: it begins after the first one that a `/` follows.
        let (name, what) = match (number, text.split_once("=/")) {
            (Some(pid), _) => (name, What::Process(pid)),
            (None, Some((name, folder))) => (name, What::Group(format!("/{folder}").into())),
            (None, None) => {
                let shown: String = value.chars().take(30).collect();
                return Err(WantedError::Pid(numasim_model::text::visible(&shown).into_owned()));
            }
        };
        let fits = (1..=128).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        if fits { Ok(Self { name: name.to_owned(), what }) } else { Err(WantedError::Name) }
    }
}

impl Wanted {
    /// Whether all names and everything that is adopted are different.
    ///
    /// # Errors
    /// [`WantedError::NameTwice`], [`WantedError::PidTwice`], [`WantedError::FolderTwice`].
    pub fn differ(all: &[Self]) -> Result<(), WantedError> {
        for (n, one) in all.iter().enumerate() {
            let before = all.get(..n).unwrap_or_default();
            if before.iter().any(|other| other.name == one.name) {
                return Err(WantedError::NameTwice(one.name.clone()));
            }
            if before.iter().any(|other| other.what == one.what) {
                return Err(match &one.what {
                    What::Process(pid) => WantedError::PidTwice(*pid),
                    What::Group(folder) => WantedError::FolderTwice(folder.display().to_string()),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_contain_what_separates_it_from_the_number() {
        let wanted = |name: &str, pid| Ok(Wanted { name: name.into(), what: What::Process(pid) });
        assert_eq!("solver=4711".parse(), wanted("solver", 4711));
        assert_eq!("a=b=7".parse(), wanted("a=b", 7));
        assert_eq!("a=/b=7".parse(), wanted("a=/b", 7));
        assert_eq!(format!("{}=7", "ä".repeat(128)).parse(), wanted(&"ä".repeat(128), 7));
    }

    #[test]
    fn what_begins_with_a_slash_is_a_folder() {
        let wanted =
            |name: &str, folder: &str| Ok(Wanted { name: name.into(), what: What::Group(folder.into()) });
        assert_eq!("db=/sys/fs/cgroup/db".parse(), wanted("db", "/sys/fs/cgroup/db"));
        assert_eq!("a=b=/sys/x=y".parse(), wanted("a=b", "/sys/x=y"));
        // A name of digits after `=` is a number, unless a slash follows.
        assert_eq!("a=/sys/x=7/".parse(), wanted("a", "/sys/x=7/"));
        for text in ["solver=4711", "a=b=/sys/x=y"] {
            assert_eq!(text.parse::<Wanted>().expect("in order").to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| text.parse::<Wanted>().expect_err("wrong");
        assert_eq!(wrong("solver"), WantedError::NoPid);
        for pid in ["", "0", "-1", "+1", "1x", "4294967296", "2147483648", "sys/fs"] {
            assert_eq!(wrong(&format!("a={pid}")), WantedError::Pid(pid.into()));
        }
        for name in ["", "a\nb", &"a".repeat(129)] {
            assert_eq!(wrong(&format!("{name}=7")), WantedError::Name);
            assert_eq!(wrong(&format!("{name}=/x")), WantedError::Name);
        }
    }

    #[test]
    fn names_and_processes_are_there_once() {
        let all = |list: &[&str]| list.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
        let differ = |list: &[&str]| Wanted::differ(&all(list).expect("in order"));
        assert_eq!(differ(&["a=1", "b=2", "c=/x", "d=/y"]), Ok(()));
        assert_eq!(differ(&["a=1", "b=2", "a=/x"]), Err(WantedError::NameTwice("a".into())));
        assert_eq!(differ(&["a=1", "b=1"]), Err(WantedError::PidTwice(1)));
        assert_eq!(differ(&["a=/x", "b=/x"]), Err(WantedError::FolderTwice("/x".into())));
    }
}

//! `NAME=PID` as it is written on the command line.

/// A process to be adopted, and what to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name among the applications.
    pub name: String,
    /// Its number.
    pub pid: u32,
}

/// What is wrong with `NAME=PID`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WantedError {
    /// No `=`.
    #[error("write NAME=PID, such as solver=4711")]
    NoPid,
    /// Not a number of a process.
    #[error("\"{0}\" is no pid: write NAME=PID, such as solver=4711")]
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
}

impl std::str::FromStr for Wanted {
    type Err = WantedError;

    fn from_str(text: &str) -> Result<Self, WantedError> {
        // A name may contain `=`; a number does not.
        let (name, pid) = text.rsplit_once('=').ok_or(WantedError::NoPid)?;
        let digits = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
        let number = pid.parse::<i32>().ok().filter(|&number| digits && number > 0);
        let number = number.and_then(|number| u32::try_from(number).ok());
        let pid = number.ok_or_else(|| {
            let shown: String = pid.chars().take(30).collect();
            WantedError::Pid(numasim_model::text::visible(&shown).into_owned())
        })?;
        let fits = (1..=128).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        if fits { Ok(Self { name: name.to_owned(), pid }) } else { Err(WantedError::Name) }
    }
}

impl Wanted {
    /// Whether all names and all processes are different.
    ///
    /// # Errors
    /// [`WantedError::NameTwice`], [`WantedError::PidTwice`].
    pub fn differ(all: &[Self]) -> Result<(), WantedError> {
        for (n, one) in all.iter().enumerate() {
            let before = all.get(..n).unwrap_or_default();
            if before.iter().any(|other| other.name == one.name) {
                return Err(WantedError::NameTwice(one.name.clone()));
            }
            if before.iter().any(|other| other.pid == one.pid) {
                return Err(WantedError::PidTwice(one.pid));
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
        let wanted = |name: &str, pid| Ok(Wanted { name: name.into(), pid });
        assert_eq!("solver=4711".parse(), wanted("solver", 4711));
        assert_eq!("a=b=7".parse(), wanted("a=b", 7));
        assert_eq!(format!("{}=7", "ä".repeat(128)).parse(), wanted(&"ä".repeat(128), 7));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| text.parse::<Wanted>().expect_err("wrong");
        assert_eq!(wrong("solver"), WantedError::NoPid);
        for pid in ["", "0", "-1", "+1", "1x", "4294967296", "2147483648"] {
            assert_eq!(wrong(&format!("a={pid}")), WantedError::Pid(pid.into()));
        }
        for name in ["", "a\nb", &"a".repeat(129)] {
            assert_eq!(wrong(&format!("{name}=7")), WantedError::Name);
        }
    }

    #[test]
    fn names_and_processes_are_there_once() {
        let all = |list: &[&str]| list.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
        let differ = |list: &[&str]| Wanted::differ(&all(list).expect("in order"));
        assert_eq!(differ(&["a=1", "b=2"]), Ok(()));
        assert_eq!(differ(&["a=1", "b=2", "a=3"]), Err(WantedError::NameTwice("a".into())));
        assert_eq!(differ(&["a=1", "b=1"]), Err(WantedError::PidTwice(1)));
    }
}

//! The CPUs that every thread had before this agent bound it. One ledger serves everything that the agent adopts, because a thread may
//! leave one control group for another. Also the arguments on the command line that select what to adopt.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

use numasim_host::system::Identity;

/// The logical CPUs of a thread, ascending; many threads have the same ones.
pub(super) type Cpus = Rc<[u32]>;

/// One of the adopted processes or groups.
pub(super) type Owner = u64;

/// Threads whose owner gave them up are checked again when their number has grown by this much.
const MORE: usize = 64;

/// See the module. Clones share one ledger.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Rc<RefCell<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    owners: Owner,
    threads: HashMap<Identity, Entry>,
    /// Every list of logical CPUs that was ordered; a new thread or process has that of its parent.
    orders: HashSet<Cpus>,
    masks: BTreeSet<Cpus>,
    /// Number of threads at which those that have ended are searched.
    room: usize,
}

#[derive(Debug)]
struct Entry {
    had: Cpus,
    /// The owner whose orders it follows; `None` since it left.
    owner: Option<Owner>,
}

impl Ledger {
    /// A number for another adopted process or group.
    pub(super) fn owner(&self) -> Owner {
        let mut inner = self.0.borrow_mut();
        inner.owners += 1;
        inner.owners
    }

    /// The former CPUs of a thread, if it was ever bound.
    pub(super) fn had(&self, thread: Identity) -> Option<Cpus> {
        self.0.borrow().threads.get(&thread).map(|entry| entry.had.clone())
    }

    /// The owner whose orders a thread follows now.
    pub(super) fn owner_of(&self, thread: Identity) -> Option<Owner> {
        self.0.borrow().threads.get(&thread)?.owner
    }

    /// From now on the thread follows the orders of `owner`. Its former CPUs stay those from before it was first bound.
    pub(super) fn take(&self, thread: Identity, owner: Owner, had: impl FnOnce() -> Cpus) -> Cpus {
        if let Some(entry) = self.0.borrow_mut().threads.get_mut(&thread) {
            entry.owner = Some(owner);
            return entry.had.clone();
        }
        let had = had();
        let entry = Entry { had: had.clone(), owner: Some(owner) };
        self.0.borrow_mut().threads.insert(thread, entry);
        had
    }

    /// The thread is as it was before any order; its CPUs are noted when it is bound again.
    pub(super) fn forget(&self, thread: Identity) {
        self.0.borrow_mut().threads.remove(&thread);
    }

    /// The thread follows no order any more. Its former CPUs are remembered: another owner may take it.
    pub(super) fn give_up(&self, thread: Identity, is_alive: impl Fn(Identity) -> bool) {
        let mut inner = self.0.borrow_mut();
        if let Some(entry) = inner.threads.get_mut(&thread) {
            entry.owner = None;
        }
        if inner.threads.len() > inner.room {
            inner.threads.retain(|&thread, entry| entry.owner.is_some() || is_alive(thread));
            inner.room = 2 * inner.threads.len() + MORE;
        }
    }

    /// These logical CPUs are ordered.
    pub(super) fn ordered(&self, cpus: &[u32]) {
        let cpus = self.shared(cpus);
        self.0.borrow_mut().orders.insert(cpus);
    }

    /// Whether these logical CPUs were ordered before.
    pub(super) fn is_order(&self, cpus: &[u32]) -> bool {
        self.0.borrow().orders.contains(cpus)
    }

    /// Whether these are logical CPUs of an order, or those of them that a control group permits.
    pub(super) fn is_of_order(&self, cpus: &[u32]) -> bool {
        self.is_order(cpus)
            || self.0.borrow().orders.iter().any(|order| cpus.iter().all(|cpu| order.contains(cpu)))
    }

    /// The shared list for all threads with these CPUs.
    pub(super) fn shared(&self, cpus: &[u32]) -> Cpus {
        let mut inner = self.0.borrow_mut();
        if let Some(known) = inner.masks.get(cpus) {
            return known.clone();
        }
        let new: Cpus = cpus.into();
        inner.masks.insert(new.clone());
        new
    }
}

// `NAME=PID` and `NAME=/FOLDER`, the forms on the command line.

/// A process or group to be adopted, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name among the applications.
    pub name: String,
    /// The process or group.
    pub what: What,
}

/// A process or group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The process with this number.
    Process(u32),
    /// All processes in a control group (cgroup v2): its folder.
    Group(PathBuf),
}

/// In the form of the command line.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Process(pid) => write!(f, "{}={pid}", self.name),
            What::Group(folder) => write!(f, "{}={}", self.name, folder.display()),
        }
    }
}

/// Why a text is no [`Wanted`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WantedError {
    /// No `=`.
    #[error("write NAME=PID, such as solver=4711, or NAME=/FOLDER with the folder of a control group")]
    NoPid,
    /// Neither a process number nor a folder.
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
        // A folder may also contain `=`: it begins after the first `=` that a `/` follows.
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
    /// Checks that all names and all adopted processes and groups are different.
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

//! The processes of `--adopt`, by number.

use numasim_agent::Peer;
use numasim_agent::adopt::{self, Became, Ledger, Starting, Wanted, Watch, What};
use numasim_agent::server::{Adopted, Change};
use numasim_host::system::NodeCores;

use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// The processes of `--adopt`; those that exit are released.
pub(super) struct Processes {
    all: Vec<(String, Slot)>,
    /// The logical CPUs of each core of the machine, as numbered in commands.
    cores: Vec<Vec<u32>>,
    /// The original settings of all threads.
    ledger: Ledger,
}

/// The state of one of them.
enum Slot {
    /// Its program has not started yet.
    Starting(Starting),
    /// It is adopted but not yet announced.
    New(adopt::Adopted),
    There(adopt::Adopted),
    Gone,
}

impl Processes {
    /// `started`: processes that are later replaced by their programs. The first command is the first change to any process.
    ///
    /// # Errors
    /// A machine that is not declared to be this host, a name or process that occurs twice, and the errors of [`adopt::Adopted::begin`].
    pub(super) fn begin(
        adopt: &[Wanted],
        started: &[Wanted],
        host: Option<&[NodeCores]>,
    ) -> Result<Self, Failure> {
        let mut processes = Self { all: Vec::new(), cores: Vec::new(), ledger: Ledger::default() };
        let wanted = [adopt, started].concat();
        if wanted.is_empty() {
            return Ok(processes);
        }
        let Some(host) = host else {
            return Err(Failure::input(
                "--adopt moves processes of this host, but the [machine] of the files is not confirmed to be this host",
            )
            .hint(
                "add --this-host if it is this host or its first nodes and cores, or leave out the file with [machine]",
            ));
        };
        Wanted::differ(&wanted).map_err(|error| Failure::input(format!("--adopt: {error}")))?;
        processes.cores = host.iter().flat_map(|node| node.cores.clone()).collect();
        for (number, wanted) in wanted.iter().enumerate() {
            let slot = match &wanted.what {
                What::Process(pid) if number >= adopt.len() => {
                    Starting::begin(*pid).map(|starting| starting.map_or(Slot::Gone, Slot::Starting))
                }
                what => {
                    adopt::Adopted::begin(what, processes.cores.clone(), &processes.ledger).map(Slot::New)
                }
            };
            let slot = slot.map_err(|error| Failure::input(format!("--adopt {wanted}: {error}")))?;
            processes.all.push((wanted.name.clone(), slot));
        }
        processes.differ()?;
        Ok(processes)
    }

    /// Two conflicting commands for one thread would alternate forever.
    fn differ(&self) -> Result<(), Failure> {
        let mut seen = std::collections::BTreeMap::new();
        for (name, slot) in &self.all {
            let Some(adopted) = slot.adopted() else { continue };
            for thread in adopted.threads().unwrap_or_default() {
                if let Some(other) = seen.insert(thread, name) {
                    return Err(Failure::input(format!(
                        "--adopt: thread {thread} would belong to both '{other}' and '{name}'"
                    ))
                    .hint("leave out one of them: a process is not adopted beside its control group"));
                }
            }
        }
        Ok(())
    }

    /// How each control group is moved, one line each.
    pub(super) fn ways(&self) -> Vec<String> {
        let way = |(name, slot): &(String, Slot)| Some(format!("'{name}': {}", slot.adopted()?.way()?));
        self.all.iter().filter_map(way).collect()
    }
}

impl Slot {
    fn adopted(&self) -> Option<&adopt::Adopted> {
        match self {
            Self::New(adopted) | Self::There(adopted) => Some(adopted),
            Self::Starting(_) | Self::Gone => None,
        }
    }

    fn watch(&self) -> Option<Watch<'_>> {
        match self {
            Self::Starting(starting) => Some(starting.watch()),
            Self::New(adopted) | Self::There(adopted) => adopted.watch(),
            Self::Gone => None,
        }
    }

    /// Checks it; returns what is new.
    fn look(&mut self, number: usize, name: &str, cores: &[Vec<u32>], ledger: &Ledger) -> Option<Change> {
        let came = |adopted: &adopt::Adopted| Change::Came {
            number,
            name: name.to_owned(),
            peer: Peer { pid: adopted.pid(), uid: adopted.uid() },
        };
        let (slot, change) = match std::mem::replace(self, Self::Gone) {
            Self::Starting(starting) => match starting.look(cores, ledger) {
                Ok(Became::Nothing(starting)) => (Self::Starting(starting), None),
                Ok(Became::Program(adopted)) => {
                    let change = came(&adopted);
                    (Self::There(adopted), Some(change))
                }
                Ok(Became::Ended) => (Self::Gone, None),
                Err(error) => {
                    (Self::Gone, Some(Change::Failed { why: format!("'{name}' is not moved: {error}") }))
                }
            },
            Self::New(adopted) => {
                let change = came(&adopted);
                (Self::There(adopted), Some(change))
            }
            Self::There(adopted) if adopted.has_ended() => (Self::Gone, Some(Change::Ended { number })),
            Self::There(mut adopted) => {
                // A thread that is not allowed a core now may be allowed it in the next period; the command itself reported this.
                let _ = adopted.look();
                (Self::There(adopted), None)
            }
            Self::Gone => (Self::Gone, None),
        };
        *self = slot;
        change
    }
}

impl Adopted for Processes {
    fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn watched(&self) -> Vec<Watch<'_>> {
        self.all.iter().filter_map(|(_, slot)| slot.watch()).collect()
    }

    fn bind(&mut self, number: usize, cores: &[u32]) -> Result<(), String> {
        match self.all.get_mut(number) {
            Some((_, Slot::There(adopted))) => adopted.order(cores),
            _ => Err("it has ended".to_owned()),
        }
    }

    fn look(&mut self) -> Vec<Change> {
        let Self { all, cores, ledger } = self;
        all.iter_mut()
            .enumerate()
            .filter_map(|(number, (name, slot))| slot.look(number, name, cores, ledger))
            .collect()
    }

    fn give_back(&mut self) -> Vec<String> {
        let give_back = |(name, slot): &mut (String, Slot)| match slot {
            Slot::There(adopted) => adopted.release().err().map(|why| format!("'{name}': {why}")),
            _ => None,
        };
        self.all.iter_mut().filter_map(give_back).collect()
    }
}

//! The processes of `--adopt`, by their numbers.

use numasim_agent::Peer;
use numasim_agent::adopt;
use numasim_agent::server::Adopted;
use numasim_host::system::NodeCores;

use crate::failure::Failure;

/// The processes of `--adopt`; one that has ended is let go.
pub(super) struct Processes {
    all: Vec<(String, Peer)>,
    alive: Vec<Option<adopt::Adopted>>,
}

impl Processes {
    /// Nothing changes for a process before the first order.
    ///
    /// # Errors
    /// A machine that is not this host, a name or process that is there twice, and those of [`adopt::Adopted::begin`].
    pub(super) fn begin(wanted: &[(String, u32)], host: Option<&[NodeCores]>) -> Result<Self, Failure> {
        let mut processes = Self { all: Vec::new(), alive: Vec::new() };
        if wanted.is_empty() {
            return Ok(processes);
        }
        let Some(host) = host else {
            return Err(Failure::input(
                "--adopt moves processes of this host, and the files have another [machine]",
            )
            .hint("leave out the file with [machine]: then the machine is this host"));
        };
        let all: Vec<adopt::Wanted> =
            wanted.iter().map(|(name, pid)| adopt::Wanted { name: name.clone(), pid: *pid }).collect();
        adopt::Wanted::differ(&all).map_err(|error| Failure::input(format!("--adopt: {error}")))?;
        let cores: Vec<Vec<u32>> = host.iter().flat_map(|node| node.cores.clone()).collect();
        for adopt::Wanted { name, pid } in all {
            let adopted = adopt::Adopted::begin(pid, cores.clone());
            let adopted =
                adopted.map_err(|error| Failure::input(format!("--adopt {name}={pid}: {error}")))?;
            processes.all.push((name, Peer { pid: Some(pid), uid: adopted.uid() }));
            processes.alive.push(Some(adopted));
        }
        Ok(processes)
    }

    fn of(&mut self, number: usize) -> Option<&mut adopt::Adopted> {
        self.alive.get_mut(number).and_then(Option::as_mut)
    }
}

impl Adopted for Processes {
    fn all(&self) -> Vec<(String, Peer)> {
        self.all.clone()
    }

    fn bind(&mut self, number: usize, cores: &[u32]) -> Result<(), String> {
        self.of(number).map_or_else(|| Err("it has ended".to_owned()), |adopted| adopted.order(cores))
    }

    fn look(&mut self) -> Vec<usize> {
        let mut ended = Vec::new();
        for (number, slot) in self.alive.iter_mut().enumerate() {
            let Some(adopted) = slot else { continue };
            if adopted.has_ended() {
                ended.push(number);
                *slot = None;
            } else {
                // What a thread is not allowed now, it may be allowed in the next period; the order itself said so.
                let _ = adopted.look();
            }
        }
        ended
    }

    fn give_back(&mut self) {
        for adopted in self.alive.iter_mut().flatten() {
            adopted.release();
        }
    }
}

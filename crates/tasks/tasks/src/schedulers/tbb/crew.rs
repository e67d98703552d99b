//! The workers in the program, and the *idle* mailboxes, which no worker will check soon: thieves leave their tasks alone.

use numasim_graph::values::RuntimeSettings;

use crate::random::Stream;
use crate::schedulers::Draw;
use crate::schedulers::tbb::MailboxId;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// Workers of the program and their mailboxes.
#[derive(Clone, Debug)]
pub(super) enum Crew {
    /// `tbb`: a mailbox per worker; each worker of the program is connected to one of them.
    PerWorker { connected: Vec<Option<MailboxId>>, free: WorkerSet },
    /// `tbb-numa`: a mailbox per node for all its workers. Per node: workers that are in the program, and workers that are dealt to it.
    PerNode { present: Vec<u32>, dealt: Vec<u32> },
}

impl Crew {
    /// Worker w is connected to mailbox w, and all are in the program.
    pub(super) fn per_worker(sockets: &Sockets) -> Self {
        let workers = sockets.worker_count();
        let connected = (0..u32::try_from(workers).unwrap_or(u32::MAX)).map(MailboxId).map(Some).collect();
        Self::PerWorker { connected, free: WorkerSet::new(workers) }
    }

    /// All are in the program and dealt to it.
    pub(super) fn per_node(sockets: &Sockets) -> Self {
        let workers = |socket| u32::try_from(sockets.workers(socket).len()).unwrap_or(u32::MAX);
        let workers: Vec<u32> = sockets.all().map(workers).collect();
        Self::PerNode { present: workers.clone(), dealt: workers }
    }

    /// The mailbox that a worker of a node checks.
    pub(super) fn mailbox(&self, worker: WorkerId, node: SocketId) -> Option<MailboxId> {
        match self {
            Self::PerWorker { connected, .. } => *connected.get(worker.0 as usize)?,
            Self::PerNode { .. } => Some(MailboxId(node.0)),
        }
    }

    /// Whether no worker can be relied on to check a mailbox soon: none is connected to it, or workers of its node are expected.
    pub(super) fn is_idle(&self, mailbox: MailboxId) -> bool {
        match self {
            Self::PerWorker { free, .. } => free.contains(mailbox.0),
            Self::PerNode { present, dealt } => {
                let node = mailbox.0 as usize;
                present.get(node) < dealt.get(node)
            }
        }
    }

    /// The workers of the program are now those for which `is_dealt` is true.
    pub(super) fn deal(&mut self, sockets: &Sockets, is_dealt: impl Fn(WorkerId) -> bool) {
        if let Self::PerNode { dealt, .. } = self {
            for (socket, dealt) in sockets.all().zip(dealt) {
                let workers = sockets.workers(socket).filter(|&worker| is_dealt(WorkerId(worker)));
                *dealt = u32::try_from(workers.count()).unwrap_or(u32::MAX);
            }
        }
    }

    /// A worker of a node leaves the program and its mailbox.
    pub(super) fn leave(&mut self, worker: WorkerId, node: SocketId) {
        match self {
            Self::PerWorker { connected, free } => {
                let mailbox = connected.get_mut(worker.0 as usize).and_then(Option::take);
                if let Some(mailbox) = mailbox {
                    free.insert(mailbox.0);
                }
            }
            Self::PerNode { present, .. } => {
                present.get_mut(node.0 as usize).into_iter().for_each(|present| *present -= 1);
            }
        }
    }

    /// A worker of a node joins the program again: connected to the lowest free mailbox, or to a random one.
    pub(super) fn join(&mut self, worker: WorkerId, node: SocketId, draw: &mut Draw) {
        match self {
            Self::PerWorker { connected, free } => {
                let mailbox = free.nth_from(0, draw.of_equals(free.len()));
                if let (Some(slot), Some(mailbox)) = (connected.get_mut(worker.0 as usize), mailbox) {
                    free.remove(mailbox);
                    *slot = Some(MailboxId(mailbox));
                }
            }
            Self::PerNode { present, .. } => {
                present.get_mut(node.0 as usize).into_iter().for_each(|present| *present += 1);
            }
        }
    }
}

// A set of workers (or of any numbers from 0) with fast access to the n-th element.

/// Numbers below a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WorkerSet {
    words: Vec<u64>,
    count: usize,
}

impl WorkerSet {
    /// The empty set of numbers below `limit`.
    pub(super) fn new(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)], count: 0 }
    }

    /// Number of elements.
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    /// Whether `number` is in the set.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.words.get(word(number)).is_some_and(|word| word & bit(number) != 0)
    }

    /// Adds a number.
    pub(super) fn insert(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(word(number))
            && *word & bit(number) == 0
        {
            *word |= bit(number);
            self.count += 1;
        }
    }

    /// Takes a number out.
    pub(super) fn remove(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(word(number))
            && *word & bit(number) != 0
        {
            *word &= !bit(number);
            self.count -= 1;
        }
    }

    /// The n-th element, in cyclic order from `start`.
    pub(super) fn nth_from(&self, start: u32, nth: usize) -> Option<u32> {
        let place = self.below(start).checked_add(nth)?;
        self.nth(place.checked_rem(self.count)?)
    }

    /// All elements, in cyclic order from `start`.
    pub(super) fn all_from(&self, start: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.count).filter_map(move |nth| self.nth_from(start, nth))
    }

    /// Number of elements below `number`.
    fn below(&self, number: u32) -> usize {
        let full = word(number);
        let whole = self.words.iter().take(full).map(|word| word.count_ones()).sum::<u32>();
        let part = self.words.get(full).map_or(0, |word| (word & (bit(number) - 1)).count_ones());
        (whole + part) as usize
    }

    /// The n-th element, ascending.
    fn nth(&self, nth: usize) -> Option<u32> {
        let mut left = nth;
        for (base, &word) in (0..).step_by(64).zip(&self.words) {
            let ones = word.count_ones() as usize;
            if left < ones {
                let without_lower = (0..left).fold(word, |word, _| word & word.wrapping_sub(1));
                return Some(base + without_lower.trailing_zeros());
            }
            left -= ones;
        }
        None
    }
}

const fn word(number: u32) -> usize {
    (number / 64) as usize
}

const fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

// The resource management layer over time: the program that has each worker now.

/// Deals workers to programs at the beginning of each phase.
#[derive(Clone, Debug)]
pub(super) struct Management {
    dealing: Dealing,
    /// Per worker: the program that has it; empty while there is only one.
    dealt: Vec<u32>,
    /// Per program, the workers of each node in the first phase.
    first_phase: Option<Vec<Vec<u32>>>,
    /// Draws the workers of each program, and the mailboxes of workers that join.
    deals: Draw,
    joins: Draw,
}

impl Management {
    /// No other program wants workers.
    pub(super) fn new(dealing: Dealing, runtime: &RuntimeSettings) -> Self {
        Self {
            dealing,
            dealt: Vec::new(),
            first_phase: None,
            deals: Draw::of(runtime, Stream::Dealing),
            joins: Draw::of(runtime, Stream::Joining),
        }
    }

    /// From now on this number of programs share the workers.
    pub(super) fn deal(&mut self, sockets: &Sockets, programs: u32) {
        self.dealt.clear();
        if programs <= 1 {
            return;
        }
        self.dealt = self.dealing.deal(sockets.worker_count(), programs, &mut self.deals);
        let of = |program, worker: u32| self.dealt.get(worker as usize) == Some(&program);
        self.first_phase.get_or_insert_with(|| {
            let workers = |program, socket| {
                let dealt = sockets.workers(socket).filter(|&worker| of(program, worker)).count();
                u32::try_from(dealt).unwrap_or(u32::MAX)
            };
            let nodes = |program| sockets.all().map(|socket| workers(program, socket)).collect();
            (0..programs).map(nodes).collect()
        });
    }

    /// Whether a worker is dealt to the program that is simulated, which is number 0.
    pub(super) fn is_dealt(&self, worker: WorkerId) -> bool {
        self.dealt.get(worker.0 as usize).is_none_or(|&program| program == 0)
    }

    /// Draws the mailbox of a worker that joins.
    pub(super) fn joining(&mut self) -> &mut Draw {
        &mut self.joins
    }

    /// Per program, the workers of each node in the first phase; `None` if there has been none.
    pub(super) fn first_phase(&self) -> Option<Vec<Vec<u32>>> {
        self.first_phase.clone()
    }
}

// The resource management layer: which program each worker is dealt to (paper 003, sections 3.4 and 4.2).

/// How workers are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dealing {
    /// The same number of workers for each program, from any nodes (`tbb`).
    Even,
    /// The same number of workers of every node (`tbb-numa`).
    EvenPerNode,
}

impl Dealing {
    /// Per worker, the program that it is dealt to; 0 is the one that is simulated, which keeps worker 0.
    pub(super) fn deal(self, workers: usize, programs: u32, draw: &mut Draw) -> Vec<u32> {
        let (programs, all) = (u64::from(programs.max(1)), workers.max(1) as u64);
        let program = |worker: u64| match self {
            Self::Even => worker * programs / all,
            Self::EvenPerNode => worker % programs,
        };
        // All are below the number of programs.
        let mut dealt: Vec<u32> =
            (0..workers as u64).map(|worker| u32::try_from(program(worker)).unwrap_or(0)).collect();
        if self == Self::Even {
            // The same numbers in random order; the first worker is the program's master thread.
            for place in 1..workers {
                dealt.swap(place, place + draw.of_equals(workers - place));
            }
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_in_cyclic_order() {
        let mut set = WorkerSet::new(200);
        for number in [3, 63, 64, 130, 199, 63] {
            set.insert(number);
        }
        assert_eq!((set.len(), set.contains(64), set.contains(65)), (5, true, false));
        assert_eq!(set.all_from(0).collect::<Vec<_>>(), [3, 63, 64, 130, 199]);
        assert_eq!(set.all_from(64).collect::<Vec<_>>(), [64, 130, 199, 3, 63]);
        assert_eq!(set.all_from(65).collect::<Vec<_>>(), [130, 199, 3, 63, 64]);
        // Behind the last one.
        assert_eq!(set.nth_from(200, 0), Some(3));
        set.remove(64);
        set.remove(64);
        assert_eq!((set.len(), set.nth_from(64, 1)), (4, Some(199)));
    }

    #[test]
    fn nothing_is_found_in_an_empty_set() {
        let mut set = WorkerSet::new(0);
        set.insert(5);
        assert_eq!((set.len(), set.contains(5), set.nth_from(0, 0)), (0, false, None));
    }
}

#[cfg(test)]
mod dealing_tests {
    use numasim_graph::values::{RuntimeSettings, Ties};

    use super::*;

    /// Workers by program and node.
    fn dealt(dealing: Dealing, nodes: usize, cores: usize, programs: u32) -> Vec<Vec<usize>> {
        let order = RuntimeSettings { ties: Ties::Order, ..RuntimeSettings::default() };
        let of_worker = dealing.deal(nodes * cores, programs, &mut Draw::new(&order));
        let mut counts = vec![vec![0; nodes]; programs as usize];
        for (worker, &program) in of_worker.iter().enumerate() {
            counts[program as usize][worker / cores] += 1;
        }
        counts
    }

    #[test]
    fn per_node_as_the_specification_counts_t_3() {
        use Dealing::EvenPerNode;
        assert_eq!(dealt(EvenPerNode, 2, 4, 2), [[2, 2], [2, 2]]);
        assert_eq!(dealt(EvenPerNode, 2, 4, 3), [[2, 1], [1, 2], [1, 1]]);
        // 4 x 8 among three: totals 11, 11, 10, and 2 or 3 of every node.
        let counts = dealt(EvenPerNode, 4, 8, 3);
        assert_eq!(counts.iter().map(|of| of.iter().sum()).collect::<Vec<usize>>(), [11, 11, 10]);
        assert!(counts.iter().flatten().all(|count| [2, 3].contains(count)), "{counts:?}");
    }

    #[test]
    fn without_regard_to_nodes_a_program_gets_whole_nodes() {
        assert_eq!(dealt(Dealing::Even, 2, 4, 2), [[4, 0], [0, 4]]);
        // floor(w x 3 / 8): 0 0 0 1 1 1 2 2.
        assert_eq!(dealt(Dealing::Even, 2, 4, 3), [[3, 0], [1, 2], [0, 2]]);
    }

    #[test]
    fn drawn_workers_are_as_many_and_worker_0_stays() {
        let mut met = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let random = RuntimeSettings { seed, ..RuntimeSettings::default() };
            let dealt = Dealing::Even.deal(8, 3, &mut Draw::new(&random));
            let count = |program| dealt.iter().filter(|&&dealt| dealt == program).count();
            assert_eq!((dealt[0], count(0), count(1), count(2)), (0, 3, 3, 2));
            met.insert(dealt);
        }
        assert!(met.len() > 1);
    }

    #[test]
    fn more_programs_than_workers_leave_some_without() {
        assert_eq!(dealt(Dealing::EvenPerNode, 1, 2, 3), [[1], [1], [0]]);
        assert_eq!(dealt(Dealing::Even, 1, 2, 4), [[1], [0], [1], [0]]);
    }
}

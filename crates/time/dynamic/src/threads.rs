//! The threads of one application: blocked, idle or in a task.
//!
//! Threads are numbered round the nodes or node after node (`Pick`). Free tasks go to the lowest idle one; orders block the
//! highest, and unblock the lowest or any (`Wake`). On each node the i-th thread has the i-th place in that order. During
//! divisible work no thread is in a task: a thread that is not blocked counts as idle here, so that it can block at any
//! moment.

use numasim_course::{Binding, Course, Pick};
use numasim_model::Machine;
use numasim_model::order::Order;

use crate::result::ImpossibleOrder;
use crate::spread::Waking;

/// A thread: its node, and its place among those of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) node: usize,
    pub(crate) place: u32,
}

/// Which threads may run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    All,
    Total(u32),
    PerNode(Vec<u32>),
    /// For every core of the machine.
    Cores(Vec<bool>),
}

/// The threads on one node.
#[derive(Clone, Debug)]
struct OnNode {
    threads: u32,
    cores: u32,
    /// The number of its first core.
    first_core: u32,
    idle: Places,
    blocked: Places,
}

impl OnNode {
    fn unblocked(&self) -> u32 {
        self.threads - self.blocked.len()
    }
}

/// The threads of one application.
#[derive(Clone, Debug)]
pub(crate) struct Threads {
    nodes: Vec<OnNode>,
    pick: Pick,
    binding: Binding,
    waking: Waking,
    target: Target,
    total: u32,
    idle: u32,
    blocked: u32,
    /// Whether more threads may be unblocked than the target says: some were in a task.
    has_excess: bool,
}

/// Threads that changed: from blocked to idle, or back.
pub(crate) type Moved = Vec<(Thread, bool)>;

impl Threads {
    /// All threads of `course`, blocked or idle.
    pub(crate) fn new(course: &Course, machine: &Machine, waking: Waking, blocked: bool) -> Self {
        let mut first_core = 0;
        let mut nodes = Vec::with_capacity(machine.node_count());
        for (n, node) in machine.nodes().iter().enumerate() {
            let threads = if node.cores > 0 { course.threads.get(n).copied().unwrap_or(0) } else { 0 };
            let (mut idle, mut held) = (Places::new(threads), Places::new(threads));
            (0..threads).for_each(|place| if blocked { held.insert(place) } else { idle.insert(place) });
            nodes.push(OnNode { threads, cores: node.cores, first_core, idle, blocked: held });
            first_core += node.cores;
        }
        let total = nodes.iter().map(|node| node.threads).sum();
        let (idle, held) = if blocked { (0, total) } else { (total, 0) };
        let (pick, binding) = (course.pick, course.binding);
        let target = if blocked { Target::Total(0) } else { Target::All };
        Self { nodes, pick, binding, waking, target, total, idle, blocked: held, has_excess: false }
    }

    pub(crate) fn idle(&self, node: usize) -> u32 {
        self.nodes[node].idle.len()
    }

    pub(crate) fn blocked(&self, node: usize) -> u32 {
        self.nodes[node].blocked.len()
    }

    /// Threads on the node that are in a task.
    pub(crate) fn in_task(&self, node: usize) -> u32 {
        let node = &self.nodes[node];
        node.threads - node.idle.len() - node.blocked.len()
    }

    pub(crate) fn idle_total(&self) -> u32 {
        self.idle
    }

    pub(crate) fn blocked_total(&self) -> u32 {
        self.blocked
    }

    /// Whether threads run that the order in force does not allow.
    pub(crate) fn has_excess(&self) -> bool {
        self.has_excess
    }

    /// The core that a thread is bound to, as a number on its node; `None` if it is bound to the node.
    pub(crate) fn core_of(&self, thread: Thread) -> Option<usize> {
        match self.binding {
            Binding::Node => None,
            Binding::Core => Some((thread.place % self.nodes[thread.node].cores.max(1)) as usize),
        }
    }

    /// The lowest idle thread begins a task.
    pub(crate) fn take(&mut self) -> Option<Thread> {
        if self.idle == 0 {
            return None;
        }
        let thread = self.lowest(|node| node.idle.first())?;
        self.nodes[thread.node].idle.remove(thread.place);
        self.idle -= 1;
        Some(thread)
    }

    /// A thread has ended its task.
    pub(crate) fn release(&mut self, thread: Thread) {
        self.nodes[thread.node].idle.insert(thread.place);
        self.idle += 1;
    }

    /// All idle threads, node by node.
    pub(crate) fn all_idle(&self) -> impl Iterator<Item = Thread> + '_ {
        self.nodes
            .iter()
            .enumerate()
            .flat_map(|(node, on)| on.idle.iter().map(move |place| Thread { node, place }))
    }

    /// Whether the application can follow `order`.
    pub(crate) fn check(&self, order: &Order) -> Result<(), ImpossibleOrder> {
        let enough = |ordered: u32, there: u32| {
            if ordered <= there { Ok(()) } else { Err(ImpossibleOrder::Threads { ordered, there }) }
        };
        match order {
            Order::Total(threads) => enough(*threads, self.total),
            Order::PerNode(threads) if threads.len() == self.nodes.len() => {
                threads.iter().zip(&self.nodes).try_for_each(|(&ordered, node)| enough(ordered, node.threads))
            }
            Order::Cores(cores) if cores.iter().all(|&core| core < self.core_count()) => Ok(()),
            Order::PerNode(_) | Order::Cores(_) => Err(ImpossibleOrder::Unknown),
        }
    }

    /// From now on `order` is in force; [`Threads::obey`] follows.
    pub(crate) fn set_order(&mut self, order: &Order) {
        self.target = match order {
            Order::Total(threads) => Target::Total(*threads),
            Order::PerNode(threads) => Target::PerNode(threads.clone()),
            Order::Cores(cores) => {
                let mut allowed = vec![false; self.core_count() as usize];
                for &core in cores {
                    if let Some(allowed) = allowed.get_mut(core as usize) {
                        *allowed = true;
                    }
                }
                Target::Cores(allowed)
            }
        };
    }

    /// Blocks and unblocks what the order in force asks for and what is possible now; `moved` gets the threads.
    pub(crate) fn obey(&mut self, moved: &mut Moved) {
        moved.clear();
        match std::mem::replace(&mut self.target, Target::All) {
            Target::All => {
                self.has_excess = false;
            }
            Target::Total(ordered) => {
                while self.total - self.blocked > ordered {
                    let Some(thread) = self.highest_idle() else { break };
                    self.block(thread, moved);
                }
                if self.waking.is_random() {
                    let blocked = self.all_blocked();
                    self.wake(&blocked, ordered.saturating_sub(self.total - self.blocked), moved);
                }
                while self.total - self.blocked < ordered {
                    let Some(thread) = self.lowest(|node| node.blocked.first()) else { break };
                    self.unblock(thread, moved);
                }
                self.has_excess = self.total - self.blocked > ordered;
                self.target = Target::Total(ordered);
            }
            Target::PerNode(ordered) => {
                self.has_excess = false;
                for (node, &ordered) in ordered.iter().enumerate() {
                    while self.nodes[node].unblocked() > ordered {
                        let Some(place) = self.nodes[node].idle.last() else { break };
                        self.block(Thread { node, place }, moved);
                    }
                    if self.waking.is_random() {
                        let on = &self.nodes[node];
                        let blocked: Vec<Thread> =
                            on.blocked.iter().map(|place| Thread { node, place }).collect();
                        self.wake(&blocked, ordered.saturating_sub(on.unblocked()), moved);
                    }
                    while self.nodes[node].unblocked() < ordered {
                        let Some(place) = self.nodes[node].blocked.first() else { break };
                        self.unblock(Thread { node, place }, moved);
                    }
                    self.has_excess |= self.nodes[node].unblocked() > ordered;
                }
                self.target = Target::PerNode(ordered);
            }
            Target::Cores(allowed) => {
                self.obey_cores(&allowed, moved);
                self.target = Target::Cores(allowed);
            }
        }
    }

    fn obey_cores(&mut self, allowed: &[bool], moved: &mut Moved) {
        self.has_excess = false;
        for node in 0..self.nodes.len() {
            let OnNode { threads, cores, first_core, .. } = self.nodes[node];
            for place in 0..threads {
                let thread = Thread { node, place };
                let may_run = allowed.get((first_core + place % cores.max(1)) as usize) == Some(&true);
                let on = &self.nodes[node];
                match (may_run, on.blocked.contains(place), on.idle.contains(place)) {
                    (true, true, _) => self.unblock(thread, moved),
                    (false, false, true) => self.block(thread, moved),
                    (false, false, false) => self.has_excess = true,
                    (true, false, _) | (false, true, _) => {}
                }
            }
        }
    }

    /// All blocked threads, in their order.
    fn all_blocked(&self) -> Vec<Thread> {
        let nodes = self.nodes.iter().enumerate();
        let mut all: Vec<Thread> =
            nodes.flat_map(|(node, on)| on.blocked.iter().map(move |place| Thread { node, place })).collect();
        if self.pick == Pick::Spread {
            all.sort_unstable_by_key(|thread| (thread.place, thread.node));
        }
        all
    }

    /// Unblocks `count` of `blocked`.
    fn wake(&mut self, blocked: &[Thread], count: u32, moved: &mut Moved) {
        if count > 0 {
            for place in self.waking.choose(blocked.len(), count as usize) {
                self.unblock(blocked[place], moved);
            }
        }
    }

    fn block(&mut self, thread: Thread, moved: &mut Moved) {
        let on = &mut self.nodes[thread.node];
        on.idle.remove(thread.place);
        on.blocked.insert(thread.place);
        self.idle -= 1;
        self.blocked += 1;
        moved.push((thread, false));
    }

    fn unblock(&mut self, thread: Thread, moved: &mut Moved) {
        let on = &mut self.nodes[thread.node];
        on.blocked.remove(thread.place);
        on.idle.insert(thread.place);
        self.blocked -= 1;
        self.idle += 1;
        moved.push((thread, true));
    }

    /// The lowest of those that `of` names on each node.
    fn lowest(&self, of: impl Fn(&OnNode) -> Option<u32>) -> Option<Thread> {
        let mut lowest: Option<Thread> = None;
        for (node, on) in self.nodes.iter().enumerate() {
            let Some(place) = of(on) else { continue };
            // Nodes come in order, so that the first one wins among equal places.
            if lowest.is_none_or(|lowest| place < lowest.place) {
                lowest = Some(Thread { node, place });
            }
            if self.pick == Pick::Pack {
                break;
            }
        }
        lowest
    }

    fn highest_idle(&self) -> Option<Thread> {
        let mut highest: Option<Thread> = None;
        for (node, on) in self.nodes.iter().enumerate().rev() {
            let Some(place) = on.idle.last() else { continue };
            if highest.is_none_or(|highest| place > highest.place) {
                highest = Some(Thread { node, place });
            }
            if self.pick == Pick::Pack {
                break;
            }
        }
        highest
    }

    fn core_count(&self) -> u32 {
        self.nodes.iter().map(|node| node.cores).sum()
    }
}

#[derive(Clone, Debug, Default)]
struct Places {
    words: Vec<u64>,
    count: u32,
}

impl Places {
    /// Room for `threads` places, none of them in the set.
    fn new(threads: u32) -> Self {
        Self { words: vec![0; threads.div_ceil(64) as usize], count: 0 }
    }

    fn len(&self) -> u32 {
        self.count
    }

    /// Adds a place that is not in the set.
    fn insert(&mut self, place: u32) {
        self.words[(place / 64) as usize] |= 1 << (place % 64);
        self.count += 1;
    }

    /// Removes a place that is in the set.
    fn remove(&mut self, place: u32) {
        self.words[(place / 64) as usize] &= !(1 << (place % 64));
        self.count -= 1;
    }

    fn contains(&self, place: u32) -> bool {
        (self.words[(place / 64) as usize] >> (place % 64)) & 1 == 1
    }

    fn first(&self) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let mut words = (0_u32..).zip(&self.words);
        words.find(|(_, word)| **word != 0).map(|(i, word)| 64 * i + word.trailing_zeros())
    }

    fn last(&self) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let mut i = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.iter().rev().find_map(|word| {
            i -= 1;
            (*word != 0).then(|| 64 * i + 63 - word.leading_zeros())
        })
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |word: u64| (0..64_u32).filter(move |bit| (word >> bit) & 1 == 1);
        (0_u32..).zip(&self.words).flat_map(move |(i, &word)| bits(word).map(move |bit| 64 * i + bit))
    }
}

#[cfg(test)]
mod places_tests {
    use super::*;

    #[test]
    fn first_and_last_of_a_set_over_several_words() {
        let mut places = Places::new(200);
        assert_eq!((places.first(), places.last()), (None, None));
        for place in [70, 5, 199] {
            places.insert(place);
        }
        assert_eq!((places.first(), places.last()), (Some(5), Some(199)));
        places.remove(5);
        places.remove(199);
        assert_eq!(places.iter().collect::<Vec<_>>(), [70]);
        assert!(places.contains(70) && !places.contains(5));
    }
}

#[cfg(test)]
mod tests;

//! One application of an allocation, in the form that every tool needs.

use numasim_model::app::Smt;
use numasim_model::cpus::ranges;
use numasim_model::pinning::{AppCpus, PinError, cores, pin};
use numasim_model::units::Gibibytes;
use numasim_model::{AppId, Machine, NodeId, Placement};

use crate::emit::text::comment;
use crate::emit::weights::{Weights, of_fractions};
use crate::view::{ScenarioView, figures};

/// The source of the memory of a process, in node numbers of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// From the node of the thread that touches it first, or the nearest one with memory.
    Own,
    /// A share from these nodes, which the program itself has to place; the rest as [`Memory::Own`].
    OwnAnd(Vec<u32>),
    /// From one node.
    Node(u32),
    /// Page by page from these nodes in turn.
    Interleaved(Vec<u32>),
}

/// One core of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Core {
    /// Its node.
    pub(super) node: NodeId,
    /// The L3 domain of the node.
    pub(super) domain: usize,
    /// The hardware threads of the core that the application uses: one or two.
    pub(super) cpus: Vec<u32>,
}

/// One process of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    /// One logical CPU for each of its threads; the hardware threads of a core are consecutive.
    pub(super) cpus: Vec<u32>,
}

/// One application.
pub(super) struct Job<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its number in the order of the files.
    pub(super) number: usize,
    /// One logical CPU for each thread, node by node.
    pub(super) cpus: Vec<u32>,
    /// Its cores, node by node and domain by domain.
    pub(super) cores: Vec<Core>,
    /// Its processes. Threads are assigned to them in the order of `cores`, as equally as possible.
    pub(super) ranks: Vec<Rank>,
    /// Size of its data in MiB, rounded up; `None` if not given.
    pub(super) memory_mib: Option<u64>,
    /// Whether each thread reads its own node: no home node and no distributed data.
    pub(super) is_local: bool,
    /// The nodes with threads, in numbers of the operating system, ascending.
    pub(super) nodes: Vec<u32>,
    /// The nodes whose memory contains its local data, in numbers of the operating system, ascending.
    local: Vec<u32>,
    /// The source of its memory.
    pub(super) memory: Memory,
    /// Threads and data in words.
    pub(super) description: String,
    /// For data in unequal fractions: the weights of its nodes.
    pub(super) weights: Option<Weights>,
    /// The reason why its data cannot be placed as computed.
    pub(super) inexact: Option<String>,
}

impl Job<'_> {
    /// Threads over the whole machine.
    pub(super) fn threads(&self) -> usize {
        self.cpus.len()
    }

    /// Whether it consists of several processes.
    pub(super) fn has_ranks(&self) -> bool {
        self.ranks.len() > 1
    }

    /// One logical CPU for each thread, node by node; the hardware threads of a core are consecutive.
    pub(super) fn paired_cpus(&self) -> Vec<u32> {
        self.cores.iter().flat_map(|core| core.cpus.iter().copied()).collect()
    }

    /// Its threads and data in words, and the reason if data cannot be placed as computed.
    pub(super) fn said(&self) -> Vec<(&'static str, String)> {
        let inexact = self.inexact.as_ref().map(|inexact| ("NOT AS COMPUTED: ", inexact.clone()));
        std::iter::once(("", format!("{}: {}", self.name, self.description))).chain(inexact).collect()
    }

    /// The same text as comments.
    pub(super) fn comment(&self, text: &mut String) {
        for (key, words) in self.said() {
            comment(text, key, &words);
        }
    }

    /// The logical CPUs as a set: `0-3,8`.
    pub(super) fn cpu_set(&self) -> String {
        let mut sorted = self.cpus.clone();
        sorted.sort_unstable();
        ranges(&sorted)
    }

    /// Local only if each thread initialises what it reads.
    pub(super) fn needs_first_touch(&self) -> bool {
        matches!(self.memory, Memory::Own | Memory::OwnAnd(_)) && self.nodes.len() > 1
    }

    /// The nodes that memory may come from.
    pub(super) fn memory_nodes(&self) -> Vec<u32> {
        match &self.memory {
            Memory::Own => self.local.clone(),
            Memory::OwnAnd(others) => {
                let mut nodes = [self.local.as_slice(), others].concat();
                nodes.sort_unstable();
                nodes.dedup();
                nodes
            }
            Memory::Node(node) => vec![*node],
            Memory::Interleaved(nodes) => nodes.clone(),
        }
    }

    /// `numactl` before the program, for tools without support for memory; empty if first touch is intended.
    pub(super) fn numactl_for_memory(&self) -> String {
        self.policy_of_numactl().map_or_else(String::new, |policy| format!("numactl {policy} "))
    }

    /// The option of numactl for its memory; `None` if first touch is intended.
    pub(super) fn policy_of_numactl(&self) -> Option<String> {
        match &self.memory {
            Memory::Own | Memory::OwnAnd(_) => None,
            Memory::Node(node) => Some(format!("--membind={node}")),
            Memory::Interleaved(nodes) if self.weights.is_some() => {
                Some(format!("--weighted-interleave={}", ranges(nodes)))
            }
            Memory::Interleaved(nodes) => Some(format!("--interleave={}", ranges(nodes))),
        }
    }
}

/// All applications, those without threads included.
pub(super) fn jobs<'a>(view: &ScenarioView<'a>) -> Result<Vec<Job<'a>>, PinError> {
    let pinned = pin(view.machine, view.apps, view.allocation)?;
    let mut cores = cores_of(view, &pinned);
    let jobs = view.apps.iter().zip(view.placements).zip(&pinned).enumerate();
    let job = jobs.map(|(number, ((app, placement), cpus))| {
        let threads_on: Vec<NodeId> = cpus.nodes.iter().map(|&(node, _)| node).collect();
        let (memory, data, inexact) = memory(view.machine, placement, &threads_on);
        let weights = weights(view.machine, placement);
        let inexact = inexact.or_else(|| {
            let (_, is_exact) = weights.as_ref()?;
            (!is_exact)
                .then(|| "its fractions are no whole weights up to 255: the nearest ones are set".to_owned())
        });
        let mut local: Vec<u32> =
            threads_on.iter().map(|&node| os_number(view.machine, view.machine.local_memory(node))).collect();
        local.sort_unstable();
        local.dedup();
        let mut nodes: Vec<u32> = cpus.nodes.iter().map(|&(node, _)| os_number(view.machine, node)).collect();
        nodes.sort_unstable();
        let cores = cores.get_mut(number).map(std::mem::take).unwrap_or_default();
        Job {
            name: &app.name,
            number,
            cpus: cpus.cpus(),
            ranks: ranks(&cores, app.ranks),
            cores,
            memory_mib: app.memory.map(mebibytes),
            is_local: matches!(placement, Placement::Local | Placement::Replicated),
            nodes,
            local,
            memory,
            description: format!(
                "{}{}; {data}",
                threads(view, AppId(number), cpus),
                allowed(view.machine, app.nodes.as_deref())
            ),
            weights: weights.map(|(weights, _)| weights),
            inexact,
        }
    });
    Ok(job.collect())
}

/// The cores of each application, node by node and domain by domain.
fn cores_of(view: &ScenarioView<'_>, pinned: &[AppCpus]) -> Vec<Vec<Core>> {
    let per_l3 = view.allocation.per_l3(view.machine);
    let mut of: Vec<Vec<Core>> = vec![Vec::new(); pinned.len()];
    for node in view.machine.compute_nodes() {
        let domain_cores = view.machine.node(node).domain_cores().max(1) as usize;
        for (app, places) in cores(view.machine, &per_l3, node).into_iter().enumerate() {
            let cpus =
                pinned[app].nodes.iter().find(|(own, _)| *own == node).map_or(&[][..], |(_, cpus)| cpus);
            // Second hardware threads follow the first ones.
            let both = view.apps[app].smt == Smt::Both;
            of[app].extend(places.iter().enumerate().map(|(index, place)| {
                Core {
                    node,
                    domain: place / domain_cores,
                    cpus: [index]
                        .into_iter()
                        .chain(both.then_some(index + places.len()))
                        .filter_map(|index| cpus.get(index).copied())
                        .collect(),
                }
            }));
        }
    }
    of
}

/// The threads on these cores, assigned to `count` processes in order; numbers differ by at most 1.
fn ranks(cores: &[Core], count: u32) -> Vec<Rank> {
    let cpus: Vec<u32> = cores.iter().flat_map(|core| core.cpus.iter().copied()).collect();
    let count = count.max(1) as usize;
    let (each, more) = (cpus.len() / count, cpus.len() % count);
    let mut rest = cpus.as_slice();
    let of = |rank| {
        let (own, others) = rest.split_at(each + usize::from(rank < more));
        rest = others;
        Rank { cpus: own.to_vec() }
    };
    (0..count).map(of).collect()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are positive; above 2^64 the largest number"
)]
fn mebibytes(size: Gibibytes) -> u64 {
    (size.value() * 1024.0).ceil().max(1.0) as u64
}

pub(super) fn os_number(machine: &Machine, node: NodeId) -> u32 {
    // A node without a number in the file has the number of its index.
    machine
        .os_nodes()
        .get(node.0)
        .map_or_else(|| u32::try_from(node.0).unwrap_or(u32::MAX), |os_node| os_node.number)
}

/// `node 1`, or `node 1 (OS node 8)` if the operating system has another number.
fn named(machine: &Machine, node: NodeId) -> String {
    match os_number(machine, node) {
        number if number as usize == node.0 => node.to_string(),
        number => format!("{node} (OS node {number})"),
    }
}

/// `5 threads: 3 on node 0, 2 on node 1`
fn threads(view: &ScenarioView<'_>, app: AppId, cpus: &AppCpus) -> String {
    let parts: Vec<String> = cpus
        .nodes
        .iter()
        .map(|(node, cpus)| format!("{} on {}", cpus.len(), named(view.machine, *node)))
        .collect();
    format!("{}: {}", figures::count(view.total_threads(app), "thread"), parts.join(", "))
}

/// ` (may run on node 0, node 2 only)`; empty if it may run everywhere.
fn allowed(machine: &Machine, nodes: Option<&[NodeId]>) -> String {
    let Some(nodes) = nodes else { return String::new() };
    let nodes: Vec<String> = nodes.iter().map(|&node| named(machine, node)).collect();
    format!(" (may run on {} only)", nodes.join(", "))
}

/// Local data of threads on these nodes.
fn local(machine: &Machine, threads_on: &[NodeId]) -> (Memory, String) {
    let borrows: Vec<NodeId> = threads_on.iter().copied().filter(|&node| !machine.has_memory(node)).collect();
    let Some(&first) = borrows.first() else {
        return (Memory::Own, "every thread reads its own node".to_owned());
    };
    let memory = machine.local_memory(first);
    if threads_on.iter().all(|&node| machine.local_memory(node) == memory) {
        let (memory, place) = (os_number(machine, memory), named(machine, memory));
        return (Memory::Node(memory), format!("every thread reads {place}, the nearest memory"));
    }
    let borrows: Vec<String> = borrows
        .iter()
        .map(|&node| format!("{} reads {}", named(machine, node), named(machine, machine.local_memory(node))))
        .collect();
    let words = format!("every thread reads its own node, or the nearest memory: {}", borrows.join(", "));
    (Memory::Own, words)
}

/// The source of memory for threads on these nodes, in words, and the reason if it differs from the computed one.
fn memory(
    machine: &Machine,
    placement: &Placement,
    threads_on: &[NodeId],
) -> (Memory, String, Option<String>) {
    let number = |node: usize| os_number(machine, NodeId(node));
    match placement {
        Placement::Local => {
            let (memory, words) = local(machine, threads_on);
            (memory, words, None)
        }
        Placement::Replicated => {
            let words = "a copy of the data on each of its nodes".to_owned();
            let is_one = threads_on.len() < 2;
            let inexact = (!is_one).then(|| {
                "no command line copies data: the program itself has to keep a copy on each node, which threads of that \
                 node write first (or numa_alloc_onnode), and to write to all copies"
                    .to_owned()
            });
            (Memory::Own, words, inexact)
        }
        Placement::Home(home) => {
            (Memory::Node(number(home.0)), format!("all data on {}", named(machine, *home)), None)
        }
        Placement::PartHome { home, share } => {
            let place = named(machine, *home);
            partly(vec![number(home.0)], &place, *share)
        }
        Placement::PartInterleave { share } => {
            partly(machine.memory_nodes().map(|node| number(node.0)).collect(), "all nodes", *share)
        }
        Placement::Interleave => {
            (over(machine.memory_nodes().map(|node| number(node.0))), "data over all nodes".to_owned(), None)
        }
        Placement::Fractions(fractions) => {
            let used: Vec<(usize, f64)> =
                fractions.iter().copied().enumerate().filter(|&(_, share)| share > 0.0).collect();
            let words: Vec<String> = used
                .iter()
                .map(|&(node, share)| {
                    format!("{} on {}", figures::percent(share), named(machine, NodeId(node)))
                })
                .collect();
            let words = format!("data {}", words.join(", "));
            let memory = match used.as_slice() {
                [(only, _)] => Memory::Node(number(*only)),
                _ => over(used.iter().map(|&(node, _)| number(node))),
            };
            (memory, words, None)
        }
    }
}

/// The weights of data in unequal fractions, given or chosen, and whether they are exact.
fn weights(machine: &Machine, placement: &Placement) -> Option<(Weights, bool)> {
    let Placement::Fractions(fractions) = placement else { return None };
    let used = fractions.iter().copied().enumerate().filter(|&(_, share)| share > 0.0);
    of_fractions(&used.map(|(node, share)| (os_number(machine, NodeId(node)), share)).collect::<Vec<_>>())
}

/// A share on these nodes, the rest local: command lines cannot express this.
fn partly(nodes: Vec<u32>, place: &str, share: f64) -> (Memory, String, Option<String>) {
    let share = figures::percent(share);
    let words = format!("{share} of the data on {place}, the rest local");
    let inexact = format!(
        "no tool can place a share of the data, so all data is local; the program itself has to put {share} of \
         it on {place} (mbind, numa_alloc_onnode or numa_alloc_interleaved)"
    );
    (Memory::OwnAnd(nodes), words, Some(inexact))
}

fn over(nodes: impl Iterator<Item = u32>) -> Memory {
    let mut nodes: Vec<u32> = nodes.collect();
    nodes.sort_unstable();
    match nodes.as_slice() {
        [only] => Memory::Node(*only),
        _ => Memory::Interleaved(nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_dealt_to_ranks_in_order_and_numbers_differ_by_one() {
        let core = |cpus: &[u32]| Core { node: NodeId(0), domain: 0, cpus: cpus.to_vec() };
        let of =
            |cores: &[Core], count| ranks(cores, count).into_iter().map(|rank| rank.cpus).collect::<Vec<_>>();
        let seven: Vec<Core> = (0..7).map(|cpu| core(&[cpu])).collect();
        // 7 = 3 + 2 + 2.
        assert_eq!(of(&seven, 3), [vec![0, 1, 2], vec![3, 4], vec![5, 6]]);
        assert_eq!(of(&seven[..2], 1), [vec![0, 1]]);
        // Both hardware threads of a core go to one rank.
        assert_eq!(of(&[core(&[0, 8]), core(&[1, 9])], 2), [vec![0, 8], vec![1, 9]]);
        assert_eq!(of(&[], 2), [Vec::<u32>::new(), Vec::new()]);
    }
}

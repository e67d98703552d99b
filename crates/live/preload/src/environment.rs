//! The variables about the program in the environment: `NUMASIM_CONTROL`, `NUMASIM_NODES` and `NUMASIM_THREADS`.
//!
//! `NUMASIM_AGENT` and `NUMASIM_APP` are read by `numasim-client`. `numasim run` sets all five.

use numasim_host::affinity::allowed;
use numasim_host::system::{NodeCores, System};
use numasim_model::order::Control;

/// The orders that the program follows: `total` (the default), `per-node`, or `none`.
const CONTROL: &str = "NUMASIM_CONTROL";
/// The nodes of the agent's machine by their numbers in the system, such as `0,1`; by default all nodes of this host.
const NODES: &str = "NUMASIM_NODES";
/// The maximum number of threads on each of these nodes, such as `4,4`; by default the cores that this process may use.
const THREADS: &str = "NUMASIM_THREADS";

/// A node of the agent's machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// The maximum number of threads here.
    pub(crate) threads: u32,
    /// The logical CPUs that this process may use here.
    pub(crate) cpus: Vec<u32>,
}

/// The content of the environment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) control: Control,
    pub(crate) nodes: Vec<Node>,
}

impl Wanted {
    /// For this process on this host.
    ///
    /// # Errors
    /// The problem, in a line for people.
    pub(crate) fn of_this_process() -> Result<Self, String> {
        let allowed = allowed().map_err(|error| error.to_string())?;
        let of = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let values = [CONTROL, NODES, THREADS].map(of);
        let values = values.each_ref().map(Option::as_deref);
        Self::read(values, &System::host().node_cores(&allowed))
    }

    fn read([control, nodes, threads]: [Option<&str>; 3], host: &[NodeCores]) -> Result<Self, String> {
        let words = [Control::Total, Control::PerNode, Control::None];
        let control = match control {
            None => Control::Total,
            Some(text) => words
                .into_iter()
                .find(|word| word.as_str() == text)
                .ok_or_else(|| format!("{CONTROL} is \"{text}\": write total, per-node or none"))?,
        };
        let of_node = |number: &u32| {
            let found = host.iter().find(|node| node.number == *number);
            let found =
                found.ok_or_else(|| format!("{NODES} names node {number}, which this host does not have"))?;
            let threads = u32::try_from(found.cores.len()).unwrap_or(u32::MAX);
            Ok(Node { threads, cpus: found.cores.concat() })
        };
        let numbers = match nodes {
            Some(text) => list(NODES, text)?,
            None => host.iter().map(|node| node.number).collect(),
        };
        let mut nodes = numbers.iter().map(of_node).collect::<Result<Vec<Node>, String>>()?;
        if let Some(text) = threads {
            let threads = list(THREADS, text)?;
            if threads.len() != nodes.len() {
                let (found, needed) = (threads.len(), nodes.len());
                return Err(format!("{THREADS} has {found} numbers for {needed} nodes"));
            }
            nodes.iter_mut().zip(threads).for_each(|(node, threads)| node.threads = threads);
        }
        if nodes.iter().all(|node| node.threads == 0) {
            return Err(format!("{THREADS} allows no thread"));
        }
        Ok(Self { control, nodes })
    }
}

fn list(name: &str, text: &str) -> Result<Vec<u32>, String> {
    let number = |part: &str| part.trim().parse::<u32>();
    text.split(',')
        .map(number)
        .collect::<Result<_, _>>()
        .map_err(|_| format!("{name} is \"{text}\": write whole numbers with commas, such as 0,1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes 0 and 2 with two cores each, the second with two logical CPUs a core.
    fn host() -> Vec<NodeCores> {
        vec![
            NodeCores { number: 0, cores: vec![vec![0], vec![1]] },
            NodeCores { number: 2, cores: vec![vec![2, 6], vec![3, 7]] },
        ]
    }

    fn node(threads: u32, cpus: &[u32]) -> Node {
        Node { threads, cpus: cpus.to_vec() }
    }

    #[test]
    fn by_default_every_core_of_the_host_has_a_thread() {
        let wanted = Wanted::read([None; 3], &host()).expect("no variable");
        let nodes = vec![node(2, &[0, 1]), node(2, &[2, 6, 3, 7])];
        assert_eq!(wanted, Wanted { control: Control::Total, nodes });
    }

    #[test]
    fn nodes_of_the_agent_may_be_a_part_of_the_host() {
        let wanted = Wanted::read([Some("per-node"), Some("2"), Some("1")], &host()).expect("one node");
        assert_eq!(wanted, Wanted { control: Control::PerNode, nodes: vec![node(1, &[2, 6, 3, 7])] });
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |values| Wanted::read(values, &host()).expect_err("a mistake");
        assert_eq!(
            wrong([Some("cores"), None, None]),
            "NUMASIM_CONTROL is \"cores\": write total, per-node or none"
        );
        assert_eq!(
            wrong([None, Some("0,1"), None]),
            "NUMASIM_NODES names node 1, which this host does not have"
        );
        assert_eq!(
            wrong([None, Some("0;2"), None]),
            "NUMASIM_NODES is \"0;2\": write whole numbers with commas, such as 0,1"
        );
        assert_eq!(wrong([None, None, Some("1")]), "NUMASIM_THREADS has 1 numbers for 2 nodes");
        assert_eq!(wrong([None, None, Some("0,0")]), "NUMASIM_THREADS allows no thread");
    }
}

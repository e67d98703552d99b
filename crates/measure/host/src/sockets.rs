//! Which NUMA nodes sit on which socket (processor package).

use numasim_model::ids::NodeId;

use crate::topology::HostTopology;

/// A socket and the NUMA nodes on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    /// Its number, as in [`crate::HostNode::packages`].
    pub number: u32,
    /// Its nodes, ascending: places in [`HostTopology::nodes`].
    pub nodes: Vec<NodeId>,
}

impl HostTopology {
    /// The sockets in ascending order, as far as the topology shows them. A node beside several sockets is on none.
    pub fn sockets(&self) -> Vec<Socket> {
        let mut sockets: Vec<Socket> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            let &[number] = node.packages.as_slice() else { continue };
            match sockets.iter_mut().find(|socket| socket.number == number) {
                Some(socket) => socket.nodes.push(NodeId(place)),
                None => sockets.push(Socket { number, nodes: vec![NodeId(place)] }),
            }
        }
        sockets.sort_unstable_by_key(|socket| socket.number);
        sockets
    }
}

/// Pairs of sockets between which several pairs of nodes read: at least one of the two has more than one node.
pub(crate) fn joined(sockets: &[Socket]) -> Vec<(&Socket, &Socket)> {
    let mut pairs = Vec::new();
    for (n, a) in sockets.iter().enumerate() {
        let several = |b: &&Socket| a.nodes.len() > 1 || b.nodes.len() > 1;
        pairs.extend(sockets[n + 1..].iter().filter(several).map(|b| (a, b)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(packages: &[&[u32]]) -> HostTopology {
        let mut host = HostTopology::from_cores("box", &vec![2; packages.len()]);
        for (node, packages) in host.nodes.iter_mut().zip(packages) {
            node.packages = packages.to_vec();
        }
        host
    }

    #[test]
    fn nodes_are_grouped_by_their_package_and_one_beside_all_is_on_none() {
        let nodes = |list: &[usize]| list.iter().copied().map(NodeId).collect::<Vec<_>>();
        let sockets = host(&[&[1], &[0], &[1], &[0, 1]]).sockets();
        assert_eq!(
            sockets,
            [Socket { number: 0, nodes: nodes(&[1]) }, Socket { number: 1, nodes: nodes(&[0, 2]) }]
        );
        assert_eq!(joined(&sockets).len(), 1);
    }

    #[test]
    fn sockets_of_one_node_each_are_joined_by_the_link_of_that_pair() {
        assert_eq!(joined(&host(&[&[0], &[1]]).sockets()), []);
    }
}

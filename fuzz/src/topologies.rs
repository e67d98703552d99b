//! Topology output of tools.

use numasim_evidence::formats::topology::likwid::read_likwid_topology;
use numasim_evidence::formats::topology::lscpu::Lscpu;
use numasim_evidence::formats::topology::{Cores, Topology, read_numactl};
use numasim_model::cpus::{CpuList, MAX_OS_NODE};
use numasim_study::Problem;

use super::problems_are_sound;

/// Output of numactl, lscpu and likwid-topology: each reader accepts it or names the place of the error. An accepted text
/// becomes a machine.
pub fn topology(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let look = |read: Result<Topology, Problem>| match read {
        Ok(found) => topology_is_sound(&found),
        Err(problem) => problems_are_sound(&[problem], &[&text]),
    };
    look(read_numactl(&text));
    look(read_likwid_topology(&text));
    let mut found = Lscpu::default();
    match found.read(&text) {
        // A problem of all texts together has no place.
        Ok(()) => match found.topology() {
            Ok(found) => topology_is_sound(&found),
            Err(why) => assert!(!why.is_empty()),
        },
        Err(problem) => problems_are_sound(&[problem], &[&text]),
    }
}

/// Nodes in ascending order, each processor on one of them, at most one core per processor, and a distance for each
/// pair.
fn topology_is_sound(found: &Topology) {
    let nodes = &found.nodes;
    assert!(nodes.windows(2).all(|pair| pair[0].number < pair[1].number), "{nodes:?}");
    assert!(
        nodes.iter().all(|node| node.number <= MAX_OS_NODE)
            && nodes.iter().any(|node| !node.processors.is_empty())
    );
    let all: Vec<u32> = nodes.iter().flat_map(|node| node.processors.iter().copied()).collect();
    CpuList::new(all).unwrap_or_else(|why| panic!("{why}: {nodes:?}"));
    for node in nodes {
        let Some(cores) = &node.cores else { continue };
        assert!(cores.count() as usize <= node.processors.len(), "{node:?}");
        let Cores::Known(known) = cores else { continue };
        let first: Vec<u32> = known.iter().filter_map(|core| core.cpus.first().copied()).collect();
        assert!(first.iter().all(|cpu| node.processors.contains(cpu)), "{node:?}");
        assert!(first.len() == known.len(), "{node:?}");
    }
    if let Some(rows) = &found.distances {
        assert!(rows.len() == nodes.len() && rows.iter().all(|row| row.len() == nodes.len()), "{rows:?}");
    }
    assert!(
        found.caches.iter().all(|cache| cache.bytes > 0 && cache.cores > 0 && cache.count > 0),
        "{:?}",
        found.caches
    );
}

//! Logical numbers of hwloc: cores or hardware threads of the whole machine, counted in the order of their
//! smallest logical CPU.

use std::collections::HashMap;

use numasim_model::Machine;

/// The numbers of a machine. They are valid if its file lists all cores and no socket contains nodes between
/// those of another one.
#[derive(Clone, Debug, Default)]
pub struct Logical {
    /// The logical CPUs of each number.
    cpus: Vec<Vec<u32>>,
    /// The number of each logical CPU.
    of: HashMap<u32, u32>,
}

impl Logical {
    /// Numbers of cores, or of hardware threads (`threads`), where the threads of a core are consecutive.
    /// Nodes with unknown logical CPUs have none.
    pub fn of(machine: &Machine, threads: bool) -> Self {
        // Nodes, L3 domains and cores, each in the order of its smallest logical CPU.
        let mut nodes: Vec<Vec<Vec<Vec<u32>>>> = Vec::new();
        for id in machine.compute_nodes() {
            let node = machine.node(id);
            let list = machine.os_nodes().get(id.0).and_then(|os| os.cpus.as_ref());
            let list = list.map_or(&[][..], |cpus| cpus.as_slice());
            let (first, second) = list.split_at_checked(node.cores as usize).unwrap_or((list, &[]));
            let second = if machine.threads_per_core() > 1 { second } else { &[] };
            let core = |(place, &cpu): (usize, &u32)| {
                let mut cpus: Vec<u32> = [cpu].into_iter().chain(second.get(place).copied()).collect();
                cpus.sort_unstable();
                cpus
            };
            let cores: Vec<Vec<u32>> = first.iter().enumerate().map(core).collect();
            let mut domains: Vec<Vec<Vec<u32>>> =
                cores.chunks(node.domain_cores().max(1) as usize).map(<[_]>::to_vec).collect();
            for cores in &mut domains {
                cores.sort();
            }
            domains.sort();
            nodes.push(domains);
        }
        nodes.sort();
        let cores = nodes.into_iter().flatten().flatten();
        let cpus: Vec<Vec<u32>> =
            if threads { cores.flatten().map(|cpu| vec![cpu]).collect() } else { cores.collect() };
        let of = cpus.iter().zip(0..).flat_map(|(cpus, number)| cpus.iter().map(move |&cpu| (cpu, number)));
        Self { of: of.collect(), cpus }
    }

    /// The number of a logical CPU.
    pub fn number(&self, cpu: u32) -> Option<u32> {
        self.of.get(&cpu).copied()
    }

    /// The logical CPUs of a number, ascending.
    pub fn cpus(&self, number: u32) -> Option<&[u32]> {
        self.cpus.get(number as usize).map(Vec::as_slice)
    }
}

//! The load of the cores of each node, from all processes, as the operating system counted it over the last second. Also the environment
//! for OpenMP and oneTBB programs that the agent starts, so that they use their cores and no others.
//!
//! [`NodeLoad`] is pure: looks at `/proc/stat` ([`numasim_host::system::System::cpu_times`]) come in with their time. The kernel counts
//! in ticks of 10 ms, and the cost of a look grows with the number of logical CPUs: four a second are enough.

use std::collections::VecDeque;

use numasim_host::system::{CpuTimes, NodeCores};

/// Time between looks.
const BETWEEN_S: f64 = 0.25;
/// Time over which the load is averaged.
const OVER_S: f64 = 1.0;

/// See the module.
#[derive(Clone, Debug)]
pub struct NodeLoad {
    /// The logical CPUs of each node.
    cpus: Vec<Vec<u32>>,
    /// At most one of them is older than [`OVER_S`].
    looks: VecDeque<(f64, CpuTimes)>,
}

impl NodeLoad {
    /// For these nodes, before the first look.
    pub fn new(nodes: &[NodeCores]) -> Self {
        let cpus = |node: &NodeCores| node.cores.iter().flatten().copied().collect();
        Self { cpus: nodes.iter().map(cpus).collect(), looks: VecDeque::new() }
    }

    /// Whether it is time to look again.
    pub fn is_due(&self, now_s: f64) -> bool {
        self.looks.back().is_none_or(|(last_s, _)| now_s - last_s >= BETWEEN_S)
    }

    /// Adds the counters of the system until now.
    pub fn look(&mut self, now_s: f64, times: CpuTimes) {
        self.looks.push_back((now_s, times));
        while self.looks.get(1).is_some_and(|(at_s, _)| now_s - at_s >= OVER_S) {
            self.looks.pop_front();
        }
    }

    /// The busy fraction of each node's cores over the last second, 0 to 1 (right after the start over the available time): the mean over
    /// its logical CPUs that the system counted. 0 for a node without cores, and if nothing was counted.
    pub fn busy(&self) -> Vec<f64> {
        let (Some((_, first)), Some((_, last))) = (self.looks.front(), self.looks.back()) else {
            return vec![0.0; self.cpus.len()];
        };
        let shares = last.since(first);
        let mean = |cpus: &Vec<u32>| {
            let busy: Vec<f64> = cpus.iter().filter_map(|cpu| Some(shares.get(cpu)?.busy)).collect();
            if busy.is_empty() { 0.0 } else { busy.iter().sum::<f64>() / busy.len() as f64 }
        };
        self.cpus.iter().map(mean).collect()
    }
}

// The environment for OpenMP and oneTBB programs that the agent starts, so that they use these cores and no others.
//
// OpenMP takes its places from the environment (OpenMP 5.2, sections 21.2 and 21.1): a place for each core, with all its hardware
// threads, and thread i on place i. oneTBB has no such variables: the number of threads in its arenas is the number of logical CPUs in
// the affinity mask of the process at its first use, so the mask determines it ([`mask`]). The mask also keeps OpenMP's other threads,
// and all other threads of the program, on these cores.

/// The variables for a program on these cores, each given by its logical CPUs: `OMP_NUM_THREADS`, `OMP_DYNAMIC`, `OMP_PLACES` and
/// `OMP_PROC_BIND`. Empty without cores.
pub fn variables(cores: &[Vec<u32>]) -> Vec<(String, String)> {
    let places: Vec<String> = cores.iter().filter(|core| !core.is_empty()).map(|core| place(core)).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let variable = |name: &str, value: String| (name.to_owned(), value);
    vec![
        variable("OMP_NUM_THREADS", places.len().to_string()),
        // Otherwise the runtime may make fewer threads when the system is busy.
        variable("OMP_DYNAMIC", "false".into()),
        variable("OMP_PLACES", places.join(",")),
        // With as many threads as places: one on each, in their order.
        variable("OMP_PROC_BIND", "close".into()),
    ]
}

/// The affinity mask for a program on these cores: all their logical CPUs, ascending.
pub fn mask(cores: &[Vec<u32>]) -> Vec<u32> {
    let mut cpus = cores.concat();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// `{0,64}`: a place with these logical CPUs.
fn place(core: &[u32]) -> String {
    let cpus: Vec<String> = core.iter().map(u32::to_string).collect();
    format!("{{{}}}", cpus.join(","))
}

#[cfg(test)]
mod started_tests {
    use super::*;

    fn variables_of(cores: &[Vec<u32>]) -> Vec<String> {
        variables(cores).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn each_core_is_a_place_and_has_a_thread() {
        // Cores 1 and 0 of a package with two hardware threads a core, and one core of another package with one.
        let cores = [vec![1, 65], vec![0, 64], vec![7]];
        assert_eq!(
            variables_of(&cores),
            ["OMP_NUM_THREADS=3", "OMP_DYNAMIC=false", "OMP_PLACES={1,65},{0,64},{7}", "OMP_PROC_BIND=close"]
        );
        assert_eq!(mask(&cores), [0, 1, 7, 64, 65]);
    }

    #[test]
    fn without_cores_nothing_is_said() {
        assert_eq!(variables_of(&[]), [""; 0]);
        assert_eq!(variables_of(&[vec![]]), [""; 0]);
        assert_eq!(mask(&[vec![]]), [0_u32; 0]);
    }
}

#[cfg(test)]
mod tests {
    use numasim_host::testing::Tree;

    use super::*;

    /// `/proc/stat` with the busy and idle ticks of each logical CPU.
    fn times(processors: &[(u64, u64)]) -> CpuTimes {
        let lines: Vec<String> = (0..)
            .zip(processors)
            .map(|(n, (busy, idle))| format!("cpu{n} {busy} 0 0 {idle} 0 0 0 0"))
            .collect();
        Tree::new(&[("proc/stat", &format!("cpu 9 9 9 9\n{}\nintr 5\n", lines.join("\n")))])
            .system()
            .cpu_times()
    }

    fn nodes(cores: &[&[&[u32]]]) -> Vec<NodeCores> {
        let node = |cores: &[&[u32]]| cores.iter().map(|core| core.to_vec()).collect();
        (0..).zip(cores).map(|(number, cores)| NodeCores { number, cores: node(cores) }).collect()
    }

    #[test]
    fn a_nodes_load_is_the_mean_over_its_processors() {
        // Node 0: one core with two hardware threads, one of them busy for 80 of 100 ticks; node 1 memory; node 2 busy.
        let mut load = NodeLoad::new(&nodes(&[&[&[0, 1]], &[], &[&[2]]]));
        assert_eq!(load.busy(), [0.0; 3]);
        load.look(0.0, times(&[(1000, 50), (0, 0), (7, 0)]));
        assert_eq!(load.busy(), [0.0; 3]);
        load.look(1.0, times(&[(1080, 70), (0, 100), (107, 0)]));
        let expected = [0.4, 0.0, 1.0];
        assert!(load.busy().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", load.busy());
    }

    #[test]
    fn what_is_more_than_a_second_old_is_forgotten() {
        let mut load = NodeLoad::new(&nodes(&[&[&[0]]]));
        // Busy for the first second, idle from then on: after 1.5 s half of the last second was busy.
        let busy_until_1 =
            [(0, 0), (25, 0), (50, 0), (75, 0), (100, 0), (100, 25), (100, 50), (100, 75), (100, 100)];
        let mut seen = Vec::new();
        for (n, ticks) in (0..).zip(busy_until_1) {
            load.look(f64::from(n) * 0.25, times(&[ticks]));
            seen.push(load.busy()[0]);
        }
        assert_eq!(seen, [0.0, 1.0, 1.0, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0]);
        assert_eq!(load.looks.len(), 5);
    }

    #[test]
    fn four_looks_a_second_are_enough() {
        let mut load = NodeLoad::new(&nodes(&[&[&[0]]]));
        assert!(load.is_due(3.0));
        load.look(3.0, times(&[(0, 0)]));
        assert!(!load.is_due(3.24) && load.is_due(3.25));
    }

    #[test]
    fn a_processor_that_is_not_counted_does_not_count() {
        let mut load = NodeLoad::new(&nodes(&[&[&[0], &[1], &[9]]]));
        load.look(0.0, times(&[(0, 0), (0, 0)]));
        // 1 made no tick (offline), 9 does not exist.
        load.look(1.0, times(&[(25, 75), (0, 0)]));
        assert_eq!(load.busy(), [0.25]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_host_is_busy_between_nothing_and_all() {
        use numasim_host::affinity::allowed;
        use numasim_host::system::System;
        let nodes = System::host().node_cores(&allowed().expect("Linux tells"));
        let mut load = NodeLoad::new(&nodes);
        load.look(0.0, System::host().cpu_times());
        let start = std::time::Instant::now();
        while start.elapsed().as_millis() < 60 {
            std::hint::spin_loop();
        }
        load.look(1.0, System::host().cpu_times());
        let busy = load.busy();
        assert_eq!(busy.len(), nodes.len());
        assert!(busy.iter().all(|part| (0.0..=1.0).contains(part)), "{busy:?}");
        // This test itself used six ticks on one of them.
        assert!(busy.iter().any(|&part| part > 0.0), "{busy:?}");
    }
}

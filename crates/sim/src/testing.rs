//! Small machines and applications for the tests of this crate.

use numasim_model::units::{FlopPerByte, Gflop, Gflops, Gibibytes, GigabytesPerSecond};
use numasim_model::{App, Data, Machine, Node, NodeId, Placement};

use crate::problem::Problem;

/// `nodes` equal nodes; GFLOPS per core, GB/s per controller, GB/s per link.
pub(crate) fn uniform_machine(nodes: usize, cores: u32, peak: f64, bandwidth: f64, link: f64) -> Machine {
    let node = Node {
        cores,
        gflops_per_core: Gflops::new(peak),
        bandwidth: GigabytesPerSecond::new(bandwidth),
        ..Node::default()
    };
    Machine::uniform("test", nodes, node, GigabytesPerSecond::new(link)).unwrap()
}

/// An application with the defaults of the file format.
pub(crate) fn app(name: &str, intensity: f64, data: Data) -> App {
    App { work: Some(Gflop::new(1000.0)), ..App::new(name, FlopPerByte::new(intensity), data) }
}

/// A NUMA-perfect application.
pub(crate) fn local_app(name: &str, intensity: f64) -> App {
    app(name, intensity, Data::Placed(Placement::Local))
}

/// The machine with this memory on each node, GiB.
pub(crate) fn with_memory(machine: &Machine, gib: &[Option<f64>]) -> Machine {
    with_nodes(machine, |number, node| Node { memory: gib[number].map(Gibibytes::new), ..node })
}

/// The applications with their data on nodes of `machine` with memory: data of a node without memory moves to the nearest one.
pub(crate) fn with_data_on_memories(machine: &Machine, apps: Vec<App>) -> Vec<App> {
    let placed = |placement: Placement| match placement {
        Placement::Home(home) => Placement::Home(machine.local_memory(home)),
        Placement::PartHome { home, share } => {
            Placement::PartHome { home: machine.local_memory(home), share }
        }
        Placement::Fractions(parts) => {
            let mut sums = vec![0.0; parts.len()];
            for (node, part) in parts.into_iter().enumerate() {
                sums[machine.local_memory(NodeId(node)).0] += part;
            }
            Placement::Fractions(sums)
        }
        anywhere => anywhere,
    };
    let of = |app: App| match app.data {
        Data::Placed(placement) => App { data: Data::Placed(placed(placement)), ..app },
        Data::OpenHome { .. } | Data::OpenFractions => app,
    };
    apps.into_iter().map(of).collect()
}

/// The machine with other nodes, and the same links.
pub(crate) fn with_nodes(machine: &Machine, change: impl Fn(usize, Node) -> Node) -> Machine {
    let nodes = machine.nodes().iter().enumerate().map(|(number, node)| change(number, *node)).collect();
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let any = GigabytesPerSecond::new(1.0);
    let links = pairs.map(|(from, to)| machine.link(from, to).unwrap_or(any)).collect();
    let changed = Machine::new("other nodes", nodes, links).expect("a machine");
    changed.with_sharing(*machine.sharing())
}

/// Every choice for the open data of all applications.
pub(crate) fn every_set_of_homes(problem: &Problem) -> Vec<Vec<Placement>> {
    problem.open_apps().iter().fold(vec![Vec::new()], |sets: Vec<Vec<Placement>>, &app| {
        let choices = crate::open_data::each(&problem.apps[app].data, &problem.machine);
        let longer = |set: Vec<Placement>| {
            choices
                .iter()
                .map(move |choice| [set.as_slice(), std::slice::from_ref(choice)].concat())
                .collect::<Vec<_>>()
        };
        sets.into_iter().flat_map(longer).collect()
    })
}

/// 1 node x 16 cores of 1000 GFLOPS, 200 GB/s; 30 GB/s a core, 50 a domain of 8.
pub(crate) fn two_chiplets() -> Machine {
    let flat = uniform_machine(1, 16, 1000.0, 200.0, 1.0);
    let mut node = *flat.node(NodeId(0));
    node.core_bandwidth = Some(GigabytesPerSecond::new(30.0));
    node.cores_per_l3 = Some(8);
    node.l3_bandwidth = Some(GigabytesPerSecond::new(50.0));
    flat.retuned(vec![node], vec![GigabytesPerSecond::new(1.0)]).unwrap()
}

//! Snapshots of what people see, for machines and allocations made here.

use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Allocation, App, Data, Evaluation, Machine, Node, NodeId, Placement, evaluate};

use super::{ScenarioView, Style, csv, explain, json, table};

/// Everything a view borrows.
pub(super) struct Case {
    name: &'static str,
    machine: Machine,
    apps: Vec<App>,
    allocation: Allocation,
    placements: Vec<Placement>,
    evaluation: Evaluation,
}

impl Case {
    fn new(name: &'static str, machine: Machine, apps: Vec<App>, rows: &[Vec<u32>]) -> Self {
        let allocation = Allocation::from_rows(rows).unwrap();
        let placements: Vec<Placement> =
            apps.iter().map(|app| app.data.placement().unwrap().clone()).collect();
        let evaluation = evaluate(&machine, &apps, &placements, &allocation).unwrap();
        Self { name, machine, apps, allocation, placements, evaluation }
    }

    fn view(&self) -> ScenarioView<'_> {
        ScenarioView {
            name: self.name,
            machine: &self.machine,
            apps: &self.apps,
            allocation: &self.allocation,
            placements: &self.placements,
            evaluation: &self.evaluation,
        }
    }
}

fn node(cores: u32, peak: f64, bandwidth: f64) -> Node {
    Node {
        cores,
        gflops_per_core: Gflops::new(peak),
        bandwidth: GigabytesPerSecond::new(bandwidth),
        core_bandwidth: None,
    }
}

fn uniform(nodes: usize, cores: u32, bandwidth: f64, link: f64) -> Machine {
    Machine::uniform("test", nodes, node(cores, 10.0, bandwidth), GigabytesPerSecond::new(link)).unwrap()
}

fn apps(group: &str, instances: usize, intensity: f64, placement: &Placement) -> Vec<App> {
    let name = |i| if instances == 1 { group.to_owned() } else { format!("{group}-{}", i + 1) };
    (0..instances)
        .map(|i| App {
            name: name(i),
            group: group.to_owned(),
            arithmetic_intensity: FlopPerByte::new(intensity),
            data: Data::Placed(placement.clone()),
            min_threads: 1,
            max_threads: None,
            weight: 1.0,
            work: None,
        })
        .collect()
}

/// Paper, Table II and Figure 2 b): three memory-bound applications and a compute-bound one, two threads each.
fn paper_even() -> Case {
    let apps = [apps("mem", 3, 0.5, &Placement::Local), apps("compute", 1, 10.0, &Placement::Local)].concat();
    Case::new("even 2,2,2,2", uniform(4, 8, 32.0, 10.0), apps, &vec![vec![2; 4]; 4])
}

/// Paper, Table I and Figure 2 a).
fn paper_uneven() -> Case {
    let apps = [apps("mem", 3, 0.5, &Placement::Local), apps("compute", 1, 10.0, &Placement::Local)].concat();
    let rows = [vec![1; 4], vec![1; 4], vec![1; 4], vec![5; 4]];
    Case::new("uneven 1,1,1,5", uniform(4, 8, 32.0, 10.0), apps, &rows)
}

/// Paper, Figure 3.
fn paper_numa_bad() -> Case {
    let apps =
        [apps("mem", 3, 0.5, &Placement::Local), apps("bad", 1, 1.0, &Placement::Home(NodeId(0)))].concat();
    Case::new("NUMA-bad even", uniform(4, 8, 60.0, 10.0), apps, &vec![vec![2; 4]; 4])
}

/// Eight nodes, eight applications, one of them with all data on node 2; node 7 is half idle.
fn eight_by_eight() -> Case {
    let apps =
        [apps("mem", 7, 0.5, &Placement::Local), apps("bad", 1, 1.0, &Placement::Home(NodeId(2)))].concat();
    let mut rows = vec![vec![2; 8]; 8];
    rows[0][7] = 0;
    rows[1][7] = 0;
    Case::new("8 nodes", uniform(8, 16, 90.0, 12.0), apps, &rows)
}

/// Two nodes with cores, and a memory-only one that holds the data of one application.
fn memory_only() -> Case {
    let nodes = vec![node(24, 10.0, 200.0), node(24, 10.0, 200.0), node(0, 0.0, 40.0)];
    let links = [0.0, 60.0, 25.0, 60.0, 0.0, 20.0, 0.0, 0.0, 0.0].map(GigabytesPerSecond::new).to_vec();
    let machine = Machine::new("CXL", nodes, links).unwrap();
    let apps =
        [apps("near", 1, 0.5, &Placement::Local), apps("far", 1, 0.5, &Placement::Home(NodeId(2)))].concat();
    Case::new("data on CXL", machine, apps, &[vec![20, 12, 0], vec![4, 6, 0]])
}

/// Forty instances on nodes of 64 cores.
fn forty_instances() -> Case {
    let apps =
        [apps("small", 39, 0.25, &Placement::Local), apps("big", 1, 4.0, &Placement::Interleave)].concat();
    let mut rows = vec![vec![1; 4]; 40];
    rows[39] = vec![17; 4];
    Case::new("forty", uniform(4, 64, 200.0, 40.0), apps, &rows)
}

/// Data in given fractions, a ceiling of the core's bandwidth, unequal demands on one pool.
fn fractions() -> Case {
    let mut core = node(8, 10.0, 40.0);
    core.core_bandwidth = Some(GigabytesPerSecond::new(12.0));
    let machine = Machine::uniform("ceiling", 2, core, GigabytesPerSecond::new(6.0)).unwrap();
    let apps = [
        apps("split", 1, 0.5, &Placement::Fractions(vec![0.75, 0.25])),
        apps("low", 1, 1.5, &Placement::Local),
    ]
    .concat();
    Case::new("fractions", machine, apps, &[vec![4, 2], vec![2, 2]])
}

fn shown(case: &Case, style: Style) -> String {
    table::table(&case.view(), &style)
}

fn explained(case: &Case) -> String {
    explain::explain(&case.view(), &Style::default())
}

#[test]
#[ignore = "prints"]
fn look() {
    for case in [
        paper_uneven(),
        paper_even(),
        paper_numa_bad(),
        eight_by_eight(),
        memory_only(),
        forty_instances(),
        fractions(),
    ] {
        println!("{}", shown(&case, Style { color: true, ..Style::default() }));
        println!("{}", explained(&case));
    }
}

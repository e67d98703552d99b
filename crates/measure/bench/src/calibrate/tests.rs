//! Calibrates a host that the model simulates: the result must be the original machine.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use numasim_host::Misplaced;
use numasim_model::cpus::CpuList;
use numasim_model::machine::SharedLink;
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{
    Allocation, App, AppId, Data, KernelBandwidths, Machine, Node, NodeId, Placement, evaluate,
};
use numasim_study::topology::{HostNode, L3Domain};

use super::*;
use crate::plan::PlannedScenario;
use crate::runner::{MeasuredApp, MeasuredThread, Measurement};
use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::{Kernel, Variant};
use numasim_kernels::workload::{Real, Workload};

/// Answers with the predictions of the model for a machine, slightly faster or slower in each round.
struct Simulated {
    machine: Machine,
    /// Factors of successive measurements of the same scenario.
    noise: Vec<f64>,
    seen: BTreeMap<String, usize>,
    /// The first measurements, this number of them, have a page in the wrong place.
    misplaced: usize,
    /// The relative speed of access variants.
    speed: fn(Variant) -> f64,
}

impl Simulated {
    fn of(machine: Machine) -> Self {
        Self { machine, noise: vec![1.0], seen: BTreeMap::new(), misplaced: 0, speed: |_| 1.0 }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count below 2^53")]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

impl Runner for Simulated {
    fn measure(&mut self, scenario: &PlannedScenario, _: &Settings) -> Result<Measurement, RunError> {
        let nodes = || self.machine.nodes().iter().map(|node| vec![0; node.domains()]);
        let mut per_l3: Vec<Vec<Vec<u32>>> = scenario.apps.iter().map(|_| nodes().collect()).collect();
        let mut apps = Vec::new();
        let mut placements = Vec::new();
        for (a, app) in scenario.apps.iter().enumerate() {
            for thread in &app.threads {
                // Logical CPUs are numbered node by node, domain by domain.
                let before: u32 = self.machine.nodes()[..thread.node.0].iter().map(|node| node.cores).sum();
                let own = self.machine.node(thread.node);
                let domain = (thread.cpus.as_slice()[0] - before) / own.domain_cores().max(1);
                per_l3[a][thread.node.0][domain as usize] += 1;
            }
            let home = NodeId(app.threads[0].memory[0].0 as usize);
            placements.push(Placement::Home(home));
            let intensity = app.kernel.arithmetic_intensity();
            apps.push(App {
                kernel: app.kernel.synthetic().map_or(Access::Read, Kernel::access),
                ..App::new(app.name.clone(), intensity, Data::Placed(Placement::Home(home)))
            });
        }
        let allocation = Allocation::from_domains(per_l3).expect("as many nodes for each");
        let evaluation = evaluate(&self.machine, &apps, &placements, &allocation).expect("fits");
        let times = self.seen.entry(scenario.name.clone()).or_insert(0);
        let noise = self.noise[*times % self.noise.len()];
        *times += 1;
        let misplaced = if self.misplaced > 0 {
            self.misplaced -= 1;
            vec![Misplaced::Pages { pages: 1, all: 2, seen: 1, wanted: "node 0".into() }]
        } else {
            Vec::new()
        };
        let thread = |a: usize, node: NodeId| {
            let app = &evaluation.apps[a];
            let chosen = scenario.apps[a].kernel.synthetic().and_then(Kernel::variant);
            let share = noise * chosen.map_or(1.0, self.speed) / allocation.total(AppId(a)) as f64;
            // Loads take 90 and 140 ns, and a core waits for 10 at most.
            let hops = |chains: usize| {
                let local = scenario.apps[a].threads[0].memory[0].0 as usize == node.0;
                noise * 64.0 * chains.min(10) as f64 / if local { 90.0 } else { 140.0 }
            };
            let gbs = match scenario.apps[a].kernel {
                Workload::Real(Real::Chase(chase), _) => hops(chase.chains),
                _ => app.bandwidth.value() * share,
            };
            MeasuredThread {
                node,
                counted_s: 1.0,
                bytes: whole(gbs * 1e9),
                flop: whole(app.gflops.value() * share * 1e9),
                chunks: 1000,
                cpus: Vec::new(),
                pages: BTreeMap::new(),
                huge_pages: None,
                clock_share: 0.0,
                waited_share: 0.0,
                page_faults: 0,
                expected_page_faults: Some(0),
                pages_unknown: None,
                misplaced: misplaced.clone(),
            }
        };
        let apps = scenario.apps.iter().enumerate();
        let apps = apps.map(|(a, app)| MeasuredApp {
            threads: app.threads.iter().map(|planned| thread(a, planned.node)).collect(),
        });
        Ok(Measurement { started: SystemTime::UNIX_EPOCH, apps: apps.collect() })
    }
}

fn settings() -> Settings {
    Settings {
        isa: Isa::Portable,
        warm_up: Duration::ZERO,
        window: Duration::from_secs(1),
        bytes_per_thread: 1 << 20,
        processes: false,
    }
}

/// Nodes with these numbers of cores, whose logical CPUs are numbered consecutively.
fn host(cores: &[u32]) -> HostTopology {
    let mut next = 0;
    let nodes = (0..).zip(cores).map(|(os_index, &cores)| {
        let cpus = CpuList::new((next..next + cores).collect()).ok();
        next += cores;
        HostNode { os_index, cores, cpus, ..HostNode::default() }
    });
    HostTopology { name: "box".into(), nodes: nodes.collect(), ..HostTopology::default() }
}

fn node(cores: u32, peak: f64, bandwidth: f64, thread: f64) -> Node {
    Node {
        cores,
        gflops_per_core: Gflops::new(peak),
        bandwidth: GigabytesPerSecond::new(bandwidth),
        core_bandwidth: Some(GigabytesPerSecond::new(thread)),
        ..Node::default()
    }
}

fn links(rows: &[&[f64]]) -> Vec<GigabytesPerSecond> {
    rows.concat().into_iter().map(GigabytesPerSecond::new).collect()
}

fn run(cores: &[u32], runner: &mut Simulated, rounds: u32) -> Result<Calibration, CalibrateError> {
    let options = Options {
        rounds,
        coarse: false,
        kernels: Access::WRITING.to_vec(),
        variants: false,
        any_isa: false,
        latencies: false,
        siblings: false,
    };
    calibrate(&host(cores), &options, &settings(), runner, &mut |_| ())
}

/// Equal to one part in 10^9: counts of bytes are whole numbers.
fn close(found: Option<Figure>, expected: f64) {
    let found = found.expect("measured").median;
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
}

#[test]
fn calibration_recovers_an_uneven_machine() {
    let nodes = vec![node(4, 10.0, 32.0, 12.0), node(2, 20.0, 20.0, 15.0), node(0, 0.0, 9.0, 50.0)];
    let table = links(&[&[0.0, 7.0, 5.0], &[6.0, 0.0, 4.0], &[0.0, 0.0, 0.0]]);
    let machine = Machine::new("m", nodes, table).expect("valid");
    let found = run(&[4, 2, 0], &mut Simulated::of(machine), 3).expect("calibrated");
    close(found.nodes[0].peak_per_core, 10.0);
    close(found.nodes[1].peak_per_core, 20.0);
    close(found.nodes[0].core_bandwidth, 12.0);
    close(Some(found.nodes[0].bandwidth), 32.0);
    // 3 x 12 = 36 GB/s exceeds the controller, 2 x 12 is less than 98 % of 32.
    assert_eq!(found.nodes[0].saturating_threads, Some(3));
    close(Some(found.nodes[1].bandwidth), 20.0);
    close(found.links[0][1], 7.0);
    close(found.links[1][0], 6.0);
    // The memory-only node is never read locally: its fastest reader counts.
    close(Some(found.nodes[2].bandwidth), 5.0);
    assert_eq!((found.nodes[2].peak_per_core, found.links[2][0]), (None, None));
}

#[test]
fn one_node_has_no_links_and_its_file_is_complete() {
    let machine = Machine::new("m", vec![node(2, 74.5, 37.3, 20.1)], links(&[&[0.0]])).expect("valid");
    let found = run(&[2], &mut Simulated::of(machine), 1).expect("calibrated");
    let described = Described {
        name: "a box".into(),
        source: "test".into(),
        processor: None,
        doubts: vec!["a doubt".into()],
    };
    let text = machine_file(&host(&[2]), &found, &described).expect("a machine");
    let file = numasim_study::SourceFile { name: "m.toml".into(), text: text.clone() };
    let read = numasim_study::read_study(&[file]).expect("valid").study.machine;
    // Kernels without a value are as fast as reads.
    let reads = |_| Some(GigabytesPerSecond::new(37.3));
    let found = Node { kernels: KernelBandwidths::from_fn(reads), ..node(2, 74.5, 37.3, 20.1) };
    assert_eq!(read.node(NodeId(0)), &found);
    assert!(text.contains("# doubt: a doubt\n") && text.contains("there is no link to measure"), "{text}");
    assert_eq!(read.provenance()["bandwidth_gbs"].uncertainty_percent, Some(0.0));
    assert_eq!(read.provenance()["bandwidth_gbs"].interval95_percent, None, "one round says nothing of it");
}

#[test]
fn the_file_of_several_nodes_has_the_whole_matrix() {
    let nodes = vec![node(4, 10.0, 32.0, 12.0), node(0, 0.0, 9.0, 50.0)];
    let machine = Machine::new("m", nodes, links(&[&[0.0, 8.5], &[0.0, 0.0]])).expect("valid");
    let found = run(&[4, 0], &mut Simulated::of(machine), 1).expect("calibrated");
    let described =
        Described { name: "m".into(), source: "test".into(), processor: None, doubts: Vec::new() };
    let text = machine_file(&host(&[4, 0]), &found, &described).expect("a machine");
    assert!(text.contains("    [32.00, 8.500],\n    [0.0, 8.500],\n"), "{text}");
    let file = numasim_study::SourceFile { name: "m.toml".into(), text };
    let read = numasim_study::read_study(&[file]).expect("valid").study.machine;
    assert_eq!(read.link(NodeId(0), NodeId(1)), Some(GigabytesPerSecond::new(8.5)));
    assert_eq!((read.node(NodeId(1)).cores, read.total_cores()), (0, 4));
}

#[test]
fn calibration_recovers_write_kernels() {
    let mut nodes = vec![node(4, 10.0, 32.0, 12.0), node(0, 0.0, 9.0, 50.0)];
    let gbs = GigabytesPerSecond::new;
    nodes[0].kernels =
        KernelBandwidths { copy: Some(gbs(22.0)), triad: Some(gbs(24.0)), ..KernelBandwidths::NONE };
    let machine = Machine::new("m", nodes, links(&[&[0.0, 8.5], &[0.0, 0.0]])).expect("valid");
    let found = run(&[4, 0], &mut Simulated::of(machine), 1).expect("calibrated");
    let figures: Vec<(Access, f64)> =
        found.nodes[0].kernels.iter().map(|(kernel, figure)| (*kernel, figure.median.round())).collect();
    assert_eq!(figures, [(Access::Copy, 22.0), (Access::Triad, 24.0), (Access::Update, 32.0)]);
    assert!(found.nodes[1].kernels.is_empty(), "a memory without cores");
    let described =
        Described { name: "m".into(), source: "test".into(), processor: None, doubts: Vec::new() };
    let text = machine_file(&host(&[4, 0]), &found, &described).expect("a machine");
    assert!(text.contains("triad_gbs = 24.00  # 75 % of reads, 24.00 to 24.00 in 1 round\n"), "{text}");
    let file = numasim_study::SourceFile { name: "m.toml".into(), text };
    let read = numasim_study::read_study(&[file]).expect("valid").study.machine;
    assert_eq!(read.node(NodeId(0)).kernels.triad, Some(gbs(24.0)));
    assert_eq!(read.node(NodeId(1)).kernels, KernelBandwidths::NONE);
    assert_eq!(read.provenance()["triad_gbs"].uncertainty_percent, Some(0.0));
}

/// A node of 20 cores with soft corners, and the results and the file of its calibration.
fn soft(cores: u32, noise: &[f64]) -> (Calibration, String, Machine) {
    let mut node = node(cores, 20.0, 100.0, 15.0);
    node.kernels = KernelBandwidths { triad: Some(GigabytesPerSecond::new(80.0)), ..KernelBandwidths::NONE };
    let mut model = Model::from(numasim_model::ModelKind::Ecm);
    model.parameters.ecm_penalty = Some(0.3);
    model.parameters.ecm_write_penalty = Some(0.6);
    let machine = Machine::new("m", vec![node], links(&[&[0.0]])).expect("valid").with_sharing(model);
    let mut runner = Simulated { noise: noise.to_vec(), ..Simulated::of(machine) };
    let found = run(&[cores], &mut runner, 1).expect("calibrated");
    let described =
        Described { name: "m".into(), source: "test".into(), processor: None, doubts: Vec::new() };
    let text = machine_file(&host(&[cores]), &found, &described).expect("a machine");
    let file = numasim_study::SourceFile { name: "m.toml".into(), text: text.clone() };
    let read = numasim_study::read_study(&[file]).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    (found, text, read.study.machine)
}

#[test]
fn calibration_recovers_penalties_of_reads_and_writes() {
    let (found, text, read) = soft(20, &[1.0]);
    let values: Vec<f64> =
        found.penalties.iter().map(|one| one.found.as_ref().expect("known").value).collect();
    // The bandwidths of the file are those of all cores, slightly below those of the machine.
    assert!((values[0] / 0.3 - 1.0).abs() < 0.05 && (values[1] / 0.6 - 1.0).abs() < 0.1, "{values:?}");
    let of_file = read.sharing();
    assert_eq!(of_file.name(), "ecm");
    let parameters = of_file.parameters;
    assert!((parameters.ecm_penalty.expect("written") - values[0]).abs() < 1e-4, "{text}");
    assert!((parameters.ecm_write_penalty.expect("written") - values[1]).abs() < 1e-4, "{text}");
    assert_eq!(read.provenance()["sharing"].kind, numasim_model::machine::FigureKind::Estimated);
    // The file predicts the measurements at every count of threads.
    for done in found.steps.iter().filter(|done| done.step.alone(Purpose::Bandwidth).is_some()) {
        let predicted = together::predicted_bandwidth(&read, &done.step.flows).expect("a prediction");
        assert!((predicted / done.bandwidth.median - 1.0).abs() < 0.01, "{}: {predicted}", done.step);
    }
}

#[test]
fn too_few_or_contradicting_thread_counts_keep_the_default_penalties() {
    let (found, text, read) = soft(3, &[1.0]);
    assert!(found.penalties.iter().all(|one| one.found.is_err()));
    let why = "# ecm_penalty is the usual one, 0.33: it takes 3 thread counts above one, measured: 2\n\
               # ecm_write_penalty is the usual one, 0.5: it takes 3 thread counts above one, measured: 2\n\
               model = \"ecm\"\n";
    assert!(text.contains(why), "{text}");
    assert!(read.sharing().has_usual_penalties() && !read.provenance().contains_key("sharing"));
}

#[test]
fn the_median_counts_and_the_largest_deviation_is_the_uncertainty() {
    let machine = Machine::new("m", vec![node(2, 10.0, 30.0, 20.0)], links(&[&[0.0]])).expect("valid");
    let mut runner = Simulated { noise: vec![1.0, 0.9, 1.05], ..Simulated::of(machine) };
    let found = run(&[2], &mut runner, 3).expect("calibrated");
    close(Some(found.nodes[0].bandwidth), 30.0);
    // 0.9 is 10 % below the median 1.0, 1.05 is 5 % above.
    assert!((found.nodes[0].bandwidth.uncertainty_percent() - 10.0).abs() < 1e-6);
    // Logarithms 0, -0.10536, 0.04879: s = 0.07868; x t(2) = 4.303 x sqrt(pi / 6) = 0.7236: exp(0.24497) - 1 = 27.8 %.
    assert!((found.nodes[0].bandwidth.reach95.expect("three rounds") - 0.2776).abs() < 1e-3);
    let described =
        Described { name: "m".into(), source: "test".into(), processor: None, doubts: Vec::new() };
    let text = machine_file(&host(&[2]), &found, &described).expect("a machine");
    let file = numasim_study::SourceFile { name: "m.toml".into(), text };
    let read = numasim_study::read_study(&[file]).expect("valid").study.machine;
    let percent = read.provenance()["bandwidth_gbs"].interval95_percent.expect("an interval");
    assert!((percent - 27.76).abs() < 0.1, "{percent}");
}

#[test]
fn a_wrong_placement_is_measured_again_once() {
    let machine = || Machine::new("m", vec![node(1, 10.0, 30.0, 20.0)], links(&[&[0.0]])).expect("valid");
    let mut once = Simulated { misplaced: 1, ..Simulated::of(machine()) };
    assert!(run(&[1], &mut once, 1).is_ok());
    let mut twice = Simulated { misplaced: 2, ..Simulated::of(machine()) };
    let message = run(&[1], &mut twice, 1).expect_err("misplaced twice").to_string();
    assert_eq!(
        message,
        "cannot measure the peak of 1 thread on node 0: 1 of 2 pages are on node 1, planned on node 0"
    );
}

#[test]
fn progress_is_reported_and_ends_with_everything_done() {
    let machine = Machine::new("m", vec![node(2, 10.0, 30.0, 20.0)], links(&[&[0.0]])).expect("valid");
    let mut seen = Vec::new();
    let options = Options {
        rounds: 2,
        coarse: true,
        kernels: vec![Access::Triad],
        variants: false,
        any_isa: false,
        latencies: false,
        siblings: false,
    };
    calibrate(&host(&[2]), &options, &settings(), &mut Simulated::of(machine), &mut |progress| {
        seen.push((progress.done, progress.of, progress.next.to_string()));
    })
    .expect("calibrated");
    // Peak with 1 and 2, bandwidth with 1 and 2 threads, each twice; the second round runs in reverse order. Then triads with 2 threads,
    // which saturate the node. Only now are they known to be one step; before, two were expected.
    assert_eq!(seen.len(), 10);
    assert_eq!(seen[8], (8, 10, "the bandwidth of 2 threads on node 0 under the kernel triad".into()));
    assert_eq!(seen[4], (4, 12, "the bandwidth of 2 threads on node 0 that read node 0".into()));
}

#[test]
fn the_fastest_access_variant_is_found_step_by_step_and_used() {
    let machine = || Machine::new("m", vec![node(2, 10.0, 30.0, 20.0)], links(&[&[0.0]])).expect("valid");
    let options = Options {
        rounds: 1,
        coarse: true,
        kernels: vec![Access::Copy],
        variants: true,
        any_isa: false,
        latencies: false,
        siblings: false,
    };
    let found = |speed| {
        let mut runner = Simulated { speed, ..Simulated::of(machine()) };
        let settings = Settings { isa: Isa::best(), ..settings() };
        calibrate(&host(&[2]), &options, &settings, &mut runner, &mut |_| ()).expect("calibrated")
    };
    // No prefetch is 10 % faster, one stream another 10 %: 1.21 together.
    let tuned = found(|way| {
        let prefetch = if way.prefetch_bytes == [0, 0] { 1.1 } else { 1.0 };
        prefetch * if way.streams == 1 { 1.1 } else { 1.0 }
    });
    let [read, copy] = tuned.variants[..] else { panic!("two kernels") };
    assert_eq!((read.access, copy.access), (Access::Read, Access::Copy));
    let usual = Variant::usual(Access::Read, Isa::best());
    // The portable code does not prefetch: no other distance is tried.
    let tries = Isa::best() != Isa::Portable;
    let prefetch_bytes = if tries { [0, 0] } else { usual.prefetch_bytes };
    assert_eq!(read.variant, Variant { streams: 1, prefetch_bytes, ..usual });
    let gain = if tries { 1.21 } else { 1.1 };
    close(read.gain, gain);
    close(Some(tuned.nodes[0].bandwidth), 30.0 * gain); // all other measurements use it
    // Half a percent is no reason to change the variant.
    let kept = found(|way| if way.streams == 1 { 1.005 } else { 1.0 });
    assert!(kept.variants.iter().all(|choice| choice.gain.is_none() && choice.variant.streams > 1));
    let text = machine_file(
        &host(&[2]),
        &tuned,
        &Described { name: "m".into(), source: "test".into(), processor: None, doubts: Vec::new() },
    )
    .expect("a machine");
    assert!(text.contains("\n[machine.kernels]\nread = { isa = "), "{text}");
    assert!(text.contains(&format!("times the usual way [{gain:.3}, {gain:.3}]")), "{text}");
}

#[test]
fn loads_and_lines_in_flight_are_found_from_chains() {
    let nodes = vec![node(2, 10.0, 30.0, 20.0), node(0, 0.0, 9.0, 50.0)];
    let machine = Machine::new("m", nodes, links(&[&[0.0, 8.5], &[0.0, 0.0]])).expect("valid");
    let options = Options {
        rounds: 1,
        coarse: true,
        kernels: Vec::new(),
        variants: false,
        any_isa: false,
        latencies: true,
        siblings: false,
    };
    let mut runner = Simulated::of(machine);
    let found =
        calibrate(&host(&[2, 0]), &options, &settings(), &mut runner, &mut |_| ()).expect("calibrated");
    let latencies = found.latencies.as_ref().expect("measured");
    // 64 B / 90 ns = 0.711 GB/s with a chain, 7.11 GB/s with 12, 16 or 32: 7.11 x 90 / 64 = 10 lines.
    close(latencies.ns[0][0], 90.0);
    close(latencies.ns[0][1], 140.0);
    close(latencies.lines[0], 10.0);
    assert_eq!((latencies.ns[1][0], latencies.lines[1]), (None, None));
    let described =
        Described { name: "m".into(), source: "test".into(), processor: None, doubts: Vec::new() };
    let text = machine_file(&host(&[2, 0]), &found, &described).expect("a machine");
    let file = numasim_study::SourceFile { name: "m.toml".into(), text: text.clone() };
    let read = numasim_study::read_study(&[file]).expect("valid").study.machine;
    assert!((read.latency_ns(NodeId(0), NodeId(1)).expect("a latency") - 140.0).abs() < 1e-9);
    assert!(
        text.contains("# a core of node 0 waits for 10.00 lines of its memory at the same time"),
        "{text}"
    );
}

/// Two sockets of two nodes with four cores each, which read 10 GB/s over the link of a pair.
fn two_sockets(shared: &[(&[usize], &[usize], f64, bool)], read: Option<f64>) -> (HostTopology, Machine) {
    let mut host = host(&[4, 4, 4, 4]);
    for (node, package) in host.nodes.iter_mut().zip([0, 0, 1, 1]) {
        node.sockets = vec![package];
        node.memory_bytes = Some(3 << 29);
    }
    let mut nodes = vec![node(4, 10.0, 32.0, 12.0); 4];
    nodes[0].read_bandwidth = read.map(GigabytesPerSecond::new);
    let row = |n: usize| {
        (0..4).map(move |m| {
            if n == m {
                0.0
            } else if n / 2 == m / 2 {
                16.0
            } else {
                10.0
            }
        })
    };
    let table = (0..4).flat_map(row).map(GigabytesPerSecond::new).collect();
    let ids = |list: &[usize]| list.iter().copied().map(NodeId).collect();
    let shared = shared.iter().enumerate().map(|(n, &(from, to, gbs, both_ways))| SharedLink {
        name: n.to_string(),
        bandwidth: GigabytesPerSecond::new(gbs),
        from: ids(from),
        to: ids(to),
        both_ways,
    });
    let machine = Machine::new("m", nodes, table).expect("valid");
    (host, machine.with_shared_links(shared.collect()).expect("valid"))
}

fn of_two_sockets(shared: &[(&[usize], &[usize], f64, bool)], read: Option<f64>) -> (Calibration, String) {
    let (host, machine) = two_sockets(shared, read);
    let options = Options {
        rounds: 1,
        coarse: false,
        kernels: vec![Access::Copy],
        variants: false,
        any_isa: false,
        latencies: false,
        siblings: false,
    };
    let mut runner = Simulated::of(machine);
    let mut last = (0, 0);
    let found = calibrate(&host, &options, &settings(), &mut runner, &mut |progress| {
        last = (progress.done + 1, progress.of);
    })
    .expect("calibrated");
    // Progress ends with everything done, and the plan announced at least that number.
    let planned: usize = plan(&host, &options).iter().map(Part::measurements).sum();
    assert!(last.0 == last.1 && last.1 <= planned, "{last:?} of {planned}");
    let described =
        Described { name: "m".into(), source: "test".into(), processor: None, doubts: Vec::new() };
    let text = machine_file(&host, &found, &described).expect("a machine");
    (found, text)
}

#[test]
fn calibration_recovers_a_shared_link_between_sockets() {
    // Each node one memory: 2 x 10 GB/s. Each node both: 4 pairs of 10 are 40 GB/s, of which the link carries 24.
    let (found, text) = of_two_sockets(&[(&[0, 1], &[2, 3], 24.0, true)], None);
    let limits: Vec<bool> = found.shared_links.iter().map(|link| link.together.limits()).collect();
    assert_eq!(limits, [true, true]);
    for link in &found.shared_links {
        close(Some(link.together.bandwidth), 24.0);
        assert!((link.together.predicted_gbs - 40.0).abs() < 1e-6);
    }
    let table = "[[machine.shared_link]]\nname = \"sockets 0 and 1\"\n\
                 gbs = 24.00  # all nodes at once, the slower direction, 24.00 to 24.00 in 1 round; without this line the file predicts 40.00\n\
                 between = [[0, 1], [2, 3]]\n";
    assert!(text.ends_with(table), "{text}");
    assert!(text.contains("\nshared_link = { kind = \"measured\"") && text.contains("memory_gib = 1.5\n"));
    assert!(!text.contains("\nread_gbs"), "{text}");
}

#[test]
fn different_directions_are_two_links() {
    let links: [(&[usize], &[usize], f64, bool); 2] =
        [(&[0, 1], &[2, 3], 24.0, false), (&[2, 3], &[0, 1], 30.0, false)];
    let (_, text) = of_two_sockets(&links, None);
    for part in [
        "name = \"socket 0 reads socket 1\"\ngbs = 24.00 ",
        "name = \"socket 1 reads socket 0\"\ngbs = 30.00 ",
        "\nfrom = [2, 3]\nto = [0, 1]\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn independent_links_are_not_shared_and_the_file_records_it() {
    let (found, text) = of_two_sockets(&[], None);
    assert!(found.shared_links.iter().all(|link| !link.together.limits()));
    assert!(!text.contains("[[machine.shared_link]]"), "{text}");
    let why = "# No shared link for sockets 0 and 1 (nodes 0-1 and 2-3): all nodes at once: \
               40.00 GB/s, 100 % of the 40.00 that the file predicts\n";
    assert!(text.contains(why), "{text}");
}

#[test]
fn calibration_recovers_the_read_limit_of_a_node() {
    // 2 threads on the local memory draw 24, one over the link of 16 draws 12, one over a link of 10 draws 10: 46 GB/s, more than any other
    // mix, of which the node can read 36.
    let (found, text) = of_two_sockets(&[], Some(36.0));
    let read = found.nodes[0].read.expect("measured");
    close(Some(read.bandwidth), 36.0);
    assert!(read.limits() && (read.predicted_gbs - 46.0).abs() < 1e-6, "{read:?}");
    assert!(found.nodes[1..].iter().all(|node| !node.read.expect("measured").limits()));
    let line = "read_gbs = 36.00  # all 4 threads, local and remote at once, 36.00 to 36.00 in 1 round; \
                without this line the file predicts 46.00\n";
    assert!(text.contains(line), "{text}");
    assert_eq!(text.matches("\nread_gbs = ").count(), 2, "one figure and its provenance: {text}");
}

#[test]
fn noise_below_the_threshold_is_not_a_limit() {
    // 37 of 40 GB/s: 7.5 % below.
    let (found, _) = of_two_sockets(&[(&[0, 1], &[2, 3], 37.0, true)], None);
    close(Some(found.shared_links[0].together.bandwidth), 37.0);
    assert!(!found.shared_links[0].together.limits());
}

#[test]
fn an_l3_limit_is_found_if_below_its_cores_and_node() {
    let limited = |l3: Option<f64>| {
        let of_domains = Node {
            cores_per_l3: Some(4),
            l3_bandwidth: l3.map(GigabytesPerSecond::new),
            ..node(8, 10.0, 90.0, 30.0)
        };
        let machine = Machine::new("m", vec![of_domains], links(&[&[0.0]])).expect("valid");
        let mut host = host(&[8]);
        host.nodes[0].l3 = [0, 1].map(|cache| L3Domain { cache, cores: 4 }).to_vec();
        let options = Options {
            rounds: 2,
            coarse: false,
            kernels: Vec::new(),
            variants: false,
            any_isa: false,
            latencies: false,
            siblings: false,
        };
        let mut runner = Simulated::of(machine);
        let found = calibrate(&host, &options, &settings(), &mut runner, &mut |_| ()).expect("calibrated");
        let described =
            Described { name: "m".into(), source: "s".into(), processor: None, doubts: Vec::new() };
        (found.nodes[0].clone(), machine_file(&host, &found, &described).expect("a machine"))
    };
    // One domain: 30 GB/s with 1 thread, 50 with 2 to 4, although 3 would have 90. Two domains: 100, of which the node has 90.
    let (found, text) = limited(Some(50.0));
    let l3 = found.l3.expect("measured");
    close(Some(l3.one.bandwidth), 50.0);
    close(Some(l3.two), 90.0);
    // Threads that are distributed over both: 3 threads have 30 + 50.
    close(Some(found.bandwidth), 90.0);
    assert_eq!(found.saturating_threads, Some(4));
    assert!(text.contains("\nl3_read_gbs = 50.00  # at most 4 threads of one"), "{text}");
    assert!(text.contains("\ncores_per_l3 = 4\n"), "{text}");
    let (_, text) = limited(None);
    assert!(
        !text.contains("\nl3_read_gbs") && text.contains("# no l3_read_gbs: threads of one domain"),
        "{text}"
    );
}

/// Cores with two hardware threads: logical CPUs 0 to 3 and their siblings 4 to 7. One thread of a core computes 10 GFLOPS and reads 12
/// GB/s; both together 12.5 and 13.
struct TwoThreads;

impl Runner for TwoThreads {
    fn measure(&mut self, scenario: &PlannedScenario, settings: &Settings) -> Result<Measurement, RunError> {
        let machine = Machine::new("m", vec![node(4, 10.0, 1000.0, 12.0)], links(&[&[0.0]])).expect("valid");
        let used: Vec<u32> = scenario
            .apps
            .iter()
            .flat_map(|app| &app.threads)
            .map(|thread| thread.cpus.as_slice()[0])
            .collect();
        // Each as one thread alone, then its part of that next to a sibling.
        let mut alone = scenario.clone();
        alone.apps[0].threads.truncate(1);
        let mut measurement = Simulated::of(machine).measure(&alone, settings)?;
        let one = measurement.apps[0].threads[0].clone();
        let of = |cpu: &u32| {
            let beside = used.contains(&(cpu ^ 4));
            let part =
                |count: u64, factor: f64| if beside { whole(count as f64 * factor / 2.0) } else { count };
            MeasuredThread { flop: part(one.flop, 1.25), bytes: part(one.bytes, 13.0 / 12.0), ..one.clone() }
        };
        measurement.apps[0].threads = used.iter().map(of).collect();
        Ok(measurement)
    }
}

#[test]
fn second_hardware_threads_are_compared_with_one_per_core() {
    let mut host = host(&[4]);
    host.nodes[0].second_cpus = CpuList::parse("4-7").ok();
    let options = Options {
        rounds: 2,
        coarse: true,
        kernels: Vec::new(),
        variants: false,
        any_isa: false,
        latencies: false,
        siblings: true,
    };
    let found = calibrate(&host, &options, &settings(), &mut TwoThreads, &mut |_| ()).expect("calibrated");
    let siblings = found.siblings.expect("measured");
    close(Some(siblings.speedup), 1.25);
    close(Some(siblings.core_bandwidth), 13.0);
    close(Some(siblings.bandwidth_ratio), 13.0 / 12.0);
    let described = Described { name: "m".into(), source: "s".into(), processor: None, doubts: Vec::new() };
    let text = machine_file(&host, &found, &described).expect("a machine");
    for line in ["threads_per_core = 2", "cpus = [\"0-7\"]"] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line}: {text}");
    }
    assert!(
        text.contains("computes 1.25 times [1.25, 1.25] what it does with one (`smt_speedup`)"),
        "{text}"
    );
    assert_eq!(plan(&host, &options).last().map(|part| part.steps), Some(4));
}

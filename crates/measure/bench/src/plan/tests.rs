//! Plans on hosts of 1, 2, 4 and 5 nodes, calculated by hand.

use numasim_model::cpus::CpuList;
use numasim_model::{Data, Machine};
use numasim_study::topology::HostNode;
use numasim_study::writing::study as write;
use numasim_study::{SourceFile, read_study};

use super::*;

/// A host whose logical CPUs are numbered node by node; nodes without cores are memory-only.
pub(crate) fn host(cores: &[u32]) -> HostTopology {
    let mut first = 0;
    let mut node = |(os_index, &cores): (u32, &u32)| {
        let cpus = CpuList::new((first..first + cores).collect()).ok();
        first += cores;
        HostNode { os_index, cores, cpus, memory_bytes: Some(64_000_000_000), ..HostNode::default() }
    };
    let nodes = (0..).zip(cores).map(&mut node).collect();
    HostTopology { name: "box".into(), source: "test".into(), nodes, ..HostTopology::default() }
}

pub(crate) fn study(text: &str) -> Study {
    read_study(&[SourceFile { name: "study.toml".into(), text: text.into() }]).expect("a valid study").study
}

/// 4 nodes x 8 cores, the paper's three memory-bound applications, a compute-bound and a NUMA-bad one.
pub(crate) const PAPER: &str = "\
[machine]
name = \"4x8\"
nodes = 4
cores_per_node = 8
gflops_per_core = 10
bandwidth_gbs = 32
link_gbs = 10
[[app]]
name = \"mem\"
instances = 3
arithmetic_intensity = 0.5
[[app]]
name = \"compute\"
arithmetic_intensity = 8
kernel = \"triad\"
[[app]]
name = \"bad\"
arithmetic_intensity = 1
data = { home = 3 }
[[scenario]]
name = \"uneven\"
threads = { mem = 1, compute = 5 }
[[scenario]]
name = \"one per node\"
threads = { \"mem-1\" = [8,0,0,0], \"mem-2\" = [0,8,0,0], \"mem-3\" = [0,0,8,0], compute = [0,0,0,8] }
[[scenario]]
name = \"cross\"
threads = { mem = 2, bad = 2 }
";

pub(crate) fn plan(text: &str, cores: &[u32], fit: bool) -> Result<Plan, PlanError> {
    let study = study(text);
    let scenarios: Vec<&Scenario> = study.scenarios.iter().collect();
    make(&study, &scenarios, &host(cores), &Options { fit, ..Options::default() })
}

/// Logical CPUs of each application: "mem-1 0,8,16,24".
fn pinned(scenario: &PlannedScenario) -> Vec<String> {
    let cpus = |app: &PlannedApp| {
        app.threads.iter().map(|thread| thread.cpus.to_string()).collect::<Vec<_>>().join(" ")
    };
    scenario.apps.iter().map(|app| format!("{}: {}", app.name, cpus(app))).collect()
}

fn misfits(error: &PlanError) -> Vec<String> {
    match error {
        PlanError::Misfits(misfits) => misfits.iter().map(ToString::to_string).collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn replicated_data_is_rejected_by_name() {
    let copies = PAPER.replace("data = { home = 3 }", "data = \"replicated\"");
    let error = plan(&copies, &[8, 8, 8, 8], false).expect_err("no copies");
    let named = PlanError::Replicated { scenario: "cross".to_owned(), app: "bad".to_owned() };
    assert_eq!(error, named);
}

#[test]
fn applications_take_the_cores_of_each_node_in_turn() {
    let plan = plan(PAPER, &[8; 4], false).expect("the host of the file");
    assert_eq!(
        pinned(&plan.scenarios[0]),
        [
            "mem-1: 0 8 16 24",
            "mem-2: 1 9 17 25",
            "mem-3: 2 10 18 26",
            "compute: 3 4 5 6 7 11 12 13 14 15 19 20 21 22 23 27 28 29 30 31",
        ]
    );
    assert_eq!(pinned(&plan.scenarios[1])[3], "compute: 24 25 26 27 28 29 30 31");
    assert!(plan.changes.is_empty() && plan.scenarios.iter().all(|scenario| !scenario.fitted));
    assert_eq!(plan.study, study(PAPER));
}

/// `app` in one scenario, with a thread on each of two nodes.
fn real(app: &str) -> Result<Plan, PlanError> {
    let machine = "[machine]\nname = \"two\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10\nbandwidth_gbs = 60\nlink_gbs = 20\n";
    let scenario = "[[scenario]]\nname = \"one\"\nthreads = { app = 1 }\n";
    plan(&format!("{machine}[[app]]\nname = \"app\"\n{app}\n{scenario}"), &[2, 2], false)
}

#[test]
fn a_common_source_is_at_home_and_destinations_are_local() {
    let arrays = |data: &str| {
        let plan =
            real(&format!("kernel = \"memcpy\"\ndata = {data}\nproblem = {{ size_mib = 1 }}")).expect("fits");
        plan.scenarios[0].apps[0].arrays.clone().expect("one source")
    };
    let (at_0, at_1, spread) = (vec![(0, 1.0)], vec![(1, 1.0)], vec![(0, 0.5), (1, 0.5)]);
    let near = vec![at_0.clone(), at_1.clone()];
    assert_eq!(arrays("{ home = 1, share = 0.5 }"), Arrays { shared: at_1.clone(), own: near.clone() });
    assert_eq!(arrays("{ interleave = 0.5 }"), Arrays { shared: spread.clone(), own: near.clone() });
    // The share of each node is proportional to its threads.
    assert_eq!(arrays("\"local\""), Arrays { shared: spread, own: near });
    assert_eq!(arrays("{ home = 0 }"), Arrays { shared: at_0.clone(), own: vec![at_0.clone(), at_0] });
    // No array is shared: each is placed like the data of its thread.
    let own = real("kernel = \"memcpy\"\ndata = \"local\"\nproblem = { source = \"own\" }").expect("fits");
    assert_eq!(own.scenarios[0].apps[0].arrays, None);
}

#[test]
fn an_impossible_problem_is_rejected_and_others_report_their_size() {
    let twice = "kernel = \"memcpy\"\nproblem = { faults = \"inside\", copies = 2 }";
    let refused = real(twice).expect_err("no second time").to_string();
    assert!(refused.starts_with("there is no kernel for 'app': \"memcpy\" with faults"), "{refused}");
    for (app, name, bytes) in [
        // 2 x 8 x 100^2 of the matrix, 6 x 8 x 100 of vectors.
        ("kernel = \"dmv\"\nproblem = { rows = 100 }", "dmv", 164_800),
        // Three grids of 8 bytes, seven of 4.
        ("kernel = \"stencil2d\"\nproblem = { rows = 100, columns = 50 }", "stencil2d", 120_000),
        ("kernel = \"seismic\"\nproblem = { rows = 100, columns = 50 }", "seismic", 140_000),
    ] {
        let plan = real(app).expect("fits");
        let app = &plan.scenarios[0].apps[0];
        assert_eq!((app.kernel.name(), app.data_bytes(1)), (name, Some(bytes)));
    }
}

#[test]
fn data_is_placed_as_in_the_file() {
    let plan = plan(PAPER, &[8; 4], false).expect("the host of the file");
    let cross = &plan.scenarios[2];
    // Local data of the second thread pair of mem-1 is on node 1; all data of `bad` on node 3.
    assert_eq!(cross.apps[0].threads[2].memory, [(1, 1.0)]);
    assert!(cross.apps[3].threads.iter().all(|thread| thread.memory == [(3, 1.0)]));
    let spread = PAPER.replace("{ home = 3 }", "{ fractions = [0.5, 0, 0.25, 0.25] }");
    let plan = self::plan(&spread, &[8; 4], false).expect("fits");
    assert_eq!(plan.scenarios[2].apps[3].threads[0].memory, [(0, 0.5), (2, 0.25), (3, 0.25)]);
    let spread = PAPER.replace("{ home = 3 }", "\"interleave\"");
    let plan = self::plan(&spread, &[8; 4], false).expect("fits");
    assert_eq!(plan.scenarios[2].apps[3].threads[0].memory, [(0, 0.25), (1, 0.25), (2, 0.25), (3, 0.25)]);
}

#[test]
fn with_bind_node_threads_may_use_all_cores_of_their_node() {
    let study = study(PAPER);
    let options = Options { bind: Bind::Node, ..Options::default() };
    let plan = make(&study, &[&study.scenarios[0]], &host(&[8; 4]), &options).expect("fits");
    assert_eq!(pinned(&plan.scenarios[0])[1], "mem-2: 0-7 8-15 16-23 24-31");
    // Without any binding, all cores of all nodes; the data keeps its planned place.
    let options = Options { bind: Bind::None, ..Options::default() };
    let plan = make(&study, &[&study.scenarios[0]], &host(&[8; 4]), &options).expect("fits");
    assert_eq!(pinned(&plan.scenarios[0])[1], "mem-2: 0-31 0-31 0-31 0-31");
    assert_eq!(plan.scenarios[0].apps[1].threads[2].memory, [(2, 1.0)]);
}

#[test]
fn every_misfit_of_every_scenario_is_named_with_both_numbers() {
    let error = plan(PAPER, &[2], false).expect_err("4 nodes on 1");
    let nodes = "it uses 4 NUMA nodes, but this host has 1 NUMA node";
    let cores = |threads| format!("node 0 gets {threads} threads, but this host has 2 cores usable there");
    assert_eq!(
        misfits(&error),
        [
            format!("scenario 'uneven': {nodes}; {}", cores(8)),
            format!("scenario 'one per node': {nodes}; {}", cores(8)),
            format!("scenario 'cross': {nodes}; {}", cores(8)),
        ]
    );
    assert_eq!(error.to_string(), "3 scenarios do not fit this host");
}

#[test]
fn unused_parts_of_a_machine_need_not_exist() {
    let text = PAPER.replace("{ mem = 1, compute = 5 }", "{ \"mem-1\" = [2, 0, 0, 0] }");
    let study = study(&text);
    let plan =
        make(&study, &[&study.scenarios[0]], &host(&[2]), &Options::default()).expect("one node is enough");
    assert_eq!(pinned(&plan.scenarios[0]), ["mem-1: 0 1"]);
    // The same threads with data on the last node differ.
    let far = text.replace(
        "{ \"mem-1\" = [2, 0, 0, 0] }",
        "{ \"mem-1\" = [2, 0, 0, 0] }\ndata = { mem = { home = 2 } }",
    );
    let study = self::study(&far);
    let error =
        make(&study, &[&study.scenarios[0]], &host(&[2]), &Options::default()).expect_err("data on node 2");
    assert_eq!(misfits(&error), ["scenario 'uneven': it uses 3 NUMA nodes, but this host has 1 NUMA node"]);
}

/// Two nodes; the file specifies logical CPUs and node numbers of the operating system.
fn named(first: &str, second: &str) -> String {
    format!(
        "[machine]\nname = \"m\"\nbandwidth_gbs = 32\nlink_gbs = 10\n\
         [[machine.node]]\ncores = 4\ngflops_per_core = 10\n{first}\n\
         [[machine.node]]\ncores = 4\ngflops_per_core = 10\n{second}\n\
         [[app]]\nname = \"a\"\narithmetic_intensity = 1\n[[scenario]]\nname = \"s\"\nthreads = {{ a = 2 }}\n"
    )
}

#[test]
fn cpus_of_the_machine_file_are_used_in_its_order_and_checked() {
    // The second hardware threads, 20-23, are not used by two threads and need not be known.
    let good = named("cpus = \"3,1,0,2,20-23\"", "cpus = \"6-7,4-5\"");
    let planned = plan(&good, &[4, 4], false).expect("processors of the host");
    assert_eq!(pinned(&planned.scenarios[0]), ["a: 3 1 6 7"]);
    let bad = named("cpus = \"0,9-11\"\nos_node = 0", "cpus = \"4-7\"\nos_node = 8");
    assert_eq!(
        misfits(&plan(&bad, &[4, 4], false).expect_err("another host")),
        ["scenario 's': node 0 is to use the processors 9, but usable there are 0-3 (one for each core); \
          node 1 is NUMA node 8 of the operating system by the machine file, and NUMA node 1 on this host"]
    );
}

#[test]
fn a_node_without_any_usable_core_is_reported_once() {
    let masked = named("cpus = \"0-3\"", "cpus = \"4-7\"");
    let messages = misfits(&plan(&masked, &[4, 0], false).expect_err("no core on node 1"));
    assert_eq!(messages, ["scenario 's': node 1 gets 2 threads, but this host has 0 cores usable there"]);
}

/// Domains of 2 cores with two hardware threads: logical CPUs 0 to 3 and 4 to 7.
const DOMAINS: &str = "\
[machine]
name = \"domains\"
nodes = 1
cores_per_node = 4
cores_per_l3 = 2
l3_read_gbs = 20
threads_per_core = 2
cpus = [\"0-7\"]
gflops_per_core = 10
bandwidth_gbs = 32
[[app]]
name = \"a\"
arithmetic_intensity = 0.5
[[app]]
name = \"b\"
arithmetic_intensity = 0.5
smt = \"both\"
smt_speedup = 1.25
[[scenario]]
name = \"s\"
threads = { a = THREADS_A, b = THREADS_B }
";

fn of_domains(a: &str, b: &str) -> String {
    DOMAINS.replace("THREADS_A", a).replace("THREADS_B", b)
}

/// [`host`] of 4 cores in domains of 2, whose second hardware threads follow.
fn host_of_domains() -> HostTopology {
    let mut host = host(&[4]);
    host.nodes[0].second_cpus = CpuList::parse("4-7").ok();
    host.nodes[0].l3 = [0, 1].map(|cache| numasim_study::topology::L3Domain { cache, cores: 2 }).to_vec();
    host
}

fn plan_there(text: &str) -> Result<Plan, PlanError> {
    let study = study(text);
    let scenarios: Vec<&Scenario> = study.scenarios.iter().collect();
    make(&study, &scenarios, &host_of_domains(), &Options::default())
}

#[test]
fn threads_are_pinned_in_their_l3_domains_and_to_both_hardware_threads_of_a_core() {
    let of = |a, b| pinned(&plan_there(&of_domains(a, b)).expect("fits").scenarios[0]);
    // a is distributed over both domains, the first cores; b has the rest, and its siblings.
    assert_eq!(of("2", "4"), ["a: 0 2", "b: 1 3 5 7"]);
    assert_eq!(of("[[0, 2]]", "2"), ["a: 2 3", "b: 0 4"]);
    assert_eq!(of("1", "[[0, 4]]"), ["a: 0", "b: 2 3 6 7"]);
    // The measured scenarios are compared with the same domains and hardware threads.
    let ran = plan_there(&of_domains("1", "[[0, 4]]")).expect("fits").study;
    assert_eq!(ran.scenarios[0].threads_per_l3(AppId(1)), Some(vec![vec![0, 4]]));
    // Domains of another size, and logical CPUs of another domain.
    let others = |text: &str| misfits(&plan_there(text).expect_err("other domains"))[0].clone();
    let of_four = of_domains("1", "2").replace("cores_per_l3 = 2", "cores_per_l3 = 4");
    let words = "the L3 domains of node 0, 4 cores each by the machine file, are not those of this host: 4 usable cores in domains of 2";
    assert!(others(&of_four).contains(words), "{}", others(&of_four));
    assert!(
        others(&of_domains("1", "2").replace("0-7", "0,2,1,3-7"))
            .contains("2 cores each by the machine file")
    );
    // a is on core 0, b on core 2 (the other domain): of the second hardware threads, only that of core 2 must exist.
    assert_eq!(
        others(&of_domains("1", "2").replace("0-7", "0-3,8-11")),
        "scenario 's': node 0 is to use the processors 10, but usable there are 0-7 (one for each core)"
    );
    // A host without second hardware threads, and with one domain although the file limits two.
    let study = study(&of_domains("1", "2"));
    let scenarios: Vec<&Scenario> = study.scenarios.iter().collect();
    let error = make(&study, &scenarios, &host(&[4]), &Options::default()).expect_err("no siblings");
    let words = "node 0 is to use both hardware threads of its cores, but this host does not show two on each of them";
    assert!(misfits(&error)[0].contains(words), "{error:?}");
    assert!(misfits(&error)[0].contains("in one domain, or in such that are not equal"), "{error:?}");
}

#[test]
fn an_open_home_is_rejected_only_if_needed() {
    let open = PAPER.replace("{ home = 3 }", "{ home = \"any\" }");
    let error = plan(&open, &[8; 4], false).expect_err("nobody chooses");
    assert!(
        error.to_string().starts_with("scenario 'cross': the home of the data of 'bad' is open"),
        "{error}"
    );
    let study = study(&open);
    assert!(make(&study, &[&study.scenarios[0]], &host(&[8; 4]), &Options::default()).is_ok());
}

#[test]
fn on_two_nodes_neighbours_fold_and_threads_are_scaled() {
    // Threads of two nodes on 8 cores. uneven: 2, 2, 2, 10 of 16 -> 1, 1, 1, 5. One per node: 8 + 8 -> 4 and 4.
    // cross: 4 of each, 16 -> 2 each; home 3 -> 1.
    let plan = plan(PAPER, &[8, 8], true).expect("scaled");
    let rows = |scenario: usize| -> Vec<Vec<u32>> {
        (0..5).map(|app| plan.study.scenarios[scenario].allocation.row(AppId(app)).to_vec()).collect()
    };
    assert_eq!(rows(0), [[1, 1], [1, 1], [1, 1], [5, 5], [0, 0]]);
    assert_eq!(rows(1), [[4, 0], [4, 0], [0, 4], [0, 4], [0, 0]]);
    assert_eq!(rows(2), [[2, 2], [2, 2], [2, 2], [0, 0], [2, 2]]);
    assert_eq!(plan.study.scenarios[2].data[4], Data::Placed(Placement::Home(NodeId(1))));
    assert!(plan.scenarios.iter().all(|scenario| scenario.fitted));
    let messages: Vec<String> =
        plan.changes.iter().filter(|c| c.scenario == "cross").map(|c| c.words.clone()).collect();
    assert_eq!(
        messages,
        [
            "nodes 0 -> 0, 1 -> 0, 2 -> 1, 3 -> 1",
            "threads of 'mem-1' [2, 2, 2, 2] -> [2, 2]",
            "threads of 'mem-2' [2, 2, 2, 2] -> [2, 2]",
            "threads of 'mem-3' [2, 2, 2, 2] -> [2, 2]",
            "threads of 'bad' [2, 2, 2, 2] -> [2, 2]",
            "data of 'bad' home = 3 -> home = 1",
        ]
    );
}

#[test]
fn on_one_node_everything_is_local_and_a_scenario_of_too_many_applications_is_skipped() {
    let plan = plan(PAPER, &[4], true).expect("four applications on four cores");
    assert_eq!(pinned(&plan.scenarios[0]), ["mem-1: 0", "mem-2: 1", "mem-3: 2", "compute: 3"]);
    let lone = "[[scenario]]\nname = \"two\"\nthreads = { \"mem-1\" = 4, bad = 4 }\n";
    let text = format!("{PAPER}{lone}");
    let plan = self::plan(&text, &[2], true).expect("one scenario is left");
    assert_eq!((plan.scenarios.len(), plan.skipped.len()), (1, 3));
    assert_eq!(
        plan.skipped[0].to_string(),
        "scenario 'uneven': 4 applications share node 0, which has 2 cores: at least one would be left without a thread"
    );
    assert!(plan.scenarios[0].apps.iter().all(|app| app.threads[0].memory == [(0, 1.0)]));
    assert!(matches!(self::plan(PAPER, &[2], true), Err(PlanError::Misfits(all)) if all.len() == 3));
}

#[test]
fn a_scenario_that_fits_is_not_changed_by_fitting() {
    let text = format!("{PAPER}[[scenario]]\nname = \"small\"\nthreads = {{ \"mem-1\" = [0, 2, 0, 0] }}\n");
    let plan = plan(&text, &[8, 8], true).expect("scaled");
    let small = plan.scenarios.iter().find(|scenario| scenario.name == "small").expect("planned");
    assert!(!small.fitted && pinned(small) == ["mem-1: 8 9"]);
    let of_study = plan.study.scenarios.iter().find(|scenario| scenario.name == "small").expect("recorded");
    assert_eq!(of_study.allocation.row(AppId(0)), [0, 2]);
}

#[test]
fn a_host_with_a_memory_only_node_holds_data_there() {
    let text = PAPER
        .replace("nodes = 4\ncores_per_node = 8\ngflops_per_core = 10\n", "")
        .replace(
            "link_gbs = 10\n",
            &format!(
                "link_gbs = 10\n{}[[machine.node]]\ncores = 0\n",
                "[[machine.node]]\ncores = 8\ngflops_per_core = 10\n".repeat(4)
            ),
        )
        .replace("[8,0,0,0]", "[8,0,0,0,0]")
        .replace("[0,8,0,0]", "[0,8,0,0,0]")
        .replace("[0,0,8,0]", "[0,0,8,0,0]")
        .replace("[0,0,0,8]", "[0,0,0,8,0]")
        .replace("home = 3", "home = 4");
    let plan = self::plan(&text, &[8, 8, 8, 8, 0], false).expect("the host of the file");
    assert!(plan.scenarios[2].apps[3].threads.iter().all(|thread| thread.memory == [(4, 1.0)]));
    // Two nodes with cores and a memory-only one: the data stays on memory-only memory.
    let plan = self::plan(&text, &[8, 8, 0], true).expect("scaled");
    assert_eq!(plan.scenarios[2].apps[3].threads[0].memory, [(2, 1.0)]);
    assert_eq!(plan.study.machine.node(NodeId(2)).cores, 0);
}

#[test]
fn the_study_of_a_plan_reads_back_unchanged() {
    for cores in [&[8; 4][..], &[8, 8], &[4], &[6, 6, 6, 6, 6]] {
        let plan = plan(PAPER, cores, true).expect("planned");
        let text = write::study(&plan.study);
        let read = study(&text);
        assert_eq!(read.scenarios, plan.study.scenarios, "{text}");
        assert_eq!(read.machine.nodes(), plan.study.machine.nodes(), "{text}");
        let links = |machine: &Machine| -> Vec<_> {
            machine
                .node_ids()
                .flat_map(|a| machine.node_ids().map(move |b| (a, b)))
                .map(|(a, b)| machine.link(a, b))
                .collect()
        };
        assert_eq!(links(&read.machine), links(&plan.study.machine));
        let same = |a: &numasim_model::App, b: &numasim_model::App| {
            (&a.name, &a.data, a.kernel, a.arithmetic_intensity)
                == (&b.name, &b.data, b.kernel, b.arithmetic_intensity)
        };
        assert!(read.apps.iter().zip(&plan.study.apps).all(|(a, b)| same(a, b)));
    }
}

#[test]
fn the_study_of_a_plan_keeps_all_contents_of_a_file() {
    let text = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 4\ngflops_per_core = 1\nbandwidth_gbs = 40\nlink_gbs = 20\n\
                read_gbs = 55.5\nmemory_gib = 64\nllc_mb = 20.5\nllc_gbs = 30\n\
                distance_matrix = [[10, 12, 20, 20], [12, 10, 20, 20], [20, 21, 10, 12], [20, 20, 12, 10]]\nsockets = 2\nsocket_link_gbs = 8\nshared_link_gbs = 12\n\
                [[machine.shared_link]]\nname = \"back\"\ngbs = 5\nfrom = [3]\nto = [0, 1]\n\
                [machine.provenance]\nshared_link = { kind = \"measured\" }\nread_gbs = { kind = \"assumed\" }\nllc_mb = { kind = \"measured\" }\nllc_gbs = { kind = \"assumed\" }\n\
                distance_matrix = { kind = \"measured\" }\n\
                [[app]]\nname = \"a\"\narithmetic_intensity = 0.5\ndata = { home = 1, share = 0.25 }\nnodes = [0, 2]\nmemory_gib = 40\n\
                [[app]]\nname = \"b\"\narithmetic_intensity = 1\ndata = { interleave = 0.3 }\n\
                [[app]]\nname = \"c\"\narithmetic_intensity = 1\nmin_threads = 0\ndata = { home = \"any\", share = 0.5 }\n\
                [[scenario]]\nname = \"s\"\nthreads = { a = [1, 0, 2, 0], b = 1 }\ndata = { b = { home = 2, share = 0.75 } }\n";
    let plan = plan(text, &[4; 4], false).expect("fits");
    let written = write::study(&plan.study);
    let read = study(&written);
    assert_eq!(read.machine.nodes(), plan.study.machine.nodes(), "{written}");
    assert_eq!(read.machine.shared_links(), plan.study.machine.shared_links());
    let of = |machine: &Machine| (machine.cache(NodeId(3)).copied(), machine.distance(NodeId(2), NodeId(1)));
    assert_eq!(of(&read.machine), of(&plan.study.machine));
    assert_eq!(of(&read.machine).1, Some(21.0));
    assert_eq!(read.machine.provenance(), plan.study.machine.provenance());
    assert_eq!(read.apps, plan.study.apps);
    // `c` has no threads, so the placement of its data is open again.
    assert_eq!(read.scenarios[0].data[..2], plan.study.scenarios[0].data[..2]);
    assert_eq!(read.scenarios[0].allocation, plan.study.scenarios[0].allocation);
    assert_eq!(read.machine.shared_links().len(), 2);
}

#[test]
fn a_shared_link_of_a_scaled_scenario_moves_or_is_omitted() {
    let text = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 4\ngflops_per_core = 1\nbandwidth_gbs = 40\nlink_gbs = 20\n\
                sockets = 2\nsocket_link_gbs = 8\nshared_link_gbs = 12\n\
                [[machine.shared_link]]\nname = \"inside\"\ngbs = 15\nbetween = [[0], [1]]\n\
                [[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n\
                [[scenario]]\nname = \"s\"\nthreads = { a = 1 }\n";
    let plan = plan(text, &[4; 2], true).expect("scaled");
    let changes: Vec<String> = plan.changes.iter().map(|change| change.words.clone()).collect();
    // Nodes 0 and 1 become node 0, 2 and 3 node 1.
    assert!(
        changes.contains(&"shared link 'socket 0 - socket 1' joins [0] and [1]".to_owned()),
        "{changes:?}"
    );
    assert!(changes.contains(&"shared link 'inside' left out".to_owned()), "{changes:?}");
    let links = plan.study.machine.shared_links();
    assert_eq!((links.len(), links[0].bandwidth.value()), (1, 12.0));
    // A share over all four nodes of the file cannot be spread over two of four nodes of the host.
    let spread =
        text.replace("arithmetic_intensity = 0.5", "arithmetic_intensity = 0.5\ndata = { interleave = 0.5 }");
    let refused =
        self::plan(&spread.replace("nodes = 4", "nodes = 2").replace("[0], [1]", "[1], [0]"), &[4; 4], true);
    assert!(refused.expect_err("no words for it").to_string().contains("does not fit"));
    assert!(self::plan(&spread, &[4; 2], true).is_ok());
}

#[test]
fn the_study_of_a_plan_keeps_the_sharing_model_and_provenance() {
    let head = "[machine]\nname = \"4 nodes\"\n";
    let more = "latency_matrix_ns = [[80, 140], [141, 81]]\n[machine.sharing]\nmodel = \"ecm\"\necm_penalty = 0.4\n\
                outstanding_lines = 12\n[machine.provenance]\n\
                bandwidth_gbs = { kind = \"measured\", source = \"here\", uncertainty_percent = 2.5, interval95_percent = 1.25 }\n";
    let text = format!(
        "{head}nodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 30\nlink_gbs = 9\n{more}\
         [[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n[[scenario]]\nname = \"s\"\nthreads = {{ a = 2 }}\n"
    );
    let plan = plan(&text, &[4, 4], false).expect("fits");
    let written = write::study(&plan.study);
    let read = study(&written).machine;
    assert_eq!(read.sharing(), plan.study.machine.sharing(), "{written}");
    assert_eq!(read.sharing().name(), "ecm");
    assert_eq!(read.latency_ns(NodeId(1), NodeId(0)), Some(141.0));
    let origin = &read.provenance()["bandwidth_matrix_gbs"];
    assert_eq!((origin.uncertainty_percent, origin.interval95_percent), (Some(2.5), Some(1.25)));
    // Scaled to another number of nodes, the rules stay.
    let scaled = self::plan(&text, &[4], true).expect("scaled").study.machine;
    assert_eq!(scaled.sharing().name(), "ecm");
}

#[test]
fn values_of_the_host_may_come_from_its_machine_file() {
    let of_host = study("[machine]\nname = \"box\"\nnodes = 2\ncores_per_node = 8\ngflops_per_core = 70\nbandwidth_gbs = 40\nlink_gbs = 20\n").machine;
    let study = study(PAPER);
    let scenarios: Vec<&Scenario> = study.scenarios.iter().collect();
    let options = Options { fit: true, host_machine: Some(of_host.clone()), ..Options::default() };
    let plan = make(&study, &scenarios, &host(&[8, 8]), &options).expect("scaled");
    assert_eq!(plan.study.machine, of_host);
    let refused = make(&study, &scenarios, &host(&[8]), &options).expect_err("another host");
    assert_eq!(
        refused.to_string(),
        "the machine 'box' is not this host: it has 2 NUMA nodes, but this host has 1 NUMA node"
    );
}

//! Small topologies, written by hand.

use numasim_study::topology::{Counting, HostNode};

use super::likwid::read_likwid_topology;
use super::lscpu::Lscpu;
use super::{read_numactl, *};

const NUMACTL: &str = "available: 3 nodes (0-1,8)\nnode 0 cpus: 0 1 4 5\nnode 0 size: 1024 MB\nnode 0 free: 3 MB\n\
    node 1 cpus: 2 3 6 7\nnode 1 size: 512 MB\nnode 8 cpus:\nnode 8 size: 2048 MB\nnode distances:\n\
    node   0   1   8 \n  0:  10  21  40 \n  1:  21  10  40 \n  8:  40  40  10 \n";

const SUMMARY: &str = "Architecture: x86_64\nCPU op-mode(s): 32-bit\nCPU(s): 8\nCPU family: 23\nCPU max MHz: 1\nOn-line CPU(s) list: 0-7\nModel name: X: 1\nThread(s) per core: 2\nSocket(s): 2\n\
    L1d cache: 128 KiB (4 instances)\nL3 cache: 5.3 MiB (2 instances)\nNUMA node0 CPU(s): 0,1,4,5\nNUMA node1 CPU(s): 2,3,6,7\n";

const TABLE: &str = "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n  0    0      0    0 0:0:0:0          yes\n  1    0      0    1 4:4:4:0          yes\n  \
    2    1      1    2 8:8:8:8          yes\n  3    1      1    3 9:9:9:8          yes\n  4    0      0    0 0:0:0:0          yes\n  \
    5    0      0    1 4:4:4:0          yes\n  6    1      1    2 8:8:8:8          yes\n  7    1      1    3 9:9:9:8          yes\n  \
    8    -      -    - -                 no\n";

fn lscpu(texts: &[&str]) -> Topology {
    let mut found = Lscpu::default();
    for text in texts {
        found.read(text).unwrap_or_else(|problem| panic!("{problem:?}\n{text}"));
    }
    found.topology().unwrap_or_else(|why| panic!("{why}"))
}

fn cores(found: &Topology) -> Vec<Option<(u32, Option<Vec<u32>>)>> {
    let first = |cores: &Cores| match cores {
        Cores::Counted(_) => None,
        Cores::Known(cores) => Some(cores.iter().map(|core| core.cpus[0]).collect()),
    };
    found.nodes.iter().map(|node| node.cores.as_ref().map(|cores| (cores.count(), first(cores)))).collect()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(read: Result<T, Problem>, text: &str, line: &str, words: &str) {
    let problem = read.expect_err("refused");
    let span = problem.place.as_ref().and_then(|place| place.span.clone()).expect("a place");
    assert!(problem.message.contains(words), "{problem:?}");
    assert!(text[span.clone()].contains(line), "{:?} of {problem:?}", &text[span]);
}

#[test]
fn numactl_reports_logical_cpus_memory_and_distances_but_no_cores() {
    let found = read_numactl(NUMACTL).expect("in order");
    let numbers: Vec<u32> = found.nodes.iter().map(|node| node.number).collect();
    assert_eq!(numbers, [0, 1, 8]);
    assert_eq!((&found.nodes[0].processors, found.nodes[0].memory_bytes), (&vec![0, 1, 4, 5], Some(1 << 30)));
    assert!(found.nodes.iter().all(|node| node.cores.is_none() && node.socket.is_none()));
    assert_eq!(found.distances, Some(vec![vec![10, 21, 40], vec![21, 10, 40], vec![40, 40, 10]]));
}

#[test]
fn a_node_without_logical_cpus_and_memory_is_omitted_with_its_distances() {
    let text = NUMACTL.replace("node 8 size: 2048 MB", "node 8 size: 0 MB");
    let found = read_numactl(&text).expect("in order");
    assert_eq!((found.nodes.len(), found.distances), (2, Some(vec![vec![10, 21], vec![21, 10]])));
    assert_eq!(found.notes, ["without processors and memory, left out: node 8"]);
    let text = NUMACTL.replace("size: 512 MB", "size: <not available>");
    assert_eq!(read_numactl(&text).expect("in order").nodes[1].memory_bytes, None);
}

#[test]
fn a_list_broken_into_lines_is_one_list() {
    let text = NUMACTL.replace("cpus: 0 1 4 5", "cpus: 0 1\n    4 5");
    assert_eq!(read_numactl(&text).expect("in order").nodes[0].processors, [0, 1, 4, 5]);
}

#[test]
fn errors_in_numactl_output_are_shown_in_their_line() {
    let wrong = |from: &str, to: &str, line: &str, words: &str| {
        let text = NUMACTL.replace(from, to);
        refused(read_numactl(&text), &text, line, words);
    };
    wrong("node 1 cpus: 2 3 6 7\n", "", "node 1 size", "no line `node 1 cpus:` precedes");
    wrong(
        "node 8 cpus:\nnode 8 size: 2048 MB\n",
        "",
        "available: 3",
        "there are 3 nodes, and lines `node N cpus:` of 2 (0-1)",
    );
    wrong(
        "node 1 cpus: 2 3 6 7",
        "node 1 cpus: 5 4 1 0",
        "node 1 cpus",
        "this node has the processors of node 0: nodes that share processors are emulated",
    );
    wrong("node 1 cpus: 2 3", "node 1 cpus: 1 3", "node 1 cpus", "processor 1 is on this node and on node 0");
    wrong("size: 512 MB", "size: many MB", "size: many", "'many' is not a number");
    wrong("  1:  21  10  40", "  1:  21  10", "1:  21  10", "2 distances for 3 nodes");
    wrong("  8:  40  40  10", "", "node distances:", "there are no distances of node 8");
    wrong("node 0 cpus: 0 1", "node 0 cpus: 0 x", "node 0 cpus", "'x' is neither a logical CPU number");
    wrong("  0:  10  21", "  0:  10  2.1", "2.1", "no row of distances");
    wrong("available: ", "", "3 nodes", "this is not output of numactl --hardware");
    let twice = NUMACTL.repeat(2);
    let problem = read_numactl(&twice).expect_err("two machines");
    assert!(problem.message.contains("second output") || problem.message.contains("no row"), "{problem:?}");
}

#[test]
fn the_summary_of_lscpu_counts_cores_but_does_not_assign_logical_cpus() {
    let found = lscpu(&[SUMMARY]);
    assert_eq!(found.processor.as_deref(), Some("X: 1"));
    assert_eq!(cores(&found), [Some((2, None)), Some((2, None))]);
    // 128 KiB in four are 32 KiB each; 5.3 MiB in two were rounded.
    assert_eq!(found.caches, [Cache { level: 1, bytes: 32 << 10, cores: 1, count: 4 }]);
    assert!(found.notes[0].ends_with("L3 5.3 MiB (2 instances)"), "{:?}", found.notes);
    let single =
        lscpu(&[&SUMMARY.replace("per core: 2", "per core: 1").replace("Socket(s): 2", "Socket(s): 1")]);
    assert_eq!(cores(&single)[0], Some((4, Some(vec![0, 1, 4, 5]))));
    assert_eq!(single.nodes[1].socket, Some(0));
}

#[test]
fn the_table_of_lscpu_assigns_cores_and_counts_caches_of_older_versions() {
    // In versions before 2.33 the size is that of one cache.
    let old = SUMMARY.replace("5.3 MiB (2 instances)", "5427K").replace("128 KiB (4 instances)", "32K");
    let found = lscpu(&[&old, TABLE]);
    assert_eq!(cores(&found), [Some((2, Some(vec![0, 1]))), Some((2, Some(vec![2, 3])))]);
    assert_eq!(found.nodes.iter().map(|node| node.socket).collect::<Vec<_>>(), [Some(0), Some(1)]);
    let l1 = Cache { level: 1, bytes: 32 << 10, cores: 1, count: 4 };
    assert_eq!(found.caches, [l1, Cache { level: 3, bytes: 5427 << 10, cores: 2, count: 2 }]);
    assert_eq!(found.unavailable, [8]);
    assert_eq!(lscpu(&[TABLE, &old]), found, "the order of the files does not count");
}

#[test]
fn json_and_sections_are_equivalent_to_text() {
    let sections = SUMMARY
        .replace("L1d cache:", "Caches (sum of all):\n  L1d:")
        .replace("L3 cache:", "  L3:")
        .replace("NUMA node0", "NUMA:\n  NUMA node0");
    assert_eq!(lscpu(&[&sections]), lscpu(&[SUMMARY]));
    let entry = |line: &str| {
        let (key, value) = line.split_once(": ").expect("a key");
        format!("{{\"field\": \"{key}:\", \"data\": \"{value}\"}}")
    };
    let entries: Vec<String> = SUMMARY.lines().map(entry).collect();
    let json = format!(
        "{{\"lscpu\": [{}, {{\"field\": \"NUMA:\", \"data\": null, \"children\": [{}]}}]}}",
        entries[..11].join(", "),
        entries[11..].join(", ")
    );
    assert_eq!(lscpu(&[&json]), lscpu(&[SUMMARY]));
    let row = "{\"cpu\": 0, \"node\": 0, \"socket\": 0, \"core\": 0, \"l1d:l1i:l2:l3\": \"0:0:0:0\", \"online\": true}";
    let table = lscpu(&[&format!("{{\"cpus\": [{row}]}}")]);
    assert_eq!(table, lscpu(&["# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n"]));
}

#[test]
fn without_nodes_all_logical_cpus_are_one_node_with_a_note() {
    let found = lscpu(&["Architecture: x86_64\nOn-line CPU(s) list: 0-3\nThread(s) per core: 1\n"]);
    assert_eq!((found.nodes.len(), found.nodes[0].processors.len()), (1, 4));
    assert!(found.notes[0].contains("no NUMA nodes"), "{:?}", found.notes);
}

#[test]
fn errors_in_lscpu_output_are_shown_in_their_line() {
    let wrong = |text: &str, line: &str, words: &str| refused(Lscpu::default().read(text), text, line, words);
    wrong(&SUMMARY.replace("per core: 2", "per core: two"), "per core: two", "'two' is not a number");
    wrong(
        &SUMMARY.replace("NUMA node1 CPU(s)", "NUMA-Knoten1 CPU(s)"),
        "NUMA-Knoten1",
        "not the English output",
    );
    wrong(&SUMMARY.replace("5.3 MiB", "5.3 miles"), "5.3 miles", "not the size of a cache");
    wrong(&SUMMARY.replace("2,3,6,7", "1,3,6,7"), "NUMA node1", "processor 1 is on this node and on node 0");
    wrong("CPU NODE\n0 0\n", "CPU NODE", "no column CORE");
    wrong("CPU 运行模式：  32-bit\n架构：  x86_64\n", "CPU", "this is not output of lscpu");
    wrong(
        &TABLE.replace("  7    1      1    3 9:9:9:8          yes", "  7    1      1"),
        "7    1      1",
        "3 values in a table of 6 columns",
    );
    wrong(&TABLE.replace("  7    1", "  6    1"), "6    1", "processor 6 appears twice");
    wrong("{\"lscpu\": [\n{]}", "{]}", "this is no JSON");
    wrong(
        "{\"lscpu\": [\n{\"field\": \"Socket(s):\", \"data\": \"no\"}]}",
        "Socket(s)",
        "'no' is not a number",
    );
    wrong("nothing of it\n", "nothing", "this is not output of lscpu");
    let mut found = Lscpu::default();
    found.read(&SUMMARY.replace("2,3,6,7", "2,3,6").replace("0-7", "0-6")).expect("in order");
    found.read(TABLE).expect("in order");
    assert!(found.topology().expect_err("two machines").contains("are both of the same machine?"));
}

const LIKWID: &str = "CPU name:\tX\nHWThread\tThread\t\tCore\t\tSocket\t\tAvailable\n0\t0\t0\t0\t*\n1\t0\t1\t1\t*\n2\t1\t0\t0\t*\n3\t1\t1\t1\t\n\
    ----\nSocket 0:\t\t( 0 2 )\nLevel:\t\t\t2\nSize:\t\t\t1 MB\nAssociativity:\t\t16\nNumber of sets:\t\t1024\nCache line size:\t64\n\
    Cache groups:\t\t( 0 2 ) ( 1 3 )\nLevel:\t\t\t3\nSize:\t\t\t11 MB\nCache groups:\t\t( 0 2 ) ( 1 3 )\nNUMA domains:\t\t2\n\
    Domain:\t\t\t0\nProcessors:\t\t( 0 2 )\nDistances:\t\t10 21\nFree memory:\t\t1 MB\nTotal memory:\t\t512.5 MB\n\
    Domain:\t\t\t1\nProcessors:\t\t( 1 3 )\nDistances:\t\t21 10\nTotal memory:\t\t512 MB\n";

#[test]
fn likwid_reports_cores_sockets_memory_and_sizes_of_caches_only_with_c() {
    let found = read_likwid_topology(LIKWID).expect("in order");
    // Hardware thread 3 was not available.
    assert_eq!(cores(&found), [Some((1, Some(vec![0]))), Some((1, Some(vec![1])))]);
    assert_eq!((found.unavailable.clone(), found.nodes[1].socket), (vec![3], Some(1)));
    assert_eq!(found.nodes[0].memory_bytes, Some(537_395_200));
    assert_eq!(found.distances, Some(vec![vec![10, 21], vec![21, 10]]));
    assert_eq!(found.caches, [Cache { level: 2, bytes: 1 << 20, cores: 1, count: 2 }]);
    assert!(found.notes[0].contains("rounded down: L3 11 MB in 2 groups"), "{:?}", found.notes);
}

/// The number of the L3 cache of each core, node by node.
fn l3(found: &Topology) -> Vec<Vec<Option<u32>>> {
    let of = |node: &Node| match &node.cores {
        Some(Cores::Known(cores)) => cores.iter().map(|core| core.l3).collect(),
        _ => Vec::new(),
    };
    found.nodes.iter().map(of).collect()
}

#[test]
fn likwid_and_lscpu_report_the_l3_domain_of_each_core() {
    let found = read_likwid_topology(LIKWID).expect("in order");
    assert_eq!(l3(&found), [[Some(0)], [Some(1)]]);
    assert_eq!(l3(&lscpu(&[TABLE])), [[Some(0), Some(0)], [Some(8), Some(8)]]);
    // Two domains of two cores on one node, numbered across them.
    let table = "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n0 0 0 0 0:0:0:0 yes\n1 0 0 1 1:1:1:1 yes\n2 0 0 2 2:2:2:0 yes\n3 0 0 3 3:3:3:1 yes\n";
    let found = lscpu(&[table]);
    assert_eq!(l3(&found), [[Some(0), Some(1), Some(0), Some(1)]]);
    let Some(Cores::Known(cores)) = &found.nodes[0].cores else { panic!("known cores") };
    let node = HostNode::of_cores(0, cores, Counting::Cores);
    assert_eq!(node.l3.iter().map(|domain| domain.cores).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(node.cpus.map(|cpus| cpus.as_slice().to_vec()), Some(vec![0, 2, 1, 3]));
}

#[test]
fn the_csv_of_likwid_is_equivalent() {
    let csv = "STRUCT,Info,3\nCPU name:,X,\nTABLE,Topology,4\nHWThread        Thread        Core        Die        Socket        Available\n\
        0  0  0  0  0  *  ,,\n1  0  1  0  1  *  ,,\n2  1  0  0  0  *  ,,\n3  1  1  0  1  ,,\nSTRUCT,Sockets,2\nSocket 0:,0,2\n\
        STRUCT,Cache Topology L2,3\nLevel:,2,\nSize:,1 MB,\nAssociativity:,16,\nNumber of sets:,1024,\nCache line size:,64,\nCache groups:,0 2,1 3\n\
        STRUCT,Cache Topology L3,3\nLevel:,3,\nSize:,11 MB,\nCache groups:,0 2,1 3\nNUMA domains:,2,\nSTRUCT,NUMA Topology 0,5\nDomain:,0,\n\
        Processors:,0,2\nDistances:,10,21\nFree memory:,1 MB,\nTotal memory:,512.5 MB,\nSTRUCT,NUMA Topology 1,5\nDomain:,1,\nProcessors:,1,3\n\
        Distances:,21,10\nTotal memory:,512 MB,\n";
    assert_eq!(read_likwid_topology(csv).expect("in order"), read_likwid_topology(LIKWID).expect("in order"));
}

#[test]
fn errors_in_likwid_output_are_shown_in_their_line() {
    let wrong = |from: &str, to: &str, line: &str, words: &str| {
        let text = LIKWID.replace(from, to);
        refused(read_likwid_topology(&text), &text, line, words);
    };
    wrong("HWThread", "Thread", "CPU name", "this is not output of likwid-topology");
    wrong("1\t0\t1\t1\t*", "1\t0\tx\t1\t*", "x", "no number of its column Core");
    wrong("domains:\t\t2", "domains:\t\t3", "NUMA domains", "there are 3 domains, and 2 of them follow");
    wrong(
        "( 1 3 )\nDistances",
        "( 0 3 )\nDistances",
        "Processors",
        "processor 0 is on this node and on node 0",
    );
    wrong("21 10", "21", "Distances", "1 distances for 2 domains");
}

#[test]
fn two_tools_on_the_same_machine_complement_each_other() {
    let found = read_numactl(NUMACTL).expect("in order").and(lscpu(&[TABLE])).expect("the same machine");
    assert_eq!(cores(&found), [Some((2, Some(vec![0, 1]))), Some((2, Some(vec![2, 3]))), None]);
    assert_eq!((found.nodes[0].memory_bytes, found.nodes[0].socket), (Some(1 << 30), Some(0)));
    let other = lscpu(&[&TABLE.replace("  7    1      1", "  7    0      0")]);
    let why = read_numactl(NUMACTL).expect("in order").and(other).expect_err("another machine");
    assert_eq!(why, "node 0 has the processors 0-1,4-5 in the first and 0-1,4-5,7 in the others");
}

/// Cores of each node, `None` if unknown, and the notes.
fn counted(text: &str) -> (Vec<Option<u32>>, Vec<String>) {
    let found = lscpu(&[text]);
    (found.nodes.iter().map(|node| node.cores.as_ref().map(super::Cores::count)).collect(), found.notes)
}

fn summary(online: &str, kinds: &[(u32, u32, u32)], nodes: &[&str]) -> String {
    let kind = |(threads, cores, sockets): &(u32, u32, u32)| {
        format!(
            "Thread(s) per core: {threads}\nCore(s) per socket: {cores}\nSocket(s): {sockets}\nModel name: X\n"
        )
    };
    let nodes = nodes.iter().enumerate().map(|(node, cpus)| format!("NUMA node{node} CPU(s): {cpus}\n"));
    format!(
        "Architecture: x\nOn-line CPU(s) list: {online}\n{}{}",
        kinds.iter().map(kind).collect::<String>(),
        nodes.collect::<String>()
    )
}

#[test]
fn cores_are_counted_if_threads_and_cores_match_the_logical_cpus() {
    // 2 threads x 2 cores x 2 sockets are the 8 logical CPUs.
    assert_eq!(counted(&summary("0-7", &[(2, 2, 2)], &["0-1,4-5", "2-3,6-7"])).0, [Some(2), Some(2)]);
    // One of 16 is offline, and lscpu divides 15 by 8.
    let one = summary("0-14", &[(1, 4, 2)], &["0-3,8-11", "4-7,12-14"]);
    assert_eq!(counted(&one).0, [None, None]);
    let why = counted(&one).1.join("\n");
    assert!(
        why.contains("lscpu counts 8 cores with 1 hardware thread(s), and 15 processors are on-line"),
        "{why}"
    );
    // Two of 16 are offline, of different cores of node 1: 6 logical CPUs there are 4 cores.
    let two = summary("0-13", &[(2, 4, 2)], &["0-3,8-11", "4-7,12-13"]) + "Off-line CPU(s) list: 14,15\n";
    assert_eq!(counted(&two).0, [None, None]);
    // All second threads are offline: each logical CPU is a core.
    let smt1 = summary("0-30:2", &[(1, 8, 2)], &["0-14:2", "16-30:2"]) + "Off-line CPU(s) list: 1-31:2\n";
    assert_eq!(counted(&smt1).0, [Some(8), Some(8)]);
    // Fewer logical CPUs than the machine may have, as on s390.
    assert_eq!(counted(&summary("0-7", &[(1, 8, 2)], &["0-7"])).0, [Some(8)]);
    let smt2 = "Thread(s) per core: 2\nCore(s) per socket: 8\nSocket(s) per book: 3\nBook(s) per drawer: 4\nDrawer(s): 4\n";
    assert_eq!(counted(&(summary("0-15", &[], &["0-15"]) + smt2)).0, [Some(8)]);
    // lscpu divides 4 logical CPUs by 8 cores.
    assert_eq!(counted(&summary("0-3", &[(0, 4, 2)], &["0-3"])).0, [None]);
    // 6 large cores with two threads and 8 small ones: 20 logical CPUs.
    let hybrid = counted(&summary("0-19", &[(2, 6, 1), (1, 8, 1)], &["0-19"]));
    assert_eq!(hybrid.0, [Some(14)]);
    assert!(hybrid.1.iter().any(|note| note.starts_with("cores are unequal: 6 of X with 2")), "{hybrid:?}");
    // As a single kind the numbers contradict each other.
    assert_eq!(counted(&summary("0-19", &[(2, 14, 1)], &["0-19"])).0, [None]);
}

#[test]
fn offline_logical_cpus_do_not_count() {
    let text = summary("0-7", &[(1, 8, 2)], &["0-99"]);
    let found = lscpu(&[&text]);
    assert_eq!(
        (cores(&found), found.nodes[0].processors.len()),
        (vec![Some((8, Some((0..8).collect())))], 8)
    );
    assert!(found.notes[0].starts_with("not on-line, left out: processors 8-99"), "{:?}", found.notes);
}

#[test]
fn a_node_without_logical_cpus_is_kept_if_the_tool_reports_no_memory() {
    let text = summary("0-3", &[(1, 4, 1)], &["0-3", ""]);
    let table = "CPU NODE SOCKET CORE\n0 0 0 0\n1 0 0 1\n2 0 0 2\n3 0 0 3\n";
    let found = lscpu(&[&text, table]);
    assert_eq!(
        found.nodes.iter().map(|node| (node.number, node.processors.len())).collect::<Vec<_>>(),
        [(0, 4), (1, 0)]
    );
    let numactl = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 64 MB\nnode 1 cpus:\nnode 1 size: 128 MB\n";
    let both = read_numactl(numactl).expect("in order").and(found).expect("the same machine");
    assert_eq!(
        (both.nodes[1].memory_bytes, both.nodes[0].cores.as_ref().map(super::Cores::count)),
        (Some(128 << 20), Some(4))
    );
    // The table has no nodes, the summary has.
    let bare = "CPU SOCKET CORE\n0 0 0\n1 0 1\n2 0 2\n3 0 3\n";
    let found = lscpu(&[&summary("0-3", &[(1, 2, 2)], &["0,2", "1,3"]), bare]);
    assert_eq!(cores(&found), [Some((2, Some(vec![0, 2]))), Some((2, Some(vec![1, 3])))]);
}

#[test]
fn cores_with_repeated_numbers_are_distinguished_by_their_caches_or_rejected() {
    let table = |rows: &[(u32, u32, u32)]| {
        let row = |(cpu, core, l1): &(u32, u32, u32)| format!("{cpu},{core},0,,,{l1},{l1},{l1},0\n");
        format!("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n{}", rows.iter().map(row).collect::<String>())
    };
    // Two kinds of three cores, each kind numbered from 0.
    let repeated = table(&[(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 0, 3), (4, 1, 4), (5, 2, 5)]);
    assert_eq!(cores(&lscpu(&[&repeated])), [Some((6, Some((0..6).collect())))]);
    // A core with two threads and a small one with the same number.
    let hybrid = table(&[(0, 0, 0), (1, 0, 0), (2, 0, 8)]);
    assert_eq!(cores(&lscpu(&[&hybrid])), [Some((2, Some(vec![0, 2])))]);
    // POWER: a core of eight threads has a cache for each half.
    let power =
        table(&[(0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 0, 1), (4, 0, 0), (5, 0, 1), (6, 0, 0), (7, 0, 1)]);
    assert_eq!(cores(&lscpu(&[&power])), [Some((1, Some(vec![0])))]);
    // No caches, and the summary reports one thread per core.
    let mut found = Lscpu::default();
    found.read(&summary("0-5", &[(1, 3, 1), (1, 3, 1)], &[])).expect("in order");
    found.read("CPU SOCKET CORE\n0 0 0\n1 0 1\n2 0 2\n3 0 0\n4 0 1\n5 0 2\n").expect("in order");
    let why = found.topology().expect_err("which processors share a core is not clear");
    assert!(why.starts_with("CORE numbers repeat: processors 0,3 have the same"), "{why}");
}

#[test]
fn other_languages_and_cut_output_are_rejected() {
    let refusal = |text: &str| {
        let mut found = Lscpu::default();
        found.read(text).expect("lines as lscpu prints them");
        found.topology().expect_err("no machine")
    };
    let german = "Architektur: x86_64\nCPU(s): 8\nListe der Online-CPU(s): 0-7\nThread(s) pro Kern: 2\n";
    assert!(refusal(german).contains("LC_ALL=C lscpu"), "{}", refusal(german));
    let cut = summary("0-3", &[(1, 2, 2)], &["0-1"]) + "NUMA node(s): 2\n";
    assert!(
        refusal(&cut).starts_with("there are 2 NUMA nodes, and lines `NUMA nodeN CPU(s)` of 1"),
        "{}",
        refusal(&cut)
    );
}

#[test]
fn different_clocks_are_reported_as_unequal() {
    let found = lscpu(&["CPU NODE SOCKET CORE MAXMHZ\n0 0 0 0 3400.0000\n1 0 0 1 2800.5000\n"]);
    let note = "cores are unequal: processors 1 with at most 2800.5000 MHz, processors 0 with at most 3400 MHz; a machine file has one \
                gflops_per_core for all cores of a node";
    assert_eq!(found.notes, [note]);
}

#[test]
fn memory_of_0_bytes_does_not_exist_unless_all_nodes_have_0() {
    let text = NUMACTL.replace("node 1 size: 512 MB", "node 1 size: 0 MB");
    assert_eq!(read_numactl(&text).expect("in order").nodes[1].memory_bytes, Some(0));
    let text = text.replace("1024 MB", "0 MB").replace("2048 MB", "0 MB");
    let found = read_numactl(&text).expect("in order");
    assert!(
        found.nodes.iter().all(|node| node.memory_bytes.is_none()) && !found.notes.is_empty(),
        "{found:?}"
    );
}

#[test]
fn cores_of_likwid_with_repeated_numbers_are_counted_one_by_one() {
    let text =
        "HWThread Thread Core Die Socket Available\n0 0 0 0 0 *\n1 0 1 0 0 *\n2 0 0 0 0 *\n3 1 0 0 0 *\n";
    // Logical CPUs 0 and 2 are both thread 0 of a core 0; 3 is thread 1 of the first of them.
    let found = read_likwid_topology(text).expect("in order");
    assert_eq!(cores(&found), [Some((3, Some(vec![0, 1, 2])))]);
    assert!(
        found.notes[1].starts_with("cores are unequal: 2 with 1 hardware thread, 1 with 2"),
        "{:?}",
        found.notes
    );
}

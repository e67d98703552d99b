//! `numasim import` as a user sees it: real output of other tools, and invalid output.

use std::fs;
use std::process::Output;

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};
use numasim_study::{SourceFile, read_study};

use crate::common::{self, repository};

fn numasim(args: &[&str]) -> Output {
    let mut command = common::numasim();
    command.args(args).current_dir(repository("tests/import")).output().expect("the program starts")
}

fn imported(args: &[&str]) -> String {
    let output = numasim(&[&["import"], args].concat());
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8 on standard output")
}

fn machine(text: String) -> Machine {
    read_study(&[SourceFile { name: "machine.toml".into(), text }])
        .expect("a machine file in order")
        .study
        .machine
}

/// Bandwidth of all controllers, then of all links.
fn bandwidths(machine: &Machine) -> Vec<f64> {
    let nodes = machine.nodes().iter().map(|node| node.bandwidth.value());
    let count = machine.node_count();
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (NodeId(from), NodeId(to))));
    let links = pairs.filter_map(|(from, to)| machine.link(from, to)).map(GigabytesPerSecond::value);
    nodes.chain(links).collect()
}

#[test]
fn the_matrix_of_a_machine_with_cxl_memory_is_that_of_its_machine_file() {
    let args = ["mlc", "mlc-epyc-9224-cxl.txt", "--cores-per-node", "12", "--gflops-per-core", "40"];
    let found = machine(imported(&args));
    let kept = fs::read_to_string(repository("configs/machines/epyc-9224-2s-nps2-cxl.toml"))
        .expect("a machine file");
    assert_eq!(bandwidths(&found), bandwidths(&machine(kept)));
    let cores: Vec<u32> = found.nodes().iter().map(|node| node.cores).collect();
    assert_eq!(cores, [12, 12, 12, 12, 0]);
}

#[test]
fn a_matrix_inside_other_output_is_found() {
    let args =
        ["mlc", "mlc-8269cy.txt", "--name", "8269CY", "--cores-per-node", "26", "--gflops-per-core", "80"];
    let text = imported(&args);
    assert!(text.starts_with("# Intel(R) Memory Latency Checker - v3.9\n"), "{text}");
    let machine = machine(text);
    assert_eq!(machine.name(), "8269CY");
    assert_eq!(bandwidths(&machine), [113.1394, 113.2492, 50.9234, 50.9166]);
}

#[test]
fn without_cores_the_file_is_a_skeleton_that_check_explains() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("machine.toml").display().to_string();
    imported(&["mlc", "mlc-8269cy.txt", "-o", &file]);
    let output = numasim(&["check", &file]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`cores` is missing in [[machine.node]]"), "{said}");
}

#[test]
fn one_table_of_several_is_selected() {
    let output = numasim(&["import", "mlc", "mlc-matrices.csv"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("choose one with --select") && said.contains("icelake_mlc.txt"), "{said}");
    let text = imported(&["mlc", "mlc-matrices.csv", "--select", "icelake"]);
    assert!(text.contains("[175.6909, 55.6768],"), "{text}");
}

#[test]
fn a_sweep_of_likwid_bench_is_a_csv_of_bandwidth_over_threads() {
    let text = imported(&["likwid", "likwid-bench-sweep.txt"]);
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows[0].starts_with("machine,kernel,threads,bandwidth_gbs,gflops,"), "{text}");
    assert!(
        rows[1].starts_with(",load,1,9.66809,0,") && rows[6].starts_with(",triad,2,34.72492,2.17031,"),
        "{text}"
    );
    assert!(
        text.contains("core_bandwidth_gbs = 9.66809; bandwidth_gbs = 19.84177 (largest, 2 threads)"),
        "{text}"
    );
}

#[test]
fn a_published_curve_suggests_the_values_of_one_numa_node() {
    let text = imported(&["likwid", "likwid-kerncraft.csv", "--select", "Haswell"]);
    // 14 cores of two nodes of 7: the first node reaches 32.36 GB/s, both together more.
    assert!(
        text.contains("core_bandwidth_gbs = 12.79; bandwidth_gbs = 32.36 (largest, 7 threads)"),
        "{text}"
    );
    assert!(!text.contains("Broadwell"), "{text}");
}

#[test]
fn stream_is_a_csv_of_its_best_rates() {
    let text = imported(&["stream", "stream-i7-9700.txt"]);
    assert!(text.contains("\n,Triad,8,25.1043,") && text.contains("\n,Copy,8,22.9456,0,"), "{text}");
    // The first two rows of the table are 10254.6 MB/s and 10445 MB/s.
    let text = imported(&["stream", "stream-nes.csv"]);
    assert!(text.contains("\n,Copy,8,10.2546,0,,0,0,\"array_gb 05, mode amb\",,\n"), "{text}");
}

#[test]
fn a_sweep_over_sizes_proposes_the_value_of_the_largest() {
    let text = imported(&["likwid", "likwid-bench-cache-ladder.txt"]);
    assert!(text.contains("core_bandwidth_gbs = 14.2345; bandwidth_gbs = 14.2345 "), "{text}");
    assert!(text.contains("# 3 of 4 runs say nothing of the memory of a node"), "{text}");
}

#[test]
fn stream_of_floats_and_babelstream_have_their_own_flop_per_byte() {
    let text = imported(&["stream", "stream-float.txt"]);
    for row in ["\n,Scale,32,120,15,", "\n,Add,32,132,11,", "\n,Triad,32,132,22,"] {
        assert!(text.contains(row), "{row}: {text}");
    }
    let text = imported(&["stream", "babelstream-openmp.txt"]);
    // 2 FLOP for 24 bytes, and for 16
    assert!(text.contains("\n,Triad,,96,8,") && text.contains("\n,Dot,,98,12.25,"), "{text}");
    assert!(text.contains("# For a machine file, from Dot: bandwidth_gbs = 98.0\n"), "{text}");
}

#[test]
fn output_of_another_tool_is_refused_with_the_wrong_line() {
    for (kind, file) in
        [("mlc", "stream-i7-9700.txt"), ("likwid", "mlc-8269cy.txt"), ("stream", "likwid-bench-sweep.txt")]
    {
        let output = numasim(&["import", kind, file]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
        assert!(said.contains(&format!("--> {file}:1:1")) && said.contains("hint:"), "{said}");
    }
}

#[test]
fn more_memories_than_a_machine_has_nodes_are_refused() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [matrix, result] = ["matrix.csv", "machine.toml"].map(|name| folder.path().join(name));
    let columns: Vec<String> = (0..1025).map(|node| format!("to_mem{node}")).collect();
    let row = |node: usize| format!("{node}{}\n", ",1000".repeat(1025));
    fs::write(&matrix, format!("# MB/s\nfrom_node,{}\n{}{}", columns.join(","), row(0), row(1)))
        .expect("a file for the test");
    let output =
        numasim(&["import", "mlc", &matrix.display().to_string(), "-o", &result.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
    assert!(
        said.contains("there are figures of 1025 memories; a machine has at most 1024 NUMA nodes"),
        "{said}"
    );
    assert!(!result.exists());
}

#[test]
fn a_damaged_line_is_shown_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [damaged, result] = ["mlc.txt", "machine.toml"].map(|name| folder.path().join(name));
    let whole = fs::read_to_string(repository("tests/import/mlc-8269cy.txt")).expect("a sample");
    fs::write(&damaged, whole.replace("50916.6 113249.2", "50916.6 fast")).expect("a file for the test");
    let output =
        numasim(&["import", "mlc", &damaged.display().to_string(), "-o", &result.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("'fast' is not a positive number") && said.contains("mlc.txt:26:8"), "{said}");
    assert!(!result.exists());
}

#[cfg(not(feature = "hwloc"))]
#[test]
fn hwloc_is_named_if_it_is_missing() {
    let output = numasim(&["detect"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs hwloc"));
}

#[test]
fn other_xml_than_that_of_hwloc_is_refused() {
    let output = numasim(&["import", "hwloc", "mlc-8269cy.txt"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("mlc-8269cy.txt: this is no topology of hwloc"), "{said}");
}

/// The graph of a file in a folder, as its two CSV files, and the messages.
fn graph(args: &[&str]) -> (String, String) {
    let folder = common::folder();
    let to = folder.path().join("graph");
    let output = numasim(&[&["import"], args, &["-o", to.to_str().expect("UTF-8")]].concat());
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let text = |name: &str| fs::read_to_string(to.join(name)).expect("written");
    let machine = folder.path().join("machine.toml");
    let one = "[machine]\nname = \"one\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 10.0\nbandwidth_gbs = 20.0\n";
    fs::write(&machine, one).expect("a file for the test");
    let (machine, to) = (machine.to_str().expect("UTF-8"), to.to_str().expect("UTF-8"));
    let read = numasim(&["tasks", machine, "--graph", to, "--format", "csv"]);
    assert!(read.status.success(), "{read:?}");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    (text("blocks.csv") + &text("tasks.csv"), said)
}

#[test]
fn files_of_a_workflow_are_blocks_and_time_is_work() {
    // 40 s x 350 % x 10 GFLOPS, 50 s x 300 % x 10.
    let (csv, said) = graph(&["wfcommons", "wfcommons-blast-1.5.json", "--reference-gflops", "10"]);
    assert_eq!(
        csv,
        "id,bytes,home,name\n0,45120,,small.fasta\n1,22560,,small.fasta.0\n2,22560,,small.fasta.1\n3,2000000000,,nt\n\
         4,310000,,small.fasta.0.out\n5,290000,,small.fasta.1.out\n6,600000,,None.000000\n\
         id,type,gflop,accesses,socket,taskwait,name\n0,split_fasta,4,in:0;out:1;out:2,,,split_fasta_00000001\n\
         1,blastall,1400,in:1;in:3;out:4,,,blastall_00000002\n2,blastall,1500,in:2;in:3;out:5,,,blastall_00000003\n\
         3,cat_blast,2.5,in:4;in:5;out:6,,,cat_blast_00000004\n"
    );
    assert!(said.starts_with("warning: wfcommons-blast-1.5.json:68: 2 tasks (the first is `blastall_00000002`) asked for several cores"), "{said}");
    assert!(
        said.contains("wfcommons-blast-1.5.json:82: the task `cat_blast_00000004` without `avgCPU`"),
        "{said}"
    );
    let (csv, said) = graph(&["wfcommons", "wfcommons-chain-1.6.json", "--reference-gflops", "10"]);
    assert!(csv.ends_with("0,first,600,in:0;out:1,,,chain_01,20\n1,second,500,in:1;out:2;out:3,,,chain_02,30\n2,report,15,in:3,,,chain_03,\n"), "{csv}");
    assert_eq!(said, "");
}

#[test]
fn handles_and_edges_are_blocks() {
    // Job 9 took 1.2 ms.
    let (csv, said) = graph(&["starpu", "starpu-tasks.rec", "--reference-gflops", "10"]);
    assert!(
        csv.contains("1,chol_model_21,0.884736,in:0;inout:1:7372800:14745600,,,8\n2,chol_model_22,0.012,"),
        "{csv}"
    );
    assert!(said.contains("starpu-tasks.rec:35: the job `9` without `GFlop`"), "{said}");
    let (csv, said) = graph(&["dot", "diamond.dot"]);
    assert!(csv.contains("3,0,,right -> end\n") && csv.ends_with("0,read,1,out:0;out:1,,,begin\n1,task,2,in:0;out:2,,,left\n2,task,3,in:1;out:3,,,right\n3,task,0.5,in:2;in:3,,,end\n"), "{csv}");
    assert!(said.contains("diamond.dot:10: the edge `right -> end` without `bytes`"), "{said}");
}

/// The example of SimGrid's documentation, and two ranks of StarPU with records that run nothing.
#[test]
fn files_of_simgrid_and_of_two_ranks_are_read() {
    let (csv, said) = graph(&["dot", "simgrid-no-data.dot"]);
    assert!(csv.contains("0,500000000,,a -> c\n1,0,,b -> c\n"), "{csv}");
    assert!(
        said.contains("simgrid-no-data.dot:6: the edge `b -> c` with `size = -1`: order without data"),
        "{said}"
    );
    let (csv, said) = graph(&["starpu", "starpu-two-ranks-wontuse.rec"]);
    assert_eq!(
        csv,
        "id,bytes,home,name\n0,1000000,,0_7f00a0001000\n1,1000000,,1_7f00a0001000\n\
         id,type,gflop,accesses,socket,taskwait,name\n0,potrf,0.3,inout:0:1000000:2000000,,,0_7\n\
         1,potrf,0.3,inout:1:1000000:2000000,,,1_7\n"
    );
    assert!(
        said.contains("the job `1_7` of another `MPIRank`: handles are addresses of a process"),
        "{said}"
    );
}

#[test]
fn drawn_graphs_are_read_or_refused_and_missing_parts_are_listed() {
    let folder = common::folder();
    let file = folder.path().join("drawn.dot");
    let path = file.to_str().expect("UTF-8");
    let said = |text: &str| {
        fs::write(&file, text).expect("a file for the test");
        graph(&["dot", path])
    };
    // Snakemake, ninja and Nextflow: only order.
    for text in [
        "digraph snakemake_dag {\n    graph[bgcolor=white, margin=0];\n\t0[label = \"all\"];\n\t1[label = \"map\", style=\"rounded,dashed\"];\n\t1 -> 0\n}\n",
        "digraph ninja {\nrankdir=\"LR\"\n\"0x1\" [label=\"a.c\"]\n\"0x2\" [label=\"a.o\"]\n\"0x1\" -> \"0x2\" [label=\" cc\"]\n}\n",
        "digraph \"dag\" {\np0 [shape=point,label=\"\",xlabel=\"Channel.fromPath\"];\np1 [label=\"FASTQC\"];\np0 -> p1 [label=\"reads\"];\n}\n",
    ] {
        let (_, said) = said(text);
        assert!(
            said.contains("2 nodes (the first is ") && said.contains("without `flop`: no work"),
            "{said}"
        );
        assert!(
            said.contains("no task has work and no edge has data: the graph has only an order"),
            "{said}"
        );
    }
    // Doxygen draws arrows backwards; invisible edges are no order.
    let (csv, warned) =
        said("digraph {\n node [flop=1e9]; edge [bytes=8]\n b -> a [dir=back]\n c -> a [style=invis]\n}\n");
    assert!(csv.contains("a -> b") && !csv.contains("c -> a"), "{csv}");
    assert!(warned.contains("the edge `c -> a` with `style = invis`: left out"), "{warned}");
    for (text, words) in [
        ("digraph {}", ["there are no tasks", "this graph is empty"]),
        ("digraph { a -> b [dir=none] }", ["`dir` is none", "write `dir = forward` or `dir = back`"]),
        ("digraph { a -> b [size=-5] }", ["`size` is -5", "but cannot be negative"]),
        ("digraph { a [flop=\"1,5e9\"] }", ["`flop` is '1,5e9'", "not a number"]),
        (
            "digraph \"app\" { subgraph clusterLegend { legendNode0 -> legendNode1 } \"node0\" -> \"node1\" }",
            ["this is a graph of CMake", "turn all arrows"],
        ),
    ] {
        fs::write(&file, text).expect("a file for the test");
        no_graph(&["dot", path], &words);
    }
}

#[track_caller]
fn no_graph(args: &[&str], words: &[&str]) {
    let folder = common::folder();
    let to = folder.path().join("graph");
    let output = numasim(&[&["import"], args, &["-o", to.to_str().expect("UTF-8")]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
    assert!(!to.exists(), "nothing is written");
}

#[test]
fn invalid_graphs_are_shown_at_the_error_and_nothing_is_written() {
    no_graph(
        &["starpu", "starpu-tasks.rec"],
        &["the job 9 has no `GFlop`, but a time", "starpu-tasks.rec:35:8", "--reference-gflops"],
    );
    no_graph(&["dot", "starpu-tasks.rec"], &["starpu-tasks.rec:1:1"]);
    no_graph(&["wfcommons", "diamond.dot", "--reference-gflops", "1"], &["diamond.dot:1:"]);
    let folder = common::folder();
    let file = folder.path().join("circle.dot");
    fs::write(&file, "digraph {\n a -> b -> a\n}\n").expect("a file for the test");
    no_graph(&["dot", file.to_str().expect("UTF-8")], &["circle.dot:2:2", "a -> b -> a"]);
}

#[test]
fn graphs_that_would_need_too_much_memory_are_refused_before_they_are_read() {
    let folder = common::folder();
    let file = folder.path().join("large.dot");
    fs::File::create(&file).expect("a file for the test").set_len(600 << 20).expect("a size");
    no_graph(&["dot", file.to_str().expect("UTF-8")], &["is too large: more than 512 MiB"]);
    // 7 million edges in 14 million words: 320 B for each word.
    fs::write(&file, format!("digraph {{{}}}", "a->b\n".repeat(7_000_000))).expect("a file for the test");
    no_graph(&["dot", file.to_str().expect("UTF-8")], &["this graph may need 4.2 GiB of memory"]);
}

/// Files of libvirt, Docker, Kubernetes and Open MPI, on a machine of two nodes of 16 cores.
#[test]
fn placements_of_other_tools_are_scenarios() {
    let placed =
        |args: &[&str]| imported(&[args, &["--study", "placed/machine.toml", "--scenario", "now"]].concat());
    for (name, args) in [
        ("libvirt", &["libvirt", "placed/db.xml", "placed/web.xml"][..]),
        ("docker", &["docker", "placed/inspect.json"]),
        ("kubernetes", &["kubernetes", "placed/balloons.yaml", "placed/pods.yaml"]),
        ("rankfile", &["rankfile", "placed/rankfile", "--run", "placed/run.sh"]),
    ] {
        insta::assert_snapshot!(format!("placed-{name}"), placed(args));
    }
    // Only the intensity is missing.
    let study = placed(&["docker", "placed/inspect.json"])
        .replace("# arithmetic_intensity = ?", "arithmetic_intensity = 1");
    let machine = fs::read_to_string(repository("tests/import/placed/machine.toml")).expect("a machine file");
    let read =
        read_study(&[SourceFile { name: "study.toml".into(), text: machine + &study }]).expect("a study");
    assert_eq!(read.study.scenarios[0].threads(numasim_model::AppId(0)), [4, 4]);
}

#[test]
fn a_placement_that_no_scenario_describes_is_shown_at_its_place() {
    let refused = |args: &[&str]| {
        let output = numasim(&[&["import"], args, &["--study", "placed/machine.toml"]].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        common::stderr(&output)
    };
    let two = refused(&["docker", "placed/inspect.json", "placed/inspect.json"]);
    assert!(two.contains("two of them are called 'db'") && two.contains("placed/inspect.json:4:17"), "{two}");
    let alone = refused(&["kubernetes", "placed/pods.yaml"]);
    assert!(
        alone.contains("there is no balloon type 'both-nodes'") && alone.contains("placed/pods.yaml:6:46"),
        "{alone}"
    );
    let other = refused(&["libvirt", "placed/db.xml", "placed/inspect.json"]);
    assert!(
        other.contains("there is no <domain> in it") && other.contains("placed/inspect.json:1:1"),
        "{other}"
    );
    let without = numasim(&[
        "import",
        "docker",
        "placed/inspect.json",
        "--study",
        "../../configs/paper/table-iii.toml",
    ]);
    assert!(
        common::stderr(&without).contains("import docker needs the numbers of the logical CPUs"),
        "{without:?}"
    );
}

//! What the tools print, whole and damaged.

use numasim_model::input::Problem;

use super::likwid::read_likwid;
use super::matrix::{Given, Matrices, machine_file};
use super::mlc::read_mlc;
use super::runs::{csv, proposals};
use super::stream::read_stream;

const MLC: &str = "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\t\tNuma node\n\
                   Numa node\t     0\t     1\t\n       0\t  77.9\t 143.2\t\n       1\t 144.4\t  78.4\t\n\n\
                   Measuring Memory Bandwidths between nodes within system \n\
                   Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nUsing Read-only traffic type\n\
                   \t\tNuma node\nNuma node\t     0\t     1\t\n       0\t113139.4\t50923.4\t\n\
                   \x20      1\t50916.6\t113249.2\t\n\nMeasuring Loaded Latencies for the system\n 00000\t242.78\t 232249.0\n";

fn marked<'t>(text: &'t str, problem: &Problem) -> &'t str {
    &text[problem.place.clone().and_then(|place| place.span).expect("a place")]
}

fn file(matrices: &Matrices, given: Given) -> String {
    machine_file(matrices, "m", "Intel MLC", given).expect("a whole matrix")
}

#[test]
fn both_matrices_are_found_inside_of_other_output() {
    let read = read_mlc(MLC, None).expect("in order");
    assert_eq!(
        read.bandwidth_mbs.0.values().copied().collect::<Vec<_>>(),
        [113_139.4, 50_923.4, 50_916.6, 113_249.2]
    );
    assert_eq!(read.latency_ns.0[&(0, 1)], 143.2);
    assert_eq!(read.notes, ["Intel(R) Memory Latency Checker - v3.9"]);
    let text = file(&read, Given { cores_per_node: Some(26), gflops_per_core: Some(80.0) });
    assert!(text.contains("    [113.1394, 50.9234],\n    [50.9166, 113.2492],\n"), "{text}");
    assert!(
        text.contains("#     node 1: 144.4, 78.4") && text.contains("cores = 26\ngflops_per_core = 80.0"),
        "{text}"
    );
    assert!(!text.contains('?'), "{text}");
}

#[test]
fn what_a_matrix_does_not_say_is_left_open() {
    let text = file(&read_mlc(MLC, None).expect("in order"), Given::default());
    assert_eq!(text.matches("# cores = ?").count(), 2);
    assert_eq!(text.matches("# gflops_per_core = ?").count(), 2);
}

#[test]
fn a_node_without_a_row_has_memory_only_and_its_best_figure_on_the_diagonal() {
    let text = "# MB/s\nfrom_node,to_mem0,to_cxl1\n0,99833.3,17594\n";
    let text = file(&read_mlc(text, None).expect("in order"), Given::default());
    assert!(text.contains("    [99.8333, 17.594],\n    [0.0, 17.594],\n"), "{text}");
    assert!(text.contains("[1][1] is the best figure of its column"), "{text}");
    assert!(text.contains("# node 1\ncores = 0 "), "{text}");
}

#[test]
fn a_damaged_matrix_is_refused_with_its_line() {
    let wrong = MLC.replace("50916.6\t113249.2", "50916.6");
    let problem = read_mlc(&wrong, None).expect_err("a figure is missing");
    assert_eq!(marked(&wrong, &problem), "1\t50916.6");
    assert_eq!(problem.message, "node 1 has 1 values, but the header names 2 nodes");
    let wrong = MLC.replace("50916.6", "509I6.6");
    assert_eq!(marked(&wrong, &read_mlc(&wrong, None).expect_err("no number")), "1\t509I6.6\t113249.2");
    let wrong = "\nto whom it may concern\n";
    assert_eq!(marked(wrong, &read_mlc(wrong, None).expect_err("a letter")), "to whom it may concern");
    let cut =
        MLC.split("\t\tNuma node\nNuma node\t     0\t     1\t\n       0\t113139").next().expect("a start");
    assert_eq!(read_mlc(cut, None).expect_err("no matrix").message, "there is no matrix below this line");
    assert!(read_mlc(&MLC.repeat(2), None).expect_err("twice").message.contains("appears twice"));
}

#[test]
fn a_table_of_several_is_chosen_by_name() {
    let text = "file,machine,metric,from_node,to_node,value\na/x.txt,X,bw_MBs,0,0,1000\na/y.txt,Y,bw_MBs,0,0,2000\n\
                a/y.txt,Y,latency_ns,0,0,80\n";
    let problem = read_mlc(text, None).expect_err("which one?");
    assert_eq!(problem.hint.as_deref(), Some("choose one with --select: a/x.txt, a/y.txt"));
    let read = read_mlc(text, Some("y.txt")).expect("one");
    assert_eq!((read.bandwidth_mbs.0[&(0, 0)], read.latency_ns.0[&(0, 0)]), (2000.0, 80.0));
    assert_eq!(
        read_mlc(text, Some(".txt")).expect_err("two").message,
        "'.txt' matches the names of several tables"
    );
}

#[test]
fn a_csv_says_its_unit() {
    let problem = read_mlc("from_node,to_mem0,to_mem1\n0,1,2\n", None).expect_err("no unit");
    assert_eq!(problem.message, "it is not stated whether these are MB/s or ns");
    let holes = read_mlc("# MB/s\nfrom_node,to_mem0,to_mem2\n0,1,2\n", None).expect("numbers");
    let why = machine_file(&holes, "m", "s", Given::default()).expect_err("no node 1");
    assert_eq!(why, "there is no value for the memory of node 1");
}

#[test]
fn a_control_character_in_a_note_does_not_spoil_the_machine_file() {
    let odd = MLC.replace("Checker - v3.9", "Checker\0 - v3.9\u{1b}[31m");
    let text = file(&read_mlc(&odd, None).expect("in order"), Given::default());
    assert!(text.starts_with("# Intel(R) Memory Latency Checker\\u{0} - v3.9\\u{1b}[31m\n"), "{text}");
}

#[test]
fn a_line_break_in_a_name_does_not_end_a_comment() {
    let text = "machine_file,threads,kernel,bw_GBs\n\"m\n1\",1,\"load\nx\",10\n";
    let (runs, notes) = read_likwid(text, None).expect("in order");
    let text = csv(&runs, &notes).expect("memory");
    assert_eq!(
        text.lines().next(),
        Some(
            r"# For a machine file, from load\nx: m\n1: core_bandwidth_gbs = 10.0; bandwidth_gbs = 10.0 (largest, 1 threads)"
        )
    );
}

const LIKWID: &str = "Test: load\nUsing 1 work groups\nUsing 1 threads\nTime:\t\t\t1.5e+00 sec\nSize (Byte):\t\t200000000\n\
                      MFlops/s:\t\t0.00\nMByte/s:\t\t9668.09\nTest: load\nUsing 2 threads\nMByte/s:\t\t19841.77\n\
                      Test: triad\nUsing 2 threads\nMFlops/s:\t\t2170.31\nMByte/s:\t\t34724.92\n";

#[test]
fn a_sweep_of_likwid_bench_gives_the_figures_of_a_thread_and_of_all() {
    let (runs, notes) = read_likwid(LIKWID, None).expect("in order");
    let found: Vec<_> =
        runs.iter().map(|run| (run.kernel.as_str(), run.threads, run.bandwidth_gbs)).collect();
    assert_eq!(
        found,
        [("load", Some(1), 9.66809), ("load", Some(2), 19.84177), ("triad", Some(2), 34.72492)]
    );
    // Reading alone is the ceiling, although triad moves more.
    let proposal = &proposals(&runs)[0];
    assert_eq!(
        (proposal.core_bandwidth_gbs, proposal.bandwidth_gbs, proposal.threads),
        (Some(9.66809), 19.84177, Some(2))
    );
    let text = csv(&runs, &notes).expect("memory");
    assert!(text.contains(",load,1,9.66809,0,,,,,200000000,1.5\n"), "{text}");
    assert!(text.contains("core_bandwidth_gbs = 9.66809; bandwidth_gbs = 19.84177"), "{text}");
}

#[test]
fn a_run_of_likwid_bench_without_a_result_is_refused() {
    let cut = LIKWID.replace("MByte/s:\t\t34724.92\n", "");
    assert_eq!(marked(&cut, &read_likwid(&cut, None).expect_err("unfinished")), "Test: triad");
    let wrong = LIKWID.replace("19841.77", "nan");
    assert_eq!(marked(&wrong, &read_likwid(&wrong, None).expect_err("no number")), "MByte/s:\t\tnan");
    assert!(read_likwid("hello\n", None).is_err());
}

#[test]
fn a_curve_over_the_border_of_a_node_suggests_the_figures_inside_of_it() {
    let text = "machine_file,cores_per_numa_domain,smt_per_core_used,cores,threads,kernel,bw_GBs\n\
                m,2,1,1,1,load,10\nm,2,1,2,2,load,18\nm,2,1,3,3,load,27\n";
    let (runs, _) = read_likwid(text, None).expect("in order");
    let proposal = &proposals(&runs)[0];
    assert_eq!((proposal.core_bandwidth_gbs, proposal.bandwidth_gbs), (Some(10.0), 18.0));
    assert!(read_likwid(text, Some("other")).is_err());
}

const STREAM: &str = "STREAM version $Revision: 5.10 $\nThis system uses 8 bytes per array element.\n\
                      Array size = 10000000 (elements), Offset = 0 (elements)\nNumber of Threads counted = 8\n\
                      Function    Best Rate MB/s  Avg time     Min time     Max time\n\
                      Copy:           22945.6     0.006989     0.006973     0.007011\n\
                      Triad:          25104.3     0.009577     0.009560     0.009598\n---\nSolution Validates: avg error\n";

#[test]
fn copy_and_triad_of_stream_are_figures_of_kernels_that_write() {
    let (runs, notes) = read_stream(&(STREAM.replace("25104.3", "24000.0") + STREAM)).expect("two runs");
    let text = csv(&runs, &notes).expect("memory");
    for line in [
        "# For a machine file, from Triad: bandwidth_gbs = 25.1043 (largest, 8 threads)\n",
        "# For a machine file, for applications with kernel = \"copy\": copy_gbs = 22.9456 (largest, 8 threads)\n",
        "# For a machine file, for applications with kernel = \"triad\": triad_gbs = 25.1043 (largest, 8 threads)\n",
        "# STREAM reads in no kernel alone: bandwidth_gbs, from its fastest one, is at least that",
    ] {
        assert!(text.contains(line), "{line} is missing in {text}");
    }
    assert!(!text.contains("update_gbs ="), "{text}");
    // What another tool measured becomes no such figure.
    assert_eq!(proposals(&read_likwid(LIKWID, None).expect("in order").0)[0].writing, []);
}

#[test]
fn stream_gives_its_best_rates() {
    let (runs, _) = read_stream(STREAM).expect("in order");
    assert_eq!((runs[0].kernel.as_str(), runs[0].threads, runs[0].bandwidth_gbs), ("Copy", Some(8), 22.9456));
    // 25.1043 GB/s x 2 FLOP / 24 bytes; three arrays of 10^7 words of 8 bytes
    assert!((runs[1].gflops.expect("computed") - 25.1043 / 12.0).abs() < 1e-12);
    assert_eq!(runs[1].size_bytes, Some(2.4e8));
    assert_eq!(read_stream(&STREAM.repeat(2)).expect("two runs").0.len(), 4);
}

#[test]
fn rates_of_a_wrong_result_do_not_count() {
    let wrong = STREAM.replace("Solution Validates", "Failed Validation on array a[]");
    assert!(read_stream(&wrong).is_err());
    let wrong = STREAM.replace("25104.3", "25104,3");
    let problem = read_stream(&wrong).expect_err("a decimal comma");
    assert!(marked(&wrong, &problem).starts_with("Triad:"));
    assert!(read_stream("Copy that\n").is_err());
}

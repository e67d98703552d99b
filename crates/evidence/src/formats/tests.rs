//! Complete and damaged output of the tools.

use numasim_study::Problem;

use super::matrix::{Given, Matrices, machine_file, read_mlc};
use super::runs::{csv, proposals, read_likwid};
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
fn both_matrices_are_found_inside_other_output() {
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
fn values_missing_in_a_matrix_are_left_open() {
    let text = file(&read_mlc(MLC, None).expect("in order"), Given::default());
    assert_eq!(text.matches("# cores = ?").count(), 2);
    assert_eq!(text.matches("# gflops_per_core = ?").count(), 2);
}

#[test]
fn a_node_without_a_row_is_memory_only_with_its_best_value_on_the_diagonal() {
    let text = "# MB/s\nfrom_node,to_mem0,to_cxl1\n0,99833.3,17594\n";
    let text = file(&read_mlc(text, None).expect("in order"), Given::default());
    assert!(text.contains("    [99.8333, 17.594],\n    [0.0, 17.594],\n"), "{text}");
    assert!(text.contains("[1][1] is the best figure of its column"), "{text}");
    assert!(text.contains("# node 1\ncores = 0 "), "{text}");
}

#[test]
fn a_damaged_matrix_is_rejected_with_its_line() {
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
fn one_of_several_tables_is_selected_by_name() {
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
fn a_csv_contains_its_unit() {
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
fn a_sweep_of_likwid_bench_gives_the_bandwidths_of_one_thread_and_of_all() {
    let (runs, notes) = read_likwid(LIKWID, None).expect("in order");
    let found: Vec<_> =
        runs.iter().map(|run| (run.kernel.as_str(), run.threads, run.bandwidth_gbs)).collect();
    assert_eq!(
        found,
        [("load", Some(1), 9.66809), ("load", Some(2), 19.84177), ("triad", Some(2), 34.72492)]
    );
    // Pure reads set the ceiling, although triad moves more.
    let proposal = &proposals(&runs).0[0];
    assert_eq!(
        (proposal.core_bandwidth_gbs, proposal.bandwidth_gbs, proposal.threads),
        (Some(9.66809), 19.84177, Some(2))
    );
    let text = csv(&runs, &notes).expect("memory");
    assert!(text.contains(",load,1,9.66809,0,,,,,200000000,1.5\n"), "{text}");
    assert!(text.contains("core_bandwidth_gbs = 9.66809; bandwidth_gbs = 19.84177"), "{text}");
}

#[test]
fn a_run_of_likwid_bench_without_a_result_is_rejected() {
    let cut = LIKWID.replace("MByte/s:\t\t34724.92\n", "");
    assert_eq!(marked(&cut, &read_likwid(&cut, None).expect_err("unfinished")), "Test: triad");
    let wrong = LIKWID.replace("19841.77", "nan");
    assert_eq!(marked(&wrong, &read_likwid(&wrong, None).expect_err("no number")), "MByte/s:\t\tnan");
    assert!(read_likwid("hello\n", None).is_err());
}

#[test]
fn a_curve_across_the_border_of_a_node_uses_the_values_inside_it() {
    let text = "machine_file,cores_per_numa_domain,smt_per_core_used,cores,threads,kernel,bw_GBs\n\
                m,2,1,1,1,load,10\nm,2,1,2,2,load,18\nm,2,1,3,3,load,27\n";
    let (runs, _) = read_likwid(text, None).expect("in order");
    let proposal = &proposals(&runs).0[0];
    assert_eq!((proposal.core_bandwidth_gbs, proposal.bandwidth_gbs), (Some(10.0), 18.0));
    assert!(read_likwid(text, Some("other")).is_err());
}

const STREAM: &str = "STREAM version $Revision: 5.10 $\nThis system uses 8 bytes per array element.\n\
                      Array size = 10000000 (elements), Offset = 0 (elements)\nNumber of Threads counted = 8\n\
                      Function    Best Rate MB/s  Avg time     Min time     Max time\n\
                      Copy:           22945.6     0.006989     0.006973     0.007011\n\
                      Triad:          25104.3     0.009577     0.009560     0.009598\n---\nSolution Validates: avg error\n";

#[test]
fn copy_and_triad_of_stream_are_bandwidths_of_write_kernels() {
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
    // Measurements of another tool give no such value.
    assert_eq!(proposals(&read_likwid(LIKWID, None).expect("in order").0).0[0].writing, []);
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
fn rates_of_a_failed_validation_do_not_count() {
    let wrong = STREAM.replace("Solution Validates", "Failed Validation on array a[]");
    assert!(read_stream(&wrong).is_err());
    let wrong = STREAM.replace("25104.3", "25104,3");
    let problem = read_stream(&wrong).expect_err("a decimal comma");
    assert!(marked(&wrong, &problem).starts_with("Triad:"));
    assert!(read_stream("Copy that\n").is_err());
}

#[test]
fn a_memory_without_values_does_not_exist_and_is_named() {
    for gap in ["-", "0", "0.0", "N/A"] {
        // Node 1 has cores and no memory.
        let text = MLC.replace("50923.4", gap).replace("113249.2", gap);
        let problem = read_mlc(&text, None).expect_err("a hole");
        assert_eq!(problem.message, "node 1 has no memory: its column has no values", "{gap}");
        assert!(problem.hint.expect("advice").contains("`memory_gib = 0` for node 1"));
        let problem = read_mlc(&MLC.replace("50923.4", gap), None).expect_err("a hole");
        assert_eq!(problem.message, format!("the value from node 0 to node 1 is '{gap}'"));
        let text = format!("# MB/s\nfrom_node,to_mem0,to_mem1\n0,5000,{gap}\n1,4000,{gap}\n");
        let problem = read_mlc(&text, None).expect_err("a hole");
        assert_eq!(
            (problem.message.as_str(), marked(&text, &problem)),
            ("node 1 has no memory: its column has no values", gap)
        );
    }
    let text = "file,metric,from_node,to_node,value\na,bw_MBs,0,0,1000\na,bw_MBs,0,1,\n";
    assert_eq!(
        read_mlc(text, None).expect_err("a hole").message,
        "node 1 has no memory: its column has no values"
    );
}

#[test]
fn other_parts_of_mlc_are_named() {
    for (begin, option) in [
        ("Measuring Peak Injection Memory Bandwidths for the system", "--peak_injection_bandwidth"),
        ("Measuring Loaded Latencies for the system", "--loaded_latency"),
        ("Measuring Maximal Memory Bandwidths for the system", "--max_bandwidth"),
    ] {
        let text = format!(
            "Intel(R) Memory Latency Checker - v3.11\nCommand line parameters: {option}\n\n{begin}\nALL Reads        :\t281000.2\n"
        );
        let problem = read_mlc(&text, None).expect_err("no matrix");
        assert_eq!(
            problem.message,
            format!("this is output of `mlc {option}`, which has no matrix of nodes")
        );
        assert_eq!(marked(&text, &problem), begin);
    }
}

/// A run of likwid-bench.
fn bench(kernel: &str, threads: u32, bytes: u64, mbs: &str) -> String {
    format!(
        "Test: {kernel}\nUsing {threads} threads\nTime:\t\t\t1.1e+00 sec\nSize (Byte):\t\t{bytes}\nMFlops/s:\t\t0.00\nMByte/s:\t\t{mbs}\n"
    )
}

#[test]
fn a_sweep_over_sizes_gives_the_bandwidth_of_memory_not_of_caches() {
    let sizes =
        [(16_000, "182345.1"), (128_000, "91234.5"), (8_000_000, "42345.6"), (1_000_000_000, "14234.5")];
    let ladder: String = sizes.iter().map(|(bytes, mbs)| bench("load_avx", 1, *bytes, mbs)).collect();
    let (runs, notes) = read_likwid(&ladder, None).expect("in order");
    let text = csv(&runs, &notes).expect("memory");
    assert!(
        text.contains(
            "# For a machine file, from load_avx: core_bandwidth_gbs = 14.2345; bandwidth_gbs = 14.2345"
        ),
        "{text}"
    );
    assert!(
        text.contains("# 3 of 4 runs say nothing of the memory of a node")
            && text.contains(",load_avx,1,182.3451,"),
        "{text}"
    );
    // Without memory there is no value.
    let caches: String = sizes[..3].iter().map(|(bytes, mbs)| bench("load_avx", 1, *bytes, mbs)).collect();
    let (runs, _) = read_likwid(&caches, None).expect("in order");
    let (found, why) = proposals(&runs);
    assert!(
        found.is_empty() && why[1].starts_with("no figure for a machine file: measure memory"),
        "{why:?}"
    );
    // One thread in its cache carries no information, eight in memory do; each thread has the same amount of
    // data.
    let both = bench("load", 1, 4_000_000, "60000")
        + &bench("load", 1, 300_000_000, "12000")
        + &bench("load", 8, 2_400_000_000, "80000");
    let found = proposals(&read_likwid(&both, None).expect("in order").0).0;
    assert_eq!((found[0].core_bandwidth_gbs, found[0].bandwidth_gbs), (Some(12.0), 80.0));
}

#[test]
fn compute_kernels_are_not_bandwidths_and_impossible_values_are_rejected() {
    let text =
        bench("peakflops_avx_fma", 4, 2_000_000_000, "900000") + &bench("copy", 4, 2_000_000_000, "30000");
    let (found, why) = proposals(&read_likwid(&text, None).expect("in order").0);
    assert_eq!((found[0].kernel.as_str(), found[0].bandwidth_gbs, why.len()), ("copy", 30.0, 1));
    let two = bench("load", 8, 2_000_000_000, "80000").replace("Using 8", "Using 2 work groups\nUsing 8");
    assert!(proposals(&read_likwid(&two, None).expect("in order").0).0.is_empty());
    // sum and ddot only read, like load.
    let text = bench("sum_sse", 2, 2_000_000_000, "20000") + &bench("copy", 2, 2_000_000_000, "30000");
    assert_eq!(proposals(&read_likwid(&text, None).expect("in order").0).0[0].bandwidth_gbs, 20.0);
    let wrong = bench("load", 1, 2_000_000_000, "3.3e15");
    let problem = read_likwid(&wrong, None).expect_err("too fast");
    assert_eq!(problem.message, "3.30e12 GB/s are more than any machine moves");
    assert_eq!(marked(&wrong, &problem), "MByte/s:\t\t3.3e15");
    let table = |gbs: &str| format!("machine_file,threads,kernel,bw_GBs\nm,1,load,{gbs}\n");
    assert_eq!(
        read_likwid(&table("0"), None).expect_err("zero").message,
        "`bw_GBs` is 0: nothing was measured"
    );
    assert!(read_likwid(&table("3.3e12"), None).expect_err("too fast").message.contains("any machine moves"));
    assert!(read_stream(&STREAM.replace("25104.3", "3.3e15")).is_err());
    assert!(read_mlc(&MLC.replace("50923.4", "3.3e15"), None).is_err());
    assert!(read_mlc("# MB/s\nfrom_node,to_mem0,to_mem1\n0,1,3.3e15\n", None).is_err());
}

#[test]
fn a_second_table_of_stream_does_not_inherit_the_threads_of_the_first() {
    // As on a page of documentation: 18 threads, then one thread, with only its table.
    let header = "Number of Threads counted = 18\n";
    let table = "Function    Best Rate MB/s  Avg time     Min time     Max time\n\
                 Copy:           89633.9     0.001952     0.001785     0.002350\n---\n";
    let threads = |text: &str| -> Vec<Option<u32>> {
        read_stream(text).expect("in order").0.iter().map(|run| run.threads).collect()
    };
    assert_eq!(threads(&format!("{header}{table}{table}")), [Some(18), None]);
    let one = header.replace("18", "1");
    assert_eq!(threads(&format!("{header}{table}{one}{table}")), [Some(18), Some(1)]);
}

#[test]
fn stream_of_floats_computes_twice_as_much_per_byte() {
    let float = "This system uses 4 bytes per array element.\nArray size = 400000000 (elements), Offset = 0 (elements)\n\
                 Function    Best Rate MB/s  Avg time     Min time     Max time\nScale: 120000.0 0.1 0.1 0.1\nAdd: 132000.0 0.1 0.1 0.1\nTriad: 132000.0 0.1 0.1 0.1\n";
    let (runs, _) = read_stream(float).expect("in order");
    // 120 / 8, 132 / 12, 132 x 2 / 12
    assert_eq!(runs.iter().map(|run| run.gflops).collect::<Vec<_>>(), [Some(15.0), Some(11.0), Some(22.0)]);
    assert_eq!(runs[0].size_bytes, Some(4.8e9));
}

#[test]
fn stream_in_fortran_and_of_several_processes_is_read() {
    let fortran = "STREAM Version $Revision: 5.6 $\n----\n Double precision appears to have 16 digits of accuracy\n Assuming  8 bytes per DOUBLE PRECISION word\n----\n\
                   STREAM Version $Revision: 5.6 $\n Array size =   20000000\n Offset     =          0\n Number of Threads =            4\n\
                   Function     Rate (MB/s)  Avg time   Min time  Max time\nCopy:       12345.6789   0.0130    0.0129   0.0131\n----\n Solution Validates!\n";
    let (runs, _) = read_stream(&fortran.repeat(2)).expect("in order");
    assert_eq!((runs.len(), runs[0].threads, runs[1].size_bytes), (2, Some(4), Some(4.8e8)));
    let mpi = "STREAM version $Revision: 1.8 $\nThis system uses 8 bytes per array element.\nTotal Aggregate Array size = 80000000 (elements)\n\
               Data is distributed across 4 MPI ranks\n   Array size per MPI rank = 20000000 (elements)\nNumber of Threads requested for each MPI rank = 8\n\
               Number of Threads counted for rank 0 = 8\nFunction    Best Rate MB/s  Avg time     Min time     Max time\nTriad: 100000.0 0.1 0.1 0.1\n";
    let (runs, _) = read_stream(mpi).expect("in order");
    assert_eq!((runs[0].threads, runs[0].size_bytes), (Some(32), Some(1.92e9)));
}

#[test]
fn babelstream_is_read_as_text_and_as_csv() {
    let text = "BabelStream\nVersion: 4.0\nImplementation: OpenMP\nRunning kernels 100 times\nPrecision: float\nArray size: 134.2 MB (=0.1 GB)\n\
                Total size: 402.7 MB (=0.4 GB)\nFunction    MBytes/sec  Min (sec)   Max         Average     \n\
                Copy        90000.000   0.00298     0.00301     0.00300     \nMul         88000.000   0.00305     0.00309     0.00307     \n\
                Triad       96000.000   0.00419     0.00425     0.00421     \nDot         98000.000   0.00274     0.00281     0.00277     \n";
    let (runs, notes) = read_stream(text).expect("in order");
    // Mul: 1 FLOP for 8 bytes; Triad: 2 for 12; Dot: 2 for 8
    assert_eq!(
        runs.iter().map(|run| run.gflops).collect::<Vec<_>>(),
        [Some(0.0), Some(11.0), Some(16.0), Some(24.5)]
    );
    assert!((runs[0].size_bytes.expect("a size") / 402.6e6 - 1.0).abs() < 1e-3, "{runs:?}");
    let written = csv(&runs, &notes).expect("memory");
    for line in [
        "# For a machine file, from Dot: bandwidth_gbs = 98.0\n",
        "triad_gbs = 96.0\n",
        "copy_gbs = 90.0\n",
        "# implementation: OpenMP\n",
    ] {
        assert!(written.contains(line), "{line}: {written}");
    }
    let table = "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\nTriad,100,33554432,8,96000.5,0.00419,0.00425,0.00421\n";
    let (runs, _) = read_stream(table).expect("in order");
    assert_eq!(
        (runs[0].bandwidth_gbs, runs[0].size_bytes, runs[0].time_s),
        (96.0005, Some(805_306_368.0), Some(0.00419))
    );
    // 1,000 MiB/s are 1.048576 GB/s; versions 5 and 6 have other tables and units.
    for (head, row) in [
        (
            "function,num_times,n_elements,sizeof,max_mibytes_per_sec,min_runtime,max_runtime,avg_runtime",
            "Copy,100,33554432,8,1000,0.1,0.1,0.1",
        ),
        (
            "phase,n_elements,sizeof,max_mbytes_per_sec,runtime\nInit,33554432,8,90000,0.01\nfunction,num_times,n_elements,sizeof,max_MiB_per_sec,min_runtime,max_runtime,avg_runtime",
            "Copy,100,33554432,8,1000,0.1,0.1,0.1",
        ),
        ("Function    MiB/s       Min (sec)   Max         Average", "Copy 1000 0.1 0.1 0.1"),
    ] {
        let (runs, _) = read_stream(&format!("{head}\n{row}\n")).expect(head);
        assert!(runs.len() == 1 && (runs[0].bandwidth_gbs - 1.048_576).abs() < 1e-12, "{head}");
    }
    let said = |text: &str| read_stream(text).expect_err("refused").message;
    assert_eq!(said(&text.replace("OpenMP", "CUDA")), "CUDA measures the memory of an accelerator");
    let device = text.replace("Function ", "Using alpaka device NVIDIA GeForce RTX 2060\nFunction ");
    assert_eq!(said(&device), "this ran on an accelerator, whose memory is no NUMA node");
    assert_eq!(said(&text.replace("96000.000", "inf")), "'inf' is not a positive number");
    assert_eq!(said(&text.replace("Triad", "Quad ")), "'Quad' is not a kernel of BabelStream");
    assert!(
        said(&(text.to_owned() + "Validation failed on a[]. Average error 0.1\n")).contains("wrong result")
    );
}

//! `numasim profile-app` as a user sees it: real output of perf and likwid-perfctr, pages of processes, and invalid input.

use std::fs;
use std::process::Output;

use numasim_ask::reading::read_study;
use numasim_course::Study;
use numasim_model::{Data, NodeId, Placement};
use numasim_study::SourceFile;

use crate::common::{self, repository};

fn run(args: &[&str]) -> Output {
    let mut command = common::numasim();
    command
        .arg("profile-app")
        .args(args)
        .current_dir(repository("tests/profile_app"))
        .output()
        .expect("the program starts")
}

/// The file and the messages.
fn profiled(args: &[&str]) -> (String, String) {
    let output = run(args);
    assert!(output.status.success(), "{output:?}");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

fn refused(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const MACHINE: &str = "[machine]\nname = 'm'\nnodes = 2\ncores_per_node = 8\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 10\n";

/// The study of the application on a machine with two nodes.
fn study(text: &str) -> Study {
    let source = SourceFile { name: "app.toml".to_owned(), text: format!("{MACHINE}{text}") };
    read_study(&[source]).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}")).study
}

#[test]
fn likwid_gives_the_intensity_of_all_threads() {
    let (text, said) = profiled(&["--likwid", "likwid-mem-dp-two-sockets.txt", "--name", "setup"]);
    let app = &study(&text).apps[0];
    // 736.7281 MFLOP/s over 1668.3804 MB/s
    assert!((app.arithmetic_intensity.value() - 0.441_583).abs() < 1e-6, "{text}");
    assert_eq!(app.name, "setup");
    assert!(said.contains("warning: memory controllers count for all programs of a socket"), "{said}");
    insta::assert_snapshot!("profile_app_likwid", text);
    let (csv, _) = profiled(&["--likwid", "likwid-mem-dp-two-sockets.csv", "--name", "setup"]);
    assert_eq!(csv.replace(".csv", ".txt"), text);
}

#[test]
fn rows_of_other_processors_and_statistics_alone_give_the_intensity() {
    for (file, threads) in [("likwid-broadwell-mem-dp.txt", true), ("likwid-statistics-only.txt", false)] {
        let (text, said) = profiled(&["--likwid", file, "--name", "x"]);
        // 3000 MFLOP/s over 12000 MB/s
        assert!(text.contains("# measured: MFLOP/s of group MEM_DP"), "{text}");
        assert!(text.contains("\narithmetic_intensity = 0.25\n"), "{text}");
        assert_eq!(said.contains("only statistics over hardware threads"), !threads, "{said}");
    }
}

#[test]
fn decimal_commas_of_perf_are_refused_with_the_command_that_helps() {
    insta::assert_snapshot!("profile_app_decimal_commas", refused(&["--perf", "perf-comma-decimals.csv"]));
}

#[test]
fn half_of_the_channels_gives_no_value_until_the_other_half_is_added() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = |name: &str, row: &str, value: u32| {
        let path = folder.path().join(name);
        let text = format!(
            "CPU type:\tAMD K19 (Zen3) architecture\nGroup 1: {name}\n| Metric | HWThread 0 |\n| Runtime (RDTSC) [s] | 2.0 |\n| {row} | {value} |\n"
        );
        fs::write(&path, text).expect("a file for the test");
        path.display().to_string()
    };
    let flops = file("FLOPS_DP", "DP [MFLOP/s]", 3000);
    let first = file("MEM1", "Memory bandwidth (channels 0-3) [MBytes/s]", 5000);
    let second = file("MEM2", "Memory bandwidth (channels 4-7) [MBytes/s]", 7000);
    let (text, said) = profiled(&["--likwid", &flops, &first, &second, "--name", "x"]);
    assert!(text.contains("\narithmetic_intensity = 0.25\n") && said.contains("(NPS1)"), "{text}{said}");
    let said = refused(&["--likwid", &flops, &first]);
    assert!(said.contains("memory was counted for channels 0-3 only"), "{said}");
}

#[test]
fn flop_and_bytes_of_two_files_of_perf_are_one_run() {
    let (text, _) = profiled(&["--perf", "perf-multiplexed.txt", "perf-imc-cascadelake.txt"]);
    // 1,387,390,221 FLOP in 0.271687915 s; 772.97 MiB in 1.00190001 s: 219,791,... bytes in that time.
    let expected = 1_387_390_221.0 / (772.97 * 1_048_576.0 * 0.271_687_915 / 1.001_900_01);
    assert!((study(&text).apps[0].arithmetic_intensity.value() / expected - 1.0).abs() < 1e-5, "{text}");
    assert!(text.contains("ran for 35.4 % of the time"), "{text}");
    insta::assert_snapshot!("profile_app_perf", text);
}

#[test]
fn empty_counts_are_refused_and_a_given_intensity_is_marked() {
    let said = refused(&["--perf", "perf-no-pmu.csv"]);
    insta::assert_snapshot!("profile_app_not_counted", said);
    let (text, _) = profiled(&["--perf", "perf-no-pmu.csv", "--arithmetic-intensity", "0.25"]);
    assert!(text.contains("# given: --arithmetic-intensity\narithmetic_intensity = 0.25\n"), "{text}");
    let said = refused(&["--likwid", "likwid-mem-dp-two-sockets.txt", "--arithmetic-intensity", "1"]);
    assert!(said.contains("--arithmetic-intensity is 1, and the counters say 0.4416"), "{said}");
}

#[test]
fn work_of_another_kind_becomes_a_rate() {
    let one = ["--perf", "perf-threads-1.csv", "--work", "800000"];
    let (text, _) = profiled(&[&one[..], &["--unit", "queries", "--threads", "1"]].concat());
    let app = &study(&text).apps[0];
    // 160 GB in 10.02 s, of one thread.
    assert_eq!(app.rate_unit.as_deref(), Some("queries/s"), "{text}");
    assert!((app.arithmetic_intensity.value() / 5000.0 - 1.0).abs() < 1e-5, "{text}");
    assert!(text.contains("\nthread_gbs = 15.9681\n") && !text.contains("arithmetic_intensity"), "{text}");
    let more = ["--perf", "perf-threads-4.csv", "--threads", "4", "--work", "800000", "--unit", "queries/s"];
    let (text, _) = profiled(&more);
    assert!(text.contains("of 4 threads over their time, for each of them\nthread_gbs = "), "{text}");
    assert_eq!(study(&text).apps[0].rate_unit.as_deref(), Some("queries/s"), "{text}");

    let said = refused(&[&one[..], &["--unit", "queries"]].concat());
    assert!(said.contains("no run says its threads and its time") && said.contains("--threads N"), "{said}");
    let said = refused(&["--perf", "perf-no-pmu.csv", "--threads", "1", "--work", "8", "--unit", "queries"]);
    assert!(said.contains("--work needs the bytes that it moved"), "{said}");
    for (wrong, why) in [
        (&one[..], "--unit <NAME>"),
        (&["--perf", "perf-threads-1.csv", "--unit", "queries"], "--work <X>"),
        (&["--work", "0", "--unit", "queries"], "above zero"),
        (&["--work", "8", "--unit", "queries", "--arithmetic-intensity", "1"], "cannot be used with"),
    ] {
        let output = run(wrong);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.contains(why)), (Some(2), true), "{said}");
    }
}

#[test]
fn two_runs_with_other_threads_reveal_the_data_placement() {
    let one = [
        "--arithmetic-intensity",
        "0.25",
        "--numa-maps",
        "numa_maps-threads-8-0.txt",
        "--threads-per-node",
        "8,0",
    ];
    let (text, said) = profiled(&one);
    assert!(text.contains("# data is not determined: "), "{text}");
    assert!(said.contains("a second --numa-maps of a run with its threads on other nodes"), "{said}");
    insta::assert_snapshot!("profile_app_one_look", text);
    let two = [&one[..], &["--numa-maps", "numa_maps-threads-4-4.txt", "--threads-per-node", "4,4"]].concat();
    let (text, said) = profiled(&two);
    // With 4 threads on each node 1 GiB is local to them and half a GiB is on node 0: a third has its home there.
    let Data::Placed(Placement::PartHome { home, share }) = study(&text).apps[0].data else {
        panic!("{text}")
    };
    assert_eq!(home, NodeId(0));
    assert!((share - 1.0 / 3.0).abs() < 0.002, "{text}");
    assert_eq!(said, "");
    insta::assert_snapshot!("profile_app_two_looks", text);
}

#[test]
fn speeds_at_several_thread_counts_give_the_scaling() {
    let files = ["--perf", "perf-threads-1.csv", "perf-threads-2.csv", "perf-threads-4.csv"];
    let (text, said) = profiled(&[&files[..], &["--threads", "1,2,4"]].concat());
    // 10.02, 6.01 and 4.03 s: 2 s serial and 8 s shared, but for 0.5 %.
    assert!(text.contains("scaling = { serial_fraction = 0.20"), "{text}");
    assert!(said.contains("warning: the scaling is that of whole runs"), "{said}");
    insta::assert_snapshot!("profile_app_scaling", text);
    study(&text);
    let said = refused(&[&files[..], &["--threads", "1,2"]].concat());
    assert!(said.contains("--threads has 2 numbers, --perf 3 files"), "{said}");
}

#[test]
fn runs_on_one_node_and_on_several_give_the_cost_of_nodes() {
    let files = ["--perf", "perf-threads-1.csv", "perf-threads-2.csv", "perf-threads-4.csv"];
    let (text, _) = profiled(&[&files[..], &["--threads", "1,2,4", "--nodes", "1,2,4"]].concat());
    let app = &study(&text).apps[0];
    // 10.02, 6.01 and 4.03 s: 83.36 and 62.16 % of two and four nodes apart, a. With L = log2 of the nodes the sum of L a (1 - a) over that
    // of (L a)^2 is 0.6091 / 2.2404.
    assert!((app.node_overhead - 0.2719).abs() < 2e-4, "{text}");
    assert!(!text.contains("scaling"), "{text}");
    // 160 GB in 10.02 s by one thread.
    assert!((app.thread_gbs.expect("of one thread").value() - 15.97).abs() < 0.01, "{text}");
    let said = refused(&[&files[..], &["--threads", "1,2,4", "--nodes", "1,2"]].concat());
    assert!(said.contains("--nodes has 2 numbers, --perf 3 files"), "{said}");
}

#[test]
fn a_result_of_bench_gives_intensity_and_data_with_its_interval() {
    let csv = "../../results/2026-11-21-2-core-vm-model-versus-real/measured.csv";
    let said = refused(&[csv]);
    assert!(said.contains("choose one with --app: "), "{said}");
    let (text, _) = profiled(&[csv, "--app", "AI 1/8-1"]);
    assert!((study(&text).apps[0].arithmetic_intensity.value() - 0.125).abs() < 1e-4, "{text}");
    assert!(
        text.contains("# estimated: GFLOPS over GB/s that the kernel counted; median of 40 runs"),
        "{text}"
    );
    assert!(
        text.contains("95 % interval") && text.contains("with one node all placements are the same"),
        "{text}"
    );
}

#[test]
fn the_machine_defines_the_nodes() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let machine = folder.path().join("machine.toml").display().to_string();
    fs::write(&machine, MACHINE).expect("a file for the test");
    let looks =
        ["--numa-maps", "numa_maps-shm-two-nodes.txt", "--arithmetic-intensity", "1", "--machine", &machine];
    let app = folder.path().join("app.toml").display().to_string();
    let output = run(&[&looks[..], &["--threads-per-node", "1,0", "-o", &app]].concat());
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let mut check = common::numasim();
    let checked = check.args(["check", &machine, &app]).output().expect("the program starts");
    assert!(checked.status.success(), "{checked:?}");
    let said = refused(&[&looks[..], &["--threads-per-node", "1,0,0"]].concat());
    assert!(said.contains("--threads-per-node has 3 numbers, and there are 2 nodes"), "{said}");
    let said = refused(&[
        "--numa-maps",
        "numa_maps-kernel-doc.txt",
        "--arithmetic-intensity",
        "1",
        "--machine",
        &machine,
    ]);
    assert!(said.contains("there is data on NUMA node 3, and the nodes of the machine are 0, 1"), "{said}");
}

/// 1,000,000 pages of a file, 200,000 of them on node 0, 5003 of memory there, and 300 of libc.
#[test]
fn mapped_files_are_data_and_the_file_lists_what_was_left_out() {
    let args = ["--threads-per-node", "2,2", "--arithmetic-intensity", "0.2"];
    let (text, said) = profiled(&[&["--numa-maps", "numa_maps-mapped-data.txt"], &args[..]].concat());
    assert!(text.contains("memory_gib = 3.83378\n"), "{text}");
    assert!(
        text.contains(
            "# measured: resident data: 0.01908 GiB of anonymous and shared memory, 3.815 GiB of mapped files \
             (the largest is /data/model.bin); left out: 0.001144 GiB of programs and libraries \
             (the largest is /usr/lib/libc.so.6), 0.0 % of all resident pages\n"
        ),
        "{text}"
    );
    assert!(text.contains("nodes 0: 20.4 %, 1: 79.6 %"), "{text}");
    assert_eq!(said, "");
    // 2600 of 5100 pages on node 0, with policy flags.
    let (text, _) = profiled(&[&["--numa-maps", "numa_maps-policy-flags.txt"], &args[..]].concat());
    assert!(text.contains("nodes 0: 51.0 %, 1: 49.0 %"), "{text}");
    // Nearly all pages are code: the file reports that.
    let (_, said) = profiled(&["--numa-maps", "numa_maps-kernel-doc.txt", "--arithmetic-intensity", "1"]);
    assert!(
        said.contains("% of the resident pages are of programs and libraries, the largest of which is /lib64/libc-2.12.so"),
        "{said}"
    );
}

#[test]
fn mistakes_in_a_file_are_shown_at_their_place() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("torn.csv").display().to_string();
    let text = fs::read_to_string(repository("tests/profile_app/perf-imc-per-node.csv")).expect("a sample");
    fs::write(&file, text.replace("N1,1,293.57,MiB,", "N1,1,")).expect("a file for the test");
    let said = refused(&["--perf", &file]);
    assert!(said.contains("torn.csv:3:1") && said.contains("is no line of `perf stat -x,`"), "{said}");
    for (option, what) in [("--perf", "perf stat"), ("--likwid", "likwid-perfctr")] {
        let said = refused(&[option, "README.md"]);
        assert!(
            said.contains(&format!("this is not output of {what}"))
                && said.contains("hint: give the output of"),
            "{said}"
        );
    }
    assert_eq!(run(&[]).status.code(), Some(2), "a source is needed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_of_this_host_is_inspected() {
    let pid = std::process::id().to_string();
    if !std::path::Path::new("/proc/self/numa_maps").exists() {
        let said = refused(&["--pid", &pid, "--arithmetic-intensity", "1"]);
        assert!(said.contains("this system does not tell where pages lie"), "{said}");
        return;
    }
    let (text, said) = profiled(&["--pid", &pid, "--arithmetic-intensity", "1"]);
    assert!(text.contains("memory_gib = ") && text.contains(&format!("# From process {pid} (")), "{text}");
    assert!(said.contains("threads have worked, and count"), "{said}");
    let said = refused(&["--pid", "4294967295", "--arithmetic-intensity", "1"]);
    assert!(said.contains("there is no process 4294967295"), "{said}");
    let said = refused(&["--pid", &pid]);
    assert!(said.contains("the arithmetic intensity is not known"), "{said}");
}

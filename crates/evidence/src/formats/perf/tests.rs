//! Real output of perf stat, and invalid output.

use super::*;

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/profile_app/", $name))
    };
}

fn read(text: &str) -> Run {
    read_perf(text).unwrap_or_else(|problem| panic!("{}", problem.message))
}

fn flop(run: &Run) -> f64 {
    run.flop.as_ref().expect("FLOP").value
}

fn bytes(run: &Run) -> (f64, Kind) {
    let bytes = run.bytes.as_ref().expect("bytes");
    (bytes.value, bytes.kind)
}

#[test]
fn instructions_count_with_their_width() {
    let run = read(sample!("perf-suanpan-i7-1185g7.txt"));
    // 2 x 17,075,053 + 4 x 3,849,289 + 8 x 563,539,901,688 + 122,202,329: 4.508e12, "roughly 114 GFLOPS" in 39.4 s.
    assert_eq!(flop(&run), 34_150_106.0 + 15_397_156.0 + 4_508_319_213_504.0 + 122_202_329.0);
    assert_eq!(run.seconds, Some(39.428_329_959));
    assert!((run.speed().expect("FLOP and time").0 - 114.35).abs() < 0.01);
    assert_eq!((run.bytes, run.threads), (None, None));
    assert_eq!(run.doubts.len(), 1, "{:?}", run.doubts);
    assert!(
        run.doubts[0].contains("scalar_single, 128b_packed_single, 256b_packed_single, 512b_packed_single")
    );
}

#[test]
fn scaled_counts_give_a_warning() {
    let run = read(sample!("perf-multiplexed.txt"));
    assert_eq!(flop(&run), 1_387_370_232.0 + 19_989.0);
    assert!(run.doubts.iter().any(|doubt| doubt.contains("ran for 35.4 % of the time")), "{:?}", run.doubts);
    let run = read(sample!("perf-intervals-cgroup.csv"));
    assert_eq!((flop(&run), run.seconds), (6_335_375.0, Some(1.002_481_419)));
    assert!(run.doubts.iter().any(|doubt| doubt.contains("ran for 32.5 % of the time")), "{:?}", run.doubts);
}

#[test]
fn memory_controllers_count_in_mebibytes() {
    let run = read(sample!("perf-imc-cascadelake.txt"));
    let mib = f64::from(1 << 20);
    assert_eq!(bytes(&run), ((767.95 * mib) + 5.02 * mib, Kind::Measured));
    assert_eq!(run.seconds, Some(1.001_900_01));
    let run = read(sample!("perf-imc-per-node.csv"));
    // 199.87 + 89.92 + 293.57 + 226.15 = 809.51 MiB of both nodes
    assert!((bytes(&run).0 - 809.51 * mib).abs() < 1.0);
    assert_eq!(run.seconds, None);
}

#[test]
fn a_machine_without_counters_is_reported_in_every_form() {
    for text in [sample!("perf-no-pmu.csv"), sample!("perf-no-pmu.txt"), sample!("perf-no-pmu.json")] {
        let run = read(text);
        assert_eq!((&run.flop, &run.bytes), (&None, &None));
        assert_eq!(run.doubts, ["`LLC-load-misses` was not supported"]);
        assert!((run.seconds.expect("a time") - 0.2013).abs() < 0.001, "{:?}", run.seconds);
    }
    for text in [sample!("perf-repeated.csv"), sample!("perf-repeated.txt")] {
        assert!((read(text).seconds.expect("a time") - 0.1015).abs() < 0.0001);
    }
}

#[test]
fn misses_of_the_last_cache_are_an_estimate() {
    let run = read(
        "1000,,LLC-load-misses,1,100.00,,\n500,,LLC-store-misses,1,100.00,,\n4000,,fp_ret_sse_avx_ops.all,1,100.00,,\n",
    );
    assert_eq!(bytes(&run), (96_000.0, Kind::Estimated));
    assert_eq!(run.intensity(), Some(4000.0 / 96_000.0));
    assert_eq!(run.doubts.len(), 1, "{:?}", run.doubts);
}

#[test]
fn the_same_flop_and_bytes_are_not_counted_twice() {
    let run = read(
        "10,,fp_arith_inst_retired.scalar,1,100.00,,\n7,,fp_arith_inst_retired.scalar_double:u,1,100.00,,\n\
         2,,fp_arith_inst_retired.4_flops,1,100.00,,\n3,,unc_m_cas_count.all,1,100.00,,\n\
         1,,unc_m_cas_count.rd,1,100.00,,\n2,,unc_m_cas_count.wr,1,100.00,,\n\
         9,MiB,uncore_imc_free_running/data_total/,1,100.00,,\n",
    );
    // 10 of both precisions, including the 7, + 2 x 4; (1 + 2) lines of 64 B
    assert_eq!((flop(&run), bytes(&run).0), (18.0, 192.0));
}

#[test]
fn separators_and_logical_cpus_are_recognised() {
    let run = read(
        "CPU0;5;;fp_arith_inst_retired.scalar_double;1;100.00;;\nCPU1;6;;fp_arith_inst_retired.scalar_double;1;100.00;;\n",
    );
    assert_eq!(flop(&run), 11.0);
    let run = read("S0-D0-C0              2      1,234      fp_arith_inst_retired.scalar_double\n");
    assert_eq!(flop(&run), 1234.0);
    // Intervals are added; the last time stamp is the elapsed time.
    let run =
        read("1.0  1,024.5 MiB  uncore_imc/cas_count_read/\n2.5  1.5 MiB  uncore_imc/cas_count_read/\n");
    assert_eq!((bytes(&run).0, run.seconds), (1026.0 * f64::from(1 << 20), Some(2.5)));
    assert!(run.doubts.iter().any(|doubt| doubt.contains("writes are missing")));
}

#[test]
fn invalid_output_is_shown_with_its_line() {
    let twice = [sample!("perf-no-pmu.txt"), sample!("perf-no-pmu.txt")].concat();
    for (text, said) in [
        ("", "the file is empty"),
        ("hello\n", "this is not output of perf stat"),
        ("1,,cycles,1,100.00,,\nhello, world\n", "'hello, world' is no line of `perf stat -x,`"),
        (twice.as_str(), "a second run of perf stat begins here"),
        ("5,furlongs,uncore_imc/cas_count_read/,1,100.00,,\n", "this is not output of perf stat"),
        (
            "{\"event\": \"cycles\"}\n",
            "this object has neither `event` with `counter-value` nor `metric-value`",
        ),
        ("{\"event\n", "this is no JSON object: EOF while parsing a string at line 1 column 7"),
        (
            " Performance counter stats for 'x':\n\n  1.234.567  cycles\n",
            "'1.234.567' has a decimal comma or the separators of another language: its value is not certain",
        ),
        ("5,Joules,uncore_imc/cas_count_read/,1,100.00,,\n", "'Joules' is no unit that is known here"),
    ] {
        assert_eq!(read_perf(text).expect_err("refused").message, said, "{text}");
    }
}

fn refused(text: &str) -> (String, String) {
    let problem = read_perf(text).expect_err(text);
    (problem.message, problem.hint.unwrap_or_default())
}

#[test]
fn decimal_commas_and_foreign_separators_are_rejected_in_every_form() {
    let csv = "20,50,MiB,uncore_imc/cas_count_read/,1001102293,100,00,,\n";
    for (text, word) in [
        (csv, "20,50"),
        // Whole counts are unambiguous, but the percentage reveals the language.
        ("16000000,,fp_arith_inst_retired.scalar_double,1204272,100,00,,\n", "100,00"),
        ("160,,cycles,0,11%,1204272,99,98,,\n", "99,98"),
        ("S0,8,20,50,MiB,uncore_imc/cas_count_read/,10,100.00,,\n", "20,50"),
        ("CPU3,20,50,MiB,uncore_imc/cas_count_read/,10,100.00,,\n", "20,50"),
        ("     1.001102293,20,50,MiB,uncore_imc/cas_count_read/,10,100.00,,\n", "20,50"),
        ("1.001102293,N1,8,20,50,MiB,uncore_imc/cas_count_read/,10,100.00,,\n", "20,50"),
        ("1,234,567,,cycles,10,100.00,,\n", "234,567"),
        ("20,50;MiB;uncore_imc/cas_count_read/;1001102293;100,00;;\n", "20,50"),
        ("1.234.567;;cycles;1001102293;100.00;;\n", "1.234.567"),
        ("5;;cycles;1001102293;35,40;;\n", "35,40"),
        ("{\"counter-value\" : \"20,500000\", \"unit\" : \"MiB\", \"event\" : \"x\"}\n", "20,500000"),
        (
            "{\"counter-value\" : \"20\", \"event\" : \"x\", \"pcnt-running\" : 100,00, \"metric-value\" : 0}\n",
            "100,00",
        ),
        ("  1.234.567,89 MiB  uncore_imc/cas_count_read/\n", "1.234.567,89"),
        ("     27,01 MiB  uncore_imc/cas_count_read/\n", "27,01"),
        ("  1 234 567      cycles\n", "1 234"),
        ("  12 345,67 MiB  uncore_imc/cas_count_read/\n", "345,67"),
        ("  12\u{202f}345,67 MiB  uncore_imc/cas_count_read/\n", "12\u{202f}345,67"),
        (
            " Performance counter stats for 'x':\n\n  1.234  cycles\n\n  39,428329959 seconds time elapsed\n",
            "1.234",
        ),
        (
            " Performance counter stats for 'x':\n\n  5  cycles\n\n  39,428329959 seconds time elapsed\n",
            "39,428329959",
        ),
        (" Performance counter stats for 'x':\n\n  5  cycles  # 0,80 GHz\n", "0,80"),
        (" Performance counter stats for 'x':\n\n  5  cycles  (35,40%)\n", "35,40"),
    ] {
        let (message, hint) = refused(text);
        assert!(message.starts_with(&format!("'{word}' has a decimal comma")), "{text}: {message}");
        assert!(hint.contains("LC_ALL=C perf stat"), "{hint}");
    }
}

#[test]
fn an_invalid_count_is_named() {
    for (text, what) in [
        ("nan,,cycles,10,100.00,,\n", "the count of `cycles` is 'nan', not a number of 0 or more"),
        (
            "-5,MiB,uncore_imc/cas_count_read/,10,100.00,,\n",
            "the count of `uncore_imc/cas_count_read/` is '-5', not a number of 0 or more",
        ),
        (
            ",MiB,uncore_imc/cas_count_read/,10,100.00,,\n",
            "the count of `uncore_imc/cas_count_read/` is empty, not a number of 0 or more",
        ),
        (
            "{\"counter-value\" : \"inf\", \"event\" : \"cycles\"}\n",
            "the count of `cycles` is 'inf', not a number of 0 or more",
        ),
        (
            "{\"counter-value\" : -5, \"event\" : \"cycles\"}\n",
            "the count of `cycles` is '-5', not a number of 0 or more",
        ),
        // 3.3e15 MiB in a second
        (
            "1.0,3.3e15,MiB,uncore_imc/cas_count_read/,10,100.00,,\n",
            "3.46e12 GB/s are more than any machine moves",
        ),
        (
            "1.0,1e20,,fp_arith_inst_retired.scalar_double,10,100.00,,\n",
            "1.00e11 GFLOPS are more than any machine computes",
        ),
    ] {
        assert_eq!(refused(text).0, what, "{text}");
    }
}

#[test]
fn intervals_of_sockets_are_read() {
    let run = read(
        "1.000000001,S0,8,20.50,MiB,uncore_imc/cas_count_read/,10,100.00,,\n1.000000001,S1,8,9.50,MiB,uncore_imc/cas_count_write/,10,100.00,,\n\
         2.000000001,S0,8,2.00,MiB,uncore_imc/cas_count_read/,10,100.00,,\n2.000000001,,,,,,,0.35,metric\n",
    );
    assert_eq!((bytes(&run).0, run.seconds), (32.0 * f64::from(1 << 20), Some(2.000_000_001)));
    let run =
        read("     1.000000001 S0        8              1,234      fp_arith_inst_retired.scalar_double\n");
    assert_eq!((flop(&run), run.seconds), (1234.0, Some(1.000_000_001)));
    let run = read(
        "solver-4711,7,,fp_arith_inst_retired.scalar_double,10,100.00,,\n8,,cpu/event=0xc7,umask=0x2/,10,99.00,,\n",
    );
    assert_eq!(flop(&run), 7.0);
    assert!(
        run.doubts.iter().any(|doubt| doubt.contains("`cpu/event=0xc7,umask=0x2/` counts computing")),
        "{run:?}"
    );
}

#[test]
fn half_precision_is_counted_and_events_that_do_not_count_flop_are_named() {
    let event = |value: u32, name: &str| format!("{value},,{name},10,100.00,,\n");
    let half = [
        event(3, "fp_arith_inst_retired2.scalar_half"),
        event(5, "fp_arith_inst_retired2.128b_packed_half"),
        event(7, "fp_arith_inst_retired2.512b_packed_half"),
        event(9, "amx_ops_retired.bf16"),
        event(0, "amx_ops_retired.int8"),
    ]
    .concat();
    let run = read(&half);
    // 3 + 5 x 8 + 7 x 32
    assert_eq!(flop(&run), 267.0);
    let said = run.doubts.join("\n");
    assert!(
        said.contains("`amx_ops_retired.bf16` counts computing, but not in FLOP") && !said.contains("int8"),
        "{said}"
    );
    assert!(
        said.contains("fp_arith_inst_retired2 was not counted for complex_scalar_half, 256b_packed_half"),
        "{said}"
    );
    // AMD: FLOP of all operations, so neither its parts nor operations by type are missing.
    let amd = [
        event(100, "fp_ret_sse_avx_ops.all"),
        event(60, "fp_ret_sse_avx_ops.mac_flops"),
        event(80, "fp_ops_retired_by_type.vector_all"),
    ]
    .concat();
    let run = read(&amd);
    assert_eq!((flop(&run), run.doubts.len()), (100.0, 0), "{:?}", run.doubts);
    let run = read(&event(80, "fp_ops_retired_by_type.vector_all"));
    assert_eq!((run.flop, run.doubts.len()), (None, 1));
    // On another processor the same event is missing.
    let run = read(
        "CPU0,5,,fp_ret_sse_avx_ops.all,10,100.00,,\nCPU1,<not counted>,,fp_ret_sse_avx_ops.all,0,100.00,,\n",
    );
    assert_eq!(run.doubts, ["`fp_ret_sse_avx_ops.all` was not counted: its FLOP are missing"]);
    // ARM: 40 for vectors of 128 bits and scalars, 50 for scalable ones.
    let arm = [event(40, "fp_fixed_ops_spec"), event(50, "fp_scale_ops_spec"), event(9, "vfp_spec")].concat();
    let run = read(&arm);
    assert_eq!((flop(&run), run.doubts.len()), (90.0, 1), "{:?}", run.doubts);
    assert!(run.doubts[0].contains("SVE vector"));
}

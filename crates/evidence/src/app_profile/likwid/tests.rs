//! Real output of likwid-perfctr, and what is none.

use super::*;

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/profile_app/", $name))
    };
}

fn read(text: &str, region: Option<&str>) -> Vec<Run> {
    read_likwid(text, region).unwrap_or_else(|problem| panic!("{}: {:?}", problem.message, problem.hint))
}

#[test]
fn the_intensity_is_that_of_the_sums_not_the_sum_of_intensities() {
    for text in [sample!("likwid-mem-dp-two-sockets.txt"), sample!("likwid-mem-dp-two-sockets.csv")] {
        let runs = read(text, None);
        // 736.7281 MFLOP/s over 1668.3804 MB/s; the STAT row says 1.4050.
        assert!((runs[0].intensity().expect("both") - 736.7281 / 1668.3804).abs() < 1e-6, "{runs:?}");
        assert_eq!((runs.len(), runs[0].threads, runs[0].seconds), (1, Some(2), Some(2.9771)));
        assert!((runs[0].speed().expect("both").0 - 0.736_728_1).abs() < 1e-9);
    }
}

#[test]
fn counters_that_were_not_counted_are_named() {
    let runs = read(sample!("likwid-mem-dp-no-uncore.txt"), None);
    assert_eq!(runs[0].intensity(), None);
    assert!(
        runs[0].doubts.iter().any(|doubt| doubt.starts_with("not counted: DRAM_READS, DRAM_WRITES")),
        "{runs:?}"
    );
}

#[test]
fn flop_of_one_group_and_bytes_of_another_are_one_run() {
    let table = |group: &str, metric: &str, value: f64| {
        format!(
            "Group 1: {group}\n|  Metric  | HWThread 0 |\n| Runtime (RDTSC) [s] | 2.0 |\n| {metric} | {value} |\n"
        )
    };
    let flops = read(&table("FLOPS_DP", "DP [MFLOP/s]", 500.0), None);
    let memory = read(&table("MEM", "Memory bandwidth [MBytes/s]", 1000.0), None);
    let runs = joined([flops, memory].concat());
    assert_eq!((runs.len(), runs[0].intensity()), (1, Some(0.5)));
}

#[test]
fn one_of_several_regions_is_chosen() {
    let text = sample!("likwid-mem-dp-two-sockets.txt");
    let two =
        format!("{text}{}", text.replace("Region Setup", "Region Solve").replace("375.9641", "1375.9641"));
    let problem = read_likwid(&two, None).expect_err("two regions");
    assert_eq!(problem.message, "this output has 2 regions");
    assert_eq!(problem.hint.as_deref(), Some("choose one with --region: Setup, Solve"));
    let flop = |region: &str| read(&two, Some(region))[0].flop.as_ref().expect("FLOP").value;
    assert!(flop("Solve") > flop("Setup"));
    assert!(read_likwid(&two, Some("x")).is_err());
}

#[test]
fn what_is_no_output_of_likwid_is_shown_with_its_line() {
    let text = sample!("likwid-mem-dp-two-sockets.txt");
    let twice = [text, text].concat();
    let torn = text.replace(
        "|            DP [MFLOP/s]           |  375.9641 |  360.7640 |",
        "|            DP [MFLOP/s]           |  375.9641 |",
    );
    let word = text.replace("375.9641", "fast");
    for (text, said) in [
        ("", "the file is empty"),
        ("Function    Best Rate MB/s\n", "this is not output of likwid-perfctr"),
        (twice.as_str(), "a second run of likwid-perfctr begins here"),
        (torn.as_str(), "this row has 1 values, its table 2 hardware threads"),
        (word.as_str(), "'fast' is not a figure of `DP [MFLOP/s]`"),
        ("Group 1: CLOCK\n| Metric | Core 0 |\n| CPI | 1 |\n", "CLOCK has neither FLOP nor memory traffic"),
        ("TABLE,Something,MEM\n", "this is no title of a table of likwid-perfctr"),
    ] {
        assert_eq!(read_likwid(text, None).expect_err("refused").message, said);
    }
}

#[test]
fn flop_rates_are_those_of_the_counted_instructions() {
    let runs = read(sample!("likwid-flops-dp-julia.txt"), None);
    // 8 x 26,624,000 + 1,572 FLOP, of which likwid prints 342.8031 MFLOP/s over 0.6213 s.
    let flop = runs[0].flop.as_ref().expect("FLOP").value;
    assert!((flop / 212_993_572.0 - 1.0).abs() < 1e-4, "{flop}");
    assert_eq!((&runs[0].bytes, runs[0].intensity()), (&None, None));
    assert_eq!(read(sample!("likwid-flops-dp-julia.txt"), Some("matmul")), runs);
}

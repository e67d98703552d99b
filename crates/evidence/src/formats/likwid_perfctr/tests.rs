//! Real output of likwid-perfctr, and invalid output.

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
fn the_intensity_is_the_ratio_of_the_sums_not_the_sum_of_ratios() {
    for text in [sample!("likwid-mem-dp-two-sockets.txt"), sample!("likwid-mem-dp-two-sockets.csv")] {
        let runs = read(text, None);
        // 736.7281 MFLOP/s over 1668.3804 MB/s; the STAT row prints 1.4050.
        assert!((runs[0].intensity().expect("both") - 736.7281 / 1668.3804).abs() < 1e-6, "{runs:?}");
        assert_eq!((runs.len(), runs[0].threads, runs[0].seconds), (1, Some(2), Some(2.9771)));
        assert!((runs[0].speed().expect("both").0 - 0.736_728_1).abs() < 1e-9);
    }
}

#[test]
fn missing_counters_are_named() {
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
fn one_of_several_regions_can_be_selected() {
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
fn invalid_output_is_shown_with_its_line() {
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
fn flop_rates_match_the_counted_instructions() {
    let runs = read(sample!("likwid-flops-dp-julia.txt"), None);
    // 8 x 26,624,000 + 1,572 FLOP, for which likwid prints 342.8031 MFLOP/s over 0.6213 s.
    let flop = runs[0].flop.as_ref().expect("FLOP").value;
    assert!((flop / 212_993_572.0 - 1.0).abs() < 1e-4, "{flop}");
    assert_eq!((&runs[0].bytes, runs[0].intensity()), (&None, None));
    assert_eq!(read(sample!("likwid-flops-dp-julia.txt"), Some("matmul")), runs);
}

/// A table of two hardware threads, 2 s each.
fn group(cpu: &str, name: &str, rows: &[(&str, &str)]) -> String {
    let rows: Vec<String> = rows.iter().map(|(row, values)| format!("| {row} | {values} |\n")).collect();
    let rows = rows.concat();
    format!(
        "CPU name:\t{cpu}\nCPU type:\t{cpu}\nGroup 1: {name}\n| Metric | HWThread 0 | HWThread 1 |\n| Runtime (RDTSC) [s] | 2.0 | 2.0 |\n{rows}"
    )
}

#[test]
fn rates_are_found_by_the_names_of_every_processor() {
    for (cpu, name, rows, intensity, kind) in [
        // 3000 MFLOP/s over 12000 MB/s
        (
            "Intel Xeon Broadwell EN/EP/EX processor",
            "MEM_DP",
            &[
                ("MFLOP/s", "1500 | 1500"),
                ("AVX [MFLOP/s]", "1400 | 1400"),
                ("Memory bandwidth [MBytes/s]", "12000 | 0"),
            ][..],
            0.25,
            Kind::Measured,
        ),
        (
            "nvidia_grace",
            "MEM_DP",
            &[
                ("FP rate [MFLOP/s]", "1500 | 1500"),
                ("SVE FP rate [MFLOP/s]", "900 | 900"),
                ("Memory bandwidth [MBytes/s]", "12000 | 0"),
            ],
            0.25,
            Kind::Measured,
        ),
        // (4000 + 2000) over 12000; (FP) alone would be half of it
        (
            "Fujitsu A64FX",
            "MEM_DP",
            &[
                ("DP (FP) [MFLOP/s]", "1500 | 1500"),
                ("DP (FP+SVE128) [MFLOP/s]", "2000 | 2000"),
                ("DP (FP+SVE512) [MFLOP/s]", "4000 | 2000"),
                ("Memory bandwidth [MBytes/s]", "6000 | 6000"),
            ],
            0.5,
            Kind::Estimated,
        ),
        // 3000 over the 12000 of both memories
        (
            "Intel SapphireRapids processor",
            "DDR_HBM_DP",
            &[
                ("DP [MFLOP/s]", "1500 | 1500"),
                ("DDR bandwidth [MBytes/s]", "4000 | 0"),
                ("HBM bandwidth [MBytes/s]", "8000 | 0"),
                ("HBM read bandwidth [MBytes/s]", "8000 | 0"),
            ],
            0.25,
            Kind::Measured,
        ),
        (
            "Intel SapphireRapids processor",
            "HBM_HP",
            &[
                ("HP [MFLOP/s]", "1500 | 1500"),
                ("AVX HP [MFLOP/s]", "1 | 1"),
                ("HBM bandwidth [MBytes/s]", "12000 | 0"),
            ],
            0.25,
            Kind::Measured,
        ),
    ] {
        let runs = read(&group(cpu, name, rows), None);
        let found =
            crate::app_profile::scaling::intensity(&runs).unwrap_or_else(|| panic!("{cpu}: {runs:?}"));
        assert!((found.value - intensity).abs() < 1e-12, "{cpu}: {runs:?}");
        assert_eq!(found.kind, kind, "{cpu}");
    }
}

#[test]
fn knights_landing_counts_flop_and_each_memory_in_separate_groups() {
    let cpu = "Intel Xeon Phi (Knights Landing) (Co)Processor";
    let flops = group(
        cpu,
        "FLOPS_DP",
        &[
            ("DP [MFLOP/s] (SSE assumed)", "500 | 500"),
            ("DP [MFLOP/s] (AVX assumed)", "1000 | 1000"),
            ("DP [MFLOP/s] (AVX512 assumed)", "2000 | 2000"),
        ],
    );
    let memory = group(
        cpu,
        "HBM_CACHE",
        &[
            ("MCDRAM Memory bandwidth [MBytes/s]", "6000 | 0"),
            ("DDR Memory bandwidth [MBytes/s]", "2000 | 0"),
            ("DDR Memory writeback bandwidth [MBytes/s]", "1000 | 0"),
        ],
    );
    let runs = joined([read(&flops, None), read(&memory, None)].concat());
    // 4000 over 8000, assuming that all vectors have 512 bits
    assert_eq!(runs[0].intensity(), Some(0.5));
    assert!(
        runs[0].doubts.iter().any(|doubt| doubt.contains("as wide as in `DP [MFLOP/s] (AVX512 assumed)`"))
    );
    let ddr = read(&group(cpu, "MEM", &[("Memory bandwidth [MBytes/s]", "12000 | 0")]), None);
    assert!(ddr[0].doubts.iter().any(|doubt| doubt.contains("traffic of MCDRAM is missing")), "{ddr:?}");
}

#[test]
fn halves_of_the_channels_are_complete_only_together() {
    let cpu = "AMD K19 (Zen3) architecture";
    let half = |name: &str, channels: &str, rate: u32| {
        let row = format!("Memory bandwidth (channels {channels}) [MBytes/s]");
        read(&group(cpu, name, &[(&row, &format!("{rate} | 0"))]), None)
    };
    let flops = read(&group(cpu, "FLOPS_DP", &[("DP [MFLOP/s]", "1500 | 1500")]), None);
    let [first, second] = [half("MEM1", "0-3", 5000), half("MEM2", "4-7", 7000)];
    let runs = joined([first.clone(), flops.clone(), second].concat());
    assert_eq!((runs.len(), runs[0].intensity()), (1, Some(0.25)), "{runs:?}");
    // A border character in a name is not a border.
    let l3 = group(
        cpu,
        "MEM_L3",
        &[("L3|MEM evict bandwidth [MBytes/s]", "1 | 2"), ("Memory bandwidth [MBytes/s]", "3 | 0")],
    );
    assert_eq!(read(&l3, None)[0].bytes.as_ref().expect("bytes").value, 6e6);
    // One half alone gives no value.
    let runs = joined([first.clone(), flops, first].concat());
    assert!(runs.iter().all(|run| run.intensity().is_none()), "{runs:?}");
    let lacks: Vec<String> = runs.iter().filter_map(Run::lacks_rest).collect();
    assert!(lacks[0].starts_with("memory was counted for channels 0-3 only"), "{lacks:?}");
    let zen4 = "AMD K19 (Zen4) architecture";
    let reads = read(&group(zen4, "MEMREAD", &[("Memory read bandwidth [MBytes/s]", "8 | 0")]), None);
    let writes = read(&group(zen4, "MEMWRITE", &[("Memory write bandwidth [MBytes/s]", "4 | 0")]), None);
    let both = joined([reads, writes].concat());
    assert_eq!(both[0].bytes.as_ref().expect("both directions").value, 24e6);
    assert!(both[0].doubts.iter().any(|doubt| doubt.contains("(NPS1)")), "{both:?}");
}

#[test]
fn statistics_alone_are_read_from_their_sum() {
    let text = "Group 1: MEM_DP\n| Metric | Sum | Min | Max | Avg |\n| Runtime (RDTSC) [s] STAT | 4.0 | 2.0 | 2.0 | 2.0 |\n\
                | DP [MFLOP/s] STAT | 3000 | 1500 | 1500 | 1500 |\n| Memory bandwidth [MBytes/s] STAT | 12000 | 0 | 12000 | 6000 |\n";
    let csv = "TABLE,Group 1 Metric STAT,MEM_DP,3,\nMetric,Sum,Min,Max,Avg,\nRuntime (RDTSC) [s] STAT,4,2,2,2,\n\
               DP [MFLOP/s] STAT,3000,1500,1500,1500,\nMemory data volume [GBytes] STAT,24,0,24,12,\n";
    for text in [text, csv] {
        let runs = read(text, None);
        // 3000 x 2 s of FLOP, 24 GB
        assert_eq!(
            (runs[0].intensity(), runs[0].threads, runs[0].seconds),
            (Some(0.25), None, Some(2.0)),
            "{text}"
        );
        assert!(runs[0].doubts[0].starts_with("only statistics"), "{runs:?}");
    }
    // Lines above the table are often missing.
    let untitled = text.replace("Group 1: MEM_DP\n", "");
    assert_eq!(read(&untitled, None)[0].intensity(), Some(0.25));
    // Version 5 adds percentiles; a group of FLOP and one of memory, both without a title.
    let wide = "| Metric | Sum | Min | Max | Avg | %ile 25 | %ile 50 | %ile 75 |\n| Runtime (RDTSC) [s] STAT | 4.0 | 2.0 | 2.0 | 2.0 | 2 | 2 | 2 |\n";
    let flops = format!("{wide}| DP [MFLOP/s] STAT | 3000 | 1500 | 1500 | 1500 | 1 | 1 | 1 |\n");
    let memory =
        format!("{wide}| Memory bandwidth [MBytes/s] STAT | 12000 | 0 | 12000 | 6000 | 0 | 0 | 0 |\n");
    assert_eq!(read(&format!("{flops}\nMEM\n\n{memory}"), None)[0].intensity(), Some(0.25));
    let again = read_likwid(&format!("{flops}\n{memory}\n{flops}"), None).expect_err("two runs");
    assert_eq!(again.message, "a second run of likwid-perfctr begins here");
    let broken = text.replace("3000", "nan");
    assert_eq!(read(&broken, None)[0].flop, None);
}

#[test]
fn invalid_values_give_a_sentence() {
    let intel = "Intel Icelake SP processor";
    let of = |flop: &str, memory: &str| {
        group(intel, "MEM_DP", &[("DP [MFLOP/s]", flop), ("Memory bandwidth [MBytes/s]", memory)])
    };
    let runs = read(&of("nan | inf", "12000 | 0"), None);
    assert_eq!((&runs[0].flop, runs[0].intensity()), (&None, None));
    let runs = read(&of("1500 | nan", "12000 | 0"), None);
    assert!(
        runs[0]
            .doubts
            .iter()
            .any(|doubt| doubt.contains("`DP [MFLOP/s]` has no figure of 1 of 2 hardware threads"))
    );
    let runs = read(&of("0 | 0", "12000 | 0"), None);
    assert!(
        runs[0].doubts[0].starts_with("`DP [MFLOP/s]` is 0: if the program computes in another precision")
    );
    let said = |text: &str| read_likwid(text, None).expect_err(text).message;
    assert_eq!(said(&of("-1 | 1", "5 | 0")), "'-1' is not a figure of `DP [MFLOP/s]`");
    assert_eq!(said(&of("1 | 1", "3.3e15 | 0")), "3.30e12 GB/s are more than any machine moves");
    assert_eq!(said(&of("1e15 | 1", "5 | 0")), "1.00e12 GFLOPS are more than any machine computes");
    let parts = group(intel, "FLOPS_AVX", &[("Packed DP [MFLOP/s]", "5 | 5")]);
    assert_eq!(said(&parts), "FLOPS_AVX has neither FLOP nor memory traffic");
    let hint = read_likwid(&parts, None).expect_err("parts").hint.expect("a hint");
    assert!(hint.contains("likwid-perfctr -a"), "{hint}");
}

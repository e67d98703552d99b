//! One row of each set by hand, correct null models, and rejection of invalid files.

use super::super::{ADVISED, EQUAL_PARTS, MEASURED_AGAIN, NO_FIT, NO_SHARING, ONE_MEMORY, Part, Point};
use super::*;

const DEFAULT: &str = "baseline-proportional";
const HARD: &str = "hard corner";

/// The point of a set, kernel, model and variant.
fn point(judged: &[Judged], [set, traffic, model, variant]: [&str; 4], name: &str) -> Point {
    let found = judged.iter().filter(|one| {
        one.set.starts_with(set) && one.traffic == traffic && one.model == model && one.variant == variant
    });
    let mut points = found.flat_map(|one| one.points.iter().chain(&one.fitted));
    points
        .find(|point| point.name == name)
        .unwrap_or_else(|| panic!("{set}, {traffic}, {model}, {name}"))
        .clone()
}

fn of(kind: &str) -> Vec<Judged> {
    let format = FORMATS.iter().find(|format| format.about == kind).expect("a kind");
    judge(format.carried[0]).expect("in order")
}

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 1e-4, "{value}, not {expected}");
}

#[test]
fn all_kinds_are_recognised_by_their_columns_and_give_results() {
    for (about, text) in
        FORMATS.iter().flat_map(|format| format.carried.iter().map(|text| (format.about, text)))
    {
        let judged = judge(text).expect("in order");
        assert!(!judged.is_empty(), "{about}");
        for one in &judged {
            assert!(one.part.is_together(), "{}", one.set);
            let all = one.points.iter().all(|point| point.predicted.is_finite() && point.predicted > 0.0);
            assert!(all, "{} {} {}", one.set, one.traffic, one.model);
        }
    }
}

#[test]
fn a_synchronised_code_waits_for_the_full_domain() {
    // 18 threads have 9306.3 zones/s: of 19 none is faster than a thread of the full domain, 19 x 9306.3 / 18.
    let judged = of("LULESH over cores");
    let of = |model, variant| point(&judged, ["LULESH", "size 250", model, variant], "18+1");
    near(of(DEFAULT, HARD).measured, 9916.2028);
    near(of(DEFAULT, HARD).predicted, 19.0 * 9306.3 / 18.0);
    near(of(NO_SHARING, NO_FIT).predicted, 19.0 * 1549.0522);
    near(of(EQUAL_PARTS, NO_FIT).predicted, 2.0 * 9306.3);
    // Ten threads of a full socket have 40.41387 GB/s, eleven 11 / 10 of it.
    let threads = super::tests::of("threads of one process on two sockets");
    near(point(&threads, ["threads", "triad", DEFAULT, HARD], "10+1").predicted, 44.455_257);
}

#[test]
fn a_repeated_measurement_has_the_error_of_a_repetition() {
    // clvleaf on three ranks: 3572.775 and 3559.721 s, and on one 9645.376 and 9783.392 s.
    let judged = of("SPEChpc over ranks");
    let of = |part: Part| {
        let found = judged.iter().filter(|one| one.part == part && one.model == MEASURED_AGAIN);
        let all: Vec<Judged> = found.cloned().collect();
        point(&all, ["SPEChpc", "clvleaf", MEASURED_AGAIN, NO_FIT], "3")
    };
    near(of(Part::Domains).measured, 3600.0 / 3572.775);
    near(of(Part::Domains).predicted, 3600.0 / 3559.721);
    near(of(Part::Intensity).measured, 9645.376 / 3572.775);
    near(of(Part::Intensity).predicted, 9783.392 / 3559.721);
    let sets = verdict::of_sets(&judged);
    let again: Vec<_> = sets.iter().filter(|set| set.model == MEASURED_AGAIN).collect();
    assert!(again.len() == 4 && again.iter().all(|set| set.is_better().is_none()), "no model: {again:?}");
}

#[test]
fn a_process_on_the_other_socket_has_the_stand_alone_bandwidth() {
    // Medians of two runs: 13.13603 and 13.13728 GB/s, as in the file.
    let judged = of("processes at once");
    let eleventh = |model, variant| {
        point(&judged, ["processes, 2 x E5", "triad", model, variant], "10+1, each on domain 1")
    };
    let alone = eleventh(NO_SHARING, NO_FIT).predicted;
    assert!((alone - 13.137).abs() < 0.002, "{alone}");
    near(eleventh(DEFAULT, HARD).predicted, alone);
}

#[test]
fn domains_are_independent() {
    // Copy, 16 threads on one domain: 26.649779 GB/s, one thread 21.977077.
    let judged = of("threads on several memory domains");
    let of = |model, variant| point(&judged, ["equal domains", "Copy", model, variant], "16+16").predicted;
    near(of(DEFAULT, HARD), 2.0 * 26.649_779);
    near(of(EQUAL_PARTS, NO_FIT), 2.0 * 26.649_779);
    near(of(NO_SHARING, NO_FIT), 32.0 * 21.977_077);
}

#[test]
fn an_application_gets_the_bandwidth_of_the_others() {
    // One rank: (17.9454846 + 17.6393938) / 2 GB/s. The others' most: tealeaf, (75.2808028 + 75.6230) / 2 GB/s with 18.
    let judged = of("SPEChpc over ranks");
    let predicted = point(&judged, ["SPEChpc", "clvleaf", DEFAULT, NO_FIT], "18").predicted;
    assert!((predicted - 75.4519 / 17.79244).abs() < 0.01, "{predicted}");
    let measured = point(&judged, ["SPEChpc", "clvleaf", "ecm", ADVISED], "18").measured;
    // (9645.376 + 9783.392) / (2003.963 + 2000.302) s
    near(measured, 19_428.768 / 4_004.265);
}

#[test]
fn the_memory_slowest_for_its_share_sets_the_rate() {
    // 208.5238 GB/s of DRAM and 24.4846 of CXL: half of each 2 x 24.4846; nine parts and one 208.5238 / 0.9, less than 24.4846 / 0.1.
    let judged = of("STREAM with weights");
    let of = |model, variant, name| {
        point(&judged, ["DRAM and CXL", "STREAM Triad", model, variant], name).predicted
    };
    near(of(DEFAULT, NO_FIT, "interleave=1,2 1:1"), 48.9692);
    near(of(DEFAULT, NO_FIT, "weighted interleave=1,2 (whole task) 9:1"), 231.693_111);
    near(of(EQUAL_PARTS, NO_FIT, "interleave=1,2 1:1"), 233.0084);
    near(of(ONE_MEMORY, NO_FIT, "interleave=1,2 1:1"), 208.5238);

    // 4 threads have 40 MiB/s, node 1 100 and node 2 20: 64 threads 2 x 20 on both, and no more than 43 of them run.
    let header = "interleave_nodes,pattern,threads,buffer_GB,read_ratio,total_MBps\n";
    let rows = "1,random,4,16,0.5,40\n1,random,64,16,0.5,100\n2,random,64,16,0.5,20\n\"1,2\",random,64,16,0.5,44\n\"1,2\",sequential,64,16,0.5,9\n";
    let swept = judge(&format!("{header}{rows}")).expect("in order");
    let of =
        |model| point(&swept, ["sets of nodes", "reads 0.50", model, NO_FIT], "64 threads, 16 GB on [1, 2]");
    let mib = 1_048_576.0 / 1e9;
    near(of(DEFAULT).predicted, 40.0 * mib);
    near(of(EQUAL_PARTS).predicted, 120.0 * mib);
    near(of(NO_SHARING).predicted, 430.0 * mib);
    near(of(ONE_MEMORY).predicted, 100.0 * mib);
}

#[test]
fn memories_of_a_kunpeng_are_the_most_of_each() {
    let judged = of("STREAM under numactl");
    let of = |model, variant| {
        let name = "[32, 0, 0, 0] on [0, 1]";
        point(&judged, ["interleave, kp920.2P.8CCL.type2", "triad", model, variant], name)
    };
    // Fitted to 32 processes on all four nodes: 93.963 GB/s are more than two nodes have.
    near(of(DEFAULT, "read_gbs").predicted, of(DEFAULT, NO_FIT).predicted);
    let [no_sharing, equal] = [NO_SHARING, EQUAL_PARTS].map(|null| of(null, NO_FIT).predicted);
    assert!(equal >= of(DEFAULT, NO_FIT).predicted && no_sharing > equal, "{no_sharing} {equal}");
}

#[test]
fn all_on_one_of_two_memories_have_half() {
    let judged = of("local and global memory");
    let of = |model| point(&judged, ["all on one memory", "4 kernels", model, NO_FIT], "AXPY").predicted;
    near(of(DEFAULT), 89.314 / 2.0);
    near(of(EQUAL_PARTS), 89.314 / 2.0);
    near(of(NO_SHARING), 89.314);
}

#[test]
fn models_disagree_about_a_modest_and_a_greedy_application() {
    // 237.4977 GB/s for 206.8976 and 51.4611. The default: ResNet-50 wants less than half and has it. Proportional: both lose alike.
    let judged = of("unlike applications on one memory");
    let of = |model, name| point(&judged, ["MLC", "co-run", model, NO_FIT], name).predicted;
    near(of(DEFAULT, "ResNet-50"), 51.4611);
    near(of(DEFAULT, "MLC"), 237.4977 - 51.4611);
    near(of("proportional", "ResNet-50"), 237.4977 * 51.4611 / (206.8976 + 51.4611));
    near(of(NO_SHARING, "MLC"), 206.8976);
    near(of(EQUAL_PARTS, "MLC"), 237.4977 / 2.0);
}

#[test]
fn a_kind_of_traffic_takes_its_share_of_a_memory() {
    // Reads have 80 GB/s, stores 40: a GB/s of stores takes two of reads. Two readers of 30 and four storing threads of 10 want 60 + 80 of
    // 80: the default gives each thread 80 / 6 first, less than any wants.
    let header = "machine,experiment,app,threads,one_gbs,alone_gbs,together_gbs,capacity_gbs\n";
    let rows = "m,x,read,2,30,50,30,80\nm,x,store,4,10,38,25,40\n";
    let judged = judge(&format!("{header}{rows}")).expect("in order");
    let of = |model, name| point(&judged, ["m, above 1.3 of the memory", "x", model, NO_FIT], name).predicted;
    near(of(DEFAULT, "read"), 2.0 * 80.0 / 6.0);
    near(of(DEFAULT, "store"), 4.0 * 40.0 / 6.0);
    near(of(NO_SHARING, "store"), 38.0);
    near(of(EQUAL_PARTS, "read"), 80.0 * 2.0 / 6.0);
}

#[test]
fn remote_readers_next_to_local_ones_have_a_separate_thread_rate_and_link() {
    // One local thread has 20 GB/s, eight 100; one remote thread 8, eight 40. 4 + 4 at once want 80 + 32 of 100: first 12.5 each, of which
    // the remote ones take 8; 68 are left for the local ones.
    let header = "machine,kernel,experiment,node,memory,threads,gbs\n";
    let alone =
        "m,reads,,0,0,1,20\nm,reads,,0,0,8,100\nm,reads,,0,0,4,76\nm,reads,,1,0,1,8\nm,reads,,1,0,8,40\n";
    let judged =
        judge(&format!("{header}{alone}m,reads,x,0,0,4,60\nm,reads,x,1,0,4,25\n")).expect("in order");
    let of = |model, node| {
        point(&judged, ["m, at once", "reads", model, NO_FIT], &format!("x, node {node} on 0")).predicted
    };
    near(of(DEFAULT, 0), 68.0);
    near(of(DEFAULT, 1), 32.0);
    near(of(NO_SHARING, 0), 80.0);
    near(of(EQUAL_PARTS, 1), 40.0);
    let alone = point(&judged, ["m, node 0 on 0", "reads", DEFAULT, NO_FIT], "4 threads");
    near(alone.predicted, 80.0);
}

#[test]
fn the_loss_on_several_domains_comes_from_one_more_run() {
    // As `profile-app` has it: 9306.3 zones/s on 18 cores, 4 x that / measured - 1 on 72, over two doublings.
    let judged = of("LULESH over cores");
    let of =
        |variant, name| point(&judged, ["LULESH, 2 x Xeon 8360Y, several", "size 250", "ecm", variant], name);
    let all = of("node_overhead", "18+18+18+18");
    let overhead = (4.0 * 9306.3 / all.measured - 1.0) / 2.0;
    for (name, doublings) in [("18+1", 1.0), ("18+18+5", 3.0_f64.log2())] {
        let with = of("node_overhead", name).predicted;
        near(with * (1.0 + overhead * doublings), of("ecm_penalty", name).predicted);
    }
}

#[test]
fn a_chiplet_has_less_than_its_cores() {
    // 45 GB/s of one thread, 50 of four on a chiplet, 104 of all: 6 + 2 have 50 + 50, and of equal parts 50 + 2 x 104 / 8 (no chiplet has more than it).
    let judged = of("threads on chiplets");
    let of = |model, variant, name| point(&judged, ["EPYC 9224", "reads", model, variant], name).predicted;
    near(of(DEFAULT, NO_FIT, "6+2"), 100.0);
    near(of(DEFAULT, "flat", "6+2"), 104.0);
    near(of(EQUAL_PARTS, NO_FIT, "6+2"), 50.0 + 2.0 * 13.0);
    near(of(DEFAULT, NO_FIT, "2"), 50.0);
    let header = "machine,kernel,cores,cores_per_l3,threads_on_chiplets,gbs,given\n";
    for (row, why) in
        [("m,k,12,5,1,9,x", "no chiplets of 5"), ("m,k,12,6,7,9,x", "are no threads on chiplets")]
    {
        match judge(&format!("{header}{row}\n")) {
            Err(PublishedError::Data(problems)) => assert!(problems[0].message.contains(why), "{problems:?}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_line_waits_according_to_the_load_with_equal_traffic() {
    let header = "machine,cores,read_pct,bandwidth_gbs,latency_ns\n";
    let judged = judge(&format!(
        "{header}m,10,100,0,80\nm,10,100,40,90\nm,10,100,60,100\nm,10,100,75,130\nm,10,100,100,240\n"
    ));
    let judged = judged.expect("in order");
    let of = |model, variant, name| {
        point(&judged, ["loaded latency", "m, 100 % reads", model, variant], name).predicted
    };
    near(of(NO_SHARING, NO_FIT, "40.0 GB/s, 1"), 80.0);
    near(of("two-points", NO_FIT, "60.0 GB/s, 2"), 80.0 + 0.6 * 160.0);
    // The fits reproduce the given values: ten cores of 30 GB/s draw 100, by Little's law with 3 x 80 ns.
    for variant in [latency::AS_ADVISED, "ecm_penalty"] {
        near(of("ecm", variant, "100.0 GB/s, 4"), 240.0);
    }
    near(of("ecm", "ecm_penalty", "75.0 GB/s, 3"), 130.0);
    assert!((80.0..of("ecm", latency::AS_ADVISED, "60.0 GB/s, 2")).contains(&of(
        "ecm",
        latency::AS_ADVISED,
        "40.0 GB/s, 1"
    )));
}

#[test]
fn a_model_is_better_if_every_null_model_is_worse() {
    let sets = verdict::of_sets(&of("threads on several memory domains"));
    let hard =
        sets.iter().find(|set| set.variant == HARD && set.set.ends_with("several domains")).expect("a set");
    assert_eq!((hard.curves, hard.advantages.len(), hard.part), (7, 2, Part::Domains));
    // The mean over curves of differences: that of equal parts lies within its interval.
    for one in &hard.advantages {
        let (low, high) = one.interval.expect("seven curves");
        assert!(low <= one.mean && one.mean <= high, "{one:?}");
    }
    assert!(sets.iter().filter(|set| set.model == NO_SHARING).all(|set| set.is_better().is_none()));
}

#[test]
fn invalid_files_are_refused_at_the_error() {
    let why = |text: &str| match judge(text) {
        Err(PublishedError::Data(problems)) => problems[0].message.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        why("cluster,threads,kernel,runtime_s,mem_total_MBps\n")
            .contains("kernels of LULESH there is no column `size`")
    );
    let lulesh = "cluster,size_per_domain,mpi_ranks,omp_threads,fom_zones_per_s\n";
    assert!(why(&format!("{lulesh}Z,250,1,1,5\n")).contains("cluster 'Z' are not known"));
    assert!(why(&format!("{lulesh}A,250,1,0,5\n")).contains("`omp_threads` is '0'"));
    assert!(why(&format!("{lulesh}A,250,1,1,0\n")).contains("no relative error"));
    let memories = "machine,kernel,node,memory,threads,gbs\n";
    assert!(why(&format!("{memories}m,reads,0,999,1,5\n")).contains("at most 64 nodes"));
    let pairs = "experiment,app,threads,alone_gbs,together_gbs,capacity_gbs,memory\n";
    assert!(why(&format!("{pairs}x,a,1,5,5,9,1\n")).contains("takes all of them for local"));
    let weights = "benchmark,kernel_or_mix,placement,weights_dram_cxl,bandwidth_best_MBps,machine\n";
    assert!(why(&format!("{weights}STREAM,Triad,both,9 to 1,5,B\n")).contains("are no weights"));
}

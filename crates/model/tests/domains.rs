//! L3 domains with limited reads, calculated by hand.

use crate::kernels::{assert_near, evaluated, moved, study};
use numasim_model::sharing::Parameter;
use numasim_model::{Bottleneck, Evaluation, Model, ModelKind, NodeId, Study, evaluate};

/// 1 node x 16 cores, 1000 GFLOPS each, 200 GB/s; the limit of a core is 30 GB/s, that of an L3 domain of 8
/// cores 50.
const TWO: &str = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 16\ngflops_per_core = 1000\nbandwidth_gbs = 200\n\
                   core_bandwidth_gbs = 30\ncores_per_l3 = 8\nl3_read_gbs = 50\n";

/// 1 node x 12 cores, 1000 GB/s, domains of 4.
const THREE: &str = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 12\ngflops_per_core = 1000\nbandwidth_gbs = 1000\n\
                     core_bandwidth_gbs = 30\ncores_per_l3 = 4\nl3_read_gbs = 50\n";

const READ: &str = "arithmetic_intensity = 1";

fn one(threads: &str) -> Study {
    study(TWO, &[("a", READ)], threads)
}

fn both(machine: &str, threads: &str) -> Study {
    study(machine, &[("a", READ), ("b", READ)], threads)
}

#[test]
fn threads_share_the_limit_of_their_l3_domain() {
    // 4 request 120 of 50; 2 + 2 request 60 of 50 twice; 1 + 1 get their 30; 8 + 8 as 2 + 2. A plain 3 is
    // dealt as 2 + 1: 50 + 30.
    for (threads, gbs) in [
        ("a = [[4, 0]]", 50.0),
        ("a = [[2, 2]]", 100.0),
        ("a = [[1, 1]]", 60.0),
        ("a = [[8, 8]]", 100.0),
        ("a = 3", 80.0),
    ] {
        for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin, ModelKind::Ecm] {
            assert_near(moved(&one(threads), kind)[0], gbs);
        }
    }
}

#[test]
fn the_path_of_an_l3_domain_can_be_the_bottleneck() {
    let evaluation = evaluated(&one("a = [[4, 1]]"), ModelKind::default());
    let group = evaluation.apps[0].per_node[0].as_ref().expect("threads");
    assert_eq!((group.threads, &group.bottleneck), (5, &Bottleneck::L3Link { node: NodeId(0), domain: 0 }));
    let used: Vec<f64> = evaluation.domains.iter().map(|domain| domain.bandwidth.value()).collect();
    assert_eq!(used, [50.0, 30.0]);
    assert_near(evaluation.nodes[0].bandwidth.value(), 80.0);
}

#[test]
fn threads_are_dealt_over_l3_domains_or_packed() {
    // a [2, 2, 1] and b [1, 0, 1]. Domain 0: 90 of 50, each 16.667. Domain 1: 60 of 50. Domain 2: 60 of 50, each 25.
    let dealt = both(THREE, "a = 5, b = 2");
    assert_eq!(dealt.scenarios[0].allocation.per_l3(&dealt.machine)[..], [[[2, 2, 1]], [[1, 0, 1]]]);
    let gbs = moved(&dealt, ModelKind::default());
    assert_near(gbs[0], 2.0 * 50.0 / 3.0 + 50.0 + 25.0);
    assert_near(gbs[1], 50.0 / 3.0 + 25.0);
    // a [4, 1, 0] and b [0, 2, 0]: 50, and 90 of 50 in domain 1.
    let packed = both(THREE, "a = 5, b = 2 }\nl3 = \"pack\"\ndata = {");
    assert_eq!(packed.scenarios[0].allocation.per_l3(&packed.machine)[..], [[[4, 1, 0]], [[0, 2, 0]]]);
    let gbs = moved(&packed, ModelKind::default());
    assert_near(gbs[0], 50.0 + 50.0 / 3.0);
    assert_near(gbs[1], 100.0 / 3.0);
    // Lists are placed first: a is [1, 2, 2] with b [2, 0, 0].
    let listed = both(THREE, "a = 5, b = [[2, 0, 0]]");
    let gbs = moved(&listed, ModelKind::default());
    assert_near(gbs[0], 50.0 / 3.0 + 100.0);
    assert_near(gbs[1], 100.0 / 3.0);
}

#[test]
fn the_read_limit_of_a_node_is_split_by_the_limited_requests_of_its_domains() {
    // Domains leave 3 threads of a 16.667 each and 2 of b 25. Of 80 GB/s a baseline of 10 each is 50; the
    // rest, 30, is split over a remaining demand of 3 x 6.667 + 2 x 15 = 50: 0.6 of it. a has 3 x 14 = 42, b
    // 2 x 19 = 38.
    let machine = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 1000\nbandwidth_gbs = 200\n\
                   core_bandwidth_gbs = 30\ncores_per_l3 = 4\nl3_read_gbs = 50\nread_gbs = 80\n";
    let gbs = moved(&both(machine, "a = [[3, 0]], b = [[0, 2]]"), ModelKind::default());
    assert_near(gbs[0], 42.0);
    assert_near(gbs[1], 38.0);
}

#[test]
fn unused_bandwidth_of_a_domain_is_redistributed() {
    // Of 50 GB/s each thread first gets 16.667; `far` can use 5 over its link, the rest goes to `near`, 45.
    let machine = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 8\ngflops_per_core = 1000\nbandwidth_gbs = 200\n\
                   link_gbs = 5\ncore_bandwidth_gbs = 30\nl3_read_gbs = 50\n";
    let far = "arithmetic_intensity = 1\ndata = { home = 1 }";
    let study = study(machine, &[("near", READ), ("far", far)], "near = [2, 0], far = [1, 0]");
    let gbs = moved(&study, ModelKind::default());
    assert_near(gbs[0], 45.0);
    assert_near(gbs[1], 5.0);
}

/// The only scenario under ecm with this penalty.
fn softly(study: &Study, penalty: f64) -> Evaluation {
    let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).expect("a penalty");
    let (machine, scenario) = (study.machine.clone().with_sharing(model), &study.scenarios[0]);
    let placements = scenario.placements().expect("no open home");
    evaluate(&machine, &study.apps, &placements, &scenario.allocation).expect("an evaluation")
}

#[test]
fn under_ecm_an_l3_domain_is_a_queue_of_its_threads() {
    let gbs = |threads: &str| softly(&one(threads), 0.5).apps[0].bandwidth.value();
    // A single thread does not wait.
    assert_near(gbs("a = [[1, 0]]"), 30.0);
    // Two of 30 GB/s on 50, on a memory with almost no waiting: f = (2 - 1) x 0.5 / 50 / 50. w = 0.00846
    // alone would give S = w / f = 42.3; 42.3 / (1 + (42.3 / 50)^8)^(1/8) = 41.0 of 50 are delivered, which
    // equals 2 / (1/30 + w + the wait at the memory).
    let machine = TWO.replace("bandwidth_gbs = 200", "bandwidth_gbs = 1000000");
    let two = softly(&study(&machine, &[("a", READ)], "a = [[2, 0]]"), 0.5).apps[0].bandwidth.value();
    let wait = 2.0 / two - 1.0 / 30.0;
    let alone = wait / (0.5 / 2500.0);
    assert!((alone / (1.0 + (alone / 50.0_f64).powi(8)).powf(0.125) - two).abs() < 1e-3, "{two}");
    // Many threads use nearly all of it, and each additional one a little more; the other domain has a
    // separate limit.
    let ladder: Vec<f64> = (1..=8).map(|n| gbs(&format!("a = [[{n}, 0]]"))).collect();
    assert!(ladder.is_sorted() && ladder[7] > 49.9 && ladder[7] < 50.0, "{ladder:?}");
    assert!(gbs("a = [[2, 2]]") > 1.9 * gbs("a = [[2, 0]]"));
}

#[test]
fn under_ecm_the_queue_with_the_longest_wait_is_the_bottleneck() {
    let bottleneck = |machine: &str, threads: &str| {
        let evaluation = softly(&study(machine, &[("a", READ)], threads), 0.5);
        evaluation.apps[0].per_node[0].as_ref().expect("threads").bottleneck.clone()
    };
    assert_eq!(bottleneck(TWO, "a = [[4, 0]]"), Bottleneck::L3Link { node: NodeId(0), domain: 0 });
    // 16 threads use nearly all of 60 GB/s long before both domains are full.
    let narrow = TWO.replace("bandwidth_gbs = 200", "bandwidth_gbs = 60");
    assert_eq!(bottleneck(&narrow, "a = [[8, 8]]"), Bottleneck::LocalController(NodeId(0)));
    let limited = format!("{TWO}read_gbs = 60\n");
    assert_eq!(bottleneck(&limited, "a = [[8, 8]]"), Bottleneck::NodeRead(NodeId(0)));
}

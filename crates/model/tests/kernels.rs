//! Applications with write kernels, on machines that define the bandwidth of their memories under these:
//! calculated by hand.

use numasim_model::sharing::reference;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Evaluation, ModelKind, Study, evaluate_explained};
use numasim_study::{SourceFile, read_study};

/// One node of 8 cores with 32 GB/s for reads and 24 GB/s for triads: one GB/s of a triad is 4/3
/// read-equivalent GB/s.
const ONE_NODE: &str = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 10\n\
                        bandwidth_gbs = 32\ntriad_gbs = 24\n";

pub(crate) fn study(machine: &str, apps: &[(&str, &str)], threads: &str) -> Study {
    let app = |(name, keys): &(&str, &str)| format!("[[app]]\nname = \"{name}\"\n{keys}\n");
    let apps: String = apps.iter().map(app).collect();
    let text = format!("{machine}{apps}[[scenario]]\nname = \"s\"\nthreads = {{ {threads} }}\n");
    read_study(&[SourceFile { name: "s.toml".into(), text }]).expect("a sound file").study
}

/// The only scenario under the given model, checked like every evaluation.
pub(crate) fn evaluated(study: &Study, kind: ModelKind) -> Evaluation {
    let scenario = &study.scenarios[0];
    let placements = scenario.placements().expect("no open home");
    let machine = study.machine.clone().with_sharing(crate::common::models::hard(kind));
    evaluate_explained(&machine, &study.apps, &placements, &scenario.allocation).expect("an evaluation")
}

/// GB/s of each application, as it moves data; the reference must agree.
pub(crate) fn moved(study: &Study, kind: ModelKind) -> Vec<f64> {
    let evaluation = evaluated(study, kind);
    let scenario = &study.scenarios[0];
    if matches!(kind, ModelKind::BaselineProportional | ModelKind::RemoteFirst) {
        let demands = study.demands(scenario).expect("no open home");
        let machine = study.machine.clone().with_sharing(kind.into());
        let slow = reference::solve(&machine, &demands, &scenario.allocation).expect("fits");
        let all: f64 = evaluation.apps.iter().map(|app| app.gflops.value()).sum();
        assert_near(slow.total_gflops().value(), all);
    }
    evaluation.apps.iter().map(|app| app.bandwidth.value()).collect()
}

pub(crate) fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-9, "{got} is not {expected}");
}

const READ: &str = "arithmetic_intensity = 0.5";
const TRIAD: &str = "arithmetic_intensity = 0.5\nkernel = \"triad\"";

#[test]
fn triads_alone_have_the_triad_bandwidth_under_every_model() {
    // Four threads request 20 GB/s each. Reads get 32 in total, 8 each; triads 24, 6 each.
    for kind in ModelKind::ALL {
        assert_near(moved(&study(ONE_NODE, &[("a", READ)], "a = 4"), kind)[0], 32.0);
        assert_near(moved(&study(ONE_NODE, &[("a", TRIAD)], "a = 4"), kind)[0], 24.0);
    }
    // 24 GB/s x 0.5; a controller of 32 GB/s is full.
    let evaluation = evaluated(&study(ONE_NODE, &[("a", TRIAD)], "a = 4"), ModelKind::default());
    assert_near(evaluation.total.value(), 12.0);
    assert_near(evaluation.nodes[0].bandwidth.value(), 24.0);
    assert_near(evaluation.nodes[0].occupied.value(), 32.0);
}

#[test]
fn a_kernel_without_a_defined_bandwidth_is_as_fast_as_reads() {
    for kernel in ["copy", "update"] {
        let keys = format!("arithmetic_intensity = 0.5\nkernel = \"{kernel}\"");
        assert_near(moved(&study(ONE_NODE, &[("a", &keys)], "a = 4"), ModelKind::default())[0], 32.0);
    }
}

#[test]
fn writing_does_not_slow_down_a_thread_whose_demand_is_met() {
    // 10 GFLOPS / 5 = 2 GB/s each, 8 in total, which are 32/3 read-equivalent GB/s.
    let light = study(ONE_NODE, &[("a", "arithmetic_intensity = 5\nkernel = \"triad\"")], "a = 4");
    let evaluation = evaluated(&light, ModelKind::default());
    assert_near(evaluation.total.value(), 40.0);
    assert_near(evaluation.nodes[0].occupied.value(), 32.0 / 3.0);
}

#[test]
fn reads_and_triads_share_read_equivalent_bandwidth() {
    // At 5/6 FLOP/byte each thread requests 12 GB/s; for a triad that is 16 read-equivalent GB/s. Baseline 32
    // / 8 = 4: 16 go to four threads, 16 are left. The remaining demand is 2 x 8 + 2 x 12 = 40, so each gets
    // 0.4 of it. Reads: 4 + 3.2 = 7.2; triads: 4 + 4.8 = 8.8, which is 6.6 GB/s as they move data. 2 x 7.2 +
    // 2 x 8.8 = 32.
    let ai = "arithmetic_intensity = 0.8333333333333333";
    let triad = format!("{ai}\nkernel = \"triad\"");
    let mix = study(ONE_NODE, &[("read", ai), ("triad", &triad)], "read = 2, triad = 2");
    let gbs = moved(&mix, ModelKind::default());
    assert_near(gbs[0], 14.4);
    assert_near(gbs[1], 13.2);
    // 2 x 7.2 x 5/6 + 2 x 6.6 x 5/6
    let evaluation = evaluated(&mix, ModelKind::default());
    assert_near(evaluation.total.value(), 23.0);
    assert_near(evaluation.nodes[0].bandwidth.value(), 27.6);
    assert_near(evaluation.nodes[0].occupied.value(), 32.0);
    // Max-min: each consumes 8, which is 6 GB/s of a triad.
    let gbs = moved(&mix, ModelKind::MaxMin);
    assert_near(gbs[0], 16.0);
    assert_near(gbs[1], 12.0);
    // Proportional: 2 x 12 + 2 x 16 = 56 are requested of 32, each gets 4/7 of its request.
    let gbs = moved(&mix, ModelKind::Proportional);
    assert_near(gbs[0], 96.0 / 7.0);
    assert_near(gbs[1], 96.0 / 7.0);
}

/// Two nodes of 4 cores with 32 GB/s; triads have 24 on node 0 and 16 on node 1.
fn two_nodes(more: &str) -> String {
    format!(
        "[machine]\nname = \"m\"\nbandwidth_gbs = 32\n{more}\n[[machine.node]]\ncores = 4\ngflops_per_core = 30\ntriad_gbs = 24\n\
         [[machine.node]]\ncores = 4\ngflops_per_core = 30\ntriad_gbs = 16\n"
    )
}

#[test]
fn links_carry_the_read_equivalent_bandwidth_of_the_memory_behind_them() {
    // The link has 8 GB/s of reads: 8 x 24/32 = 6 of triads on node 0, 8 x 16/32 = 4 on node 1.
    for (home, threads, gbs) in [(0, "[0, 4]", 6.0), (1, "[4, 0]", 4.0)] {
        let app = format!("{TRIAD}\ndata = {{ home = {home} }}");
        let remote = study(&two_nodes("link_gbs = 8"), &[("a", &app)], &format!("a = {threads}"));
        for kind in ModelKind::ALL {
            assert_near(moved(&remote, kind)[0], gbs);
        }
        let link = evaluated(&remote, ModelKind::default()).links.into_iter().find(|link| link.to.0 == home);
        let link = link.expect("two links");
        assert_near(link.bandwidth.value(), gbs);
        assert_near(link.occupied.value(), 8.0);
    }
}

#[test]
fn read_limits_of_nodes_count_read_equivalent_bandwidth() {
    // 20 GB/s of reads are 15 of triads on node 0.
    let limited = study(&two_nodes("link_gbs = 8\nread_gbs = 20"), &[("a", TRIAD)], "a = [4, 0]");
    for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin] {
        assert_near(moved(&limited, kind)[0], 15.0);
    }
}

#[test]
fn data_on_several_memories_costs_the_factor_of_each_memory() {
    // Half of the data on each node: one GB/s consumes 0.5 x 4/3 = 2/3 of node 0 and 0.5 x 2 = 1 of node 1.
    // One thread on node 0 requests 60 GB/s: node 0 would allow 32 / (2/3) = 48, node 1 allows 32.
    let app = format!("{TRIAD}\ndata = \"interleave\"");
    let spread = study(&two_nodes("link_gbs = 100"), &[("a", &app)], "a = [1, 0]");
    for kind in ModelKind::ALL {
        assert_near(moved(&spread, kind)[0], 32.0);
    }
    let nodes = evaluated(&spread, ModelKind::default()).nodes;
    let of = |gbs: GigabytesPerSecond| gbs.value();
    assert_near(of(nodes[0].bandwidth), 16.0);
    assert_near(of(nodes[0].occupied), 64.0 / 3.0);
    assert_near(of(nodes[1].remote), 16.0);
    assert_near(of(nodes[1].occupied), 32.0);
}

#[test]
fn a_memory_may_be_faster_under_a_write_kernel_than_under_reads() {
    let machine = ONE_NODE.replace("triad_gbs = 24", "triad_gbs = 40");
    for kind in ModelKind::ALL {
        assert_near(moved(&study(&machine, &[("a", TRIAD)], "a = 4"), kind)[0], 40.0);
    }
}

//! Demand as people measure it: speed and bandwidth of a thread, rates in a custom unit, shares of writes,
//! and the loss on several nodes. Calculated by hand.

use crate::kernels::{assert_near, evaluated, moved, study};
use numasim_model::{AppId, Evaluation, ModelKind};

/// GFLOPS or rate of each application.
fn speeds(evaluation: &Evaluation) -> Vec<f64> {
    evaluation.apps.iter().map(|app| app.gflops.value()).collect()
}

const READER: &str = "arithmetic_intensity = 0.5";

/// One node x 8 cores, 10 GFLOPS, 32 GB/s.
const ONE_NODE: &str =
    "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 10\nbandwidth_gbs = 32\n";

/// The same with 100 GB/s for reads and 80 at a write share of one half: 90 at a share of 0.25.
const MIXED: &str = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 10\n\
                     bandwidth_gbs = 100\nmixed_gbs = [[0.0, 100.0], [0.5, 80.0]]\n";

#[test]
fn a_rate_is_the_bandwidth_of_a_thread_times_its_units_per_gb() {
    let db = "thread_gbs = 3\nrate = { unit = \"queries/s\", per_gb = 100 }";
    // 8 threads consume 3 GB/s each, 24 of 32.
    let alone = study(ONE_NODE, &[("db", db)], "db = 8");
    assert_near(speeds(&evaluated(&alone, ModelKind::default()))[0], 2400.0);
    // 4 + 4: `db` requests 12 GB/s, the reader 80. Baseline 4 each: `db` gets its 3, the reader the rest, 20
    // GB/s.
    let both = study(ONE_NODE, &[("db", db), ("reader", READER)], "db = 4, reader = 4");
    assert_near(moved(&both, ModelKind::default())[0], 12.0);
    let evaluation = evaluated(&both, ModelKind::default());
    assert_near(speeds(&evaluation)[0], 1200.0);
    assert_near(speeds(&evaluation)[1], 10.0);
    assert_near(evaluation.total.value(), 10.0);
}

#[test]
fn the_bandwidth_of_a_mix_is_interpolated_between_its_points() {
    let writer = "arithmetic_intensity = 0.5\nwrite_share = 0.25";
    // 8 threads request 160 of 90 GB/s; interpolation between the factors 1 and 1.25 would give 88.89.
    for kind in ModelKind::ALL {
        assert_near(moved(&study(MIXED, &[("w", writer)], "w = 8"), kind)[0], 90.0);
    }
    // Equal shares of read-equivalent bandwidth, 50 each, which is 45 GB/s of the writer.
    let both = study(MIXED, &[("w", writer), ("reader", READER)], "w = 4, reader = 4");
    for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin] {
        let evaluation = evaluated(&both, kind);
        assert_near(evaluation.apps[0].bandwidth.value(), 45.0);
        assert_near(evaluation.apps[1].bandwidth.value(), 50.0);
        assert_near(evaluation.nodes[0].occupied.value(), 100.0);
        assert_near(evaluation.nodes[0].bandwidth.value(), 95.0);
    }
    // Only writes: the value of the last point.
    let all = "arithmetic_intensity = 0.5\nwrite_share = 1";
    assert_near(moved(&study(MIXED, &[("w", all)], "w = 8"), ModelKind::default())[0], 80.0);
}

#[test]
fn a_mix_is_relative_to_its_own_read_bandwidth() {
    // mixed(0) is 90, not the 100 of `bandwidth_gbs`: one GB/s counts as 90 / 80, alone 100 x 80 / 90.
    let machine = MIXED.replace("[[0.0, 100.0]", "[[0.0, 90.0]");
    let all = "arithmetic_intensity = 0.5\nwrite_share = 1";
    assert_near(moved(&study(&machine, &[("w", all)], "w = 8"), ModelKind::default())[0], 800.0 / 9.0);
    // Over a link of 18 read-equivalent GB/s: 16.
    let two = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 8\ngflops_per_core = 10\nbandwidth_gbs = 100\n\
               link_gbs = 18\nmixed_gbs = [[0.0, 90.0], [0.5, 80.0]]\n";
    let far = format!("{all}\ndata = {{ home = 1 }}");
    assert_near(moved(&study(two, &[("w", &far)], "w = [8, 0]"), ModelKind::default())[0], 16.0);
}

#[test]
fn a_thread_stays_below_its_measured_speed_and_bandwidth() {
    // 5 GFLOPS and 10 GB/s per thread, intensity 0.5: 20 GB/s consume 20 x 100 / 90. The reader gets the
    // other 77.7778.
    let writer = "thread_gflops = 5\nthread_gbs = 10\nwrite_share = 0.25";
    let both = study(MIXED, &[("w", writer), ("reader", READER)], "w = 2, reader = 6");
    let gbs = moved(&both, ModelKind::default());
    assert_near(gbs[0], 20.0);
    assert_near(gbs[1], 700.0 / 9.0);
    assert_near(speeds(&evaluated(&both, ModelKind::default()))[0], 10.0);
    // A peak above that of the core is limited to that of the core. A given intensity is kept: 10 / 0.25 = 40
    // GB/s are requested, 30 used.
    let fast = "thread_gflops = 50\nthread_gbs = 30\narithmetic_intensity = 0.25";
    let alone = study(MIXED, &[("f", fast)], "f = 1");
    let evaluation = evaluated(&alone, ModelKind::default());
    assert_near(evaluation.apps[0].bandwidth.value(), 30.0);
    assert_near(evaluation.total.value(), 7.5);
    let peak = "thread_gflops = 50\narithmetic_intensity = 10";
    assert_near(evaluated(&study(MIXED, &[("p", peak)], "p = 1"), ModelKind::default()).total.value(), 10.0);
}

#[test]
fn the_loss_on_several_nodes_is_that_of_the_application() {
    let four = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 8\ngflops_per_core = 10\nbandwidth_gbs = 1000\nlink_gbs = 1000\n";
    let app = "arithmetic_intensity = 10\nnode_overhead = 0.12";
    // 1 / (1 + 0.12 log2 k): 1, 1 / 1.12, 1 / 1.24
    for (threads, gflops) in [
        ("[8, 0, 0, 0]", 80.0),
        ("[4, 4, 0, 0]", 80.0 / 1.12),
        ("[8, 8, 0, 0]", 160.0 / 1.12),
        ("[8, 8, 8, 8]", 320.0 / 1.24),
    ] {
        let study = study(four, &[("a", app)], &format!("a = {threads}"));
        let evaluation = evaluated(&study, ModelKind::default());
        assert_near(evaluation.total.value(), gflops);
        // Bandwidths do not change, and the values of the nodes add up.
        let threads = study.scenarios[0].allocation.total(AppId(0));
        assert_near(evaluation.apps[0].bandwidth.value(), threads as f64);
        let groups = evaluation.apps[0].per_node.iter().flatten();
        assert_near(groups.map(|group| group.gflops.value()).sum(), gflops);
        assert_near(evaluation.apps[0].full_speed.value(), gflops);
    }
}

/// One node with two hardware threads on each core.
fn smt_machine(cores: u32, gbs: f64) -> String {
    format!(
        "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = {cores}\ngflops_per_core = 10\n\
         bandwidth_gbs = {gbs}\nthreads_per_core = 2\n"
    )
}

#[test]
fn both_threads_of_a_core_are_one_faster_thread() {
    // Hand test C: 4 cores x 10 GFLOPS that need 1 GB/s each; 2 cores x 10 x 1.25 GFLOPS.
    let vm = |smt: &str| format!("arithmetic_intensity = 10\nsmt_speedup = 1.25\nsmt = \"{smt}\"");
    let machine = smt_machine(4, 1000.0);
    let alone = |smt: &str| study(&machine, &[("vm", &vm(smt))], "vm = 4");
    for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin, ModelKind::Ecm] {
        assert_near(speeds(&evaluated(&alone("one"), kind))[0], 40.0);
        assert_near(speeds(&evaluated(&alone("both"), kind))[0], 25.0);
        let both = study(&machine, &[("a", &vm("both")), ("b", &vm("both"))], "a = 4, b = 4");
        assert_eq!(both.scenarios[0].allocation.as_slice(), [2, 2], "cores");
        assert_eq!(speeds(&evaluated(&both, kind)), [25.0, 25.0]);
    }
    // `thread_gflops` and `thread_gbs` apply to one thread: 2 cores x 1.25 x min(10, 4) and, at 0.5
    // FLOP/byte, 2 x 1.25 x 3 x 0.5.
    let slow = format!("{}\nthread_gflops = 4", vm("both"));
    assert_near(
        speeds(&evaluated(&study(&machine, &[("vm", &slow)], "vm = 4"), ModelKind::default()))[0],
        10.0,
    );
    let few = "arithmetic_intensity = 0.5\nsmt_speedup = 1.25\nsmt = \"both\"\nthread_gbs = 3";
    assert_near(
        speeds(&evaluated(&study(&machine, &[("vm", few)], "vm = 4"), ModelKind::default()))[0],
        3.75,
    );
}

#[test]
fn both_threads_of_a_core_share_its_bandwidth_with_others() {
    // Hand test J: 8 threads on 4 cores, each requests 10 x 1.25 / 0.5 = 25 GB/s; `hpc` requests 1 GB/s on
    // each of its 4 cores, which leaves 36.
    let vm = "arithmetic_intensity = 0.5\nsmt_speedup = 1.25\nsmt = \"both\"";
    let both =
        study(&smt_machine(8, 40.0), &[("vm", vm), ("hpc", "arithmetic_intensity = 10")], "vm = 8, hpc = 4");
    let evaluation = evaluated(&both, ModelKind::default());
    assert_near(speeds(&evaluation)[0], 18.0);
    assert_near(speeds(&evaluation)[1], 40.0);
    // Alone it gets all of the 40 GB/s, on 8 cores or on 4.
    for smt in ["one", "both"] {
        let vm = vm.replace("both", smt);
        let alone = study(&smt_machine(8, 40.0), &[("vm", &vm)], "vm = 8");
        assert_near(speeds(&evaluated(&alone, ModelKind::default()))[0], 20.0);
    }
}

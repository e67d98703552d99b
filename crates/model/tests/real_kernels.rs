//! Real kernels and static scheduling, calculated by hand: copies from a shared source, a dense matrix-vector
//! product.

use numasim_model::evaluation::{Evaluation, Options};
use numasim_model::sharing::Solver;
use numasim_model::{AppId, Bottleneck, ModelKind, NodeId, evaluate_with};
use numasim_study::{SourceFile, read_study};
use proptest::prelude::*;

use crate::common::by_reference;
use crate::common::strategies::case;

/// 2 nodes x 10 cores, controllers of 60 GB/s, links of 20.
const TWO: &str = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 10\ngflops_per_core = 10\n\
                   bandwidth_gbs = 60\nlink_gbs = 20\n";
/// 4 nodes x 20 cores, controllers of 100 GB/s, links of 10.
const FOUR: &str = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 20\ngflops_per_core = 10\n\
                    bandwidth_gbs = 100\nlink_gbs = 10\n";

fn evaluated(text: &str, kind: ModelKind) -> Evaluation {
    let study = read_study(&[SourceFile { name: "s.toml".into(), text: text.into() }]).expect("sound").study;
    let scenario = &study.scenarios[0];
    let placements = scenario.placements().expect("no open home");
    let machine = study.machine.with_sharing(kind.into());
    let options = Options { static_work: scenario.static_work, explained: true };
    evaluate_with(&machine, &study.apps, &placements, &scenario.allocation, options).expect("an evaluation")
}

/// GB/s that `memcpy` moves with these keys of the machine and the application.
fn moved(machine: &str, app: &str, threads: &str, kind: ModelKind) -> f64 {
    let text = format!(
        "{machine}[[app]]\nname = \"copy\"\nkernel = \"memcpy\"\n{app}\n[[scenario]]\nname = \"s\"\nthreads = {{ copy = {threads} }}\n"
    );
    evaluated(&text, kind).apps[0].bandwidth.value()
}

fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-6 * expected, "{got} is not {expected}");
}

const DEFAULT: ModelKind = ModelKind::BaselineProportional;

#[test]
fn k_1_copies_of_a_source_on_node_0() {
    // Half of a thread's traffic is reads from node 0, half is local writes. Node 1: 20 / 10 = 2 GB/s read
    // and 2 written by each thread. Node 0: (60 - 20) / 2 / 10 = 2. 20 threads x 4 = 80, which the benchmark
    // reports (read + written). At equal rates r in max-min: 10 x 2 r + 10 x r = 60, r = 2: the same.
    for kind in [DEFAULT, ModelKind::MaxMin] {
        assert_near(moved(TWO, "data = { home = 0, share = 0.5 }", "10", kind), 80.0);
    }
}

#[test]
fn k_2_the_same_with_lines_read_before_they_are_written() {
    // A third of a thread's traffic is reads from node 0; of three bytes two are reported. Node 1: 2 GB/s
    // read, 4 local, 2 copied. Node 0: (60 - 20) / 3 / 10 = 4/3 copied. 10 x (2 + 4/3) x 2 = 66.67.
    let app = "data = { home = 0, share = 0.3333333333333333 }\nproblem = { how = \"cached\" }";
    assert_near(moved(TWO, app, "10", DEFAULT) * 2.0 / 3.0, 200.0 / 3.0);
    // Equal rates: 10 x 3 r + 10 x r = 60, r = 1.5: 20 x 1.5 x 2 = 60.
    assert_near(moved(TWO, app, "10", ModelKind::MaxMin) * 2.0 / 3.0, 60.0);
}

#[test]
fn k_3_copies_of_a_source_on_each_node() {
    // 60 / 2 / 10 = 3 GB/s copied by each of 20 threads: 120.
    let app = "problem = { source = \"per-node\" }";
    assert_near(moved(TWO, app, "10", DEFAULT), 120.0);
}

#[test]
fn k_4_one_thread_remote_from_its_source() {
    // A core bandwidth of 8 GB/s, read and written: 4 of 20 over the link.
    let machine = format!("{TWO}core_bandwidth_gbs = 8\n");
    assert_near(moved(&machine, "data = { home = 0, share = 0.5 }", "[0, 1]", DEFAULT), 8.0);
}

/// DMV on all cores with its data there, static or not.
fn dmv(data: &str, keys: &str) -> Evaluation {
    let text = format!(
        "{FOUR}[[app]]\nname = \"dmv\"\nkernel = \"dmv\"\narithmetic_intensity = 0.5\ndata = {data}\n\
         [[scenario]]\nname = \"s\"\nthreads = {{ dmv = 20 }}\n{keys}\n"
    );
    evaluated(&text, DEFAULT)
}

#[test]
fn k_9_static_rows_wait_for_the_slowest_thread() {
    // Rows by node: 4 x 100 GB/s x 0.5 = 200 GFLOPS, static or not: all threads are equal.
    for keys in ["", "static = true"] {
        assert_near(dmv("\"local\"", keys).total.value(), 200.0);
    }
    // All on node 0: 3 links x 10, and the remaining 70: 100 x 0.5 = 50.
    assert_near(dmv("{ home = 0 }", "static = false").total.value(), 50.0);
    // 60 remote threads get 10 / 20 = 0.5 GB/s each, and 80 equal shares wait for them: 80 x 0.5 x 0.5 = 20.
    let result = dmv("{ home = 0 }", "static = true");
    assert_near(result.total.value(), 20.0);
    // 80 threads move 0.5 GB/s each: 10 by node 0's own threads, 10 over each link.
    assert_near(result.nodes[0].bandwidth.value(), 40.0);
    let app = &result.apps[0];
    assert_eq!(app.slowest, Some(NodeId(1)));
    let held_back = |node: usize| app.per_node[node].as_ref().map(|group| group.bottleneck.clone());
    assert_eq!(held_back(0), Some(Bottleneck::SlowestThread(NodeId(1))));
    assert_eq!(held_back(1), Some(Bottleneck::Link { from: NodeId(1), to: NodeId(0) }));
    // While all run, node 0's threads get 70 GB/s: 35 GFLOPS.
    assert_near(app.per_node[0].as_ref().expect("threads").working.value(), 35.0);
}

#[test]
fn applications_wait_only_for_their_own_threads() {
    // `far` has 2 threads on each node and its data on node 0, `near` 8 with local data. Node 1: far gets 10
    // GB/s over the link, 5 each; others are faster.
    let text = format!(
        "{TWO}[[app]]\nname = \"far\"\narithmetic_intensity = 1\ndata = {{ home = 0 }}\n\
         [[app]]\nname = \"near\"\narithmetic_intensity = 1\n\
         [[scenario]]\nname = \"s\"\nthreads = {{ far = 2, near = 8 }}\n"
    );
    let text = text.replace("link_gbs = 20", "link_gbs = 10");
    let working = evaluated(&text, DEFAULT);
    let waiting = evaluated(&format!("{text}static = true\n"), DEFAULT);
    // Node 0: 10 leave over the link, 50 for 10 equal threads: 5 each, as on node 1. No thread of `far`
    // waits: 4 x 5. `near` gets 60 / 8 = 7.5 on node 1, and 5 on node 0: 16 x 5.
    assert_near(working.total.value(), 20.0 + 40.0 + 60.0);
    assert_near(waiting.apps[0].gflops.value(), 20.0);
    assert_near(waiting.apps[1].gflops.value(), 80.0);
}

proptest! {
    #![proptest_config(crate::random::questions(256))]
    /// threads x rate of the slowest thread, by the slow solver.
    #[test]
    fn static_work_is_as_fast_as_its_slowest_thread(case in case()) {
        let solver = Solver::new(&case.machine, &case.demands);
        let mut workspace = solver.workspace();
        solver.solve(case.allocation.as_slice(), &mut workspace);
        solver.wait_for_slowest(&mut workspace);
        let slow = by_reference(&case.machine, &case.demands, &case.allocation);
        for (a, rates) in slow.gflops.iter().enumerate() {
            let slowest = rates.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let threads = case.allocation.total(AppId(a));
            let expected = if threads == 0 { 0.0 } else { threads as f64 * slowest };
            let rounding = threads as f64 * case.rounding_gflops(AppId(a));
            prop_assert!((workspace.gflops()[a] - expected).abs() <= rounding, "{} {expected}", workspace.gflops()[a]);
        }
        // The next answer does not depend on it.
        let mut fresh = solver.workspace();
        solver.solve(case.allocation.as_slice(), &mut fresh);
        solver.solve_changes(case.allocation.as_slice(), &mut workspace);
        prop_assert_eq!(workspace.gflops(), fresh.gflops());
    }
}

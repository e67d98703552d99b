//! Last-level caches (D-3 of the specification).

use crate::common::*;
use numasim_graph::values::SchedulerKind::Sa;
use numasim_tasks::Traffic;

/// A writes X on node 0, B reads it on `reader`; all bytes.
fn write_and_read(mb: f64, reader: usize) -> Traffic {
    let mut graph = Graph::new();
    let x = graph.block(mb * MB, None);
    graph.on(0, 1.0, &[all(x, Out, mb * MB)]);
    graph.on(reader, 1.0, &[all(x, In, mb * MB)]);
    under(Sa).run(&with_llc(m2(), 10.0, None), &graph.done()).0.traffic
}

#[test]
fn what_a_task_wrote_is_in_the_cache_of_its_node() {
    // 4 MB of the own write from memory, then none.
    let here = Traffic { llc_local: 4e6, dram_local: 4e6, ..Traffic::default() };
    assert_eq!(write_and_read(4.0, 0), here);
    let there = Traffic { llc_remote: 4e6, dram_local: 4e6, ..Traffic::default() };
    assert_eq!(write_and_read(4.0, 1), there);
}

#[test]
fn a_block_larger_than_the_cache_never_stays() {
    assert_eq!(write_and_read(12.0, 0), Traffic { dram_local: 24e6, ..Traffic::default() });
}

#[test]
fn the_least_recent_block_leaves() {
    // 10 MB hold two of three blocks of 4 MB. A, B, A again, C: B left. A is there, B is not, and takes the place of C.
    let mut graph = Graph::new();
    let [a, b, c] = [(); 3].map(|()| graph.block(4.0 * MB, Some(0)));
    let order = graph.block(0.0, Some(0));
    for block in [a, b, a, c, a, b, c] {
        graph.on(0, 0.0, &[all(order, Inout, 0.0), all(block, In, 4.0 * MB)]);
    }
    let (_, records) = under(Sa).run(&with_llc(m2(), 10.0, None), &graph.done());
    let hits: Vec<bool> = records.iter().map(|record| record.traffic.llc_local > 0.0).collect();
    assert_eq!(hits, [false, false, true, false, true, false, false]);
}

/// Seven blocks of 10/7 MB are 10 MB and two billionths of a byte, added up with rounding.
#[test]
fn equal_parts_of_a_cache_fill_it() {
    for parts in [7, 27] {
        let mut graph = Graph::new();
        let order = graph.block(0.0, Some(0));
        let bytes = 10.0 * MB / f64::from(parts);
        let blocks: Vec<_> = (0..parts).map(|_| graph.block(bytes, Some(0))).collect();
        for _ in 0..2 {
            for &block in &blocks {
                graph.on(0, 0.0, &[all(order, Inout, 0.0), all(block, In, bytes)]);
            }
        }
        let (run, _) = under(Sa).run(&with_llc(m2(), 10.0, None), &graph.done());
        near(run.traffic.llc_local, 10.0 * MB);
        near(run.traffic.dram_local, 10.0 * MB);
    }
}

#[test]
fn a_write_drops_the_copies_of_others() {
    // Both nodes read X. Then node 1 writes it (its copy is its own), and node 0 finds it there only.
    let mut graph = Graph::new();
    let x = graph.block(4.0 * MB, Some(0));
    for (socket, mode) in [(0, In), (1, In), (1, Inout), (0, In)] {
        graph.on(socket, 0.0, &[all(x, mode, 4.0 * MB)]);
    }
    // Readers need no order of their own: the second is created when the first has ended.
    let mut setting = under(Sa);
    setting.runtime.throttle = Some(1);
    let (_, records) = setting.run(&with_llc(m2(), 10.0, None), &graph.done());
    let classes: Vec<_> = records.iter().map(|record| record.traffic).collect();
    let bytes = 4e6;
    assert_eq!(classes[0], Traffic { dram_local: bytes, ..Traffic::default() });
    assert_eq!(classes[1], Traffic { llc_remote: bytes, ..Traffic::default() });
    assert_eq!(classes[2], Traffic { llc_local: bytes, ..Traffic::default() });
    assert_eq!(classes[3], Traffic { llc_remote: bytes, ..Traffic::default() });
}

#[test]
fn the_nearest_holder_serves_then_the_one_with_the_lowest_number() {
    // X lies on node 3; nodes 1 and 2 have copies. Node 0 reads it from node 2, which is nearer, and without distances from node 1:
    // links of 5 and 4 GB/s, 4 MB: 0.8 or 1 ms.
    let machine = |distances: Option<Vec<f64>>| {
        let links = (0..16).map(|pair| if pair == 1 { 4.0 } else { 5.0 });
        let links = links.map(numasim_model::units::GigabytesPerSecond::new).collect();
        let machine = numasim_model::Machine::new("four", vec![node(1); 4], links).expect("a machine");
        let machine = match distances {
            Some(distances) => machine.with_distances(distances).expect("distances"),
            None => machine,
        };
        with_llc(machine, 10.0, None)
    };
    let mut graph = Graph::new();
    let x = graph.block(4.0 * MB, Some(3));
    for socket in [1, 2, 0] {
        graph.on(socket, 0.0, &[all(x, In, 4.0 * MB)]);
    }
    let graph = graph.done();
    let mut setting = under(Sa);
    setting.runtime.throttle = Some(1);
    let last = |machine| {
        let (_, records) = setting.run(&machine, &graph);
        records[2].end_s - records[2].start_s
    };
    near(last(machine(None)), 1e-3);
    let distances =
        (0..16).map(|pair| [10.0, 30.0, 20.0, 30.0][(pair / 4_usize).abs_diff(pair % 4)]).collect();
    near(last(machine(Some(distances))), 0.8e-3);
}

#[test]
fn a_core_reads_its_cache_no_faster_than_it_can() {
    // 4 MB at 2 GB/s: 2 ms, also with compute of 1 ms. With 4 MB of memory beside it, the same time for all of it: want 2 x 4 / 4 = 2 GB/s.
    let mut graph = Graph::new();
    let (x, y) = (graph.block(4.0 * MB, Some(0)), graph.block(4.0 * MB, Some(0)));
    graph.on(0, 0.0, &[all(x, In, 4.0 * MB)]);
    graph.on(0, 0.01, &[all(x, Inout, 4.0 * MB)]);
    graph.on(0, 0.01, &[all(x, Inout, 4.0 * MB), all(y, In, 4.0 * MB)]);
    let (_, records) = under(Sa).run(&with_llc(m2(), 10.0, Some(2.0)), &graph.done());
    near(records[1].end_s - records[1].start_s, 2e-3);
    near(records[2].end_s - records[2].start_s, 2e-3);
}

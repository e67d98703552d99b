//! Last-level caches by reuse distance: hand tests F and G of the specification, and one rule after the other.

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Fifo, Sa};
use numasim_graph::values::TaskGraph;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_tasks::Traffic;

/// One node with 100 GB/s and a cache of `mb`.
fn one_node(cores: u32, mb: f64) -> Machine {
    let node = Node {
        cores,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(100.0),
        ..Node::default()
    };
    let machine = Machine::uniform("one", 1, node, GigabytesPerSecond::new(1.0)).expect("a machine");
    with_llc(machine, mb, None)
}

/// Chains of 20 tasks without work that each sweep a block of 10.5 MB.
fn sweeps(chains: usize) -> TaskGraph {
    let mut graph = Graph::new();
    let blocks: Vec<_> = (0..chains).map(|_| graph.block(10.5 * MB, None)).collect();
    for _ in 0..20 {
        for &block in &blocks {
            graph.task(0.0, &[all(block, Inout, 10.5 * MB)]);
        }
    }
    graph.done()
}

/// Hand test F. 20 x 20 x 10.5 MB = 4.2 GB at 100 GB/s are 42 ms; swept data is touched again after 210 MB.
#[test]
fn sweeps_of_more_than_one_and_a_half_caches_have_no_hits() {
    for mb in [14.0, 110.0] {
        let (run, _) = under(Fifo).run(&one_node(20, mb), &sweeps(20));
        assert_eq!(run.traffic.llc_local, 0.0, "{mb} MB");
        near(run.traffic.dram_local, 4.2 * GB);
        near(run.makespan.value(), 0.042);
    }
}

/// Hand test F. 210 MB of 200: D / L = 1.05, of 19 of the 20 sweeps 0.45. 2404.5 MB from memory.
#[test]
fn of_sweeps_of_a_little_more_than_the_cache_a_part_hits() {
    let (run, _) = under(Fifo).run(&one_node(20, 200.0), &sweeps(20));
    near(run.traffic.llc_local, 1795.5 * MB);
    near(run.traffic.dram_local, 2404.5 * MB);
    near(run.makespan.value(), 0.024_045);
}

/// Hand test F. A distance below the cache counts for less than its bytes: 10.5 MB, then 10.5 x 0.75, then that x 0.5625.
#[test]
fn one_block_alone_settles_in_the_cache() {
    let (run, records) = under(Fifo).run(&one_node(1, 14.0), &sweeps(1));
    for (record, hits) in records.iter().zip([0.0, 0.75, 0.9375, 1.0, 1.0]) {
        near(record.traffic.llc_local, 10.5 * MB * hits);
    }
    near(run.traffic.dram_local, 13.781_25 * MB);
}

/// Hand test G, on a cache of 8 MB: X has 8, Y 4.
#[test]
fn bytes_of_a_block_have_distances_of_their_own() {
    let mut graph = Graph::new();
    let (x, y) = (graph.block(8.0 * MB, None), graph.block(4.0 * MB, None));
    let order = graph.block(0.0, None);
    for (block, mode, mb) in [(x, Out, 8.0), (y, Out, 4.0), (x, In, 1.0), (x, In, 8.0), (x, In, 8.0)] {
        graph.task(0.0, &[all(block, mode, mb * MB), all(order, Inout, 0.0)]);
    }
    let (_, records) = under(Fifo).run(&one_node(1, 8.0), &graph.done());
    // A distance of 12; of 1 for the first MB and 13 for the others, which adds 1/8 + 7; of 7.125, which is 57/64 of the cache.
    for (record, mb) in records.iter().zip([0.0, 0.0, 0.0, 1.0, 8.0 * 39.0 / 64.0]) {
        near(record.traffic.llc_local, mb * MB);
    }
}

/// Two tasks are taken in one instant on cores of a node: the second hits the bytes that the first touches. On another node it does not:
/// caches of mere readers are ignored.
#[test]
fn the_second_of_two_readers_at_once_has_everything_in_the_cache() {
    for (second, hits) in [(0, 1.0), (1, 0.0)] {
        let mut graph = Graph::new();
        let x = graph.block(400.0 * MB, Some(0));
        graph.on(0, 0.0, &[all(x, In, 400.0 * MB)]);
        graph.on(second, 0.0, &[all(x, In, 400.0 * MB)]);
        let (_, records) = under(Sa).run(&with_llc(m2(), 10.0, None), &graph.done());
        assert_eq!(records[1].traffic.llc_local, 400.0 * MB * hits);
        assert_eq!(records[1].traffic.dram_remote, 400.0 * MB * (1.0 - hits));
    }
}

/// A task of 8 MB runs for 0.1 s, and meanwhile a chain reads X (1 MB), computes, and reads X again. When it is half or all done, 4 or 8 MB of
/// it count, and the MB of X itself: 5/8 or 9/8 of the cache.
#[test]
fn a_running_task_counts_by_the_part_that_is_done() {
    for (gflop, parts) in [(0.5, 5.0 / 8.0), (1.0, 9.0 / 8.0)] {
        let mut graph = Graph::new();
        let (x, y) = (graph.block(1.0 * MB, Some(0)), graph.block(8.0 * MB, Some(0)));
        let order = graph.block(0.0, Some(0));
        graph.task(1.0, &[all(y, In, 8.0 * MB)]);
        graph.task(gflop, &[all(x, In, 1.0 * MB), all(order, Inout, 0.0)]);
        graph.task(0.0, &[all(x, In, 1.0 * MB), all(order, Inout, 0.0)]);
        let (_, records) = under(Fifo).run(&one_node(2, 8.0), &graph.done());
        near(records[2].traffic.llc_local, (1.5 - parts) * MB);
    }
}

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
    // 4 MB of its write come from memory, then none.
    let here = Traffic { llc_local: 4e6, dram_local: 4e6, ..Traffic::default() };
    assert_eq!(write_and_read(4.0, 0), here);
    let there = Traffic { llc_remote: 4e6, dram_local: 4e6, ..Traffic::default() };
    assert_eq!(write_and_read(4.0, 1), there);
}

#[test]
fn of_a_block_that_is_a_little_larger_than_the_cache_a_part_stays() {
    // 12 MB of 10: 1.5 - 1.2 of them; of 15 MB nothing.
    let traffic = write_and_read(12.0, 0);
    near(traffic.llc_local, 3.6 * MB);
    near(traffic.dram_local, 20.4 * MB);
    assert_eq!(write_and_read(15.0, 0), Traffic { dram_local: 30e6, ..Traffic::default() });
}

/// Seven blocks of 5/7 MB are half of 10 MB plus a billionth of a byte, when added up with rounding.
#[test]
fn equal_parts_of_half_a_cache_stay() {
    for parts in [7, 27] {
        let mut graph = Graph::new();
        let order = graph.block(0.0, Some(0));
        let bytes = 5.0 * MB / f64::from(parts);
        let blocks: Vec<_> = (0..parts).map(|_| graph.block(bytes, Some(0))).collect();
        for _ in 0..2 {
            for &block in &blocks {
                graph.on(0, 0.0, &[all(order, Inout, 0.0), all(block, In, bytes)]);
            }
        }
        let (run, records) = under(Sa).run(&with_llc(m2(), 10.0, None), &graph.done());
        near(run.traffic.llc_local, 5.0 * MB);
        assert!(records.iter().skip(blocks.len()).all(|record| record.traffic.dram_local == 0.0));
    }
}

#[test]
fn a_write_takes_the_bytes_out_of_the_caches_of_others() {
    // Both nodes read X. Then node 1 writes it, from its cache, and node 0 finds it only there.
    let mut graph = Graph::new();
    let x = graph.block(4.0 * MB, Some(0));
    for (socket, mode) in [(0, In), (1, In), (1, Inout), (0, In)] {
        graph.on(socket, 0.0, &[all(x, mode, 4.0 * MB)]);
    }
    // Readers need no order among themselves: the second is created when the first has ended.
    let mut setting = under(Sa);
    setting.runtime.throttle = Some(1);
    let (_, records) = setting.run(&with_llc(m2(), 10.0, None), &graph.done());
    let classes: Vec<_> = records.iter().map(|record| record.traffic).collect();
    let bytes = 4e6;
    assert_eq!(classes[0], Traffic { dram_local: bytes, ..Traffic::default() });
    assert_eq!(classes[1], Traffic { dram_remote: bytes, ..Traffic::default() });
    assert_eq!(classes[2], Traffic { llc_local: bytes, ..Traffic::default() });
    assert_eq!(classes[3], Traffic { llc_remote: bytes, ..Traffic::default() });
}

#[test]
fn the_cache_of_the_last_writer_serves_others_as_its_memory_would() {
    // X of 4 MB is on node 3; node 2 writes it, node 1 reads it. Node 0 reads it from node 2, whose link has 4 GB/s: 1 ms; from node 1 or
    // 3 it would be 0.8 ms.
    let links = (0..16).map(|pair| if pair == 2 { 4.0 } else { 5.0 });
    let links = links.map(GigabytesPerSecond::new).collect();
    let machine = Machine::new("four", vec![node(1); 4], links).expect("a machine");
    let mut graph = Graph::new();
    let x = graph.block(4.0 * MB, Some(3));
    for (socket, mode) in [(2, Inout), (1, In), (0, In)] {
        graph.on(socket, 0.0, &[all(x, mode, 4.0 * MB)]);
    }
    let mut setting = under(Sa);
    setting.runtime.throttle = Some(1);
    let (_, records) = setting.run(&with_llc(machine, 10.0, None), &graph.done());
    assert_eq!(records[2].traffic, Traffic { llc_remote: 4e6, ..Traffic::default() });
    near(records[2].end_s - records[2].start_s, 1e-3);
}

#[test]
fn a_core_reads_its_cache_no_faster_than_it_can() {
    // 4 MB at 2 GB/s: 2 ms, also with compute of 1 ms. With 4 MB of memory in addition, the same time for everything: demand 2 x 4 / 4 =
    // 2 GB/s.
    let mut graph = Graph::new();
    let (x, y) = (graph.block(4.0 * MB, Some(0)), graph.block(4.0 * MB, Some(0)));
    graph.on(0, 0.0, &[all(x, In, 4.0 * MB)]);
    graph.on(0, 0.01, &[all(x, Inout, 4.0 * MB)]);
    graph.on(0, 0.01, &[all(x, Inout, 4.0 * MB), all(y, In, 4.0 * MB)]);
    let (_, records) = under(Sa).run(&with_llc(m2(), 10.0, Some(2.0)), &graph.done());
    near(records[1].end_s - records[1].start_s, 2e-3);
    near(records[2].end_s - records[2].start_s, 2e-3);
}

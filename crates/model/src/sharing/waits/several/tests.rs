//! Several queues by hand, and what holds of every solution.

use super::*;

fn solved(groups: &[Group], laws: &[(f64, f64)], uses: &[(u32, u32, f64)]) -> Queues {
    let mut waits = Queues::default();
    let mut sorted: Vec<Use> = uses
        .iter()
        .map(|&(queue, group, taken)| Use { queue, group, taken, counted: taken, penalty: 0.0 })
        .collect();
    sorted.sort_by_key(|one| one.queue);
    waits.layout.lay_out(sorted.into_iter(), laws.len(), groups.len());
    waits.make_room(groups.len(), laws.len());
    waits.groups.copy_from_slice(groups);
    waits.active = (0..).zip(groups).filter(|(_, group)| group.threads > 0.0).map(|(g, _)| g).collect();
    waits.laws = laws.iter().map(|&(capacity, factor)| Law::new(capacity, factor)).collect();
    waits.solve(0..laws.len());
    waits
}

fn threads(threads: f64, alone_gbs: f64) -> Group {
    Group { threads, alone: alone_gbs, time: 1.0 / alone_gbs, waits: 1.0 }
}

#[test]
fn two_equal_memories_are_as_fast_as_one_of_twice_the_bandwidth() {
    // Each memory delivers half of the bandwidth of 8 threads of 10 GB/s. With hard corners of 30 GB/s each thread has 60 / 8 = 7.5.
    let both = solved(&[threads(8.0, 10.0)], &[(30.0, 0.0), (30.0, 0.0)], &[(0, 0, 0.5), (1, 0, 0.5)]);
    assert!((both.rates[0] - 7.5).abs() < 1e-12, "{:?}", both.rates);
    let one = solved(&[threads(8.0, 10.0)], &[(60.0, 1e-3)], &[(0, 0, 1.0)]);
    let both = solved(&[threads(8.0, 10.0)], &[(30.0, 2e-3), (30.0, 2e-3)], &[(0, 0, 0.5), (1, 0, 0.5)]);
    assert!((both.rates[0] / one.rates[0] - 1.0).abs() < 1e-12);
}

#[test]
fn large_and_small_systems_give_the_same_rates() {
    // 240 equal memories deliver a 240th each: more equations than the solver factors.
    let shares = |count: u32, capacity: f64| {
        let laws = vec![(capacity, 0.5 / capacity); count as usize];
        let uses: Vec<(u32, u32, f64)> = (0..count).map(|q| (q, 0, 1.0 / f64::from(count))).collect();
        solved(&[threads(40.0, 10.0)], &laws, &uses).rates[0]
    };
    assert!((shares(240, 1.0) / shares(120, 2.0) - 1.0).abs() < 1e-12);
    assert!((shares(240, 1.0) / shares(1, 240.0) - 1.0).abs() < 1e-12);
}

#[test]
fn the_time_per_byte_is_the_mean_over_the_memories() {
    // 4 threads of 10 GB/s read half of their data from a memory where they wait and half from a wide one. The rate is 1 / (0.1 + w / 2) with
    // D(w) = 4 x rate / 2.
    let waits = solved(&[threads(4.0, 10.0)], &[(10.0, 0.01), (1e6, 0.0)], &[(0, 0, 0.5), (1, 0, 0.5)]);
    let wait = waits.waits[0];
    assert!((waits.rates[0] - 1.0 / (0.1 + wait / 2.0)).abs() < 1e-12);
    let law = Law::new(10.0, 0.01);
    assert!((law.delivered(wait).0 - 2.0 * waits.rates[0]).abs() < 1e-10);
}

#[test]
fn a_thread_that_waits_nowhere_keeps_its_own_rate() {
    let waits = solved(
        &[threads(1.0, 10.0), threads(0.0, 5.0)],
        &[(40.0, 0.0), (12.0, 0.0)],
        &[(0, 0, 0.5), (1, 0, 0.5), (1, 1, 1.0)],
    );
    assert_eq!(waits.rates[0], 10.0);
}

#[test]
fn the_narrower_of_two_nearly_equal_hard_queues_limits_a_thread() {
    // Half of the data of a thread of 20 GB/s behind a link of 3 and a memory of 2.967 GB/s: it has 2 x 2.967.
    let uses = [(0, 0, 0.5), (1, 0, 0.5), (2, 0, 0.5)];
    let waits = solved(&[threads(1.0, 20.0)], &[(6.3, 0.0), (3.0, 0.0), (2.967, 0.0)], &uses);
    assert!((waits.rates[0] - 5.934).abs() < 1e-12, "{:?}", waits.rates);
    // Nearly hard soft corners give almost the same.
    let waits = solved(&[threads(1.0, 20.0)], &[(6.3, 2.5e-9), (3.0, 1.2e-9), (2.967, 1.1e-9)], &uses);
    assert!((waits.rates[0] - 5.934).abs() < 1e-6, "{:?}", waits.rates);
}

#[test]
fn the_widest_of_hard_queues_on_the_same_threads_has_no_wait() {
    // Two threads of 10 GB/s read half of their data through a link each, of 0.5 and 0.6 GB/s, from one memory of 1.1 - 1e-6 GB/s. The links allow
    // 1 and 1.2, the memory 2 (1.1 - 1e-6) together. The bytes of the first thread wait longer, so that its link is the full one: the second has 1.2 - 2e-6.
    let uses = [(0, 0, 0.5), (1, 1, 0.5), (2, 0, 0.5), (2, 1, 0.5)];
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut laws = [(0.0, 0.0); 3];
        let capacities = [0.5, 0.6, 1.1 - 1e-6];
        (0..3).for_each(|q| laws[order[q]].0 = capacities[q]);
        let uses = uses.map(|(q, group, taken)| (u32::try_from(order[q]).expect("small"), group, taken));
        let got = solved(&[threads(1.0, 10.0), threads(1.0, 10.0)], &laws, &uses).rates;
        assert!((got[0] - 1.0).abs() < 1e-12 && (got[1] - 1.2 + 2e-6).abs() < 1e-12, "{order:?}: {got:?}");
    }
}

#[test]
fn two_equal_queues_on_the_same_threads_count_as_one() {
    // Threads of two nodes read one memory of 12.2527 GB/s. Each node has a link and one L3 domain of 6.1266 GB/s, together 0.0005 more than the memory
    // delivers. The bytes of the second node wait less, so that its link is the one with room.
    let (a, b) = (0.272, 1.0 / 3.0);
    let of_node =
        |first: u32| (0..2).flat_map(move |queue| [(first + queue, first, a), (first + queue, first + 1, b)]);
    let of_memory = [(4, 0, a), (4, 1, b), (4, 2, a), (4, 3, b)];
    let uses: Vec<(u32, u32, f64)> = of_node(0).chain(of_node(2)).chain(of_memory).collect();
    let laws = [(6.1266, 0.0), (6.1266, 0.0), (6.1266, 0.0), (6.1266, 0.0), (12.2527, 0.0)];
    let groups = [threads(1.0, 16.0), threads(3.0, 63.0), threads(2.0, 16.0), threads(2.0, 63.0)];
    let got = solved(&groups, &laws, &uses).rates;
    let drawn = [a * got[0] + 3.0 * b * got[1], 2.0 * a * got[2] + 2.0 * b * got[3]];
    assert!((drawn[0] - 6.1266).abs() < 1e-9 && (drawn[1] - 6.1261).abs() < 1e-9, "{drawn:?}");
}

#[test]
fn a_nearly_full_soft_queue_next_to_a_full_hard_queue_is_solved() {
    // A thread of 1000 GB/s uses a hard queue of 14.758 GB/s and a soft one of 15.2725 GB/s. Three other threads draw about 0.507 GB/s of the soft one: half
    // of the data of a thread that also uses a link of 0.3 GB/s, and 0.132 of the data of threads of 1.3 and 0.285 GB/s. The soft queue has 0.0075 GB/s to
    // spare, but Newton's step starts with the whole wait of the first thread there. In the end the hard queue is full.
    let uses = [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 0.5), (1, 2, 0.132), (1, 3, 0.132), (2, 1, 0.5)];
    let groups = [threads(1.0, 1000.0), threads(1.0, 7.7), threads(1.0, 1.3), threads(1.0, 0.285)];
    let waits = solved(&groups, &[(14.758, 0.0), (15.2725, 8.3e-4), (0.3, 0.0)], &uses);
    assert!(
        (waits.rates[0] - 14.758).abs() < 1e-9 && (waits.rates[1] - 0.6).abs() < 1e-9,
        "{:?}",
        waits.rates
    );
    let drawn = 14.758 + 0.3 + 0.132 * (waits.rates[2] + waits.rates[3]);
    let delivered = Law::new(15.2725, 8.3e-4).delivered(waits.waits[1]).0;
    assert!((drawn - delivered).abs() < 1e-9, "{drawn} {delivered}");
}

#[test]
fn every_queue_delivers_the_drawn_bandwidth() {
    // Spread and local data, a limit on the reads of a node, long waits, narrow and wide, hard and soft queues, all together.
    let groups = [
        threads(5.0, 20.0),
        Group { waits: 15.0, ..threads(2.0, 1.0) },
        threads(8.0, 3.0),
        threads(1.0, 100.0),
    ];
    for (a, b, c) in [(50.0, 20.0, 9.0), (5.0, 200.0, 1.0), (30.0, 30.0, 30.0), (1000.0, 1e-3, 7.0)] {
        for factor in [0.0, 1e-3, 0.3] {
            let laws = [(a, factor / (a * a)), (b, factor / (b * b)), (c, 7.0 * factor / (c * c))];
            let uses = [
                (0, 0, 0.5),
                (1, 0, 0.5),
                (2, 0, 1.0),
                (0, 1, 1.0),
                (1, 2, 0.9),
                (0, 2, 0.1),
                (2, 3, 2.0),
                (1, 3, 1.0),
            ];
            let waits = solved(&groups, &laws, &uses);
            for (q, law) in waits.laws.iter().enumerate().filter(|(_, law)| law.capacity > 0.0) {
                let (wait, drawn) = (waits.waits[q], waits.drawn[q]);
                let delivered = if law.is_hard() { law.capacity } else { law.delivered(wait).0 };
                let gap = if wait <= 0.0 { (drawn - delivered).max(0.0) } else { drawn - delivered };
                assert!(gap.abs() < 1e-12 * law.capacity, "{a} {b} {c} {factor}: queue {q} {gap}");
            }
        }
    }
}

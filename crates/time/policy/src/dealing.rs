//! Round-robin distribution of cores to a set of applications.
//!
//! On each node in turn, each core goes to the next application of the set in file order that still has threads there. The next
//! node continues after the last application served \[decision: paper 002, section II, wants "a fair share" and specifies no
//! more\]. If all have enough threads, core counts over all nodes differ by at most one.

use numasim_model::Machine;

use crate::view::{AppView, Decision, Presence, View};

/// Distributes `cores` (of each node) to applications that can use at most `room` (of each application: threads on each node;
/// a missing entry in a row means no thread there, and an application outside the set has no row).
///
/// Returns threads of each application on each node.
pub fn deal(cores: &[u32], room: &[impl AsRef<[u32]>]) -> Vec<Vec<u32>> {
    let apps = room.len();
    let mut dealt = vec![vec![0; cores.len()]; apps];
    // The application after the last one served.
    let mut next = 0;
    for (n, &cores) in cores.iter().enumerate() {
        let room_of = |a: usize| room[a].as_ref().get(n).copied().unwrap_or(0);
        let mut in_turn: Vec<usize> = (next..apps).chain(0..next).filter(|&a| room_of(a) > 0).collect();
        let mut left = cores;
        while left > 0 && !in_turn.is_empty() {
            in_turn.retain(|&a| {
                if left == 0 {
                    return true;
                }
                dealt[a][n] += 1;
                left -= 1;
                next = (a + 1) % apps;
                dealt[a][n] < room_of(a)
            });
        }
    }
    dealt
}

/// The cores of each node.
pub(crate) fn cores_of(machine: &Machine) -> Vec<u32> {
    machine.nodes().iter().map(|node| node.cores).collect()
}

/// The threads that an application can have; 0 if it is not in the set.
pub(crate) fn room_of(app: &AppView, is_in: bool) -> &[u32] {
    if is_in { &app.threads } else { &[] }
}

/// Distributes all `cores` to the applications of `view` that `is_in` accepts.
pub(crate) fn deal_to(cores: &[u32], view: &View, is_in: impl Fn(&AppView) -> bool) -> Vec<Vec<u32>> {
    let room = |app| room_of(app, is_in(app));
    deal(cores, &view.apps.iter().map(room).collect::<Vec<_>>())
}

/// `rows` for the applications that are present; the others get no decision.
pub(crate) fn decided(view: &View, rows: Vec<Vec<u32>>) -> Decision {
    let there = |(app, row): (&AppView, Vec<u32>)| (app.presence == Presence::There).then_some(row);
    Decision { threads: view.apps.iter().zip(rows).map(there).collect(), reasons: Vec::new() }
}

/// Values with a smaller relative difference are equal.
pub(crate) const TOLERANCE: f64 = 1e-9;

/// Whether `one` is less than `other` by more than rounding. An infinite value is equal to itself and larger than all others.
pub(crate) fn is_less(one: f64, other: f64) -> bool {
    one < other
        && (one.is_infinite() || other.is_infinite() || other - one > TOLERANCE * one.abs().max(other.abs()))
}

/// The index and value of the first of `times` that is no later than the earliest, apart from rounding. Times count from `now`;
/// the precision is that of `now` plus the time.
pub(crate) fn first_of(now: f64, times: impl Iterator<Item = Option<f64>> + Clone) -> Option<(usize, f64)> {
    let earliest = times.clone().flatten().min_by(f64::total_cmp)?;
    let latest = earliest + slack(now, earliest);
    let mut numbered = times.enumerate().filter_map(|(place, time)| Some((place, time?)));
    numbered.find(|(_, time)| *time <= latest)
}

/// The tolerance within which a later time equals `time`, counted from `now`, apart from rounding.
pub(crate) fn slack(now: f64, time: f64) -> f64 {
    TOLERANCE * (now + time)
}

#[cfg(test)]
mod rounding_tests {
    use super::*;

    #[test]
    fn last_bits_make_no_difference() {
        assert!(is_less(1.0, 2.0) && !is_less(2.0, 1.0));
        assert!(!is_less(0.3, 0.1 + 0.2) && !is_less(0.1 + 0.2, 0.3));
        assert!(!is_less(1.0, 1.0 + 0.9e-9) && is_less(1.0, 1.0 + 1.1e-9));
        assert!(!is_less(0.0, 0.0) && is_less(0.0, 1e-300));
    }

    #[test]
    fn never_is_later_than_any_time_and_equal_to_itself() {
        let never = f64::INFINITY;
        assert!(is_less(1e300, never) && !is_less(never, 1e300) && !is_less(never, never));
        assert!(is_less(f64::NEG_INFINITY, -1e300));
    }

    #[test]
    fn of_equal_times_the_first_in_order_counts() {
        let of = |now, times: &[Option<f64>]| first_of(now, times.iter().copied()).map(|(place, _)| place);
        assert_eq!(of(0.0, &[None, Some(2.0), Some(1.0 + 1e-12), Some(1.0)]), Some(2));
        assert_eq!(of(0.0, &[Some(1.0 + 2e-9), Some(1.0)]), Some(1));
        // After 1000 s times are known to 1e-6 s.
        assert_eq!(of(1000.0, &[Some(1.0 + 2e-9), Some(1.0)]), Some(0));
        assert_eq!(of(0.0, &[None]), None);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn three_applications_on_eight_cores() {
        // a b c a b c a b
        assert_eq!(deal(&[8], &vec![vec![8]; 3]), [[3], [3], [2]]);
    }

    #[test]
    fn the_next_node_continues_after_the_last_application_served() {
        // a b c a b | c a b c a: 5 + 5 cores, a 4, b 3, c 3
        assert_eq!(deal(&[5, 5], &vec![vec![5, 5]; 3]), [[2, 2], [2, 1], [1, 2]]);
    }

    #[test]
    fn applications_without_threads_left_are_skipped() {
        // Node 0: a b c, b has only one thread: a c a c a. Node 1 continues with b, which has none there: c a c a.
        let room = vec![vec![9, 9], vec![1, 0], vec![9, 9]];
        assert_eq!(deal(&[8, 4], &room), [[4, 2], [1, 0], [3, 2]]);
    }

    #[test]
    fn a_node_without_cores_changes_nothing() {
        // a | none | b a
        assert_eq!(deal(&[1, 0, 2], &vec![vec![2, 0, 2]; 2]), [[1, 0, 1], [0, 0, 1]]);
    }

    #[test]
    fn one_core_goes_to_the_first_of_the_set() {
        assert_eq!(deal(&[1], &[vec![], vec![1], vec![1]]), [[0], [1], [0]]);
    }

    #[test]
    fn an_empty_machine_gives_no_cores() {
        assert_eq!(deal(&[4], &[[0_u32; 0]; 0]), Vec::<Vec<u32>>::new());
        assert_eq!(deal(&[], &[[0_u32; 0]]), [[0_u32; 0]]);
    }

    #[test]
    fn cores_limit_the_threads_that_are_dealt() {
        assert_eq!(deal(&[4], &[vec![65_536], vec![1]]), [[3], [1]]);
    }

    proptest! {
        #![proptest_config(crate::random::questions(256))]

        #[test]
        fn all_cores_are_dealt_as_far_as_threads_suffice(
            cores in prop::collection::vec(0_u32..20, 1..5),
            room in prop::collection::vec(prop::collection::vec(0_u32..12, 4), 0..7),
        ) {
            let dealt = deal(&cores, &room);
            for (n, &cores) in cores.iter().enumerate() {
                let threads: u32 = room.iter().map(|row| row[n]).sum();
                prop_assert_eq!(dealt.iter().map(|row| row[n]).sum::<u32>(), cores.min(threads));
                prop_assert!(dealt.iter().zip(&room).all(|(row, room)| row[n] <= room[n]));
            }
        }

        #[test]
        fn shares_differ_by_one_core_at_most(cores in prop::collection::vec(0_u32..20, 1..5), apps in 1_usize..7) {
            let dealt = deal(&cores, &vec![cores.clone(); apps]);
            let totals: Vec<u32> = dealt.iter().map(|row| row.iter().sum()).collect();
            let (least, most) = (totals.iter().min(), totals.iter().max());
            prop_assert!(most.zip(least).is_none_or(|(most, least)| most - least <= 1));
        }
    }
}

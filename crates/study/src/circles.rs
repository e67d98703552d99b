//! Finds circles in arrows between numbered things.

use std::collections::VecDeque;

/// One circle of each knot of circles, as the places of its arrows in `arrows`, from one to the next; in the order of their
/// first arrows. `things` is how many there are; arrows go from a number below it to another one, or to the same.
pub(super) fn find(things: usize, arrows: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let (mut leaving, mut arriving) = (vec![Vec::new(); things], vec![Vec::new(); things]);
    for (number, &(from, to)) in arrows.iter().enumerate() {
        leaving[from].push(number);
        arriving[to].push(number);
    }
    let knot = knots(&leaving, &arriving, arrows);
    let mut done = vec![false; things];
    let mut circles = Vec::new();
    for (number, &(from, to)) in arrows.iter().enumerate() {
        if knot[from] != knot[to] || std::mem::replace(&mut done[knot[from]], true) {
            continue;
        }
        circles.extend(way_back(number, &leaving, arrows, |thing| knot[thing] == knot[from]));
    }
    circles
}

/// For each thing a number of its knot: two things are in the same one where arrows lead from each to the other.
/// Kosaraju's algorithm, without recursion.
fn knots(leaving: &[Vec<usize>], arriving: &[Vec<usize>], arrows: &[(usize, usize)]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let things = leaving.len();
    let mut seen = vec![false; things];
    let mut finished = Vec::with_capacity(things);
    for start in 0..things {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        // A thing, and how many of its arrows were followed.
        let mut path = vec![(start, 0)];
        while let Some((thing, followed)) = path.last_mut() {
            let Some(&arrow) = leaving[*thing].get(*followed) else {
                finished.push(*thing);
                path.pop();
                continue;
            };
            *followed += 1;
            let next = arrows[arrow].1;
            if !std::mem::replace(&mut seen[next], true) {
                path.push((next, 0));
            }
        }
    }
    let mut knot = vec![NONE; things];
    for &first in finished.iter().rev() {
        let mut open = vec![first];
        while let Some(thing) = open.pop() {
            if knot[thing] != NONE {
                continue;
            }
            knot[thing] = first;
            open.extend(
                arriving[thing].iter().map(|&arrow| arrows[arrow].0).filter(|&from| knot[from] == NONE),
            );
        }
    }
    knot
}

/// The shortest circle that begins with the arrow `first` and stays `within`.
fn way_back(
    first: usize,
    leaving: &[Vec<usize>],
    arrows: &[(usize, usize)],
    within: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let (home, start) = arrows[first];
    if home == start {
        return Some(vec![first]);
    }
    // By which arrow a thing was reached.
    let mut by: Vec<Option<usize>> = vec![None; leaving.len()];
    let mut open = VecDeque::from([start]);
    while let Some(thing) = open.pop_front() {
        for &arrow in &leaving[thing] {
            let next = arrows[arrow].1;
            if by[next].is_some() || next == start || !within(next) {
                continue;
            }
            by[next] = Some(arrow);
            if next == home {
                let mut circle = Vec::new();
                let mut at = home;
                while let Some(arrow) = by[at] {
                    circle.push(arrow);
                    at = arrows[arrow].0;
                }
                circle.push(first);
                circle.reverse();
                return Some(circle);
            }
            open.push_back(next);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_that_lead_on_are_no_circle() {
        // Two ways from 0 to 3.
        assert!(find(4, &[(0, 1), (1, 3), (0, 2), (2, 3)]).is_empty());
    }

    #[test]
    fn a_thing_that_points_at_itself_is_a_circle() {
        assert_eq!(find(2, &[(0, 1), (1, 1)]), [[1]]);
    }

    #[test]
    fn of_a_knot_the_shortest_circle_from_its_first_arrow_is_found() {
        // 1 -> 2 -> 3 -> 1, and 1 -> 3 is shorter; 0 only leads there, 4 and 5 are a circle of their own.
        let arrows = [(0, 1), (2, 3), (1, 2), (3, 1), (1, 3), (4, 5), (5, 4)];
        assert_eq!(find(6, &arrows), [vec![1, 3, 2], vec![5, 6]]);
    }

    #[test]
    fn a_long_circle_is_found_without_recursion() {
        let arrows: Vec<(usize, usize)> = (0..100_000).map(|i| (i, (i + 1) % 100_000)).collect();
        assert_eq!(find(100_000, &arrows).first().map(Vec::len), Some(100_000));
    }

    proptest::proptest! {
        #![proptest_config(crate::random::questions(256))]

        /// There is a circle exactly where the things cannot be put in an order in which all arrows lead on.
        #[test]
        fn circles_are_found_where_nothing_can_come_first(
            arrows in proptest::collection::vec((0_usize..7, 0_usize..7), 0..12)
        ) {
            let mut left = arrows.clone();
            while let Some(free) = (0..7).find(|thing| left.iter().any(|a| a.0 == *thing) && left.iter().all(|a| a.1 != *thing)) {
                left.retain(|arrow| arrow.0 != free);
            }
            let found = find(7, &arrows);
            proptest::prop_assert_eq!(found.is_empty(), left.is_empty());
            for circle in found {
                for (i, &arrow) in circle.iter().enumerate() {
                    let next = circle[(i + 1) % circle.len()];
                    proptest::prop_assert_eq!(arrows[arrow].1, arrows[next].0);
                }
            }
        }
    }
}

//! In which order scenarios are measured: repetition after repetition, each time in another order.
//!
//! What drifts (heat, clock, load of others) then meets every scenario alike. The orders are the rows of a Latin square
//! that is balanced for residual effects (E. J. Williams, "Experimental designs balanced for the estimation of residual
//! effects of treatments", Australian Journal of Scientific Research 2, 1949): over n repetitions of n scenarios each
//! stands once at every place and follows each other one equally often; for odd n that takes 2n repetitions, every
//! second one backwards. The order depends on the numbers alone, so that a resumed run goes on as if it had not stopped.

/// One measurement to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Job {
    /// From 1.
    pub repetition: u32,
    /// Place of the scenario in the plan.
    pub scenario: usize,
}

/// All measurements of a run in their order.
pub fn order(scenarios: usize, repetitions: u32) -> impl Iterator<Item = Job> {
    (1..=repetitions).flat_map(move |repetition| {
        row(scenarios, repetition - 1).into_iter().map(move |scenario| Job { repetition, scenario })
    })
}

/// The order of repetition `r`, from 0.
fn row(scenarios: usize, r: u32) -> Vec<usize> {
    let r = r as usize;
    // 0, n-1, 1, n-2, …: neighbours have all differences.
    let zigzag =
        (0..scenarios).map(|place| if place % 2 == 0 { place / 2 } else { scenarios - place.div_ceil(2) });
    let odd = scenarios % 2 == 1;
    let shift = if odd { r / 2 } else { r };
    let mut row: Vec<usize> = zigzag.map(|scenario| (scenario + shift) % scenarios).collect();
    if odd && r % 2 == 1 {
        row.reverse();
    }
    row
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn orders_change_from_repetition_to_repetition() {
        let rows: Vec<Vec<usize>> = (0..4).map(|r| row(4, r)).collect();
        assert_eq!(rows, [[0, 3, 1, 2], [1, 0, 2, 3], [2, 1, 3, 0], [3, 2, 0, 1]]);
        assert_eq!((row(3, 0), row(3, 1), row(3, 2)), (vec![0, 2, 1], vec![1, 2, 0], vec![1, 0, 2]));
        assert_eq!((row(1, 0), row(1, 7), row(2, 1)), (vec![0], vec![0], vec![1, 0]));
        assert!(row(0, 3).is_empty());
    }

    #[test]
    fn every_scenario_has_every_place_and_follows_every_other_equally_often() {
        for n in 1..9_usize {
            let repetitions = if n % 2 == 0 { n } else { 2 * n };
            let times = repetitions / n;
            let (mut places, mut pairs) = (BTreeMap::new(), BTreeMap::new());
            for r in 0..repetitions {
                let row = row(n, u32::try_from(r).expect("few"));
                for (place, &scenario) in row.iter().enumerate() {
                    *places.entry((place, scenario)).or_insert(0) += 1;
                }
                for pair in row.windows(2) {
                    *pairs.entry((pair[0], pair[1])).or_insert(0) += 1;
                }
            }
            assert!(places.len() == n * n && places.values().all(|&count| count == times), "{n}: {places:?}");
            assert!(
                pairs.len() == n * (n - 1) && pairs.values().all(|&count| count == times),
                "{n}: {pairs:?}"
            );
        }
    }

    #[test]
    fn a_run_has_every_scenario_once_in_each_repetition() {
        let jobs: Vec<(u32, usize)> = order(2, 3).map(|job| (job.repetition, job.scenario)).collect();
        assert_eq!(jobs, [(1, 0), (1, 1), (2, 1), (2, 0), (3, 0), (3, 1)]);
    }
}

//! The level to which threads rise together.

/// GB/s in all at which the takers, each (threads, most of one, pace), have `capacity` GB/s together; infinite where they cannot use that.
///
/// Those that have all they want leave the rest to the others.
pub(super) fn level(capacity: f64, takers: &(impl Iterator<Item = (f64, f64, f64)> + Clone)) -> f64 {
    let mut level = 0.0;
    loop {
        let (mut left, mut pace) = (capacity, 0.0);
        for (threads, most, each) in takers.clone().filter(|(threads, ..)| *threads > 0.0) {
            if each * level >= most {
                left -= threads * most;
            } else {
                pace += threads * each;
            }
        }
        if pace <= 0.0 {
            return f64::INFINITY;
        }
        let next = left.max(0.0) / pace;
        if next <= level {
            return next;
        }
        level = next;
    }
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn who_has_what_it_wants_leaves_the_rest() {
        // 30 GB/s for 2 threads that want 5 and 2 that want 20: 10 are taken, 10 each are left.
        let takers = [(2.0, 5.0, 1.0), (2.0, 20.0, 1.0)];
        assert_eq!(level(30.0, &takers.into_iter()), 10.0);
        // Half of their data lies here: 10 GB/s each here are a level of 20.
        let takers = [(2.0, 5.0, 1.0), (2.0, 20.0, 0.5)];
        assert_eq!(level(30.0, &takers.into_iter()), 20.0);
        assert_eq!(level(60.0, &takers.into_iter()), f64::INFINITY);
        assert_eq!(level(-1.0, &takers.into_iter()), 0.0);
    }
}

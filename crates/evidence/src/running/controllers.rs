//! Traffic of memory controllers: all applications of a socket together, and devices.

use std::collections::BTreeMap;

/// A counter of a memory controller at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControllerCount {
    /// The socket of the controller.
    pub socket: u32,
    /// Whether it counts bytes written; otherwise bytes read.
    pub is_write: bool,
    /// Bytes of one count.
    pub bytes_each: f64,
    /// Counts until now.
    pub counts: u64,
    /// Nanoseconds in which it has counted: less than has passed if the kernel lent its hardware to others meanwhile.
    pub running_ns: u64,
}

/// Traffic of the memories of a socket.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadAndWritten {
    /// GB/s read; `None` if a counter of reads did not run, or there is none.
    pub read_gbs: Option<f64>,
    /// GB/s written; `None` as above.
    pub written_gbs: Option<f64>,
}

/// The traffic of each socket between two instants; none if their counters are not the same.
pub(super) fn by_socket(
    before: &[ControllerCount],
    after: &[ControllerCount],
) -> BTreeMap<u32, ReadAndWritten> {
    if before.len() != after.len() {
        return BTreeMap::new();
    }
    let mut rates: BTreeMap<u32, [Vec<Option<f64>>; 2]> = BTreeMap::new();
    for (before, after) in before.iter().zip(after) {
        let [read, written] = rates.entry(after.socket).or_default();
        if after.is_write { written } else { read }.push(rate(before, after));
    }
    let sum = |rates: Vec<Option<f64>>| {
        if rates.is_empty() { None } else { rates.into_iter().sum::<Option<f64>>() }
    };
    rates
        .into_iter()
        .map(|(socket, [read, written])| {
            (socket, ReadAndWritten { read_gbs: sum(read), written_gbs: sum(written) })
        })
        .collect()
}

/// GB/s while it counted: bytes per nanosecond.
fn rate(before: &ControllerCount, after: &ControllerCount) -> Option<f64> {
    let counts = after.counts.checked_sub(before.counts)?;
    let running_ns = after.running_ns.checked_sub(before.running_ns).filter(|&time| time > 0)?;
    Some(counts as f64 * after.bytes_each / running_ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter of lines of 64 B.
    fn count(socket: u32, is_write: bool, counts: u64, running_ns: u64) -> ControllerCount {
        ControllerCount { socket, is_write, bytes_each: 64.0, counts, running_ns }
    }

    /// In a second of counting 1e8 lines are 6.4 GB/s; the second controller of socket 0 counted only half of the time.
    #[test]
    fn controllers_of_a_socket_add_up_and_shared_hardware_counts_as_much_as_its_time() {
        let before =
            [count(0, false, 5, 7), count(0, false, 0, 0), count(0, true, 0, 0), count(1, false, 9, 9)];
        let after = [
            count(0, false, 100_000_005, 1_000_000_007),
            count(0, false, 100_000_000, 500_000_000),
            count(0, true, 25_000_000, 1_000_000_000),
            count(1, false, 9, 9),
        ];
        let found = by_socket(&before, &after);
        // 6.4 + 12.8 read, 1.6 written
        let first = found[&0];
        assert!((first.read_gbs.unwrap_or(0.0) - 19.2).abs() < 1e-9, "{first:?}");
        assert!((first.written_gbs.unwrap_or(0.0) - 1.6).abs() < 1e-9, "{first:?}");
        // The counter of socket 1 did not run, and nothing counts its writes.
        assert_eq!(found[&1], ReadAndWritten::default());
        assert!(by_socket(&before[1..], &after).is_empty());
    }
}

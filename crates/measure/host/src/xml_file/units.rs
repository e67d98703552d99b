//! hwloc and Linux count bandwidths in whole MiB/s, latencies in whole ns.

const MIB: f64 = 1_048_576.0;

/// GB/s as whole MiB/s, at least 1: 0 is no bandwidth.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 2^63")]
pub(crate) fn to_mib(gbs: f64) -> u64 {
    (gbs * 1e9 / MIB).round().clamp(1.0, 9e18) as u64
}

/// MiB/s in GB/s, exactly.
pub(crate) fn exact(mib: u64) -> f64 {
    mib as f64 * MIB / 1e9
}

/// The shortest number of GB/s that becomes this many MiB/s: 32 for 30518, of which 31.999918... GB/s are meant as well as 32.0004...
#[cfg_attr(not(feature = "hwloc"), allow(dead_code, reason = "only who reads XML needs it"))]
pub(crate) fn shortest(mib: u64) -> f64 {
    let exact = exact(mib);
    let short = (0..6).find_map(|digits| {
        let short = format!("{exact:.digits$}").parse::<f64>().ok()?;
        (to_mib(short) == mib && short > 0.0).then_some(short)
    });
    short.unwrap_or(exact)
}

/// ns as whole ns, at least 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 2^63")]
pub(crate) fn whole(ns: f64) -> u64 {
    ns.round().clamp(1.0, 9e18) as u64
}

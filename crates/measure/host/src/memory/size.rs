//! Sizes as people read them.

/// A number of bytes in the largest binary unit that leaves at least 1, with up to two decimals: `16 MiB`, `21.81 GiB`.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn size(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let Some((unit, shift)) = units.into_iter().find(|&(_, shift)| bytes >= 1 << shift) else {
        return format!("{bytes} bytes");
    };
    let text = format!("{:.2}", bytes as f64 / (1_u64 << shift) as f64);
    format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn the_largest_unit_that_leaves_one_at_least() {
        for (bytes, message) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (960 << 20, "960 MiB"),
            (23_423_522_898, "21.81 GiB"), // 23423522898 / 2^30 = 21.8149
            (40 << 30, "40 GiB"),
            (3 << 39, "1.5 TiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(size(bytes), message);
        }
    }
}

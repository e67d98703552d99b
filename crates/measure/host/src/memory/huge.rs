//! How much of the data is in transparent huge pages, from `/proc/self/smaps`.

use std::ops::Range;

/// A transparent huge page of x86-64 and of aarch64 with small pages of 4 KiB.
const HUGE_PAGE: u64 = 2 << 20;

/// Mappings of this process with their huge pages, read once for all buffers: reading walks all page tables.
#[derive(Clone, Debug)]
pub struct HugePages(Vec<(Range<usize>, u64)>);

impl HugePages {
    /// Of this process, now; `None` where the system does not tell.
    #[cfg(target_os = "linux")]
    pub fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/self/smaps").ok()?)
    }

    /// Reads the text of `smaps`; `None` if no mapping has the line `AnonHugePages`.
    fn parse(smaps: &str) -> Option<Self> {
        let mut found: Vec<(Range<usize>, u64)> = Vec::new();
        let mut known = false;
        for line in smaps.lines() {
            if let Some(size) = line.strip_prefix("AnonHugePages:") {
                let kib: u64 = size.split_whitespace().next()?.parse().ok()?;
                found.last_mut()?.1 = kib.checked_mul(1024)?;
                known = true;
            } else if let Some(addresses) = addresses(line) {
                found.push((addresses, 0));
            }
        }
        known.then_some(Self(found))
    }

    /// Bytes at these addresses in huge pages.
    pub fn bytes(&self, addresses: &Range<usize>) -> u64 {
        let inside = |at: &Range<usize>| at.start >= addresses.start && at.end <= addresses.end;
        self.0.iter().filter(|(at, _)| inside(at)).map(|(_, bytes)| bytes).sum()
    }

    /// Share of these addresses in huge pages, 0 to 1.
    pub fn share(&self, addresses: &Range<usize>) -> f64 {
        self.bytes(addresses) as f64 / (addresses.end - addresses.start).max(1) as f64
    }

    /// How often memory at these addresses was not there when it was touched for the first time: once for each of its pages, huge ones and
    /// small ones of `page` bytes.
    pub fn first_touches(&self, addresses: &Range<usize>, page: usize) -> u64 {
        let (huge, all) = (self.bytes(addresses), (addresses.end - addresses.start) as u64);
        huge / HUGE_PAGE + all.saturating_sub(huge).div_ceil(page.max(1) as u64)
    }
}

/// `7f00-7f80 rw-p 00000000 00:00 0`.
fn addresses(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "00400000-00800000 rw-p 00000000 00:00 0 \nSize:               4096 kB\n\
                         AnonHugePages:      2048 kB\nVmFlags: rd wr\n\
                         00800000-00c00000 rw-p 00000000 00:00 0 \nAnonHugePages:      4096 kB\n\
                         7f0000000000-7f0000001000 ---p 00000000 00:00 0 \nAnonHugePages:         0 kB\n";

    #[test]
    fn huge_pages_are_summed_over_the_mappings_inside() {
        let pages = HugePages::parse(SMAPS).expect("has the line");
        // 2 of 4 MiB, then 6 of 8 MiB over both.
        assert_eq!(pages.share(&(0x40_0000..0x80_0000)), 0.5);
        assert_eq!(pages.share(&(0x40_0000..0xc0_0000)), 0.75);
        assert_eq!(pages.share(&(0x100_0000..0x200_0000)), 0.0);
        // 4 MiB: a huge page, and 2 MiB of 4096 bytes. 8 MiB: three huge pages, and as many small ones.
        assert_eq!(pages.first_touches(&(0x40_0000..0x80_0000), 4096), 1 + 512);
        assert_eq!(pages.first_touches(&(0x40_0000..0xc0_0000), 4096), 3 + 512);
    }

    #[test]
    fn a_kernel_without_huge_pages_does_not_tell() {
        assert!(HugePages::parse("00400000-00800000 rw-p 00000000 00:00 0 \nSize: 4 kB\n").is_none());
        assert!(HugePages::parse("").is_none());
    }
}

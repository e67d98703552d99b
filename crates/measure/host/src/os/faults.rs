//! Page faults of the calling thread.

/// Page faults of the calling thread since it began that needed no disk (`ru_minflt`): memory that was touched for the first time, and pages
/// that the kernel had taken away to see who uses them (NUMA balancing). A system call.
pub fn minor_faults() -> u64 {
    // SAFETY: a rusage is numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a rusage that lives through the call. Linux always knows the calling thread.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    u64::try_from(usage.ru_minflt).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::mapping::{Mapping, page_size};

    #[test]
    fn each_page_is_missing_once() {
        let mut mapping = Mapping::new(64 * page_size()).expect("64 pages");
        let words = mapping.as_mut_slice();
        let each = words.len() / 64;
        let before = minor_faults();
        words.iter_mut().step_by(each).for_each(|word| *word = 1.0);
        let first = minor_faults();
        words.iter_mut().step_by(each).for_each(|word| *word += 1.0);
        // Less than a huge page: small pages.
        assert_eq!((first - before, minor_faults() - first), (64, 0));
    }
}

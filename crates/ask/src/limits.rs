//! How much front ends may ask of a search: more of it would not end, or nobody would read it.

/// Most alternatives.
pub const MOST_ALTERNATIVES: u16 = 1000;
/// Most worker threads.
pub const MOST_WORKERS: u16 = 1024;

/// How many alternatives are asked for.
///
/// # Errors
/// Too many, in words.
pub fn alternatives(top: u64) -> Result<usize, String> {
    let wanted = u16::try_from(top).ok().filter(|&top| top <= MOST_ALTERNATIVES);
    wanted.map(usize::from).ok_or_else(|| format!("top is a number from 0 to {MOST_ALTERNATIVES}, not {top}"))
}

/// How many worker threads are asked for.
///
/// # Errors
/// None or too many, in words.
pub fn workers(threads: u64) -> Result<usize, String> {
    let wanted = u16::try_from(threads).ok().filter(|threads| (1..=MOST_WORKERS).contains(threads));
    wanted
        .map(usize::from)
        .ok_or_else(|| format!("threads is a number from 1 to {MOST_WORKERS}, not {threads}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_end_is_refused() {
        assert_eq!((alternatives(0), alternatives(1000)), (Ok(0), Ok(1000)));
        assert_eq!((workers(1), workers(1024)), (Ok(1), Ok(1024)));
        assert!(
            alternatives(1 << 31).is_err_and(|why| why == "top is a number from 0 to 1000, not 2147483648")
        );
        assert!(workers(0).is_err() && workers(1_000_000).is_err());
    }
}

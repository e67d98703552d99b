//! Where large blocks of the heap come from.

/// Smallest block that gets pages of its own, in bytes: what glibc begins with.
#[cfg(target_env = "gnu")]
const PAGES_OF_ITS_OWN: libc::c_int = 128 * 1024;

/// From now on every block of 128 KiB or more has pages of its own, which come fresh from the system and go back to it. Without this, glibc keeps pages of blocks that
/// were given back, wherever they lie, for the next ones. Whether that could be arranged: other libraries than glibc cannot.
pub fn fresh_pages() -> bool {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: changes a number in the allocator, under its own lock.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, PAGES_OF_ITS_OWN) == 1 }
    }
    #[cfg(not(target_env = "gnu"))]
    false
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    /// A block of this many bytes has a mapping of its own: the first page begins with the allocator's header of 16 B.
    const BYTES: usize = 8 << 20;

    #[test]
    fn a_block_begins_with_a_page_also_after_others_were_given_back() {
        assert!(super::fresh_pages());
        for _ in 0..3 {
            let block = vec![1_u8; BYTES];
            assert_eq!(block.as_ptr() as usize % 4096, 16);
        }
    }
}

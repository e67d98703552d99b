//! Memory directly from the kernel: mapped, bound to NUMA nodes, and queried for its location.

use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr::{self, NonNull};

/// A transparent huge page of x86-64 and of aarch64 with small pages of 4 KiB.
pub const HUGE_PAGE: usize = 2 << 20;

/// Anonymous private memory, zeroed and untouched at first, at a multiple of [`HUGE_PAGE`].
#[derive(Debug)]
pub struct Mapping {
    /// The reserved range: the memory, and inaccessible space around it, so that the kernel never merges it with other memory of the
    /// process and every line of `smaps` inside it refers to it alone.
    reserved: NonNull<c_void>,
    reserved_len: usize,
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: it owns its memory, which no other value points to.
unsafe impl Send for Mapping {}

/// The small page of this kernel in bytes.
pub fn page_size() -> usize {
    // SAFETY: no pointers.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

impl Mapping {
    /// Maps `bytes`, rounded up to small pages, and requests huge pages. Touches nothing.
    ///
    /// # Errors
    /// The error of the system (`mmap`).
    pub fn new(bytes: usize) -> io::Result<Self> {
        let too_much = || io::Error::from(io::ErrorKind::OutOfMemory);
        let len = bytes.max(1).checked_next_multiple_of(page_size()).ok_or_else(too_much)?;
        let reserved_len = len.checked_add(3 * HUGE_PAGE).ok_or_else(too_much)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let reserved = unsafe { libc::mmap(ptr::null_mut(), reserved_len, libc::PROT_NONE, flags, -1, 0) };
        if reserved == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let reserved = NonNull::new(reserved).ok_or_else(too_much)?;
        // At least one page stays inaccessible on both sides: 3 huge pages are more than both rounding losses.
        let skip = (reserved.addr().get() + 1).next_multiple_of(HUGE_PAGE) - reserved.addr().get();
        // SAFETY: `skip` <= HUGE_PAGE and `skip + len` < `reserved_len`: inside the reserved space.
        let start = unsafe { reserved.cast::<u8>().add(skip) };
        let mapping = Self { reserved, reserved_len, start, len };
        // SAFETY: the range is inside the reserved space, which has no other user.
        if unsafe { libc::mprotect(start.as_ptr().cast(), len, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: as above. It fails if the kernel has no huge pages; the real number is queried later.
        unsafe { libc::madvise(start.as_ptr().cast(), len, libc::MADV_HUGEPAGE) };
        Ok(mapping)
    }

    /// Its length in bytes, a multiple of the small page.
    pub const fn byte_len(&self) -> usize {
        self.len
    }

    /// Its addresses, in the format of `smaps`.
    pub fn addresses(&self) -> Range<usize> {
        let start = self.start.addr().get();
        start..start + self.len
    }

    /// The memory as numbers. Zero unless it was written.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        // SAFETY: the range is mapped readable and writable, aligned to more than 8 bytes, exclusively borrowed, and
        // every bit pattern is an f64.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.len / size_of::<f64>()) }
    }

    /// Pages of `bytes` (from its start) that are touched from now on come from `node` and from no other.
    ///
    /// # Errors
    /// The error of the system (`mbind`).
    pub fn bind(&self, bytes: &Range<usize>, node: u32) -> io::Result<()> {
        let inside = bytes.start < bytes.end && bytes.end <= self.len;
        let mut mask = [0_u64; 16]; // 1024 nodes: the maximum for which Linux can be built
        let word = mask.get_mut(node as usize / 64).filter(|_| inside);
        let Some(word) = word else { return Err(io::ErrorKind::InvalidInput.into()) };
        *word = 1 << (node % 64);
        // SAFETY: the range is inside the mapping; the kernel reads one bit less than the given number of `mask`.
        let failed = unsafe {
            libc::syscall(
                libc::SYS_mbind,
                self.start.as_ptr().add(bytes.start),
                bytes.end - bytes.start,
                libc::c_long::from(libc::MPOL_BIND),
                mask.as_ptr(),
                64 * mask.len() + 1,
                0_usize,
            )
        };
        if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The node of every small page; negative for one without a node: never touched, or swapped out.
    ///
    /// # Errors
    /// The kernel cannot report it (built without NUMA) or must not (a container).
    pub fn page_nodes(&self) -> io::Result<Vec<i32>> {
        page_nodes(&self.addresses())
    }
}

/// The node of every small page that is completely inside `addresses`, however it was mapped; negative for one without a node.
///
/// # Errors
/// As [`Mapping::page_nodes`].
pub fn page_nodes(addresses: &Range<usize>) -> io::Result<Vec<i32>> {
    const BATCH: usize = 1 << 16;
    let size = page_size();
    let Some(first) = addresses.start.checked_next_multiple_of(size) else { return Ok(Vec::new()) };
    let all = addresses.end.saturating_sub(first) / size;
    let mut nodes = vec![i32::MIN; all];
    let mut pages = Vec::with_capacity(BATCH.min(all));
    for (batch, status) in nodes.chunks_mut(BATCH).enumerate() {
        pages.clear();
        pages.extend(
            (0..status.len())
                .map(|page| ptr::without_provenance::<c_void>(first + (batch * BATCH + page) * size)),
        );
        // SAFETY: both arrays have `pages.len()` entries; without target nodes the call only queries, reads none of the pages, and writes
        // only to `status`.
        let failed = unsafe {
            libc::syscall(
                libc::SYS_move_pages,
                0_usize, // this process
                pages.len(),
                pages.as_ptr(),
                ptr::null::<i32>(),
                status.as_mut_ptr(),
                0_usize,
            )
        };
        if failed != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(nodes)
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the whole reserved space belongs to this value, and no borrow of it is left.
        unsafe { libc::munmap(self.reserved.as_ptr(), self.reserved_len) };
    }
}

/// Smallest block that gets separate pages, in bytes: the initial value of glibc.
#[cfg(target_env = "gnu")]
const PAGES_OF_ITS_OWN: libc::c_int = 128 * 1024;

/// From now on every block of 128 KiB or more has separate pages, which come fresh from the system and return to it. Without this, glibc
/// keeps pages of freed blocks, wherever they are, for the next ones. Returns whether that could be set: libraries other than glibc do not
/// support it.
pub fn fresh_pages() -> bool {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: changes a number in the allocator, under its own lock.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, PAGES_OF_ITS_OWN) == 1 }
    }
    #[cfg(not(target_env = "gnu"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_to_huge_pages_and_has_the_requested_length() {
        let mut mapping = Mapping::new(5000).expect("two pages");
        assert_eq!(mapping.addresses().start % HUGE_PAGE, 0);
        assert_eq!(mapping.byte_len(), 5000_usize.next_multiple_of(page_size()));
        let slice = mapping.as_mut_slice();
        slice.fill(1.5);
        assert_eq!(slice.iter().sum::<f64>(), 1.5 * slice.len() as f64);
    }

    #[test]
    fn only_whole_pages_are_queried() {
        let size = page_size();
        // From inside the first page into the fourth: the second and the third.
        match page_nodes(&(10 * size + 1..13 * size + 1)) {
            // No process maps the lowest addresses.
            Ok(nodes) => assert!(nodes.len() == 2 && nodes.iter().all(|&node| node < 0), "{nodes:?}"),
            Err(error) => {
                assert!(matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)), "{error}");
            }
        }
        assert_eq!(page_nodes(&(usize::MAX - 1..usize::MAX)).expect("nothing to ask"), [0_i32; 0]);
    }

    #[test]
    fn more_memory_than_addresses_is_an_error() {
        assert!(Mapping::new(usize::MAX).is_err());
        assert!(Mapping::new(usize::MAX / 2).is_err());
    }

    #[test]
    fn an_outside_range_and_an_impossible_node_cannot_be_bound() {
        let mapping = Mapping::new(1 << 20).expect("1 MiB");
        for (range, node) in [(0..2 << 20, 0), (0..0, 0), (0..1 << 20, 1024)] {
            let error = mapping.bind(&range, node).expect_err("refused before the kernel is asked");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
    }
}

#[cfg(all(test, target_env = "gnu"))]
mod heap_tests {
    /// A block of this many bytes has a separate mapping: the first page starts with the allocator's header of 16 B.
    const BYTES: usize = 8 << 20;

    #[test]
    fn a_block_starts_with_a_page_even_after_others_were_freed() {
        assert!(super::fresh_pages());
        for _ in 0..3 {
            let block = vec![1_u8; BYTES];
            assert_eq!(block.as_ptr() as usize % 4096, 16);
        }
    }
}

//! Buffers that are kept from one measurement to the next: touching gigabytes for the first time takes seconds.

use std::collections::BTreeMap;

use numasim_host::memory::{Buffer, Layout, MemoryError, refuse_if_short};

/// Memory for an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    /// Processors of the threads that touch it: its page tables are near them.
    pub(super) who: String,
    /// Where it shall lie.
    pub(super) layout: Layout,
    /// It must be new.
    pub(super) untouched: bool,
}

/// Refuses if all this memory together is more than what is free now.
pub(super) fn refuse_if_short_for(all: &[&Wanted]) -> Result<(), MemoryError> {
    refuse_if_short(&on_nodes(all.iter().map(|wanted| &wanted.layout)))
}

/// Bytes on each node.
fn on_nodes<'a>(layouts: impl Iterator<Item = &'a Layout>) -> BTreeMap<u32, u64> {
    let mut wanted = BTreeMap::new();
    for (os_node, bytes) in layouts.flat_map(Layout::bytes_by_node) {
        *wanted.entry(os_node).or_default() += bytes;
    }
    wanted
}

/// Kept buffers, the longest unused first.
#[derive(Debug, Default)]
pub(super) struct Pool(Vec<Kept>);

#[derive(Debug)]
struct Kept {
    who: String,
    buffer: Buffer,
}

impl Pool {
    /// A buffer for each: kept ones where they fit, new ones for the others. Kept ones that do not fit are
    /// given back to the system if the memory is needed, the longest unused first.
    ///
    /// # Errors
    /// [`MemoryError::NotEnoughMemory`] and the like, before anything new is touched.
    pub(super) fn take(&mut self, all: &[&Wanted]) -> Result<Vec<Buffer>, MemoryError> {
        let found: Vec<Option<Buffer>> = all.iter().map(|wanted| self.find(wanted)).collect();
        let missing = all.iter().zip(&found).filter(|(_, found)| found.is_none());
        let needed = on_nodes(missing.map(|(wanted, _)| &wanted.layout));
        while let Err(short) = refuse_if_short(&needed) {
            if self.0.is_empty() {
                return Err(short);
            }
            self.0.remove(0);
        }
        let both = found.into_iter().zip(all);
        both.map(|(found, wanted)| found.map_or_else(|| Buffer::new(wanted.layout.clone()), Ok)).collect()
    }

    /// Keeps buffers, each with what it was wanted for; those that had to be new are given back to the system.
    pub(super) fn keep(&mut self, wanted: Vec<Wanted>, buffers: Vec<Buffer>) {
        let again = wanted.into_iter().zip(buffers).filter(|(wanted, _)| !wanted.untouched);
        self.0.extend(again.map(|(Wanted { who, .. }, buffer)| Kept { who, buffer }));
    }

    fn find(&mut self, wanted: &Wanted) -> Option<Buffer> {
        let fits = |kept: &Kept| kept.who == wanted.who && *kept.buffer.layout() == wanted.layout;
        let at = self.0.iter().position(fits).filter(|_| !wanted.untouched)?;
        Some(self.0.remove(at).buffer)
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::cpus::CpuList;

    use super::*;

    const BYTES: usize = 4 << 20;

    /// On the first node that this machine has.
    fn wanted(who: &str, bytes: usize) -> Wanted {
        let list =
            std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_else(|_| "0".into());
        let os_node = CpuList::parse(&list).expect("a list").as_slice()[0];
        Wanted { who: who.into(), layout: Layout::new(bytes, &[(os_node, 1.0)], 0), untouched: false }
    }

    fn place(pool: &mut Pool, wanted: &Wanted) -> std::ops::Range<usize> {
        let buffers = pool.take(&[wanted]).expect("a few MiB");
        let place = buffers[0].addresses();
        pool.keep(vec![wanted.clone()], buffers);
        place
    }

    #[test]
    fn a_kept_buffer_serves_the_same_thread_again_and_no_other() {
        let mut pool = Pool::default();
        let (first, second) = (wanted("0", BYTES), wanted("1", BYTES));
        let kept = place(&mut pool, &first);
        let both = pool.take(&[&second, &first]).expect("4 MiB more");
        assert_eq!(both[1].addresses(), kept);
        assert_ne!(both[0].addresses(), kept);
        assert!(pool.0.is_empty(), "the kept one is in use");
        // Data of another size is another buffer.
        pool.keep(vec![first.clone(), first], both);
        assert_eq!((place(&mut pool, &wanted("0", 2 * BYTES)).len(), pool.0.len()), (2 * BYTES, 3));
    }

    #[test]
    fn memory_that_must_be_new_is_neither_kept_nor_taken_from_what_is() {
        let mut pool = Pool::default();
        let kept = place(&mut pool, &wanted("0", BYTES));
        let new = Wanted { untouched: true, ..wanted("0", BYTES) };
        assert_ne!(place(&mut pool, &new), kept);
        assert_eq!((place(&mut pool, &wanted("0", BYTES)), pool.0.len()), (kept, 1));
    }

    #[test]
    fn kept_buffers_give_way_before_a_measurement_is_refused() {
        let mut pool = Pool::default();
        place(&mut pool, &wanted("0", BYTES));
        let refused = pool.take(&[&wanted("0", 1 << 45)]);
        assert!(matches!(refused, Err(MemoryError::NotEnoughMemory { .. })), "{refused:?}");
        assert!(pool.0.is_empty());
    }
}

//! Buffers that are kept from one measurement to the next: touching gigabytes for the first time takes seconds.

use std::collections::BTreeMap;

use numasim_host::memory::{Buffer, Layout, MemoryError, refuse_if_short};

use crate::plan::PlannedThread;

/// Refuses if the data of all these threads does not fit the memory that is free now.
pub(super) fn refuse_if_short_for(threads: &[&PlannedThread], bytes: usize) -> Result<(), MemoryError> {
    refuse_if_short(&wanted(layouts(threads, bytes, 0).iter()))
}

fn layouts(threads: &[&PlannedThread], bytes: usize, first_turn: usize) -> Vec<Layout> {
    let turns = first_turn..;
    threads.iter().zip(turns).map(|(thread, turn)| Layout::new(bytes, &thread.memory, turn)).collect()
}

/// Bytes on each node.
fn wanted<'a>(layouts: impl Iterator<Item = &'a Layout>) -> BTreeMap<u32, u64> {
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
    /// Processors of the thread that touched it: its page tables are near them.
    cpus: String,
    buffer: Buffer,
}

impl Pool {
    /// A buffer for each thread: kept ones where they fit, new ones for the others. Kept ones that do not fit are
    /// given back to the system if the memory is needed, the longest unused first. `first_turn`: see
    /// [`Layout::new`].
    ///
    /// # Errors
    /// [`MemoryError::NotEnoughMemory`] and the like, before anything new is touched.
    pub(super) fn take(
        &mut self,
        threads: &[&PlannedThread],
        bytes: usize,
        first_turn: usize,
    ) -> Result<Vec<Buffer>, MemoryError> {
        let layouts = layouts(threads, bytes, first_turn);
        let found: Vec<Option<Buffer>> =
            threads.iter().zip(&layouts).map(|(thread, layout)| self.find(thread, layout)).collect();
        let missing = layouts.iter().zip(&found).filter(|(_, found)| found.is_none());
        let wanted = wanted(missing.map(|(layout, _)| layout));
        while let Err(short) = refuse_if_short(&wanted) {
            if self.0.is_empty() {
                return Err(short);
            }
            self.0.remove(0);
        }
        let both = found.into_iter().zip(layouts);
        both.map(|(found, layout)| found.map_or_else(|| Buffer::new(layout), Ok)).collect()
    }

    /// Keeps the buffer of a thread.
    pub(super) fn keep(&mut self, thread: &PlannedThread, buffer: Buffer) {
        self.0.push(Kept { cpus: thread.cpus.to_string(), buffer });
    }

    fn find(&mut self, thread: &PlannedThread, layout: &Layout) -> Option<Buffer> {
        let cpus = thread.cpus.to_string();
        let fits = |kept: &Kept| kept.cpus == cpus && kept.buffer.layout() == layout;
        let at = self.0.iter().position(fits)?;
        Some(self.0.remove(at).buffer)
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::cpus::CpuList;
    use numasim_model::ids::NodeId;

    use super::*;

    const BYTES: usize = 4 << 20;

    fn thread(cpu: u32) -> PlannedThread {
        // Nothing is bound to the processor here. Memory: the first node that this machine has.
        let list =
            std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_else(|_| "0".into());
        let os_node = CpuList::parse(&list).expect("a list").as_slice()[0];
        let cpus = CpuList::new(vec![cpu]).expect("one");
        PlannedThread { node: NodeId(0), cpus, memory: vec![(os_node, 1.0)] }
    }

    #[test]
    fn a_kept_buffer_serves_the_same_thread_again_and_no_other() {
        let mut pool = Pool::default();
        let (first, second) = (thread(0), thread(1));
        let buffer = pool.take(&[&first], BYTES, 0).expect("4 MiB").remove(0);
        let place = buffer.addresses();
        pool.keep(&first, buffer);
        let both = pool.take(&[&second, &first], BYTES, 0).expect("4 MiB more");
        assert_eq!(both[1].addresses(), place);
        assert_ne!(both[0].addresses(), place);
        assert!(pool.0.is_empty(), "the kept one is in use");
        // Data of another size is another buffer.
        for buffer in both {
            pool.keep(&first, buffer);
        }
        let larger = pool.take(&[&first], 2 * BYTES, 0).expect("8 MiB");
        assert_eq!((larger[0].addresses().len(), pool.0.len()), (2 * BYTES, 2));
    }

    #[test]
    fn kept_buffers_give_way_before_a_measurement_is_refused() {
        let mut pool = Pool::default();
        let thread = thread(0);
        let buffer = pool.take(&[&thread], BYTES, 0).expect("4 MiB").remove(0);
        pool.keep(&thread, buffer);
        let refused = pool.take(&[&thread], 1 << 45, 0);
        assert!(matches!(refused, Err(MemoryError::NotEnoughMemory { .. })), "{refused:?}");
        assert!(pool.0.is_empty());
    }
}

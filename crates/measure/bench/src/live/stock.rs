//! The data of the threads of an application, and who has which now.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use numasim_host::Misplaced;
use numasim_host::memory::{Buffer, Layout, MemoryError, Placement};

use super::order::{Node, Tasks};
use numasim_kernels::synthetic::{Cursor, PreparedKernel};

/// Data of one thread with how far each phase is in it.
pub(super) struct Slot {
    pub(super) buffer: Buffer,
    /// By phase, made when the phase first comes here.
    pub(super) cursors: Vec<Option<Cursor>>,
}

/// The slots of a place, by node: phases whose data lies alike use the same.
struct Place {
    memory: Vec<Vec<(u32, f64)>>,
    free: Vec<Mutex<Vec<Slot>>>,
}

/// All slots.
pub(super) struct Stock {
    places: Vec<Place>,
    /// The place of each phase.
    of_phase: Vec<usize>,
}

impl Stock {
    /// Takes and fills memory for each thread of each place.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn new(
        tasks: &Tasks,
        nodes: &[Node],
        kernels: &[PreparedKernel],
    ) -> Result<Self, MemoryError> {
        let mut places: Vec<Place> = Vec::new();
        let mut of_phase = Vec::new();
        // What one kernel of an access wrote first suits the others of the same access.
        let Some(kernel) = kernels.first() else { return Ok(Self { places, of_phase }) };
        let bytes = usize::try_from(tasks.bytes_per_thread).unwrap_or(usize::MAX);
        for phase in &tasks.phases {
            let known = places.iter().position(|place| place.memory == phase.memory);
            let at = known.unwrap_or(places.len());
            if known.is_none() {
                places.push(Place { memory: phase.memory.clone(), free: Vec::new() });
            }
            of_phase.push(at);
        }
        for place in &mut places {
            let mut turn = 0;
            for (node, memory) in nodes.iter().zip(&place.memory) {
                let mut slots = Vec::new();
                for _ in 0..node.threads {
                    let mut buffer = Buffer::new(Layout::new(bytes, memory, turn))?;
                    kernel.fill(buffer.data());
                    slots.push(Slot { buffer, cursors: vec![None; kernels.len()] });
                    turn += 1;
                }
                place.free.push(Mutex::new(slots));
            }
        }
        Ok(Self { places, of_phase })
    }

    /// Data for a task of a phase on a node: of that node, or, where a thread is elsewhere than it should be, of another one.
    pub(super) fn take(&self, phase: usize, node: usize) -> Option<Taken<'_>> {
        let place = self.places.get(*self.of_phase.get(phase)?)?;
        let order = std::iter::once(node).chain((0..place.free.len()).filter(|&other| other != node));
        order.into_iter().find_map(|node| {
            let free = place.free.get(node)?;
            let slot = free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            Some(Taken { free, slot: Some(slot) })
        })
    }

    /// Where the pages of all data that nobody has are: by the operating system's number of the node, and how many are not where
    /// they had to be; `None` where the system does not tell.
    pub(super) fn pages(&self) -> Option<(BTreeMap<u32, u64>, u64)> {
        let (mut on_node, mut misplaced) = (BTreeMap::new(), 0);
        for free in self.places.iter().flat_map(|place| &place.free) {
            for slot in free.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                let Placement { pages, misplaced: wrong, unknown } = slot.buffer.placement();
                if unknown.is_some() {
                    return None;
                }
                for (node, pages) in pages {
                    *on_node.entry(node).or_default() += pages;
                }
                misplaced += wrong.iter().map(Misplaced::pages).sum::<u64>();
            }
        }
        Some((on_node, misplaced))
    }
}

/// A slot that somebody has; it goes back when this is dropped.
pub(super) struct Taken<'a> {
    free: &'a Mutex<Vec<Slot>>,
    slot: Option<Slot>,
}

impl Taken<'_> {
    pub(super) fn slot(&mut self) -> Option<&mut Slot> {
        self.slot.as_mut()
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.extend(self.slot.take());
    }
}

//! One task: an amount of FLOP of a kernel on the data of a thread, counted during its execution.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use numasim_host::memory::{Buffer, Layout, MemoryError, Placement};
use numasim_host::os::thread::{now_ns, thread_cpu_ns};
use numasim_host::{Misplaced, affinity};
use numasim_kernels::kernel::Work;
use numasim_kernels::synthetic::{Cursor, Kernel, KernelError, PreparedKernel};
use numasim_model::units::FlopPerByte;

use crate::live::board::{Counts, OfApp, OnNode};
use crate::live::{Node, Phase, Tasks};

/// Interval at which a thread records its progress.
const WRITE_DOWN_NS: u64 = 1_000_000;

/// The reason why an application cannot work.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorkError {
    #[error(transparent)]
    Kernel(#[from] KernelError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// The common data of all tasks of an application.
pub(super) struct Workshop<'a> {
    counts: Counts<'a>,
    app: usize,
    phases: &'a [Phase],
    kernels: Vec<PreparedKernel>,
    stock: Stock,
    nodes: &'a [Node],
    /// The node of each logical CPU, if known.
    node_of_cpu: Vec<Option<usize>>,
}

impl<'a> Workshop<'a> {
    /// Prepares kernels and data.
    ///
    /// # Errors
    /// Every variant of [`WorkError`].
    pub(super) fn new(
        counts: Counts<'a>,
        app: usize,
        tasks: &'a Tasks,
        nodes: &'a [Node],
    ) -> Result<Self, WorkError> {
        let kernel = |phase: &Phase| {
            let kernel = Kernel::new(tasks.access, FlopPerByte::new(phase.arithmetic_intensity))?;
            tasks.variant.map_or(kernel, |variant| kernel.with(variant)).prepare(tasks.isa)
        };
        let kernels = tasks.phases.iter().map(kernel).collect::<Result<Vec<_>, _>>()?;
        let stock = Stock::new(tasks, nodes, &kernels)?;
        let mut node_of_cpu = Vec::new();
        for (node, cpus) in nodes.iter().enumerate() {
            for &cpu in &cpus.cpus {
                let cpu = cpu as usize;
                if node_of_cpu.len() <= cpu {
                    node_of_cpu.resize(cpu + 1, None);
                }
                if let Some(of) = node_of_cpu.get_mut(cpu) {
                    *of = Some(node);
                }
            }
        }
        Ok(Self { counts, app, phases: &tasks.phases, kernels, stock, nodes, node_of_cpu })
    }

    /// Records the location of the pages of the data, while no task is running; does nothing if the system does not report it.
    pub(super) fn note_pages(&self) {
        let Some((on_node, misplaced)) = self.stock.pages() else { return };
        for (node, of) in self.nodes.iter().enumerate() {
            let pages = on_node.get(&of.number).copied().unwrap_or_default();
            self.counts.on_node(self.app, node, OnNode::Pages).store(pages, SeqCst);
        }
        self.counts.of_app(self.app, OfApp::Misplaced).store(misplaced, SeqCst);
        self.counts.of_app(self.app, OfApp::PagesKnown).store(1, SeqCst);
    }

    /// Runs a task of a phase, on the calling thread, with the sleep after it.
    pub(super) fn task(&self, phase: usize, flop: f64) {
        let Some(of) = self.phases.get(phase) else { return };
        let node = self.node();
        let running = self.counts.on_node(self.app, node, OnNode::Running);
        running.fetch_add(1, Relaxed);
        if let (Some(kernel), Some(mut taken)) = (self.kernels.get(phase), self.stock.take(phase, node)) {
            self.compute(kernel, &mut taken, phase, flop, node);
        }
        if of.io_s > 0.0 && !self.counts.aborted() {
            thread::sleep(Duration::from_secs_f64(of.io_s));
        }
        running.fetch_sub(1, Relaxed);
    }

    fn compute(&self, kernel: &PreparedKernel, taken: &mut Taken<'_>, phase: usize, flop: f64, node: usize) {
        let Some(Slot { buffer, cursors }) = taken.slot() else { return };
        let data = buffer.data();
        if kernel.usable_len(data.len()) == 0 {
            return; // the order gives every thread at least one block
        }
        let Some(cursor) = cursors.get_mut(phase) else { return };
        let cursor = cursor.get_or_insert_with(|| kernel.cursor(data.len()));
        let per_block = kernel.kernel().flop_per_block() as f64;
        // Positive; the conversion of a float saturates. The remainder below a whole block is less than 40,000 FLOP.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let mut left = (flop / per_block).round() as u64;
        let chunk = kernel.chunk(cursor).flop / kernel.kernel().flop_per_block();
        let mut clocks = Clocks::start();
        while left > 0 {
            let blocks = left.min(chunk.max(1));
            let before = now_ns();
            let done = kernel.run_blocks(data, cursor, usize::try_from(blocks).unwrap_or(1));
            left -= blocks;
            clocks.done += done;
            self.hold_back(phase, now_ns() - before);
            if clocks.is_time() || left == 0 {
                clocks.write_down(self.counts, self.app, node);
                if self.counts.aborted() {
                    return;
                }
            }
        }
    }

    /// Threads that wait for each other keep their cores and do nothing. To give each thread the relative speed of the phase with this
    /// number of threads, a chunk of t ns is followed by a pause of t (1 / part - 1).
    fn hold_back(&self, phase: usize, ns: u64) {
        let Some(efficiency) = self.phases.get(phase).map(|phase| &phase.efficiency) else { return };
        if efficiency.is_empty() {
            return;
        }
        let on_node = |node| self.counts.on_node(self.app, node, OnNode::Running).load(Relaxed);
        let running: u64 = (0..self.counts.extent.nodes).map(on_node).sum();
        let index = usize::try_from(running.saturating_sub(1)).unwrap_or(usize::MAX);
        let Some(&part) = efficiency.get(index.min(efficiency.len() - 1)) else { return };
        if part <= 0.0 || part >= 1.0 {
            return;
        }
        let until = now_ns() as f64 + ns as f64 * (1.0 / part - 1.0);
        while (now_ns() as f64) < until {
            std::hint::spin_loop();
        }
    }

    /// The node of the calling thread; a logical CPU outside all nodes counts as the first one.
    fn node(&self) -> usize {
        let cpu = affinity::current() as usize;
        self.node_of_cpu.get(cpu).copied().flatten().unwrap_or(0)
    }
}

/// The unrecorded progress of a thread.
struct Clocks {
    last_ns: u64,
    cpu_ns: u64,
    done: Work,
}

impl Clocks {
    fn start() -> Self {
        Self { last_ns: now_ns(), cpu_ns: thread_cpu_ns(), done: Work::default() }
    }

    fn is_time(&self) -> bool {
        now_ns() - self.last_ns >= WRITE_DOWN_NS
    }

    fn write_down(&mut self, counts: Counts<'_>, app: usize, node: usize) {
        let cpu_ns = thread_cpu_ns();
        counts.on_node(app, node, OnNode::Flop).fetch_add(self.done.flop, Relaxed);
        counts.on_node(app, node, OnNode::Bytes).fetch_add(self.done.bytes, Relaxed);
        counts.on_node(app, node, OnNode::Busy).fetch_add(cpu_ns.saturating_sub(self.cpu_ns), Relaxed);
        *self = Self { last_ns: now_ns(), cpu_ns, done: Work::default() };
    }
}

/// Data of one thread, with the position of each phase in it.
pub(super) struct Slot {
    pub(super) buffer: Buffer,
    /// By phase, created when the phase first runs here.
    pub(super) cursors: Vec<Option<Cursor>>,
}

/// The slots of a place, by node: phases with the same data placement use the same slots.
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
    /// Allocates and fills memory for each thread of each place.
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
        // The initial data of one kernel suits all kernels with the same access.
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

    /// Data for a task of a phase on a node: from that node, or, if a thread is on another node than planned, from a different one.
    pub(super) fn take(&self, phase: usize, node: usize) -> Option<Taken<'_>> {
        let place = self.places.get(*self.of_phase.get(phase)?)?;
        let order = std::iter::once(node).chain((0..place.free.len()).filter(|&other| other != node));
        order.into_iter().find_map(|node| {
            let free = place.free.get(node)?;
            let slot = free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            Some(Taken { free, slot: Some(slot) })
        })
    }

    /// The location of all pages that are not in use: by node number of the operating system, and the number of misplaced pages; `None` if
    /// the system does not report it.
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

/// A slot in use; it is returned when this is dropped.
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

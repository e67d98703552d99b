//! The arrays of an application: which ones its kernel needs, their placement, and the threads responsible for them.

use std::collections::BTreeMap;
use std::ops::Range;

use numasim_host::memory::{Buffer, HugePages, Layout, MemoryError, Placement, Stretch, refuse_if_short};
use numasim_host::os::mapping::page_size;
use numasim_kernels::kernel::{Lies, Need, Problem, SetupError};
use numasim_kernels::team::Team;

use crate::plan::PlannedApp;
use crate::runner::{RunError, Settings};

/// The requirements of an application before any memory is mapped.
pub(super) struct Arrays {
    pub(super) problem: Box<dyn Problem>,
    pub(super) team: Team,
    needs: Vec<Need>,
    /// Memory for each need, in their order.
    pub(super) wanted: Vec<Wanted>,
}

impl Arrays {
    /// The arrays and their placement:
    ///
    /// - An array of one part is placed like the data of its thread.
    /// - In a divided array, each part is placed like the data of that part's thread. The page in which two parts meet belongs to the first
    ///   of them.
    /// - An array of a group is placed like the data of the group's first thread.
    /// - An array that all share has its place from the plan, whichever thread accesses it.
    ///
    /// `first_turn`: threads of the applications before; see [`Layout::new`].
    pub(super) fn of(app: &PlannedApp, settings: &Settings, first_turn: usize) -> Result<Self, RunError> {
        let problem = app.kernel.problem(super::data_bytes(settings));
        let nobody = |_| SetupError::Size { what: "threads", given: 0, least: 1, most: usize::MAX };
        let team = app.team().map_err(nobody)?;
        let needs = problem.arrays(&team)?;
        let everybody =
            app.threads.iter().map(|thread| thread.cpus.to_string()).collect::<Vec<_>>().join(" ");
        let mut wanted = Vec::with_capacity(needs.len());
        for need in &needs {
            let bytes = memory_bytes(need);
            let own = |part: usize| app.own_memory(part);
            let layout = match &need.lies {
                Lies::Own(part) => Layout::new(bytes, own(*part), first_turn + part),
                Lies::Group(group) => {
                    let first = first_of(&team, *group);
                    Layout::new(bytes, own(first), first_turn + first)
                }
                Lies::Shared => Layout::new(bytes, app.shared_memory(), first_turn),
                // If all parts have the same placement, it is one piece, whose stripes are huge pages.
                Lies::Divided(_) if (1..team.parts()).all(|part| own(part) == own(0)) => {
                    Layout::new(bytes, own(0), first_turn)
                }
                Lies::Divided(_) => {
                    let ends = (0..team.parts()).map(|part| pages(need, part).end);
                    Layout::joined(ends.enumerate().map(|(part, end)| (end, own(part), first_turn + part)))
                }
            };
            let who = match &need.lies {
                Lies::Own(part) => app.threads.get(*part).map(|thread| thread.cpus.to_string()),
                Lies::Group(_) | Lies::Shared | Lies::Divided(_) => None,
            };
            let who = who.unwrap_or_else(|| everybody.clone());
            wanted.push(Wanted { who, layout, untouched: need.untouched });
        }
        Ok(Self { problem, team, needs, wanted })
    }

    /// The stretches whose pages the thread of a part queries after its work; all parts together cover all pages.
    pub(super) fn stretches(&self, part: usize, buffers: &[Buffer]) -> Vec<Stretch> {
        let both = self.needs.iter().zip(buffers);
        both.filter_map(|(need, buffer)| {
            let bytes = match &need.lies {
                Lies::Own(of) => (*of == part).then(|| 0..memory_bytes(need)),
                Lies::Group(group) => (first_of(&self.team, *group) == part).then(|| 0..memory_bytes(need)),
                Lies::Shared => (part == 0).then(|| 0..memory_bytes(need)),
                Lies::Divided(_) => Some(pages(need, part)),
            };
            Some(buffer.stretch(&bytes?))
        })
        .collect()
    }

    /// The fraction of the memory accessed by a part that is in huge pages, 0 to 1.
    pub(super) fn huge_share(&self, part: usize, buffers: &[Buffer], huge: &HugePages) -> f64 {
        let of = |(need, buffer): (&Need, &Buffer)| {
            let accessed = match &need.lies {
                Lies::Own(of) if *of != part => 0,
                Lies::Group(group) if self.team.group(part) != Some(*group) => 0,
                Lies::Divided(division) => division.range(part).len(),
                Lies::Own(_) | Lies::Group(_) | Lies::Shared => need.bytes,
            };
            (accessed as f64, accessed as f64 * huge.share(&buffer.addresses()))
        };
        let sums = self.needs.iter().zip(buffers).map(of).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        if sums.0 > 0.0 { sums.1 / sums.0 } else { 0.0 }
    }

    /// Expected page faults of a part because memory is new for it: one for each page.
    pub(super) fn first_touches(&self, part: usize, buffers: &[Buffer], huge: &HugePages) -> u64 {
        let new =
            self.needs.iter().zip(buffers).filter(|(need, _)| need.untouched && need.lies == Lies::Own(part));
        new.map(|(_, buffer)| huge.first_touches(&buffer.addresses(), page_size())).sum()
    }
}

/// The part that is responsible for a group.
fn first_of(team: &Team, group: usize) -> usize {
    team.group_of_parts().iter().position(|&of| of == group).unwrap_or(0)
}

/// Whole words.
fn memory_bytes(need: &Need) -> usize {
    need.words() * size_of::<f64>()
}

/// Bytes of a divided array from the first page that starts in a part to the first one that starts after it.
fn pages(need: &Need, part: usize) -> Range<usize> {
    let Lies::Divided(division) = &need.lies else { return 0..0 };
    let (all, page) = (memory_bytes(need), page_size());
    let own = division.range(part);
    let last = part + 1 == division.parts();
    own.start.next_multiple_of(page).min(all)..if last {
        all
    } else {
        own.end.next_multiple_of(page).min(all)
    }
}

/// The location of the pages of some stretches.
pub(super) fn placement(stretches: &[Stretch]) -> Placement {
    let mut all = Placement::default();
    for stretch in stretches {
        all.add(stretch.placement());
    }
    all
}

/// Memory for an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    /// Logical CPUs of the threads that touch it: its page tables are near them.
    pub(super) who: String,
    /// Its planned placement.
    pub(super) layout: Layout,
    /// It must be new.
    pub(super) untouched: bool,
}

/// Rejects the memory if its total exceeds the memory that is free now.
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
    /// A buffer for each: kept ones if they fit, new ones for the others. Kept ones that do not fit are released to the system if the
    /// memory is needed, the longest unused first.
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

    /// Keeps buffers, each with its requirement; those that had to be new are released to the system.
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
    fn a_kept_buffer_is_reused_only_by_the_same_thread() {
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
    fn new_memory_is_neither_kept_nor_reused() {
        let mut pool = Pool::default();
        let kept = place(&mut pool, &wanted("0", BYTES));
        let new = Wanted { untouched: true, ..wanted("0", BYTES) };
        assert_ne!(place(&mut pool, &new), kept);
        assert_eq!((place(&mut pool, &wanted("0", BYTES)), pool.0.len()), (kept, 1));
    }

    #[test]
    fn kept_buffers_are_released_before_a_measurement_is_rejected() {
        let mut pool = Pool::default();
        place(&mut pool, &wanted("0", BYTES));
        let refused = pool.take(&[&wanted("0", 1 << 45)]);
        assert!(matches!(refused, Err(MemoryError::NotEnoughMemory { .. })), "{refused:?}");
        assert!(pool.0.is_empty());
    }
}

//! The arrays of an application: which its kernel needs, where they lie, and who looks after them.

use std::ops::Range;

use numasim_host::memory::{Buffer, HugePages, Layout, Placement, Stretch};
use numasim_host::os::mapping::page_size;
use numasim_kernels::kernel::{Lies, Need, Problem, SetupError};
use numasim_kernels::team::Team;

use super::pool::Wanted;
use super::{RunError, Settings};
use crate::plan::PlannedApp;

/// What an application needs before anything of it is mapped.
pub(super) struct Arrays {
    pub(super) problem: Box<dyn Problem>,
    pub(super) team: Team,
    needs: Vec<Need>,
    /// Memory for each need, in their order.
    pub(super) wanted: Vec<Wanted>,
}

impl Arrays {
    /// Which there are and where each lies:
    ///
    /// - An array of one part lies as the data of its thread.
    /// - One that is divided lies for each part as the data of that part's thread. The page in which two parts meet belongs to the first of them.
    /// - One of a group lies as the data of the group's first thread.
    /// - One that all share lies where the plan says, whoever accesses it.
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
                // Where all parts lie alike it is one piece, whose stripes are huge pages.
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

    /// Those whose pages the thread of a part asks for when it has worked; all parts together have all pages.
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

    /// The share of what a part accesses that is in huge pages, 0 to 1.
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

    /// Page faults that the work of a part has, because memory is new for it: one for each page.
    pub(super) fn first_touches(&self, part: usize, buffers: &[Buffer], huge: &HugePages) -> u64 {
        let new =
            self.needs.iter().zip(buffers).filter(|(need, _)| need.untouched && need.lies == Lies::Own(part));
        new.map(|(_, buffer)| huge.first_touches(&buffer.addresses(), page_size())).sum()
    }
}

/// The part that answers for a group.
fn first_of(team: &Team, group: usize) -> usize {
    team.group_of_parts().iter().position(|&of| of == group).unwrap_or(0)
}

/// Whole words.
fn memory_bytes(need: &Need) -> usize {
    need.words() * size_of::<f64>()
}

/// Bytes of a divided array from the first page that begins in a part to the first one that begins behind it.
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

/// Where the pages of some stretches are.
pub(super) fn placement(stretches: &[Stretch]) -> Placement {
    let mut all = Placement::default();
    for stretch in stretches {
        all.add(stretch.placement());
    }
    all
}

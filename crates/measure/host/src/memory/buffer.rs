//! The data of one thread, bound to its nodes, and the location of its pages.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use super::MemoryError;
use super::free::usable_nodes;
use super::layout::{Layout, Stripe};
use crate::Misplaced;
use crate::os::mapping::{Mapping, page_nodes, page_size};

/// The data of one thread.
#[derive(Debug)]
pub struct Buffer {
    mapping: Mapping,
    layout: Layout,
}

/// A part of a buffer whose pages are queried while another thread works on it.
#[derive(Clone, Debug)]
pub struct Stretch {
    addresses: Range<usize>,
    /// The part of the layout inside it, from the start of the stretch.
    stripes: Vec<Stripe>,
}

/// The location of the pages of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Small pages by node; empty if unknown.
    pub pages: BTreeMap<u32, u64>,
    /// Pages that are not where they had to be.
    pub misplaced: Vec<Misplaced>,
    /// The reason why the system does not report it.
    pub unknown: Option<String>,
}

impl Buffer {
    /// Maps the memory of `layout` and binds it to its nodes; touches nothing.
    ///
    /// If the kernel does not allow binding (none of the NUMA calls, or a container that forbids them) and there is only one node, nothing
    /// is lost.
    ///
    /// # Errors
    /// [`MemoryError::System`] if memory cannot be mapped or bound.
    pub fn new(layout: Layout) -> Result<Self, MemoryError> {
        let bytes = layout.len();
        let mapping = Mapping::new(bytes).map_err(|source| MemoryError::System {
            what: format!("cannot map {bytes} bytes for a thread's data"),
            source,
        })?;
        for stripe in layout.stripes() {
            match mapping.bind(&whole_pages(&stripe.bytes, mapping.byte_len()), stripe.os_node) {
                Err(refused) if is_forbidden(&refused) && usable_nodes().len() == 1 => break,
                done => done.map_err(|source| bind_error(stripe.os_node, source))?,
            }
        }
        Ok(Self { mapping, layout })
    }

    /// The data, at a multiple of a huge page; unwritten parts are zero.
    pub fn data(&mut self) -> &mut [f64] {
        self.mapping.as_mut_slice()
    }

    /// Its addresses.
    pub fn addresses(&self) -> Range<usize> {
        self.mapping.addresses()
    }

    /// Its layout.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The pages that start in these bytes of the data.
    pub fn stretch(&self, bytes: &Range<usize>) -> Stretch {
        let (page, all) = (page_size(), self.mapping.addresses());
        let bytes = bytes.start.next_multiple_of(page)..bytes.end.next_multiple_of(page);
        let place = |at: usize| (all.start + at).min(all.end);
        let inside = self.layout.stripes().iter().filter_map(|stripe| {
            let (from, to) = (stripe.bytes.start.max(bytes.start), stripe.bytes.end.min(bytes.end));
            let bytes = from.checked_sub(bytes.start)?..to.checked_sub(bytes.start)?;
            (from < to).then_some(Stripe { os_node: stripe.os_node, bytes })
        });
        Stretch { addresses: place(bytes.start)..place(bytes.end), stripes: inside.collect() }
    }

    /// Queries the node of each page and compares it with the layout.
    pub fn placement(&self) -> Placement {
        self.stretch(&(0..self.mapping.byte_len())).placement()
    }
}

impl Stretch {
    /// Queries the node of each page and compares it with the layout.
    pub fn placement(&self) -> Placement {
        match page_nodes(&self.addresses) {
            Ok(nodes) => compare(&nodes, &self.stripes, page_size()),
            Err(error) => Placement {
                pages: BTreeMap::new(),
                misplaced: Vec::new(),
                unknown: Some(format!("the system does not tell where pages are (move_pages: {error})")),
            },
        }
    }
}

impl Placement {
    /// Adds the placement of more data.
    pub fn add(&mut self, more: Self) {
        for (node, pages) in more.pages {
            *self.pages.entry(node).or_default() += pages;
        }
        self.misplaced.extend(more.misplaced);
        self.unknown = self.unknown.take().or(more.unknown);
    }
}

/// The kernel binds whole pages; the last one may be only partly used.
fn whole_pages(bytes: &Range<usize>, all: usize) -> Range<usize> {
    bytes.start..bytes.end.next_multiple_of(page_size()).min(all)
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EACCES))
}

fn bind_error(os_node: u32, source: io::Error) -> MemoryError {
    let why = match source.raw_os_error() {
        Some(libc::ENOSYS) => " (this kernel has no NUMA support)",
        Some(libc::EPERM | libc::EACCES) => " (a container needs the capability SYS_NICE for it)",
        // Each stripe is a separate mapping.
        Some(libc::ENOMEM) => " (more mappings than vm.max_map_count allows)",
        _ => "",
    };
    MemoryError::System { what: format!("cannot bind memory to node {os_node}{why}"), source }
}

/// Compares the node of every page with the stripes.
fn compare(nodes: &[i32], stripes: &[Stripe], page: usize) -> Placement {
    let mut pages: BTreeMap<u32, u64> = BTreeMap::new();
    let mut wrong: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut absent = 0;
    for stripe in stripes {
        // Stripes are multiples of the page, except for the end of the last one.
        let inside = stripe.bytes.start / page..stripe.bytes.end.div_ceil(page);
        for &node in nodes.get(inside).unwrap_or_default() {
            match u32::try_from(node) {
                Ok(seen) => {
                    *pages.entry(seen).or_default() += 1;
                    if seen != stripe.os_node {
                        *wrong.entry((seen, stripe.os_node)).or_default() += 1;
                    }
                }
                Err(_) => absent += 1,
            }
        }
    }
    let all = nodes.len() as u64;
    let mut misplaced: Vec<Misplaced> = wrong
        .into_iter()
        .map(|((seen, planned), pages)| Misplaced::Pages {
            pages,
            all,
            seen,
            wanted: format!("node {planned}"),
        })
        .collect();
    if absent > 0 {
        misplaced.push(Misplaced::Absent { pages: absent, all });
    }
    Placement { pages, misplaced, unknown: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 4096;

    #[test]
    fn misplaced_and_absent_pages_are_reported() {
        // 2 MiB stripes on nodes 0 and 1, in turn: 512 pages each.
        let layout = Layout::new(8 << 20, &[(0, 0.5), (1, 0.5)], 0);
        let planned = |page: usize| {
            let stripe = layout.stripes().iter().find(|stripe| stripe.bytes.contains(&(page * PAGE)));
            i32::try_from(stripe.expect("no gap").os_node).expect("small")
        };
        let mut nodes: Vec<i32> = (0..2048).map(planned).collect();
        let right = compare(&nodes, layout.stripes(), PAGE);
        assert_eq!(right.pages, [(0, 1024), (1, 1024)].into());
        assert_eq!(right.misplaced, []);

        assert_eq!(nodes[..2], [0, 0]);
        nodes[0] = 2; // spilled
        nodes[1] = -14; // never touched
        nodes[2] = -2; // never touched, as other kernels report it
        let wrong = compare(&nodes, layout.stripes(), PAGE);
        assert_eq!(wrong.pages, [(0, 1021), (1, 1024), (2, 1)].into());
        let spilled = Misplaced::Pages { pages: 1, all: 2048, seen: 2, wanted: "node 0".into() };
        assert_eq!(wrong.misplaced, [spilled, Misplaced::Absent { pages: 2, all: 2048 }]);
    }

    /// Skips a test if a container forbids the calls, and prints that. With `NUMASIM_REQUIRE_TOOLS=1`, as in `.ci/run`, that is a failure.
    fn skipped(why: &str) {
        let required = std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!required, "{why}");
        eprintln!("skipped: {why}");
    }

    #[test]
    fn untouched_pages_are_absent_and_touched_ones_are_on_their_node() {
        let node = usable_nodes()[0];
        let mut buffer = Buffer::new(Layout::new(4 << 20, &[(node, 1.0)], 0)).expect("4 MiB");
        let all = (buffer.addresses().len() / page_size()) as u64;
        let before = buffer.placement();
        if let Some(why) = before.unknown {
            return skipped(&why);
        }
        assert_eq!(before.misplaced, [Misplaced::Absent { pages: all, all }]);
        buffer.data().fill(1.0);
        let after = buffer.placement();
        assert_eq!((after.pages, after.misplaced), ([(node, all)].into(), vec![]));
    }

    #[test]
    fn a_nonexistent_node_cannot_be_bound() {
        let Err(error) = Buffer::new(Layout::new(1 << 20, &[(900, 1.0)], 0)).map(drop) else {
            // With one node that has no effect.
            assert_eq!(usable_nodes().len(), 1, "no machine has node 900");
            return skipped("the system forbids a process to bind memory");
        };
        assert!(error.to_string().starts_with("cannot bind memory to node 900"), "{error}");
    }
}

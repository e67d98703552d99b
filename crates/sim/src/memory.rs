//! Checks whether data fits the memory of the nodes, fast enough for every allocation of a search.
//!
//! The rule is that of [`numasim_model::memory`]. Local data is on the node of the threads (or in the nearest memory), in proportion to
//! them. Replicated data is whole on each node with threads. The rest is where its placement puts it. A node of unknown memory size holds
//! everything.

use numasim_model::memory::{has_room, is_limited};
use numasim_model::units::Gibibytes;
use numasim_model::{App, Data, Machine, NodeId, Placement};

use crate::restrictions::{Infeasible, may_hold};

/// An application with some data of known size on the nodes of its threads.
#[derive(Clone, Debug)]
struct Mobile {
    app: usize,
    /// GiB on the nodes of its threads, if it has any.
    gib: f64,
    /// Whether each node with threads holds all of that: replicated data.
    copied: bool,
    /// Most threads on the whole machine.
    most: u64,
    /// Cores that may hold its threads.
    cores: u64,
}

/// The memory limits for one set of placements.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// GiB of each node, where known.
    there: Vec<Option<f64>>,
    /// GiB of data on each node, independent of where threads run.
    fixed: Vec<f64>,
    cores: Vec<u32>,
    /// The node whose memory holds the local data of each node.
    local: Vec<NodeId>,
    mobile: Vec<Mobile>,
}

/// A node whose data does not fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Misfit {
    pub(crate) node: NodeId,
    /// GiB of data.
    pub(crate) needed: f64,
    /// GiB of memory.
    pub(crate) there: f64,
}

impl Limits {
    /// The limits if an allocation could break them; else `None`.
    pub(crate) fn new(machine: &Machine, apps: &[App], placements: &[Placement]) -> Option<Self> {
        let limits = Self::known(machine, apps, placements)?;
        (0..limits.there.len()).any(|node| limits.may_overflow(apps, node)).then_some(limits)
    }

    /// The limits; `None` if no size is known.
    fn known(machine: &Machine, apps: &[App], placements: &[Placement]) -> Option<Self> {
        if !is_limited(machine, apps) {
            return None;
        }
        let mut fixed = vec![0.0; machine.node_count()];
        let mut mobile = Vec::new();
        for (app, (asked, placement)) in apps.iter().zip(placements).enumerate() {
            let Some(gib) = asked.memory.map(Gibibytes::value) else { continue };
            for node in machine.node_ids() {
                fixed[node.0] += gib * placement.fixed_share(machine, node);
            }
            let allowed = machine.compute_nodes().filter(|&node| may_hold(asked, node));
            let cores: u64 = allowed.map(|node| u64::from(machine.node(node).cores)).sum();
            let most = asked.max_threads.map_or(cores, |max| cores.min(u64::from(max)));
            let gib = gib * placement.local_share();
            if gib > 0.0 {
                let copied = *placement == Placement::Replicated;
                mobile.push(Mobile { app, gib, copied, most, cores });
            }
        }
        let local = machine.node_ids().map(|node| machine.local_memory(node)).collect();
        let there = machine.nodes().iter().map(|node| node.memory.map(Gibibytes::value)).collect();
        let cores = machine.nodes().iter().map(|node| node.cores).collect();
        Some(Self { there, fixed, cores, local, mobile })
    }

    /// Whether all data that could come to a node exceeds its memory.
    fn may_overflow(&self, apps: &[App], node: usize) -> bool {
        let Some(there) = self.there[node] else { return false };
        let most = |mobile: &Mobile| {
            let app = &apps[mobile.app];
            let holds = |from: &usize| self.local[*from] == NodeId(node) && may_hold(app, NodeId(*from));
            let here: u64 = (0..self.cores.len()).filter(holds).map(|from| u64::from(self.cores[from])).sum();
            if mobile.copied {
                return if here > 0 { mobile.gib } else { 0.0 };
            }
            // If this node has fewer cores than the minimum number of threads, the rest runs elsewhere.
            mobile.gib * (here as f64 / f64::from(app.min_threads.max(1))).min(1.0)
        };
        overflows(self.fixed[node] + self.mobile.iter().map(most).sum::<f64>(), there)
    }

    /// Whether memory permits these threads of each application on the node in some allocation.
    pub(crate) fn may_hold(&self, node: NodeId, content: &[u32]) -> bool {
        let memory = self.local[node.0];
        let Some(there) = self.there[memory.0] else { return true };
        let least = |mobile: &Mobile| {
            let here = u64::from(content[mobile.app]);
            if mobile.copied {
                return if here > 0 { mobile.gib } else { 0.0 };
            }
            let elsewhere = mobile.cores.saturating_sub(u64::from(self.cores[node.0]));
            let total = (here + elsewhere).min(mobile.most).max(here).max(1);
            mobile.gib * here as f64 / total as f64
        };
        !overflows(self.fixed[memory.0] + self.mobile.iter().map(least).sum::<f64>(), there)
    }

    /// Whether data of known size moves with the threads of an application.
    pub(crate) fn moves_with(&self, app: usize) -> bool {
        self.mobile.iter().any(|mobile| mobile.app == app)
    }

    /// GiB on each node, for the threads of each application on each node.
    fn used(&self, threads: &[u32]) -> Vec<f64> {
        let mut used = self.fixed.clone();
        for mobile in &self.mobile {
            let row = &threads[mobile.app * used.len()..(mobile.app + 1) * used.len()];
            if mobile.copied {
                for (node, used) in used.iter_mut().enumerate() {
                    let mut readers = self.local.iter().zip(row).filter(|(local, _)| **local == NodeId(node));
                    *used += if readers.any(|(_, threads)| *threads > 0) { mobile.gib } else { 0.0 };
                }
                continue;
            }
            let total: u64 = row.iter().map(|&threads| u64::from(threads)).sum();
            for (local, &threads) in self.local.iter().zip(row).filter(|(_, threads)| **threads > 0) {
                used[local.0] += mobile.gib * f64::from(threads) / total as f64;
            }
        }
        used
    }

    /// GiB of data that do not fit, summed over all nodes; 0 if everything fits.
    pub(crate) fn excess(&self, threads: &[u32]) -> f64 {
        self.misfits(&self.used(threads)).map(|misfit| misfit.needed - misfit.there).sum()
    }

    fn misfits(&self, used: &[f64]) -> impl Iterator<Item = Misfit> {
        used.iter().zip(&self.there).enumerate().filter_map(|(node, (&needed, there))| {
            let there = there.filter(|&there| overflows(needed, there))?;
            Some(Misfit { node: NodeId(node), needed, there })
        })
    }
}

/// Rounded for people.
pub(crate) fn gibibytes(value: f64) -> Gibibytes {
    Gibibytes::new((value * 100.0).round() / 100.0)
}

fn overflows(needed: f64, there: f64) -> bool {
    !has_room(Gibibytes::new(needed), Gibibytes::new(there))
}

/// Checks that need no search: data fixed on one node, data that may be on any one node, and all data together.
///
/// # Errors
/// The first node, application or sum that does not fit.
pub(crate) fn check_memory(machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
    // Without the open homes: their data is treated as local.
    let placed = |app: &App| app.data.placement().cloned().unwrap_or(Placement::Local);
    let placements: Vec<Placement> = apps.iter().map(placed).collect();
    let Some(limits) = Limits::known(machine, apps, &placements) else { return Ok(()) };
    if let Some(Misfit { node, needed, there }) = limits.misfits(&limits.fixed).next() {
        return Err(Infeasible::Memory { node, needed: gibibytes(needed), there: gibibytes(there) });
    }
    // A node of unknown memory size holds everything.
    let known: Option<Vec<f64>> = limits.there.iter().copied().collect();
    let Some(known) = known else { return Ok(()) };
    let largest = (0..known.len()).fold(0, |best, node| if known[node] > known[best] { node } else { best });
    let mut all: f64 = limits.fixed.iter().sum();
    for mobile in &limits.mobile {
        let app = &apps[mobile.app];
        let share = if let Data::OpenHome { share } = app.data { share } else { 0.0 };
        // Fractions are on nodes with and without threads.
        let anywhere = if app.data == Data::OpenFractions { 1.0 } else { share };
        if overflows(mobile.gib * share, known[largest]) {
            return Err(Infeasible::NoNodeForHome {
                app: app.name.clone(),
                needed: gibibytes(mobile.gib * share),
                node: NodeId(largest),
                there: gibibytes(known[largest]),
            });
        }
        // Without threads, only data with a home is present.
        all += mobile.gib * if app.min_threads > 0 { 1.0 } else { anywhere };
    }
    let there = known.iter().sum();
    if overflows(all, there) {
        return Err(Infeasible::AllMemory { needed: gibibytes(all), there: gibibytes(there) });
    }
    Ok(())
}

/// The reason why the data of an allocation fits nowhere; `None` if it fits.
pub(crate) fn lacks_memory(
    machine: &Machine,
    apps: &[App],
    placements: &[Placement],
    threads: &[u32],
) -> Option<Infeasible> {
    let limits = Limits::new(machine, apps, placements)?;
    let used = limits.used(threads);
    let over = |misfit: &Misfit| misfit.needed - misfit.there;
    let worst = limits.misfits(&used).reduce(|a, b| if over(&b) > over(&a) { b } else { a })?;
    let Misfit { node, needed, there } = worst;
    Some(Infeasible::NoMemoryAnywhere { node, needed: gibibytes(needed), there: gibibytes(there) })
}

/// Whether the fixed data fits with these placements.
pub(crate) fn fixed_data_fits(machine: &Machine, apps: &[App], placements: &[Placement]) -> bool {
    Limits::known(machine, apps, placements)
        .is_none_or(|limits| limits.misfits(&limits.fixed).next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, uniform_machine, with_memory};

    /// Two nodes of 4 cores and 10 GiB; `a` has 12 GiB of local data, `b` 4 GiB, half of them on node 1.
    fn question() -> (Machine, Vec<App>, Vec<Placement>) {
        let machine = with_memory(&uniform_machine(2, 4, 10.0, 32.0, 10.0), &[Some(10.0); 2]);
        let placements = vec![Placement::Local, Placement::PartHome { home: NodeId(1), share: 0.5 }];
        let sized = |name, gib, placement: &Placement| App {
            memory: Some(Gibibytes::new(gib)),
            ..app(name, 1.0, Data::Placed(placement.clone()))
        };
        let apps = vec![sized("a", 12.0, &placements[0]), sized("b", 4.0, &placements[1])];
        (machine, apps, placements)
    }

    #[test]
    fn local_data_follows_threads_and_other_data_stays() {
        let (machine, apps, placements) = question();
        let limits = Limits::new(&machine, &apps, &placements).expect("`a` alone has more than a node");
        // 3 of 4 threads of `a` on node 0: 9 and 3 GiB. `b` with all threads on node 0: 2 and 2 GiB.
        assert_eq!(limits.used(&[3, 1, 1, 0]), [11.0, 5.0]);
        assert_eq!(limits.excess(&[3, 1, 1, 0]), 1.0);
        let node = NodeId(0);
        let [needed, there] = [11.0, 10.0].map(Gibibytes::new);
        let lacks = lacks_memory(&machine, &apps, &placements, &[3, 1, 1, 0]);
        assert_eq!(lacks, Some(Infeasible::NoMemoryAnywhere { node, needed, there }));
        // An application without threads has its fixed data only.
        assert_eq!(limits.used(&[3, 1, 0, 0]), [9.0, 5.0]);
        assert_eq!(limits.excess(&[2, 2, 1, 1]), 0.0);
    }

    #[test]
    fn an_option_that_never_fits_is_rejected_early() {
        let (machine, apps, placements) = question();
        let limits = Limits::new(&machine, &apps, &placements).expect("they bind");
        // 4 threads here and 4 at most elsewhere: at least 6 GiB, in addition to 2 of `b` on node 1.
        assert!(limits.may_hold(NodeId(1), &[4, 0]));
        let few = [App { max_threads: Some(4), ..apps[0].clone() }, apps[1].clone()];
        let limits = Limits::new(&machine, &few, &placements).expect("they bind");
        assert!(!limits.may_hold(NodeId(0), &[4, 0]), "all 12 GiB here");
    }

    #[test]
    fn unbreakable_limits_are_omitted() {
        let (machine, apps, placements) = question();
        let small = apps.iter().map(|app| App { memory: Some(Gibibytes::new(5.0)), ..app.clone() });
        let apps: Vec<App> = small.collect();
        // 5 GiB of `a` and 5 of `b` on one node of 10.
        assert!(Limits::new(&machine, &apps, &placements).is_none());
    }

    #[test]
    fn data_that_fits_nowhere_is_reported_before_any_search() {
        let (machine, apps, _) = question();
        assert_eq!(check_memory(&machine, &apps), Ok(()));
        let asked = |gib: f64, data: Data, min_threads: u32| {
            let changed = App { memory: Some(Gibibytes::new(gib)), data, min_threads, ..apps[1].clone() };
            check_memory(&machine, &[apps[0].clone(), changed]).expect_err("too much").to_string()
        };
        let home = Data::Placed(Placement::Home(NodeId(1)));
        assert_eq!(
            asked(10.5, home, 0),
            "node 1 would hold 10.5 GiB of data, but has 10 GiB of memory (`memory_gib`)"
        );
        assert_eq!(
            asked(20.5, Data::OpenHome { share: 0.5 }, 0),
            "b has 10.25 GiB of data in one place, more than any node has: node 0, the largest, has 10 GiB (`memory_gib`)"
        );
        assert_eq!(
            asked(9.0, Data::Placed(Placement::Local), 1),
            "the applications have 21 GiB of data together, but the nodes have 20 GiB of memory (`memory_gib`)"
        );
    }

    #[test]
    fn the_fast_memory_check_matches_the_model() {
        let (machine, apps, placements) = question();
        let limits = Limits::new(&machine, &apps, &placements).expect("they bind");
        for number in 0..5_u32.pow(4) {
            let threads = [number % 5, number / 5 % 5, number / 25 % 5, number / 125];
            let rows = [threads[..2].to_vec(), threads[2..].to_vec()];
            let allocation = numasim_model::Allocation::from_rows(&rows).expect("equal rows");
            let fits = numasim_model::memory::fits(&machine, &apps, &placements, &allocation).is_ok();
            assert_eq!(limits.excess(&threads) <= 0.0, fits, "{threads:?}");
        }
    }
}

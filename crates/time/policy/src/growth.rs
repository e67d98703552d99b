//! Gives each core to the application that raises the total GFLOPS most.
//!
//! A core goes to the application and node that raise the total GFLOPS of the sharing model most, until no core raises it. Totals
//! within a relative 1e-9 tie: file order, then the lowest node (paper 002, section II: taking cores from an application that scales
//! badly is a real speedup; the order of ties is a \[decision\]). Gains are differences of totals and no more precise than these: two
//! small gains may differ by more than 1e-9 of themselves through rounding alone.
//!
//! While all data is local to the threads, giving away a core on a node changes gains on other nodes only for an application whose
//! threads slow each other down; the other gains are reused for the next core. In that case, applications with equal demand and equally
//! many threads on a node also have equal gains (`Speeds::classes`).

use std::collections::HashMap;

use numasim_model::sharing::Network;
use numasim_model::{AppId, NodeId, Table};

use crate::dealing::is_less;
use crate::known::{Known, Member};
use crate::speeds::Speeds;

/// Gives each member its minimum of threads, in file order, one by one to the node with most free cores (ties: lowest), as far
/// as there are cores and it has threads there.
pub(crate) fn give_fewest(speeds: &mut Speeds<'_>, known: &Known, members: &[Member]) {
    for (m, member) in members.iter().enumerate() {
        while speeds.total_threads(m) < known.fewest(member) {
            let may = |&n: &usize| speeds.free(n) > 0 && speeds.count(m, n) < member.room[n];
            let Some(n) = (0..speeds.nodes()).filter(may).max_by_key(|&n| (speeds.free(n), usize::MAX - n))
            else {
                break;
            };
            speeds.set(m, n, speeds.count(m, n) + 1);
        }
    }
}

/// Gives free cores to members, at most the maximum of each; stops early if `stop` returns true.
pub(crate) fn grow(speeds: &mut Speeds<'_>, known: &Known, members: &[Member], stop: &dyn Fn() -> bool) {
    let most: Vec<u32> = members.iter().map(|member| known.most(member)).collect();
    let mut gains: Table<Option<f64>> = Table::filled(members.len(), speeds.nodes(), None);
    let classes = speeds.classes();
    // Per node: gains of a class with a given number of threads there, until something changes there.
    let mut alike: Vec<HashMap<(usize, u32), f64>> = vec![HashMap::new(); speeds.nodes()];
    loop {
        let now = speeds.total();
        let mut best = f64::NEG_INFINITY;
        for (m, member) in members.iter().enumerate() {
            if stop() {
                return;
            }
            for n in 0..speeds.nodes() {
                let cell = (AppId(m), NodeId(n));
                let may = speeds.free(n) > 0
                    && speeds.count(m, n) < member.room[n]
                    && speeds.total_threads(m) < most[m];
                let gain = match gains[cell] {
                    _ if !may => f64::NEG_INFINITY,
                    Some(gain) => gain,
                    None => match classes[m] {
                        Some(class) => *alike[n]
                            .entry((class, speeds.count(m, n)))
                            .or_insert_with(|| gain_of(speeds, m, n, now)),
                        None => gain_of(speeds, m, n, now),
                    },
                };
                gains[cell] = Some(gain);
                best = best.max(gain);
            }
        }
        let most = now + best;
        if !is_less(now, most) {
            return;
        }
        let is_most = |gain: &Option<f64>| gain.is_some_and(|gain| !is_less(now + gain, most));
        let Some(cell) = gains.as_slice().iter().position(is_most) else {
            return;
        };
        let (AppId(m), NodeId(n)) = gains.place(cell);
        speeds.set(m, n, speeds.count(m, n) + 1);
        forget(&mut gains, speeds, m, n);
        // A core given away affects other nodes, if at all, all of them.
        if speeds.is_linear(m) { alike[n].clear() } else { alike.iter_mut().for_each(HashMap::clear) }
    }
}

/// The cores that `rows` of `members` leave to `last`: threads of each of these on each node.
pub(crate) fn what_is_left(
    network: &Network,
    known: &Known,
    members: &[Member],
    rows: &[Vec<u32>],
    last: &[Member],
    stop: &dyn Fn() -> bool,
) -> Vec<Vec<u32>> {
    // The others get no more.
    let held = |(member, row): (&Member, &Vec<u32>)| Member { room: row.clone(), ..member.clone() };
    let all: Vec<Member> = members.iter().zip(rows).map(held).chain(last.iter().cloned()).collect();
    let mut speeds = Speeds::new(network, known, &all);
    speeds.set_all(rows);
    give_fewest(&mut speeds, known, &all);
    grow(&mut speeds, known, &all, stop);
    speeds.rows().split_off(members.len())
}

/// The gain in the total from one more thread of a member on a node.
fn gain_of(speeds: &mut Speeds<'_>, m: usize, n: usize, now: f64) -> f64 {
    let threads = speeds.count(m, n);
    let alone = speeds.nodes_are_apart() && speeds.is_linear(m);
    let before = if alone { speeds.of_node(n) } else { now };
    speeds.set(m, n, threads + 1);
    let after = if alone { speeds.of_node(n) } else { speeds.total() };
    speeds.set(m, n, threads);
    after - before
}

/// Forgets the gains that a core of node `n` for `m` has changed.
fn forget(gains: &mut Table<Option<f64>>, speeds: &Speeds<'_>, m: usize, n: usize) {
    if !speeds.nodes_are_apart() {
        gains.as_mut_slice().fill(None);
        return;
    }
    // All threads of a non-linear application have become slower, and demand less on every node.
    let is_other = |node: usize| node == n || (!speeds.is_linear(m) && speeds.count(m, node) > 0);
    let nodes: Vec<bool> = (0..speeds.nodes()).map(is_other).collect();
    for member in 0..speeds.members() {
        // The cost of one more thread for its other threads depends on the other members on their nodes.
        let is_there = |(node, other): (usize, &bool)| *other && speeds.count(member, node) > 0;
        let everywhere = !speeds.is_linear(member) && (member == m || nodes.iter().enumerate().any(is_there));
        for node in (0..speeds.nodes()).filter(|&node| everywhere || nodes[node]) {
            gains[(AppId(member), NodeId(node))] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use numasim_course::Scaling;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{app, machine, study, view};

    /// The rule stated directly: every gain is recomputed for every core.
    fn slowly(speeds: &mut Speeds<'_>, known: &Known, members: &[Member]) {
        loop {
            let now = speeds.total();
            let mut best: Option<(f64, usize, usize)> = None;
            for (m, member) in members.iter().enumerate() {
                for n in 0..speeds.nodes() {
                    let threads = speeds.count(m, n);
                    let full = speeds.total_threads(m) >= known.most(member);
                    if full || speeds.free(n) == 0 || threads >= member.room[n] {
                        continue;
                    }
                    speeds.set(m, n, threads + 1);
                    let gain = speeds.total() - now;
                    speeds.set(m, n, threads);
                    if best.is_none_or(|(most, ..)| is_less(now + most, now + gain)) {
                        best = Some((gain, m, n));
                    }
                }
            }
            match best {
                Some((gain, m, n)) if is_less(now, now + gain) => speeds.set(m, n, speeds.count(m, n) + 1),
                _ => return,
            }
        }
    }

    proptest! {
        #![proptest_config(crate::random::questions(64))]

        #[test]
        fn gains_that_are_kept_are_those_computed_anew(
            cores in prop::collection::vec(0_u32..6, 1..4),
            apps in prop::collection::vec((0.1_f64..20.0, 0.0_f64..0.5, any::<bool>()), 1..5),
        ) {
            let cores: Vec<u32> = std::iter::once(3).chain(cores).collect();
            let intensities: Vec<f64> = apps.iter().map(|(intensity, ..)| *intensity).collect();
            let mut study = study(machine(&cores), &intensities);
            for (course, (_, fraction, serial)) in study.dynamics.courses.iter_mut().zip(&apps) {
                if *serial {
                    course.phases[0].scaling = Scaling::Serial { fraction: *fraction };
                }
            }
            let known = Known::new(&study);
            let members = known.members(&view((0..apps.len()).map(|entry| app(entry, &cores)).collect()));
            let network = Network::new(&study.machine);
            let mut fast = Speeds::new(&network, &known, &members);
            let mut slow = Speeds::new(&network, &known, &members);
            grow(&mut fast, &known, &members, &|| false);
            slowly(&mut slow, &known, &members);
            prop_assert_eq!(fast.rows(), slow.rows());
        }
    }
}

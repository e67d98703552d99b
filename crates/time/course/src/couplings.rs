//! Reads `[[channel]]` and `[[call]]`: the dependences between applications, which must not form a cycle.

use std::collections::VecDeque;

use numasim_model::ids::AppId;
use numasim_model::units::Megabytes;
use numasim_study::names::{self, plural};
use numasim_study::reader::{Apps, Log, TableReader, Value, instance};
use numasim_study::{Place, Problem, ProblemKind};

use crate::courses::Courses;
use crate::keys::{call, channel};
use crate::values::{Call, Channel};

/// Maximum number of places shown for one mistake.
const MOST_SHOWN: usize = 12;

/// A table that joins two instances.
struct Joint {
    from: usize,
    to: usize,
    header: Place,
    from_place: Place,
    to_place: Place,
}

/// Channels and calls of all files.
#[derive(Default)]
pub(super) struct Couplings {
    channels: Vec<(Channel, Joint)>,
    calls: Vec<(Call, Joint)>,
    /// Whether some channel or call could not be read.
    incomplete: bool,
}

/// All channels and calls, and the headers of their tables.
pub(super) struct Coupled {
    pub(super) channels: Vec<Channel>,
    pub(super) calls: Vec<Call>,
    pub(super) channel_places: Vec<Place>,
    pub(super) call_places: Vec<Place>,
}

impl Couplings {
    pub(super) fn add_channel(&mut self, mut table: TableReader<'_>, apps: &Apps) {
        let (from, to) = (table.required(&channel::FROM), table.required(&channel::TO));
        let joint = ends(&mut table, [from, to], apps, "a channel joins single ones");
        let item = table.read_or(&channel::ITEM_MB, 0.0, Value::number);
        let capacity = table.read_or(&channel::CAPACITY, None, |value| value.large_count().map(Some));
        table.finish();
        match joint.zip(item).zip(capacity) {
            Some(((joint, item), capacity)) => {
                let (from, to) = (AppId(joint.from), AppId(joint.to));
                self.channels.push((Channel { from, to, item: Megabytes::new(item), capacity }, joint));
            }
            None => self.incomplete = true,
        }
    }

    pub(super) fn add_call(&mut self, mut table: TableReader<'_>, apps: &Apps) {
        let (from, to) = (table.required(&call::FROM), table.required(&call::TO));
        let joint = ends(&mut table, [from, to], apps, "a call joins single ones");
        let every = table.read_or(&call::EVERY, 1, Value::large_count);
        table.finish();
        match joint.zip(every) {
            Some((joint, every)) => {
                self.calls.push((Call { from: AppId(joint.from), to: AppId(joint.to), every }, joint));
            }
            None => self.incomplete = true,
        }
    }

    /// Reports mistakes that involve several tables; `None` if some could not be read.
    pub(super) fn finish(self, apps: &Apps, courses: &Courses, log: &Log) -> Option<Coupled> {
        self.check_circles(apps, log);
        self.check_channels_of_callees(apps, log);
        // An apparent mistake may come from a key or table that could not be read.
        if !log.has_broken_syntax() {
            self.check_iterations(apps, courses, log);
            self.check_counts(apps, courses, log);
        }
        if self.incomplete {
            return None;
        }
        let (channels, channel_places) =
            self.channels.into_iter().map(|(channel, joint)| (channel, joint.header)).unzip();
        let (calls, call_places) = self.calls.into_iter().map(|(call, joint)| (call, joint.header)).unzip();
        Some(Coupled { channels, calls, channel_places, call_places })
    }

    /// Channels and calls together form no cycle: the applications in a cycle could never begin.
    fn check_circles(&self, apps: &Apps, log: &Log) {
        let channels = self.channels.iter().map(|(_, joint)| (joint, "hands its items to"));
        let calls = self.calls.iter().map(|(_, joint)| (joint, "calls"));
        let joints: Vec<(&Joint, &str)> = channels.chain(calls).collect();
        let arrows: Vec<(usize, usize)> = joints.iter().map(|(joint, _)| (joint.from, joint.to)).collect();
        for circle in find_circles(apps.instance_count(), &arrows) {
            let circle: Vec<&(&Joint, &str)> = circle.iter().filter_map(|&arrow| joints.get(arrow)).collect();
            let Some(&(first, does)) = circle.first() else { continue };
            let name = |instance: usize| format!("`{}`", names::shown(&apps.instance_name(instance)));
            let label = |joint: &Joint, does: &str| format!("{} {does} {}", name(joint.from), name(joint.to));
            let mut round: Vec<String> =
                circle.iter().take(MOST_SHOWN).map(|(joint, _)| name(joint.from)).collect();
            if circle.len() > MOST_SHOWN {
                round.push(format!("{} more", circle.len() - MOST_SHOWN));
            }
            round.push(name(first.from));
            let message = format!("channels and calls go round in a circle: {}", round.join(" -> "));
            let problem = Problem::new(ProblemKind::BadValue, message)
                .at(first.to_place.clone(), label(first, does))
                .hint("each would wait for the one before: leave out one of them");
            let others = circle.iter().skip(1).take(MOST_SHOWN - 1);
            log.report(others.fold(problem, |problem, (joint, does)| {
                problem.related(joint.to_place.clone(), label(joint, does))
            }));
        }
    }

    /// A consumer has the same number of iterations as its producer.
    fn check_iterations(&self, apps: &Apps, courses: &Courses, log: &Log) {
        for (_, joint) in &self.channels {
            let ends = [joint.from, joint.to].map(|end| courses.of_instance(end, apps));
            let [Some(from), Some(to)] = ends else { continue };
            let (Some(produced), Some(consumed)) = (from.iterations, to.iterations) else { continue };
            if produced == consumed {
                continue;
            }
            let name = |instance: usize| names::shown(&apps.instance_name(instance));
            let message = format!(
                "`{}` has {}, but `{}` has {}",
                name(joint.from),
                counted(produced, "iteration"),
                name(joint.to),
                counted(consumed, "iteration")
            );
            let mut problem = Problem::new(ProblemKind::BadValue, message)
                .at(joint.to_place.clone(), "consumes one item in each iteration")
                .hint("the two ends of a channel need the same `iterations`; the default is 1");
            for (places, words) in [(&from.places, "the producer's"), (&to.places, "the consumer's")] {
                if let Some(place) = &places.iterations {
                    problem = problem.related(place.clone(), words);
                }
            }
            log.report(problem);
        }
    }

    /// The calls that each instance receives.
    fn calls_of(&self, apps: &Apps) -> Vec<Vec<usize>> {
        let mut calls_of: Vec<Vec<usize>> = vec![Vec::new(); apps.instance_count()];
        for (number, (call, _)) in self.calls.iter().enumerate() {
            calls_of[call.to.0].push(number);
        }
        calls_of
    }

    /// A called application works only when it is called.
    fn check_channels_of_callees(&self, apps: &Apps, log: &Log) {
        let calls_of = self.calls_of(apps);
        for (_, joint) in &self.channels {
            for (end, place) in [(joint.from, &joint.from_place), (joint.to, &joint.to_place)] {
                let call = calls_of[end].first().and_then(|&call| self.calls.get(call));
                let Some((_, call)) = call else { continue };
                let name = names::shown(&apps.instance_name(end));
                let message = format!("`{name}` is called, so it cannot have a channel");
                let problem = Problem::new(ProblemKind::Conflict, message)
                    .at(place.clone(), "an end of this channel")
                    .related(call.to_place.clone(), "called here")
                    .hint("it works when it is called, and only then: give the channel to the one who calls");
                log.report(problem);
            }
        }
    }

    /// Iterations equal calls, if all calls could be read: an unreadable call may be the missing one.
    fn check_counts(&self, apps: &Apps, courses: &Courses, log: &Log) {
        if self.incomplete {
            return;
        }
        for (callee, calls) in self.calls_of(apps).iter().enumerate().filter(|(_, calls)| !calls.is_empty()) {
            self.check_count(callee, calls, (apps, courses), log);
        }
    }

    /// The iterations of a called application are the calls that it receives.
    fn check_count(&self, callee: usize, calls: &[usize], (apps, courses): (&Apps, &Courses), log: &Log) {
        let of = |instance| courses.of_instance(instance, apps);
        let calls: Vec<&(Call, Joint)> = calls.iter().filter_map(|&call| self.calls.get(call)).collect();
        let count = |(call, joint): &&(Call, Joint)| Some(call.count(of(joint.from)?.iterations?));
        let counts: Option<Vec<u64>> = calls.iter().map(count).collect();
        let (Some(counts), Some(course)) = (counts, of(callee)) else { return };
        let places = &course.places;
        let called = counts.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        let Some(iterations) = course.iterations.filter(|&iterations| iterations != called) else { return };
        let name = names::shown(&apps.instance_name(callee));
        let times = if called == 1 { "once".to_owned() } else { format!("{called} times") };
        let message = format!("`{name}` has {}, but is called {times}", counted(iterations, "iteration"));
        let place = places.iterations.as_ref().unwrap_or(&places.name);
        let hint = if called == 0 {
            "no caller has as many iterations as `every` says: write a smaller one".to_owned()
        } else {
            format!("it works on one iteration for each call: write `iterations = {called}` in `{name}`")
        };
        let problem = Problem::new(ProblemKind::BadValue, message)
            .at(place.clone(), counted(iterations, "iteration"))
            .hint(hint);
        let shown = calls.iter().zip(&counts).take(MOST_SHOWN);
        log.report(shown.fold(problem, |problem, ((_, joint), &count)| {
            problem.related(joint.to_place.clone(), counted(count, "call"))
        }));
    }
}

/// The two instances that a table joins, which name it in lists of defaults; `single` reports groups as an error.
fn ends(
    table: &mut TableReader<'_>,
    [from, to]: [Option<Value<'_>>; 2],
    apps: &Apps,
    single: &str,
) -> Option<Joint> {
    let header = table.place();
    // Looks both up, so that both mistakes are reported.
    let found = [&from, &to].map(|end| instance(end.as_ref()?, apps, single));
    let [Some(first), Some(second)] = found else { return None };
    table.name = format!("{} -> {}", apps.instance_name(first), apps.instance_name(second));
    Some(Joint { from: first, to: second, header, from_place: from?.place(), to_place: to?.place() })
}

fn counted(count: u64, noun: &str) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), noun)
}

/// One cycle of each strongly connected component, as indices into `arrows`, in order along the cycle. Cycles are sorted by
/// their first arrows. `things` is the number of vertices; arrows connect vertices below it, possibly a vertex to itself.
fn find_circles(things: usize, arrows: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let (mut leaving, mut arriving) = (vec![Vec::new(); things], vec![Vec::new(); things]);
    for (number, &(from, to)) in arrows.iter().enumerate() {
        leaving[from].push(number);
        arriving[to].push(number);
    }
    let knot = knots(&leaving, &arriving, arrows);
    let mut done = vec![false; things];
    let mut circles = Vec::new();
    for (number, &(from, to)) in arrows.iter().enumerate() {
        if knot[from] != knot[to] || std::mem::replace(&mut done[knot[from]], true) {
            continue;
        }
        circles.extend(way_back(number, &leaving, arrows, |thing| knot[thing] == knot[from]));
    }
    circles
}

/// The component number of each vertex: two vertices are in the same component if paths lead from each to the other.
/// Kosaraju's algorithm, without recursion.
fn knots(leaving: &[Vec<usize>], arriving: &[Vec<usize>], arrows: &[(usize, usize)]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let things = leaving.len();
    let mut seen = vec![false; things];
    let mut finished = Vec::with_capacity(things);
    for start in 0..things {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        // A vertex, and the number of its arrows already followed.
        let mut path = vec![(start, 0)];
        while let Some((thing, followed)) = path.last_mut() {
            let Some(&arrow) = leaving[*thing].get(*followed) else {
                finished.push(*thing);
                path.pop();
                continue;
            };
            *followed += 1;
            let next = arrows[arrow].1;
            if !std::mem::replace(&mut seen[next], true) {
                path.push((next, 0));
            }
        }
    }
    let mut knot = vec![NONE; things];
    for &first in finished.iter().rev() {
        let mut open = vec![first];
        while let Some(thing) = open.pop() {
            if knot[thing] != NONE {
                continue;
            }
            knot[thing] = first;
            open.extend(
                arriving[thing].iter().map(|&arrow| arrows[arrow].0).filter(|&from| knot[from] == NONE),
            );
        }
    }
    knot
}

/// The shortest cycle that begins with the arrow `first` and stays `within`.
fn way_back(
    first: usize,
    leaving: &[Vec<usize>],
    arrows: &[(usize, usize)],
    within: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let (home, start) = arrows[first];
    if home == start {
        return Some(vec![first]);
    }
    // The arrow by which each vertex was reached.
    let mut by: Vec<Option<usize>> = vec![None; leaving.len()];
    let mut open = VecDeque::from([start]);
    while let Some(thing) = open.pop_front() {
        for &arrow in &leaving[thing] {
            let next = arrows[arrow].1;
            if by[next].is_some() || next == start || !within(next) {
                continue;
            }
            by[next] = Some(arrow);
            if next == home {
                let mut circle = Vec::new();
                let mut at = home;
                while let Some(arrow) = by[at] {
                    circle.push(arrow);
                    at = arrows[arrow].0;
                }
                circle.push(first);
                circle.reverse();
                return Some(circle);
            }
            open.push_back(next);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acyclic_arrows_yield_no_cycle() {
        // Two ways from 0 to 3.
        assert!(find_circles(4, &[(0, 1), (1, 3), (0, 2), (2, 3)]).is_empty());
    }

    #[test]
    fn a_self_loop_is_a_cycle() {
        assert_eq!(find_circles(2, &[(0, 1), (1, 1)]), [[1]]);
    }

    #[test]
    fn the_shortest_cycle_from_the_first_arrow_of_a_component_is_found() {
        // 1 -> 2 -> 3 -> 1, and 1 -> 3 is shorter; 0 only leads there, 4 and 5 form another cycle.
        let arrows = [(0, 1), (2, 3), (1, 2), (3, 1), (1, 3), (4, 5), (5, 4)];
        assert_eq!(find_circles(6, &arrows), [vec![1, 3, 2], vec![5, 6]]);
    }

    #[test]
    fn a_long_cycle_is_found_without_recursion() {
        let arrows: Vec<(usize, usize)> = (0..100_000).map(|i| (i, (i + 1) % 100_000)).collect();
        assert_eq!(find_circles(100_000, &arrows).first().map(Vec::len), Some(100_000));
    }

    proptest::proptest! {
        #![proptest_config(crate::random::questions(256))]

        /// A cycle exists exactly if the vertices have no order in which all arrows point forward.
        #[test]
        fn circles_are_found_where_nothing_can_come_first(
            arrows in proptest::collection::vec((0_usize..7, 0_usize..7), 0..12)
        ) {
            let mut left = arrows.clone();
            while let Some(free) = (0..7).find(|thing| left.iter().any(|a| a.0 == *thing) && left.iter().all(|a| a.1 != *thing)) {
                left.retain(|arrow| arrow.0 != free);
            }
            let found = find_circles(7, &arrows);
            proptest::prop_assert_eq!(found.is_empty(), left.is_empty());
            for circle in found {
                for (i, &arrow) in circle.iter().enumerate() {
                    let next = circle[(i + 1) % circle.len()];
                    proptest::prop_assert_eq!(arrows[arrow].1, arrows[next].0);
                }
            }
        }
    }
}

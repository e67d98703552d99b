//! Dual recursive bipartitioning: sockets in two groups, tasks in two sets, and so on in each half (Pellegrini 1994).

use super::bisect::bisect;
use super::random::Source;
use super::refine::Sides;
use super::sockets::Sockets;
use super::window::WindowGraph;

/// Where tasks are so far.
struct State<'a> {
    graph: &'a WindowGraph,
    sockets: &'a Sockets,
    room: &'a [u64],
    /// Groups of sockets that tasks were given to.
    groups: Vec<Vec<usize>>,
    /// Of each task its group; those that nobody asks for have none.
    group: Vec<Option<u32>>,
    /// Of each task its place in the set that is being divided.
    places: Vec<Option<u32>>,
}

/// Gives each of `free` a socket, with at most `room` of them on each; there must be room for all. Tasks that have one pull.
pub(super) fn divide(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut [Option<u32>],
    random: &mut Source,
) {
    let count = sockets.count();
    let mut groups: Vec<Vec<usize>> = (0..count).map(|socket| vec![socket]).collect();
    groups.push((0..count).collect());
    let mut group = parts.to_vec();
    for &task in free {
        // As many as nodes of a machine.
        group[task as usize] = Some(count as u32);
    }
    let places = vec![None; parts.len()];
    let mut state = State { graph, sockets, room, groups, group, places };
    let mut open = vec![(count, free.to_vec())];
    while let Some((group, members)) = open.pop() {
        if let [socket] = state.groups[group][..] {
            for member in members {
                parts[member as usize] = Some(socket as u32);
            }
        } else if !members.is_empty() {
            let [first, second] = state.halve(group, &members, random);
            // The first half is divided on, with the second one as it is.
            open.push(second);
            open.push(first);
        }
    }
}

impl State<'_> {
    /// Two groups of sockets, and who goes to which.
    fn halve(&mut self, group: usize, members: &[u32], random: &mut Source) -> [(usize, Vec<u32>); 2] {
        let (near, far) = self.sockets.halves(&self.groups[group]);
        let sides = self.sides(&near, &far, members);
        let side = bisect(sides, random);
        let names = [near, far].map(|half| {
            self.groups.push(half);
            self.groups.len() - 1
        });
        let mut halves = names.map(|name| (name, Vec::new()));
        for (&member, &side) in members.iter().zip(&side) {
            let half = &mut halves[usize::from(side)];
            // There are fewer groups than twice the sockets.
            self.group[member as usize] = Some(half.0 as u32);
            half.1.push(member);
        }
        halves
    }

    fn sides(&mut self, near: &[usize], far: &[usize], members: &[u32]) -> Sides {
        for (place, &member) in members.iter().enumerate() {
            // Tasks fit into 32 bits.
            self.places[member as usize] = Some(place as u32);
        }
        let graph = self.graph.part(members, &self.places);
        let inside = (self.sockets.within(near), self.sockets.within(far));
        let apart = self.sockets.between(near, far) - f64::midpoint(inside.0, inside.1);
        let from: Vec<f64> = self
            .groups
            .iter()
            .map(|group| self.sockets.between(far, group) - self.sockets.between(near, group))
            .collect();
        let pull = members.iter().map(|&member| {
            let mut pull = 0.0;
            for other in self.graph.neighbours(member) {
                pull += match (self.places[other.task as usize], self.group[other.task as usize]) {
                    // Where both are in the second half they are as near as that allows: half of it for each.
                    (Some(_), _) => other.bytes * (inside.1 - inside.0) / 2.0,
                    (None, Some(group)) => other.bytes * from[group as usize],
                    (None, None) => 0.0,
                };
            }
            pull
        });
        let pull = pull.collect();
        for &member in members {
            self.places[member as usize] = None;
        }
        let room = [near, far].map(|half| half.iter().map(|&socket| self.room[socket]).sum::<u64>());
        let total = (room[0] + room[1]).max(1) as f64;
        let ideal = room.map(|room| members.len() as f64 * room as f64 / total);
        Sides { graph, pull, apart, room, ideal }
    }
}

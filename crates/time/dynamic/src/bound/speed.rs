//! How fast an application is at best in one phase, with the machine to itself.

use numasim_model::dynamics::{Course, Phase, Scaling};
use numasim_model::sharing::Solver;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, Demand, Machine, NodeId};

use super::tasks::Tasks;

/// Speeds that nothing exceeds, in GFLOPS.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speeds {
    /// Of one thread with a core of its own, on the best node where the application has threads.
    pub(super) thread_gflops: f64,
    /// Of all its threads.
    all_gflops: f64,
    threads: u32,
}

/// Threads that can have a core of their own on one node.
struct Places {
    count: u32,
    /// Of each, drawing all it wants.
    gflops: f64,
}

impl Speeds {
    pub(super) fn new(machine: &Machine, course: &Course, phase: &Phase, demand: &Demand) -> Self {
        let Demand { arithmetic_intensity: intensity, placement, kernel } = demand;
        let solver = Solver::new(machine, std::slice::from_ref(demand));
        let mut places: Vec<Places> = Vec::new();
        let mut through_memory = 0.0;
        for node in machine.compute_nodes() {
            let threads = course.threads.get(node.0).copied().unwrap_or(0);
            let count = threads.min(machine.node(node).cores);
            if count > 0 {
                let gflops = solver.full_speed_per_thread(AppId(0), node);
                places.push(Places { count, gflops });
                through_memory += (f64::from(count) * gflops)
                    .min(way_in(machine, demand, node).value() * intensity.value());
            }
        }
        // What lies on one node for all threads comes through its controller.
        for memory in machine.node_ids() {
            let share = placement.fixed_share(machine, memory) * machine.node(memory).occupied_by(*kernel);
            if share > 0.0 {
                let most = machine.node(memory).bandwidth.value() / share * intensity.value();
                through_memory = through_memory.min(most);
            }
        }
        places.sort_by(|a, b| b.gflops.total_cmp(&a.gflops));
        let through_cores = best_of_counts(&places, course.thread_count(), &phase.scaling);
        Self {
            thread_gflops: places.first().map_or(0.0, |best| best.gflops),
            all_gflops: through_memory.min(through_cores),
            threads: course.thread_count(),
        }
    }

    /// Seconds that the phase takes at least.
    pub(super) fn least_time(&self, tasks: &Tasks, io_s: f64) -> f64 {
        let time = |gflop: f64, gflops: f64| if gflop > 0.0 { gflop / gflops } else { 0.0 };
        let all_s = time(tasks.sum, self.all_gflops);
        if tasks.count == 0 {
            return all_s;
        }
        // Some thread does at least count / threads tasks, one after the other; all threads do all of them.
        let rounds = tasks.count.div_ceil(u64::from(self.threads.max(1)));
        let in_turn_s = rounds as f64 * (time(tasks.shortest, self.thread_gflops) + io_s);
        let sum_s = time(tasks.sum, self.thread_gflops) + tasks.count as f64 * io_s;
        let longest_s = time(tasks.longest, self.thread_gflops) + io_s;
        all_s.max(in_turn_s).max(sum_s / f64::from(self.threads.max(1))).max(longest_s)
    }
}

/// The most that threads of `node` read: the narrowest of their ways, each for its share of the data.
fn way_in(machine: &Machine, demand: &Demand, node: NodeId) -> GigabytesPerSecond {
    let occupied: Vec<f64> =
        machine.node_ids().map(|memory| occupied(machine, demand, node, memory)).collect();
    let all = occupied.iter().fold(0.0, |sum, share| sum + share);
    let unlimited = GigabytesPerSecond::new(f64::INFINITY);
    let read = machine.node(node).read_bandwidth.map_or(unlimited, |limit| limit * (1.0 / all));
    let ways = machine.node_ids().zip(occupied).filter_map(|(memory, share)| {
        let controller = machine.node(memory).bandwidth;
        let link = machine.link(node, memory).filter(|_| node != memory).unwrap_or(controller);
        (share > 0.0).then(|| controller.min(link) * (1.0 / share))
    });
    ways.fold(read, GigabytesPerSecond::min)
}

/// GB of reads on `memory` that a GB which a thread on `node` moves stands for.
fn occupied(machine: &Machine, demand: &Demand, node: NodeId, memory: NodeId) -> f64 {
    demand.placement.fraction(machine, node, memory) * machine.node(memory).occupied_by(demand.kernel)
}

/// The most that any number of threads computes together: S(n) / n of the n best places.
///
/// Where n grows over equal places, S(n) / n x (a + b n) is monotonic for Amdahl's law and where S is constant, so that only the ends of
/// such ranges count; between the points of a table every n is tried.
fn best_of_counts(places: &[Places], threads: u32, scaling: &Scaling) -> f64 {
    let mut ends: Vec<u32> = vec![1, threads];
    let mut sum = 0;
    for place in places {
        ends.extend([sum + 1, sum + place.count]);
        sum += place.count;
    }
    if let Scaling::Table(points) = scaling {
        let last = points.last().map_or(1, |&(at, _)| at);
        ends.extend(1..=last.saturating_add(1).min(threads));
    }
    let of = |threads: u32| {
        let (mut left, mut gflops) = (threads, 0.0);
        for place in places {
            let here = left.min(place.count);
            gflops += f64::from(here) * place.gflops;
            left -= here;
        }
        scaling.efficiency(threads) * gflops
    };
    ends.into_iter().filter(|&end| (1..=threads).contains(&end)).map(of).fold(0.0, f64::max)
}

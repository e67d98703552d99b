//! A lower bound on the makespan of a study: no policy ends before it.
//!
//! # What holds of every run
//! Sharing models give nobody more than it wants, and nothing more than its capacity. Sharing a core never makes its threads faster together, nor
//! does scaling. So whoever decides, and whatever it decides:
//!
//! 1. **Cores.** A core-second gives an application at most the speed of a thread that draws all it wants, on the node where that is
//!    highest. The core-seconds that all work needs at that speed fit into cores x time; and all GFLOP into peak x time.
//! 2. **Memory.** A byte comes from some controller: all bytes fit into the bandwidth of all controllers x time, and those
//!    that lie on one node, wherever their readers run, into the bandwidth of that node x time.
//! 3. **Alone.** With the machine to itself a phase is no faster than its best number of threads lets it be (`speed`), no shorter than its
//!    longest task with its sleep, and no shorter than the tasks that some thread has to do one after the other.
//! 4. **Paths.** Iterations and phases follow one another; a consumer begins its first iteration after the producer's first one,
//!    and has its last one before it after the producer's last one; where a channel has room for c items, item i + c begins when item
//!    i is consumed; a call takes an iteration of the callee, which works on one call at a time; nobody begins before it arrives (`path`).
//!
//! 1 and 2 hold of those applications alone that arrive at some time or later, from that time on. The bound is the largest of all these.
//! It is exact where one of them is all that matters, and knows nothing of what several of them do together.
//!
//! Rounding: an end that would come at most 1 ns later belongs to its instant, so that each event of a run may
//! come 1 ns before the time that this bound reckons with.

use numasim_course::{Course, Dynamics, Phase, Scaling, Study, Work};
use numasim_model::sharing::Solver;
use numasim_model::units::{GigabytesPerSecond, Seconds};
use numasim_model::{AppId, Data, Demand, Machine, NodeId};

use crate::result::SimulateError;
use crate::result::{Controller, Question};
use crate::spread::Spread;

/// A time before which no run is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowerBound {
    /// Since the beginning.
    pub makespan: Seconds,
    /// What takes so long.
    pub because_of: Bottleneck,
}

/// What the machine or the applications cannot do faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// All cores together have that much to compute.
    Cores,
    /// All memories together have that much to deliver.
    Memories,
    /// The memory of this node has that much to deliver.
    Memory(NodeId),
    /// This application, with what it waits for, takes that long.
    Path(AppId),
}

/// Needs of one or more applications, over all iterations.
#[derive(Default)]
struct Needs {
    arrives_s: f64,
    gflop: f64,
    core_seconds: f64,
    /// GB of reads (what kernels that write occupy) in all, and per node those that lie there wherever they are read.
    gigabytes: f64,
    on_node: Vec<f64>,
}

/// Most tasks whose work is drawn for a bound, a second or two; a run of as many takes minutes.
const MOST_DRAWN: u64 = 100_000_000;

/// A lower bound on the makespan of `study`; `data` and `seed` as in a [`Question`]. `None` where the work of more than
/// 10^8 tasks is spread, or where `stop` says so, which is asked now and then.
///
/// # Errors
/// As [`crate::simulate`], where the study is incomplete or the sharing model refuses the machine.
pub fn lower_bound(
    study: &Study,
    data: Option<&[Data]>,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Option<LowerBound>, SimulateError> {
    let machine = &study.machine.with_domains_dealt();
    if let Some(refusal) = study.machine.sharing_refusal() {
        return Err(refusal.into());
    }
    let question = Question { study, controller: Controller::Nobody, data, seed, until: None };
    let placements = question.placements()?;
    if drawn_tasks(study) > MOST_DRAWN {
        return Ok(None);
    }
    let mut needs = Vec::new();
    let mut times = Vec::new();
    for (app, (course, placements)) in study.dynamics.courses.iter().zip(&placements).enumerate() {
        let phases = course.phases.iter().zip(placements);
        let demands: Vec<Demand> =
            phases.map(|(phase, placement)| phase.demand(&study.apps[app], placement.clone())).collect();
        let phases: Vec<Speeds> = course
            .phases
            .iter()
            .zip(&demands)
            .map(|(phase, demand)| Speeds::new(machine, course, phase, demand))
            .collect();
        let mut need = Needs {
            arrives_s: course.arrives.value(),
            gflop: 0.0,
            core_seconds: 0.0,
            gigabytes: 0.0,
            on_node: vec![0.0; machine.node_count()],
        };
        let mut spread = Spread::new(course, seed, app);
        let is_spread = course.draws_tasks();
        // Without a spread all iterations are equal.
        let (rounds, equal) = if is_spread { (course.iterations, 1) } else { (1, course.iterations) };
        let mut of_app = Times::default();
        for round in 0..rounds {
            let mut iteration_s = 0.0;
            for ((phase, demand), speeds) in course.phases.iter().zip(&demands).zip(&phases) {
                let Some(work) = &phase.work else { continue };
                let Some(tasks) = Tasks::of(work, &mut spread, is_spread, stop) else { return Ok(None) };
                iteration_s += speeds.least_time(&tasks, phase.io.value());
                let gflop = tasks.sum * equal as f64;
                let gigabytes = gflop / phase.arithmetic_intensity.value();
                // What is counted in another unit is no load for the peak of the machine.
                need.gflop += if demand.limits.no_flop { 0.0 } else { gflop };
                need.core_seconds += gflop / speeds.thread_gflops;
                // What lies where the threads run lies where it occupies least.
                let costs = machine.memory_nodes().map(|node| machine.node(node).occupied_by(demand.traffic));
                let least = costs.fold(f64::INFINITY, f64::min);
                need.gigabytes += gigabytes * demand.placement.local_share() * least;
                for (node, on_node) in need.on_node.iter_mut().enumerate() {
                    let node = NodeId(node);
                    let cost = machine.node(node).occupied_by(demand.traffic);
                    let fixed = gigabytes * demand.placement.fixed_share(machine, node) * cost;
                    *on_node += fixed;
                    need.gigabytes += fixed;
                }
            }
            of_app.add(iteration_s, equal, round == 0);
        }
        needs.push(need);
        times.push(of_app);
    }
    let (last, end_s) = longest(&study.dynamics, &times);
    let mut bound = LowerBound { makespan: Seconds::new(end_s), because_of: Bottleneck::Path(last) };
    // From the last one that arrives to the first one.
    needs.sort_by(|a, b| b.arrives_s.total_cmp(&a.arrives_s));
    let mut later = Needs { on_node: vec![0.0; machine.node_count()], ..Needs::default() };
    for need in &needs {
        later.add(need);
        for (busy_s, because_of) in together(machine, &later) {
            let end = Seconds::new(need.arrives_s + busy_s);
            if end > bound.makespan {
                bound = LowerBound { makespan: end, because_of };
            }
        }
    }
    Ok(Some(bound))
}

/// How many tasks have work that is drawn, in all iterations.
fn drawn_tasks(study: &Study) -> u64 {
    let of_phase = |phase: &Phase| match &phase.work {
        Some(Work::Tasks { count, .. }) => *count,
        Some(Work::Divisible(_)) | None => 0,
    };
    let courses = study.dynamics.courses.iter().filter(|course| course.draws_tasks());
    let of_course = |course: &Course| {
        // An iteration without a task is gone through as well.
        let tasks = course.phases.iter().map(of_phase).fold(1, u64::saturating_add);
        tasks.saturating_mul(course.iterations)
    };
    courses.map(of_course).fold(0, u64::saturating_add)
}

impl Needs {
    fn add(&mut self, other: &Self) {
        self.gflop += other.gflop;
        self.core_seconds += other.core_seconds;
        self.gigabytes += other.gigabytes;
        self.on_node.iter_mut().zip(&other.on_node).for_each(|(sum, of_app)| *sum += of_app);
    }
}

/// How long the whole machine is busy with all this, and what is.
fn together(machine: &Machine, sum: &Needs) -> impl Iterator<Item = (f64, Bottleneck)> {
    let nodes = machine.nodes();
    let peak: f64 = nodes.iter().map(|node| node.gflops_per_core.value() * f64::from(node.cores)).sum();
    let computing_s = (sum.core_seconds / machine.total_cores() as f64).max(sum.gflop / peak);
    let delivered: GigabytesPerSecond = nodes.iter().map(|node| node.bandwidth).sum();
    let whole = [(computing_s, Bottleneck::Cores), (sum.gigabytes / delivered.value(), Bottleneck::Memories)];
    let single = machine.memory_nodes().map(|memory| {
        let busy_s = sum.on_node[memory.0] / machine.node(memory).bandwidth.value();
        (busy_s, Bottleneck::Memory(memory))
    });
    whole.into_iter().chain(single.collect::<Vec<_>>())
}

/// Speeds that nothing exceeds, in GFLOPS.
#[derive(Clone, Copy, Debug)]
struct Speeds {
    /// Of one thread with a core of its own, on the best node where the application has threads.
    thread_gflops: f64,
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
    fn new(machine: &Machine, course: &Course, phase: &Phase, demand: &Demand) -> Self {
        let Demand { arithmetic_intensity: intensity, placement, traffic, .. } = demand;
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
            let share = placement.fixed_share(machine, memory) * machine.node(memory).occupied_by(*traffic);
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
    fn least_time(&self, tasks: &Tasks, io_s: f64) -> f64 {
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
    demand.placement.fraction(machine, node, memory) * machine.node(memory).occupied_by(demand.traffic)
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

/// Times of the iterations of an application with the machine to itself, in seconds, without what it calls.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Times {
    first: f64,
    last: f64,
    shortest: f64,
    sum: f64,
}

impl Default for Times {
    fn default() -> Self {
        Self { first: 0.0, last: 0.0, shortest: f64::INFINITY, sum: 0.0 }
    }
}

impl Times {
    /// `count` more iterations of `seconds` each.
    fn add(&mut self, seconds: f64, count: u64, is_first: bool) {
        if is_first {
            self.first = seconds;
        }
        self.last = seconds;
        self.shortest = self.shortest.min(seconds);
        self.sum += seconds * count as f64;
    }
}

/// When an application can be where, at the earliest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Earliest {
    begins: f64,
    first_item: f64,
    ends: f64,
}

/// Who hands items to whom, and who calls whom: numbers of channels and calls, per application.
struct Arrows {
    inputs: Vec<Vec<usize>>,
    calls: Vec<Vec<usize>>,
    callers: Vec<Vec<usize>>,
}

impl Arrows {
    fn of(dynamics: &Dynamics) -> Self {
        let none = vec![Vec::new(); dynamics.courses.len()];
        let mut arrows = Self { inputs: none.clone(), calls: none.clone(), callers: none };
        for (number, channel) in dynamics.channels.iter().enumerate() {
            arrows.inputs[channel.to.0].push(number);
        }
        for (number, call) in dynamics.calls.iter().enumerate() {
            arrows.calls[call.from.0].push(number);
            arrows.callers[call.to.0].push(number);
        }
        arrows
    }
}

/// The application that ends last at the earliest, and when that is.
fn longest(dynamics: &Dynamics, times: &[Times]) -> (AppId, f64) {
    let arrows = Arrows::of(dynamics);
    let whole = with_calls(dynamics, &arrows, times);
    let mut earliest = vec![Earliest::default(); times.len()];
    // Along the arrows, until nothing changes: they have no circle, so that every path has at most as many steps as there are
    // applications, and every step is a bound by itself.
    for _ in 0..=times.len() {
        let mut unchanged = true;
        for app in 0..times.len() {
            let found = of(dynamics, &arrows, times, &whole, &earliest, app);
            unchanged &= found == earliest[app];
            earliest[app] = found;
        }
        if unchanged {
            break;
        }
    }
    let ends = earliest.iter().map(|earliest| earliest.ends).enumerate();
    ends.fold((AppId(0), 0.0), |last, (app, end)| if end > last.1 { (AppId(app), end) } else { last })
}

/// The same with the iterations of those who are called: each call takes their shortest one.
fn with_calls(dynamics: &Dynamics, arrows: &Arrows, times: &[Times]) -> Vec<Times> {
    let mut whole = times.to_vec();
    for _ in 0..times.len() {
        let mut unchanged = true;
        for (app, times) in times.iter().enumerate() {
            let mut with = *times;
            for call in arrows.calls[app].iter().map(|&call| dynamics.calls[call]) {
                let takes = whole[call.to.0].shortest;
                let iterations = dynamics.courses[app].iterations;
                with.sum += call.count(iterations) as f64 * takes;
                if call.every == 1 {
                    with.first += takes;
                    with.shortest += takes;
                }
                if iterations.is_multiple_of(call.every) {
                    with.last += takes;
                }
            }
            unchanged &= whole[app] == with;
            whole[app] = with;
        }
        if unchanged {
            break;
        }
    }
    whole
}

fn of(
    dynamics: &Dynamics,
    arrows: &Arrows,
    times: &[Times],
    whole: &[Times],
    earliest: &[Earliest],
    app: usize,
) -> Earliest {
    let course = &dynamics.courses[app];
    let inputs = || arrows.inputs[app].iter().map(|&channel| &dynamics.channels[channel]);
    let mut begins = course.arrives.value();
    let mut last_begins: f64 = 0.0;
    for channel in inputs() {
        begins = begins.max(earliest[channel.from.0].first_item);
        last_begins = last_begins.max(earliest[channel.from.0].ends);
    }
    let callers = arrows.callers[app].iter().map(|&call| dynamics.calls[call]);
    let first_call = callers
        .map(|call| earliest[call.from.0].begins + call.every as f64 * times[call.from.0].shortest)
        .min_by(f64::total_cmp);
    begins = begins.max(first_call.unwrap_or(0.0));
    let mut ends = (begins + whole[app].sum).max(last_begins + whole[app].last);
    // Item 1 + k capacity begins after k rounds of producer and consumer; then both have another iteration to go.
    for channel in inputs() {
        if let Some(capacity) = channel.capacity.filter(|&capacity| capacity > 0) {
            let rounds = (course.iterations.saturating_sub(1) / capacity + 1) as f64;
            let round = whole[channel.from.0].shortest + whole[app].shortest;
            ends = ends.max(earliest[channel.from.0].begins + rounds * round);
        }
    }
    Earliest { begins, first_item: begins + whole[app].first, ends }
}

/// The work of a phase in one iteration.
#[derive(Clone, Copy, Debug)]
struct Tasks {
    /// GFLOP of all.
    sum: f64,
    /// GFLOP of the longest and the shortest task; 0 for divisible work.
    longest: f64,
    shortest: f64,
    /// 0 for divisible work.
    count: u64,
}

impl Tasks {
    /// `None` where `stop` says so.
    fn of(work: &Work, spread: &mut Spread, is_spread: bool, stop: &dyn Fn() -> bool) -> Option<Self> {
        /// After so many tasks it is asked.
        const UNHEARD: u64 = 1 << 20;
        let sum = work.total().value();
        Some(match work {
            Work::Divisible(_) => Self { sum, longest: 0.0, shortest: 0.0, count: 0 },
            Work::Tasks { count, each } => {
                // Each entry of the list once, or each task where no two are equal.
                let different = if is_spread { *count } else { (*count).min(each.len() as u64) };
                let mut tasks = Self { sum: 0.0, longest: 0.0, shortest: f64::INFINITY, count: *count };
                for number in 0..different {
                    if number % UNHEARD == UNHEARD - 1 && stop() {
                        return None;
                    }
                    // A task with jitter keeps its core and its bandwidth for as long as this work without jitter.
                    let drawn = spread.next();
                    let gflop = work.of_task(number).value() * drawn.work * drawn.time;
                    tasks.sum += gflop;
                    tasks.longest = tasks.longest.max(gflop);
                    tasks.shortest = tasks.shortest.min(gflop);
                }
                if !is_spread {
                    tasks.sum = sum;
                }
                tasks.shortest = tasks.shortest.min(tasks.longest);
                tasks
            }
        })
    }
}

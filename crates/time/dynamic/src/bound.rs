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

use numasim_model::dynamics::{Course, Phase, Work};
use numasim_model::units::{GigabytesPerSecond, Seconds};
use numasim_model::{AppId, Data, Demand, Machine, NodeId, Study};

use crate::error::SimulateError;
use crate::question::{Controller, Question};
use crate::spread::Spread;
use path::Times;
use speed::Speeds;
use tasks::Tasks;

mod path;
mod speed;
mod tasks;

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
    let machine = &study.machine;
    if let Some(refusal) = machine.sharing_refusal() {
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
        let is_spread = course.task_spread > 0.0;
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
                need.gflop += gflop;
                need.core_seconds += gflop / speeds.thread_gflops;
                // What lies where the threads run lies where it occupies least.
                let costs = machine.memory_nodes().map(|node| machine.node(node).occupied_by(demand.kernel));
                let least = costs.fold(f64::INFINITY, f64::min);
                need.gigabytes += gigabytes * demand.placement.local_share() * least;
                for (node, on_node) in need.on_node.iter_mut().enumerate() {
                    let node = NodeId(node);
                    let cost = machine.node(node).occupied_by(demand.kernel);
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
    let (last, end_s) = path::longest(&study.dynamics, &times);
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
    let courses = study.dynamics.courses.iter().filter(|course| course.task_spread > 0.0);
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

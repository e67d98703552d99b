//! From a study to the instructions for each process.

use numasim_bench::live::{Extent, Input, Node, Order, Output, Phase, Program, Tasks};
use numasim_course::{Binding, Channel, Course, Phase as CoursePhase, Scaling, Study, Work};
use numasim_dynamic::task_factors;
use numasim_host::system::NodeCores;
use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::Variant;
use numasim_model::app::App;
use numasim_model::{AppId, Data, NodeId, Placement};

use crate::failure::Failure;

/// Duration of the tasks into which divisible work is cut, on one thread, in seconds: short compared with visible times, long compared
/// with the microseconds of overhead per task.
const PIECE_S: f64 = 1e-3;
/// Maximum number of these tasks.
const MOST_PIECES: f64 = 1e6;
/// Maximum number of factors that are drawn for tasks with varying work; after that they repeat.
const MOST_FACTORS: u64 = 1 << 16;

/// Settings for all applications.
pub(super) struct How {
    pub(super) isa: Isa,
    /// The access variant of each application, if the machine file defines one.
    pub(super) variants: Vec<Option<Variant>>,
    pub(super) bytes_per_thread: u64,
    pub(super) real_items: bool,
    pub(super) seed: u64,
}

/// The access variants of the applications according to the machine file, as [`Variant::of_machine`].
///
/// # Errors
/// A variant that a kernel does not support.
pub(super) fn variants(study: &Study, asked: Option<Isa>) -> Result<Vec<Option<Variant>>, Failure> {
    let of = |app: &App| {
        Variant::of_machine(app.kernel, &study.machine, asked).map_err(|error| {
            Failure::input(format!("the kernel of '{}' cannot run", app.name)).caused_by(&error)
        })
    };
    study.apps.iter().map(of).collect()
}

/// The dimensions of the shared counters.
pub(super) fn extent(study: &Study) -> Extent {
    Extent {
        apps: study.apps.len(),
        nodes: study.machine.node_count(),
        channels: study.dynamics.channels.len(),
        calls: study.dynamics.calls.len(),
    }
}

/// The instructions for an application; `data` is given if a scenario or a search sets its data placement.
pub(super) fn order(
    study: &Study,
    app: AppId,
    host: &[NodeCores],
    how: &How,
    data: Option<&Data>,
) -> Option<Order> {
    let (of, course) = (study.apps.get(app.0)?, study.dynamics.courses.get(app.0)?);
    let node = |(node, &threads): (&NodeCores, &u32)| Node {
        number: node.number,
        threads: threads as usize,
        cores: node.cores.len(),
        // With all hardware threads of a core, two workers could run on the same core, so only the first of each core is used.
        cpus: node.cores.iter().filter_map(|core| core.first().copied()).collect(),
    };
    let nodes: Vec<Node> = host.iter().zip(&course.threads).map(node).collect();
    let program = match &course.command {
        Some(words) => Program::Command { words: words.clone(), cpus: mask(host, course) },
        None => Program::Tasks(Box::new(tasks(study, app, host, how, data)?)),
    };
    Some(Order {
        board: -1,
        extent: extent(study),
        app: app.0,
        name: of.name.clone(),
        arrives_s: course.arrives.value(),
        nodes,
        program,
    })
}

/// All logical CPUs of the nodes on which it has threads.
fn mask(host: &[NodeCores], course: &Course) -> Vec<u32> {
    numasim_agent::load::mask(&cores(host, course))
}

/// The cores of an external program, each as its logical CPUs: as many on each node as it has threads there.
pub(super) fn cores(host: &[NodeCores], course: &Course) -> Vec<Vec<u32>> {
    let of = |(node, &threads): (&NodeCores, &u32)| {
        node.cores.iter().take(threads as usize).cloned().collect::<Vec<_>>()
    };
    host.iter().zip(&course.threads).flat_map(of).collect()
}

fn tasks(study: &Study, app: AppId, host: &[NodeCores], how: &How, data: Option<&Data>) -> Option<Tasks> {
    let (of, course) = (study.apps.get(app.0)?, study.dynamics.courses.get(app.0)?);
    let channels = || study.dynamics.channels.iter().enumerate();
    let calls = || study.dynamics.calls.iter().enumerate();
    let item_bytes = |channel: &Channel| {
        // Not negative; the conversion of a float saturates.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let bytes = (channel.item.value() * 1e6) as u64;
        if how.real_items { bytes } else { 0 }
    };
    let phases = course.phases.iter().map(|phase| of_phase(study, course, phase, host, data));
    Some(Tasks {
        access: of.kernel,
        isa: how.isa,
        variant: how.variants.get(app.0).copied().flatten(),
        control: course.control,
        bind_to_core: course.binding == Binding::Core,
        iterations: course.iterations,
        phases: phases.collect::<Option<_>>()?,
        bytes_per_thread: how.bytes_per_thread,
        spread: spread(course, app, how.seed),
        inputs: channels()
            .filter(|(_, channel)| channel.to == app)
            .map(|(channel, _)| Input { channel })
            .collect(),
        outputs: channels()
            .filter(|(_, channel)| channel.from == app)
            .map(|(number, channel)| Output {
                channel: number,
                capacity: channel.capacity,
                item_bytes: item_bytes(channel),
            })
            .collect(),
        calls: calls()
            .filter(|(_, call)| call.from == app)
            .map(|(number, call)| (number, call.every))
            .collect(),
        called: calls().filter(|(_, call)| call.to == app).map(|(number, _)| number).collect(),
    })
}

/// The factors of its tasks, the same as in a simulation.
fn spread(course: &Course, app: AppId, seed: u64) -> Vec<f64> {
    if course.task_spread <= 0.0 {
        return Vec::new();
    }
    let of_phase = |phase: &CoursePhase| match phase.work {
        Some(Work::Tasks { count, .. }) => count,
        Some(Work::Divisible(_)) | None => 0,
    };
    let tasks: u64 = course.phases.iter().map(of_phase).sum();
    task_factors(course, seed, app)
        .take(usize::try_from(tasks.saturating_mul(course.iterations).min(MOST_FACTORS)).unwrap_or(0))
        .collect()
}

fn of_phase(
    study: &Study,
    course: &Course,
    phase: &CoursePhase,
    host: &[NodeCores],
    data: Option<&Data>,
) -> Option<Phase> {
    let intensity = phase.arithmetic_intensity.value();
    let (tasks, each_flop) = match phase.work.as_ref()? {
        Work::Tasks { count, each } => (*count, each.iter().map(|work| work.value() * 1e9).collect()),
        Work::Divisible(work) => {
            let flop = work.value() * 1e9;
            let machine = &study.machine;
            let first = machine.compute_nodes().next()?;
            let bandwidth = machine.node(machine.local_memory(first)).bandwidth.value();
            let gflops = machine.node(first).gflops_per_core.value().min(intensity * bandwidth);
            let pieces = (flop / (gflops * 1e9 * PIECE_S)).ceil().clamp(1.0, MOST_PIECES);
            // Between 1 and a million.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let count = pieces as u64;
            (count, vec![flop / pieces])
        }
    };
    let placement = phase.data_with(data).placement()?;
    Some(Phase {
        arithmetic_intensity: intensity,
        memory: (0..host.len()).map(|node| memory(study, placement, node, host)).collect(),
        each_flop,
        tasks,
        io_s: phase.io.value(),
        efficiency: efficiency(&phase.scaling, course.thread_count()),
    })
}

/// Data placement of a thread on a node: numbers of the operating system with shares.
fn memory(study: &Study, placement: &Placement, node: usize, host: &[NodeCores]) -> Vec<(u32, f64)> {
    let share = |memory: usize| placement.fraction(&study.machine, NodeId(node), NodeId(memory));
    let shares = host.iter().enumerate().map(|(memory, of)| (of.number, share(memory)));
    shares.filter(|&(_, share)| share > 0.0).collect()
}

fn efficiency(scaling: &Scaling, threads: u32) -> Vec<f64> {
    /// Beyond this number, one more hardly changes the speed.
    const MOST: u32 = 4096;
    match scaling {
        Scaling::Linear => Vec::new(),
        Scaling::Serial { .. } | Scaling::Table(_) => {
            (1..=threads.clamp(1, MOST)).map(|threads| scaling.efficiency(threads)).collect()
        }
    }
}

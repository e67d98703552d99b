//! From a study to what each process is told.

use numasim_bench::live::{Extent, Input, Node, Order, Output, Phase, Program, Tasks};
use numasim_course::{Binding, Channel, Course, Phase as CoursePhase, Scaling, Study, Work};
use numasim_dynamic::task_factors;
use numasim_host::system::NodeCores;
use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::Variant;
use numasim_model::app::App;
use numasim_model::{AppId, Data, NodeId, Placement};

use crate::failure::Failure;

/// Work that can be divided is cut into tasks of about this long on one thread, in seconds: short beside what a person sees, long
/// beside the microseconds that a task costs.
const PIECE_S: f64 = 1e-3;
/// And into no more than these.
const MOST_PIECES: f64 = 1e6;
/// As many factors are drawn for tasks whose work is spread; then they come again.
const MOST_FACTORS: u64 = 1 << 16;

/// How everybody works.
pub(super) struct How {
    pub(super) isa: Isa,
    /// The way of each application through memory, where the machine file has one.
    pub(super) variants: Vec<Option<Variant>>,
    pub(super) bytes_per_thread: u64,
    pub(super) real_items: bool,
    pub(super) seed: u64,
}

/// The ways of the applications through memory that the machine file has, as [`Variant::of_machine`].
///
/// # Errors
/// A way that a kernel does not have.
pub(super) fn variants(study: &Study, asked: Option<Isa>) -> Result<Vec<Option<Variant>>, Failure> {
    let of = |app: &App| {
        Variant::of_machine(app.kernel, &study.machine, asked).map_err(|error| {
            Failure::input(format!("the kernel of '{}' cannot run", app.name)).caused_by(&error)
        })
    };
    study.apps.iter().map(of).collect()
}

/// What the board has counts of.
pub(super) fn extent(study: &Study) -> Extent {
    Extent {
        apps: study.apps.len(),
        nodes: study.machine.node_count(),
        channels: study.dynamics.channels.len(),
        calls: study.dynamics.calls.len(),
    }
}

/// The order of an application; `data` where a scenario or a search says where its data lies.
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
        // All hardware threads of a core would let two workers of it meet on one: the first of each.
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

/// All processors of the nodes on which it has threads.
fn mask(host: &[NodeCores], course: &Course) -> Vec<u32> {
    numasim_agent::load::mask(&cores(host, course))
}

/// The cores of a program of its own, of each its processors: as many on each node as it has threads there.
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

/// Factors of its tasks, the same as those of a simulation.
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

/// Where the data of a thread on a node lies: numbers of the operating system with shares.
fn memory(study: &Study, placement: &Placement, node: usize, host: &[NodeCores]) -> Vec<(u32, f64)> {
    let share = |memory: usize| placement.fraction(&study.machine, NodeId(node), NodeId(memory));
    let shares = host.iter().enumerate().map(|(memory, of)| (of.number, share(memory)));
    shares.filter(|&(_, share)| share > 0.0).collect()
}

fn efficiency(scaling: &Scaling, threads: u32) -> Vec<f64> {
    /// Of more, the speed hardly changes with one.
    const MOST: u32 = 4096;
    match scaling {
        Scaling::Linear => Vec::new(),
        Scaling::Serial { .. } | Scaling::Table(_) => {
            (1..=threads.clamp(1, MOST)).map(|threads| scaling.efficiency(threads)).collect()
        }
    }
}

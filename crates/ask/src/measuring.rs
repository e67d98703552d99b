//! What `bench` and `calibrate` say of this host, as documents. Measuring needs a host, and this crate has none: the figures come in as
//! plain values, so that the documents and their schemas are here, as those of all other questions.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::Head;

/// A type of a document.
macro_rules! documents {
    ($($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $key:ident: $type:ty,)* })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, Serialize)]
            #[cfg_attr(feature = "schema", derive(JsonSchema))]
            pub struct $name { $($(#[$of])* pub $key: $type,)* }
        )*
    };
}

documents! {
    /// A reason to distrust measurements.
    Doubt {
        /// A stable word.
        code: String,
        /// The same as a sentence.
        message: String,
        /// What to do about it.
        advice: String,
    }

    /// A figure over the repetitions of a benchmark.
    Spread {
        /// The middle one; the mean of the two in the middle of an even number.
        median: f64,
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
        /// Sample standard deviation over mean; null with one repetition.
        spread: Option<f64>,
    }

    /// A benchmark of scenarios. Figures are null without a valid repetition.
    Benched {
        /// How it begins.
        #[serde(flatten)]
        head: Head,
        /// Name of the machine.
        machine: String,
        /// Name of the host.
        host: String,
        /// Which run it is.
        run: String,
        /// `complete`, `misplaced` (complete, but some measurements do not count), `interrupted` or `failed`.
        status: String,
        /// The file of the measurements.
        result: String,
        /// The file that says how it was measured.
        provenance: String,
        /// The input file of what ran.
        study: String,
        /// How it was measured.
        settings: Settings,
        /// Each scenario.
        scenarios: Vec<BenchedScenario>,
        /// What was scaled to the host.
        changes: Vec<Change>,
        /// Scenarios that do not fit the host.
        skipped: Vec<Skipped>,
        /// Measurements in which threads or pages were not in their place.
        misplaced: Vec<Misplaced>,
        /// Why the figures may not be what they seem.
        doubts: Vec<Doubt>,
    }

    /// How it was measured.
    Settings {
        /// Instruction set of the kernels.
        isa: String,
        /// Time from the common start to the window, in seconds.
        warm_up_s: f64,
        /// The measuring window, in seconds.
        window_s: f64,
        /// Repetitions of each scenario.
        repeat: u32,
        /// What a thread is bound to.
        bind: String,
        /// Applications are processes of their own.
        processes: bool,
        /// Data of each thread in bytes.
        bytes_per_thread: u64,
    }

    /// A scenario over its repetitions.
    BenchedScenario {
        /// Its name.
        name: String,
        /// It was scaled to the host.
        fitted: bool,
        /// Valid repetitions.
        repetitions: Option<u64>,
        /// GFLOPS of all applications.
        total_gflops: Option<Spread>,
        /// GB/s of all applications.
        total_bandwidth_gbs: Option<Spread>,
        /// Each application.
        apps: Vec<BenchedApp>,
    }

    /// An application in a scenario.
    BenchedApp {
        /// Its name.
        name: String,
        /// Its threads, on the nodes where it has some.
        threads: Vec<Threads>,
        /// Valid repetitions.
        repetitions: u64,
        /// GFLOPS on all nodes.
        gflops: Option<Spread>,
        /// GB/s on all nodes.
        bandwidth_gbs: Option<Spread>,
        /// The most that counting took of a window, in percent; null where it was not counted.
        counting_percent: Option<f64>,
    }

    /// Threads on a node.
    Threads {
        /// The node.
        node: u64,
        /// How many.
        threads: u32,
    }

    /// What was scaled to the host.
    Change {
        /// The scenario.
        scenario: String,
        /// A stable word.
        what: String,
        /// The same in words.
        change: String,
    }

    /// A scenario that does not fit the host.
    Skipped {
        /// The scenario.
        scenario: String,
        /// Why.
        reason: String,
    }

    /// A measurement in which something was not in its place.
    Misplaced {
        /// The scenario.
        scenario: String,
        /// The repetition, from 1.
        repetition: u32,
        /// Which pages and threads of which application.
        problems: Vec<String>,
        /// It was made once more, and then everything was in place.
        repeated_in_place: bool,
    }

    /// A benchmark that is not carried out.
    PlannedBench {
        /// How it begins.
        #[serde(flatten)]
        head: Head,
        /// Name of the machine.
        machine: String,
        /// Name of the host.
        host: String,
        /// `planned`.
        status: String,
        /// Repetitions of each scenario.
        repetitions: u32,
        /// Instruction set of the kernels.
        isa: String,
        /// The measuring window, in seconds.
        window_s: f64,
        /// Time from the common start to the window, in seconds.
        warm_up_s: f64,
        /// Data of each thread in bytes.
        bytes_per_thread: u64,
        /// Applications are processes of their own.
        processes: bool,
        /// What would run.
        scenarios: Vec<PlannedScenario>,
        /// What was scaled to the host.
        changes: Vec<Change>,
        /// Scenarios that do not fit the host.
        skipped: Vec<Skipped>,
        /// What is doubtful about it already.
        doubts: Vec<Doubt>,
    }

    /// A scenario that would run.
    PlannedScenario {
        /// Its name.
        name: String,
        /// It was scaled to the host.
        fitted: bool,
        /// The threads of each application on each node.
        groups: Vec<PlannedGroup>,
    }

    /// Threads of an application on a node.
    PlannedGroup {
        /// The application.
        app: String,
        /// The node.
        node: u64,
        /// What they compute.
        kernel: String,
        /// FLOP for each byte from memory.
        arithmetic_intensity: f64,
        /// Each of them.
        threads: Vec<PlannedThread>,
    }

    /// A thread.
    PlannedThread {
        /// The processors that it may use.
        cpus: String,
        /// Where its data lies.
        memory: Vec<MemoryShare>,
    }

    /// A part of the data of a thread.
    MemoryShare {
        /// The node, by its number of the operating system.
        os_node: u32,
        /// How much of it.
        share: f64,
    }

    /// A figure over the rounds of a calibration.
    Figure {
        /// The middle one.
        median: f64,
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
        /// How many rounds there are.
        rounds: u64,
        /// How far the rounds are apart, in percent of the median.
        uncertainty_percent: f64,
        /// How far off the median may be in 95 % of all cases, in percent; null with one round, or if it
        /// may be off by more than a factor of 100.
        interval95_percent: Option<f64>,
    }

    /// A calibration of this host.
    Calibrated {
        /// How it begins.
        #[serde(flatten)]
        head: Head,
        /// Name of the machine.
        machine: String,
        /// How and when it was measured.
        source: String,
        /// Instruction set of the kernels.
        isa: String,
        /// The measuring window, in seconds.
        window_s: f64,
        /// Time from the common start to the window, in seconds.
        warm_up_s: f64,
        /// Data of each thread in bytes.
        bytes_per_thread: u64,
        /// The way of each kernel through memory, where others than the usual one were tried.
        kernels: Vec<Way>,
        /// Each node.
        nodes: Vec<CalibratedNode>,
        /// GB/s of the cores of a node (row) from the memory of a node (column).
        bandwidth_matrix_gbs: Vec<Vec<Option<Figure>>>,
        /// Nanoseconds of a load in the same places; null where it was not measured.
        latency_matrix_ns: Option<Vec<Vec<Option<Figure>>>>,
        /// Lines for which a core of each node waits at the same time; null where it was not measured.
        lines_in_flight: Option<Vec<Option<Figure>>>,
        /// Lines that the benchmark has under way on a core of each node; null where latencies were not measured.
        benchmark_lines: Option<Vec<Option<Figure>>>,
        /// What second hardware threads bring; null where it was not measured (`--smt`).
        smt: Option<Siblings>,
        /// The sharing model of the machine file.
        model: String,
        /// How long threads make each other wait under it.
        penalties: Vec<Penalty>,
        /// What sockets read from each other.
        shared_links: Vec<SharedLink>,
        /// Everything that was measured.
        steps: Vec<Step>,
        /// Why the figures may not be what they seem.
        doubts: Vec<Doubt>,
        /// What the system says of the host.
        host: Value,
    }

    /// What the L3 domains of a node read of its memory.
    CalibratedL3 {
        /// Cores of each.
        cores: u32,
        /// The most that the cores of one read, and whether that is a limit of its own (`l3_read_gbs`).
        one: Together,
        /// What all cores of two read at once.
        two_gbs: Figure,
    }

    /// Cores with both hardware threads, against the same with one.
    Siblings {
        /// The FLOP rate of all cores of the first node, over that of one thread on each.
        speedup: Figure,
        /// GB/s of one core whose both threads read.
        core_bandwidth_gbs: Figure,
        /// The same over that of one thread.
        bandwidth_ratio: Figure,
    }

    /// A penalty of the model `ecm`.
    Penalty {
        /// Its key in `[machine.sharing]`.
        key: String,
        /// The value of the machine file.
        value: f64,
        /// It was fitted to measurements; else it is the usual one.
        fitted: bool,
        /// It is no less in 95 % of all cases; null where that is not known.
        low: Option<f64>,
        /// It is no more in 95 % of all cases; null where that is not known.
        high: Option<f64>,
        /// Thread counts to which it was fitted.
        thread_counts: Option<u64>,
        /// Mean error of their bandwidth, as a share.
        mean_error: Option<f64>,
        /// Why it was not fitted.
        reason: Option<String>,
    }

    /// The way of a kernel through memory.
    Way {
        /// The kernel.
        kernel: String,
        /// Its instruction set.
        isa: String,
        /// Places at which it works at once.
        streams: u32,
        /// How far it prefetches, far and near; 0: not at all.
        prefetch_bytes: [u32; 2],
        /// How it stores.
        stores: String,
        /// How much faster than the usual way, as a factor; null where it is that.
        gain: Option<Figure>,
    }

    /// A node; what needs cores is null without them.
    CalibratedNode {
        /// Its number.
        node: u64,
        /// Its number of the operating system.
        os_index: u32,
        /// Its cores.
        cores: u32,
        /// GFLOPS of a core while all compute.
        gflops_per_core: Option<Figure>,
        /// GFLOPS of a core while the others are idle.
        gflops_of_one_core_alone: Option<Figure>,
        /// GB/s of one thread that reads its own node.
        core_bandwidth_gbs: Option<Figure>,
        /// GB/s of its memory.
        bandwidth_gbs: Figure,
        /// The same of copies.
        copy_gbs: Option<Figure>,
        /// The same of triads.
        triad_gbs: Option<Figure>,
        /// The same of updates.
        update_gbs: Option<Figure>,
        /// The fewest threads that saturate its memory.
        saturating_threads: Option<u32>,
        /// What its threads read from all memories at once.
        read: Option<Together>,
        /// What its L3 domains read; null where it has one only, or none that are known.
        l3: Option<CalibratedL3>,
    }

    /// What several readers at once got.
    Together {
        /// The most of any way that was tried.
        gbs: Figure,
        /// What nodes and links predict.
        predicted_gbs: f64,
        /// It is clearly below.
        limits: bool,
    }

    /// What a socket reads from another.
    SharedLink {
        /// The socket of the cores.
        from_socket: u32,
        /// That of the memories.
        to_socket: u32,
        /// Nodes of the first.
        from: Vec<usize>,
        /// Nodes of the second.
        to: Vec<usize>,
        /// What was read.
        read: Together,
    }

    /// A step of a calibration.
    Step {
        /// What is measured, as a stable word.
        measures: String,
        /// The node whose cores run; null of several.
        from_node: Option<u64>,
        /// The node whose memory is read; null of several.
        to_node: Option<u64>,
        /// All threads.
        threads: u32,
        /// Which threads read which memory.
        flows: Vec<Flow>,
        /// GFLOPS of each round.
        gflops: Vec<f64>,
        /// GB/s of each round.
        bandwidth_gbs: Vec<f64>,
    }

    /// Threads that read a memory.
    Flow {
        /// The node whose cores run.
        from_node: u64,
        /// The node whose memory is read.
        to_node: u64,
        /// How many.
        threads: u32,
    }

    /// What a calibration would measure.
    PlannedCalibration {
        /// How it begins.
        #[serde(flatten)]
        head: Head,
        /// Nothing was measured.
        dry_run: bool,
        /// The parts.
        parts: Vec<PlannedPart>,
        /// Measurements at most.
        measurements: u64,
        /// Windows and warming up, in seconds.
        seconds: f64,
    }

    /// A part of a calibration.
    PlannedPart {
        /// What it measures.
        what: String,
        /// Steps at most.
        steps: u64,
        /// How often each is measured.
        rounds: u32,
        /// Measurements in all.
        measurements: u64,
        /// How long they take.
        seconds: f64,
    }
}

//! Results of `bench` and `calibrate` on this host, as documents. Measuring needs a host, which this crate does not access. The values
//! come in as plain data, so that the documents and their schemas are in this crate like those of all other questions.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::Head;

/// Declares a type of a document.
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
        /// The reason as a sentence.
        message: String,
        /// Advice.
        advice: String,
    }

    /// A value over the repetitions of a benchmark.
    Spread {
        /// The median; for an even number of values, the mean of the two middle ones.
        median: f64,
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
        /// Coefficient of variation: sample standard deviation over mean; null with one repetition.
        spread: Option<f64>,
    }

    /// A benchmark of scenarios. Values are null without a valid repetition.
    Benched {
        /// Common keys of all documents.
        #[serde(flatten)]
        head: Head,
        /// Name of the machine.
        machine: String,
        /// Name of the host.
        host: String,
        /// Identifier of the run.
        run: String,
        /// `complete`, `misplaced` (complete, but some measurements do not count), `interrupted` or `failed`.
        status: String,
        /// The file of the measurements.
        result: String,
        /// The file with the provenance of the measurements.
        provenance: String,
        /// The input file of the benchmark.
        study: String,
        /// Settings of the measurement.
        settings: Settings,
        /// Each scenario.
        scenarios: Vec<BenchedScenario>,
        /// Values that were scaled to the host.
        changes: Vec<Change>,
        /// Scenarios that do not fit the host.
        skipped: Vec<Skipped>,
        /// Measurements with misplaced threads or pages.
        misplaced: Vec<Misplaced>,
        /// Reasons to distrust the values.
        doubts: Vec<Doubt>,
    }

    /// Settings of a measurement.
    Settings {
        /// Instruction set of the kernels.
        isa: String,
        /// Time from the common start to the window, in seconds.
        warm_up_s: f64,
        /// The measuring window, in seconds.
        window_s: f64,
        /// Repetitions of each scenario.
        repeat: u32,
        /// The unit to which a thread is bound.
        bind: String,
        /// Each application is a separate process.
        processes: bool,
        /// Data of each thread in bytes.
        bytes_per_thread: u64,
    }

    /// A scenario over its repetitions.
    BenchedScenario {
        /// Its name.
        name: String,
        /// Whether it was scaled to the host.
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
        /// Its threads, on the nodes with threads.
        threads: Vec<Threads>,
        /// Valid repetitions.
        repetitions: u64,
        /// GFLOPS on all nodes.
        gflops: Option<Spread>,
        /// GB/s on all nodes.
        bandwidth_gbs: Option<Spread>,
        /// Largest share of a window that counting took, in percent; null if it is unknown.
        counting_percent: Option<f64>,
    }

    /// Threads on a node.
    Threads {
        /// The node.
        node: u64,
        /// Number of threads.
        threads: u32,
    }

    /// A value that was scaled to the host.
    Change {
        /// The scenario.
        scenario: String,
        /// A stable word.
        what: String,
        /// The change as a sentence.
        change: String,
    }

    /// A scenario that does not fit the host.
    Skipped {
        /// The scenario.
        scenario: String,
        /// The reason.
        reason: String,
    }

    /// A measurement with a misplaced thread or page.
    Misplaced {
        /// The scenario.
        scenario: String,
        /// The repetition, from 1.
        repetition: u32,
        /// The repetition, from 1.
        problems: Vec<String>,
        /// Whether it was repeated with everything in place.
        repeated_in_place: bool,
    }

    /// A benchmark that is planned but not carried out.
    PlannedBench {
        /// Common keys of all documents.
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
        /// Each application is a separate process.
        processes: bool,
        /// Scenarios that would run.
        scenarios: Vec<PlannedScenario>,
        /// Values that were scaled to the host.
        changes: Vec<Change>,
        /// Scenarios that do not fit the host.
        skipped: Vec<Skipped>,
        /// Reasons for distrust that are already known.
        doubts: Vec<Doubt>,
    }

    /// A scenario that would run.
    PlannedScenario {
        /// Its name.
        name: String,
        /// Whether it was scaled to the host.
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
        /// The kernel that they run.
        kernel: String,
        /// FLOP for each byte from memory.
        arithmetic_intensity: f64,
        /// Each of the threads.
        threads: Vec<PlannedThread>,
    }

    /// A thread.
    PlannedThread {
        /// The logical CPUs that it may use.
        cpus: String,
        /// The nodes that hold its data.
        memory: Vec<MemoryShare>,
    }

    /// A share of the data of a thread.
    MemoryShare {
        /// The node, by its number in the operating system.
        os_node: u32,
        /// The share on this node.
        share: f64,
    }

    /// A value over the rounds of a calibration.
    Figure {
        /// The median.
        median: f64,
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
        /// Number of rounds.
        rounds: u64,
        /// Largest deviation of a round from the median, in percent of the median.
        uncertainty_percent: f64,
        /// Possible error of the median to either side in 95 % of cases, in percent; null with one round, or if the error may exceed a
        /// factor of 100.
        interval95_percent: Option<f64>,
    }

    /// A calibration of this host.
    Calibrated {
        /// Common keys of all documents.
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
        /// Access variant of each kernel, if variants other than the default were tried.
        kernels: Vec<Way>,
        /// Each node.
        nodes: Vec<CalibratedNode>,
        /// GB/s of the cores of a node (row) from the memory of a node (column).
        bandwidth_matrix_gbs: Vec<Vec<Option<Figure>>>,
        /// Latency of a load for the same pairs, in ns; null if it was not measured.
        latency_matrix_ns: Option<Vec<Vec<Option<Figure>>>>,
        /// Outstanding lines of a core of each node; null if they were not measured.
        lines_in_flight: Option<Vec<Option<Figure>>>,
        /// Outstanding lines of the benchmark on a core of each node; null if latencies were not measured.
        benchmark_lines: Option<Vec<Option<Figure>>>,
        /// Gain of second hardware threads; null if it was not measured (`--smt`).
        smt: Option<Siblings>,
        /// The sharing model of the machine file.
        model: String,
        /// Queueing penalties of this model.
        penalties: Vec<Penalty>,
        /// Bandwidth between sockets.
        shared_links: Vec<SharedLink>,
        /// Everything that was measured.
        steps: Vec<Step>,
        /// Reasons to distrust the values.
        doubts: Vec<Doubt>,
        /// Description of the host by the operating system.
        host: Value,
    }

    /// Bandwidth that the L3 domains of a node read from its memory.
    CalibratedL3 {
        /// Cores in each domain.
        cores: u32,
        /// The highest bandwidth that the cores of one domain read, and whether it is a separate limit (`l3_read_gbs`).
        one: Together,
        /// Bandwidth that all cores of two domains read at the same time.
        two_gbs: Figure,
    }

    /// Cores with both hardware threads, compared with the same cores with one.
    Siblings {
        /// FLOP rate of all cores of the first node, relative to one thread on each core.
        speedup: Figure,
        /// GB/s of one core with two reading threads.
        core_bandwidth_gbs: Figure,
        /// Bandwidth relative to one thread.
        bandwidth_ratio: Figure,
    }

    /// A penalty of the model `ecm`.
    Penalty {
        /// Its key in `[machine.sharing]`.
        key: String,
        /// The value in the machine file.
        value: f64,
        /// Whether it was fitted to measurements; otherwise it is the default.
        fitted: bool,
        /// Lower end of the 95 % interval; null if it is unknown.
        low: Option<f64>,
        /// Upper end of the 95 % interval; null if it is unknown.
        high: Option<f64>,
        /// Number of thread counts used for the fit.
        thread_counts: Option<u64>,
        /// Mean error of their bandwidth, as a fraction.
        mean_error: Option<f64>,
        /// The reason why it was not fitted.
        reason: Option<String>,
    }

    /// Access variant of a kernel.
    Way {
        /// The kernel.
        kernel: String,
        /// Its instruction set.
        isa: String,
        /// Number of streams that it processes at the same time.
        streams: u32,
        /// Prefetch distances in bytes, far and near; 0: no prefetching.
        prefetch_bytes: [u32; 2],
        /// Type of its stores.
        stores: String,
        /// Speedup over the default variant; null if it is the default.
        gain: Option<Figure>,
    }

    /// A node; values that need cores are null for a node without cores.
    CalibratedNode {
        /// Its number.
        node: u64,
        /// Its number in the operating system.
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
        /// The bandwidth of its memory for copies.
        copy_gbs: Option<Figure>,
        /// The bandwidth of its memory for triads.
        triad_gbs: Option<Figure>,
        /// The bandwidth of its memory for updates.
        update_gbs: Option<Figure>,
        /// The fewest threads that saturate its memory.
        saturating_threads: Option<u32>,
        /// Bandwidth that its threads read from all memories at the same time.
        read: Option<Together>,
        /// Bandwidth that its L3 domains read; null if it has only one, or if none are known.
        l3: Option<CalibratedL3>,
    }

    /// Bandwidth of several readers at the same time.
    Together {
        /// The highest bandwidth of all variants that were tried.
        gbs: Figure,
        /// Bandwidth predicted from nodes and links.
        predicted_gbs: f64,
        /// Whether the bandwidth is clearly below the prediction.
        limits: bool,
    }

    /// Bandwidth that a socket reads from another.
    SharedLink {
        /// The socket of the cores.
        from_socket: u32,
        /// The socket of the memories.
        to_socket: u32,
        /// Nodes of the first socket.
        from: Vec<usize>,
        /// Nodes of the second socket.
        to: Vec<usize>,
        /// The bandwidth.
        read: Together,
    }

    /// A step of a calibration.
    Step {
        /// The measured quantity, as a stable word.
        measures: String,
        /// The node whose cores run; null if there are several.
        from_node: Option<u64>,
        /// The node whose memory is read; null if there are several.
        to_node: Option<u64>,
        /// Number of all threads.
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
        /// Number of threads.
        threads: u32,
    }

    /// The planned measurements of a calibration.
    PlannedCalibration {
        /// Common keys of all documents.
        #[serde(flatten)]
        head: Head,
        /// Whether nothing was measured.
        dry_run: bool,
        /// The parts.
        parts: Vec<PlannedPart>,
        /// Maximum number of measurements.
        measurements: u64,
        /// Time of windows and warm-up, in seconds.
        seconds: f64,
    }

    /// A part of a calibration.
    PlannedPart {
        /// The measured quantity.
        what: String,
        /// Maximum number of steps.
        steps: u64,
        /// Number of measurements of each step.
        rounds: u32,
        /// Total number of measurements.
        measurements: u64,
        /// Time of the measurements, in seconds.
        seconds: f64,
    }
}

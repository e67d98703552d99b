//! The keys of `[machine]` and of the tables below it.

use numasim_model::access::Access;
use numasim_model::cpus::MAX_OS_NODE;
use numasim_model::machine::{
    FigureKind, INSTRUCTION_SETS, MAX_CORES_PER_NODE, MAX_NODES, MOST_PREFETCH_BYTES, MixedBandwidths,
};
use numasim_model::sharing::{ModelKind, Parameter};
use numasim_model::units::{Gflops, Gibibytes, GigabytesPerSecond};

use super::{
    Key, NODE_NUMBER, NOT_NEGATIVE, POSITIVE, Shape, Table, TableKind, Words, count, key, table, whole, words,
};

/// The key for the memory bandwidth of a node under a write kernel.
const fn kernel(access: Access) -> Key {
    let what = "what the memory of a node delivers to this kernel in GB/s, as the kernel counts its traffic";
    key(access.figure_key(), POSITIVE).means(what, "24.0").default("the bandwidth of reads").noted_when_used()
}

table! {
    /// The machine. Its nodes are equal (`nodes`, `cores_per_node`, `gflops_per_core`) or listed one by one
    /// (`[[machine.node]]`); its bandwidths are equal (`bandwidth_gbs`, `link_gbs`) or a full matrix
    /// (`bandwidth_matrix_gbs`).
    machine "[machine]" "MachineTable" Some(TableKind::Machine);
    /// Name of the machine.
    NAME = key("name", Shape::Name).example("\"4 nodes x 8 cores\"").required();
    /// Source of the values; free text.
    SOURCE = key("source", Shape::Text).default("not given");
    /// Number of NUMA nodes, all equal.
    NODES = key("nodes", whole(1, MAX_NODES as u64))
        .means("a number of NUMA nodes", "4")
        .also(&["numa_nodes", "domains", "numa_domains"]);
    /// Cores of each node.
    CORES_PER_NODE = key("cores_per_node", whole(1, MAX_CORES_PER_NODE as u64))
        .of_node(|node| Some(f64::from(node.cores)), |node, cores| node.cores = count(cores))
        .changed_in("")
        .means("a number of cores", "8")
        .also(&["cores", "cores_per_socket", "threads_per_node", "cpus_per_node"]);
    /// Peak of one core in GFLOPS (10^9 floating-point operations per second).
    GFLOPS_PER_CORE = key("gflops_per_core", POSITIVE)
        .of_node(
            |node| Some(node.gflops_per_core.value()),
            |node, peak| node.gflops_per_core = Gflops::new(peak),
        )
        .changed_in("GFLOPS")
        .means("the peak of one core in GFLOPS", "10.0")
        .also(&["gflops", "peak", "peak_gflops", "flops_per_core"]);
    /// Bandwidth of the memory controller of each node in GB/s.
    BANDWIDTH_GBS = key("bandwidth_gbs", POSITIVE)
        .of_node(
            |node| node.has_memory().then(|| node.bandwidth.value()),
            |node, gbs| node.bandwidth = GigabytesPerSecond::new(gbs),
        )
        .of_memory()
        .changed_in("GB/s")
        .means("a bandwidth in GB/s", "32.0")
        .also(&["memory_bandwidth", "memory_bandwidth_gbs", "node_bandwidth_gbs", "local_gbs"]);
    /// Bandwidth in GB/s of the link between each ordered pair of different nodes; not needed on one node.
    LINK_GBS = key("link_gbs", POSITIVE)
        .changed_in("GB/s")
        .means("the bandwidth of a link in GB/s", "10.0")
        .also(&["link", "link_bandwidth", "link_bandwidth_gbs", "remote_gbs", "remote_bandwidth_gbs"]);
    /// Number of sockets, each with the same number of nodes, which are numbered socket by socket: a
    /// shorthand for a matrix of bandwidths. `link_gbs` then applies to nodes on the same socket; it is not
    /// needed if each socket has one node.
    SOCKETS = key("sockets", whole(1, 64))
        .means("a number of sockets", "2")
        .also(&["packages", "number_of_sockets", "num_sockets"]);
    /// Bandwidth in GB/s of the link between each ordered pair of nodes on different sockets; needs `sockets`.
    SOCKET_LINK_GBS = key("socket_link_gbs", POSITIVE)
        .means("the bandwidth between two nodes on different sockets in GB/s", "10.0")
        .also(&["socket_link", "socket_gbs", "inter_socket_gbs", "cross_socket_gbs"]);
    /// Bandwidth in GB/s from another socket for all nodes of a socket together: a shared link for each pair
    /// of sockets, named `socket 0 - socket 1`; needs `sockets`. Default: no limit but the links of the
    /// pairs.
    SHARED_LINK_GBS = key("shared_link_gbs", POSITIVE)
        .means("what all nodes of a socket together read from another socket in GB/s", "60.0");
    /// Bandwidths in GB/s as Intel MLC prints them: row = node of the core, column = node of the memory; the
    /// diagonal is the memory controller. The row of a node without cores counts only on its diagonal; the column
    /// of a node without memory is 0.
    BANDWIDTH_MATRIX_GBS = key("bandwidth_matrix_gbs", Shape::List(&Shape::List(&NOT_NEGATIVE, 0, 0), 1, 1024))
        .also(&["matrix", "bandwidth_matrix", "matrix_gbs"]);
    /// Latency of a load on the idle machine in nanoseconds: row = node of the core, column = node of the
    /// memory, the diagonal included. `outstanding_lines`, of `[machine.sharing]` or of an application, and
    /// the model `ecm` use it.
    LATENCY_MATRIX_NS = key("latency_matrix_ns", Shape::List(&Shape::List(&NOT_NEGATIVE, 0, 0), 1, 1024))
        .means("a latency in ns", "90.0")
        .also(&["latency", "latencies", "latency_ns", "latency_matrix"]);
    /// Distances of memories as reported by the firmware (SLIT, `numactl --hardware`): row = node of the
    /// core, column = node of the memory; 10 is the local node. Only schedulers of tasks use it.
    DISTANCE_MATRIX = key("distance_matrix", Shape::List(&Shape::List(&NOT_NEGATIVE, 0, 0), 1, 1024))
        .means("a distance as the firmware states it", "10.0")
        .default("not given")
        .also(&["distances", "distance", "slit", "firmware_distances"]);
    /// Size of the last-level cache of each node in MB (10^6 bytes); 0 for none. Only tasks use it.
    LLC_MB = key("llc_mb", NOT_NEGATIVE)
        .default("none")
        .noted_when_used()
        .means("the size of the last-level cache of a node in MB (10^6 bytes), 0 for none", "20.0")
        .also(&["llc", "llc_mib", "l3", "l3_mb", "l3_mib", "cache", "cache_mb", "last_level_cache_mb"]);
    /// Maximum bandwidth of one core from the last-level cache of its node in GB/s; needs `llc_mb`.
    LLC_GBS = key("llc_gbs", POSITIVE)
        .default("no limit")
        .noted_when_used()
        .means("what one core reads from the last-level cache of its node in GB/s", "25.0")
        .also(&[
            "llc_bandwidth", "llc_bandwidth_gbs", "l3_gbs", "l3_bandwidth_gbs", "cache_gbs",
            "cache_bandwidth_gbs",
        ]);
    /// Maximum bandwidth of one thread on all memories together in GB/s.
    CORE_BANDWIDTH_GBS = key("core_bandwidth_gbs", POSITIVE)
        .of_node(
            |node| node.core_bandwidth.map(GigabytesPerSecond::value),
            |node, gbs| node.core_bandwidth = Some(GigabytesPerSecond::new(gbs)),
        )
        .changed_in("GB/s")
        .means("a bandwidth in GB/s", "32.0")
        .default("no limit")
        .also(&["thread_bandwidth_gbs", "core_gbs", "per_core_gbs"]);
    /// Maximum read bandwidth of all threads of a node together, local and remote, in GB/s.
    READ_GBS = key("read_gbs", POSITIVE)
        .of_node(
            |node| node.read_bandwidth.map(GigabytesPerSecond::value),
            |node, gbs| node.read_bandwidth = Some(GigabytesPerSecond::new(gbs)),
        )
        .changed_in("GB/s")
        .means("what the threads of a node can read together in GB/s", "100.0")
        .default("no limit")
        .also(&["read_bandwidth", "read_bandwidth_gbs", "node_read_gbs", "max_read_gbs"]);
    /// Cores of each L3 domain (CCX, CCD), a divisor of the cores of a node: domain j of a node has the cores
    /// from j x `cores_per_l3` on, in the order of `cpus`. Default: all cores of a node are one domain.
    CORES_PER_L3 = key("cores_per_l3", whole(1, MAX_CORES_PER_NODE as u64))
        .of_node(
            |node| node.cores_per_l3.map(f64::from),
            |node, cores| node.cores_per_l3 = Some(count(cores)),
        )
        .means("the number of cores of an L3 domain", "8")
        .default("all cores")
        .noted_when_used()
        .also(&["l3_cores", "cores_per_ccx", "cores_per_ccd", "cores_per_chiplet", "ccx_cores", "ccd_cores"]);
    /// Maximum bandwidth of all cores of an L3 domain together, on all memories, in GB/s.
    L3_READ_GBS = key("l3_read_gbs", POSITIVE)
        .of_node(
            |node| node.l3_bandwidth.map(GigabytesPerSecond::value),
            |node, gbs| node.l3_bandwidth = Some(GigabytesPerSecond::new(gbs)),
        )
        .changed_in("GB/s")
        .means("what the cores of an L3 domain draw together in GB/s", "50.0")
        .default("no limit")
        .noted_when_used()
        .also(&["ccx_gbs", "ccd_gbs", "ccx_read_gbs", "ccd_read_gbs", "chiplet_gbs", "l3_link_gbs"]);
    /// Memory size of a node in GiB (2^30 bytes). Default: not known, no limit.
    MEMORY_GIB = key("memory_gib", POSITIVE)
        .of_node(
            |node| node.memory.map(Gibibytes::value),
            |node, gib| node.memory = Some(Gibibytes::new(gib)),
        )
        .means(
            "a size of memory in GiB (2^30 bytes; 0 only in the `[[machine.node]]` of a node without memory)",
            "64.0",
        )
        .default("not given")
        .also(&["memory", "memory_gb", "mem_gib", "mem_gb", "ram", "ram_gib", "ram_gb", "size_gib", "size"]);
    /// Bandwidth of the memory of each node in GB/s under the benchmark's kernel `copy`, counted as the
    /// kernel moves data. Applications with that `kernel` use it.
    COPY_GBS = kernel(Access::Copy)
        .of_node(
            |node| node.kernels.copy.map(GigabytesPerSecond::value),
            |node, gbs| node.kernels.copy = Some(GigabytesPerSecond::new(gbs)),
        )
        .of_memory()
        .changed_in("GB/s")
        .also(&["copy", "copy_bandwidth_gbs", "stream_copy", "stream_copy_gbs"]);
    /// Bandwidth of the memory of each node in GB/s under the benchmark's kernel `triad`, counted as the
    /// kernel moves data. Applications with that `kernel` use it.
    TRIAD_GBS = kernel(Access::Triad)
        .of_node(
            |node| node.kernels.triad.map(GigabytesPerSecond::value),
            |node, gbs| node.kernels.triad = Some(GigabytesPerSecond::new(gbs)),
        )
        .of_memory()
        .changed_in("GB/s")
        .also(&["triad", "triad_bandwidth_gbs", "stream", "stream_gbs", "stream_triad", "stream_triad_gbs"]);
    /// Bandwidth of the memory of each node in GB/s under the benchmark's kernel `update`, counted as the
    /// kernel moves data. Applications with that `kernel` use it.
    UPDATE_GBS = kernel(Access::Update)
        .of_node(
            |node| node.kernels.update.map(GigabytesPerSecond::value),
            |node, gbs| node.kernels.update = Some(GigabytesPerSecond::new(gbs)),
        )
        .of_memory()
        .changed_in("GB/s");
    /// Bandwidth of the memory of each node in GB/s, reads and writes together, over the share of writes:
    /// `[[0.0, 100.0], [0.5, 82.0]]`. Ascending from 0; linear between the points, constant beyond.
    /// Applications with a `write_share` use it.
    MIXED_GBS = key("mixed_gbs", Shape::List(&MIXED_POINT, 1, MixedBandwidths::MOST))
        .means("pairs of a share of writes and a bandwidth in GB/s", "[[0.0, 100.0], [0.5, 82.0]]")
        .default("as reads")
        .noted_when_used()
        .also(&["mixed", "peak_injection", "read_write_gbs", "rw_gbs"]);
    /// Logical CPU numbers of the operating system, one list for each node (`["0-19", "20-39"]`), in the
    /// syntax of Linux; only needed to print commands (explore --emit). If there are more logical CPUs than
    /// cores, the first ones are used.
    CPUS = key("cpus", Shape::List(&Shape::Cpus, 1, 1024));
    /// Hardware threads of each core, 1 or 2. With 2, `cpus` lists the first one of every core, then the
    /// second ones, as Linux usually numbers them, and applications may use both (`smt`).
    THREADS_PER_CORE = key("threads_per_core", whole(1, 2))
        .means("a number of hardware threads", "2")
        .default("1")
        .noted_when_used()
        .also(&["smt", "hyperthreading", "threads_per_cores"]);
    /// The bandwidth-sharing model. Default: the model baseline-proportional without corrections.
    SHARING = key("sharing", Shape::Table(&sharing::TABLE));
    /// Access variants of the benchmark's kernels on this machine, as tuned by `calibrate`. Default: the
    /// default kernels.
    KERNELS = key("kernels", Shape::Table(&kernels::TABLE));
    /// The origin of the values.
    PROVENANCE = key("provenance", Shape::Table(&provenance::TABLE));
    /// The nodes one by one.
    NODE = key("node", Shape::Tables(&node::TABLE, 1, 1024));
    /// Links that several pairs of nodes share, such as those between two sockets.
    SHARED_LINK = key("shared_link", Shape::Tables(&shared_link::TABLE, 0, 4096));
    ["model"] => "write `[machine.sharing]` and below it `model = \"…\"`";
    ["shared_links", "socket_links", "interconnect", "xgmi", "upi", "qpi"] =>
        "write `[[machine.shared_link]]`, with two brackets on each side, above each shared link";
    ["write_gbs", "write_bandwidth", "write_bandwidth_gbs", "nt_write_gbs"] =>
        "give what the memory delivers to a kernel that reads and writes: `copy_gbs`, `triad_gbs` or `update_gbs`";
}

/// A share of writes and a bandwidth.
static MIXED_POINT: Shape = Shape::List(&NOT_NEGATIVE, 2, 2);

table! {
    /// One NUMA node.
    node "[[machine.node]]" "NodeTable" Some(TableKind::Node);
    /// Cores of the node; 0 for a memory-only node (CXL, HBM).
    CORES = key("cores", whole(0, MAX_CORES_PER_NODE as u64))
        .of_node(|node| Some(f64::from(node.cores)), |node, cores| node.cores = count(cores))
        .changed_in("")
        .means("a number of cores", "8")
        .required()
        .also(&["cores_per_node", "threads"]);
    /// Peak of one core in GFLOPS; 0 or omitted for a node without cores.
    GFLOPS_PER_CORE = key("gflops_per_core", NOT_NEGATIVE)
        .means("the peak of one core in GFLOPS", "10.0")
        .also(&["gflops", "peak", "peak_gflops"]);
    CORE_BANDWIDTH_GBS = machine::CORE_BANDWIDTH_GBS.own("that of the machine");
    READ_GBS = machine::READ_GBS.own("that of the machine");
    CORES_PER_L3 = machine::CORES_PER_L3.own("that of the machine");
    L3_READ_GBS = machine::L3_READ_GBS.own("that of the machine");
    /// Memory size of this node in GiB (2^30 bytes); 0 for a node that has cores and no memory (Threadripper
    /// 2990WX). Its local data is on the nearest node with memory.
    MEMORY_GIB = machine::MEMORY_GIB.or_zero().own("that of the machine");
    COPY_GBS = machine::COPY_GBS.own("that of the machine");
    TRIAD_GBS = machine::TRIAD_GBS.own("that of the machine");
    UPDATE_GBS = machine::UPDATE_GBS.own("that of the machine");
    MIXED_GBS = machine::MIXED_GBS.own("that of the machine");
    LLC_MB = machine::LLC_MB.own("that of the machine");
    LLC_GBS = machine::LLC_GBS.own("that of the machine");
    /// Logical CPU numbers of the operating system in the syntax of Linux (`0-19,40-59`); only needed to
    /// print commands (explore --emit). If there are more logical CPUs than cores, the first ones are used.
    CPUS = key("cpus", Shape::Cpus);
    /// Number of the node in the operating system (numactl --membind). Default: its position in this file.
    OS_NODE = key("os_node", whole(0, MAX_OS_NODE as u64)).means("a number of a NUMA node", "0");
    ["write_gbs", "write_bandwidth", "write_bandwidth_gbs", "nt_write_gbs"] =>
        "give what the memory delivers to a kernel that reads and writes: `copy_gbs`, `triad_gbs` or `update_gbs`";
    ["bandwidth", "bandwidth_gbs", "memory_bandwidth_gbs"] =>
        "give the bandwidth of each node on the diagonal of `bandwidth_matrix_gbs` in `[machine]`";
    ["link_gbs"] => "links belong in `bandwidth_matrix_gbs` or `link_gbs` of `[machine]`";
}

table! {
    /// Bandwidth that the reads of several pairs of nodes share, in addition to the links of the pairs.
    shared_link "[[machine.shared_link]]" "SharedLinkTable" None;
    /// Its name, unique on the machine.
    NAME = key("name", Shape::Name).example("\"xGMI\"").required();
    /// Bandwidth in each direction in GB/s.
    GBS = key("gbs", POSITIVE)
        .changed_in("GB/s")
        .means("what the link carries in each direction in GB/s", "60.0")
        .required()
        .also(&["bandwidth", "bandwidth_gbs", "capacity", "capacity_gbs", "link_gbs", "shared_link_gbs"]);
    /// Two groups of nodes: cores of the first read memories of the second over it and, with a separate
    /// capacity, the reverse.
    BETWEEN = key("between", Shape::List(&Shape::List(&NODE_NUMBER, 1, 0), 2, 2))
        .also(&["groups", "nodes", "joins"]);
    /// One direction only: nodes of the cores that read.
    FROM = key("from", Shape::List(&NODE_NUMBER, 1, 0)).example("[0, 1]");
    /// One direction only: nodes of the memories that they read.
    TO = key("to", Shape::List(&NODE_NUMBER, 1, 0)).example("[0, 1]");
}

/// The key of a correction of sharing models. Its name and its range are those of [`Parameter`].
const fn correction(parameter: Parameter, example: &'static str) -> Key {
    let (least, most) = parameter.range();
    key(parameter.as_str(), Shape::Number(least, most)).means("a number", example)
}

table! {
    /// The sharing model of the machine and its corrections; `numasim models` explains all of them. A correction
    /// that is not given is switched off.
    sharing "[machine.sharing]" "SharingTable" None;
    /// The model. Default: "baseline-proportional"; `--model` takes precedence.
    MODEL = key("model", Shape::Words(&MODEL_KIND_WORDS));
    /// Softness of the corner of a controller: 1/p of the smooth minimum of demand and bandwidth. Default: 0,
    /// hard.
    SATURATION_KNEE = correction(Parameter::SaturationKnee, "0.1");
    /// Loss of a controller under excess demand: B / (1 + loss (asked / B - 1)). Default: 0.
    OVERLOAD_LOSS = correction(Parameter::OverloadLoss, "0.1");
    /// Maximum bandwidth of one thread from local memory in GB/s. Default: no limit.
    CORE_LOCAL_GBS = correction(Parameter::CoreLocal, "12.0");
    /// Maximum bandwidth of one thread from remote memory in GB/s. Default: no limit.
    CORE_REMOTE_GBS = correction(Parameter::CoreRemote, "7.0");
    /// Cache lines of 64 byte that one thread has outstanding: with a latency its bandwidth is at most lines
    /// x 64 byte / latency. Needs `latency_matrix_ns`. Default: no limit.
    OUTSTANDING_LINES = correction(Parameter::OutstandingLines, "12.0");
    /// The share of the bandwidth of every link that carries data. Default: 1.
    LINK_EFFICIENCY = correction(Parameter::LinkEfficiency, "0.9");
    /// GB/s that the home controller loses for each GB/s read from outside, in addition to it. Default: 0.
    REMOTE_LOSS = correction(Parameter::RemoteLoss, "0.2");
    /// Weight of remote traffic at a controller relative to local traffic. Default: 1.
    REMOTE_WEIGHT = correction(Parameter::RemoteWeight, "2.0");
    /// The model ecm: latency that each further thread adds to a line, in transfer times of a line. Default:
    /// 0.33 for threads that only read local memory, 0.5 for those that write and for bytes over a link.
    ECM_PENALTY = correction(Parameter::EcmPenalty, "0.5");
    /// The same for write threads and for bytes over a link. Default: `ecm_penalty`.
    ECM_WRITE_PENALTY = correction(Parameter::EcmWritePenalty, "0.5");
}

words! {
    /// The bandwidth-sharing model; each is described in the module of its name.
    MODEL_KIND_WORDS "ModelKind" = ModelKind;
}

table! {
    /// The fastest access variants of the benchmark's kernels on this machine, by their use of memory.
    kernels "[machine.kernels]" "KernelsTable" None;
    /// The model of the processor on which they were tried, as reported by its operating system; `bench`
    /// warns on another one.
    PROCESSOR = key("processor", Shape::Text);
    /// The variant of `read`.
    READ = key("read", Shape::Table(&variant::TABLE));
    /// The variant of `copy`.
    COPY = key("copy", Shape::Table(&variant::TABLE));
    /// The variant of `triad`.
    TRIAD = key("triad", Shape::Table(&variant::TABLE));
    /// The variant of `update`.
    UPDATE = key("update", Shape::Table(&variant::TABLE));
}

table! {
    /// An access variant.
    variant "an entry of [machine.kernels]" "VariantTable" None;
    /// Width of the vectors.
    ISA = key("isa", Shape::Words(&ISA_WORDS)).example("\"avx2\"").required();
    /// Number of streams: positions in each array at which the kernel works at once.
    STREAMS = key("streams", whole(1, 4)).means("a number of streams", "4").required();
    /// Prefetch distances of each line in bytes, far and near; 0: no prefetch.
    PREFETCH_BYTES = key("prefetch_bytes", Shape::List(&whole(0, MOST_PREFETCH_BYTES as u64), 2, 2))
        .means("a distance in bytes", "[6144, 3072]")
        .required();
    /// Stores of lines that the kernel does not read. Default: "streaming".
    STORES = key("stores", Shape::Words(&STORES_WORDS));
}

words! {
    /// An instruction set of the kernels.
    ISA_WORDS "IsaWord" {
        INSTRUCTION_SETS[0] => "Plain code, on every processor.",
        INSTRUCTION_SETS[1] => "x86-64 with AVX2 and FMA.",
        INSTRUCTION_SETS[2] => "x86-64 with AVX-512 F.",
    }
}

words! {
    /// The kind of stores.
    STORES_WORDS "StoresWord" {
        "streaming" => "Past the caches, where the instruction set can.",
        "cached" => "Through the caches: the processor reads each line before.",
    }
}

table! {
    /// The origin of each value of the machine.
    provenance "[machine.provenance]" "ProvenanceTable" None;
    /// Origin of the numbers of cores.
    CORES = key("cores", Shape::Table(&origin::TABLE));
    /// Origin of the peak of a core.
    GFLOPS_PER_CORE = key("gflops_per_core", Shape::Table(&origin::TABLE));
    /// Origin of the bandwidth of one thread.
    CORE_BANDWIDTH_GBS = key("core_bandwidth_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the bandwidths of memory controllers.
    BANDWIDTH_GBS = key("bandwidth_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the link bandwidths.
    LINK_GBS = key("link_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the bandwidths of links between sockets.
    SOCKET_LINK_GBS = key("socket_link_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the bandwidth matrix.
    BANDWIDTH_MATRIX_GBS = key("bandwidth_matrix_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the bandwidths of shared links, including `shared_link_gbs`.
    SHARED_LINK = key("shared_link", Shape::Table(&origin::TABLE));
    /// Origin of the read limit of a node.
    READ_GBS = key("read_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the read limit of an L3 domain.
    L3_READ_GBS = key("l3_read_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the sizes of the memories.
    MEMORY_GIB = key("memory_gib", Shape::Table(&origin::TABLE));
    /// Origin of the memory bandwidth under the kernel `copy`.
    COPY_GBS = key("copy_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the memory bandwidth under the kernel `triad`.
    TRIAD_GBS = key("triad_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the memory bandwidth under the kernel `update`.
    UPDATE_GBS = key("update_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the memory bandwidth over the share of writes.
    MIXED_GBS = key("mixed_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the sizes of the last-level caches.
    LLC_MB = key("llc_mb", Shape::Table(&origin::TABLE));
    /// Origin of the bandwidth of one core from a last-level cache.
    LLC_GBS = key("llc_gbs", Shape::Table(&origin::TABLE));
    /// Origin of the latency matrix.
    LATENCY_MATRIX_NS = key("latency_matrix_ns", Shape::Table(&origin::TABLE));
    /// Origin of the firmware's distances.
    DISTANCE_MATRIX = key("distance_matrix", Shape::Table(&origin::TABLE));
    /// Origin of the parameters of the sharing model.
    SHARING = key("sharing", Shape::Table(&origin::TABLE));
}

table! {
    /// Kind and source of one value.
    origin "an entry of [machine.provenance]" "FigureTable" None;
    /// Measured, theoretical, estimated or assumed.
    KIND = key("kind", Shape::Words(&FIGURE_KIND_WORDS)).example("\"measured\"").required();
    /// The person or tool that measured or computed it, and the method; free text.
    SOURCE = key("source", Shape::Text);
    /// Its possible error, in percent of the value, or of the worst one if the key has several.
    UNCERTAINTY_PERCENT = key("uncertainty_percent", NOT_NEGATIVE).means("an uncertainty in percent", "2.5");
    /// Half-width of its 95 % interval, in percent of the value, or of the worst one if the key has several:
    /// the true value is between value / (1 + p / 100) and value x (1 + p / 100). Predictions get an interval
    /// from it.
    INTERVAL95_PERCENT = key("interval95_percent", NOT_NEGATIVE)
        .means("the half-width of an interval of 95 % in percent", "1.5");
}

words! {
    /// The origin of a value in a machine file.
    FIGURE_KIND_WORDS "FigureKind" = FigureKind;
}

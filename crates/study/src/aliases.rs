//! Keys that people write although the files call them something else, or put them elsewhere: what they meant.
//!
//! Slips of the keyboard are found by [`nearest`](numasim_model::words::nearest); these words are not alike.

/// What was probably meant by a key that no table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alias {
    /// Another key of the same table.
    Key(&'static str),
    /// Something that one key cannot say.
    Advice(&'static str),
}

use Alias::{Advice, Key};

/// Title of the top of a file.
pub(super) const ROOT: &str = "the file";

/// Keys at the top of a file that stand for one table over all files.
pub(super) const SINGLE: [&str; 9] =
    ["machine", "policy", "os", "cluster", "graph", "scheduler", "runtime", "contender", "program"];
/// Keys at the top of a file that stand for a list of tables.
pub(super) const LISTS: [&str; 7] = ["app", "scenario", "channel", "call", "command", "block", "task"];

/// The title of a table by its key at the top of a file.
pub(super) fn title(key: &str) -> &'static str {
    match key {
        "machine" => MACHINE,
        "policy" => POLICY,
        "os" => OS,
        "cluster" => CLUSTER,
        "app" => APP,
        "scenario" => SCENARIO,
        "channel" => CHANNEL,
        "call" => CALL,
        "command" => COMMAND,
        "block" => BLOCK,
        "task" => TASK,
        "graph" => GRAPH,
        "scheduler" => SCHEDULER,
        "runtime" => RUNTIME,
        "contender" => CONTENDER,
        "program" => PROGRAM,
        _ => ROOT,
    }
}

const MACHINE: &str = "[machine]";
const NODE: &str = "[[machine.node]]";
const SHARED_LINK: &str = "[[machine.shared_link]]";
const APP: &str = "[[app]]";
const DATA: &str = "data";
const PHASE: &str = "[[app.phase]]";
const SCALING: &str = "scaling";
const SCENARIO: &str = "[[scenario]]";
const CHANNEL: &str = "[[channel]]";
const CALL: &str = "[[call]]";
const COMMAND: &str = "[[command]]";
const POLICY: &str = "[policy]";
const OS: &str = "[os]";
const CLUSTER: &str = "[cluster]";
const BLOCK: &str = "[[block]]";
const TASK: &str = "[[task]]";
const GRAPH: &str = "[graph]";
const SCHEDULER: &str = "[scheduler]";
const RUNTIME: &str = "[runtime]";
const CONTENDER: &str = "[contender]";
const PROGRAM: &str = "[program]";
const PROGRAM_ARRAY: &str = "[[program.array]]";
const PROGRAM_LOOP: &str = "[[program.loop]]";

/// How people may call the size of a memory, or of data.
const MEMORY: &[&str] =
    &["memory", "memory_gb", "mem_gib", "mem_gb", "ram", "ram_gib", "ram_gb", "size_gib", "size"];

/// How people may call what a memory delivers to kernels that write.
const TRIAD: &[&str] =
    &["triad", "triad_bandwidth_gbs", "stream", "stream_gbs", "stream_triad", "stream_triad_gbs"];
const COPY: &[&str] = &["copy", "copy_bandwidth_gbs", "stream_copy", "stream_copy_gbs"];
const WRITE: &[&str] = &["write_gbs", "write_bandwidth", "write_bandwidth_gbs", "nt_write_gbs"];

/// How people may call the last-level cache.
const LLC: &[&str] = &["llc", "llc_mib", "l3", "l3_mb", "l3_mib", "cache", "cache_mb", "last_level_cache_mb"];
const LLC_BANDWIDTH: &[&str] =
    &["llc_bandwidth", "llc_bandwidth_gbs", "l3_gbs", "l3_bandwidth_gbs", "cache_gbs", "cache_bandwidth_gbs"];

const KERNELS: &str = "give what the memory delivers to a kernel that reads and writes: `copy_gbs`, `triad_gbs` or `update_gbs`";
const KERNEL_OF_AN_APP: &str = "what memories deliver to a kernel stands in `[machine]`; an application names its kernel, e.g. `kernel = \"triad\"`";
const THREADS_OF_AN_APP: &str = "the threads of a placement stand in a `[[scenario]]`; to bound what explore may choose, write `min_threads` and `max_threads`; `threads` is how many an app has over time";
const UNCONTROLLED: &str =
    "write another `[[app]]` with `control = \"none\"` and its own `threads` for what cannot be controlled";
const AGENT: &str = "write an `[[app]]` with `control = \"none\"`, `tasks` and `io_ms` for an agent that needs a core; the delay of its decisions is `command_ms`";
const BANDWIDTH_OF_A_NODE: &str =
    "give the bandwidth of each node on the diagonal of `bandwidth_matrix_gbs` in `[machine]`";
const MODEL_OF_A_MACHINE: &str = "write `[machine.sharing]` and below it `model = \"…\"`";

const SIZE_OF_A_BLOCK: &str = "write its size as `mb = 3.0` (10^6 bytes) or `bytes = 3e6`";
const BYTES_OF_A_TASK: &str = "by default an access declares and moves the whole block; else write e.g. `moved_bytes = { X = 1e6 }`, and `declared_bytes` for what counts in decisions";
const EDGES: &str =
    "tasks wait for each other through the blocks that they access: write `in`, `inout` and `out`";
const TIME_OF_A_TASK: &str = "a task takes as long as its work and its bytes do on the machine: write `gflop`, and blocks in `in`, `inout` and `out`";
const ONE_CORE: &str = "a task runs on one core: write several tasks";
const STEALING: &str = "`tasks --steal` switches stealing on; what it costs is `steal_us` in `[runtime]`";

/// Title of the table, the words in lower case with `_`, and what they mean there.
const ALIASES: [(&str, &[&str], Alias); 150] = [
    (ROOT, &["node", "nodes"], Advice("write `[[machine.node]]`")),
    (ROOT, &["sharing", "model"], Advice(MODEL_OF_A_MACHINE)),
    (ROOT, &["provenance"], Advice("write `[machine.provenance]`")),
    (ROOT, &["workload", "application", "applications"], Key("app")),
    (ROOT, &["placement", "placements", "allocation", "allocations"], Key("scenario")),
    (MACHINE, &["cores", "cores_per_socket", "threads_per_node", "cpus_per_node"], Key("cores_per_node")),
    (MACHINE, &["numa_nodes", "domains", "numa_domains"], Key("nodes")),
    (MACHINE, &["gflops", "peak", "peak_gflops", "flops_per_core"], Key("gflops_per_core")),
    (
        MACHINE,
        &["memory_bandwidth", "memory_bandwidth_gbs", "node_bandwidth_gbs", "local_gbs"],
        Key("bandwidth_gbs"),
    ),
    (
        MACHINE,
        &["link", "link_bandwidth", "link_bandwidth_gbs", "remote_gbs", "remote_bandwidth_gbs"],
        Key("link_gbs"),
    ),
    (MACHINE, &["matrix", "bandwidth_matrix", "matrix_gbs"], Key("bandwidth_matrix_gbs")),
    (MACHINE, &["latency", "latencies", "latency_ns", "latency_matrix"], Key("latency_matrix_ns")),
    (MACHINE, &["distances", "distance", "slit", "firmware_distances"], Key("distance_matrix")),
    (MACHINE, LLC, Key("llc_mb")),
    (MACHINE, LLC_BANDWIDTH, Key("llc_gbs")),
    (NODE, LLC, Key("llc_mb")),
    (NODE, LLC_BANDWIDTH, Key("llc_gbs")),
    (MACHINE, &["thread_bandwidth_gbs", "core_gbs", "per_core_gbs"], Key("core_bandwidth_gbs")),
    (MACHINE, &["model"], Advice(MODEL_OF_A_MACHINE)),
    (MACHINE, &["packages", "number_of_sockets", "num_sockets"], Key("sockets")),
    (MACHINE, &["socket_link", "socket_gbs", "inter_socket_gbs", "cross_socket_gbs"], Key("socket_link_gbs")),
    (
        MACHINE,
        &["shared_links", "socket_links", "interconnect", "xgmi", "upi", "qpi"],
        Advice("write `[[machine.shared_link]]`, with two brackets on each side, above each shared link"),
    ),
    (MACHINE, &["read_bandwidth", "read_bandwidth_gbs", "node_read_gbs", "max_read_gbs"], Key("read_gbs")),
    (MACHINE, MEMORY, Key("memory_gib")),
    (MACHINE, TRIAD, Key("triad_gbs")),
    (MACHINE, COPY, Key("copy_gbs")),
    (MACHINE, WRITE, Advice(KERNELS)),
    (NODE, &["read_bandwidth", "read_bandwidth_gbs", "node_read_gbs", "max_read_gbs"], Key("read_gbs")),
    (NODE, MEMORY, Key("memory_gib")),
    (NODE, TRIAD, Key("triad_gbs")),
    (NODE, COPY, Key("copy_gbs")),
    (NODE, WRITE, Advice(KERNELS)),
    (
        SHARED_LINK,
        &["bandwidth", "bandwidth_gbs", "capacity", "capacity_gbs", "link_gbs", "shared_link_gbs"],
        Key("gbs"),
    ),
    (SHARED_LINK, &["groups", "nodes", "joins"], Key("between")),
    (NODE, &["cores_per_node", "threads"], Key("cores")),
    (NODE, &["gflops", "peak", "peak_gflops"], Key("gflops_per_core")),
    (NODE, &["bandwidth", "bandwidth_gbs", "memory_bandwidth_gbs"], Advice(BANDWIDTH_OF_A_NODE)),
    (NODE, &["link_gbs"], Advice("links stand in `bandwidth_matrix_gbs` or `link_gbs` of `[machine]`")),
    (APP, &["ai", "oi", "intensity", "operational_intensity", "flop_per_byte"], Key("arithmetic_intensity")),
    (APP, &["cores", "nthreads"], Advice(THREADS_OF_AN_APP)),
    (APP, &["min"], Key("min_threads")),
    (APP, &["max"], Key("max_threads")),
    (APP, &["count", "copies", "processes"], Key("instances")),
    (APP, &["work", "gflop", "flops"], Key("work_gflop")),
    (APP, &["iters", "steps", "repetitions", "loops"], Key("iterations")),
    (APP, &["arrival", "arrival_s", "arrives", "start_s", "begins_s"], Key("arrives_s")),
    (APP, &["program", "exec", "executable", "cmd", "args"], Key("command")),
    (APP, &["io", "sleep_ms", "wait_ms"], Key("io_ms")),
    (APP, &["serial_fraction", "speedup"], Advice("write `scaling = { serial_fraction = 0.1 }`")),
    (APP, &["phases"], Key("phase")),
    (APP, &["pin", "pinning", "binding"], Key("bind")),
    (APP, &["other_threads"], Advice(UNCONTROLLED)),
    (APP, &["static_loop"], Advice("a static loop has as many `tasks` as threads: write `tasks`")),
    (
        PHASE,
        &["ai", "oi", "intensity", "operational_intensity", "flop_per_byte"],
        Key("arithmetic_intensity"),
    ),
    (PHASE, &["work", "gflop", "flops"], Key("work_gflop")),
    (
        PHASE,
        &["iterations", "threads", "task_spread", "control", "bind"],
        Advice("it holds for all phases: write it in the `[[app]]`, above its phases"),
    ),
    (SCALING, &["serial", "fraction", "amdahl"], Key("serial_fraction")),
    (SCALING, &["speedup", "points"], Key("table")),
    (CHANNEL, &["size", "item_size", "item", "size_mb", "mb"], Key("item_mb")),
    (CHANNEL, &["buffer", "slots", "limit", "bound"], Key("capacity")),
    (CHANNEL, &["producer", "source"], Key("from")),
    (CHANNEL, &["consumer", "target"], Key("to")),
    (CALL, &["caller"], Key("from")),
    (CALL, &["callee", "library"], Key("to")),
    (COMMAND, &["at", "time", "time_s", "at_ms"], Key("at_s")),
    (COMMAND, &["threads"], Advice("write one of `total = 2`, `per_node = [4, 2]`, or `cores = [0, 1]`")),
    (POLICY, &["policy"], Key("name")),
    (POLICY, &["lead", "argument"], Advice("write it behind the name: `name = \"lead:2\"`")),
    (POLICY, &["seed"], Advice("`simulate --seed` gives it")),
    (POLICY, &["agent_cpu_ms", "agent_core"], Advice(AGENT)),
    (
        OS,
        &["refill_mb"],
        Advice("write the time: `refill_ms` = MB / (GB/s of a thread), 0.1 for 1 MB at 10 GB/s"),
    ),
    (CLUSTER, &["size", "count"], Key("nodes")),
    (APP, &["priority"], Key("weight")),
    (
        APP,
        &["home", "placement", "share", "interleave"],
        Advice("write where the data lies as `data`, e.g. `data = { home = 0, share = 0.5 }`"),
    ),
    (APP, MEMORY, Key("memory_gib")),
    (APP, &["triad_gbs", "copy_gbs", "update_gbs"], Advice(KERNEL_OF_AN_APP)),
    (APP, &["allowed_nodes", "numa_nodes", "cpunodebind", "node"], Key("nodes")),
    (DATA, &["fraction", "part", "portion"], Key("share")),
    (SCENARIO, &["app", "apps", "allocation", "placement", "cores"], Key("threads")),
    (ROOT, &["data", "datum", "array", "arrays", "buffer"], Key("block")),
    (ROOT, &["task_graph", "dag", "generator"], Key("graph")),
    (ROOT, &["scheduling", "schedule"], Key("scheduler")),
    (ROOT, &["overheads"], Key("runtime")),
    (ROOT, &["contenders", "competitor", "background"], Key("contender")),
    (ROOT, &["loop", "loops"], Advice("write `[[program.loop]]`, and `[[program.array]]` for its data")),
    (BLOCK, &["id", "label"], Key("name")),
    (BLOCK, &["size_bytes", "b", "byte"], Key("bytes")),
    (BLOCK, &["size_mb", "megabytes"], Key("mb")),
    (BLOCK, &["size", "kb", "gb", "kib", "mib", "gib", "memory_gib"], Advice(SIZE_OF_A_BLOCK)),
    (BLOCK, &["node", "socket", "numa_node", "placement"], Key("home")),
    (BLOCK, &["interleave", "interleaved"], Advice("write `home = \"interleave\"`")),
    (BLOCK, &["creator", "creates", "owner"], Key("created_by")),
    (BLOCK, &["affinity", "wanted"], Key("hint")),
    (TASK, &["id", "label"], Key("name")),
    (TASK, &["kind", "function", "code", "codelet"], Key("type")),
    (TASK, &["gflops", "work", "work_gflop", "task_gflop"], Key("gflop")),
    (TASK, &["flop", "flops", "mflop"], Advice("write the work in GFLOP: `gflop = 1.0` is 10^9 FLOP")),
    (TASK, &["read", "reads", "input", "inputs"], Key("in")),
    (TASK, &["write", "writes", "output", "outputs"], Key("out")),
    (TASK, &["in_out", "readwrite", "read_write", "rw", "updates"], Key("inout")),
    (TASK, &["bytes", "mb", "size", "traffic"], Advice(BYTES_OF_A_TASK)),
    (TASK, &["declared", "declares"], Key("declared_bytes")),
    (TASK, &["moved", "moves"], Key("moved_bytes")),
    (TASK, &["node", "numa_node", "home", "place"], Key("socket")),
    (TASK, &["wait", "barrier"], Key("taskwait")),
    (TASK, &["creator", "spawned_by", "parent"], Key("created_by")),
    (TASK, &["sequence", "slot", "index"], Key("seq")),
    (TASK, &["hint"], Key("affinity")),
    (
        TASK,
        &["spawn", "enqueue", "detach"],
        Advice("write `submit = \"spawn\"`, `\"enqueue\"` or `\"detach\"`"),
    ),
    (TASK, &["returned", "return"], Key("returns")),
    (TASK, &["replays", "replay_key"], Key("replay")),
    (TASK, &["after", "before", "depends", "depends_on", "deps", "parents", "children"], Advice(EDGES)),
    (TASK, &["time", "time_s", "duration", "duration_s", "runtime", "runtime_s"], Advice(TIME_OF_A_TASK)),
    (TASK, &["cores", "threads", "cpus"], Advice(ONE_CORE)),
    (
        TASK,
        &["priority", "prio"],
        Advice("there are no priorities: tasks are created in the order of the files"),
    ),
    (GRAPH, &["type", "kind", "program", "workload"], Key("generator")),
    (GRAPH, &["tile_size", "block_size", "bs"], Key("tile")),
    (GRAPH, &["iters", "steps", "repetitions", "timesteps"], Key("iterations")),
    (GRAPH, &["cols"], Key("columns")),
    (GRAPH, &["nnz_row"], Key("nnz_per_row")),
    (GRAPH, &["dimensions"], Key("dims")),
    (GRAPH, &["pieces"], Key("chunks")),
    (GRAPH, &["size", "tiles", "order"], Key("n")),
    (GRAPH, &["dependence", "dependency"], Key("pattern")),
    (SCHEDULER, &["scheduler", "kind", "type", "policy"], Key("name")),
    (SCHEDULER, &["window_size", "size"], Key("window")),
    (SCHEDULER, &["extra"], Key("initial_extra")),
    (SCHEDULER, &["overlap"], Key("intersection")),
    (SCHEDULER, &["partition_ns", "partition_cost"], Key("partition_ns_per_vertex_edge")),
    (SCHEDULER, &["steal", "stealing"], Advice(STEALING)),
    (
        SCHEDULER,
        &["placement"],
        Advice("`tasks --placement` says where blocks lie that no file gives a home"),
    ),
    (RUNTIME, &["creation", "create_us", "creation_time_us"], Key("creation_us")),
    (RUNTIME, &["overhead_us", "fetch_us", "task_overhead_us"], Key("task_us")),
    (RUNTIME, &["max_tasks", "most_tasks"], Key("throttle")),
    (RUNTIME, &["random_seed"], Key("seed")),
    (RUNTIME, &["migration_us", "move_us", "page_move_us"], Key("page_us")),
    (CONTENDER, &["work", "work_gflop", "task_gflop", "gflops"], Key("gflop")),
    (CONTENDER, &["programs", "instances", "contenders"], Key("count")),
    (CONTENDER, &["phases", "phase_s", "times_s", "when_s"], Key("phases_s")),
    (PROGRAM, &["pieces"], Key("chunks")),
    (PROGRAM, &["iterations", "repetitions", "repeats", "times"], Key("repeat")),
    (PROGRAM, &["arrays", "data"], Key("array")),
    (PROGRAM, &["loops", "kernel", "kernels"], Key("loop")),
    (PROGRAM_ARRAY, &["size", "size_mb"], Key("mb")),
    (PROGRAM_LOOP, &["reads", "read", "input", "inputs"], Key("in")),
    (PROGRAM_LOOP, &["writes", "write", "output", "outputs"], Key("out")),
    (PROGRAM_LOOP, &["work", "work_gflop", "gflops"], Key("gflop")),
    (RUNTIME, &["tie", "tie_break"], Key("ties")),
    (RUNTIME, &["spread", "noise"], Key("task_spread")),
    (RUNTIME, &["steal", "stealing"], Advice(STEALING)),
];

/// What was probably meant by `key` in the table with this title.
pub(super) fn alias(title: &str, key: &str) -> Option<Alias> {
    let key = key.to_lowercase().replace('-', "_");
    let entry = ALIASES.iter().find(|(table, words, _)| *table == title && words.contains(&key.as_str()));
    entry.map(|&(_, _, alias)| alias)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_field_lead_to_the_keys_of_the_files() {
        assert_eq!(alias("[machine]", "cores"), Some(Key("cores_per_node")));
        assert_eq!(alias("[[app]]", "AI"), Some(Key("arithmetic_intensity")));
        assert_eq!(alias("[[machine.node]]", "cores-per-node"), Some(Key("cores")));
        assert_eq!(alias("[[app]]", "frequency"), None);
    }

    #[test]
    fn threads_of_an_application_are_explained() {
        let Some(Advice(advice)) = alias("[[app]]", "cores") else { panic!("no advice") };
        assert!(advice.contains("[[scenario]]") && advice.contains("min_threads"), "{advice}");
    }
}

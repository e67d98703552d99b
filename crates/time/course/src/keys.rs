//! The keys about time: behaviour of the applications, dependences, policy, operating system and cluster.

use numasim_model::bounds::{MOST_EXACT, MOST_REPEATED};
use numasim_model::order::Control;
use numasim_model::scaling::Scaling;
use numasim_study::keys as of_study;
use numasim_study::keys::{
    DATA_VALUE, Echo, Forms, Key, NOT_NEGATIVE, POSITIVE, Shape, THREADS_VALUE, Table, Words, data_echo,
    joined, key, large, root as of_files, time, whole,
};
use numasim_study::{TableKind, forms, table, value_in, words};

use crate::values::{
    Binding, Call, Channel, Cluster, Command, Course, Os, Phase, Pick, PolicyChoice, Synchronisation, Wake,
};

/// The key of a time, in parts of a second.
macro_rules! time_in {
    ($part:ty, $field:ident, $name:literal, $shape:expr, $parts:literal, $unit:literal) => {
        key($name, $shape).changed_in($unit).value_in(value_in!($part, |of| time(of.$field, $parts)))
    };
}

/// A file with all its tables.
pub static FILE: Table = Table {
    keys: &[
        &of_files::MACHINE,
        &APP,
        &of_files::SCENARIO,
        &root::CHANNEL,
        &root::CALL,
        &root::COMMAND,
        &root::POLICY,
        &root::OS,
        &root::CLUSTER,
    ],
    ..of_files::TABLE
};

/// The applications, with what they do over time.
pub const APP: Key = Key { shape: Shape::Tables(&APP_TABLE, 0, 0), ..of_files::APP };

/// `[[app]]` with all its keys.
pub static APP_TABLE: Table = Table {
    keys: &joined::<_, { of_study::app::TABLE.keys.len() + app::TABLE.keys.len() }>(
        of_study::app::TABLE.keys,
        app::TABLE.keys,
    ),
    elsewhere: &joined::<_, { of_study::app::TABLE.elsewhere.len() + app::TABLE.elsewhere.len() }>(
        of_study::app::TABLE.elsewhere,
        app::TABLE.elsewhere,
    ),
    ..of_study::app::TABLE
};

table! {
    /// What files say of time.
    root "the file" "" None;
    /// Producers and consumers.
    CHANNEL = key("channel", Shape::Tables(&channel::TABLE, 0, 0));
    /// Who calls whom, as a library.
    CALL = key("call", Shape::Tables(&call::TABLE, 0, 0));
    /// What the policy "script" orders when.
    COMMAND = key("command", Shape::Tables(&command::TABLE, 0, 0));
    /// Who decides how many threads each application may run.
    POLICY = key("policy", Shape::Table(&policy::TABLE));
    /// What it costs that more threads run than there are cores.
    OS = key("os", Shape::Table(&os::TABLE));
    /// The cluster of which the machine is one node.
    CLUSTER = key("cluster", Shape::Table(&cluster::TABLE));
}

fn scaling_echo(phase: &Phase) -> Echo {
    match &phase.scaling {
        Scaling::Linear => "linear".into(),
        Scaling::Serial { fraction } => Echo::table([("serial_fraction", (*fraction).into())]),
        Scaling::Table(points) => {
            let pair = |&(threads, speedup): &(u32, f64)| Echo::List(vec![threads.into(), speedup.into()]);
            Echo::table([("table", Echo::List(points.iter().map(pair).collect()))])
        }
    }
}

table! {
    /// What an application does over time.
    app "[[app]]" "" None;
    /// Work of each task in GFLOP; a list repeats. Not beside `work_gflop`.
    TASK_GFLOP = key("task_gflop", Shape::Forms(&TASK_WORK_FORMS))
        .changed_in("GFLOP")
        .means("the work of each task in GFLOP, or a list", "0.5");
    /// Tasks in each iteration. Default: the length of `task_gflop`; without that the work is divisible.
    TASKS = key("tasks", large(1, MOST_REPEATED))
        .changed_in("")
        .means("a number of tasks in each iteration", "64")
        .default("none: divisible work");
    /// Coefficient of variation of the work of tasks (lognormal, mean 1).
    TASK_SPREAD = key("task_spread", NOT_NEGATIVE)
        .changed_in("")
        .means("the coefficient of variation of the work of tasks; 0 is none", "0.2")
        .default("0")
        .value_in(value_in!(Course, |course| course.task_spread.into()));
    /// Coefficient of variation of the time that a task of equal work computes (lognormal, mean 1), drawn from `--seed`.
    /// `numasim run` ignores it.
    TASK_JITTER = key("task_jitter", NOT_NEGATIVE)
        .changed_in("")
        .means("the coefficient of variation of the time that equal tasks take; 0 is none", "0.1")
        .default("0")
        .also(&["jitter", "time_spread", "time_jitter"])
        .noted_when_used()
        .value_in(value_in!(Course, |course| Some(course.task_jitter).filter(|&jitter| jitter > 0.0).into()));
    /// Iterations, one after the other.
    ITERATIONS = key("iterations", large(1, MOST_REPEATED))
        .changed_in("")
        .means("a number of iterations", "100")
        .default("1")
        .also(&["iters", "steps", "repetitions", "loops"])
        .value_in(value_in!(Course, |course| course.iterations.into()));
    /// How long a thread sleeps after each task, in ms.
    IO_MS = time_in!(Phase, io, "io_ms", NOT_NEGATIVE, 1e3, "ms")
        .means("how long a thread sleeps after a task, in ms", "10.0")
        .default("0")
        .also(&["io", "sleep_ms", "wait_ms"]);
    SCALING = of_study::SCALING
        .value_in(value_in!(Phase, scaling_echo));
    /// When it arrives, in seconds.
    ARRIVES_S = key("arrives_s", NOT_NEGATIVE)
        .changed_in("s")
        .means("when it arrives, in seconds", "2.5")
        .default("0")
        .also(&["arrival", "arrival_s", "arrives", "start_s", "begins_s"])
        .value_in(value_in!(Course, |course| course.arrives.value().into()));
    /// Threads that it has over time, on each node at most 65536, also more than cores.
    THREADS = key("threads", THREADS_VALUE)
        .changed_in("")
        .default("one per core")
        .value_in(value_in!(Course, |course| course.threads.clone().into()));
    /// What its threads are bound to. Default: "node", or "core" where `control` is "cores".
    BIND = key("bind", Shape::Words(&BIND_WORDS)).also(&["pin", "pinning", "binding"])
        .value_in(value_in!(Course, |course| course.binding.as_str().into()));
    /// Which commands it can follow. Default: "per-node", or "cores" where there is a `command`.
    CONTROL = key("control", Shape::Words(&CONTROL_WORDS))
        .value_in(value_in!(Course, |course| course.control.as_str().into()));
    /// An external program, which `numasim run` starts: its file and its arguments. Work and phases then describe it
    /// for `simulate`, and `control` is "cores" by default. `run`, `agent` and `check` need no
    /// `arithmetic_intensity` of it, unless the policy computes speeds.
    COMMAND = key("command", Shape::List(&Shape::Text, 1, 0))
        .default("none")
        .also(&["program", "exec", "executable", "cmd", "args"])
        .value_in(value_in!(Course, |course| course.command.clone().into()));
    /// In which order its threads are numbered. Default: "spread".
    PICK = key("pick", Shape::Words(&PICK_WORDS))
        .value_in(value_in!(Course, |course| course.pick.as_str().into()));
    /// The blocked threads that an order unblocks if it does not unblock all: the lowest numbers, or any, drawn from
    /// `--seed`. "random" needs `control` "total" or "per-node".
    WAKE = key("wake", Shape::Words(&WAKE_WORDS))
        .default("in-order")
        .also(&["waking", "wakes", "unblock"])
        .noted_when_used()
        .value_in(value_in!(Course, |course| {
            Some(course.wake).filter(|&wake| wake != Wake::default()).map(Wake::as_str).into()
        }));
    /// The phases of an iteration, one after the other; then the work stands in them.
    PHASE = key("phase", Shape::Tables(&phase::TABLE, 0, 0)).also(&["phases"]);
    ["serial_fraction", "speedup"] => "write `scaling = { serial_fraction = 0.1 }`";
    ["other_threads"] =>
        "write another `[[app]]` with `control = \"none\"` and its own `threads` for what cannot be controlled";
    ["static_loop"] => "a static loop has as many `tasks` as threads: write `tasks`";
}

forms! {
    /// The work of each task in GFLOP.
    TASK_WORK_FORMS "TaskWorkValue" {
        NOT_NEGATIVE => "The same for every task.",
        Shape::List(&NOT_NEGATIVE, 1, 0) => "Of one task after the other; the list repeats.",
    }
}

words! {
    /// What its threads are bound to.
    BIND_WORDS "BindWord" = Binding;
}

words! {
    /// Which commands it can follow.
    CONTROL_WORDS "ControlWord" = Control;
}

words! {
    /// In which order its threads are numbered.
    PICK_WORDS "PickWord" = Pick;
}

words! {
    /// The blocked threads that wake first.
    WAKE_WORDS "WakeWord" = Wake;
}

table! {
    /// A part of an iteration; what it does not say is as in its application.
    phase "[[app.phase]]" "PhaseTable" None;
    /// Arithmetic intensity in FLOP per byte moved to or from memory.
    ARITHMETIC_INTENSITY = of_study::app::ARITHMETIC_INTENSITY.own("that of the application")
        .value_in(value_in!(Phase, |phase| phase.arithmetic_intensity.value().into()));
    /// Where the data lies; no home is open. Default: as in the application.
    DATA = key("data", DATA_VALUE)
        .value_in(value_in!(Phase, |phase| data_echo(&phase.data)));
    SCALING = app::SCALING.own("as in the application");
    IO_MS = app::IO_MS.own("as in the application");
    /// Work of this phase in GFLOP, of all iterations together. Not beside `task_gflop`.
    WORK_GFLOP = key("work_gflop", NOT_NEGATIVE)
        .means("an amount of work in GFLOP", "1000.0")
        .also(&["work", "gflop", "flops"]);
    TASK_GFLOP = app::TASK_GFLOP;
    TASKS = app::TASKS;
    ["iterations", "threads", "task_spread", "task_jitter", "control", "bind", "wake"] =>
        "it holds for all phases: write it in the `[[app]]`, above its phases";
}

/// The policy that has a lead.
pub(crate) const LEADING: &str = "lead";
/// K of `lead` without an argument.
const DEFAULT_LEAD: f64 = 2.0;

/// How many iterations producers may be ahead: K of the policy `lead:K`. Files say it in the name of the policy.
pub const LEAD: Key = key("lead", large(1, MOST_EXACT)).changed_in("");

/// K of `lead:K`; `None` for another policy.
pub(crate) fn lead_of(name: &str) -> Option<f64> {
    let rest = name.strip_prefix(LEADING)?;
    match rest.strip_prefix(':') {
        Some(lead) => lead.parse::<u64>().ok().map(|lead| lead as f64),
        None => rest.is_empty().then_some(DEFAULT_LEAD),
    }
}

table! {
    /// A producer hands an item to a consumer in each iteration.
    channel "[[channel]]" "ChannelTable" Some(TableKind::Channel);
    /// Name of the producer, a single instance.
    FROM = key("from", Shape::Text).example("\"producer\"").required().also(&["producer", "source"]);
    /// Name of the consumer, a single instance, with as many iterations.
    TO = key("to", Shape::Text).example("\"consumer\"").required().also(&["consumer", "target"]);
    /// Size of an item in MB (10^6 bytes).
    ITEM_MB = key("item_mb", NOT_NEGATIVE)
        .changed_in("MB")
        .means("the size of an item in MB (10^6 bytes)", "100.0")
        .default("0")
        .also(&["size", "item_size", "item", "size_mb", "mb"])
        .value_in(value_in!(Channel, |channel| channel.item.value().into()));
    /// Most items that are produced and not finished: with so many the producer waits.
    CAPACITY = key("capacity", large(1, MOST_EXACT))
        .changed_in("")
        .means("how many items may be produced and not finished", "4")
        .default("no limit")
        .also(&["buffer", "slots", "limit", "bound"])
        .value_in(value_in!(Channel, |channel| channel.capacity.into()));
}

table! {
    /// Iterations of an application end with one of another, for which it waits.
    call "[[call]]" "CallTable" Some(TableKind::Call);
    /// Name of who calls, a single instance.
    FROM = key("from", Shape::Text).example("\"producer\"").required().also(&["caller"]);
    /// Name of who works, a single instance with as many iterations as calls, and without channels.
    TO = key("to", Shape::Text).example("\"consumer\"").required().also(&["callee", "library"]);
    /// After each how many iterations.
    EVERY = key("every", large(1, MOST_EXACT))
        .changed_in("")
        .means("after each how many iterations it calls", "1")
        .default("1")
        .value_in(value_in!(Call, |call| call.every.into()));
}

table! {
    /// From some time on so many threads may run; for the policy "script". One of total, per_node, or cores, as the
    /// application's `control` says.
    command "[[command]]" "CommandTable" Some(TableKind::Command);
    /// When it is given, in seconds.
    AT_S = key("at_s", NOT_NEGATIVE)
        .means("when it is given, in seconds", "0.5")
        .required()
        .also(&["at", "time", "time_s", "at_ms"])
        .value_in(value_in!(Command, |command| command.at.value().into()));
    /// Name of an application, for all of its instances, or of one instance.
    APP = key("app", Shape::Text).example("\"mem\"").required();
    /// Threads on all nodes together.
    TOTAL = key("total", whole(0, u32::MAX as u64)).means("a number of threads", "2");
    /// Threads on each node.
    PER_NODE = key("per_node", THREADS_VALUE);
    /// Cores whose threads may run, numbered through all nodes from 0.
    CORES = key("cores", Shape::List(&whole(0, u32::MAX as u64), 0, 0))
        .means("the number of a core, from 0", "0");
    ["threads"] => "write one of `total = 2`, `per_node = [4, 2]`, or `cores = [0, 1]`";
}

table! {
    /// Who decides how many threads each application may run.
    policy "[policy]" "PolicyTable" Some(TableKind::Policy);
    /// Name of the policy, with its argument: "lead:2". Default: none; `--policy` wins.
    NAME = key("name", Shape::Name).default("none").also(&["policy"])
        .value_in(value_in!(PolicyChoice, |policy| policy.name.clone().into()));
    /// Time between two decisions in ms; 0 is whenever something happens. Default: 0.
    PERIOD_MS = time_in!(PolicyChoice, period, "period_ms", NOT_NEGATIVE, 1e3, "ms")
        .means("the time between two decisions in ms; 0 is at every event", "80.0");
    /// From a decision to the threads that see it, in ms. Default: 0.
    COMMAND_MS = time_in!(PolicyChoice, command_delay, "command_ms", NOT_NEGATIVE, 1e3, "ms")
        .means("the time from a decision to the threads in ms", "1.0");
    ["lead", "argument"] => "write it behind the name: `name = \"lead:2\"`";
    ["seed"] => "`simulate --seed` gives it";
    ["agent_cpu_ms", "agent_core"] =>
        "write an `[[app]]` with `control = \"none\"`, `tasks` and `io_ms` for an agent that needs a core; the delay of its decisions is `command_ms`";
}

table! {
    /// What it costs that more threads run than there are cores.
    os "[os]" "OsTable" Some(TableKind::Os);
    /// How long a thread keeps its core, in ms. Default: 3, assumed.
    SLICE_MS = time_in!(Os, slice, "slice_ms", POSITIVE, 1e3, "ms").means("how long a thread keeps its core in ms", "3.0");
    /// The change to another thread, in us. Default: 5, assumed.
    SWITCH_US = time_in!(Os, switch, "switch_us", NOT_NEGATIVE, 1e6, "us").means("the change to another thread in us", "5.0");
    /// The time to fill the private caches again, in ms. Default: 0.1, assumed.
    REFILL_MS = time_in!(Os, refill, "refill_ms", NOT_NEGATIVE, 1e3, "ms")
        .means("the time to fill the private caches again in ms", "0.1");
    ["refill_mb"] => "write the time: `refill_ms` = MB / (GB/s of a thread), 0.1 for 1 MB at 10 GB/s";
}

table! {
    /// The machine stands for one of several equal nodes of a cluster.
    cluster "[cluster]" "ClusterTable" Some(TableKind::Cluster);
    /// Nodes of the cluster.
    NODES = key("nodes", whole(1, u32::MAX as u64))
        .means("a number of nodes of the cluster", "16")
        .required()
        .also(&["size", "count"])
        .value_in(value_in!(Cluster, |cluster| cluster.nodes.into()));
    /// How they wait for each other. Default: "barrier".
    SYNC = key("sync", Shape::Words(&SYNC_WORDS))
        .value_in(value_in!(Cluster, |cluster| cluster.sync.as_str().into()));
    /// On how many of them the policy decides; on the others it is "static-even".
    POLICY_ON = key("policy_on", whole(0, u32::MAX as u64))
        .means("on how many nodes of the cluster the policy runs", "8")
        .default("all")
        .value_in(value_in!(Cluster, |cluster| cluster.policy_on.into()));
    /// Each iteration of a node takes 1 to 1 + `noise` times as long, drawn uniformly from `--seed`.
    NOISE = key("noise", NOT_NEGATIVE)
        .means("the largest part by which noise lengthens an iteration of a node", "0.2")
        .default("0")
        .value_in(value_in!(Cluster, |cluster| cluster.noise.into()));
}

words! {
    /// How the nodes of a cluster wait for each other.
    SYNC_WORDS "SyncWord" = Synchronisation;
}

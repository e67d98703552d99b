//! The keys of what surrounds applications over time: who waits for whom, who decides, and on which system.

use numasim_model::bounds::MOST_EXACT;
use numasim_model::dynamics::Synchronisation;
use numasim_model::units::{Megabytes, Seconds};

use super::apps::THREADS_FORMS;
use super::values::{counted, time_in};
use super::{
    Key, NOT_NEGATIVE, POSITIVE, Put, Shape, Table, TableKind, ValueIn, Words, key, large, table, time,
    whole, words,
};

/// The policy that has a lead.
const LEADING: &str = "lead";
/// K of `lead` without an argument.
const DEFAULT_LEAD: f64 = 2.0;

/// How many iterations producers may be ahead: K of the policy `lead:K`. Files say it in the name of the policy.
pub const LEAD: Key = key("lead", large(1, MOST_EXACT))
    .over_time(Put::Policy(|policy, lead| policy.name = Some(format!("{LEADING}:{}", counted(lead)))))
    .changed_in("");

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
        .over_time(Put::Channel(|channel, mb| channel.item = Megabytes::new(mb)))
        .changed_in("MB")
        .means("the size of an item in MB (10^6 bytes)", "100.0")
        .default("0")
        .also(&["size", "item_size", "item", "size_mb", "mb"])
        .value_in(ValueIn::Channel(|channel| channel.item.value().into()));
    /// Most items that are produced and not finished: with so many the producer waits.
    CAPACITY = key("capacity", large(1, MOST_EXACT))
        .over_time(Put::Channel(|channel, capacity| channel.capacity = Some(counted(capacity))))
        .changed_in("")
        .means("how many items may be produced and not finished", "4")
        .default("no limit")
        .also(&["buffer", "slots", "limit", "bound"])
        .value_in(ValueIn::Channel(|channel| channel.capacity.into()));
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
        .over_time(Put::Call(|call, every| call.every = counted(every)))
        .changed_in("")
        .means("after each how many iterations it calls", "1")
        .default("1")
        .value_in(ValueIn::Call(|call| call.every.into()));
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
        .value_in(ValueIn::Command(|command| command.at.value().into()));
    /// Name of an application, for all of its instances, or of one instance.
    APP = key("app", Shape::Text).example("\"mem\"").required();
    /// Threads on all nodes together.
    TOTAL = key("total", whole(0, u32::MAX as u64)).means("a number of threads", "2");
    /// Threads on each node.
    PER_NODE = key("per_node", Shape::Forms(&THREADS_FORMS));
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
        .value_in(ValueIn::Policy(|policy| policy.name.clone().into()));
    /// Time between two decisions in ms; 0 is whenever something happens. Default: 0.
    PERIOD_MS = time_in!(Policy, period, "period_ms", NOT_NEGATIVE, 1e3, "ms")
        .means("the time between two decisions in ms; 0 is at every event", "80.0");
    /// From a decision to the threads that see it, in ms. Default: 0.
    COMMAND_MS = time_in!(Policy, command_delay, "command_ms", NOT_NEGATIVE, 1e3, "ms")
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
        .value_in(ValueIn::Cluster(|cluster| cluster.nodes.into()));
    /// How they wait for each other. Default: "barrier".
    SYNC = key("sync", Shape::Words(&SYNC_WORDS))
        .value_in(ValueIn::Cluster(|cluster| cluster.sync.as_str().into()));
    /// On how many of them the policy decides; on the others it is "static-even".
    POLICY_ON = key("policy_on", whole(0, u32::MAX as u64))
        .means("on how many nodes of the cluster the policy runs", "8")
        .default("all")
        .value_in(ValueIn::Cluster(|cluster| cluster.policy_on.into()));
}

words! {
    /// How the nodes of a cluster wait for each other.
    SYNC_WORDS "SyncWord" {
        Synchronisation::Barrier.as_str() => "After every iteration, for the slowest.",
        Synchronisation::Loose.as_str() => "Work is spread by speed.",
    }
}

//! The study of a snapshot: known values as keys, unknown ones as comments.

use std::fmt::Write as _;

use numasim_evidence::app_profile::app_file::rounded;
use numasim_evidence::running::{Application, Kind};
use numasim_model::allocation::OnNode;
use numasim_model::text::visible;
use numasim_model::{NodeId, Placement};
use numasim_study::keys::{app as keys, rate, scenario};
use numasim_study::writing::study::{home, placement};
use numasim_study::writing::{Lines, float, inline, quoted, six_digits};

use super::{AppNow, DemandKind, Snapshot};
use crate::input::Input;

/// The scenario of today's placement.
pub const NOW: &str = "now";
/// The unit of applications whose computation is unknown.
const UNIT: &str = "GB/s";
/// Speed of both hardware threads of a core, relative to one. The measured speed of a thread already includes the effect of its sibling.
const SPEEDUP: f64 = 2.0;

/// Parts of the study that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// `memory_gib` of each application.
    sizes: bool,
    /// Numbers of threads, and today's placement.
    now: bool,
    /// Data with a home may be placed on another node.
    open: bool,
    /// Applications with an even number of threads use both hardware threads of their cores, whichever cores these are.
    paired: bool,
}

/// The text of the study, and whether it contains today's placement. Parts that cannot be read back are left out, with a comment.
pub(super) fn text(snapshot: &mut Snapshot) -> (String, bool) {
    let has_threads = snapshot.seconds.is_some();
    let sizes = "the sizes of the data do not fit the memories of the machine and are left out";
    let now = "today's placement does not fit the machine (more busy threads than cores on a node or in an L3 domain) and is left out";
    let paired = "threads share cores in another way than a study can say: even numbers count as both hardware threads of half as many cores";
    // Each try: with sizes, with today's placement, with paired threads, and the comments about it.
    let tries: [(bool, bool, bool, &[&str]); 6] = [
        (true, true, false, &[]),
        (false, true, false, &[sizes]),
        (true, true, true, &[paired]),
        (false, true, true, &[sizes, paired]),
        (true, false, false, &[now]),
        (false, false, false, &[sizes, now]),
    ];
    for (sizes, now, paired, said) in tries {
        let parts = Parts { sizes, now: now && has_threads, open: false, paired };
        let Ok(input) = Input::read(&[("the snapshot", &written(snapshot, parts))]) else { continue };
        snapshot.unseen.extend(said.iter().map(|&sentence| sentence.to_owned()));
        snapshot.parts = parts;
        // Once more, with the omitted parts among the comments.
        return (written(snapshot, parts), !input.study.scenarios.is_empty());
    }
    // Tests read hosts of every shape, so this is a fault of the program; a file that cannot be read is better than none.
    (written(snapshot, Parts::default()), false)
}

impl Snapshot {
    /// The study in which data with a home may be placed on another node, and today's placement is unchanged.
    pub(crate) fn open_study(&self) -> String {
        written(self, Parts { open: true, ..self.parts })
    }
}

fn written(snapshot: &Snapshot, parts: Parts) -> String {
    let mut lines = Lines::default();
    lines.comment("The applications of this host, as numasim snapshot found them. A comment above each value says how it was obtained.");
    if let Some(seconds) = snapshot.seconds {
        lines.comment(format_args!("Two instants {seconds:.2} s apart; a thread counts if it used at least 5 % of a core between them."));
    }
    for sentence in &snapshot.unseen {
        lines.comment(format_args!("Not seen: {}.", visible(sentence)));
    }
    for memory in &snapshot.memories {
        if let (Some(read), Some(written)) = (memory.read_gbs, memory.written_gbs) {
            lines.comment(format_args!(
                "measured: the memories of socket {} deliver {read:.3} GB/s and take {written:.3} GB/s, of all applications and devices together",
                memory.socket
            ));
        }
    }
    if !snapshot.host.assumed.is_empty() {
        lines.comment(format_args!(
            "Assumed, not measured: {} of the machine. Measure them: numasim calibrate -o machine.toml, then --machine machine.toml.",
            snapshot.host.assumed.join(", ")
        ));
    }
    let mut text = lines.text() + "\n" + snapshot.seen.machine.trim_start();
    let nodes = snapshot.values.node_count();
    let mut shown: Vec<(&AppNow, &Application)> = Vec::new();
    for (app, own) in snapshot.apps.iter().zip(&snapshot.seen.running.apps) {
        let count = own.threads(nodes).map(|threads| threads.iter().sum::<u32>());
        if count == Some(0) {
            // Writing to a String cannot fail.
            let _ =
                writeln!(text, "\n# `{}` has no busy thread on a node of the machine.", visible(&app.name));
            continue;
        }
        text.push_str(&app_text(snapshot, app, own, parts));
        shown.push((app, own));
    }
    if parts.now && !shown.is_empty() {
        text.push_str(&now(snapshot, &shown, parts));
    }
    text
}

fn app_text(snapshot: &Snapshot, app: &AppNow, own: &Application, parts: Parts) -> String {
    let mut lines = Lines::default();
    lines.line("");
    lines.comment(visible(&described(app, own)));
    if let Some(cpus) = &app.allowed_cpus {
        let mems = app.allowed_mems.as_deref().unwrap_or("any node");
        lines.comment(visible(&format!(
            "It may use processors {cpus} and memory of nodes {mems} (numbers of the operating system)."
        )));
    }
    for note in &app.notes {
        lines.comment(visible(&format!("Not seen: {note}.")));
    }
    lines.first_table(&keys::TABLE);
    lines.put(&keys::NAME, quoted(&app.name));
    lines.comment("Its computation is unknown: its speed is the bandwidth that it gets.");
    lines.put(&keys::RATE, inline([(&rate::UNIT, quoted(UNIT)), (&rate::PER_GB, float(1.0))]));
    if let Some(demand) = &app.demand {
        lines.comment(format_args!("{}: {}", demand.kind.as_str(), visible(&demand.source)));
        if let (Some(local), Some(total)) = (app.local_gbs, app.total_gbs) {
            lines.comment(format_args!(
                "measured: {local:.3} of {total:.3} GB/s from the memory next to its L3 caches"
            ));
        }
        lines.put(&keys::THREAD_GBS, six_digits(demand.gbs));
    } else {
        lines.comment(format_args!("{}: its bandwidth is unknown", DemandKind::Assumed.as_str()));
        lines.put(&keys::THREAD_GBS, float(1.0));
    }
    data(app, own, parts, &mut lines);
    if parts.now
        && let Some(threads) = &app.threads
    {
        let count: u32 = threads.iter().sum();
        lines.comment(format_args!(
            "measured: {count} of its {} threads used at least 5 % of a core, {:.2} cores all together",
            own.all_threads,
            own.cores_used.unwrap_or(0.0)
        ));
        if has_both(snapshot, own, parts) {
            lines.comment("Its threads are on both hardware threads of their cores; thread_gbs is that of one of the two.");
            lines.put(&keys::SMT, quoted(numasim_model::Smt::Both.as_str()));
            lines.put(&keys::SMT_SPEEDUP, float(SPEEDUP));
        }
        lines.put(&keys::MIN_THREADS, count);
        lines.put(&keys::MAX_THREADS, count);
    }
    lines.text()
}

/// Whether its threads count as both hardware threads of their cores.
fn has_both(snapshot: &Snapshot, own: &Application, parts: Parts) -> bool {
    let even = || {
        own.threads(snapshot.values.node_count()).is_some_and(|row| row.iter().all(|count| count % 2 == 0))
    };
    snapshot.values.threads_per_core() == 2
        && (own.fills_cores(&snapshot.seen.places.core_of) || (parts.paired && even()))
}

/// Its kind, processes and control group in one line.
fn described(app: &AppNow, own: &Application) -> String {
    let id = app.id.as_ref().map_or_else(String::new, |id| format!(" {id}"));
    let group = app.cgroup.as_ref().map_or_else(String::new, |group| format!(", control group {group}"));
    let pids: Vec<String> = own.pids.iter().take(MOST_SHOWN).map(u32::to_string).collect();
    let more = own.pids.len().saturating_sub(MOST_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let pids = format!("process {}{more}", pids.join(", "));
    match own.kind {
        Kind::Process => format!("{pids}{group}"),
        _ => format!("{}{id}: {pids}{group}", app.kind.0),
    }
}

/// More process numbers would add no information.
const MOST_SHOWN: usize = 12;

fn data(app: &AppNow, own: &Application, parts: Parts, lines: &mut Lines) {
    let Some(sizes) = &app.data_gib else {
        lines.comment(
            "data is unknown: no list of its pages could be read. Without this key numasim takes \"local\".",
        );
        return;
    };
    let shown: Vec<String> = sizes
        .iter()
        .enumerate()
        .filter(|(_, gib)| **gib >= 0.005)
        .map(|(node, gib)| format!("{gib:.2} GiB on node {node}"))
        .collect();
    let shown = if shown.is_empty() { "less than 0.01 GiB".to_owned() } else { shown.join(", ") };
    lines.comment(format_args!("measured: {shown} ({})", own.data_source.unwrap_or("unknown")));
    if let Some((best, others)) = own.data_class() {
        for other in others {
            lines.comment(format_args!(
                "data = {} describes it as well",
                placement(&rounded(&other.placement))
            ));
        }
        let value = match &best.placement {
            Placement::Home(_) if parts.open => home("\"any\"", 1.0),
            found => placement(&rounded(found)),
        };
        lines.put(&keys::DATA, value);
    }
    let sum: f64 = sizes.iter().sum();
    if parts.sizes && sum > 0.0 {
        lines.put(&keys::MEMORY_GIB, six_digits(sum));
    }
}

/// Today's placement.
fn now(snapshot: &Snapshot, apps: &[(&AppNow, &Application)], parts: Parts) -> String {
    let places = &snapshot.seen.places;
    let mut lines = Lines::default();
    lines.table(&scenario::TABLE);
    lines.put(&scenario::NAME, quoted(NOW));
    let row = |own: &Application| {
        let threads = own.threads(snapshot.values.node_count()).unwrap_or_default();
        let on_node = |(node, &count): (usize, &u32)| {
            let domains = places.domains.get(node).copied().unwrap_or(1);
            let alike = domains > 1 && snapshot.values.node(NodeId(node)).domains() == domains;
            let own_domains = own.threads_in_domains(node, domains).filter(|_| alike && count > 0);
            let fits = |row: &Vec<u32>| {
                let cores =
                    snapshot.values.node(NodeId(node)).domain_cores() * snapshot.values.threads_per_core();
                let whole = !has_both(snapshot, own, parts) || row.iter().all(|threads| threads % 2 == 0);
                whole && row.iter().all(|&threads| threads <= cores)
            };
            own_domains.filter(fits).map_or(OnNode::Threads(count), OnNode::Domains)
        };
        let cells = threads.iter().enumerate().map(on_node).map(|on_node| match on_node {
            OnNode::Threads(count) => count.to_string(),
            OnNode::Domains(list) => format!("{list:?}"),
        });
        format!("[{}]", cells.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> =
        apps.iter().map(|(app, own)| format!("{} = {}", quoted(&app.name), row(own))).collect();
    lines.put(&scenario::THREADS, format!("{{ {} }}", rows.join(", ")));
    if parts.open {
        let homes: Vec<String> = apps
            .iter()
            .filter_map(|(app, own)| match own.data_class()?.0.placement.clone() {
                found @ Placement::Home(_) => Some(format!("{} = {}", quoted(&app.name), placement(&found))),
                _ => None,
            })
            .collect();
        lines.maybe(&scenario::DATA, (!homes.is_empty()).then(|| format!("{{ {} }}", homes.join(", "))));
    }
    "\n".to_owned() + &lines.text()
}

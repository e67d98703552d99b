//! A snapshot as tables: for people, as rows of CSV, and as a frame of `numasim top`.

use std::fmt::Write as _;

use numasim_draw::Style;
use numasim_draw::figures;
use numasim_draw::grid::wrap;

use super::{AppNow, CacheNow, DataNow, MemoryNow, NodeNow, Snapshot};
use crate::table::{self, Of};

impl Snapshot {
    /// The columns of its CSV.
    pub fn columns<'a>() -> [Of<'a, AppNow>; 9] {
        app_columns(&Style::default())
    }

    /// A line for each application.
    pub fn csv(&self) -> String {
        table::csv(&Self::columns(), &self.apps)
    }

    /// For people: the study, or on a page the tables.
    pub fn text(&self, style: &Style) -> String {
        if style.markdown { self.frame(style) } else { self.study.clone() }
    }

    /// The host by node and by application.
    pub fn frame(&self, style: &Style) -> String {
        let mut text = format!("Machine: {}\n", self.machine);
        if let Some(seconds) = self.seconds {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "Between two instants {seconds:.2} s apart");
        }
        text.push('\n');
        text.push_str(&table::grid(&node_columns(style), &self.nodes).render(style));
        if self.caches.len() > self.nodes.len() {
            text.push('\n');
            text.push_str(&table::grid(&cache_columns(style), &self.caches).render(style));
        }
        if !self.memories.is_empty() {
            text.push_str("\nMemory controllers, all applications and devices together\n");
            text.push_str(&table::grid(&memory_columns(style), &self.memories).render(style));
        }
        text.push('\n');
        if self.apps.is_empty() {
            text.push_str("No application uses more than 5 % of a core.\n");
        } else {
            text.push_str(&table::grid(&app_columns(style), &self.apps).render(style));
        }
        for sentence in &self.unseen {
            let sentence = format!("Not seen: {sentence}.");
            text.extend(wrap(&sentence, style.columns()).iter().map(|line| style.faint(line) + "\n"));
        }
        text
    }
}

/// The fraction of the traffic from remote memories.
fn remote(local: Option<f64>, total: Option<f64>) -> Option<f64> {
    let (local, total) = (local?, total?);
    (total > 0.0).then(|| (1.0 - local / total).clamp(0.0, 1.0))
}

fn node_columns<'a>(style: &Style) -> [Of<'a, NodeNow>; 6] {
    [
        Of::text("node", |node: &NodeNow| node.node.to_string()),
        Of::count("os_node", |node: &NodeNow| node.os_node).titled("OS node"),
        Of::count("cores", |node: &NodeNow| node.cores),
        Of::number("cores_used", |node: &NodeNow| node.cores_used).titled("in use").written(two),
        Of::number("total_gbs", |node: &NodeNow| node.total_gbs).titled("GB/s").written(two),
        Of::number("remote", |node: &NodeNow| remote(node.local_gbs, node.total_gbs))
            .titled("not local %")
            .scaled(100.0)
            .written(whole),
    ]
    .map(|of| of.none(style.idle()))
}

fn cache_columns<'a>(style: &Style) -> [Of<'a, CacheNow>; 4] {
    [
        Of::text("cache", |cache: &CacheNow| cache.cache.to_string()).titled("L3 cache"),
        Of::text("node", |cache: &CacheNow| cache.node.map(|node| node.to_string())),
        Of::number("total_gbs", |cache: &CacheNow| cache.total_gbs).titled("GB/s").written(two),
        Of::number("remote", |cache: &CacheNow| remote(cache.local_gbs, cache.total_gbs))
            .titled("not local %")
            .scaled(100.0)
            .written(whole),
    ]
    .map(|of| of.none(style.idle()))
}

fn memory_columns<'a>(style: &Style) -> [Of<'a, MemoryNow>; 4] {
    let nodes = |memory: &MemoryNow| {
        let nodes: Vec<String> = memory.nodes.iter().map(usize::to_string).collect();
        (!nodes.is_empty()).then(|| nodes.join(" "))
    };
    [
        Of::text("socket", |memory: &MemoryNow| memory.socket.to_string()),
        Of::text("nodes", nodes),
        Of::number("read_gbs", |memory: &MemoryNow| memory.read_gbs).titled("read GB/s").written(two),
        Of::number("written_gbs", |memory: &MemoryNow| memory.written_gbs)
            .titled("written GB/s")
            .written(two),
    ]
    .map(|of| of.none(style.idle()))
}

fn app_columns<'a>(style: &Style) -> [Of<'a, AppNow>; 9] {
    let list = |numbers: &Option<Vec<u32>>| {
        numbers.as_ref().map(|numbers| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))
    };
    let gib = |sizes: &Option<Vec<f64>>| {
        sizes.as_ref().map(|sizes| {
            sizes
                .iter()
                .map(|gib| figures::short((gib * 100.0).round() / 100.0))
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    [
        Of::text("app", |app: &AppNow| app.name.clone()).titled("application"),
        Of::text("kind", |app: &AppNow| app.kind.0.to_owned()),
        Of::text("threads", move |app: &AppNow| list(&app.threads)).titled("threads by node"),
        Of::number("cores_used", |app: &AppNow| app.cores_used).titled("cores").written(two),
        Of::text("data_gib", move |app: &AppNow| gib(&app.data_gib)).titled("GiB by node"),
        Of::text("data", |app: &AppNow| app.data.as_ref().map(words)),
        Of::number("local_gbs", |app: &AppNow| app.local_gbs).titled("local GB/s").written(two),
        Of::number("total_gbs", |app: &AppNow| app.total_gbs).titled("GB/s").written(two),
        Of::number("thread_gbs", |app: &AppNow| app.thread_gbs).titled("a thread GB/s").written(two),
    ]
    .map(|of| of.none(style.idle()))
}

fn two(value: f64) -> String {
    format!("{value:.2}")
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

/// Data placement, in a cell.
fn words(data: &DataNow) -> String {
    match data {
        DataNow::Word(word) => (*word).to_owned(),
        DataNow::Home { home, share: None } => format!("node {home}"),
        DataNow::Home { home, share: Some(share) } => format!("{} node {home}", figures::percent(*share)),
        DataNow::Interleave { interleave } => format!("{} interleave", figures::percent(*interleave)),
        DataNow::Fractions { .. } => "fractions".to_owned(),
    }
}

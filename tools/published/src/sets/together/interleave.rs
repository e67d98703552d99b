//! Files of bandwidth over sets of memories: `numactl`, weights, a sweep over sets of nodes.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;

use numasim_study::{Problem, ProblemKind};

use super::super::{Judged, PublishedError};
use super::memories::{Memories, Spread};
use super::{each_row, positive};
use numasim_evidence::statistics::median;
use numasim_study::csv::{Row, shown};

pub(super) const NUMACTL: [&str; 9] = [
    "machine",
    "kernel",
    "threads_node0",
    "threads_node1",
    "threads_node2",
    "threads_node3",
    "policy",
    "mem_nodes",
    "bandwidth_MBps",
];
pub(super) const WEIGHTED: [&str; 6] =
    ["benchmark", "kernel_or_mix", "placement", "weights_dram_cxl", "bandwidth_best_MBps", "machine"];
pub(super) const SWEEP: [&str; 6] =
    ["interleave_nodes", "pattern", "threads", "buffer_GB", "read_ratio", "total_MBps"];

/// Smaller buffers are partly cached.
const LEAST_BUFFER: f64 = 16.0;
/// MiB/s in GB/s.
const MIB: f64 = 1_048_576.0 / 1e9;
/// The node of the threads of a sweep, its cores, and the nodes.
const SWEEP_NODE: usize = 1;
const SWEEP_CORES: u32 = 43;
const SWEEP_NODES: usize = 4;

/// Nodes of "0-2", "0,1" or "3".
fn nodes(row: &Row<'_>, column: usize, most: usize) -> Result<Vec<usize>, Problem> {
    let text = row.text(Some(column));
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|&node| node < most);
    let range = |part: &str| match part.split_once('-') {
        Some((from, to)) => Some((number(from)?..=number(to)?).collect::<Vec<_>>()),
        None => Some(vec![number(part)?]),
    };
    let list: Option<Vec<Vec<usize>>> = text.split(',').map(range).collect();
    list.map(|list| list.concat()).filter(|list| !list.is_empty()).ok_or_else(|| {
        let message = format!("'{}' is no list of nodes from 0 to {}", shown(text), most - 1);
        row.problem(column, ProblemKind::BadValue, message).hint("write 0-2 or 0,1")
    })
}

/// Equal parts on each of some nodes.
fn evenly(on: &[usize], of: usize) -> Vec<f64> {
    let part = 1.0 / on.len() as f64;
    (0..of).map(|node| if on.contains(&node) { part } else { 0.0 }).collect()
}

/// GB/s of threads by node on memories, each measured several times.
type Measured = BTreeMap<([u32; 4], Vec<usize>), Vec<f64>>;

/// STREAM of processes under `numactl`, on a machine of four nodes.
pub(super) fn numactl(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut found: BTreeMap<(String, String), Measured> = BTreeMap::new();
    each_row(text, NUMACTL, |row, [machine, kernel, t0, t1, t2, t3, policy, memory, rate]| {
        if !["membind", "interleave"].contains(&row.text(Some(policy))) {
            return Ok(());
        }
        let count = |column| row.whole_number(column, 0, "threads, e.g. 24");
        let threads = [count(t0)?, count(t1)?, count(t2)?, count(t3)?];
        let mut on = nodes(row, memory, 4)?;
        on.dedup();
        let gbs = positive(row, rate, "MB/s, e.g. 64483.3")? / 1e3;
        let key = (row.text(Some(machine)).to_owned(), row.text(Some(kernel)).to_owned());
        found.entry(key).or_default().entry((threads, on)).or_default().push(gbs);
        Ok(())
    })?;
    let mut all = Vec::new();
    for ((machine, kernel), rows) in found {
        let rows: BTreeMap<_, f64> =
            rows.into_iter().filter_map(|(key, gbs)| Some((key, median(&gbs)?))).collect();
        let from_first = |threads: &[u32; 4]| threads[1..].iter().all(|&count| count == 0);
        // By membind and by interleave over one node: the same.
        let single = |node: usize| {
            let of = rows.iter().filter(move |((threads, on), _)| from_first(threads) && *on == [node]);
            of.map(|(_, gbs)| *gbs).fold(0.0, f64::max)
        };
        let gbs: Vec<f64> = (0..4).map(single).collect();
        let one = rows.get(&([1, 0, 0, 0], vec![0])).copied();
        let cores = rows.keys().flat_map(|(threads, _)| threads.iter().copied()).max().unwrap_or_default();
        if gbs.contains(&0.0) {
            continue;
        }
        let spread = |((threads, on), &measured): (&([u32; 4], Vec<usize>), &f64)| {
            let best = on.iter().map(|&node| {
                let alike = rows.get(&(*threads, vec![node]));
                alike.or_else(|| gbs.get(node)).copied().unwrap_or_default()
            });
            Spread {
                name: format!("{threads:?} on {on:?}"),
                threads: threads.to_vec(),
                parts: evenly(on, 4),
                one_memory: best.fold(0.0, f64::max),
                gbs: measured,
            }
        };
        let spreads: Vec<Spread> = rows.iter().filter(|((_, on), _)| on.len() > 1).map(spread).collect();
        let everything = |spread: &Spread| {
            spread.threads == [cores, 0, 0, 0] && spread.parts.iter().all(|&part| part > 0.0)
        };
        let reads = spreads.iter().position(everything);
        let judged = Memories {
            set: format!("interleave, {machine}"),
            machine,
            traffic: kernel,
            write_allocate: "not counted",
            cores: vec![cores; 4],
            gbs,
            one,
            reads,
            spreads,
        };
        all.extend(judged.judge()?);
    }
    Ok(all)
}

/// Parts of "9:1".
fn weights(row: &Row<'_>, column: usize) -> Result<Option<[f64; 2]>, Problem> {
    let text = row.text(Some(column));
    if text.is_empty() || text.contains("not stated") {
        return Ok(None);
    }
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    let both = text.split_once(':').and_then(|(dram, cxl)| Some([number(dram)?, number(cxl)?]));
    both.map(|[dram, cxl]| Some([dram / (dram + cxl), cxl / (dram + cxl)])).ok_or_else(|| {
        let message = format!("'{}' are no weights", shown(text));
        row.problem(column, ProblemKind::BadValue, message)
            .hint("write the weight of DRAM and that of CXL: 9:1")
    })
}

/// STREAM over DRAM and CXL memory with weights. One thread was not measured: threads are assumed to want more than the
/// memory provides.
pub(super) fn weighted(text: &str) -> Result<Vec<Judged>, PublishedError> {
    /// Alone on either memory; name, parts and GB/s of those on both.
    type Of = ([Option<f64>; 2], Vec<(String, [f64; 2], f64)>);
    let mut found: BTreeMap<(String, String), Of> = BTreeMap::new();
    each_row(text, WEIGHTED, |row, [benchmark, kernel, placement, weight, rate, machine]| {
        // Other benchmarks have no bandwidth.
        if row.text(Some(rate)).is_empty() {
            return Ok(());
        }
        let gbs = positive(row, rate, "MB/s, e.g. 208523.8")? / 1e3;
        // "B: single socket, ..."
        let machine = row.text(Some(machine)).split(':').next().unwrap_or_default().to_owned();
        let kernel = format!("{} {}", row.text(Some(benchmark)), row.text(Some(kernel)));
        let (alone, both) = found.entry((machine, kernel)).or_default();
        let how = row.text(Some(placement));
        match weights(row, weight)? {
            Some(parts) => both.push((format!("{how} {}", row.text(Some(weight))), parts, gbs)),
            None if how.starts_with("DRAM only") => alone[0] = Some(gbs),
            None if how.starts_with("CXL only") => alone[1] = Some(gbs),
            None => {}
        }
        Ok(())
    })?;
    let mut all = Vec::new();
    for ((machine, kernel), (alone, both)) in found {
        let [Some(dram), Some(cxl)] = alone else { continue };
        let spread = |(name, parts, gbs): (String, [f64; 2], f64)| Spread {
            name,
            threads: vec![64, 0],
            parts: parts.to_vec(),
            one_memory: dram.max(cxl),
            gbs,
        };
        let judged = Memories {
            set: format!("DRAM and CXL with weights, machine {machine}"),
            machine,
            traffic: kernel,
            write_allocate: "not counted",
            cores: vec![64, 0],
            gbs: vec![dram, cxl],
            one: None,
            reads: None,
            spreads: both.into_iter().map(spread).collect(),
        };
        if !judged.spreads.is_empty() {
            all.extend(judged.judge()?);
        }
    }
    Ok(all)
}

/// GB/s by nodes, size of the buffer in GB and threads.
type Swept = BTreeMap<(Vec<usize>, u32), BTreeMap<u32, f64>>;

/// Random reads and writes of threads of node 1 over sets of nodes, separately for each ratio of reads.
pub(super) fn sweep(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut found: BTreeMap<String, Swept> = BTreeMap::new();
    each_row(text, SWEEP, |row, [on, pattern, threads, buffer, ratio, rate]| {
        let size = row.amount(buffer, "GB, e.g. 16")?;
        let reads = row.amount(ratio, "the part of reads, e.g. 0.5")?;
        let pattern = row.text(Some(pattern));
        // Untouched pages are zero and in the cache, so only random reads are meaningful.
        if size < LEAST_BUFFER
            || !(pattern.contains("random") || (reads == 0.0 && !pattern.contains("not stated")))
        {
            return Ok(());
        }
        let threads = row.whole_number(threads, 1, "threads, e.g. 64")?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "GB, finite and not negative"
        )]
        let size = size.round() as u32;
        let is_default = row.text(Some(on)).starts_with("no numactl");
        let on = if is_default { vec![SWEEP_NODE] } else { nodes(row, on, SWEEP_NODES)? };
        let gbs = positive(row, rate, "MiB/s, e.g. 165150")? * MIB;
        // Without numactl a buffer of the size of the node does not fit there.
        if !is_default || f64::from(size) <= LEAST_BUFFER {
            let of = found.entry(format!("reads {reads:.2}")).or_default();
            of.entry((on, size)).or_default().insert(threads, gbs);
        }
        Ok(())
    })?;
    let mut all = Vec::new();
    for (traffic, swept) in found {
        let of_node =
            |node: usize| swept.iter().filter(move |((on, _), _)| *on == [node]).map(|(_, counts)| counts);
        let most =
            |node: usize| of_node(node).flat_map(|counts| counts.values().copied()).fold(0.0, f64::max);
        let gbs: Vec<f64> = (0..SWEEP_NODES).map(most).collect();
        let one = of_node(SWEEP_NODE).filter_map(|counts| counts.iter().next());
        let one = one.map(|(&threads, gbs)| gbs / f64::from(threads)).fold(0.0, f64::max);
        let mut spreads = Vec::new();
        for ((on, size), counts) in swept.iter().filter(|((on, _), _)| on.len() > 1) {
            if on.iter().any(|&node| gbs.get(node).is_none_or(|&gbs| gbs <= 0.0)) {
                continue;
            }
            for (&count, &measured) in counts {
                let best = on.iter().map(|&node| {
                    let alike = swept.get(&(vec![node], *size)).and_then(|counts| counts.get(&count));
                    alike.or_else(|| gbs.get(node)).copied().unwrap_or_default()
                });
                let mut threads = vec![0; SWEEP_NODES];
                if let Some(threads) = threads.get_mut(SWEEP_NODE) {
                    *threads = count.min(SWEEP_CORES);
                }
                spreads.push(Spread {
                    name: format!("{count} threads, {size} GB on {on:?}"),
                    threads,
                    parts: evenly(on, SWEEP_NODES),
                    one_memory: best.fold(0.0, f64::max),
                    gbs: measured,
                });
            }
        }
        if spreads.is_empty() || one <= 0.0 {
            continue;
        }
        let judged = Memories {
            machine: "Xeon 6787P".to_owned(),
            set: "sets of nodes, Xeon 6787P".to_owned(),
            traffic,
            write_allocate: "not counted",
            // A memory without measurements takes part in no spread.
            cores: vec![0, SWEEP_CORES, 0, 0],
            gbs: gbs.into_iter().map(|gbs| if gbs > 0.0 { gbs } else { 1.0 }).collect(),
            one: Some(one),
            reads: None,
            spreads,
        };
        all.extend(judged.judge()?);
    }
    Ok(all)
}

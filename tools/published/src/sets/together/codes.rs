//! Codes that were run with one thread or rank on increasing numbers of cores: LULESH, its kernels, SPEChpc.
//!
//! Ranks and threads fill one domain after the other and wait for each other. The domains of the clusters are those of the
//! sources: A is 2 x Xeon Platinum 8360Y in SNC2 mode (18 cores a domain), B has 52 cores a socket in SNC4 mode (13).

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;

use numasim_study::{Problem, ProblemKind};

use super::super::{Judged, Part, PublishedError};
use super::domains::{Load, Series, Work};
use super::{each_row, positive};
use numasim_evidence::statistics::{mean, median};
use numasim_study::csv::{Row, shown};

pub(super) const LULESH: [&str; 5] =
    ["cluster", "size_per_domain", "mpi_ranks", "omp_threads", "fom_zones_per_s"];
pub(super) const SPECHPC: [&str; 5] = ["cluster", "benchmark", "ranks", "runtime_max_s", "mem_total_MBps"];
pub(super) const KERNELS: [&str; 6] = ["cluster", "size", "threads", "kernel", "runtime_s", "mem_total_MBps"];

/// Smaller problems of LULESH live in caches.
const LEAST_SIZE: u32 = 120;
/// Kernels with less than this fraction of the serial time are left out.
const LEAST_PART: f64 = 0.01;

/// Cores of a domain of a cluster.
fn domain(row: &Row<'_>, cluster: usize) -> Result<u32, Problem> {
    match row.text(Some(cluster)) {
        "A" => Ok(18),
        "B" => Ok(13),
        other => {
            let message = format!("the NUMA domains of the cluster '{}' are not known", shown(other));
            let hint =
                "known are A (Xeon Platinum 8360Y, 18 cores a domain) and B (SNC4 of 52 cores, 13 a domain)";
            Err(row.problem(cluster, ProblemKind::BadValue, message).hint(hint))
        }
    }
}

fn on_cluster(name: &str) -> String {
    if name == "A" { "2 x Xeon 8360Y".to_owned() } else { format!("cluster {name}") }
}

/// Cluster, its domain, and the program.
type Key = (String, u32, String);

/// A series for each key: the value of each count, in the unit.
fn series(
    part: Part,
    code: &str,
    unit: &'static str,
    (cluster, domain, traffic): Key,
    loads: Vec<Load>,
) -> Series {
    let machine = on_cluster(&cluster);
    Series {
        part,
        set: format!("{code}, {machine}"),
        machine,
        traffic,
        write_allocate: "counted",
        unit,
        domain,
        work: Work::Synchronised,
        loads,
    }
}

/// LULESH: one process with threads, zones per second.
pub(super) fn lulesh(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut found: BTreeMap<Key, BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
    each_row(text, LULESH, |row, [cluster, size, ranks, threads, speed]| {
        let domain = domain(row, cluster)?;
        let size = row.whole_number(size, 1, "the edge of the problem, e.g. 250")?;
        let ranks = row.whole_number(ranks, 1, "MPI ranks, e.g. 1")?;
        let threads = row.whole_number(threads, 1, "threads, e.g. 18")?;
        let speed = positive(row, speed, "zones per second, e.g. 9306.3")?;
        if size >= LEAST_SIZE && ranks == 1 {
            let key = (row.text(Some(cluster)).to_owned(), domain, format!("size {size:03}"));
            found.entry(key).or_default().entry(threads).or_default().push(speed);
        }
        Ok(())
    })?;
    let mut all = Vec::new();
    for (key, counts) in found {
        let load =
            |(&threads, values): (&u32, &Vec<f64>)| Some(Load::filling(key.1, threads, median(values)?));
        let loads = counts.iter().filter_map(load).collect();
        all.extend(series(Part::Domains, "LULESH", "zones/s", key, loads).fitted()?);
    }
    Ok(all)
}

/// Seconds and GB/s of a count; several entries if it was measured more than once.
type Runs = BTreeMap<u32, Vec<(f64, f64)>>;

fn mean_of(runs: &[(f64, f64)], figure: fn(&(f64, f64)) -> f64) -> f64 {
    mean(&runs.iter().map(figure).collect::<Vec<_>>()).unwrap_or(f64::NAN)
}

/// The runtimes of the first and the second measurement of each count that was measured twice.
fn twice(runs: &Runs) -> BTreeMap<u32, [f64; 2]> {
    let both = |runs: &Vec<(f64, f64)>| <[(f64, f64); 2]>::try_from(runs.as_slice()).ok();
    let pairs = runs.iter().filter_map(|(&count, runs)| Some((count, both(runs)?)));
    pairs.map(|(count, both)| (count, both.map(|run| run.0))).collect()
}

/// SPEChpc: by a fit of each application's first domain, and by the bandwidth and traffic of one rank.
pub(super) fn spechpc(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut found: BTreeMap<Key, Runs> = BTreeMap::new();
    each_row(text, SPECHPC, |row, [cluster, app, ranks, runtime, traffic]| {
        let key = (row.text(Some(cluster)).to_owned(), domain(row, cluster)?, row.text(Some(app)).to_owned());
        let ranks = row.whole_number(ranks, 1, "ranks, e.g. 18")?;
        let run = (
            positive(row, runtime, "seconds, e.g. 2003.9")?,
            positive(row, traffic, "MB/s, e.g. 77287.1")? / 1e3,
        );
        found.entry(key).or_default().entry(ranks).or_default().push(run);
        Ok(())
    })?;
    let mut all = Vec::new();
    for (key, runs) in &found {
        let per_hour = |runs: &Vec<(f64, f64)>| 3600.0 / mean_of(runs, |run| run.0);
        let loads = runs.iter().map(|(&ranks, runs)| Load::filling(key.1, ranks, per_hour(runs))).collect();
        let series = series(Part::Domains, "SPEChpc", "runs/h", key.clone(), loads);
        all.extend(series.fitted()?);
        if let Some(seen) = series.curve().seen() {
            let speeds = twice(runs).into_iter().map(|(ranks, pair)| (ranks, pair.map(|time| 3600.0 / time)));
            all.extend(series.again(speeds, &seen.counts));
        }
    }
    all.extend(by_intensity(&found, "SPEChpc")?);
    Ok(all)
}

/// The kernels of LULESH, which run in sequence, by the bandwidth and traffic of one thread.
pub(super) fn kernels(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut found: BTreeMap<Key, Runs> = BTreeMap::new();
    each_row(text, KERNELS, |row, [cluster, size, threads, kernel, runtime, traffic]| {
        let name = format!("{}, size {}", row.text(Some(kernel)), row.text(Some(size)));
        let key = (row.text(Some(cluster)).to_owned(), domain(row, cluster)?, name);
        let threads = row.whole_number(threads, 1, "threads, e.g. 18")?;
        // Tiny kernels are printed as 0 s and 0 MB/s, and are left out below.
        let run =
            (row.amount(runtime, "seconds, e.g. 71.8")?, row.amount(traffic, "MB/s, e.g. 13841.9")? / 1e3);
        found.entry(key).or_default().entry(threads).or_default().push(run);
        Ok(())
    })?;
    let serial = |runs: &Runs| runs.get(&1).map_or(0.0, |runs| mean_of(runs, |run| run.0));
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for ((cluster, _, _), runs) in &found {
        *sums.entry(cluster.clone()).or_default() += serial(runs);
    }
    found.retain(|(cluster, _, _), runs| {
        serial(runs) >= LEAST_PART * sums.get(cluster).copied().unwrap_or_default()
            && runs.values().flatten().all(|run| run.0 > 0.0 && run.1 > 0.0)
    });
    by_intensity(&found, "kernels of LULESH")
}

/// The speed-up of each by the GB/s of one rank and the most that any other of the same cluster draws in one full domain.
fn by_intensity(found: &BTreeMap<Key, Runs>, code: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut all = Vec::new();
    for (key, runs) in found {
        let others = found.iter().filter(|(other, _)| other.0 == key.0 && other.2 != key.2);
        let most =
            others.filter_map(|(_, runs)| Some(mean_of(runs.get(&key.1)?, |run| run.1))).fold(0.0, f64::max);
        let Some(one) = runs.get(&1).filter(|_| most > 0.0) else { continue };
        let (time, draws) = (mean_of(one, |run| run.0), mean_of(one, |run| run.1));
        let speed_up = |runs: &Vec<(f64, f64)>| time / mean_of(runs, |run| run.0);
        let loads = runs.iter().map(|(&count, runs)| Load::filling(key.1, count, speed_up(runs))).collect();
        let series = series(Part::Intensity, code, "x", key.clone(), loads);
        all.extend(series.given(1.0, most / draws)?);
        let twice = twice(runs);
        if let Some(&one) = twice.get(&1) {
            let speed_up = |pair: [f64; 2]| [one[0] / pair[0], one[1] / pair[1]];
            all.extend(series.again(twice.into_iter().map(|(count, pair)| (count, speed_up(pair))), &[1]));
        }
    }
    Ok(all)
}

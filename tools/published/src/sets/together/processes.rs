//! One kernel, by threads or processes on the cores of one or two sockets, or on several memory domains.
//!
//! The cores of a domain are those of the sources; for other machines a column `cores_per_numa_domain` gives them.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;

use numasim_study::{Problem, ProblemKind};

use super::super::{Judged, Part, PublishedError};
use super::domains::{Load, Series, Work};
use super::{each_row, positive};
use numasim_evidence::statistics::median;
use numasim_study::csv::{Row, Rows, shown};

pub(super) const THREADS: [&str; 4] = ["machine", "threads_socket0", "threads_socket1", "bandwidth_MBps"];
pub(super) const PROCESSES: [&str; 6] =
    ["machine", "run", "experiment", "n_corunning", "core", "bandwidth_MBps"];
pub(super) const DOMAINS: [&str; 4] = ["kernel", "threads_per_domain", "memory_domains", "rate_MBps"];

/// Beyond this many domains only [`OUT_OF_CACHE`] are measured in memory: the length of the vectors is that of all domains together.
const MOST_DOMAINS: u32 = 4;
const OUT_OF_CACHE: [&str; 2] = ["Init", "Copy"];

/// The column with the cores of a domain.
fn extra(text: &str) -> Result<Option<usize>, PublishedError> {
    Ok(Rows::new(text)?.column("cores_per_numa_domain"))
}

/// Cores of a domain of a machine.
fn domain(row: &Row<'_>, extra: Option<usize>, machine: usize) -> Result<u32, Problem> {
    if let Some(column) = extra {
        return row.whole_number(column, 1, "the cores of a NUMA domain, e.g. 10");
    }
    match row.text(Some(machine)) {
        "ics" => Ok(10),
        "dxt" => Ok(64),
        other => {
            let message = format!("the NUMA domains of the machine '{}' are not known", shown(other));
            let hint = "give them as a column cores_per_numa_domain; known are ics (10 cores) and dxt (64, a socket)";
            Err(row.problem(machine, ProblemKind::BadValue, message).hint(hint))
        }
    }
}

fn name_of(machine: &str) -> String {
    match machine {
        "ics" => "2 x E5-2650 v3".to_owned(),
        "dxt" => "EPYC 7702".to_owned(),
        other => other.to_owned(),
    }
}

fn series(set: &str, machine: String, traffic: &str, domain: u32, work: Work, loads: Vec<Load>) -> Series {
    Series {
        part: Part::Domains,
        set: format!("{set}, {machine}"),
        machine,
        traffic: traffic.to_owned(),
        write_allocate: "not counted",
        unit: "GB/s",
        domain,
        work,
        loads,
    }
}

/// One process whose threads have equal numbers of iterations.
pub(super) fn threads(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let extra = extra(text)?;
    let mut found: BTreeMap<(String, u32), BTreeMap<[u32; 2], Vec<f64>>> = BTreeMap::new();
    each_row(text, THREADS, |row, [machine, first, second, rate]| {
        let key = (row.text(Some(machine)).to_owned(), domain(row, extra, machine)?);
        let first = row.whole_number(first, 0, "threads, e.g. 10")?;
        let second = row.whole_number(second, 0, "threads, e.g. 0")?;
        if first + second == 0 {
            return Err(row.problem(
                machine,
                ProblemKind::BadValue,
                "nobody runs here: no thread on either socket",
            ));
        }
        let gbs = positive(row, rate, "MB/s, e.g. 44442.38")? / 1e3;
        found.entry(key).or_default().entry([first, second]).or_default().push(gbs);
        Ok(())
    })?;
    let mut all = Vec::new();
    for ((machine, domain), counts) in found {
        let load = |(threads, values): (&[u32; 2], &Vec<f64>)| {
            Some(Load { threads: threads.to_vec(), each_of: None, value: median(values)? })
        };
        let loads = counts.iter().filter_map(load).collect();
        let series =
            series("threads of one process", name_of(&machine), "triad", domain, Work::Synchronised, loads);
        all.extend(series.fitted()?);
    }
    Ok(all)
}

/// GB/s of the process on each core, by number of processes and run.
type Attempts = BTreeMap<(u32, String), Vec<(u32, f64)>>;
/// Processes on each domain, and the GB/s of one of them.
type Try = (Vec<u32>, f64);

/// Processes of one thread on the first cores. The value of one: the median of those of a domain, then over the attempts.
pub(super) fn processes(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let extra = extra(text)?;
    let mut found: BTreeMap<(String, u32), Attempts> = BTreeMap::new();
    each_row(text, PROCESSES, |row, [machine, run, experiment, count, core, rate]| {
        // Strides give the place on the socket; a failed process has no value.
        if row.text(Some(experiment)).contains("stride") || row.text(Some(rate)).is_empty() {
            return Ok(());
        }
        let key = (row.text(Some(machine)).to_owned(), domain(row, extra, machine)?);
        let count = row.whole_number(count, 1, "processes, e.g. 11")?;
        let core = row.whole_number(core, 0, "a core, e.g. 10")?;
        let gbs = positive(row, rate, "MB/s, e.g. 13040.5")? / 1e3;
        let attempt = (count, row.text(Some(run)).to_owned());
        found.entry(key).or_default().entry(attempt).or_default().push((core, gbs));
        Ok(())
    })?;
    let mut all = Vec::new();
    for ((machine, domain), attempts) in found {
        let mut loads: BTreeMap<(u32, usize), Vec<Try>> = BTreeMap::new();
        for ((count, _), list) in &attempts {
            let mut threads: Vec<u32> = Vec::new();
            let mut rates: Vec<Vec<f64>> = Vec::new();
            for (core, gbs) in list {
                let at = usize::try_from(core / domain).unwrap_or_default();
                if threads.len() <= at {
                    threads.resize(at + 1, 0);
                    rates.resize(at + 1, Vec::new());
                }
                if let (Some(threads), Some(rates)) = (threads.get_mut(at), rates.get_mut(at)) {
                    *threads += 1;
                    rates.push(*gbs);
                }
            }
            // An attempt that lacks a process is ignored for the others.
            if u32::try_from(list.len()) != Ok(*count) {
                continue;
            }
            for (at, of_domain) in rates.iter().enumerate() {
                let each = median(of_domain).map(|each| (threads.clone(), each));
                loads.entry((*count, at)).or_default().extend(each);
            }
        }
        let load = |((_, at), tries): (&(u32, usize), &Vec<Try>)| {
            let value = median(&tries.iter().map(|(_, each)| *each).collect::<Vec<_>>())?;
            Some(Load { threads: tries.first()?.0.clone(), each_of: Some(*at), value })
        };
        let loads = loads.iter().filter_map(load).collect();
        all.extend(series("processes", name_of(&machine), "triad", domain, Work::Free, loads).fitted()?);
    }
    Ok(all)
}

/// Equal numbers of threads on some memory domains.
pub(super) fn domains(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let extra = extra(text)?;
    let mut found: BTreeMap<(String, u32), Vec<Load>> = BTreeMap::new();
    each_row(text, DOMAINS, |row, [kernel, threads, domains, rate]| {
        let name = row.text(Some(kernel)).to_owned();
        let cores = extra
            .map_or(Ok(16), |column| row.whole_number(column, 1, "the cores of a NUMA domain, e.g. 16"))?;
        let threads = row.whole_number(threads, 1, "threads on each domain, e.g. 16")?;
        let domains = row.whole_number(domains, 1, "memory domains, e.g. 4")?;
        let value = positive(row, rate, "MB/s, e.g. 26649.8")? / 1e3;
        if domains <= MOST_DOMAINS || OUT_OF_CACHE.contains(&name.as_str()) {
            let threads = vec![threads; usize::try_from(domains).unwrap_or(1)];
            found.entry((name, cores)).or_default().push(Load { threads, each_of: None, value });
        }
        Ok(())
    })?;
    let mut all = Vec::new();
    for ((kernel, cores), loads) in found {
        let machine = "EPYC 7763".to_owned();
        all.extend(series("equal domains", machine, &kernel, cores, Work::Free, loads).fitted()?);
    }
    Ok(all)
}

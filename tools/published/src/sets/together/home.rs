//! All threads with local data, and all on one memory.
//!
//! No value of a single memory or link is published: a memory has its share of the total of all sockets, and links are assumed to be
//! wide enough. So every model without correction predicts the same as *equal parts*.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;

use numasim_model::{ModelKind, Study};
use numasim_study::{Problem, ProblemKind};

use super::super::{EQUAL_PARTS, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, study};
use super::{each_row, positive};
use numasim_evidence::fit::by_solver;
use numasim_study::csv::{Row, shown};

pub(super) const COLUMNS: [&str; 5] = ["machine", "mode", "parallelism", "kernel", "bandwidth_GBps"];

/// The sockets of "4x NVIDIA Grace".
fn sockets(row: &Row<'_>, machine: usize) -> Result<u32, Problem> {
    let text = row.text(Some(machine));
    let count = text.split_once("x ").and_then(|(count, _)| count.parse().ok());
    count.filter(|&count: &u32| count > 0).ok_or_else(|| {
        let message = format!("'{}' does not begin with its sockets", shown(text));
        row.problem(machine, ProblemKind::BadValue, message).hint("write 2x Xeon E5-2695 v4")
    })
}

/// One thread a socket on the given number of nodes, which draws everything available.
fn one_home(sockets: u32, each: f64) -> Result<Study, PublishedError> {
    let text = format!(
        "[machine]\nname = \"sockets\"\nnodes = {sockets}\ncores_per_node = 1\ngflops_per_core = 1e9\n\
         bandwidth_gbs = {each:?}\nlink_gbs = {each:?}\n[[app]]\nname = \"all\"\narithmetic_intensity = 1.0\ndata = {{ home = 0 }}\n\
         [[scenario]]\nname = \"home\"\nthreads = {{ all = {:?} }}\n",
        vec![1; usize::try_from(sockets).unwrap_or(1)]
    );
    study("sockets", &text)
}

/// GB/s of each kernel, with local data and with global data.
type Kernels = BTreeMap<String, [Option<f64>; 2]>;

/// The rows with global data, from those with local data.
pub(super) fn judge(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut found: BTreeMap<(String, u32), Kernels> = BTreeMap::new();
    each_row(text, COLUMNS, |row, [machine, mode, parallelism, kernel, rate]| {
        let place = ["local", "global"].iter().position(|name| row.text(Some(mode)).starts_with(name));
        if let Some(place) = place.filter(|_| row.text(Some(parallelism)) == "threads") {
            let key = (row.text(Some(machine)).to_owned(), sockets(row, machine)?);
            let both = found.entry(key).or_default().entry(row.text(Some(kernel)).to_owned()).or_default();
            let gbs = positive(row, rate, "GB/s, e.g. 43.78")?;
            if let Some(slot) = both.get_mut(place) {
                *slot = Some(gbs);
            }
        }
        Ok(())
    })?;
    let mut all = Vec::new();
    for ((machine, sockets), kernels) in found {
        let mut points: [Vec<(bool, Point)>; 3] = Default::default();
        for (kernel, both) in kernels {
            let [Some(local), Some(global)] = both else { continue };
            let each = local / f64::from(sockets);
            let study = one_home(sockets, each)?;
            let scenario =
                study.scenarios.first().ok_or_else(|| PublishedError::Model("no scenario".to_owned()))?;
            let apps = by_solver(&study)(&study.machine, scenario).map_err(PublishedError::Model)?;
            for (points, predicted) in points.iter_mut().zip([local, each, apps.iter().sum()]) {
                points.push((false, Point { name: kernel.clone(), measured: global, predicted }));
            }
        }
        let models = [NO_SHARING, EQUAL_PARTS, ModelKind::default().as_str()];
        let one = |(model, points)| Judged {
            machine: Some(machine.clone()),
            traffic: "4 kernels".to_owned(),
            ..Judged::new(Part::Home, format!("all on one memory, {machine}"), (model, NO_FIT), points)
        };
        all.extend(models.into_iter().zip(points).map(one).filter(|one| !one.points.is_empty()));
    }
    Ok(all)
}

//! Unlike applications on one memory, predicted from the stand-alone values of each.
//!
//! A thread of an application draws the stand-alone bandwidth of one of its threads: `one_gbs` if the file contains it, or its share of the total
//! of all its threads. Each kind of traffic may have a separate capacity: a byte of it takes correspondingly more of the memory. `write_share` is
//! the fraction of writes (0 without the column). Nothing is fitted. In addition to *as advised*, the same model is shown with each group limited
//! to its measured stand-alone bandwidth, which is all that *no sharing* uses.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::fmt::Write as _;

use numasim_model::ModelKind;

use super::super::{
    ADVISED, EQUAL_PARTS, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, advised, in_words, study,
    with_model, without_correction,
};
use super::{each_row, positive, write_share};
use numasim_evidence::fit::by_solver;
use numasim_study::csv::Rows;

pub(super) const COLUMNS: [&str; 6] =
    ["experiment", "app", "threads", "alone_gbs", "together_gbs", "capacity_gbs"];

/// The stand-alone bandwidth of a thread is at most this multiple of the measured one.
const MOST_OF_A_THREAD: f64 = 4.0;
const HALVINGS: usize = 40;

/// An application of an experiment.
#[derive(Clone, Debug, PartialEq)]
struct Runner {
    name: String,
    threads: u32,
    /// GB/s of a thread that runs alone.
    one: f64,
    /// GB/s of all its threads without the others.
    alone: f64,
    together: f64,
    /// The most of its kind of traffic, GB/s.
    capacity: f64,
    /// The part of its bytes that are writes.
    write_share: f64,
}

/// Applications that ran at once.
#[derive(Clone, Debug, PartialEq)]
struct Experiment {
    /// The name in the file, if any: the experiments of a machine are sets by their load.
    machine: Option<String>,
    name: String,
    runners: Vec<Runner>,
}

fn read(text: &str) -> Result<Vec<Experiment>, PublishedError> {
    let mut found: Vec<Experiment> = Vec::new();
    let header = Rows::new(text)?;
    let [machine, one, writes] = ["machine", "one_gbs", "write_share"].map(|name| header.column(name));
    each_row(text, COLUMNS, |row, [experiment, app, threads, alone, together, capacity]| {
        let name = row.text(Some(experiment)).to_owned();
        let machine = machine.map(|column| row.text(Some(column)).to_owned());
        let threads = row.whole_number(threads, 1, "threads, e.g. 28")?;
        let alone = positive(row, alone, "GB/s of it alone, e.g. 51.5")?;
        let one =
            one.map(|column| positive(row, column, "GB/s of one thread alone, e.g. 12.5")).transpose()?;
        let runner = Runner {
            name: row.text(Some(app)).to_owned(),
            threads,
            one: one.unwrap_or(alone / f64::from(threads)),
            alone,
            together: positive(row, together, "GB/s of it beside the others, e.g. 46.7")?,
            capacity: positive(row, capacity, "GB/s of the memory, e.g. 237.5")?,
            write_share: write_share(row, writes)?,
        };
        match found.iter_mut().find(|one| one.name == name && one.machine == machine) {
            Some(known) => known.runners.push(runner),
            None => found.push(Experiment { machine, name, runners: vec![runner] }),
        }
        Ok(())
    })?;
    // Sets are contiguous.
    found.sort_by_key(Experiment::set);
    Ok(found)
}

impl Experiment {
    /// The sum of stand-alone demands, as a multiple of the memory.
    fn load(&self) -> f64 {
        self.runners.iter().map(|runner| runner.alone / runner.capacity).sum()
    }

    fn set(&self) -> String {
        let Some(machine) = &self.machine else { return self.name.clone() };
        let load = match self.load() {
            load if load < 0.7 => "below 0.7",
            load if load <= 1.3 => "0.7 to 1.3",
            _ => "above 1.3",
        };
        format!("{machine}, {load} of the memory")
    }

    /// The maximum of the first one's traffic: the GB/s in which everything is counted.
    fn capacity(&self) -> f64 {
        self.runners.first().map_or(1.0, |first| first.capacity)
    }

    /// The same with threads that give each group, under `ecm` as advised, its measured stand-alone bandwidth.
    fn with_groups_as_alone(&self) -> Result<Self, PublishedError> {
        let mut found = self.clone();
        for runner in &mut found.runners {
            let alone = |one: f64| -> Result<f64, PublishedError> {
                let runners = vec![Runner { one, ..runner.clone() }];
                let only = Self { runners, ..self.clone() };
                Ok(only.predict(ModelKind::Ecm, true)?.iter().sum())
            };
            let (mut low, mut high) =
                (runner.alone / f64::from(runner.threads), MOST_OF_A_THREAD * runner.one);
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(low, high);
                if alone(middle)? < runner.alone { low = middle } else { high = middle }
            }
            runner.one = high;
        }
        Ok(found)
    }

    fn study(&self) -> Result<numasim_model::Study, PublishedError> {
        let cores: u32 = self.runners.iter().map(|runner| runner.threads).sum();
        let mut text = format!(
            "[machine]\nname = \"one memory\"\nnodes = 1\ncores_per_node = {cores}\ngflops_per_core = 1e9\n\
             bandwidth_gbs = {:?}\n",
            self.capacity()
        );
        // A thread wants as much as its core can do: the intensity lets it reach its peak at its stand-alone GB/s.
        let mut threads = Vec::new();
        for (place, runner) in self.runners.iter().enumerate() {
            let each = runner.one * (self.capacity() / runner.capacity);
            let _ = write!(
                text,
                "[[app]]\nname = \"{place}\"\narithmetic_intensity = {:?}\nwrite_share = {:?}\n",
                1e9 / each,
                runner.write_share
            );
            threads.push(format!("{place} = {}", runner.threads));
        }
        let _ = write!(text, "[[scenario]]\nname = \"all\"\nthreads = {{ {} }}\n", threads.join(", "));
        study("one memory", &text)
    }

    /// GB/s of each.
    fn predict(&self, kind: ModelKind, softness: bool) -> Result<Vec<f64>, PublishedError> {
        let study = self.study()?;
        let parameters = if softness { advised(kind) } else { None };
        let machine = with_model(&study.machine, kind, parameters.unwrap_or(without_correction(kind)))?;
        let scenario =
            study.scenarios.first().ok_or_else(|| PublishedError::Model("no scenario".to_owned()))?;
        let gflops = by_solver(&study)(&machine, scenario).map_err(PublishedError::Model)?;
        let gbs = |(runner, gflops): (&Runner, f64)| gflops * runner.one / 1e9;
        Ok(self.runners.iter().zip(gflops).map(gbs).collect())
    }
}

/// Every model, `ecm` as advised, and the null models.
pub(super) fn judge(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut all = Vec::new();
    for one in read(text)? {
        let threads = f64::from(one.runners.iter().map(|runner| runner.threads).sum::<u32>());
        let alone = one.runners.iter().map(|runner| runner.alone).collect();
        let equal =
            one.runners.iter().map(|runner| runner.capacity * f64::from(runner.threads) / threads).collect();
        let mut judge = |model, variant: &str, predicted: Vec<f64>| {
            let points = one.runners.iter().zip(predicted).map(|(runner, predicted)| {
                (false, Point { name: runner.name.clone(), measured: runner.together, predicted })
            });
            all.push(Judged {
                machine: one.machine.clone(),
                traffic: if one.machine.is_some() { one.name.clone() } else { "co-run".to_owned() },
                write_allocate: "counted",
                figures: in_words(one.runners.iter().map(|runner| ("B", runner.capacity))),
                ..Judged::new(Part::Pair, one.set(), (model, variant), points)
            });
        };
        judge(NO_SHARING, NO_FIT, alone);
        judge(EQUAL_PARTS, NO_FIT, equal);
        for kind in ModelKind::ALL {
            judge(kind.as_str(), NO_FIT, one.predict(kind, false)?);
        }
        judge(ModelKind::Ecm.as_str(), ADVISED, one.predict(ModelKind::Ecm, true)?);
        let groups = one.with_groups_as_alone()?;
        judge(ModelKind::Ecm.as_str(), "groups alone given", groups.predict(ModelKind::Ecm, true)?);
    }
    Ok(all)
}

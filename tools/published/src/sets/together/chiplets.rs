//! Threads on the chiplets of one node: from one thread, a full chiplet and all cores.
//!
//! # Method
//! The rows marked `given` define the bandwidth of one thread, of one chiplet (two threads and more on it alone), and of the node (the most threads).
//! *Flat* uses the first and the last; with L3 domains the second is `l3_read_gbs`. The only fit concerns the capacities of a model with a corner,
//! such that the given rows draw their measured bandwidth. Null models are those of `compare`, which also use `l3_read_gbs`.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use numasim_evidence::fit::{self, Observed, by_solver};
use numasim_evidence::null_models::{self, NullModel, interpolated};
use numasim_evidence::statistics::median;
use numasim_model::{ModelKind, Study};
use numasim_study::csv::{Row, Rows, shown};
use numasim_study::{Problem, ProblemKind};

use super::super::{
    ADVISED, INTERPOLATION, Judged, NO_FIT, Part, Point, PublishedError, advised, in_words, study, with_model,
};
use super::{each_row, positive, write_share};

pub(super) const COLUMNS: [&str; 7] =
    ["machine", "kernel", "cores", "cores_per_l3", "threads_on_chiplets", "gbs", "given"];

/// Threads on each chiplet, and their total bandwidth.
#[derive(Clone, Debug, PartialEq)]
struct Load {
    name: String,
    threads: Vec<u32>,
    /// GB/s, of each repetition.
    gbs: Vec<f64>,
    is_given: bool,
}

impl Load {
    fn all(&self) -> u32 {
        self.threads.iter().sum()
    }

    fn measured(&self) -> f64 {
        median(&self.gbs).unwrap_or(f64::NAN)
    }
}

/// All loads of a node with a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
struct Set {
    cores: u32,
    cores_per_l3: u32,
    write_share: f64,
    loads: Vec<Load>,
}

/// Threads on each chiplet of a node, "6+2".
fn threads_of(row: &Row<'_>, column: usize, cores: u32, per_chiplet: u32) -> Result<Vec<u32>, Problem> {
    let text = row.text(Some(column));
    let threads: Option<Vec<u32>> = text.split('+').map(|one| one.trim().parse().ok()).collect();
    let fits = |threads: &Vec<u32>| {
        let chiplets = usize::try_from(cores / per_chiplet).unwrap_or(usize::MAX);
        threads.len() <= chiplets && threads.iter().all(|&one| one > 0 && one <= per_chiplet)
    };
    threads.filter(fits).ok_or_else(|| {
        let message =
            format!("'{}' are no threads on chiplets of {per_chiplet} of {cores} cores", shown(text));
        row.problem(column, ProblemKind::BadValue, message)
            .hint("write the threads of each chiplet, e.g. 6+2")
    })
}

fn read(text: &str) -> Result<BTreeMap<(String, String), Set>, PublishedError> {
    let header = Rows::new(text)?;
    let [experiment, writes] = ["experiment", "write_share"].map(|name| header.column(name));
    let mut sets: BTreeMap<(String, String), Set> = BTreeMap::new();
    each_row(text, COLUMNS, |row, [machine, kernel, cores, per_chiplet, threads, gbs, given]| {
        let key = (row.text(Some(machine)).to_owned(), row.text(Some(kernel)).to_owned());
        let set = sets.entry(key).or_default();
        set.cores = row.whole_number(cores, 1, "cores of the node, e.g. 12")?;
        set.cores_per_l3 = row.whole_number(per_chiplet, 1, "cores of a chiplet, e.g. 6")?;
        if !set.cores.is_multiple_of(set.cores_per_l3) {
            let message = format!("{} cores are no chiplets of {}", set.cores, set.cores_per_l3);
            return Err(row.problem(per_chiplet, ProblemKind::BadValue, message));
        }
        set.write_share = write_share(row, writes)?;
        let name = [row.text(experiment), row.text(Some(threads))].into_iter().find(|name| !name.is_empty());
        let load = Load {
            name: name.unwrap_or_default().to_owned(),
            threads: threads_of(row, threads, set.cores, set.cores_per_l3)?,
            gbs: vec![positive(row, gbs, "GB/s, e.g. 50")?],
            is_given: !row.text(Some(given)).is_empty(),
        };
        match set.loads.iter_mut().find(|known| known.name == load.name) {
            Some(known) => known.gbs.extend(load.gbs),
            None => set.loads.push(load),
        }
        Ok(())
    })?;
    Ok(sets)
}

/// The given values, GB/s.
struct Given {
    one: f64,
    chiplet: Option<f64>,
    node: f64,
}

impl Set {
    /// `None` if no row is given.
    fn given(&self) -> Option<Given> {
        let given = || self.loads.iter().filter(|load| load.is_given);
        let fewest = given().min_by_key(|load| load.all())?;
        let chiplet = given().filter(|load| load.threads.len() == 1 && load.all() > 1);
        Some(Given {
            one: fewest.measured() / f64::from(fewest.all()),
            chiplet: chiplet.max_by_key(|load| load.all()).map(Load::measured),
            node: given().max_by_key(|load| load.all())?.measured(),
        })
    }

    /// The node with a scenario for each load, an application of 1 FLOP per byte, so that GFLOPS are GB/s; flat without the value of a
    /// chiplet.
    fn study(&self, given: &Given, chiplet: Option<f64>) -> Result<Study, PublishedError> {
        let mut text = format!(
            "[machine]\nname = \"chiplets\"\nnodes = 1\ncores_per_node = {}\ngflops_per_core = 1e9\nbandwidth_gbs = {:?}\ncore_bandwidth_gbs = {:?}\n",
            self.cores, given.node, given.one
        );
        // Writing to a String cannot fail.
        if let Some(gbs) = chiplet {
            let _ = write!(text, "cores_per_l3 = {}\nl3_read_gbs = {gbs:?}\n", self.cores_per_l3);
        }
        let _ = writeln!(
            text,
            "[[app]]\nname = \"threads\"\narithmetic_intensity = 1.0\nwrite_share = {:?}",
            self.write_share
        );
        let chiplets = usize::try_from(self.cores / self.cores_per_l3).unwrap_or(1);
        for (place, load) in self.loads.iter().enumerate() {
            let threads = if chiplet.is_some() {
                let on = |at: usize| load.threads.get(at).copied().unwrap_or(0);
                format!("[{:?}]", (0..chiplets).map(on).collect::<Vec<_>>())
            } else {
                load.all().to_string()
            };
            let _ = write!(text, "[[scenario]]\nname = \"{place}\"\nthreads = {{ threads = {threads} }}\n");
        }
        study("chiplets", &text)
    }

    /// With a model, and for one with a soft corner with capacities at which the given loads draw their measured bandwidth; `None` if the model
    /// does not support the machine.
    fn with_model(&self, mut study: Study, kind: ModelKind) -> Result<Option<Study>, PublishedError> {
        study.machine = with_model(&study.machine, kind, &[])?;
        if study.machine.sharing_refusal().is_some() {
            return Ok(None);
        }
        if kind == ModelKind::Ecm {
            let has_chiplets = study.machine.has_limited_domains();
            let keys = ["bandwidth_gbs", "l3_read_gbs"].into_iter().take(if has_chiplets { 2 } else { 1 });
            let keys =
                keys.map(|key| fit::Parameter::read(&study.machine, key)).collect::<Result<Vec<_>, _>>();
            let keys = keys.map_err(|error| PublishedError::Model(error.to_string()))?;
            let all = self.loads.iter().filter(|load| load.is_given).map(Load::all).max().unwrap_or(0);
            let says = |load: &Load| load.is_given && (load.all() == all || (has_chiplets && load.all() > 1));
            let given = self.loads.iter().enumerate().filter(|(_, load)| says(load));
            let observed: Vec<Observed> = given
                .map(|(scenario, load)| Observed { scenario, app: None, gflops: load.measured() })
                .collect();
            let machine = fit::lowest(&study, &observed, &keys, &by_solver(&study))?;
            study.machine = machine;
        }
        Ok(Some(study))
    }
}

/// The nodes of a file, each by the null models, and by the default and `ecm`, flat and with L3 domains.
pub(super) fn judge(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut all = Vec::new();
    for ((machine, kernel), set) in read(text)? {
        let Some(given) = set.given() else { continue };
        let known = [("b1", Some(given.one)), ("chiplet", given.chiplet), ("B", Some(given.node))];
        let figures = in_words(known.into_iter().filter_map(|(name, gbs)| Some((name, gbs?))));
        let mut add = |model: &'static str, variant: &str, predicted: &[f64]| {
            let point = |(load, &predicted): (&Load, &f64)| {
                (load.is_given, Point { name: load.name.clone(), measured: load.measured(), predicted })
            };
            let points = set.loads.iter().zip(predicted).map(point);
            all.push(Judged {
                machine: Some(machine.clone()),
                traffic: kernel.clone(),
                figures: figures.clone(),
                ..Judged::new(Part::Chiplets, machine.clone(), (model, variant), points)
            });
        };
        let as_known = set.study(&given, given.chiplet)?;
        for null in NullModel::ALL {
            let total = |scenario| {
                let nulls = null_models::predict(&as_known, scenario);
                nulls
                    .map(|nulls| nulls.total(null).value())
                    .map_err(|_| PublishedError::Model("open".to_owned()))
            };
            let predicted: Result<Vec<f64>, _> = as_known.scenarios.iter().map(total).collect();
            add(null.name(), NO_FIT, &predicted?);
        }
        let known = set.loads.iter().filter(|load| load.is_given);
        let mut known: Vec<(f64, f64)> = known.map(|load| (f64::from(load.all()), load.measured())).collect();
        known.push((0.0, 0.0));
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let between: Vec<f64> =
            set.loads.iter().map(|load| interpolated(&known, f64::from(load.all()))).collect();
        add(INTERPOLATION, NO_FIT, &between);
        for kind in [ModelKind::default(), ModelKind::Ecm] {
            for chiplet in [None, given.chiplet].into_iter().take(if given.chiplet.is_some() { 2 } else { 1 })
            {
                let Some(study) = set.with_model(set.study(&given, chiplet)?, kind)? else { continue };
                let predict = by_solver(&study);
                let total = |scenario| Ok(predict(&study.machine, scenario)?.iter().sum::<f64>());
                let predicted: Result<Vec<f64>, String> = study.scenarios.iter().map(total).collect();
                // If the bandwidth of a chiplet is unknown, flat is the only variant.
                let variant = match (advised(kind).is_some(), chiplet.is_none() && given.chiplet.is_some()) {
                    (false, false) => NO_FIT,
                    (false, true) => "flat",
                    (true, false) => ADVISED,
                    (true, true) => "as advised, flat",
                };
                add(kind.as_str(), variant, &predicted.map_err(PublishedError::Model)?);
            }
        }
    }
    all.retain(|one| !one.points.is_empty());
    Ok(all)
}

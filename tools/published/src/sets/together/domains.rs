//! Loads of several equal domains, predicted from one of them.
//!
//! # Method
//! The loads of the first domain alone are a curve over cores, fitted as any other ([`scaling`]). Every domain is assumed to have
//! its values, and to be independent of the others. Threads that wait for each other are predicted as static work.

use std::fmt::Write as _;

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, ModelKind};

use super::super::scaling::{self, Curve, Method};
use super::super::{
    ADVISED, EQUAL_PARTS, INTERPOLATION, Judged, MEASURED_AGAIN, NO_FIT, NO_SHARING, Part, Point,
    PublishedError, advised, in_words, study, with_model,
};
use numasim_evidence::app_profile::scaling::node_overhead;
use numasim_evidence::fit::by_solver;
use numasim_evidence::formats::counted::Run;
use numasim_evidence::null_models::interpolated;

/// Names of the sets of loads on several domains.
const SEVERAL: &str = "several domains";

/// How threads depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Each does as much work as time allows.
    Free,
    /// All do the same and wait for the slowest.
    Synchronised,
}

/// Threads on some domains, and the measurement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Load {
    /// Threads on each domain.
    pub(super) threads: Vec<u32>,
    /// The domain whose threads have [`Self::value`] each; `None`: it is the total.
    pub(super) each_of: Option<usize>,
    /// In the unit of the series.
    pub(super) value: f64,
}

impl Load {
    /// A load of one domain after the other: each is filled before the next one gets any.
    pub(super) fn filling(domain: u32, threads: u32, value: f64) -> Self {
        let full = usize::try_from(threads / domain).unwrap_or_default();
        let mut list = vec![domain; full];
        if !threads.is_multiple_of(domain) {
            list.push(threads % domain);
        }
        Self { threads: list, each_of: None, value }
    }

    fn all(&self) -> u32 {
        self.threads.iter().sum()
    }

    fn used(&self) -> f64 {
        self.threads.iter().filter(|&&threads| threads > 0).count() as f64
    }

    /// The threads of the first domain, if no other one has any.
    fn first_alone(&self) -> Option<u32> {
        let (&first, others) = self.threads.split_first()?;
        others.iter().all(|&threads| threads == 0).then_some(first)
    }

    /// The number of measured threads that each represents.
    fn share(&self) -> f64 {
        self.each_of.map_or(1.0, |at| self.threads.get(at).map_or(f64::NAN, |&threads| f64::from(threads)))
    }

    fn name(&self) -> String {
        let list: Vec<String> = self.threads.iter().map(u32::to_string).collect();
        let on = self.each_of.map_or_else(String::new, |at| format!(", each on domain {at}"));
        format!("{}{on}", list.join("+"))
    }
}

/// Loads of one machine with one kind of traffic.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) part: Part,
    pub(super) machine: String,
    pub(super) set: String,
    pub(super) traffic: String,
    pub(super) write_allocate: &'static str,
    pub(super) unit: &'static str,
    /// Cores of a domain.
    pub(super) domain: u32,
    pub(super) work: Work,
    pub(super) loads: Vec<Load>,
}

/// Values of one domain, and their source.
struct Told<'t> {
    model: &'static str,
    variant: String,
    machine: &'t Machine,
    work: Work,
    /// `node_overhead` of the application.
    overhead: f64,
}

impl Series {
    /// The curve of the first domain.
    pub(super) fn curve(&self) -> Curve {
        let of_first =
            self.loads.iter().filter_map(|load| Some((load.first_alone()?, load.value * load.share())));
        Curve {
            machine: self.machine.clone(),
            threads_per_core: 1,
            kernel: self.traffic.clone(),
            domain: self.domain,
            points: of_first.collect(),
            unsteady: Vec::new(),
        }
    }

    /// Fits the first domain, and predicts every point that was not fitted. `None` if the curve has too few points.
    pub(super) fn fitted(&self) -> Result<Vec<Judged>, PublishedError> {
        let curve = self.curve();
        let Some(seen) = curve.seen() else { return Ok(Vec::new()) };
        let (one, full) = (curve.at(1), curve.points.values().next_back().copied().unwrap_or(f64::NAN));
        let mut judged = self.nulls(one, full, &seen.counts);
        for method in Method::ALL {
            let machine = scaling::calibrated(&curve, &seen, method)?;
            let told = |work, more: &str| Told {
                model: method.kind().as_str(),
                variant: format!("{}{more}", method.variant()),
                machine: &machine,
                work,
                overhead: 0.0,
            };
            judged.extend(self.judged(&told(self.work, ""), &seen.counts)?);
            if self.work == Work::Synchronised && method == Method::RECOMMENDED {
                judged.extend(self.judged(&told(Work::Free, ", free-running"), &seen.counts)?);
                let told = Told { variant: "node_overhead".to_owned(), ..told(self.work, "") };
                judged.extend(self.with_overhead(&curve, &seen.counts, told)?);
            }
        }
        Ok(judged)
    }

    /// The information of one more run, on all cores of all domains. Interpolation also uses it.
    fn with_overhead(
        &self,
        curve: &Curve,
        seen: &[u32],
        told: Told<'_>,
    ) -> Result<Vec<Judged>, PublishedError> {
        let domains = self.loads.iter().map(|load| load.threads.len()).max().unwrap_or_default();
        let all = self.loads.iter().find(|load| load.threads.len() == domains && self.is_full(load));
        let Some(all) = all.filter(|_| domains > 1) else { return Ok(Vec::new()) };
        let run = |nodes: usize, threads: u32, speed: f64| Run {
            nodes: u32::try_from(nodes).ok(),
            threads: Some(threads),
            seconds: Some(1.0 / speed),
            ..Run::default()
        };
        let runs = [run(1, self.domain, curve.at(self.domain)), run(domains, all.all(), all.value)];
        let Some(overhead) = node_overhead(&runs) else { return Ok(Vec::new()) };
        let given: Vec<u32> = seen.iter().copied().chain([all.all()]).collect();
        let known = seen.iter().map(|&count| (f64::from(count), curve.at(count)));
        let last = (f64::from(all.all()), all.value);
        let known: Vec<(f64, f64)> = [(0.0, 0.0)].into_iter().chain(known).chain([last]).collect();
        let between: Vec<f64> =
            self.loads.iter().map(|load| interpolated(&known, f64::from(load.all()))).collect();
        let mut judged = self.split(INTERPOLATION, NO_FIT, "", &between, &given);
        judged.extend(self.judged(&Told { overhead: overhead.value, ..told }, &given)?);
        // On one domain there is nothing new.
        judged.retain(|one| one.set.ends_with(SEVERAL));
        Ok(judged)
    }

    fn is_full(&self, load: &Load) -> bool {
        load.each_of.is_none() && load.threads.iter().all(|&threads| threads == self.domain)
    }

    /// Predicts everything but one thread from the values of one thread and a full domain.
    pub(super) fn given(&self, one: f64, full: f64) -> Result<Vec<Judged>, PublishedError> {
        let mut judged = self.nulls(one, full, &[1]);
        let plain = self.like_domains(1, one, full, 0.0, &[])?.machine;
        let with_ecm = with_model(&plain, ModelKind::Ecm, advised(ModelKind::Ecm).unwrap_or_default())?;
        for (model, variant, machine) in
            [(ModelKind::default().as_str(), NO_FIT, &plain), (ModelKind::Ecm.as_str(), ADVISED, &with_ecm)]
        {
            let told = Told { model, variant: variant.to_owned(), machine, work: self.work, overhead: 0.0 };
            judged.extend(self.judged(&told, &[1])?);
        }
        Ok(judged)
    }

    /// The first of two measurements of some loads, by threads, predicted by the second one. Points seen by a fit of the models do not count here
    /// either.
    pub(super) fn again(&self, pairs: impl Iterator<Item = (u32, [f64; 2])>, seen: &[u32]) -> Vec<Judged> {
        let (loads, second): (Vec<Load>, Vec<f64>) = pairs
            .map(|(threads, [first, second])| (Load::filling(self.domain, threads, first), second))
            .unzip();
        Self { loads, ..self.clone() }.split(MEASURED_AGAIN, NO_FIT, "", &second, seen)
    }

    /// Both null models, from the values of one thread and a full domain.
    fn nulls(&self, one: f64, full: f64, seen: &[u32]) -> Vec<Judged> {
        let no_sharing = |load: &Load| if load.each_of.is_some() { one } else { one * f64::from(load.all()) };
        let equal = |load: &Load| {
            let all = full * load.used();
            if load.each_of.is_some() { all / f64::from(load.all()) } else { all }
        };
        let figures = in_words([("b1", one), ("B", full)]);
        let of = |model, predicted: Vec<f64>| self.split(model, NO_FIT, &figures, &predicted, seen);
        let nulls = [
            of(NO_SHARING, self.loads.iter().map(no_sharing).collect()),
            of(EQUAL_PARTS, self.loads.iter().map(equal).collect()),
        ];
        nulls.concat()
    }

    fn judged(&self, told: &Told<'_>, seen: &[u32]) -> Result<Vec<Judged>, PublishedError> {
        let node = told.machine.nodes().first();
        let (one, full) = node.map_or((f64::NAN, f64::NAN), |node| {
            let one = node.core_bandwidth.map_or(f64::NAN, GigabytesPerSecond::value);
            (one, node.bandwidth.value())
        });
        let parameters =
            told.machine.sharing().in_use().map(|(parameter, value)| (parameter.as_str(), value));
        let overhead = (told.overhead > 0.0).then_some(("node_overhead", told.overhead));
        let figures = in_words([("b1", one), ("B", full)].into_iter().chain(parameters).chain(overhead));
        let predicted = self.predict(told, one, full)?;
        Ok(self.split(told.model, &told.variant, &figures, &predicted, seen))
    }

    /// The prediction of a model for every load.
    fn predict(&self, told: &Told<'_>, one: f64, full: f64) -> Result<Vec<f64>, PublishedError> {
        let most = self.loads.iter().map(|load| load.threads.len()).max().unwrap_or(1);
        let apart = told.work == Work::Free;
        let names: Vec<String> = (0..if apart { most } else { 1 }).map(|at| format!("on {at}")).collect();
        let mut study = self.like_domains(most, one, full, told.overhead, &names)?;
        study.machine = study.machine.clone().with_sharing(*told.machine.sharing());
        let predict = by_solver(&study);
        let of_scenario = |(load, scenario): (&Load, _)| {
            let apps = predict(&study.machine, scenario).map_err(PublishedError::Model)?;
            let total = apps.iter().sum::<f64>();
            Ok(match load.each_of {
                None => total,
                Some(at) if apart => apps.get(at).copied().unwrap_or(f64::NAN) / load.share(),
                Some(_) => total / f64::from(load.all()),
            })
        };
        self.loads.iter().zip(&study.scenarios).map(of_scenario).collect()
    }

    /// A machine of like domains, with a scenario for each load: applications of 1 FLOP per byte, so that GFLOPS are GB/s. Several
    /// applications have a domain each, and run freely.
    fn like_domains(
        &self,
        domains: usize,
        one: f64,
        full: f64,
        overhead: f64,
        apps: &[String],
    ) -> Result<numasim_model::Study, PublishedError> {
        let mut text = format!(
            "[machine]\nname = \"like domains\"\nnodes = {domains}\ncores_per_node = {}\ngflops_per_core = 1e9\n\
             bandwidth_gbs = {full:?}\nlink_gbs = {full:?}\ncore_bandwidth_gbs = {one:?}\n",
            self.domain
        );
        for name in apps {
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "[[app]]\nname = {name:?}\narithmetic_intensity = 1.0\nnode_overhead = {overhead:?}\n"
            );
        }
        for (place, load) in self.loads.iter().enumerate().filter(|_| !apps.is_empty()) {
            let on = |node: usize| load.threads.get(node).copied().unwrap_or_default();
            let row = |app: usize| {
                let threads =
                    (0..domains).map(|node| if apps.len() == 1 || node == app { on(node) } else { 0 });
                format!("{:?} = {:?}", apps[app], threads.collect::<Vec<_>>())
            };
            let rows: Vec<String> = (0..apps.len()).map(row).collect();
            let is_static = self.work == Work::Synchronised && apps.len() == 1;
            let _ = write!(
                text,
                "[[scenario]]\nname = \"{place}\"\nstatic = {is_static}\nthreads = {{ {} }}\n",
                rows.join(", ")
            );
        }
        study("like domains", &text)
    }

    /// The loads of the first domain, then those of several; points seen by a fit count in neither.
    fn split(
        &self,
        model: &'static str,
        variant: &str,
        figures: &str,
        predicted: &[f64],
        seen: &[u32],
    ) -> Vec<Judged> {
        let is_first = |load: &Load| load.first_alone().is_some();
        let is_seen = |load: &Load| seen.contains(&load.all()) && (is_first(load) || self.is_full(load));
        let of = |where_: &str, first: bool| {
            let loads = self.loads.iter().zip(predicted).filter(|(load, _)| is_first(load) == first);
            let points = loads.map(|(load, &predicted)| {
                (is_seen(load), Point { name: load.name(), measured: load.value, predicted })
            });
            Judged {
                machine: Some(self.machine.clone()),
                traffic: self.traffic.clone(),
                write_allocate: self.write_allocate,
                figures: figures.to_owned(),
                unit: self.unit,
                ..Judged::new(self.part, format!("{}, {where_}", self.set), (model, variant), points)
            }
        };
        let (first, more) = (of("one domain", true), of(SEVERAL, false));
        [first, more].into_iter().filter(|one| !one.points.is_empty()).collect()
    }
}

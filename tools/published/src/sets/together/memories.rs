//! Data on several memories, predicted from each of them.
//!
//! A machine whose node k has the measured bandwidth of its memory, and a link of the same width from every node with threads. One
//! thread draws at most its measured bandwidth, if that is known.

use std::fmt::Write as _;

use numasim_model::{Machine, ModelKind, Study};

use super::super::{
    ADVISED, EQUAL_PARTS, Judged, NO_FIT, NO_SHARING, ONE_MEMORY, Part, Point, PublishedError, advised,
    in_words, study, with_model,
};
use numasim_evidence::fit::by_solver;

/// Threads that use some memories.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) name: String,
    /// Threads on each node.
    pub(super) threads: Vec<u32>,
    /// The fraction of the data on each node.
    pub(super) parts: Vec<f64>,
    /// The best of these memories alone, GB/s.
    pub(super) one_memory: f64,
    /// Measured GB/s.
    pub(super) gbs: f64,
}

/// Some spreads on one machine with one kind of traffic.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Memories {
    pub(super) machine: String,
    pub(super) set: String,
    pub(super) traffic: String,
    pub(super) write_allocate: &'static str,
    /// Cores of each node.
    pub(super) cores: Vec<u32>,
    /// GB/s of each memory.
    pub(super) gbs: Vec<f64>,
    /// GB/s of one thread.
    pub(super) one: Option<f64>,
    /// The row that gives the total reads of the threads of a node, if a spread defines it.
    pub(super) reads: Option<usize>,
    pub(super) spreads: Vec<Spread>,
}

impl Memories {
    /// The null models, the default and `ecm`.
    pub(super) fn judge(&self) -> Result<Vec<Judged>, PublishedError> {
        let used = |spread: &Spread| {
            let of = self.gbs.iter().zip(&spread.parts).filter(|(_, part)| **part > 0.0);
            of.map(|(gbs, _)| gbs).sum::<f64>()
        };
        let all = |predict: &dyn Fn(&Spread) -> f64| self.spreads.iter().map(predict).collect::<Vec<f64>>();
        let names: Vec<String> = (0..self.gbs.len()).map(|node| format!("node {node}")).collect();
        let known = names.iter().map(String::as_str).zip(self.gbs.iter().copied());
        let figures = in_words(self.one.map(|one| ("b1", one)).into_iter().chain(known));
        let mut judged = Vec::new();
        if let Some(one) = self.one {
            let threads = |spread: &Spread| f64::from(spread.threads.iter().sum::<u32>());
            judged.push(self.judged(
                NO_SHARING,
                NO_FIT,
                &figures,
                &all(&|spread| one * threads(spread)),
                None,
            ));
        }
        judged.push(self.judged(EQUAL_PARTS, NO_FIT, &figures, &all(&used), None));
        judged.push(self.judged(ONE_MEMORY, NO_FIT, &figures, &all(&|spread| spread.one_memory), None));
        for kind in [ModelKind::default(), ModelKind::Ecm] {
            let study = self.study(None)?;
            let advised = advised(kind);
            let machine = with_model(&study.machine, kind, advised.unwrap_or_default())?;
            let predicted = predict(&study, &machine)?;
            let variant = if advised.is_some() { ADVISED } else { NO_FIT };
            judged.push(self.judged(kind.as_str(), variant, &figures, &predicted, None));
        }
        if let Some(place) = self.reads
            && let Some(fitted) = self.spreads.get(place)
        {
            let study = self.study(Some(fitted.gbs))?;
            let predicted = predict(&study, &study.machine)?;
            let words = format!("{figures}, {}", in_words([("read_gbs", fitted.gbs)]));
            judged.push(self.judged(
                ModelKind::default().as_str(),
                "read_gbs",
                &words,
                &predicted,
                Some(place),
            ));
        }
        Ok(judged)
    }

    /// A scenario for each spread, as an application of 1 FLOP per byte, so that GFLOPS are GB/s.
    fn study(&self, reads: Option<f64>) -> Result<Study, PublishedError> {
        let mut text = "[machine]\nname = \"memories\"\n".to_owned();
        // Writing to a String cannot fail.
        if let Some(one) = self.one {
            let _ = writeln!(text, "core_bandwidth_gbs = {one:?}");
        }
        let rows = vec![self.gbs.clone(); self.gbs.len()];
        let row = |(from, row): (usize, &Vec<f64>)| {
            // A node without cores has no outgoing links.
            let has_cores = self.cores.get(from).is_some_and(|&cores| cores > 0);
            let cell = |(to, gbs): (usize, &f64)| {
                if has_cores || from == to { format!("{gbs:?}") } else { "0.0".to_owned() }
            };
            format!("[{}]", row.iter().enumerate().map(cell).collect::<Vec<_>>().join(", "))
        };
        let rows: Vec<String> = rows.iter().enumerate().map(row).collect();
        let _ = writeln!(text, "bandwidth_matrix_gbs = [{}]", rows.join(", "));
        for cores in &self.cores {
            let _ = writeln!(text, "[[machine.node]]\ncores = {cores}\ngflops_per_core = 1e9");
            if let Some(reads) = reads.filter(|_| *cores > 0) {
                let _ = writeln!(text, "read_gbs = {reads:?}");
            }
        }
        for (place, spread) in self.spreads.iter().enumerate() {
            let _ = write!(
                text,
                "[[app]]\nname = \"{place}\"\narithmetic_intensity = 1.0\ndata = {{ fractions = {:?} }}\n\
                 [[scenario]]\nname = \"{place}\"\nthreads = {{ {place} = {:?} }}\n",
                spread.parts, spread.threads
            );
        }
        study("memories", &text)
    }

    fn judged(
        &self,
        model: &'static str,
        variant: &str,
        figures: &str,
        predicted: &[f64],
        fitted: Option<usize>,
    ) -> Judged {
        let points = self.spreads.iter().zip(predicted).enumerate().map(|(place, (spread, &predicted))| {
            (Some(place) == fitted, Point { name: spread.name.clone(), measured: spread.gbs, predicted })
        });
        Judged {
            machine: Some(self.machine.clone()),
            traffic: self.traffic.clone(),
            write_allocate: self.write_allocate,
            figures: figures.to_owned(),
            ..Judged::new(Part::Interleave, self.set.clone(), (model, variant), points)
        }
    }
}

/// GB/s of every scenario.
fn predict(study: &Study, machine: &Machine) -> Result<Vec<f64>, PublishedError> {
    let predict = by_solver(study);
    let total = |scenario| predict(machine, scenario).map(|apps| apps.iter().sum::<f64>());
    study.scenarios.iter().map(total).collect::<Result<_, _>>().map_err(PublishedError::Model)
}

//! Threads of any nodes on any memories, local and remote, alone or at the same time.
//!
//! # Given
//! For each machine and kernel: GB/s of one thread (of the fewest that ran) of a node on a memory, and the most that was drawn from a memory and
//! over a link. The rows that define these values are not predicted. A memory has the most that one group of local threads drew from it; without
//! such a row, the most that any others drew. If all of these came over one link, the row defines the link, and the memory is no additional
//! limit.
//!
//! The most is the bandwidth of a given number of threads: `ecm`, whose queues never deliver their full capacity, gets the capacities
//! at which these threads draw it.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use numasim_model::sharing::Parameter;
use numasim_model::{Machine, ModelKind, Study};

use super::super::scaling::{FALLS, Method, Unsteady};
use super::super::{
    ADVISED, EQUAL_PARTS, INTERPOLATION, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, advised,
    in_words, study, with_model,
};
use super::{each_row, positive, write_share};
use numasim_evidence::fit::by_solver;
use numasim_evidence::null_models::interpolated;
use numasim_evidence::statistics::median;
use numasim_study::csv::Rows;

pub(crate) const COLUMNS: [&str; 6] = ["machine", "kernel", "node", "memory", "threads", "gbs"];
/// A capacity is at most this multiple of the drawn bandwidth.
const MOST_UNSEEN: f64 = 1.5;
/// Rounds until capacities converge.
const ROUNDS: usize = 60;
/// The capacity of a memory that limits nothing, as a multiple of the drawn bandwidth.
const WIDE: f64 = 1e3;
/// Nodes beyond this one are typing errors.
const MOST_NODES: u32 = 64;

/// The node of some threads, and that of their data.
type Way = (usize, usize);

/// Threads of a node on a memory.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    way: Way,
    threads: u32,
    gbs: f64,
}

/// Groups that ran at once; one that ran alone has no name.
#[derive(Clone, Debug, Default, PartialEq)]
struct Load {
    name: String,
    groups: Vec<Group>,
}

/// All loads of a machine with a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
struct Set {
    cores: Option<u32>,
    write_share: f64,
    loads: Vec<Load>,
    unsteady: Vec<Unsteady>,
}

/// GB/s of each count of threads on each path, alone.
type Repetitions = BTreeMap<(Way, u32), Vec<f64>>;
/// A machine and a kernel.
type Key = (String, String);

fn read(text: &str) -> Result<BTreeMap<Key, Set>, PublishedError> {
    let header = Rows::new(text)?;
    let [experiment, cores, writes] =
        ["experiment", "cores_per_numa_domain", "write_share"].map(|name| header.column(name));
    let mut sets: BTreeMap<Key, Set> = BTreeMap::new();
    let mut alone: BTreeMap<Key, Repetitions> = BTreeMap::new();
    each_row(text, COLUMNS, |row, [machine, kernel, node, memory, threads, gbs]| {
        let key = (row.text(Some(machine)).to_owned(), row.text(Some(kernel)).to_owned());
        let place = |column: usize| {
            let found = row.whole_number(column, 0, "a node, e.g. 0")?;
            if found > MOST_NODES {
                let message = format!("a machine has at most {MOST_NODES} nodes here");
                return Err(row.problem(column, numasim_study::ProblemKind::BadValue, message));
            }
            Ok(usize::try_from(found).unwrap_or(usize::MAX))
        };
        let group = Group {
            way: (place(node)?, place(memory)?),
            threads: row.whole_number(threads, 1, "threads, e.g. 8")?,
            gbs: positive(row, gbs, "GB/s, e.g. 82.6")?,
        };
        let set = sets.entry(key.clone()).or_default();
        set.write_share = write_share(row, writes)?;
        if let Some(column) = cores {
            set.cores = Some(row.whole_number(column, 1, "cores of a node, e.g. 16")?);
        }
        match row.text(experiment) {
            "" => {
                let known = alone.entry(key).or_default();
                known.entry((group.way, group.threads)).or_default().push(group.gbs);
            }
            name => match set.loads.iter_mut().find(|load| load.name == name) {
                Some(load) => load.groups.push(group),
                None => set.loads.push(Load { name: name.to_owned(), groups: vec![group] }),
            },
        }
        Ok(())
    })?;
    for (key, counts) in alone {
        let set = sets.entry(key).or_default();
        for ((way, threads), all) in counts {
            set.unsteady.extend(Unsteady::of(threads, &all));
            let group = Group { way, threads, gbs: median(&all).unwrap_or(f64::NAN) };
            set.loads.push(Load { name: String::new(), groups: vec![group] });
        }
    }
    Ok(sets)
}

/// The given values of a set.
#[derive(Clone, Default)]
struct Given {
    /// GB/s of one thread.
    one: BTreeMap<Way, f64>,
    /// The most over each path, if something was measured on it; for a node to itself that of the memory.
    most: BTreeMap<Way, f64>,
    /// The indices of the loads that define them, and of each path that of the most.
    loads: Vec<usize>,
    fullest: BTreeMap<Way, usize>,
}

impl Set {
    fn groups(&self) -> impl Iterator<Item = (usize, &Load, &Group)> {
        self.loads
            .iter()
            .enumerate()
            .flat_map(|(place, load)| load.groups.iter().map(move |group| (place, load, group)))
    }

    fn given(&self) -> Given {
        let mut given = Given::default();
        let mut ways: Vec<Way> = self.groups().map(|(_, _, group)| group.way).collect();
        ways.sort_unstable();
        ways.dedup();
        for way in ways {
            let of_way = || self.groups().filter(move |(_, _, group)| group.way == way);
            let is_alone = |found: &(usize, &Load, &Group)| found.1.groups.len() == 1;
            // A group that ran alone is more informative than one that ran with others.
            if let Some((place, _, group)) = of_way().min_by_key(|found| (!is_alone(found), found.2.threads))
            {
                given.one.insert(way, group.gbs / f64::from(group.threads));
                given.loads.push(place);
            }
            // One thread alone does not fill a memory.
            let fills = |found: &(usize, &Load, &Group)| is_alone(found) && found.2.threads > 1;
            let most = of_way().max_by(|a, b| fills(a).cmp(&fills(b)).then(a.2.gbs.total_cmp(&b.2.gbs)));
            // Among counts that differ by noise the largest: a few threads that draw the most by a percent reveal much less of the
            // capacity.
            let as_much = |found: &(usize, &Load, &Group)| {
                most.is_some_and(|most| {
                    fills(found) == fills(&most) && found.2.gbs >= (1.0 - FALLS) * most.2.gbs
                })
            };
            let most = of_way().filter(as_much).max_by_key(|found| found.2.threads);
            if let Some((place, _, group)) = most {
                given.most.insert(way, group.gbs);
                given.loads.push(place);
                given.fullest.insert(way, place);
            }
        }
        given
    }

    /// GB/s of every group under a model, load after load.
    fn predict(&self, study: &Study, given: &Given, machine: &Machine) -> Result<Vec<f64>, PublishedError> {
        let solve = by_solver(study);
        let mut predicted = Vec::new();
        for scenario in &study.scenarios {
            let gflops = solve(machine, scenario).map_err(PublishedError::Model)?;
            predicted.extend(gflops.into_iter().filter(|gflops| *gflops > 0.0));
        }
        let one = |group: &Group| given.one.get(&group.way).copied().unwrap_or(f64::NAN);
        Ok(self.groups().zip(predicted).map(|((_, _, group), gflops)| gflops * one(group) / 1e9).collect())
    }

    /// The study with capacities at which the groups that drew the most draw exactly that, under a model.
    fn study_by(
        &self,
        given: &Given,
        kind: ModelKind,
        parameters: &[(Parameter, f64)],
    ) -> Result<Study, PublishedError> {
        let study_with = |given: &Given| {
            let mut study = self.study(given)?;
            study.machine = with_model(&study.machine, kind, parameters)?;
            Ok::<_, PublishedError>(study)
        };
        let mut fitting = given.clone();
        let mut study = study_with(given)?;
        for _ in 0..ROUNDS {
            let predicted = self.predict(&study, given, &study.machine)?;
            let mut change = 0.0_f64;
            for ((place, _, group), predicted) in self.groups().zip(predicted) {
                if given.fullest.get(&group.way) == Some(&place)
                    && let Some(most) = fitting.most.get_mut(&group.way)
                {
                    // Threads that do not fill it do not reveal its capacity.
                    let next = (*most * group.gbs / predicted).clamp(group.gbs, MOST_UNSEEN * group.gbs);
                    change = change.max((next / *most - 1.0).abs());
                    *most = next;
                }
            }
            if change < 1e-9 {
                break;
            }
            study = study_with(&fitting)?;
        }
        Ok(study)
    }

    /// All loads as scenarios, each group as a separate application.
    fn study(&self, given: &Given) -> Result<Study, PublishedError> {
        let ways = given.most.keys();
        let nodes = ways.map(|&(node, memory)| node.max(memory) + 1).max().unwrap_or(1);
        let threads = |node: usize| {
            let of_load = |load: &Load| {
                load.groups.iter().filter(|group| group.way.0 == node).map(|group| group.threads).sum::<u32>()
            };
            self.loads.iter().map(of_load).max().unwrap_or(0)
        };
        // A memory without local threads has the most that any others drew.
        let memory = |of: usize| {
            let others = || given.most.iter().filter(|((_, memory), _)| *memory == of).map(|(_, gbs)| *gbs);
            let only_by_link = || if others().count() == 1 { WIDE } else { 1.0 };
            let most = || only_by_link() * others().fold(0.0, f64::max).max(1e-3);
            given.most.get(&(of, of)).copied().unwrap_or_else(most)
        };
        let row = |node: usize| {
            let cell = |to: usize| match given.most.get(&(node, to)) {
                _ if node == to => memory(to),
                _ if threads(node) == 0 => 0.0,
                Some(&gbs) => gbs,
                None => memory(to),
            };
            format!("{:?}", (0..nodes).map(cell).collect::<Vec<f64>>())
        };
        let rows: Vec<String> = (0..nodes).map(row).collect();
        let mut text =
            format!("[machine]\nname = \"memories\"\nbandwidth_matrix_gbs = [{}]\n", rows.join(", "));
        for node in 0..nodes {
            let cores = if threads(node) == 0 { 0 } else { threads(node).max(self.cores.unwrap_or(0)) };
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "[[machine.node]]\ncores = {cores}\ngflops_per_core = {}",
                if cores > 0 { "1e9" } else { "0.0" }
            );
        }
        let mut app = 0;
        for (place, load) in self.loads.iter().enumerate() {
            let mut threads = Vec::new();
            for group in &load.groups {
                let (node, home) = group.way;
                let one = given.one.get(&group.way).copied().unwrap_or(1.0);
                let _ = write!(
                    text,
                    "[[app]]\nname = \"{app}\"\narithmetic_intensity = {:?}\nwrite_share = {:?}\ndata = {{ home = {home} }}\n",
                    1e9 / one,
                    self.write_share
                );
                let row: Vec<u32> = (0..nodes).map(|at| if at == node { group.threads } else { 0 }).collect();
                threads.push(format!("{app} = {row:?}"));
                app += 1;
            }
            let _ =
                write!(text, "[[scenario]]\nname = \"{place}\"\nthreads = {{ {} }}\n", threads.join(", "));
        }
        study("memories", &text)
    }
}

/// The sets of a file, each by the null models, the default, a softer corner of it, and `ecm` as advised.
pub(super) fn judge(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut all = Vec::new();
    for ((machine, kernel), set) in read(text)? {
        let given = set.given();
        let study = set.study(&given)?;
        let figures = given.one.iter().map(|(way, gbs)| (format!("b1 {} on {}", way.0, way.1), *gbs));
        let most = given.most.iter().map(|(way, gbs)| (format!("B {} on {}", way.0, way.1), *gbs));
        let figures: Vec<(String, f64)> = figures.chain(most).collect();
        let mut figures = in_words(figures.iter().map(|(name, gbs)| (name.as_str(), *gbs)));
        for unsteady in &set.unsteady {
            let _ = write!(figures, ", {unsteady}");
        }
        // Each predicts the GB/s of every group, load after load.
        let mut add = |model: &'static str, variant: &str, predicted: &[f64]| {
            let mut curves: BTreeMap<String, Vec<(bool, Point)>> = BTreeMap::new();
            for ((place, load, group), &predicted) in set.groups().zip(predicted) {
                let (node, memory) = group.way;
                let at_once = load.groups.len() > 1;
                let name = if at_once {
                    format!("{machine}, at once")
                } else {
                    format!("{machine}, node {node} on {memory}")
                };
                let what = if load.name.is_empty() {
                    format!("{} threads", group.threads)
                } else {
                    format!("{}, node {node} on {memory}", load.name)
                };
                let point = Point { name: what, measured: group.gbs, predicted };
                curves.entry(name).or_default().push((given.loads.contains(&place), point));
            }
            let judged = curves.into_iter().map(|(set, points)| Judged {
                machine: Some(machine.clone()),
                traffic: kernel.clone(),
                figures: figures.clone(),
                ..Judged::new(Part::Memories, set, (model, variant), points)
            });
            all.extend(judged.filter(|one| !one.points.is_empty()));
        };
        let by = |predict: &dyn Fn(&Load, &Group) -> f64| -> Vec<f64> {
            set.groups().map(|(_, load, group)| predict(load, group)).collect()
        };
        let one = |group: &Group| given.one.get(&group.way).copied().unwrap_or(f64::NAN);
        let most = |group: &Group| given.most.get(&group.way).copied().unwrap_or(f64::NAN);
        add(NO_SHARING, NO_FIT, &by(&|_, group| f64::from(group.threads) * one(group)));
        let equal = |load: &Load, group: &Group| {
            let on_memory =
                load.groups.iter().filter(|other| other.way.1 == group.way.1).map(|other| other.threads);
            let part = f64::from(group.threads) / f64::from(on_memory.sum::<u32>());
            let memory = given.most.get(&(group.way.1, group.way.1)).copied().unwrap_or_else(|| most(group));
            (memory * part).min(most(group))
        };
        add(EQUAL_PARTS, NO_FIT, &by(&equal));
        let between = |_: &Load, group: &Group| {
            let known =
                given.loads.iter().filter_map(|&place| set.loads.get(place)).flat_map(|load| &load.groups);
            let mut known: Vec<(f64, f64)> = known
                .filter(|other| other.way == group.way)
                .map(|other| (f64::from(other.threads), other.gbs))
                .chain([(0.0, 0.0)])
                .collect();
            known.sort_by(|a, b| a.0.total_cmp(&b.0));
            known.dedup_by(|a, b| a.0 <= b.0);
            interpolated(&known, f64::from(group.threads))
        };
        add(INTERPOLATION, NO_FIT, &by(&between));
        let knee = Method::Knee.softness();
        let knee = (ModelKind::default(), knee.as_slice(), "saturation_knee 0.2");
        let soft = (ModelKind::Ecm, advised(ModelKind::Ecm).unwrap_or_default(), ADVISED);
        for (kind, parameters, variant) in [(ModelKind::default(), &[][..], NO_FIT), knee, soft] {
            let study =
                if kind == ModelKind::Ecm { set.study_by(&given, kind, parameters)? } else { study.clone() };
            let machine = with_model(&study.machine, kind, parameters)?;
            add(kind.as_str(), variant, &set.predict(&study, &given, &machine)?);
        }
    }
    all.sort_by(|a: &Judged, b| a.set.cmp(&b.set));
    Ok(all)
}

//! Values of a machine and its applications: keys, units, ranges and current values, and copies that can be
//! changed.

use std::ops::Range;

use numasim_model::app::App;
use numasim_model::bounds::{self, LARGEST, Misfit, SMALLEST};
use numasim_model::ids::NodeId;
use numasim_model::machine::{Machine, MachineError, Node, SharedLink};
use numasim_model::sharing::Parameter;
use numasim_model::sharing_model::Model;
use numasim_model::table::Table;
use numasim_model::units::GigabytesPerSecond;

use crate::keys::{Key, Shape, machine, shared_link};

/// A number of the input files, or several that are changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A value of one node, with its number if the key contains one. `None`: of every node with cores or, for
    /// memory bandwidths, of every node with memory.
    Node(&'static Key, Option<NodeId>),
    /// Bandwidth of one link (node of the cores, node of the memory), GB/s; `None`: of every link.
    Link(Option<(NodeId, NodeId)>),
    /// Bandwidth of a shared link in each direction, GB/s, by its index in
    /// [`numasim_model::Machine::shared_links`].
    SharedLink(usize),
    /// A parameter of the sharing model.
    Sharing(Parameter),
    /// A value of these application instances.
    App(&'static Key, Range<usize>),
}

impl Figure {
    /// The last part of its key, which names the value: `bandwidth_gbs`.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Node(key, _) | Self::App(key, _) => key.name,
            Self::Link(_) => machine::LINK_GBS.name,
            Self::SharedLink(_) => machine::SHARED_LINK.name,
            Self::Sharing(parameter) => parameter.as_str(),
        }
    }

    /// The unit of its values; empty for a plain number.
    pub const fn unit(&self) -> &'static str {
        let key = match self {
            Self::Node(key, _) | Self::App(key, _) => *key,
            Self::Link(_) => &machine::LINK_GBS,
            Self::SharedLink(_) => &shared_link::GBS,
            Self::Sharing(parameter) => return parameter.unit(),
        };
        match key.changed_in {
            Some(unit) => unit,
            None => "",
        }
    }

    /// Its valid range.
    pub const fn range(&self) -> ValueRange {
        match self {
            // For all nodes the key is `cores_per_node`, for those with cores.
            Self::Node(Key { node: Some(_), shape: Shape::Whole(..), .. }, None) => {
                ValueRange::of(&machine::CORES_PER_NODE)
            }
            Self::Sharing(parameter) => ValueRange::Parameter(*parameter),
            Self::Node(key, _) | Self::App(key, _) => ValueRange::of(key),
            Self::Link(_) => ValueRange::of(&machine::LINK_GBS),
            Self::SharedLink(_) => ValueRange::of(&shared_link::GBS),
        }
    }

    /// Whether it refers to a single value of the whole machine; a value of a node or a link takes
    /// precedence.
    pub const fn is_of_whole_machine(&self) -> bool {
        matches!(self, Self::Node(_, None) | Self::Link(None) | Self::Sharing(_))
    }
}

/// The range of a value, the same in files and everywhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRange {
    /// Above 0 ([`bounds::misfit`]).
    Positive,
    /// 0 or above ([`bounds::misfit`]).
    NotNegative,
    /// From 0 to 1.
    Fraction,
    /// A whole number.
    Whole {
        /// The smallest valid value.
        least: u64,
        /// The largest valid value.
        most: u64,
    },
    /// The range of the parameter ([`Parameter::range`]).
    Parameter(Parameter),
}

impl ValueRange {
    /// The range declared by a key.
    pub const fn of(key: &Key) -> Self {
        match (key.shape.counts(), key.shape.numbers()) {
            (Some((least, most)), _) => Self::Whole { least, most },
            (None, Some((0.0, 1.0))) => Self::Fraction,
            (None, Some((0.0, _))) => Self::NotNegative,
            _ => Self::Positive,
        }
    }

    /// A whole number of at least `least`, limited by `u32`.
    pub const fn whole(least: u32, most: u32) -> Self {
        Self::Whole { least: least as u64, most: most as u64 }
    }

    /// Whether `value` is in the range.
    pub fn contains(self, value: f64) -> bool {
        self.misfit(value).is_none()
    }

    /// The reason that `value` is outside the range, if it is.
    pub fn misfit(self, value: f64) -> Option<Misfit> {
        match self {
            Self::Positive => bounds::misfit(value, false),
            Self::NotNegative => bounds::misfit(value, true),
            Self::Fraction => bounds::outside(value, 0.0, 1.0),
            Self::Whole { least, most } => {
                let label = if value.fract() != 0.0 {
                    "not whole"
                } else if value < least as f64 {
                    "too small"
                } else if value > most as f64 {
                    "too large"
                } else {
                    return None;
                };
                Some(Misfit { must: format!("a whole number from {least} to {most}"), label })
            }
            Self::Parameter(parameter) => {
                let (low, high) = parameter.range();
                bounds::outside(value, low, high)
                    .map(|misfit| Misfit { must: parameter.range_in_words(), ..misfit })
            }
        }
    }

    /// The number in the range that is closest to `value`.
    pub fn nearest(self, value: f64) -> f64 {
        let (low, high) = match self {
            Self::Positive => (SMALLEST, LARGEST),
            Self::NotNegative => (0.0, LARGEST),
            Self::Fraction => (0.0, 1.0),
            Self::Whole { least, most } => return value.round().clamp(least as f64, most as f64),
            Self::Parameter(parameter) => parameter.range(),
        };
        let value = value.clamp(low, high);
        // Numbers close to 0 become 0.
        if value < SMALLEST { low } else { value }
    }
}

/// Whether a node has cores and memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Has {
    cores: bool,
    memory: bool,
}

impl Has {
    pub(super) fn of(node: &Node) -> Self {
        Self { cores: node.cores > 0, memory: node.has_memory() }
    }

    /// Whether a key for the node `only`, or for all nodes, applies to node `n`.
    pub(super) fn covers(self, key: &Key, only: Option<NodeId>, n: usize) -> bool {
        let is_there = if key.of_memory { self.memory } else { self.cores };
        only.map_or(is_there, |only| only == NodeId(n))
    }
}

impl Figure {
    /// The values in `machine` and `apps`, one for each node, link or application that the key refers to and
    /// that has one.
    pub fn values(&self, machine: &Machine, apps: &[App]) -> Vec<f64> {
        let link = |(from, to)| machine.link(from, to).map(GigabytesPerSecond::value);
        match self {
            Self::Node(figure, only) => {
                let nodes = machine.nodes().iter().enumerate();
                let covered = nodes.filter(|(n, node)| Has::of(node).covers(figure, *only, *n));
                covered.filter_map(|(_, node)| (figure.node?.get)(node)).collect()
            }
            Self::Link(Some(pair)) => link(*pair).into_iter().collect(),
            Self::Link(None) => {
                let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
                pairs.filter_map(link).collect()
            }
            Self::SharedLink(number) => {
                machine.shared_links().get(*number).map(|link| link.bandwidth.value()).into_iter().collect()
            }
            Self::Sharing(parameter) => machine.sharing().parameters.get(*parameter).into_iter().collect(),
            Self::App(figure, range) => {
                let apps = apps.get(range.clone()).into_iter().flatten();
                apps.filter_map(|app| (figure.app?.get)(app)).collect()
            }
        }
    }
}

/// A copy of the values, some of which may be replaced.
#[derive(Clone, Debug)]
pub struct Figures {
    nodes: Vec<Node>,
    /// Per node, before any change. "Every node" refers to the nodes with cores, or memory, in the files,
    /// regardless of other changes, so the result does not depend on the order of changes.
    has: Vec<Has>,
    /// From each node to each; entries without a link are unused.
    links: Table<GigabytesPerSecond, NodeId>,
    shared_links: Vec<SharedLink>,
    sharing: Model,
    /// The applications.
    pub apps: Vec<App>,
}

impl Figures {
    /// The values of `machine` and `apps`.
    pub fn of(machine: &Machine, apps: &[App]) -> Self {
        let count = machine.node_count();
        Self {
            nodes: machine.nodes().to_vec(),
            has: machine.nodes().iter().map(Has::of).collect(),
            links: Table::from_fn(count, count, |from, to| machine.link(from, to).unwrap_or_default()),
            shared_links: machine.shared_links().to_vec(),
            sharing: *machine.sharing(),
            apps: apps.to_vec(),
        }
    }

    /// Sets everything that `figure` refers to. Values outside [`Figure::range`] are an error of the caller:
    /// [`Figures::machine`] rejects them or, for the sharing model, nothing changes.
    pub fn set(&mut self, figure: &Figure, value: f64) {
        self.update(figure, &|_| Some(value));
    }

    /// Replaces each value that `figure` refers to by the result of `new`; missing values stay missing.
    pub fn change(&mut self, figure: &Figure, new: impl Fn(f64) -> f64) {
        self.update(figure, &|old| old.map(&new));
    }

    fn update(&mut self, figure: &Figure, new: &dyn Fn(Option<f64>) -> Option<f64>) {
        match figure {
            Figure::Node(figure, only) => {
                for (n, (node, &has)) in self.nodes.iter_mut().zip(&self.has).enumerate() {
                    if let Some(field) = figure.node.filter(|_| has.covers(figure, *only, n))
                        && let Some(value) = new((field.get)(node))
                    {
                        (field.put)(node, value);
                    }
                }
            }
            Figure::Link(only) => {
                let links = match *only {
                    Some((from, to)) => {
                        let cell = self.links.cell(from, to);
                        cell..cell + 1
                    }
                    None => 0..self.links.as_slice().len(),
                };
                for link in self.links.as_mut_slice().get_mut(links).into_iter().flatten() {
                    if let Some(value) = new(Some(link.value())) {
                        *link = GigabytesPerSecond::new(value);
                    }
                }
            }
            Figure::SharedLink(number) => {
                if let Some(link) = self.shared_links.get_mut(*number)
                    && let Some(value) = new(Some(link.bandwidth.value()))
                {
                    link.bandwidth = GigabytesPerSecond::new(value);
                }
            }
            Figure::Sharing(parameter) => {
                if let Some(value) = new(self.sharing.parameters.get(*parameter)) {
                    // Values out of range are rejected when they are read.
                    let _ = self.sharing.parameters.set(*parameter, value);
                }
            }
            Figure::App(figure, range) => {
                for app in self.apps.get_mut(range.clone()).into_iter().flatten() {
                    if let Some(field) = figure.app
                        && let Some(value) = new((field.get)(app))
                    {
                        (field.put)(app, value);
                    }
                }
            }
        }
    }

    /// `base` with these values. Provenance and the numbers of the operating system are dropped.
    ///
    /// # Errors
    /// The reason that the machine is invalid.
    pub fn machine(&self, base: &Machine) -> Result<Machine, MachineError> {
        self.completed(base.with_figures(self.nodes.clone(), self.links.as_slice().to_vec())?)
    }

    /// `base` with these values and all other fields unchanged: the caller must update provenance that is no
    /// longer true.
    ///
    /// # Errors
    /// The reason that the machine is invalid.
    pub fn retuned(&self, base: &Machine) -> Result<Machine, MachineError> {
        self.completed(base.retuned(self.nodes.clone(), self.links.as_slice().to_vec())?)
    }

    /// The machine with the fields that [`Machine::new`] does not take.
    fn completed(&self, machine: Machine) -> Result<Machine, MachineError> {
        let machine = machine.with_sharing(self.sharing);
        if self.shared_links.is_empty() {
            Ok(machine)
        } else {
            machine.with_shared_links(self.shared_links.clone())
        }
    }
}

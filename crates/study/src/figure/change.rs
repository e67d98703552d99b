//! The figures of a machine and its applications, to be changed in place.

use super::kind::Figure;
use super::kind::Has;
use numasim_model::app::App;
use numasim_model::ids::NodeId;
use numasim_model::machine::{Machine, MachineError, Node, SharedLink};
use numasim_model::sharing_model::Model;
use numasim_model::table::Table;
use numasim_model::units::GigabytesPerSecond;

/// A copy of the figures, of which some are replaced.
#[derive(Clone, Debug)]
pub struct Figures {
    nodes: Vec<Node>,
    /// Per node, before any change: "every node" are those that have cores, or memory, in the files, whatever else is changed, so
    /// that the result does not depend on the order of changes.
    has: Vec<Has>,
    /// From each node to each; where there is no link the figure is not looked at.
    links: Table<GigabytesPerSecond, NodeId>,
    shared_links: Vec<SharedLink>,
    sharing: Model,
    /// The applications.
    pub apps: Vec<App>,
}

impl Figures {
    /// The figures of `machine` and `apps`.
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

    /// Gives everything that `figure` stands for this value. Values outside of [`Figure::range`] are the caller's fault:
    /// [`Figures::machine`] refuses them, or, for the sharing model, nothing is changed.
    pub fn set(&mut self, figure: &Figure, value: f64) {
        self.update(figure, &|_| Some(value));
    }

    /// Replaces each value that `figure` stands for by what `new` makes of it; what has no value stays without.
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
                    // Out of range is refused where values are read.
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

    /// `base` with these figures. What says where the old ones came from, and the numbers of the operating system, are left
    /// out.
    ///
    /// # Errors
    /// Why there is no such machine.
    pub fn machine(&self, base: &Machine) -> Result<Machine, MachineError> {
        self.completed(base.with_figures(self.nodes.clone(), self.links.as_slice().to_vec())?)
    }

    /// `base` with these figures and all else as it is: the caller says what of its provenance is no longer true.
    ///
    /// # Errors
    /// Why there is no such machine.
    pub fn retuned(&self, base: &Machine) -> Result<Machine, MachineError> {
        self.completed(base.retuned(self.nodes.clone(), self.links.as_slice().to_vec())?)
    }

    /// The machine with what [`Machine::new`] does not take.
    fn completed(&self, machine: Machine) -> Result<Machine, MachineError> {
        let machine = machine.with_sharing(self.sharing);
        if self.shared_links.is_empty() {
            Ok(machine)
        } else {
            machine.with_shared_links(self.shared_links.clone())
        }
    }
}

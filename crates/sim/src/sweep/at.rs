//! The study at a point of the grid, and its scenarios evaluated there.

use numasim_model::sharing::{Demand, Model, Solver, Workspace};
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond};
use numasim_model::{App, AppId, Data, Machine, Node, NodeId, Placement, Scenario, Study};

use super::key::{AppFigure, NodeFigure, Target, ids};
use super::{Sweep, Value};

/// The figures of a study, to be changed in place.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    nodes: Vec<Node>,
    links: Vec<GigabytesPerSecond>,
    sharing: Model,
    pub(super) apps: Vec<App>,
    scenarios: Vec<Scenario>,
}

impl Figures {
    pub(super) fn of(study: &Study) -> Self {
        let machine = &study.machine;
        let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
        Self {
            nodes: machine.nodes().to_vec(),
            // Where there is no link the figure is not looked at.
            links: pairs.map(|(from, to)| machine.link(from, to).unwrap_or_default()).collect(),
            sharing: *machine.sharing(),
            apps: study.apps.clone(),
            scenarios: study.scenarios.clone(),
        }
    }

    /// Replaces what `target` stands for. Values have been checked by [`super::Axis::read`].
    pub(super) fn set(&mut self, sweep: &Sweep, target: &Target, value: Value<'_>) {
        match (target, value) {
            (Target::Node(figure, only), Value::Number(number)) => {
                self.set_node(sweep, *figure, *only, number);
            }
            (Target::Link(None), Value::Number(number)) => self.links.fill(GigabytesPerSecond::new(number)),
            (Target::Link(Some((from, to))), Value::Number(number)) => {
                let at = from * self.nodes.len() + to;
                self.links[at] = GigabytesPerSecond::new(number);
            }
            (Target::Sharing(parameter), Value::Number(number)) => {
                // Out of range is refused when the axis is read.
                let _ = self.sharing.parameters.set(*parameter, number);
            }
            (Target::App(figure, apps), Value::Number(number)) => {
                for app in &mut self.apps[apps.clone()] {
                    match figure {
                        AppFigure::ArithmeticIntensity => app.arithmetic_intensity = FlopPerByte::new(number),
                        AppFigure::MinThreads => app.min_threads = whole(number),
                        AppFigure::MaxThreads => app.max_threads = Some(whole(number)),
                        AppFigure::Weight => app.weight = number,
                        AppFigure::Work => app.work = Some(Gflop::new(number)),
                    }
                }
            }
            (Target::AppData(apps), Value::Data(_, data)) => {
                for app in apps.clone() {
                    self.apps[app].data = data.clone();
                    for (s, scenario) in self.scenarios.iter_mut().enumerate() {
                        if sweep.follows(s, app) {
                            scenario.data[app] = data.clone();
                        }
                    }
                }
            }
            (Target::ScenarioData { scenario, apps }, Value::Data(_, data)) => {
                self.scenarios[*scenario].data[apps.clone()].fill(data.clone());
            }
            (Target::Threads { scenario, apps, node }, Value::Number(number)) => {
                let allocation = &mut self.scenarios[*scenario].allocation;
                for (n, there) in sweep.study.machine.nodes().iter().enumerate() {
                    if node.map_or(there.cores > 0, |only| only == n) {
                        ids(apps).for_each(|app| allocation.set(app, NodeId(n), whole(number)));
                    }
                }
            }
            // An axis has the values that its target takes.
            _ => {}
        }
    }

    /// "Every node" means those that have cores in the files, whatever other axes do: points must not depend on the way to them.
    fn set_node(&mut self, sweep: &Sweep, figure: NodeFigure, only: Option<usize>, number: f64) {
        let with_cores = figure != NodeFigure::Bandwidth;
        for (n, (node, there)) in self.nodes.iter_mut().zip(sweep.study.machine.nodes()).enumerate() {
            if !only.map_or(!with_cores || there.cores > 0, |only| only == n) {
                continue;
            }
            match figure {
                NodeFigure::Cores => node.cores = whole(number),
                NodeFigure::GflopsPerCore => node.gflops_per_core = Gflops::new(number),
                NodeFigure::Bandwidth => node.bandwidth = GigabytesPerSecond::new(number),
                NodeFigure::CoreBandwidth => node.core_bandwidth = Some(GigabytesPerSecond::new(number)),
            }
        }
    }

    /// The machine with these figures, or why there is none.
    pub(super) fn machine(&self, study: &Study) -> Result<Machine, String> {
        let machine = study.machine.with_figures(self.nodes.clone(), self.links.clone());
        machine.map(|machine| machine.with_sharing(self.sharing)).map_err(|error| error.to_string())
    }
}

/// A checked count as a number of threads or cores.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked by Axis::read")]
fn whole(number: f64) -> u32 {
    number as u32
}

/// A scenario made ready: the compiled model, shared by scenarios with the same data.
struct Compiled {
    scenario: usize,
    solver: Solver,
    workspace: Workspace,
}

/// Evaluates scenarios point by point; neighbours share what they have in common.
pub struct Evaluator<'a> {
    sweep: &'a Sweep,
    /// The scenarios that are evaluated, by number.
    scenarios: &'a [usize],
    figures: Figures,
    machine: Result<Machine, String>,
    /// The number of the value of each axis; empty before the first point.
    indices: Vec<u64>,
    compiled: Vec<Compiled>,
    /// For each of `scenarios`: which of `compiled` is its.
    uses: Vec<usize>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for these scenarios of the study.
    pub fn new(sweep: &'a Sweep, scenarios: &'a [usize]) -> Self {
        let figures = Figures::of(&sweep.study);
        let machine = figures.machine(&sweep.study);
        Self {
            sweep,
            scenarios,
            figures,
            machine,
            indices: Vec::new(),
            compiled: Vec::new(),
            uses: Vec::new(),
        }
    }

    /// Goes to a point. Cheapest from one point to the next.
    pub fn go_to(&mut self, point: u64) {
        let first = self.indices.is_empty();
        let changed = self.advance(point);
        let axes = &self.sweep.axes;
        for (axis, &index) in axes.iter().zip(&self.indices).skip(changed) {
            self.figures.set(self.sweep, &axis.target, axis.value(index));
        }
        if first || axes.iter().skip(changed).any(|axis| !axis.target.is_threads()) {
            self.compile();
        }
    }

    /// The number of each value at this point.
    pub fn indices(&self) -> &[u64] {
        &self.indices
    }

    /// Sets the indices; the first axis that changed. Those behind it count as changed too, so that they still win.
    fn advance(&mut self, point: u64) -> usize {
        if self.indices.is_empty() {
            self.indices = self.sweep.indices(point);
            return 0;
        }
        let (mut rest, mut changed) = (point, self.indices.len());
        for (a, axis) in self.sweep.axes.iter().enumerate().rev() {
            let index = rest % axis.len();
            rest /= axis.len();
            if self.indices[a] != index {
                self.indices[a] = index;
                changed = a;
            }
        }
        changed
    }

    fn compile(&mut self) {
        self.machine = self.figures.machine(&self.sweep.study);
        self.compiled.clear();
        self.uses.clear();
        let Ok(machine) = &self.machine else { return };
        for &s in self.scenarios {
            let data = &self.figures.scenarios[s].data;
            let same = |done: &Compiled| self.figures.scenarios[done.scenario].data == *data;
            if let Some(earlier) = self.compiled.iter().position(same) {
                self.uses.push(earlier);
                continue;
            }
            let demands: Vec<Demand> = self
                .figures
                .apps
                .iter()
                .zip(data)
                .map(|(app, data)| Demand {
                    arithmetic_intensity: app.arithmetic_intensity,
                    // An open home is refused below, unless nobody reads it.
                    placement: data.placement().cloned().unwrap_or(Placement::Local),
                })
                .collect();
            let solver = Solver::new(machine, &demands);
            let workspace = solver.workspace();
            self.uses.push(self.compiled.len());
            self.compiled.push(Compiled { scenario: s, solver, workspace });
        }
    }

    /// GFLOPS of each application in the i-th of the scenarios at the current point.
    ///
    /// # Errors
    /// Why it cannot be, in words: more threads than cores, an open home, a machine without cores.
    pub fn gflops(&mut self, i: usize) -> Result<&[f64], String> {
        let machine = self.machine.as_ref().map_err(Clone::clone)?;
        let (Some(&used), Some(&s)) = (self.uses.get(i), self.scenarios.get(i)) else {
            return Err("there is no such scenario".to_owned());
        };
        let scenario = &self.figures.scenarios[s];
        scenario.allocation.fits(machine).map_err(|error| error.to_string())?;
        for (a, data) in scenario.data.iter().enumerate() {
            if *data == Data::OpenHome && scenario.allocation.total(AppId(a)) > 0 {
                return Err(format!("the home of the data of {} is open", self.figures.apps[a].name));
            }
        }
        let compiled = &mut self.compiled[used];
        compiled.solver.solve(scenario.allocation.as_slice(), &mut compiled.workspace);
        Ok(compiled.workspace.gflops())
    }

    /// The nodes that [`Solver::starved`] tells of in the i-th of the scenarios, after its [`Evaluator::gflops`].
    pub fn starved(&self, i: usize) -> impl Iterator<Item = NodeId> + '_ {
        let compiled = self.uses.get(i).and_then(|&used| self.compiled.get(used));
        let nodes = (0..self.figures.nodes.len()).map(NodeId);
        nodes.filter(move |&node| {
            compiled.is_some_and(|there| there.solver.starved(node, &there.workspace).is_some())
        })
    }
}

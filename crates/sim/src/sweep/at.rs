//! The study at a point of the grid, and its scenarios evaluated there.

use numasim_model::demand::{demands, with_smt};
use numasim_model::memory;
use numasim_model::sharing::{Solver, Workspace};
use numasim_model::{
    App, Data, Machine, NodeId, Placement, Scenario, Study, evaluate_with,
    evaluation::{EvaluateError, Options},
};
use numasim_study::figure::{Figures, Swept};

use super::key::{Target, ids};
use super::{Sweep, Value};

/// A study that is changed in place.
#[derive(Clone, Debug)]
pub(super) struct Changing {
    pub(super) figures: Figures,
    scenarios: Vec<Scenario>,
}

impl Changing {
    pub(super) fn new(study: &Study) -> Self {
        Self { figures: Figures::of(&study.machine, &study.apps), scenarios: study.scenarios.clone() }
    }

    /// Replaces the value of `target`. Values have been checked by [`super::Axis::read`].
    pub(super) fn set<S: Swept>(&mut self, sweep: &Sweep<S>, target: &Target<S>, value: Value<'_>) {
        match (target, value) {
            (Target::Figure(figure), Value::Number(number)) => self.figures.set(figure, number),
            (Target::AppData(apps), Value::Data(_, data)) => {
                for app in apps.clone() {
                    self.figures.apps[app].data = data.clone();
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
                let Scenario { allocation, smt, .. } = &mut self.scenarios[*scenario];
                let machine = &sweep.study.at_rest().machine;
                let every = machine.compute_nodes().filter(|_| node.is_none());
                for node in every.chain(*node) {
                    ids(apps).for_each(|app| allocation.set(app, node, smt[app.0].cores(whole(number))));
                }
            }
            // An axis has values of the kind that its target accepts.
            _ => {}
        }
    }

    pub(super) fn into_apps_and_scenarios(self) -> (Vec<App>, Vec<Scenario>) {
        (self.figures.apps, self.scenarios)
    }

    /// The machine with these values, or the reason why it is invalid.
    pub(super) fn machine(&self, study: &Study) -> Result<Machine, String> {
        self.figures.machine(&study.machine).map_err(|error| error.to_string())
    }
}

/// A checked count as a number of threads.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked by Axis::read")]
fn whole(number: f64) -> u32 {
    number as u32
}

/// An impossible result: a fault of this program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Contradiction {
    /// The full evaluation breaks a rule of its model, or is impossible.
    #[error(transparent)]
    Evaluation(#[from] EvaluateError),
    /// The full evaluation gives another result.
    #[error("the sweep has {swept} GFLOPS of {app}, a full evaluation {evaluated}")]
    Differs {
        /// Name of the application.
        app: String,
        /// GFLOPS of the sweep.
        swept: f64,
        /// GFLOPS of [`numasim_model::evaluate`].
        evaluated: f64,
    },
}

/// A sweep and an evaluation solve the same system: only the order of rounding may differ.
const TOLERANCE: f64 = 1e-9;

/// A prepared scenario: the compiled model, shared by scenarios with the same data.
struct Compiled {
    scenario: usize,
    solver: Solver,
    workspace: Workspace,
}

/// Evaluates scenarios point by point; neighbours share their common parts.
pub struct Evaluator<'a, S: Swept> {
    sweep: &'a Sweep<S>,
    /// The scenarios that are evaluated, by number.
    scenarios: &'a [usize],
    now: Changing,
    machine: Result<Machine, String>,
    /// The index of the value on each axis; empty before the first point.
    indices: Vec<u64>,
    compiled: Vec<Compiled>,
    /// For each of `scenarios`: its index in `compiled`.
    uses: Vec<usize>,
}

impl<'a, S: Swept> Evaluator<'a, S> {
    /// An evaluator for these scenarios of the study.
    pub fn new(sweep: &'a Sweep<S>, scenarios: &'a [usize]) -> Self {
        let now = Changing::new(sweep.study.at_rest());
        let machine = now.machine(sweep.study.at_rest());
        Self { sweep, scenarios, now, machine, indices: Vec::new(), compiled: Vec::new(), uses: Vec::new() }
    }

    /// Moves to a point. Cheapest from one point to the next.
    pub fn go_to(&mut self, point: u64) {
        let first = self.indices.is_empty();
        let changed = self.advance(point);
        let axes = &self.sweep.axes;
        for (axis, &index) in axes.iter().zip(&self.indices).skip(changed) {
            self.now.set(self.sweep, &axis.target, axis.value(index));
        }
        if first || axes.iter().skip(changed).any(|axis| !axis.target.is_threads()) {
            self.compile();
        }
    }

    /// The index of each value at this point.
    pub fn indices(&self) -> &[u64] {
        &self.indices
    }

    /// Sets the indices; returns the first axis that changed. Those behind it count as changed as well, so that they still override it.
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
        self.machine = self.now.machine(self.sweep.study.at_rest());
        self.compiled.clear();
        self.uses.clear();
        let Ok(machine) = &self.machine else { return };
        for &s in self.scenarios {
            let Scenario { data, smt, .. } = &self.now.scenarios[s];
            let same = |done: &Compiled| {
                let done = &self.now.scenarios[done.scenario];
                (&done.data, &done.smt) == (data, smt)
            };
            if let Some(earlier) = self.compiled.iter().position(same) {
                self.uses.push(earlier);
                continue;
            }
            // An open home is rejected below, unless no thread reads it.
            let placements: Vec<Placement> = data.iter().map(Data::placement_or_local).collect();
            let apps = with_smt(&self.now.figures.apps, smt);
            let solver = Solver::new(machine, &demands(&apps, &placements));
            let workspace = solver.workspace();
            self.uses.push(self.compiled.len());
            self.compiled.push(Compiled { scenario: s, solver, workspace });
        }
    }

    /// GFLOPS of each application in the i-th of the scenarios at the current point.
    ///
    /// # Errors
    /// The reason why the point is impossible, in words: more threads than cores, an open home, a machine without cores.
    pub fn gflops(&mut self, i: usize) -> Result<&[f64], String> {
        let machine = self.machine.as_ref().map_err(Clone::clone)?;
        let (Some(&used), Some(&s)) = (self.uses.get(i), self.scenarios.get(i)) else {
            return Err("there is no such scenario".to_owned());
        };
        let scenario = &self.now.scenarios[s];
        scenario.allocation.fits(machine).map_err(|error| error.to_string())?;
        if let Some(open) = scenario.undecided() {
            return Err(open.said_of(&self.now.figures.apps[open.app().0].name));
        }
        let apps = &self.now.figures.apps;
        if memory::is_limited(machine, apps) {
            let placements: Vec<Placement> = scenario.data.iter().map(Data::placement_or_local).collect();
            memory::fits(machine, apps, &placements, &scenario.allocation)
                .map_err(|full| full.to_string())?;
        }
        let compiled = &mut self.compiled[used];
        compiled.solver.solve_changes(scenario.allocation.rows(machine).as_slice(), &mut compiled.workspace);
        if scenario.static_work {
            compiled.solver.wait_for_slowest(&mut compiled.workspace);
        }
        Ok(compiled.workspace.gflops())
    }

    /// Checks the i-th of the scenarios at the current point by a full evaluation with the checks of [`numasim_model::evaluate`]. Call it
    /// after [`Evaluator::gflops`] returned a result. This is many times slower, so use it for samples.
    ///
    /// # Errors
    /// [`Contradiction`] if this program is wrong.
    pub fn check(&self, i: usize) -> Result<(), Contradiction> {
        let there = self.uses.get(i).and_then(|&used| self.compiled.get(used));
        let (Ok(machine), Some(there), Some(&s)) = (&self.machine, there, self.scenarios.get(i)) else {
            return Ok(());
        };
        let (scenario, apps) = (&self.now.scenarios[s], &self.now.figures.apps);
        let placements: Vec<Placement> = scenario.data.iter().map(Data::placement_or_local).collect();
        let options = Options { static_work: scenario.static_work, ..Options::default() };
        let with = with_smt(apps, &scenario.smt);
        let evaluation = evaluate_with(machine, &with, &placements, &scenario.allocation, options)?;
        for ((app, &swept), full) in apps.iter().zip(there.workspace.gflops()).zip(&evaluation.apps) {
            let evaluated = full.gflops.value();
            let equal = (swept - evaluated).abs() <= TOLERANCE * evaluated.abs();
            if !equal {
                return Err(Contradiction::Differs { app: app.name.clone(), swept, evaluated });
            }
        }
        Ok(())
    }

    /// The nodes that [`Solver::starved`] reports for the i-th of the scenarios, after its [`Evaluator::gflops`].
    pub fn starved(&self, i: usize) -> impl Iterator<Item = NodeId> + '_ {
        let compiled = self.uses.get(i).and_then(|&used| self.compiled.get(used));
        let nodes = self.sweep.study.at_rest().machine.node_ids();
        nodes.filter(move |&node| {
            compiled.is_some_and(|there| there.solver.starved(node, &there.workspace).is_some())
        })
    }
}

#[cfg(test)]
mod tests {
    use numasim_course::read_study;
    use numasim_model::{AppId, NodeId};
    use numasim_study::SourceFile;

    use super::super::{Axis, Task};
    use super::*;

    #[test]
    fn a_result_that_differs_from_a_full_evaluation_is_a_contradiction() {
        // At 2 FLOP/byte a thread computes its 10 GFLOPS. Two of them have 20, and the full evaluation confirms it.
        let text = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 40.0\n\
                    [[app]]\nname = \"a\"\narithmetic_intensity = 2.0\n\
                    [[scenario]]\nname = \"one\"\nthreads = { a = 1 }\n";
        let study = read_study(&[SourceFile { name: "a.toml".into(), text: text.into() }]).unwrap().study;
        let axis = Axis::read(&study, "scenario.one.threads.a=1,2", Task::Evaluate).unwrap();
        let sweep = Sweep::new(study, vec![axis]).unwrap();
        let mut evaluator = Evaluator::new(&sweep, &[0]);
        for point in [0, 1] {
            evaluator.go_to(point);
            evaluator.gflops(0).unwrap();
            assert_eq!(evaluator.check(0), Ok(()));
        }
        // A stale result of another point.
        let mut one = evaluator.now.scenarios[0].allocation.clone();
        one.set(AppId(0), NodeId(0), 1);
        let there = &mut evaluator.compiled[0];
        there.solver.solve(one.as_slice(), &mut there.workspace);
        let differs = Contradiction::Differs { app: "a".into(), swept: 10.0, evaluated: 20.0 };
        assert_eq!(evaluator.check(0), Err(differs));
    }
}

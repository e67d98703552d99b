//! Facts about an allocation that the reader should know in addition to its value: a proven answer may still not be the intended one.

use numasim_model::evaluation::Warning;
use numasim_model::machine::FigureKind;
use numasim_model::{Allocation, App, AppId, Evaluation, Machine, ModelKind, NodeId};

use crate::objective::Objective;
use crate::problem::Problem;

/// A property that value and proof do not show. Lists of applications and nodes are ascending and not empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// The objective has the same, worst value for every allocation: these applications get 0 even alone.
    NothingDecided {
        /// The objective.
        objective: Objective,
        /// The applications.
        apps: Vec<AppId>,
    },
    /// Applications have threads and no GFLOPS.
    GetsNothing {
        /// The applications.
        apps: Vec<AppId>,
    },
    /// Applications that may go without threads have none.
    NoThreads {
        /// The applications.
        apps: Vec<AppId>,
    },
    /// [`Warning::StarvedByRemote`].
    StarvedByRemote {
        /// The nodes whose threads are starved.
        nodes: Vec<NodeId>,
    },
    /// Nothing limits the bandwidth of one core of these nodes, and applications are limited by memory: few threads look better than they
    /// are.
    CoresUnlimited {
        /// The nodes with cores whose core bandwidth is not known.
        nodes: Vec<NodeId>,
    },
    /// Values of the machine that were assumed: keys of `[machine]`, ascending.
    Assumed {
        /// The keys.
        keys: Vec<String>,
    },
    /// Another model that can answer the question finds a clearly better allocation: the answer depends on the choice of the model.
    DependsOnModel {
        /// The model with the largest loss.
        model: ModelKind,
        /// The smallest possible loss there, as a fraction of the best found.
        loss: f64,
    },
    /// `total-gflops` leaves applications the fewest threads that they may have, although others could give up threads.
    FewestThreads {
        /// The applications.
        apps: Vec<AppId>,
        /// Whether `geomean` can distinguish allocations here.
        geomean_decides: bool,
    },
}

/// GFLOPS below this fraction of full speed are rounding errors.
const NOTHING: f64 = 1e-9;

/// Cautions for any allocation, however it was chosen. Applications without threads in it are not listed.
pub fn of_evaluation(evaluation: &Evaluation, allocation: &Allocation) -> Vec<Caution> {
    let apps = with_ids(&evaluation.apps).filter(|&(app, result)| {
        allocation.total(app) > 0 && result.gflops.value() <= NOTHING * result.full_speed.value()
    });
    let apps: Vec<AppId> = apps.map(|(app, _)| app).collect();
    let starved = evaluation.warnings.iter().map(|Warning::StarvedByRemote { node, .. }| *node);
    let nodes: Vec<NodeId> = starved.collect();
    let nothing = (!apps.is_empty()).then_some(Caution::GetsNothing { apps });
    let starved = (!nodes.is_empty()).then_some(Caution::StarvedByRemote { nodes });
    nothing.into_iter().chain(starved).collect()
}

/// Cautions for every answer about these applications on the machine.
pub fn of_machine(machine: &Machine, apps: &[App]) -> Vec<Caution> {
    // Threads that never want more than their share of a memory get it on any machine. Threads with an individual limit are bounded by that
    // limit.
    let is_hungry = |node: NodeId| {
        let node = machine.node(node);
        let part = node.bandwidth.value() / f64::from(node.cores);
        let mut open = apps.iter().filter(|app| app.limits().bandwidth.is_none());
        open.any(|app| app.limits().peak(node).value() > part * app.arithmetic_intensity.value())
    };
    let unlimited = |&node: &NodeId| machine.node(node).core_bandwidth.is_none() && is_hungry(node);
    let nodes: Vec<NodeId> = machine.compute_nodes().filter(unlimited).collect();
    let assumed = machine.provenance().iter().filter(|(_, origin)| origin.kind == FigureKind::Assumed);
    let keys: Vec<String> = assumed.map(|(key, _)| key.clone()).collect();
    let unlimited = (!nodes.is_empty()).then_some(Caution::CoresUnlimited { nodes });
    let assumed = (!keys.is_empty()).then_some(Caution::Assumed { keys });
    unlimited.into_iter().chain(assumed).collect()
}

/// A loss above this fraction under another model is reported.
const DOUBT: f64 = 0.05;

/// A caution if an answer loses much under another model ([`crate::search::over_models::losses`]).
pub fn of_models(losses: &[(ModelKind, f64)]) -> Option<Caution> {
    let worst = losses.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (worst.1 > DOUBT).then_some(Caution::DependsOnModel { model: worst.0, loss: worst.1 })
}

fn with_ids<T>(list: &[T]) -> impl Iterator<Item = (AppId, &T)> {
    list.iter().enumerate().map(|(a, one)| (AppId(a), one))
}

impl Problem {
    /// Cautions for `allocation` as an answer to this question; `evaluation` is its evaluation.
    pub fn cautions(&self, allocation: &Allocation, evaluation: &Evaluation) -> Vec<Caution> {
        let mut cautions = Vec::new();
        let hopeless: Vec<AppId> = self.hopeless().collect();
        let decides = hopeless.is_empty();
        for mut caution in of_evaluation(evaluation, allocation) {
            if let Caution::GetsNothing { apps } = &mut caution {
                // Already reported for every allocation.
                apps.retain(|app| !hopeless.contains(app));
                if apps.is_empty() {
                    continue;
                }
            }
            cautions.push(caution);
        }
        if !decides {
            cautions
                .insert(0, Caution::NothingDecided { objective: self.goal().objective(), apps: hopeless });
        }
        let without: Vec<AppId> =
            with_ids(self.apps()).map(|(app, _)| app).filter(|&app| allocation.total(app) == 0).collect();
        if !without.is_empty() {
            cautions.push(Caution::NoThreads { apps: without });
        }
        let fewest = self.left_at_fewest(allocation, evaluation);
        if !fewest.is_empty() {
            let geomean_decides = self.goal().alone().iter().all(|&alone| alone > 0.0);
            cautions.push(Caution::FewestThreads { apps: fewest, geomean_decides });
        }
        cautions.extend(of_machine(self.machine(), self.apps()));
        cautions
    }

    /// The applications that make the objective 0 for every allocation.
    fn hopeless(&self) -> impl Iterator<Item = AppId> + '_ {
        let goal = self.goal();
        let counts = move |app: &App| match goal.objective() {
            Objective::Fair => true,
            Objective::Geomean => app.weight > 0.0,
            Objective::TotalGflops | Objective::Makespan => false,
        };
        let all = with_ids(self.apps()).zip(goal.alone());
        all.filter(move |((_, app), alone)| **alone == 0.0 && counts(app)).map(|((app, _), _)| app)
    }

    /// The applications that `total-gflops` leaves at their fewest threads, although they would gain from more and others have spare
    /// threads on nodes where these may run.
    fn left_at_fewest(&self, allocation: &Allocation, evaluation: &Evaluation) -> Vec<AppId> {
        if self.goal().objective() != Objective::TotalGflops {
            return Vec::new();
        }
        let fewest: Vec<u64> = self.apps().iter().map(|app| self.fewest_threads(app)).collect();
        let nodes: Vec<NodeId> = self.machine().compute_nodes().collect();
        let given = |&node: &NodeId| {
            (0..self.apps().len()).any(|a| self.can_give(allocation, (AppId(a), node), fewest[a]))
        };
        let given: Vec<NodeId> = nodes.iter().copied().filter(given).collect();
        let left = |app: AppId| {
            let App { nodes, max_threads, .. } = &self.apps()[app.0];
            let total = allocation.total(app);
            let may_have_more = max_threads.is_none_or(|max| total < u64::from(max));
            let reached = evaluation.apps[app.0].gflops.value();
            let wants_more = reached < self.goal().alone()[app.0] * (1.0 - NOTHING);
            let runs_there = |node: &NodeId| nodes.as_ref().is_none_or(|nodes| nodes.contains(node));
            (1..=fewest[app.0]).contains(&total)
                && may_have_more
                && wants_more
                && given.iter().any(runs_there)
        };
        (0..self.apps().len()).map(AppId).filter(|&app| left(app)).collect()
    }

    /// The fewest threads that `app` may have on the whole machine.
    fn fewest_threads(&self, app: &App) -> u64 {
        let nodes = self.machine().compute_nodes().count().max(1) as u64;
        let (on_all, each) =
            (u64::from(app.min_threads), u64::from(self.restrictions().min_threads_per_node));
        if self.restrictions().same_on_every_node {
            return nodes * each.max(on_all.div_ceil(nodes));
        }
        on_all.max(nodes * each)
    }

    /// Whether an application could do with fewer threads on a node under its own constraints.
    fn can_give(&self, allocation: &Allocation, (app, node): (AppId, NodeId), fewest: u64) -> bool {
        let here = allocation.get(app, node);
        let restrictions = self.restrictions();
        let gives = match restrictions {
            // A node has one owner, which gives up the whole node or nothing.
            _ if restrictions.whole_nodes => u64::from(here),
            _ if restrictions.same_on_every_node => self.machine().compute_nodes().count() as u64,
            _ => 1,
        };
        here > restrictions.min_threads_per_node && allocation.total(app) >= fewest + gives
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restrictions::Restrictions;
    use crate::testing::{local_app, uniform_machine};
    use numasim_model::sharing::ModelKind;
    use numasim_model::{Machine, Placement, evaluate};

    /// Two nodes of four cores; x and y read memory, z computes.
    fn apps() -> Vec<App> {
        vec![local_app("x", 0.5), local_app("y", 0.5), local_app("z", 100.0)]
    }

    fn machine() -> Machine {
        uniform_machine(2, 4, 10.0, 32.0, 10.0)
    }

    fn cautions(
        apps: &[App],
        objective: Objective,
        restrictions: Restrictions,
        rows: &[Vec<u32>],
    ) -> Vec<Caution> {
        cautions_on(&machine(), apps, objective, restrictions, rows)
    }

    fn cautions_on(
        machine: &Machine,
        apps: &[App],
        objective: Objective,
        restrictions: Restrictions,
        rows: &[Vec<u32>],
    ) -> Vec<Caution> {
        let problem = Problem::new(machine, apps, objective, restrictions).expect("a question");
        let placements: Vec<Placement> =
            apps.iter().map(|app| app.data.placement().expect("no open home").clone()).collect();
        let allocation = Allocation::from_rows(rows).expect("equal rows");
        let evaluation = evaluate(machine, apps, &placements, &allocation).expect("an evaluation");
        let mut all = problem.cautions(&allocation, &evaluation);
        let known = of_machine(machine, apps);
        let own = all.len() - known.len();
        assert_eq!(all.split_off(own), known, "what holds for every answer comes last");
        all
    }

    #[test]
    fn assumed_values_are_reported_with_every_answer() {
        // 8 cores with 10 GFLOPS at 40 GB/s: an intensity below 10 / 5 = 2 wants more than its share of the memory.
        let of = |core: &str, intensity: f64| {
            let text = format!(
                "[machine]\nname = \"m\"\nbandwidth_matrix_gbs = [[40.0, 9.0], [9.0, 40.0]]\n[machine.provenance]\n\
                 cores = {{ kind = \"measured\" }}\nbandwidth_matrix_gbs = {{ kind = \"assumed\" }}\n\
                 [[machine.node]]\ncores = 8\ngflops_per_core = 10.0\ncore_bandwidth_gbs = 12.0\n\
                 [[machine.node]]\ncores = 8\ngflops_per_core = 10.0\n{core}\n\
                 [[app]]\nname = \"a\"\narithmetic_intensity = {intensity:?}\n"
            );
            let file = numasim_study::SourceFile { name: "m.toml".to_owned(), text };
            let study = numasim_study::read_study(&[file]).expect("a study").study;
            of_machine(&study.machine, &study.apps)
        };
        let assumed = Caution::Assumed { keys: vec!["bandwidth_matrix_gbs".to_owned()] };
        assert_eq!(of("", 1.5), [Caution::CoresUnlimited { nodes: vec![NodeId(1)] }, assumed.clone()]);
        assert_eq!(of("", 2.5), std::slice::from_ref(&assumed));
        assert_eq!(of("core_bandwidth_gbs = 12.0", 1.5), [assumed]);
    }

    fn fewest(apps: &[usize]) -> Vec<Caution> {
        let apps = apps.iter().copied().map(AppId).collect();
        vec![Caution::FewestThreads { apps, geomean_decides: true }]
    }

    #[test]
    fn total_gflops_names_applications_left_at_their_minimum() {
        let free = Restrictions::default();
        let rows = [vec![1, 0], vec![1, 1], vec![2, 3]];
        assert_eq!(cautions(&apps(), Objective::TotalGflops, free, &rows), fewest(&[0]));
        for other in [Objective::Geomean, Objective::Fair] {
            assert_eq!(cautions(&apps(), other, free, &rows), []);
        }
        // No application has more than one thread to give.
        let rows = [vec![1, 0], vec![1, 0], vec![0, 1]];
        assert_eq!(cautions(&apps(), Objective::TotalGflops, free, &rows), []);
    }

    #[test]
    fn applications_at_their_maximum_are_not_reported() {
        let mut apps = apps();
        apps[0].max_threads = Some(1);
        // z has spare threads only on node 1, where y may not run.
        apps[1].nodes = Some(vec![NodeId(0)]);
        let rows = [vec![1, 0], vec![1, 0], vec![0, 4]];
        assert_eq!(cautions(&apps, Objective::TotalGflops, Restrictions::default(), &rows), []);
    }

    #[test]
    fn the_minimum_of_threads_includes_the_constraints() {
        // One on each node, although one on the machine would be enough without the constraint.
        let each = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
        let rows = [vec![1, 1], vec![1, 2], vec![2, 1]];
        assert_eq!(cautions(&apps(), Objective::TotalGflops, each, &rows), fewest(&[0]));
        // The same number everywhere: two nodes cannot share one thread.
        let same = Restrictions { same_on_every_node: true, ..Restrictions::default() };
        let rows = [vec![1, 1], vec![1, 1], vec![2, 2]];
        assert_eq!(cautions(&apps(), Objective::TotalGflops, same, &rows), fewest(&[0, 1]));
        // z cannot give up its only node.
        let whole = Restrictions { whole_nodes: true, ..Restrictions::default() };
        let two = [local_app("x", 0.5), local_app("z", 100.0)];
        let rows = [vec![1, 0], vec![0, 4]];
        assert_eq!(cautions(&two, Objective::TotalGflops, whole, &rows), []);
    }

    #[test]
    fn applications_without_threads_are_named() {
        let mut apps = apps();
        apps[1].min_threads = 0;
        let rows = [vec![1, 1], vec![0, 0], vec![3, 3]];
        assert_eq!(
            cautions(&apps, Objective::Fair, Restrictions::default(), &rows),
            [Caution::NoThreads { apps: vec![AppId(1)] }]
        );
    }

    #[test]
    fn starved_applications_are_reported() {
        // Links of 32 GB/s under remote-first: 4 threads of b on node 1 want 4 x 20 GB/s of node 0 and take all 32 of it,
        // so that the thread of a on node 0 has none. a alone on both nodes has 2 x 32 GB/s.
        let machine = uniform_machine(2, 4, 10.0, 32.0, 32.0).with_sharing(ModelKind::RemoteFirst.into());
        let mut b = local_app("b", 0.5);
        b.data = numasim_model::Data::Placed(Placement::Home(NodeId(0)));
        let apps = [local_app("a", 0.5), b];
        let rows = [vec![1, 0], vec![0, 4]];
        assert_eq!(
            cautions_on(&machine, &apps, Objective::Geomean, Restrictions::default(), &rows),
            [
                Caution::GetsNothing { apps: vec![AppId(0)] },
                Caution::StarvedByRemote { nodes: vec![NodeId(0)] }
            ]
        );
    }

    #[test]
    fn an_objective_that_is_zero_for_every_allocation_decides_nothing() {
        // Interleaved over two nodes whose links have the bandwidth of their controllers, under remote-first. Each node reads half of its
        // 80 GB/s from the other, 40 > 32. Its own half gets 0, and with it every thread. It may not have fewer than all 8.
        let machine = uniform_machine(2, 4, 10.0, 32.0, 32.0).with_sharing(ModelKind::RemoteFirst.into());
        let mut spread = local_app("spread", 0.5);
        spread.data = numasim_model::Data::Placed(Placement::Interleave);
        spread.min_threads = 8;
        let apps = [spread, App { min_threads: 0, ..local_app("z", 100.0) }];
        let rows = [vec![4, 4], vec![0, 0]];
        for objective in [Objective::Geomean, Objective::Fair] {
            let found = cautions_on(&machine, &apps, objective, Restrictions::default(), &rows);
            assert_eq!(found[0], Caution::NothingDecided { objective, apps: vec![AppId(0)] });
        }
        // Its weight is 0: the mean ignores it.
        let mut light = apps.clone();
        light[0].weight = 0.0;
        let found = cautions_on(&machine, &light, Objective::Geomean, Restrictions::default(), &rows);
        assert!(!found.iter().any(|one| matches!(one, Caution::NothingDecided { .. })), "{found:?}");
        // An application that geomean cannot decide is not named as an alternative.
        let rows = [vec![1, 0], vec![0, 4]];
        let found = cautions_on(&machine, &apps, Objective::TotalGflops, Restrictions::default(), &rows);
        let apps = vec![AppId(0)];
        assert!(!found.contains(&Caution::FewestThreads { apps, geomean_decides: true }), "{found:?}");
    }
}

//! The simulation with a scheduler that fails.

use numasim_graph::partition::PartitionError;
use numasim_graph::values::{NewTask, RuntimeSettings, SchedulerSettings, TaskGraphBuilder, TaskId};
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Seconds};

use super::*;
use crate::result::Silent;
use crate::schedulers::{Partitioning, Scheduler, View};
use crate::sockets::WorkerId;

/// Has the first task partitioned, which fails.
struct Failing;

impl Scheduler for Failing {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        Some(Partitioning { tasks: 1, duration: Seconds::new(1.0) })
    }

    fn partitioned(&mut self, _: &View<'_>) -> Result<(), PartitionError> {
        Err(PartitionError::Metis("too many edges"))
    }

    fn ready(&mut self, _: &View<'_>, _: TaskId, _: Option<WorkerId>) {}

    fn gives_sockets(&self) -> bool {
        true
    }
}

#[test]
fn a_window_without_a_partition_ends_the_simulation_with_the_reason() {
    let node = Node {
        cores: 1,
        gflops_per_core: Gflops::new(1.0),
        bandwidth: GigabytesPerSecond::new(1.0),
        ..Node::default()
    };
    let machine = Machine::uniform("one", 1, node, GigabytesPerSecond::new(1.0)).expect("a machine");
    let mut graph = TaskGraphBuilder::new("one");
    let kind = graph.kind("work");
    let task = NewTask { kind, gflop: 1.0, accesses: &[], socket: None, taskwait: false, name: None };
    graph.task(task).expect("a task");
    let graph = graph.finish();
    let (scheduler, runtime) = (SchedulerSettings::default(), RuntimeSettings::default());
    let question = Question::new(&machine, &graph, &scheduler, &runtime);
    let (sockets, network) = (Sockets::new(&machine), Network::new(&machine));
    let mut observer = Silent;
    let simulation = Simulation::new(&question, &sockets, &network, Box::new(Failing), &mut observer);
    let error = simulation.expect("a simulation").run().expect_err("no partition");
    assert_eq!(
        error.to_string(),
        "METIS found no partition: too many edges; `partitioner = \"recursive\"` does without it"
    );
}

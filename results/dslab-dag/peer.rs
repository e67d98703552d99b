//! One graph in dslab-dag, under the list scheduler `fifo`: tasks in the order in which they become ready (those of one instant by
//! number) on a machine of so many cores.
//!
//! Reads the text that `crates/tasks/examples/simgrid_tasks.rs` describes from the standard input; only tasks that compute are known.
//! Prints seconds of the wall clock, tasks and the makespan. All cores are one resource, so that nothing is transferred; nothing is logged.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Read;
use std::rc::Rc;
use std::time::Instant;

use dslab_compute::multicore::CoresDependency;
use dslab_dag::dag::DAG;
use dslab_dag::dag_simulation::DagSimulation;
use dslab_dag::data_item::DataTransferMode;
use dslab_dag::network::NetworkConfig;
use dslab_dag::runner::Config;
use dslab_dag::scheduler::{Action, Scheduler};
use dslab_dag::system::System;
use dslab_dag::task::TaskState;
use simcore::context::SimulationContext;

struct Fifo {
    ready: VecDeque<usize>,
    /// Of each task those that wait for it.
    children: Vec<Vec<usize>>,
    idle: u32,
}

impl Fifo {
    fn hand_out(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        while self.idle > 0 {
            let Some(task) = self.ready.pop_front() else { break };
            self.idle -= 1;
            actions.push(Action::ScheduleTask { task, resource: 0, cores: 1, expected_span: None });
        }
        actions
    }
}

impl Scheduler for Fifo {
    fn start(&mut self, dag: &DAG, _: System, _: Config, _: &SimulationContext) -> Vec<Action> {
        self.ready.extend(dag.get_ready_tasks());
        self.hand_out()
    }

    fn on_task_state_changed(
        &mut self,
        task: usize,
        _: TaskState,
        dag: &DAG,
        _: System,
        _: &SimulationContext,
    ) -> Vec<Action> {
        self.idle += 1;
        let Self { ready, children, .. } = self;
        let children = children[task].iter().copied();
        ready.extend(children.filter(|&child| dag.get_task(child).state == TaskState::Ready));
        self.hand_out()
    }

    fn is_static(&self) -> bool {
        false
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("a graph");
    let mut dag = DAG::new();
    let (mut cores, mut gflops) = (0, 0.0);
    let mut outputs: Vec<Option<usize>> = Vec::new();
    let mut children: Vec<Vec<usize>> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["node", of_node, speed, _] => {
                cores += of_node.parse::<u32>().expect("cores");
                gflops = speed.parse().expect("GFLOPS");
            }
            ["link", ..] => {}
            ["exec", flop] => {
                let gflop = flop.parse::<f64>().expect("FLOP") / 1e9;
                dag.add_task("", gflop, 0, 1, 1, CoresDependency::Linear);
                outputs.push(None);
                children.push(Vec::new());
            }
            ["edge", from, to] => {
                let [from, to]: [usize; 2] = [from, to].map(|task| task.parse().expect("a task"));
                let output = *outputs[from].get_or_insert_with(|| dag.add_task_output(from, "", 0.0));
                dag.add_data_dependency(output, to);
                children[from].push(to);
            }
            _ => panic!("not a graph of tasks that compute: {line}"),
        }
    }
    children.iter_mut().for_each(|children| children.sort_unstable());
    let scheduler = Rc::new(RefCell::new(Fifo { ready: VecDeque::new(), children, idle: cores }));
    let config = Config { data_transfer_mode: DataTransferMode::Direct };
    let network = NetworkConfig::constant(1e6, 0.0);
    let mut simulation = DagSimulation::new(1, Vec::new(), network, scheduler, config);
    simulation.add_resource("machine", gflops, cores, 0);
    let tasks = dag.get_tasks().len();
    let runner = simulation.init(dag);
    runner.borrow_mut().enable_trace_log(false);
    let begin = Instant::now();
    simulation.step_until_no_events();
    let seconds = begin.elapsed().as_secs_f64();
    runner.borrow().validate_completed();
    assert!(runner.borrow().is_completed());
    println!("seconds {seconds}\ntasks {tasks}\nmakespan {:.17e}", simulation.time());
}

//! Programs on this host: results equal those of a serial run in every bit, for any scheduler.

use std::collections::BTreeMap;

use numasim_bench::execute::{Cores, ExecuteError, Workers, calibrated, execute, serial};
use numasim_graph::values::{Generator, RuntimeSettings, SchedulerKind, SchedulerSettings};
use numasim_graph::{Dependencies, generate};
use numasim_kernels::code;
use numasim_model::NodeId;
use numasim_tasks::{Silent, TasksError, simulate};

use crate::common::{cores, machine, programs, question, workers};

#[test]
fn blocks_are_created_for_the_first_accessing_task() {
    let (graph, code) = programs(1).swap_remove(0);
    let store = serial(&graph, &*code, cores(1, 1).0[0][0]).expect("a serial run").store;
    let mut first = BTreeMap::new();
    for task in graph.tasks() {
        for access in graph.accesses(task) {
            first.entry(access.block).or_insert(task);
        }
    }
    // In order of the blocks.
    let made: Vec<_> = store.made().collect();
    assert_eq!(
        made.iter().map(|(task, _)| *task).collect::<Vec<_>>(),
        first.into_values().collect::<Vec<_>>()
    );
    assert_eq!(made.iter().map(|(_, addresses)| addresses.len() as u64).sum::<u64>(), store.bytes());
}

#[test]
fn whole_pages_of_blocks_are_counted_for_their_creating_node() {
    // 6 tiles of 128 KiB: 31 or 32 whole pages of 4 KiB in each.
    let generator = Generator::Cholesky { n: 3, tile: 128, init: true };
    let graph = generate(&generator, "test", &[NodeId(0), NodeId(1)]).expect("a graph");
    let (machine, runtime, scheduler) =
        (machine(2, 1), RuntimeSettings::default(), SchedulerSettings::default());
    let code = code(&generator).expect("kernels");
    let run =
        execute(&question(&machine, &graph, &scheduler, &runtime), &*code, &workers(2, 1)).expect("a run");
    // A container may forbid the query.
    let Some(pages) = run.pages else { return };
    assert_eq!(pages.0.len(), 2);
    let counted = |pages: &numasim_host::memory::Pages| pages.absent + pages.on_node.values().sum::<u64>();
    let whole: u64 = run.store.made().map(|(_, at)| (at.end / 4096 - at.start.div_ceil(4096)) as u64).sum();
    let sum: u64 = pages.0.iter().map(counted).sum();
    assert!(sum == whole || sum < whole && sum > 0, "{sum} of {whole}: larger pages are fewer");
    assert_eq!(pages.0.iter().map(|pages| pages.absent).sum::<u64>(), 0);
}

#[test]
fn every_scheduler_gives_the_results_of_a_serial_run() {
    use SchedulerKind::{Dep, Fifo, RandomSteal, RipDep, RipMw, RipSp, Sa, Tbb, TbbNuma, Tracked};
    let (machine, runtime) = (machine(2, 2), RuntimeSettings::default());
    let workers = workers(2, 2);
    for (graph, code) in programs(2) {
        let reference = serial(&graph, &*code, cores(1, 1).0[0][0]).expect("a serial run");
        assert!(code.check(&reference.store).is_right(), "{}", graph.name());
        let edges = Dependencies::of(&graph).expect("few edges");
        for kind in [Fifo, Sa, Dep, Tracked, RandomSteal, RipDep, RipSp, RipMw, Tbb, TbbNuma] {
            if graph.is_tree() && (kind.partitions() || kind == Sa) {
                continue;
            }
            let scheduler = SchedulerSettings { kind, window: 20, ..SchedulerSettings::default() };
            let question = question(&machine, &graph, &scheduler, &runtime);
            let run = execute(&question, &*code, &workers).expect("a run");
            assert_eq!(run.store.difference(&reference.store), None, "{kind:?}");
            assert_eq!(run.partition_s > 0.0, kind.partitions(), "{kind:?}");
            // Each task once, after all tasks for which it waits, and one at a time on each worker.
            let by_task: BTreeMap<u32, _> =
                run.records.iter().map(|record| (record.task.0, record)).collect();
            assert_eq!((by_task.len(), run.records.len()), (graph.task_count(), graph.task_count()));
            for task in graph.tasks() {
                let later = edges
                    .children(task)
                    .iter()
                    .all(|child| by_task[&child.0].start_s >= by_task[&task.0].end_s);
                assert!(later, "{kind:?}: {} ran too early behind {}", graph.type_name(task), task.0);
            }
            let mut until = BTreeMap::new();
            for record in &run.records {
                let before = until.insert(record.worker, record.end_s).unwrap_or(0.0);
                assert!(
                    record.start_s >= before
                        && record.end_s >= record.start_s
                        && record.end_s <= run.makespan_s
                );
                assert_eq!(record.node.0, record.worker as usize / 2);
            }
        }
    }
}

#[test]
fn a_throttled_master_continues_when_tasks_end() {
    let (machine, scheduler) = (machine(1, 2), SchedulerSettings::default());
    let runtime = RuntimeSettings { throttle: Some(3), ..RuntimeSettings::default() };
    let workers = workers(1, 2);
    for (graph, code) in programs(1) {
        let run =
            execute(&question(&machine, &graph, &scheduler, &runtime), &*code, &workers).expect("a run");
        assert!(code.check(&run.store).is_right(), "{}", graph.name());
    }
}

#[test]
fn cores_that_do_not_match_the_machine_are_rejected() {
    let (machine, scheduler, runtime) =
        (machine(2, 3), SchedulerSettings::default(), RuntimeSettings::default());
    let (graph, code) = programs(1).remove(0);
    let expected = "the machine has 3+3 cores on its nodes, and there are 2 to run on";
    let error = Workers::start(&machine, &cores(1, 2), None).expect_err("too few");
    assert_eq!(error.to_string(), expected);
    let error = execute(&question(&machine, &graph, &scheduler, &runtime), &*code, &workers(1, 2))
        .expect_err("too few");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_fault_of_a_kernel_ends_the_run() {
    let machine = machine(1, 2);
    let (scheduler, runtime) = (SchedulerSettings::default(), RuntimeSettings::default());
    let (graph, _) = programs(1).remove(0);
    let other = code(&Generator::Qr { n: 4, tile: 16, init: true }).expect("kernels");
    let error = execute(&question(&machine, &graph, &scheduler, &runtime), &*other, &workers(1, 2))
        .expect_err("a fault");
    assert!(matches!(error, ExecuteError::Fault(_)), "{error}");
}

#[test]
fn a_graph_rejected_by_the_scheduler_is_rejected() {
    let machine = machine(1, 1);
    let scheduler = SchedulerSettings { kind: SchedulerKind::RipDep, ..SchedulerSettings::default() };
    let runtime = RuntimeSettings::default();
    let (graph, code) = programs(1).pop().expect("programs");
    let error = execute(&question(&machine, &graph, &scheduler, &runtime), &*code, &workers(1, 1))
        .expect_err("a tree");
    assert!(matches!(error, ExecuteError::Tasks(TasksError::Tree { .. })), "{error}");
}

#[test]
fn calibrated_tasks_take_the_serial_time_in_the_simulation() {
    let machine = machine(1, 1);
    let scheduler = SchedulerSettings::default();
    let nothing = numasim_model::units::Seconds::new(0.0);
    let runtime =
        RuntimeSettings { creation: nothing, task: nothing, steal: nothing, ..RuntimeSettings::default() };
    for (graph, code) in programs(1) {
        let serial = serial(&graph, &*code, cores(1, 1).0[0][0]).expect("a serial run");
        let other = calibrated(&graph, &machine, &serial);
        let run = simulate(&question(&machine, &other, &scheduler, &runtime), &mut Silent).expect("a run");
        // Means times counts are the sum; the traffic of tasks is negligible at 1000 GB/s.
        let simulated_s = run.makespan.value();
        assert!((simulated_s / serial.seconds - 1.0).abs() < 0.02, "{simulated_s} {}", serial.seconds);
    }
}

#[test]
fn a_missing_cpu_ends_the_run() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let here = cores(1, 1).0[0][0];
    let none = Cores(vec![vec![here, 60_000]]);
    let error = Workers::start(&machine(1, 2), &none, None).expect_err("none");
    assert!(matches!(error, ExecuteError::Affinity(_)), "{error}");
}

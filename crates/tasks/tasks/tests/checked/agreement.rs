//! The simulation compared with the slow one: the same answers to random questions.

use numasim_tasks::{IdleReason, Run, TaskRecord, TasksError, Traffic, reference, simulate};
use proptest::prelude::*;

use crate::common::{Asked, Records};
use crate::drawn::{anything, choices};
use crate::random::questions;

/// Relative tolerance for rounding.
const ROUNDING: f64 = 1e-9;

/// Differences between two runs and their tasks.
pub(crate) fn differences(fast: &(Run, Vec<TaskRecord>), slow: &(Run, Vec<TaskRecord>)) -> Vec<String> {
    let mut all = Vec::new();
    let makespan_s = slow.0.makespan.value();
    let mut compare = |what: String, fast: f64, slow: f64, unit: f64| {
        let most = ROUNDING * unit.max(fast.abs()).max(slow.abs());
        if (fast - slow).abs() > most || fast.is_nan() != slow.is_nan() {
            all.push(format!("{what}: {fast} and {slow}"));
        }
    };
    let classes = |t: &Traffic| [t.llc_local, t.llc_remote, t.dram_local, t.dram_remote];
    let bytes = slow.0.traffic.total();
    compare("makespan".to_owned(), fast.0.makespan.value(), makespan_s, 0.0);
    compare("idle".to_owned(), fast.0.idle, slow.0.idle, 1.0);
    compare("steals".to_owned(), fast.0.steals as f64, slow.0.steals as f64, 0.0);
    compare("migration".to_owned(), fast.0.migration.value(), slow.0.migration.value(), makespan_s);
    for (what, of) in [
        ("mailbox", (|run| run.mailbox) as fn(&Run) -> u64),
        ("shared", |run| run.shared),
        ("revokes", |run| run.revokes),
        ("remote tasks", |run| run.remote_tasks),
    ] {
        compare(what.to_owned(), of(&fast.0) as f64, of(&slow.0) as f64, 0.0);
    }
    compare("partition".to_owned(), fast.0.partition.value(), slow.0.partition.value(), makespan_s);
    let cut = |run: &Run| run.cut.map_or((-1.0, -1.0), |cut| (cut.edges as f64, cut.bytes));
    compare("cut edges".to_owned(), cut(&fast.0).0, cut(&slow.0).0, 0.0);
    compare("cut bytes".to_owned(), cut(&fast.0).1, cut(&slow.0).1, 0.0);
    let all_traffic = |run: &Run| {
        let of_nodes = run.nodes.iter().map(|node| classes(&node.traffic));
        of_nodes.chain([classes(&run.traffic)]).flatten().collect::<Vec<f64>>()
    };
    for (class, (fast, slow)) in all_traffic(&fast.0).into_iter().zip(all_traffic(&slow.0)).enumerate() {
        compare(format!("bytes {class}"), fast, slow, bytes);
    }
    for (node, (fast, slow)) in fast.0.nodes.iter().zip(&slow.0.nodes).enumerate() {
        compare(format!("tasks of node {node}"), fast.tasks as f64, slow.tasks as f64, 0.0);
        compare(format!("busy {node}"), fast.busy.value(), slow.busy.value(), makespan_s);
        for reason in IdleReason::ALL {
            let what = format!("idle {node} because of {}", reason.as_str());
            compare(what, fast.idle[reason], slow.idle[reason], makespan_s);
        }
    }
    compare("records".to_owned(), fast.1.len() as f64, slow.1.len() as f64, 0.0);
    for (fast, slow) in fast.1.iter().zip(&slow.1) {
        let number = fast.task.0;
        compare(format!("start of {number}"), fast.start_s, slow.start_s, makespan_s);
        compare(format!("end of {number}"), fast.end_s, slow.end_s, makespan_s);
        compare(format!("worker of {number}"), f64::from(fast.worker), f64::from(slow.worker), 0.0);
        let bytes_of_task = slow.traffic.total();
        for (class, (fast, slow)) in
            classes(&fast.traffic).into_iter().zip(classes(&slow.traffic)).enumerate()
        {
            compare(format!("bytes {class} of {number}"), fast, slow, bytes_of_task);
        }
        let rest = |record: &TaskRecord| (record.task, record.socket, record.node, record.source);
        if rest(fast) != rest(slow) {
            compare(format!("{:?} and {:?}", rest(fast), rest(slow)), 0.0, f64::NAN, 0.0);
        }
    }
    all
}

/// The run of the simulation, and its tasks by number.
pub(crate) fn fast(asked: &Asked) -> Result<(Run, Vec<TaskRecord>), TasksError> {
    let mut records = Records::default();
    let run = simulate(&asked.question(), &mut records)?;
    Ok((run, records.by_task()))
}

/// The same of the slow one.
pub(crate) fn slow(asked: &Asked) -> Result<(Run, Vec<TaskRecord>), TasksError> {
    let mut records = Records::default();
    let run = reference::simulate(&asked.question(), &mut records)?;
    Ok((run, records.by_task()))
}

proptest! {
    #![proptest_config(questions(1000))]

    #[test]
    fn both_simulations_give_the_same_answer(mut choices in choices()) {
        let asked = anything(&mut choices, 60);
        match (fast(&asked), slow(&asked)) {
            (Ok(fast), Ok(slow)) => {
                let differences = differences(&fast, &slow);
                prop_assert!(differences.is_empty(), "{differences:#?} in {}", asked.in_short());
            }
            (fast, slow) => prop_assert_eq!(fast.err(), slow.err()),
        }
    }
}

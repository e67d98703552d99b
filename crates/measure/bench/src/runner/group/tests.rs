//! Threads with a faulty kernel.

use std::time::Duration;

use numasim_kernels::array::AccessError;
use numasim_kernels::kernel::{Kernel, Work, WrongResult};
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;

use super::*;
use crate::runner::crew::conduct;
use numasim_kernels::loops::Isa;

/// The fault of its second part.
#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Result,
    Overlap,
}

struct Bad {
    wrong: Wrong,
    lockstep: bool,
}

impl Kernel for Bad {
    fn parts(&self) -> usize {
        2
    }

    fn prepare(&self, _: usize) -> Result<(), AccessError> {
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        self.lockstep
    }

    fn run(&self, part: usize, step: u64) -> Result<(), AccessError> {
        let overlap = self.wrong == Wrong::Overlap && part == 1 && step == 1;
        if overlap { Err(AccessError::Busy { what: "numbers" }) } else { Ok(()) }
    }

    fn work(&self, _: usize) -> Work {
        Work { bytes: 8, flop: 1 }
    }

    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        // All have ended, and report their progress.
        assert!(steps.iter().all(|&steps| steps > 0), "{steps:?}");
        assert!(!self.lockstep || steps[0] == steps[1], "{steps:?}");
        let wrong = WrongResult::Element { what: "numbers", index: 3, found: 1.0, expected: 2.0 };
        if part == 1 { Err(wrong) } else { Ok(()) }
    }
}

fn measured(wrong: Wrong, lockstep: bool) -> RunError {
    let cpu = affinity::allowed().expect("Linux tells")[0];
    let cpus = CpuList::new(vec![cpu]).expect("one");
    let thread = PlannedThread { node: NodeId(0), cpus, memory: Vec::new() };
    let settings = Settings {
        isa: Isa::Portable,
        warm_up: Duration::ZERO,
        // Shorter than a step: one step is then counted, however busy the processor is.
        window: Duration::from_nanos(1),
        bytes_per_thread: 1,
        processes: false,
    };
    let (gate, crew) = (Gate::default(), Crew::new("bad", Box::new(Bad { wrong, lockstep })));
    let job = |part| Job { crew: &crew, part, thread: &thread, stretches: Vec::new() };
    let start = Start { gate: &gate, all_threads: 2, threads_before: 0, settings: &settings };
    let conduct = || conduct(&gate, 2, &settings, |_| Ok(()));
    run(vec![job(0), job(1)], start, conduct).map(|_| ()).expect_err("it is wrong")
}

#[test]
fn a_wrong_result_is_an_error_with_its_thread() {
    for lockstep in [false, true] {
        let error = measured(Wrong::Result, lockstep).to_string();
        let expected = "thread 1 of application 'bad' computed a wrong result: element 3 of the numbers is 1 instead of 2";
        assert_eq!(error, expected);
    }
}

#[test]
fn overlapping_steps_are_an_error_without_a_deadlock() {
    for lockstep in [false, true] {
        let error = measured(Wrong::Overlap, lockstep).to_string();
        let expected = "thread 1 of application 'bad' cannot go on: numbers are accessed while another thread changes them: the steps of a \
                        kernel overlap";
        assert_eq!(error, expected);
    }
}

//! `tasks.rec`.

use super::{refused, seen};
use crate::import::starpu::read;

/// In the form of a StarPU dump: the later task first, `EndDependencies` without an empty line after it, a handle that is released.
const CHOLESKY: &str = "\
Name: SYRK
Model: chol_model_22
JobId: 12
SubmitOrder: 3
Priority: 0
DependsOn: 11
Tag: 0
WorkerId: 1
SubmitTime: 0.100000
StartTime: 30.5
EndTime: 42.5
Footprint: cafe
GFlop: 0.25
Parameters: 0_1
Handles: 5500aa 5500bb
Modes: R RW
Sizes: 1000 2000
NumaNodes: 0 0
MPIRank: 0
EndDependencies: 12
Name: POTRF
JobId: 10
SubmitOrder: 1
StartTime: 10
EndTime: 20
Handles: 5500aa 5500ee
Modes: RW S
Sizes: 1000 64

# a comment
Name: TRSM
Model: chol_model_21
JobId: 11
SubmitOrder: 2
DependsOn: 10
Handles: 5500aa 5500bb
Modes: R RWC
Sizes: 1000 1500

Control: WontUse
JobId: 13
SubmitOrder: 4
Handles: 5500aa

Name: wait
JobId: 14
SubmitOrder: 5
DependsOn: 10 12 13
GFlop: 0.000000
";

#[test]
fn records_are_tasks_in_the_order_of_submission() {
    // POTRF took 10 ms at 8 GFLOPS: 0.08 GFLOP. TRSM has neither work nor times.
    let imported = read(CHOLESKY, "cholesky", 8.0).expect("in order");
    insta::assert_snapshot!(seen(CHOLESKY, &imported));
}

#[test]
fn without_an_order_of_submission_that_of_the_file_holds() {
    let text = "JobId: 7\nGFlop: 1\nHandles: a\nModes: W\nSizes: 8\n\nJobId: 5\nGFlop: 1\nDependsOn: 9\n\nJobId: 9\nGFlop: 1\nHandles: a\nModes: R\nSizes: 8\n";
    let imported = read(text, "file", 1.0).expect("in order");
    insta::assert_snapshot!(seen(text, &imported));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let text = "Name: a\nJobId: 1\nGFlop: -1\nDependsOn: 2 77\nSubmitOrder: x\n\nName: b\nGFlop: 1\n\nJobId: 2\nHandles: a b\nModes: R\nSizes: 1 2\n\n\
                JobId: 3\nHandles: a b\nModes: R Q\nSizes: 1 2\n\nJobId: 4\nHandles: a\nModes: R\nSizes: -8\n\nJobId: 1\nnonsense\n\
                StartTime: soon\nJobId: 6\n";
    insta::assert_snapshot!(refused(text, read(text, "g", 1.0)));
    insta::assert_snapshot!(refused("", read("", "g", 1.0)));
}

#[test]
fn a_job_that_is_not_there_is_named() {
    let text = "JobId: 1\nDependsOn: 2 77\n\nJobId: 2\n";
    assert_eq!(
        refused(text, read(text, "g", 1.0)),
        "file:2:14 [77] there is no job 77, on which 1 depends\n"
    );
}

#[test]
fn jobs_that_depend_on_each_other_are_named() {
    let text = "JobId: 1\nDependsOn: 3\n\nJobId: 2\nDependsOn: 1\n\nJobId: 3\nDependsOn: 2\n";
    insta::assert_snapshot!(refused(text, read(text, "g", 1.0)));
}

/// Each process counts its jobs separately and has separate addresses; `WontUse` has no rank in its number (job 10 exists in both).
const TWO_RANKS: &str = "\
Name: potrf
JobId: 0_7
SubmitOrder: 1
DependsOn: 0_10
GFlop: 0.3
Handles: 7f00
Modes: RW
Sizes: 1000
MPIRank: 0

Name: potrf
JobId: 1_7
SubmitOrder: 1
DependsOn: 0_7
GFlop: 0.3
Handles: 7f00
Modes: RW
Sizes: 500
MPIRank: 1

Control: WontUse
JobId: 10
SubmitOrder: 2
Handles: 7f00
MPIRank: 0

Control: WontUse
JobId: 10
SubmitOrder: 2
Handles: 7f00
MPIRank: 1
";

#[test]
fn equal_jobs_and_handles_of_two_ranks_are_different() {
    let imported = read(TWO_RANKS, "ranks", None).expect("in order");
    insta::assert_snapshot!(seen(TWO_RANKS, &imported));
    // Two files without a rank in the number, one after the other: jobs belong to the rank of their record.
    let plain =
        TWO_RANKS.replace("0_10", "10").replace("1_7", "7").replace("0_7", "7").replace("DependsOn: 7\n", "");
    let imported = read(&plain, "ranks", None).expect("in order");
    assert_eq!((imported.graph.task_count(), imported.graph.blocks().len()), (2, 2));
    let unknown = plain.replacen("MPIRank: 0\n", "", 1);
    assert!(refused(&unknown, read(&unknown, "ranks", None)).contains("this record has no `MPIRank`"));
    // On one rank alone it is a duplicate job.
    let same = plain.replace("MPIRank: 1", "MPIRank: 0");
    assert!(refused(&same, read(&same, "ranks", None)).contains("the job 7 is there twice"));
}

#[test]
fn records_without_a_task_are_no_graph() {
    let text = "Control: WontUse\nJobId: 10\nHandles: 7f00\n";
    assert_eq!(refused(text, read(text, "g", None)), "file:1:1 [] there are no tasks: this graph is empty\n");
}

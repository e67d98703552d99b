//! Data larger than its memory: every command that evaluates scenarios of files rejects it.

mod without;

use std::process::Output;

use crate::common::{numasim, stderr, stdout, study};

/// 12 GiB of `a` lie as 1 : 3 on nodes 0 and 1, 5 GiB of `b` on node 1: 14 GiB there.
const STUDY: &str = "\
[machine]
name = \"small\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 30.0
link_gbs = 10.0
memory_gib = 13.0
[[app]]
name = \"a\"
arithmetic_intensity = 0.5
memory_gib = 12
[[app]]
name = \"b\"
arithmetic_intensity = 0.5
memory_gib = 5
data = { home = 1 }
[[scenario]]
name = \"fits\"
threads = { a = [3, 1], b = 1 }
[[scenario]]
name = \"full\"
threads = { a = [1, 3], b = [1, 0] }
";

fn run(command: &[&str], text: &str, more: &[&str]) -> Output {
    let (_folder, file) = study(text);
    numasim().args(command).arg(&file).args(more).output().expect("the program starts")
}

#[test]
fn evaluate_refuses_data_that_does_not_fit_and_names_its_place() {
    let output = run(&["evaluate"], STUDY, &[]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = stderr(&output);
    let words = "scenario `full` does not fit: 14 GiB of data are to lie on node 1, which has 13 GiB of memory: \
                 9 GiB of 'a', 5 GiB of 'b'";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("study.toml:22:8") && said.contains("memory_gib = 12"), "{said}");
    // The other scenario is valid.
    stdout(&run(&["evaluate"], STUDY, &["--scenario", "fits"]));
}

#[test]
fn so_do_all_commands_that_evaluate_scenarios() {
    let sweep = ["--set", "app.a.arithmetic_intensity=0.5,1"];
    let model = ["--model", "all"];
    for (command, more) in [
        (&["evaluate"][..], &model[..]),
        (&["sweep"], &sweep),
        (&["plot", "threads"], &["--scenario", "full", "-o", "never.svg"]),
        (&["report"], &["-o", "never.html"]),
    ] {
        let output = run(command, STUDY, more);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(
            said.contains("14 GiB of data are to lie on node 1, which has 13 GiB"),
            "{command:?}: {said}"
        );
        assert!(said.contains("full"), "{command:?}: {said}");
    }
}

#[test]
fn a_sweep_that_moves_data_reports_it_at_each_point() {
    let sweep = [
        "--set",
        "app.b.data=home:1,home:0,home:1:0.5,interleave:0.2",
        "--scenario",
        "full",
        "--format",
        "csv",
    ];
    let text = stdout(&run(&["sweep"], STUDY, &sweep));
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows.len(), 4, "{text}");
    assert!(rows[0].contains("infeasible") && rows[0].contains("14 GiB"), "{text}");
    // Node 1: 9 GiB of `a` and none, 2.5 and 0.5 GiB of `b`.
    assert!(rows[1..].iter().all(|row| row.contains("ok")), "{text}");
}

#[test]
fn check_warns_about_it() {
    let output = run(&["check"], STUDY, &[]);
    let said = stderr(&output);
    assert!(
        output.status.success() && said.contains("warning: scenario 'full' cannot be evaluated: 14 GiB"),
        "{said}"
    );
    assert!(!said.contains("'fits'"), "{said}");
}

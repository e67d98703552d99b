//! A sweep accepts exactly the values that files accept; all parts of one have the same columns.

use std::fs;

use crate::common::{folder, run, stderr};

const FILE: &str = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 40.0\n\
    core_bandwidth_gbs = 12.0\nlink_gbs = 5.0\n[machine.sharing]\nremote_loss = 0.1\n\
    [[app]]\nname = \"a\"\narithmetic_intensity = 0.5\nweight = 2.0\nmin_threads = 1\nmax_threads = 4\ndata = { home = 0, share = 0.5 }\n\
    [[scenario]]\nname = \"s\"\nthreads = { a = 1 }\n";

/// The line in the file, and its key.
const KEYS: [(&str, &str); 9] = [
    ("cores_per_node = 4", "machine.cores_per_node"),
    ("gflops_per_core = 10.0", "machine.gflops_per_core"),
    ("\nbandwidth_gbs = 40.0", "machine.bandwidth_gbs"),
    ("core_bandwidth_gbs = 12.0", "machine.core_bandwidth_gbs"),
    ("link_gbs = 5.0", "machine.link_gbs"),
    ("remote_loss = 0.1", "machine.sharing.remote_loss"),
    ("arithmetic_intensity = 0.5", "app.a.arithmetic_intensity"),
    ("weight = 2.0", "app.a.weight"),
    ("max_threads = 4", "app.a.max_threads"),
];

const VALUES: [&str; 14] = [
    "0",
    "-0.0",
    "-1",
    "1e-320",
    "1e-300",
    "1e-30",
    "1e30",
    "1e31",
    "1e308",
    "inf",
    "nan",
    "1e400",
    "1e-400",
    "99999999999999999999",
];

#[test]
fn values_that_files_refuse_are_refused_before_the_sweep_computes() {
    let folder = folder();
    let (plain, changed) = (folder.path().join("plain.toml"), folder.path().join("changed.toml"));
    fs::write(&plain, FILE).expect("a file");
    let (plain, changed) = (plain.to_str().expect("UTF-8"), changed.to_str().expect("UTF-8"));
    for (line, key) in KEYS {
        let (name, old) = line.trim().split_once(" = ").expect("a line");
        let of_search = ["weight", "max_threads"].contains(&name);
        for value in VALUES {
            fs::write(changed, FILE.replacen(line, &line.replace(old, value), 1)).expect("a file");
            let command = if of_search { "explore" } else { "evaluate" };
            let in_file = run(&[command, changed]).status.code();
            // A value that a file accepts is computed; a list with one wrong value is refused as a whole.
            for values in [value.to_owned(), format!("{old},{value}")] {
                let setting = format!("{key}={values}");
                let mut args = vec!["sweep", plain, "--set", &setting];
                args.extend(of_search.then_some("--explore"));
                let output = run(&args);
                // No weight at all, or no thread: this question has no answer, and the row of the sweep reports it.
                let as_row = of_search && in_file == Some(1) && output.status.code() == Some(0);
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let no_answer = as_row && value.parse() == Ok(0.0) && text.contains("infeasible");
                assert!(
                    output.status.code() == in_file || no_answer,
                    "{setting}: {} {text}",
                    stderr(&output)
                );
            }
        }
    }
}

#[test]
fn shares_of_data_have_the_bounds_of_files() {
    let folder = folder();
    let file = folder.path().join("plain.toml");
    fs::write(&file, FILE).expect("a file");
    let file = file.to_str().expect("UTF-8");
    for (share, taken) in [
        ("0", true),
        ("0.5", true),
        ("1", true),
        ("1.5", false),
        ("1e-320", false),
        ("-1", false),
        ("nan", false),
    ] {
        let setting = format!("app.a.data=home:0:{share}");
        assert_eq!(run(&["sweep", file, "--set", &setting]).status.success(), taken, "{setting}");
    }
}

/// The header of a sweep over `values` of the data of `a`.
fn header(values: &str, more: &[&str]) -> String {
    let folder = folder();
    let file = folder.path().join("plain.toml");
    fs::write(&file, FILE).expect("a file");
    let setting = format!("app.a.data={values}");
    let args = ["sweep", file.to_str().expect("UTF-8"), "--explore", "--set", &setting, "--format", "csv"];
    let text = crate::common::stdout(&run(&[&args[..], more].concat()));
    text.lines().next().expect("a header").to_owned()
}

#[test]
fn the_column_of_a_home_exists_if_any_point_chooses_it() {
    // One point of 1,001 has an open home: the last.
    let late = format!("{}home:any", "local,".repeat(1000));
    assert!(header("home:any,local", &[]).contains(",home:a,"));
    // The first shard has no such point, and the same columns.
    assert!(header(&late, &["--shard", "1/1000"]).contains(",home:a,"));
    assert!(!header("local,home:1", &[]).contains("home:a"));
}

//! Messages for invalid sweeps.

use super::*;

#[test]
fn mistakes_in_settings_are_explained() {
    let file = config("paper/table-iii.toml");
    let mut message = String::new();
    for settings in [
        &["machine.link_gb=1"][..],
        &["machine.node.4.bandwidth_gbs=1"],
        &["machine.bandwidth_matrix_gbs.0=1"],
        &["aps.mem.weight=1"],
        &["app.men.arithmetic_intensity=1"],
        &["app.mem.arithmetic_intensty=1"],
        &["app.mem.weight=1,2"],
        &["scenario.even.threads.mem=1"],
        &["app.mem.arithmetic_intensity=0..1:0.1"],
        &["scenario.\"even 5,5,5,5\".threads.mem=1.5"],
        &["machine.link_gbs=5..1:1"],
        &["machine.link_gbs=5..10"],
        &["machine.link_gbs=1,,2"],
        &["machine.link_gbs=ten"],
        &["machine.link_gbs"],
        &["app.mem.data=home:4"],
        &["app.mem.data=remote"],
        &["app.mem.data=home:any"],
        &["machine.link_gbs=1", "machine.link_gbs=2"],
        &["machine.link_gbs=1..100000:1", "machine.bandwidth_gbs=1..100000:1"],
    ] {
        let args: Vec<&str> = ["sweep", &file]
            .into_iter()
            .chain(settings.iter().flat_map(|setting| ["--set", setting]))
            .collect();
        let output = run(&args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{settings:?}");
        message += &["$ numasim sweep FILE --set ", &settings.join(" --set "), "\n", &stderr(&output), "\n"]
            .concat();
    }
    insta::assert_snapshot!("sweep_mistakes", message);
}

#[test]
fn keys_without_influence_on_explore_are_refused() {
    let file = config("paper/numa-bad.toml");
    let output = run(&["sweep", &file, "--explore", "--set", "scenario.\"even 2,2,2,2\".threads.mem=1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("has no influence on --explore"), "{}", stderr(&output));
}

#[test]
fn work_missing_everywhere_is_reported_once_unless_an_axis_gives_it() {
    let file = config("paper/numa-bad.toml");
    let args = ["sweep", &file, "--explore", "--objective", "makespan", "--same-on-every-node"];
    let output = run(&[&args[..], &["--set", "machine.link_gbs=10"]].concat());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = stderr(&output);
    assert!(said.contains("needs `work_gflop`") && said.contains("numa-bad.toml:"), "{said}");
    let work = ["--set", "app.mem.work_gflop=100,200", "--set", "app.bad.work_gflop=100"];
    let found = rows(&written(&[&args[..], &work].concat()));
    assert_eq!(found.iter().map(|row| row["status"].as_str()).collect::<Vec<_>>(), ["optimal", "optimal"]);
}

#[test]
fn an_open_home_is_shown_at_its_place_unless_an_axis_decides_it() {
    let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 40.0\n\
                link_gbs = 10.0\n[[app]]\nname = \"a b\"\narithmetic_intensity = 1.0\ndata = { home = \"any\" }\n\
                [[scenario]]\nname = \"open\"\nthreads = { \"a b\" = 1 }\n";
    let (_folder, file) = study(text);
    let file = file.to_str().expect("a plain path");
    let output = run(&["sweep", file, "--set", "machine.link_gbs=5,10"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = stderr(&output);
    assert!(
        said.contains("the home of the data of `a b` is open, and sweep chooses only with --explore"),
        "{said}"
    );
    assert!(said.contains("study.toml:11:8\n") && said.contains("evaluated in this scenario"), "{said}");
    // The advice of the hint.
    assert!(said.contains("--set app.\"a b\".data=home:0,home:1"), "{said}");
    let decided = rows(&sweep(file, &["app.\"a b\".data=home:0,home:1"], &[]));
    assert_eq!(decided.len(), 2);
}

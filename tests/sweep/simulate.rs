//! `--simulate`: simulations at every point.

use super::*;

const PIPELINE: &str = "dynamic/producer-consumer.toml";

/// The output of a sweep of the producer and the consumer.
fn rows(args: &[&str]) -> Vec<String> {
    let all = written(&[&["sweep", &config(PIPELINE), "--simulate"][..], args].concat());
    all.lines().map(str::to_owned).collect()
}

#[test]
fn every_policy_has_a_row_at_every_point() {
    let rows =
        rows(&["--set", "channel.producer.consumer.capacity=1,60", "--policy", "none", "--policy", "lead:3"]);
    assert_eq!(
        rows[0],
        "channel.producer.consumer.capacity,policy,status,makespan_s,finished_s:producer,finished_s:consumer,\
         max_items:producer->consumer,commands,core_moves,reason"
    );
    let begins: Vec<String> =
        rows[1..].iter().map(|row| row.split(',').take(3).collect::<Vec<_>>().join(",")).collect();
    assert_eq!(begins, ["1,none,ok", "1,lead:3,ok", "60,none,ok", "60,lead:3,ok"]);
    // One item at a time: 10 and 20 GFLOP one after the other on 8 cores of 10 GFLOPS, 100 times.
    assert!(rows[1].starts_with("1,none,ok,37.5,37.25,37.5,1,0,0,"), "{}", rows[1]);
}

#[test]
fn the_lead_of_an_axis_wins_over_that_of_the_policy() {
    for policy in [&[][..], &["--policy", "lead:7"]] {
        let rows = rows(&[&["--set", "policy.lead=1,4", "--until", "20"], policy].concat());
        assert!(rows[1].starts_with("1,lead:1,until,,,,1,"), "{}", rows[1]);
        assert!(rows[2].starts_with("4,lead:4,until,,,,4,"), "{}", rows[2]);
    }
}

#[test]
fn an_impossible_point_has_a_row_with_the_reason() {
    let blocked =
        "\n[[command]]\nat_s = 0.1\napp = \"producer\"\nper_node = [0]\n[policy]\nname = \"script\"\n";
    let folder = folder();
    let file = folder.path().join("study.toml");
    let text = fs::read_to_string(config(PIPELINE)).expect("a shipped file");
    fs::write(&file, text + blocked).expect("a file for the test");
    let rows = written(&["sweep", &file.display().to_string(), "--simulate", "--set", "os.slice_ms=1,3"]);
    let last = rows.lines().last().expect("a row");
    assert!(
        last.starts_with("3,script,deadlock,,,,,,,\"a deadlock after 0.1 s, in which these cannot go on: "),
        "{last}"
    );
}

#[test]
fn shards_and_workers_do_not_change_a_byte() {
    let args = [
        "--set",
        "policy.lead=1..3:1",
        "--set",
        "policy.command_ms=0,5",
        "--policy",
        "lend",
        "--policy",
        "lead",
    ];
    let whole = rows(&args);
    let part = |shard: &str| rows(&[&args[..], &["--shard", shard, "--threads", "1"]].concat());
    assert_eq!([part("1/3"), part("2/3"), part("3/3")].concat(), whole);
}

#[test]
fn policies_are_lines_of_a_plot() {
    let folder = folder();
    let plot = folder.path().join("plot.svg");
    let path = plot.display().to_string();
    rows(&["--set", "policy.lead=1..4:1", "--policy", "none", "--policy", "lead", "--plot", &path]);
    let svg = fs::read_to_string(plot).expect("drawn");
    for text in ["makespan (s)", "policy.lead", "2 policies; model baseline-proportional", "none\n", "lead\n"]
    {
        assert!(svg.contains(text), "{text} is missing in {svg}");
    }
}

/// Some thousand rows, long enough to be interrupted.
#[cfg(unix)]
#[test]
fn a_killed_sweep_goes_on_and_gives_the_same_bytes() {
    let folder = folder();
    let (out, partial) = (folder.path().join("out.csv"), folder.path().join("out.csv.partial"));
    let config = config(PIPELINE);
    let set = [
        "--set",
        "os.slice_ms=1..500:1",
        "--set",
        "os.switch_us=1,2,3",
        "--policy",
        "none",
        "--policy",
        "lend",
    ];
    let all = [&["sweep", &config, "--simulate"][..], &set].concat();
    let mut child = command(&all).arg("-o").arg(&out).spawn().expect("the program starts");
    while fs::metadata(&partial).map_or(0, |found| found.len()) < 5_000 {
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(child.try_wait().expect("a child").is_none(), "over before it was killed");
    }
    child.kill().expect("killed");
    child.wait().expect("it ends");
    // Torn between the two rows of a point.
    let rows = fs::read_to_string(&partial).expect("rows");
    let kept: Vec<&str> = rows.split_inclusive('\n').take(6).collect();
    fs::write(&partial, kept.concat()).expect("a file for the test");
    let path = out.display().to_string();
    let other = run(&[&all[..], &["-o", &path, "--resume", "--seed", "5"]].concat());
    assert!(stderr(&other).contains("belongs to another sweep: --seed was "), "{}", stderr(&other));
    assert_eq!(written(&[&all[..], &["-o", &path, "--resume"]].concat()), "");
    assert!(fs::read_to_string(&out).expect("written") == written(&all));
}

#[test]
fn keys_without_influence_on_simulations_are_refused() {
    let refused = |args: &[&str]| {
        let output = run(&[&["sweep", &config(PIPELINE), "--simulate"], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        String::from_utf8(output.stderr).expect("UTF-8 on standard error")
    };
    let said = refused(&["--set", "policy.lead=1", "--policy", "none"]);
    assert!(
        said.starts_with("error: policy.lead has no influence on these policies\nhint: add --policy lead"),
        "{said}"
    );
    let said = refused(&["--set", "machine.cores_per_node=4,8"]);
    assert!(said.contains("sweep app.NAME.threads"), "{said}");
    let said = refused(&["--set", "policy.leed=1"]);
    assert!(said.contains("did you mean 'lead'?"), "{said}");
}

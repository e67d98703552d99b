//! For each key the reader accepts exactly the numbers of its declared range, which all other code relies on.

use numasim_study::SourceFile;
use numasim_study::figure::Figure;

use crate::figure::TimeFigure;
use crate::{Study, read_study};

/// A study with one open value in the file: `KEY = VALUE` replaces its line.
const FILE: &str = "[machine]
name = \"m\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 40.0
core_bandwidth_gbs = 12.0
read_gbs = 50.0
triad_gbs = 30.0
link_gbs = 5.0
[machine.sharing]
saturation_knee = 0.1
core_local_gbs = 12.0
link_efficiency = 0.9
[[app]]
name = \"a\"
arithmetic_intensity = 2.0
min_threads = 1
max_threads = 4
weight = 1.0
work_gflop = 10.0
threads = 2
task_spread = 0.5
arrives_s = 1.0
[[app]]
name = \"b\"
arithmetic_intensity = 2.0
task_gflop = 0.5
tasks = 8
io_ms = 1.0
task_jitter = 0.1
[[app]]
name = \"c\"
arithmetic_intensity = 2.0
task_gflop = 0.5
iterations = 3
[[channel]]
from = \"a\"
to = \"b\"
item_mb = 1.0
capacity = 4
[policy]
period_ms = 10.0
command_ms = 1.0
[os]
slice_ms = 3.0
switch_us = 5.0
refill_ms = 0.1
";

/// Keys by their line in the file, and in the form of `--set`.
const KEYS: [(&str, &str); 29] = [
    ("cores_per_node = 4", "machine.cores_per_node"),
    ("gflops_per_core = 10.0", "machine.gflops_per_core"),
    ("\nbandwidth_gbs = 40.0", "machine.bandwidth_gbs"),
    ("core_bandwidth_gbs = 12.0", "machine.core_bandwidth_gbs"),
    ("read_gbs = 50.0", "machine.read_gbs"),
    ("triad_gbs = 30.0", "machine.triad_gbs"),
    ("link_gbs = 5.0", "machine.link_gbs"),
    ("saturation_knee = 0.1", "machine.sharing.saturation_knee"),
    ("core_local_gbs = 12.0", "machine.sharing.core_local_gbs"),
    ("link_efficiency = 0.9", "machine.sharing.link_efficiency"),
    ("arithmetic_intensity = 2.0", "app.a.arithmetic_intensity"),
    ("min_threads = 1", "app.a.min_threads"),
    ("max_threads = 4", "app.a.max_threads"),
    ("weight = 1.0", "app.a.weight"),
    ("work_gflop = 10.0", "app.a.work_gflop"),
    ("iterations = 3", "app.c.iterations"),
    ("\nthreads = 2", "app.a.threads"),
    ("task_spread = 0.5", "app.a.task_spread"),
    ("arrives_s = 1.0", "app.a.arrives_s"),
    ("task_gflop = 0.5", "app.b.task_gflop"),
    ("tasks = 8", "app.b.tasks"),
    ("io_ms = 1.0", "app.b.io_ms"),
    ("task_jitter = 0.1", "app.b.task_jitter"),
    ("item_mb = 1.0", "channel.a.b.item_mb"),
    ("capacity = 4", "channel.a.b.capacity"),
    ("period_ms = 10.0", "policy.period_ms"),
    ("command_ms = 1.0", "policy.command_ms"),
    ("slice_ms = 3.0", "os.slice_ms"),
    ("refill_ms = 0.1", "os.refill_ms"),
];

/// As files write them, whole ones first.
const WHOLE: [&str; 8] = ["0", "1", "7", "-1", "65536", "65537", "1000000001", "9007199254740993000"];
const DECIMAL: [&str; 14] = [
    "0.0", "-0.0", "-1.0", "1e-320", "1e-300", "9e-31", "1e-30", "1.0", "1.5", "1e30", "2e30", "1e308",
    "inf", "nan",
];

fn read(text: &str) -> Result<Study, String> {
    let files = [SourceFile { name: "a.toml".into(), text: text.into() }];
    read_study(&files).map(|reading| reading.study).map_err(|problems| problems[0].message.clone())
}

#[test]
fn files_and_settings_accept_the_same_numbers() {
    let study = read(FILE).expect("a study");
    for (line, key) in KEYS {
        let parts: Vec<&str> = key.split('.').collect();
        let figure = Figure::find(&study.machine, &study.apps, &parts).map(|figure| figure.range());
        let range = TimeFigure::find(&study, &parts).map(|figure| figure.range()).or(figure).expect(key);
        let is_whole = !line.contains('.');
        let head = line.rsplit_once(' ').expect("a value").0;
        for value in WHOLE.iter().chain(DECIMAL.iter().filter(|_| !is_whole)) {
            let text = FILE.replacen(line, &format!("{head} {value}"), 1);
            let number: f64 = value.parse().expect("a number");
            let found = read(&text);
            // Limits of the machine or of another key do not concern the range.
            let elsewhere = |message: &str| {
                message.contains("whole machine") || message.contains("is above `max_threads`")
            };
            let contradicts = matches!(&found, Err(message) if elsewhere(message));
            assert!(
                found.is_ok() == range.contains(number) || contradicts,
                "{key} = {value}: {range:?}, {found:?}"
            );
        }
    }
}

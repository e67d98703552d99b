//! The choices of bytes: policies, files, lines.

use numasim_course::{Study, read_study};
use numasim_study::SourceFile;

/// The first byte selects one of these policies.
pub(super) const POLICIES: [&str; 8] =
    ["none", "fair-share", "lead:1", "lend", "static-even", "static:s", "marginal", "oversubscribe:2"];
/// The content of the files: two applications that are connected by a channel, and one with phases.
const FILES: &str = r#"
[machine]
name = "M"
bandwidth_gbs = 32.0
link_gbs = 10.0
[[machine.node]]
cores = 2
gflops_per_core = 10.0
[[machine.node]]
cores = 1
gflops_per_core = 10.0
[[machine.node]]
cores = 0
[[app]]
name = "a"
arithmetic_intensity = 10.0
work_gflop = 100.0
iterations = 10
[[app]]
name = "b"
arithmetic_intensity = 10.0
work_gflop = 100.0
iterations = 10
io_ms = 1.0
tasks = 4
[[app]]
name = "c"
arithmetic_intensity = 10.0
[[app.phase]]
work_gflop = 50.0
[[app.phase]]
arithmetic_intensity = 0.5
work_gflop = 50.0
[[channel]]
from = "a"
to = "b"
item_mb = 1.0
[[scenario]]
name = "s"
threads = { a = [1, 0, 0], b = [1, 1, 0], c = [0, 0, 0] }
"#;
/// Lines that bytes select, unchanged or damaged.
pub const LINES: [&str; 24] = [
    r#"{"type":"hello","version":1,"name":"a","control":"per-node","threads":[2,1,0]}"#,
    r#"{"type":"hello","version":1,"name":"b","control":"total","threads":[2,1,0]}"#,
    r#"{"type":"hello","version":1,"name":"c","control":"cores","threads":[2,1,0]}"#,
    r#"{"type":"hello","version":1,"name":"d","control":"none","threads":[9,0,0]}"#,
    r#"{"type":"hello","version":1,"name":"e","control":"per-node","threads":[1,0,0]}"#,
    r#"{"type":"hello","version":1,"name":"f","control":"per-node","threads":[1,0,1]}"#,
    r#"{"type":"hello","version":2,"name":"a","control":"per-node","threads":[2,1,0]}"#,
    r#"{"type":"hello","version":1,"name":"a","control":"per-node","threads":[2,1]}"#,
    r#"{"type":"status","running":[0,0,0],"blocked":[0,0,0],"progress":0,"waiting":"none"}"#,
    r#"{"type":"status","running":[1,0,0],"blocked":[0,1,0],"progress":1,"waiting":"none","queued":3,"tasks":9}"#,
    r#"{"type":"status","running":[0,0,0],"blocked":[0,0,0],"progress":2,"waiting":"input","phase":0}"#,
    r#"{"type":"status","running":[0,0,0],"blocked":[0,0,0],"progress":7,"waiting":"output","queued":0}"#,
    r#"{"type":"status","running":[1,0,0],"blocked":[0,0,0],"progress":0,"waiting":"none","phase":1}"#,
    r#"{"type":"status","running":[9,9,9],"blocked":[0,0,0],"progress":0,"waiting":"none"}"#,
    r#"{"type":"status","running":[0,0,0],"blocked":[0,0,0],"progress":9007199254740991,"waiting":"call","queued":9007199254740991}"#,
    r#"{"type":"ack","seq":1}"#,
    r#"{"type":"ack","seq":2}"#,
    r#"{"type":"refused","seq":1,"text":"cannot"}"#,
    r#"{"type":"refused","seq":3,"text":""}"#,
    r#"{"type":"bye"}"#,
    r#"{"type":"query"}"#,
    r#"{"type":"stop"}"#,
    r#"{"type":"welcome","version":1}"#,
    "[]",
];

/// One of [`LINES`].
pub(super) fn line(number: u8) -> Vec<u8> {
    let line = LINES.get(usize::from(number) % LINES.len()).copied().unwrap_or_default();
    [line.as_bytes(), b"\n"].concat()
}

/// The files as a study.
pub(super) fn study() -> Study {
    let source = SourceFile { name: "files".to_owned(), text: FILES.to_owned() };
    match read_study(&[source]) {
        Ok(read) => read.study,
        Err(problems) => panic!("{problems:?}"),
    }
}

//! Output of a run, with exact values.

use std::path::Path;
use std::time::SystemTime;

use numasim_ask::document;
use numasim_ask::reading::read_study;
use numasim_bench::plan::{self, Options};
use numasim_bench::provenance::{Measuring, Tool};
use numasim_bench::session::{Ended, Misplacement};
use numasim_course::Study;
use numasim_evidence::measured::{Row, Status, summarise};
use numasim_host::system::Facts;
use numasim_kernels::loops::Isa;
use numasim_model::Scenario;
use numasim_model::cpus::CpuList;
use numasim_study::SourceFile;
use numasim_study::topology::HostNode;

use super::*;
use crate::view::Style;

const STUDY: &str = "\
[machine]
name = \"two nodes\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10
bandwidth_gbs = 20
link_gbs = 10
[[app]]
name = \"mem\"
arithmetic_intensity = 0.5
[[app]]
name = \"bad\"
arithmetic_intensity = 2
data = { home = 1 }
kernel = \"copy\"
[[scenario]]
name = \"both\"
threads = { mem = 2, bad = [1, 0] }
[[scenario]]
name = \"alone\"
threads = { mem = [3, 0] }
";

fn study() -> Study {
    let file = SourceFile { name: "study.toml".into(), text: STUDY.into() };
    read_study(&[file]).expect("a valid study").study
}

fn host(cores: &[u32]) -> HostTopology {
    let mut first = 0;
    let nodes = (0..).zip(cores).map(|(os_index, &cores)| {
        let cpus = CpuList::new((first..first + cores).collect()).ok();
        first += cores;
        HostNode { os_index, cores, cpus, ..HostNode::default() }
    });
    HostTopology { name: "box".into(), nodes: nodes.collect(), ..HostTopology::default() }
}

fn plan_on(host: &HostTopology) -> Plan {
    let study = study();
    let scenarios: Vec<&Scenario> = study.scenarios.iter().collect();
    plan::make(&study, &scenarios, host, &Options { fit: true, ..Options::default() }).expect("a plan")
}

fn settings() -> Settings {
    let second = std::time::Duration::from_secs(1);
    Settings {
        isa: Isa::Avx2,
        warm_up: second / 4,
        window: second,
        bytes_per_thread: 64 << 20,
        processes: false,
    }
}

fn provenance() -> Provenance {
    Provenance {
        schema: 1,
        run: "00c0ffee".into(),
        tool: Tool {
            name: "numasim".into(),
            version: "1".into(),
            features: Vec::new(),
            profile: "release".into(),
        },
        command: Vec::new(),
        started_utc: numasim_bench::provenance::utc(SystemTime::UNIX_EPOCH),
        ended_utc: None,
        facts: Facts::default(),
        nodes: Vec::new(),
        settings: Measuring::new(&settings(), 3, "core"),
        inputs: Vec::new(),
        fitted: Vec::new(),
        observed: Vec::new(),
        doubts: Vec::new(),
    }
}

/// One thread each: `gflops` in the given repetition, at 2 byte per FLOP.
fn row(scenario: &str, app: &str, node: usize, repetition: u32, gflops: f64) -> Row {
    Row {
        run: "00c0ffee".into(),
        scenario: scenario.into(),
        app: app.into(),
        node,
        repetition,
        threads: 2,
        data: "0:100".into(),
        kernel: "read".into(),
        isa: "avx2".into(),
        arithmetic_intensity_flop_per_byte: 0.5,
        window_s: 1.0,
        traffic_bytes: 0,
        work_flop: 0,
        bandwidth_gbs: 2.0 * gflops,
        gflops,
        thread_gflops_min: gflops,
        thread_gflops_max: gflops,
        huge_pages_percent: None,
        counting_percent: Some(0.0123),
        cpus: "0".into(),
        started_utc: String::new(),
        fitted: false,
        status: Status::Ok,
        problem: String::new(),
        doubts: String::new(),
    }
}

/// Three repetitions of `both`, the last of which is invalid; `alone` was never placed correctly.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (repetition, factor) in [(1, 1.0), (2, 1.5), (3, 9.0)] {
        rows.push(row("both", "mem", 0, repetition, 4.0 * factor));
        rows.push(row("both", "mem", 1, repetition, 6.0 * factor));
        rows.push(row("both", "bad", 0, repetition, 8.0));
    }
    for row in &mut rows[6..] {
        row.status = Status::Misplaced;
    }
    rows.push(Row { status: Status::Misplaced, ..row("alone", "mem", 0, 1, 5.0) });
    rows
}

fn with_result<T>(use_it: impl FnOnce(&Result) -> T) -> T {
    let (host, rows) = (host(&[4, 4]), rows());
    let (plan, provenance) = (plan_on(&host), provenance());
    let summaries = summarise(&plan.expected_rows(), &rows);
    let lost = |scenario: &str, repetition| Misplacement {
        scenario: scenario.into(),
        repetition,
        problems: vec!["'mem' thread 0 ran on processor 7, bound to 0".into()],
        mended: false,
    };
    let misplaced = vec![lost("both", 3), lost("alone", 1)];
    let outcome = Outcome { ended: Ended::Complete, rows, misplaced, repeated: Vec::new() };
    use_it(&Result {
        host: &host,
        plan: &plan,
        provenance: &provenance,
        path: Path::new("r.csv"),
        study: Path::new("r.study.toml"),
        beside: Path::new("r.provenance.json"),
        outcome: &outcome,
        summaries: &summaries,
    })
}

#[test]
fn a_run_as_table_csv_and_json() {
    let style = Style::default();
    // mem in repetition 1: 4 + 6 = 10, in 2: 15; both together 18 and 23. Traffic is twice as much.
    with_result(|result| {
        insta::assert_snapshot!("bench_table", table(result, &style));
        insta::assert_snapshot!("bench_csv", csv(result.summaries));
        insta::assert_snapshot!("bench_json", document::pretty(&json(result)).trim_end());
    });
}

#[test]
fn a_plan_as_table_csv_and_json() {
    let (host, settings) = (host(&[2]), settings());
    let plan = plan_on(&host);
    let planned =
        Planned { host: &host, plan: &plan, settings: &settings, repetitions: 10, doubts: &[Doubt::Turbo] };
    insta::assert_snapshot!("bench_plan_table", plan_table(&planned, &Style::default()));
    insta::assert_snapshot!("bench_plan_csv", plan_csv(&planned));
    insta::assert_snapshot!("bench_plan_json", document::pretty(&plan_json(&planned)).trim_end());
}

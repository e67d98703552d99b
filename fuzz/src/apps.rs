//! Guarantees of the readers of `numasim profile-app`.

use numasim_ask::reading::read_study;
use numasim_evidence::app_profile::app_file::{AppFile, DataFound, Does, Resident};
use numasim_evidence::app_profile::benched::read_benched;
use numasim_evidence::app_profile::placement::{Look, classify, look, signature};
use numasim_evidence::app_profile::scaling::{Figure, intensity, node_overhead, scaling, thread_gbs};
use numasim_evidence::formats::counted::{Kind, Run, joined};
use numasim_evidence::formats::likwid_perfctr::read_likwid;
use numasim_evidence::formats::numa_maps::read_numa_maps;
use numasim_evidence::formats::perf::read_perf;
use numasim_study::{Problem, ProblemKind, SourceFile};

use super::problems_are_sound;

/// Nodes of the observed machine.
const NODES: usize = 4;

/// Output of perf and likwid-perfctr, `numa_maps`, a measured CSV: each reader gets the text. Every result of a reader
/// becomes an application that reads back.
pub fn app_profile(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut runs = Vec::new();
    runs.extend(sound(&text, read_perf(&text).map_err(|problem| vec![problem])));
    runs.extend(sound(&text, read_likwid(&text, None).map_err(|problem| vec![problem])).unwrap_or_default());
    let mut looks = Vec::new();
    if let Some(benched) = sound(&text, read_benched(&text, None, Some(NODES))) {
        runs.extend(benched.runs);
        looks = benched.looks;
    }
    let mut bytes = None;
    if let Some(pages) = sound(&text, read_numa_maps(&text).map_err(|problem| vec![problem])) {
        bytes = Some(pages.bytes()).filter(|&bytes| bytes > 0);
        let nodes: Vec<u32> = (0..u32::try_from(NODES).expect("few")).collect();
        let threads = nodes.iter().map(|&node| (node, node * 3 % 4)).collect();
        looks.extend(look(&pages, &nodes, Some(&threads)).ok());
        looks.extend(look(&pages, &nodes, None).ok());
    }
    for run in &runs {
        run_is_sound(run);
    }
    is_written(&joined(runs), &looks, bytes);
}

/// The value that was read, or `None` for problems that can be shown.
fn sound<T>(text: &str, read: Result<T, Vec<Problem>>) -> Option<T> {
    read.map_err(|problems| problems_are_sound(&problems, &[text])).ok()
}

fn run_is_sound(run: &Run) {
    let amounts = run.flop.iter().chain(&run.bytes).map(|amount| amount.value).chain(run.seconds);
    for amount in amounts {
        assert!(amount >= 0.0, "{run:?}");
    }
    assert!(run.intensity().is_none_or(|intensity| intensity > 0.0 && intensity.is_finite()), "{run:?}");
}

/// Values may exceed the limits of an application. Otherwise the file is TOML with known keys.
fn is_written(runs: &[Run], looks: &[Look], bytes: Option<u64>) {
    let given = Figure { value: 1.0, kind: Kind::Given, source: "fuzzed".to_owned(), runs: 1, range: None };
    let data = classify(looks).map(|verdict| DataFound {
        verdict,
        source: "fuzzed".to_owned(),
        signature: signature(looks),
        resident: bytes.map(|data| Resident { data, ..Resident::default() }),
    });
    let file = AppFile {
        name: "fuzzed".to_owned(),
        origin: Vec::new(),
        does: Does::Flop(intensity(runs).unwrap_or(given)),
        thread_gbs: thread_gbs(runs),
        overhead: node_overhead(runs),
        data,
        scaling: scaling(runs),
        doubts: runs.iter().flat_map(|run| run.doubts.clone()).collect(),
    };
    let nodes = looks.first().map_or(NODES, |look| look.data.len());
    let machine = format!(
        "[machine]\nname = 'm'\nnodes = {nodes}\ncores_per_node = 2\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 10\n"
    );
    let text = format!("{machine}{}", file.text());
    for problem in read_study(&[SourceFile { name: "app.toml".to_owned(), text: text.clone() }])
        .err()
        .unwrap_or_default()
    {
        assert!(
            matches!(problem.kind, ProblemKind::BadValue | ProblemKind::Limit),
            "{}\n{text}",
            problem.message
        );
    }
}

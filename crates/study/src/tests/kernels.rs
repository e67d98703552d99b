//! Real kernels: `kernel`, `[app.problem]`, and an optional intensity.

use super::*;
use numasim_model::problem::{
    BlackScholes, Cells, Elements, Faults, KernelName, KernelProblem, Memcpy, NEXT_TO_NOTHING, Partition,
    Source, Spmv,
};

/// An application with a kernel, and other keys below it.
fn with(kernel: &str, keys: &str) -> String {
    format!("{MACHINE}[[app]]\nname = \"a\"\nkernel = \"{kernel}\"\n{keys}\n")
}

fn problem_of(text: &str) -> KernelProblem {
    read(text).study.apps[0].problem.expect("a real kernel")
}

#[test]
fn missing_sizes_are_those_of_the_paper_and_listed() {
    for kernel in KernelName::ALL {
        let reading = read(&with(kernel.as_str(), ""));
        let app = &reading.study.apps[0];
        let problem = KernelProblem::of(kernel);
        assert_eq!((app.problem, app.kernel), (Some(problem), problem.access()));
        assert_eq!(app.arithmetic_intensity, problem.modelled_intensity());
    }
    let defaults = read(&with("blackscholes", "[app.problem]\nruns = 3")).defaults;
    let of_problem: Vec<_> = defaults
        .iter()
        .filter(|default| default.key.starts_with("problem.") || default.key == "arithmetic_intensity")
        .map(|default| (default.key.as_str(), default.value.as_str()))
        .collect();
    assert_eq!(of_problem, [("problem.options", "10000000"), ("arithmetic_intensity", "2.4642857142857144")]);
}

#[test]
fn sizes_and_variants_are_read() {
    let text = with("blackscholes", "[app.problem]\noptions = 1_000\nruns = 3");
    assert_eq!(problem_of(&text), KernelProblem::BlackScholes(BlackScholes { options: 1000, runs: 3 }));
    let text = with(
        "spmv",
        "problem = { cells = [2, 3, 4], iterations = 1, elements = \"real\", partition = \"nonzeros\" }",
    );
    let expected = Spmv {
        cells: Cells([2, 3, 4]),
        iterations: 1,
        elements: Elements::Real,
        partition: Partition::Nonzeros,
        ..Spmv::default()
    };
    assert_eq!(problem_of(&text), KernelProblem::Spmv(expected));
    let text = with("memcpy", "[app.problem]\nsize_mib = 64\nsource = \"per-node\"\nfaults = \"inside\"");
    let expected =
        Memcpy { size_mib: 64, source: Source::PerNode, faults: Faults::Inside, ..Memcpy::default() };
    assert_eq!(problem_of(&text), KernelProblem::Memcpy(expected));
    let KernelProblem::Spmv(spmv) = problem_of(&with("spmv", "problem = { cells = 37 }")) else { panic!() };
    assert_eq!(spmv.cells, Cells([37; 3]));
}

#[test]
fn an_intensity_close_to_the_count_of_the_kernel_is_accepted() {
    let app = |keys: &str| read(&with("blackscholes", keys)).study.apps[0].arithmetic_intensity;
    assert_eq!(app("arithmetic_intensity = 2.5").value().to_bits(), 2.5_f64.to_bits());
    let copy = read(&with("memcpy", "")).study.apps[0].arithmetic_intensity;
    assert_eq!(copy, NEXT_TO_NOTHING);
}

#[test]
fn mistakes_are_reported_at_their_place() {
    for (kernel, keys, kind, marked) in [
        ("blackscholes", "arithmetic_intensity = 0.5", ProblemKind::Conflict, "0.5"),
        ("memcpy", "arithmetic_intensity = 0.5", ProblemKind::Conflict, "0.5"),
        ("blackschole", "", ProblemKind::BadValue, "\"blackschole\""),
        ("dmv", "problem = 3", ProblemKind::WrongType, "3"),
        ("dmv", "problem = { options = 3 }", ProblemKind::UnknownKey, "options"),
        ("dmv", "problem = { rows = 0 }", ProblemKind::BadValue, "0"),
        ("spmv", "problem = { cells = [4, 4] }", ProblemKind::WrongLength, "[4, 4]"),
        ("spmv", "problem = { cells = 85 }", ProblemKind::Limit, "85"),
        ("spmv", "problem = { elements = \"float\" }", ProblemKind::BadValue, "\"float\""),
        ("chase", "problem = { chains = 33 }", ProblemKind::Limit, "33"),
        ("read", "", ProblemKind::MissingKey, "[[app]]"),
        ("read", "arithmetic_intensity = 1\nproblem = {}", ProblemKind::Conflict, "problem"),
    ] {
        assert_eq!(problem(&with(kernel, keys)), (kind, marked.to_owned()), "{kernel} {keys}");
    }
}

#[test]
fn the_error_for_an_unknown_kernel_lists_all_kernels() {
    let problems = read_study(&files(&[&with("fft", "")])).expect_err("no such kernel");
    let message = &problems[0].message;
    for word in Access::ALL.map(Access::as_str).into_iter().chain(KernelName::ALL.map(KernelName::as_str)) {
        assert!(message.contains(word), "{word}: {message}");
    }
}

/// Values that a program writes are read back unchanged.
#[test]
fn written_problems_are_read_back_unchanged() {
    for kernel in KernelName::ALL {
        let study = read(&with(kernel.as_str(), "")).study;
        let written = crate::writing::study::study(&study);
        let again = read(&written).study;
        assert_eq!((&again.machine.nodes(), &again.apps), (&study.machine.nodes(), &study.apps), "{written}");
    }
}

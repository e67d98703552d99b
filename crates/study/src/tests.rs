//! Tests of the whole reader; the messages are tested where they are shown.

mod caches;
mod kernels;
mod memoryless;
mod variants;

use std::collections::{BTreeMap, BTreeSet};

use super::keys::Shape;
use super::testing::{self, MACHINE, files};
use super::*;
use numasim_model::app::{Access, Data, Placement};
use numasim_model::ids::NodeId;
use numasim_model::machine::{FigureKind, Node};
use numasim_model::problem::KernelName;
use numasim_model::units::{Gibibytes, GigabytesPerSecond};

fn read(text: &str) -> Reading {
    match read_study(&files(&[text])) {
        Ok(reading) => reading,
        Err(problems) => panic!("{problems:#?}"),
    }
}

/// Kind and marked text of each problem.
fn problems(texts: &[&str]) -> Vec<(ProblemKind, String)> {
    testing::problems(texts, read_study)
}

fn problem(text: &str) -> (ProblemKind, String) {
    testing::problem(text, read_study)
}

fn with_app(keys: &str) -> String {
    format!("{MACHINE}[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n{keys}\n")
}

#[test]
fn whole_numbers_are_accepted_where_a_float_is_expected() {
    let machine = read(MACHINE).study.machine;
    let (zero, one) = (NodeId(0), NodeId(1));
    assert_eq!(machine.node(zero).bandwidth.value().to_bits(), 32.0_f64.to_bits());
    assert_eq!(machine.link(one, zero).map(GigabytesPerSecond::value), Some(8.5));
}

#[test]
fn all_four_combinations_of_node_and_bandwidth_forms_are_legal() {
    let uniform = "nodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\n";
    let listed = "[[machine.node]]\ncores = 4\ngflops_per_core = 10.0\n[[machine.node]]\ncores = 4\ngflops_per_core = 10.0\n";
    let flat = "bandwidth_gbs = 30.0\nlink_gbs = 5.0\n";
    let matrix = "bandwidth_matrix_gbs = [[30.0, 5.0], [5.0, 30.0]]\n";
    let machine = |nodes: &str, bandwidth: &str| {
        let head = "[machine]\nname = \"m\"\n";
        let text = if nodes == listed {
            format!("{head}{bandwidth}{nodes}")
        } else {
            format!("{head}{nodes}{bandwidth}")
        };
        read(&text).study.machine
    };
    let expected = machine(uniform, flat);
    for (nodes, bandwidth) in [(listed, flat), (uniform, matrix), (listed, matrix)] {
        let found = machine(nodes, bandwidth);
        assert_eq!(found.nodes(), expected.nodes());
        assert_eq!(found.link(NodeId(0), NodeId(1)), expected.link(NodeId(0), NodeId(1)));
    }
}

#[test]
fn in_the_row_of_a_node_without_cores_only_the_diagonal_counts() {
    let text = "[machine]\nname = \"cxl\"\nbandwidth_matrix_gbs = [[20, 6], [0, 12]]\n[[machine.node]]\ncores = 4\ngflops_per_core = 1\n[[machine.node]]\ncores = 0\n";
    let machine = read(text).study.machine;
    assert_eq!(machine.node(NodeId(1)).bandwidth.value().to_bits(), 12.0_f64.to_bits());
    assert_eq!(machine.link(NodeId(1), NodeId(0)), None);
    let swapped = text.replace("[[20, 6], [0, 12]]", "[[20, 0], [5, 12]]");
    assert_eq!(problem(&swapped), (ProblemKind::BadValue, "0".to_owned()));
}

#[test]
fn a_node_overrides_the_core_bandwidth_of_the_machine() {
    let text = "[machine]\nname = \"m\"\nbandwidth_gbs = 20\nlink_gbs = 5\ncore_bandwidth_gbs = 9\n[[machine.node]]\ncores = 1\ngflops_per_core = 1\n[[machine.node]]\ncores = 1\ngflops_per_core = 1\ncore_bandwidth_gbs = 3\n";
    let ceilings: Vec<_> = read(text)
        .study
        .machine
        .nodes()
        .iter()
        .map(|node| node.core_bandwidth.map(GigabytesPerSecond::value))
        .collect();
    assert_eq!(ceilings, [Some(9.0), Some(3.0)]);
}

#[test]
fn one_node_needs_no_link() {
    let text = MACHINE.replace("nodes = 2", "nodes = 1").replace("link_gbs = 8.5\n", "");
    assert_eq!(read(&text).study.machine.node_count(), 1);
}

#[test]
fn provenance_is_kept_by_key() {
    let text = format!(
        "{MACHINE}[machine.provenance]\nlink_gbs = {{ kind = \"measured\", source = \"MLC\", uncertainty_percent = 2, interval95_percent = 1.5 }}\n"
    );
    let machine = read(&text).study.machine;
    let link = &machine.provenance()["link_gbs"];
    assert_eq!((link.kind, link.source.as_deref()), (FigureKind::Measured, Some("MLC")));
    assert_eq!((link.uncertainty_percent, link.interval95_percent), (Some(2.0), Some(1.5)));
}

#[test]
fn only_several_instances_are_numbered() {
    let text = format!(
        "{MACHINE}[[app]]\nname = \"mem\"\ninstances = 2\narithmetic_intensity = 1\n[[app]]\nname = \"one\"\narithmetic_intensity = 1\n"
    );
    let names: Vec<String> = read(&text).study.apps.into_iter().map(|app| app.name).collect();
    assert_eq!(names, ["mem-1", "mem-2", "one"]);
}

#[test]
fn every_form_of_data_is_read() {
    let cases = [
        ("\"local\"", Data::Placed(Placement::Local)),
        ("\"interleave\"", Data::Placed(Placement::Interleave)),
        ("{ home = 1 }", Data::Placed(Placement::Home(NodeId(1)))),
        ("{ home = \"any\" }", Data::OpenHome { share: 1.0 }),
        ("{ fractions = [0.25, 0.75] }", Data::Placed(Placement::Fractions(vec![0.25, 0.75]))),
        ("{ fractions = \"any\" }", Data::OpenFractions),
    ];
    for (text, expected) in cases {
        let reading = read(&with_app(&format!("data = {text}")));
        assert_eq!(reading.study.apps[0].data, expected, "{text}");
    }
}

#[test]
fn the_sum_of_fractions_may_miss_one_by_a_billionth() {
    let sum = |last: &str| with_app(&format!("data = {{ fractions = [0.5, {last}] }}"));
    read(&sum("0.5000000009"));
    assert_eq!(problem(&sum("0.500000002")).0, ProblemKind::BadValue);
}

const SCENARIO: &str = "[[app]]\nname = \"mem\"\ninstances = 3\narithmetic_intensity = 0.5\n[[app]]\nname = \"x\"\narithmetic_intensity = 1\n[[scenario]]\nname = \"s\"\n";

#[test]
fn an_instance_overrides_its_group_regardless_of_the_order() {
    let text = format!(
        "{MACHINE}{SCENARIO}threads = {{ \"mem-2\" = [2, 0], mem = 1 }}\ndata = {{ \"mem-3\" = {{ home = 1 }}, mem = \"interleave\" }}\n"
    );
    let reading = read(&text);
    let scenario = &reading.study.scenarios[0];
    // mem-1, mem-2, mem-3, x, each on node 0 and node 1
    assert_eq!(scenario.allocation.as_slice(), [1, 1, 2, 0, 1, 1, 0, 0]);
    assert_eq!(scenario.data[1], Data::Placed(Placement::Interleave));
    assert_eq!(scenario.data[2], Data::Placed(Placement::Home(NodeId(1))));
    assert_eq!(scenario.data[3], Data::Placed(Placement::Local));
}

#[test]
fn one_number_means_every_node_with_cores() {
    let machine = "[machine]\nname = \"cxl\"\nbandwidth_gbs = 9\nlink_gbs = 9\n[[machine.node]]\ncores = 4\ngflops_per_core = 1\n[[machine.node]]\ncores = 0\n";
    let reading = read(&format!("{machine}{SCENARIO}threads = {{ x = 4 }}\n"));
    assert_eq!(reading.study.scenarios[0].allocation.row(numasim_model::AppId(3)), [4, 0]);
}

#[test]
fn threads_of_all_instances_count_against_the_cores_of_a_node() {
    // three instances with one thread each, and two of x: 5 threads on 4 cores
    let text = format!("{MACHINE}{SCENARIO}threads = {{ mem = 1, x = [2, 1] }}\n");
    let found = read_study(&files(&[&text])).expect_err("does not fit");
    assert_eq!(found[0].kind, ProblemKind::TooManyThreads);
    assert_eq!(found[0].message, "node 0 gets 5 threads, but has 4 cores");
}

#[test]
fn every_default_is_listed() {
    let text = format!("{MACHINE}{SCENARIO}threads = {{ \"mem-2\" = 1 }}\n");
    let found: Vec<String> = read(&text)
        .defaults
        .iter()
        .map(|d| format!("{} {} {} = {}", d.table.as_str(), d.name, d.key, d.value))
        .collect();
    let app = |name: &str, instances: bool| {
        let keys = [
            "instances = 1",
            "data = local",
            "nodes = all",
            "memory_gib = not given",
            "kernel = read",
            "min_threads = 1",
            "max_threads = no limit",
            "weight = 1",
            "work_gflop = not given",
        ];
        let keys = keys.into_iter().skip(usize::from(!instances));
        keys.map(|key| format!("app {name} {key}")).collect::<Vec<_>>()
    };
    let machine = [
        "source = not given",
        "core_bandwidth_gbs = no limit",
        "read_gbs = no limit",
        "memory_gib = not given",
    ];
    let mut expected: Vec<String> = machine.iter().map(|default| format!("machine m {default}")).collect();
    expected.extend(app("mem", false));
    expected.extend(app("x", true));
    for key in ["threads.mem-1", "threads.mem-3", "threads.x"] {
        expected.push(format!("scenario s {key} = 0"));
    }
    assert_eq!(found, expected);
}

#[test]
fn l3_domains_are_those_of_the_machine_unless_the_node_defines_them() {
    let text = "[machine]\nname = \"m\"\nbandwidth_gbs = 20\nlink_gbs = 5\ncores_per_l3 = 4\nl3_read_gbs = 50\n[[machine.node]]\ncores = 8\ngflops_per_core = 1\n[[machine.node]]\ncores = 6\ngflops_per_core = 1\ncores_per_l3 = 2\n[[machine.node]]\ncores = 0\n";
    let machine = read(text).study.machine;
    let domains: Vec<usize> = machine.nodes().iter().map(Node::domains).collect();
    assert_eq!(domains, [2, 3, 1]);
    assert!(machine.nodes().iter().all(|node| node.l3_bandwidth.is_some()));
}

#[test]
fn tables_of_several_files_are_joined_in_order() {
    let app = "[[app]]\nname = \"b\"\narithmetic_intensity = 1\n";
    let reading =
        read_study(&files(&[app, MACHINE, &app.replace("\"b\"", "\"a\"")])).expect("three good files");
    let names: Vec<&str> = reading.study.apps.iter().map(|app| app.name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
}

#[test]
fn the_problems_of_all_files_are_reported_in_order() {
    let found = problems(&[
        "[[app]]\nname = \"a\"\narithmetic_intensity = -1.0\nwheight = 2\n",
        &MACHINE.replace("= 8.5", "= 0"),
    ]);
    let expected = [
        (ProblemKind::BadValue, "-1.0".to_owned()),
        (ProblemKind::UnknownKey, "wheight".to_owned()),
        (ProblemKind::BadValue, "0".to_owned()),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_broken_machine_neither_hides_nor_creates_mistakes_of_an_app() {
    let text = format!("{}{SCENARIO}threads = {{ mem = 1, y = 2 }}\n", MACHINE.replace("= 32", "= nan"));
    let found = problems(&[&text]);
    assert_eq!(
        found,
        [(ProblemKind::BadValue, "nan".to_owned()), (ProblemKind::UnknownName, "y".to_owned())]
    );
}

#[test]
fn invalid_values_are_rejected() {
    for (value, kind) in [
        ("0", ProblemKind::BadValue),
        ("-0.0", ProblemKind::BadValue),
        ("-3", ProblemKind::BadValue),
        ("nan", ProblemKind::BadValue),
        ("inf", ProblemKind::BadValue),
        ("-inf", ProblemKind::BadValue),
        ("1e999", ProblemKind::BadValue),
        ("1e-400", ProblemKind::BadValue),
        ("99999999999999999999999999999999999999999999999999", ProblemKind::BadValue),
        ("\"32\"", ProblemKind::WrongType),
        ("true", ProblemKind::WrongType),
        ("2024-01-01", ProblemKind::WrongType),
        ("[1]", ProblemKind::WrongType),
    ] {
        let text = MACHINE.replace("bandwidth_gbs = 32", &format!("bandwidth_gbs = {value}"));
        assert_eq!(problem(&text), (kind, value.to_owned()));
    }
}

#[test]
fn invalid_counts_are_rejected() {
    for (value, kind) in [
        ("0", ProblemKind::BadValue),
        ("-1", ProblemKind::BadValue),
        ("1025", ProblemKind::Limit),
        ("9223372036854775808", ProblemKind::Limit),
        ("2.0", ProblemKind::WrongType),
        ("\"2\"", ProblemKind::WrongType),
    ] {
        assert_eq!(
            problem(&MACHINE.replace("nodes = 2", &format!("nodes = {value}"))),
            (kind, value.to_owned())
        );
    }
}

#[test]
fn zero_is_allowed_if_it_is_meaningful() {
    let app = &read(&with_app("weight = 0\nmin_threads = 0\nmax_threads = 0")).study.apps[0];
    assert_eq!((app.weight.to_bits(), app.min_threads, app.max_threads), (0, 0, Some(0)));
    // without min_threads = 0 the default of 1 contradicts it
    assert_eq!(problem(&with_app("max_threads = 0")).0, ProblemKind::BadValue);
}

#[test]
fn limits_are_checked_before_values_of_that_size_are_built() {
    let app = |n: usize, instances: usize| {
        format!("[[app]]\nname = \"a{n}\"\ninstances = {instances}\narithmetic_intensity = 1\n")
    };
    read(&format!("{MACHINE}{}{}", app(0, 5000), app(1, 5000)));
    let text = format!("{MACHINE}{}{}", app(0, 5000), app(1, 5001));
    assert_eq!(problem(&text), (ProblemKind::Limit, "5001".to_owned()));
    let huge = files(&[&"[".repeat(10_000_000)]);
    assert_eq!(read_study(&huge).expect_err("too long")[0].kind, ProblemKind::Limit);
}

#[test]
fn thousands_of_problems_are_cut_quickly() {
    for unit in ["a b\n", "x = 1\n", "[a.b]\n", "[[app]]\n", "[[scenario]]\nthreads = { q = 1 }\n"] {
        let text = unit.repeat(1_000_000 / unit.len());
        let found = read_study(&files(&[&text])).expect_err("nonsense");
        assert_eq!((found.len(), found[200].kind), (201, ProblemKind::More), "{unit:?}");
    }
}

#[test]
fn the_sharing_model_of_a_machine_is_read_with_its_parameters() {
    let text = format!(
        "{MACHINE}latency_matrix_ns = [[90, 140.0], [141.0, 91.0]]\n[machine.sharing]\nmodel = \"max-min\"\noutstanding_lines = 12\nremote_loss = 0.25\n"
    );
    let machine = read_study(&files(&[&text])).expect("no problems").study.machine;
    assert_eq!(machine.sharing().in_words(), "max-min (outstanding_lines 12, remote_loss 0.25)");
    assert_eq!(machine.latency_ns(NodeId(1), NodeId(0)), Some(141.0));
}

#[test]
fn mistakes_in_the_sharing_model_are_reported() {
    let messages_of = |keys: &str| {
        let text = format!("{MACHINE}[machine.sharing]\n{keys}\n");
        let problems = read_study(&files(&[&text])).expect_err("a mistake");
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
    };
    assert!(
        messages_of("model = \"maxmin\"")[0].starts_with("`model` must be one of `baseline-proportional`")
    );
    assert_eq!(
        messages_of("saturation_knee = 2.0"),
        ["`saturation_knee` must be a number from 0 to 1, not 2"]
    );
    assert_eq!(messages_of("knee = 0.1"), ["unknown key `knee` in [machine.sharing]"]);
    assert_eq!(
        messages_of("outstanding_lines = 10"),
        ["`outstanding_lines` needs the latencies of the machine"]
    );
}

#[test]
fn outstanding_lines_of_an_application_require_latencies() {
    let problems = read_study(&files(&[&with_app("outstanding_lines = 1")])).expect_err("a mistake");
    assert_eq!(problems[0].message, "`outstanding_lines` needs the latencies of the machine");
    let text = format!(
        "{MACHINE}latency_matrix_ns = [[90, 140.0], [141.0, 91.0]]\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\noutstanding_lines = 1\n"
    );
    assert_eq!(read(&text).study.apps[0].outstanding_lines, Some(1.0));
}

/// The reader asks for every declared key in every table, so that none is accepted and ignored.
#[test]
fn every_declared_key_is_read() {
    let text = format!(
        "{MACHINE}[machine.provenance]\nlink_gbs = {{ kind = \"measured\" }}\n[machine.sharing]\nmodel = \"ecm\"\n[machine.kernels]\nread = {{}}\n[[machine.node]]\n[[machine.shared_link]]\n{SCENARIO}threads = {{}}\n[[app]]\ndata = {{}}\nrate = {{}}\n{}",
        KernelName::ALL
            .map(|kernel| format!("[[app]]\nkernel = \"{}\"\n[app.problem]\n", kernel.as_str()))
            .concat()
    );
    let log = Log::default();
    let _: Option<Reading> = read_files(&files(&[&text]), &log, &root::TABLE, ());
    let known = log.keys.borrow();
    let mut declared = BTreeMap::new();
    add_keys(&keys::root::TABLE, &mut declared);
    assert_eq!(known.len(), declared.len(), "a table without a test: {:?}", known.keys());
    for (title, expected) in declared {
        assert_eq!(known[title], expected, "{title}");
    }
}

/// The keys of a table and of all tables below it, by their titles.
fn add_keys(table: &keys::Table, into: &mut BTreeMap<&'static str, BTreeSet<&'static str>>) {
    for key in table.keys {
        into.entry(table.title).or_default().insert(key.name);
        add_keys_of(&key.shape, into);
    }
}

fn add_keys_of(shape: &Shape, into: &mut BTreeMap<&'static str, BTreeSet<&'static str>>) {
    match shape {
        Shape::Table(table) | Shape::Tables(table, ..) => add_keys(table, into),
        Shape::Map(each) | Shape::List(each, ..) => add_keys_of(each, into),
        Shape::Forms(forms) => forms.forms.iter().for_each(|(form, _)| add_keys_of(form, into)),
        _ => {}
    }
}

#[test]
fn the_benchmark_kernel_is_one_of_four_words() {
    let kernel = |keys: &str| read(&with_app(keys)).study.apps[0].kernel;
    assert_eq!(kernel(""), Access::Read);
    for access in Access::ALL {
        assert_eq!(kernel(&format!("kernel = \"{}\"", access.as_str())), access);
    }
    assert_eq!(problem(&with_app("kernel = \"Triad\"")), (ProblemKind::BadValue, "\"Triad\"".to_owned()));
}

#[test]
fn shared_links_are_read_in_both_directions_or_in_one() {
    let text = format!(
        "{MACHINE}[[machine.shared_link]]\nname = \"xGMI\"\ngbs = 60\nbetween = [[1], [0]]\n[[machine.shared_link]]\nname = \"there\"\ngbs = 5.5\nfrom = [0]\nto = [1]\n"
    );
    let links = read(&text).study.machine.shared_links().to_vec();
    let plain: Vec<_> = links
        .iter()
        .map(|link| {
            (link.name.as_str(), link.bandwidth.value(), link.from[0].0, link.to[0].0, link.both_ways)
        })
        .collect();
    assert_eq!(plain, [("xGMI", 60.0, 1, 0, true), ("there", 5.5, 0, 1, false)]);
}

#[test]
fn sockets_are_equivalent_to_a_matrix_and_shared_links() {
    let text = "[machine]\nname = \"m\"\nnodes = 6\ncores_per_node = 4\ngflops_per_core = 1\nbandwidth_gbs = 40\nlink_gbs = 20\nsockets = 3\nsocket_link_gbs = 8\nshared_link_gbs = 12\n";
    let reading = read(text);
    let machine = &reading.study.machine;
    let link = |from, to| machine.link(NodeId(from), NodeId(to)).expect("a link").value();
    // Nodes 0 and 1, 2 and 3, 4 and 5 are together.
    assert_eq!([link(0, 1), link(3, 2), link(1, 2), link(5, 0)], [20.0, 20.0, 8.0, 8.0]);
    let names: Vec<&str> = machine.shared_links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["socket 0 - socket 1", "socket 0 - socket 2", "socket 1 - socket 2"]);
    let last = &machine.shared_links()[2];
    assert_eq!((&last.from, &last.to), (&vec![NodeId(2), NodeId(3)], &vec![NodeId(4), NodeId(5)]));
    assert_eq!((last.bandwidth.value(), reading.sockets), (12.0, Some(3)));
    // One node on each socket needs no link inside it.
    let alone = text.replace("link_gbs = 20\n", "").replace("nodes = 6", "nodes = 3");
    assert!(read(&alone).study.machine.link(NodeId(0), NodeId(2)).is_some_and(|link| link.value() == 8.0));
}

#[test]
fn node_limits_and_memories_are_those_of_the_node_or_of_the_machine() {
    let text = "[machine]\nname = \"m\"\nread_gbs = 50\nmemory_gib = 64\nbandwidth_matrix_gbs = [[40, 9], [9, 40]]\n[[machine.node]]\ncores = 1\ngflops_per_core = 1\nread_gbs = 45.5\n[[machine.node]]\ncores = 0\nmemory_gib = 512\n";
    let nodes = read(text).study.machine.nodes().to_vec();
    let of = |n: usize| {
        (nodes[n].read_bandwidth.map(GigabytesPerSecond::value), nodes[n].memory.map(Gibibytes::value))
    };
    assert_eq!([of(0), of(1)], [(Some(45.5), Some(64.0)), (Some(50.0), Some(512.0))]);
}

#[test]
fn a_share_of_the_data_may_be_placed_elsewhere() {
    let data = |value: &str| read(&with_app(&format!("data = {value}"))).study.apps[0].data.clone();
    let home = NodeId(1);
    assert_eq!(data("{ home = 1, share = 0.5 }"), Data::Placed(Placement::PartHome { home, share: 0.5 }));
    assert_eq!(data("{ home = \"any\", share = 0.25 }"), Data::OpenHome { share: 0.25 });
    assert_eq!(data("{ interleave = 0.3 }"), Data::Placed(Placement::PartInterleave { share: 0.3 }));
    // A share of 1 or 0 equals the placement without a share.
    assert_eq!(data("{ home = 1, share = 1 }"), Data::Placed(Placement::Home(home)));
    assert_eq!(data("{ interleave = 1.0 }"), Data::Placed(Placement::Interleave));
    for nothing in ["{ home = 1, share = 0 }", "{ home = \"any\", share = 0.0 }", "{ interleave = 0 }"] {
        assert_eq!(data(nothing), Data::Placed(Placement::Local), "{nothing}");
    }
}

#[test]
fn an_application_may_be_restricted_to_nodes_and_have_a_size() {
    let app = &read(&with_app("nodes = [1, 0]\nmemory_gib = 40")).study.apps[0];
    assert_eq!(app.nodes, Some(vec![NodeId(0), NodeId(1)]));
    assert_eq!(app.memory.map(Gibibytes::value), Some(40.0));
    let plain = &read(&with_app("")).study.apps[0];
    assert_eq!((&plain.nodes, plain.memory), (&None, None));
}

proptest::proptest! {
    #![proptest_config(crate::random::questions(256))]

    /// The reader answers for any text and never panics.
    #[test]
    fn no_text_makes_the_reader_panic(text in r#"([\[\]{}=,."' \n#a-c0-1]|machine|app|\[\[app\]\]\n|nodes|name|scenario|threads|data|task|block|graph|generator|in|out|é){0,60}"#) {
        let _ = read_study(&files(&[&text, &text]));
    }
}

//! Reading of the keys about time.

use super::{MACHINE, files, problem, problems, read, with_app};
use crate::{
    Binding, Call, Channel, Cluster, Command, Course, Os, Phase, Pick, Reading, Scaling, Synchronisation,
    Wake, Work, read_study,
};
use numasim_model::ids::{AppId, NodeId};
use numasim_model::order::{Control, Order};
use numasim_model::units::{FlopPerByte, Gflop, Megabytes, Seconds};
use numasim_model::{Data, Placement};
use numasim_study::{Problem, ProblemKind, TableKind};

/// Two nodes of 4 cores, and these applications of 1 FLOP/byte: a name, and more keys.
fn with_apps(apps: &[(&str, &str)], rest: &str) -> String {
    let app = |(name, keys): &(&str, &str)| {
        format!("[[app]]\nname = \"{name}\"\narithmetic_intensity = 1\n{keys}\n")
    };
    format!("{MACHINE}{}{rest}\n", apps.iter().map(app).collect::<String>())
}

fn course(keys: &str) -> Course {
    read(&with_app(keys)).study.dynamics.courses.remove(0)
}

fn work(keys: &str) -> Option<Work> {
    course(keys).phases.remove(0).work
}

fn tasks(count: u64, each: &[f64]) -> Work {
    Work::Tasks { count, each: each.iter().copied().map(Gflop::new).collect() }
}

fn found(text: &str) -> Vec<Problem> {
    read_study(&files(&[text])).err().unwrap_or_default()
}

fn message(text: &str) -> String {
    let mut found = found(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0).message
}

#[test]
fn files_without_time_describe_one_iteration_of_divisible_work() {
    let reading = read(&with_app("work_gflop = 100"));
    let dynamics = &reading.study.dynamics;
    let phase = Phase {
        arithmetic_intensity: FlopPerByte::new(0.5),
        data: Data::Placed(Placement::Local),
        owns_data: false,
        scaling: Scaling::Linear,
        io: Seconds::new(0.0),
        work: Some(Work::Divisible(Gflop::new(100.0))),
        total_given: true,
    };
    let expected = Course {
        iterations: 1,
        phases: vec![phase],
        arrives: Seconds::new(0.0),
        threads: vec![4, 4],
        binding: Binding::Node,
        control: Control::PerNode,
        pick: Pick::Spread,
        task_spread: 0.0,
        task_jitter: 0.0,
        wake: Wake::default(),
        command: None,
    };
    assert_eq!(dynamics.courses, [expected]);
    assert_eq!((&dynamics.os, &dynamics.cluster), (&Os::default(), &None));
    assert_eq!((&dynamics.policy.name, dynamics.policy.period), (&None, Seconds::new(0.0)));
    assert!(dynamics.channels.is_empty() && dynamics.calls.is_empty() && dynamics.commands.is_empty());
    assert!(reading.is_default(TableKind::Os, "", "slice_ms"));
}

#[test]
fn work_is_optional_because_only_simulations_need_it() {
    let reading = read(&with_app("tasks = 8\nio_ms = 10"));
    assert_eq!(reading.study.dynamics.courses[0].phases[0].work, None);
    assert_eq!((reading.study.apps[0].work, reading.further.apps[0].work.clone()), (None, None));
}

#[test]
fn total_work_is_divided_among_iterations_and_tasks() {
    // 100 GFLOP in 5 iterations of 4 tasks: 100 / 5 / 4 = 5
    assert_eq!(work("work_gflop = 100\niterations = 5\ntasks = 4"), Some(tasks(4, &[5.0])));
    assert_eq!(work("work_gflop = 100\niterations = 5"), Some(Work::Divisible(Gflop::new(20.0))));
    let app = |keys: &str| read(&with_app(keys)).study.apps[0].work;
    assert_eq!(app("work_gflop = 100\niterations = 3"), Some(Gflop::new(100.0)));
}

#[test]
fn work_by_task_is_that_of_one_iteration() {
    assert_eq!(work("task_gflop = 3"), Some(tasks(1, &[3.0])));
    assert_eq!(work("task_gflop = [3, 4.5]"), Some(tasks(2, &[3.0, 4.5])));
    assert_eq!(work("task_gflop = [3, 4]\ntasks = 5"), Some(tasks(5, &[3.0, 4.0])));
    // 3 + 4 + 3 + 4 + 3 = 17 GFLOP in each of 10 iterations: what the makespan counts with.
    let app = &read(&with_app("task_gflop = [3, 4]\ntasks = 5\niterations = 10")).study.apps[0];
    assert_eq!(app.work, Some(Gflop::new(170.0)));
}

#[test]
fn tasks_without_work_take_no_time_and_have_no_makespan() {
    for keys in ["task_gflop = 0", "work_gflop = 0\ntasks = 1"] {
        assert_eq!(work(keys), Some(tasks(1, &[0.0])), "{keys}");
        assert_eq!(read(&with_app(keys)).study.apps[0].work, None, "{keys}");
    }
    // Without tasks, zero work counts as no work.
    assert_eq!(problem(&with_app("work_gflop = 0")), (ProblemKind::BadValue, "0".to_owned()));
}

#[test]
fn phases_inherit_missing_keys_from_their_application() {
    let course = course(
        "iterations = 2\nio_ms = 5\nscaling = { serial_fraction = 0.25 }\n[[app.phase]]\ntask_gflop = 1\n[[app.phase]]\narithmetic_intensity = 4\ndata = { home = 1 }\nscaling = { serial_fraction = 0 }\nio_ms = 0\nwork_gflop = 10",
    );
    let [first, second] = course.phases.as_slice() else { panic!("two phases: {course:?}") };
    assert_eq!(first.arithmetic_intensity, FlopPerByte::new(0.5));
    assert_eq!((first.io, &first.scaling), (Seconds::new(0.005), &Scaling::Serial { fraction: 0.25 }));
    assert_eq!((first.work.clone(), first.total_given), (Some(tasks(1, &[1.0])), false));
    assert_eq!(second.arithmetic_intensity, FlopPerByte::new(4.0));
    assert_eq!(second.data, Data::Placed(Placement::Home(NodeId(1))));
    assert_eq!((second.io, &second.scaling), (Seconds::new(0.0), &Scaling::Serial { fraction: 0.0 }));
    assert_eq!((&second.work, second.total_given), (&Some(Work::Divisible(Gflop::new(5.0))), true));
    // 2 iterations of 1 GFLOP, and 10 GFLOP in all.
    let text = with_app("iterations = 2\n[[app.phase]]\ntask_gflop = 1\n[[app.phase]]\nwork_gflop = 10");
    assert_eq!(read(&text).study.apps[0].work, Some(Gflop::new(12.0)));
}

#[test]
fn work_that_is_given_twice_is_refused() {
    let conflict = |keys: &str, marked: &str| {
        assert_eq!(problem(&with_app(keys)), (ProblemKind::Conflict, marked.to_owned()), "{keys}");
    };
    conflict("work_gflop = 1\ntask_gflop = 2", "task_gflop");
    conflict("work_gflop = 1\n[[app.phase]]\ntask_gflop = 2", "work_gflop");
    conflict("tasks = 3\n[[app.phase]]\ntask_gflop = 2", "tasks");
    conflict("[[app.phase]]\ntask_gflop = 2\nwork_gflop = 1", "task_gflop");
}

#[test]
fn a_sleep_after_tasks_needs_tasks() {
    let missing = |keys: &str, marked: &str| {
        assert_eq!(problem(&with_app(keys)), (ProblemKind::MissingKey, marked.to_owned()), "{keys}");
    };
    missing("io_ms = 5\nwork_gflop = 1", "5");
    missing("io_ms = 6", "6");
    missing("io_ms = 7\n[[app.phase]]\nwork_gflop = 1\n[[app.phase]]\ntask_gflop = 1", "7");
    read(&with_app("io_ms = 0\nwork_gflop = 1"));
}

#[test]
fn speedups_begin_with_one_thread_and_never_fall() {
    let points = course("scaling = { table = [[1, 1.0], [4, 3.1], [8, 3.1]] }").phases.remove(0).scaling;
    assert_eq!(points, Scaling::Table(vec![(1, 1.0), (4, 3.1), (8, 3.1)]));
    for (table, kind) in [
        ("[]", ProblemKind::BadValue),
        ("[[2, 2.0]]", ProblemKind::BadValue),
        ("[[1, 1.1]]", ProblemKind::BadValue),
        ("[[1, 1.0], [4, 3.0], [4, 3.5]]", ProblemKind::BadValue),
        ("[[1, 1.0], [4, 3.0], [8, 2.9]]", ProblemKind::BadValue),
        ("[[1, 1.0], [4, 4.1]]", ProblemKind::BadValue),
        ("[[1, 1.0, 2]]", ProblemKind::WrongLength),
        ("[1, 1.0]", ProblemKind::WrongType),
    ] {
        let found = problems(&[&with_app(&format!("scaling = {{ table = {table} }}"))]);
        assert_eq!(found.first().map(|(kind, _)| *kind), Some(kind), "{table}");
    }
    assert_eq!(problem(&with_app("scaling = { serial_fraction = 1.5 }")).1, "1.5");
    assert_eq!(problem(&with_app("scaling = { serial_fraction = 0.5, table = [] }")).1, "table");
    assert_eq!(problem(&with_app("scaling = {}")).0, ProblemKind::MissingKey);
}

#[test]
fn threads_run_on_allowed_nodes_with_cores() {
    assert_eq!(course("threads = 9").threads, [9, 9]);
    assert_eq!(course("threads = [9, 0]").threads, [9, 0]);
    assert_eq!(course("nodes = [1]").threads, [0, 4]);
    assert_eq!(course("nodes = [1]\nthreads = 2").threads, [0, 2]);
    assert_eq!(problem(&with_app("nodes = [1]\nthreads = [1, 2]")).1, "1");
    assert_eq!(problem(&with_app("threads = 0")).1, "0");
    assert_eq!(problem(&with_app("threads = 65537")).0, ProblemKind::Limit);
    let memory_only = "[machine]\nname = \"cxl\"\nbandwidth_gbs = 9\nlink_gbs = 9\n[[machine.node]]\ncores = 4\ngflops_per_core = 1\n[[machine.node]]\ncores = 0\n";
    let app = "[[app]]\nname = \"a\"\narithmetic_intensity = 1\n";
    let threads =
        |keys: &str| read(&format!("{memory_only}{app}{keys}")).study.dynamics.courses[0].threads.clone();
    assert_eq!((threads(""), threads("threads = 7")), (vec![4, 0], vec![7, 0]));
    assert_eq!(problem(&format!("{memory_only}{app}threads = [1, 1]")).0, ProblemKind::TooManyThreads);
}

#[test]
fn threads_that_are_commanded_by_core_are_bound_to_cores() {
    assert_eq!(course("control = \"cores\"").binding, Binding::Core);
    assert_eq!(course("control = \"cores\"\nbind = \"node\"").binding, Binding::Node);
    let all =
        course("control = \"none\"\nbind = \"core\"\npick = \"pack\"\ntask_spread = 0.5\narrives_s = 2.5");
    assert_eq!((all.control, all.binding, all.pick), (Control::None, Binding::Core, Pick::Pack));
    assert_eq!((all.task_spread, all.arrives), (0.5, Seconds::new(2.5)));
    for (key, word) in [("bind", "none"), ("control", "pernode"), ("pick", "random"), ("wake", "any")] {
        let wrong = problem(&with_app(&format!("{key} = \"{word}\"")));
        assert_eq!(wrong, (ProblemKind::BadValue, format!("\"{word}\"")));
    }
}

#[test]
fn jitter_needs_tasks() {
    assert_eq!(course("task_gflop = 1\ntask_jitter = 0.1").task_jitter, 0.1);
    assert_eq!(course("work_gflop = 1\ntask_jitter = 0").task_jitter, 0.0);
    // One of two phases has tasks.
    let phases = "task_jitter = 0.1\n[[app.phase]]\nwork_gflop = 1\n[[app.phase]]\ntask_gflop = 1";
    assert_eq!(course(phases).task_jitter, 0.1);
    let none = problem(&with_app("work_gflop = 1\ntask_jitter = 0.1"));
    assert_eq!(none, (ProblemKind::MissingKey, "0.1".to_owned()));
    assert_eq!(problem(&with_app("tasks = 4\ntask_jitter = -1")).0, ProblemKind::BadValue);
}

#[test]
fn random_waking_needs_orders_that_count_threads() {
    assert_eq!(course("").wake, Wake::InOrder);
    assert_eq!(course("control = \"total\"\nwake = \"random\"").wake, Wake::Random);
    for keys in ["control = \"cores\"", "control = \"none\"", "command = [\"./a.out\"]"] {
        let wrong = problem(&with_app(&format!("{keys}\nwake = \"random\"")));
        assert_eq!(wrong, (ProblemKind::BadValue, "\"random\"".to_owned()), "{keys}");
        assert_eq!(course(&format!("{keys}\nwake = \"in-order\"")).wake, Wake::InOrder);
    }
}

#[test]
fn channels_and_calls_join_single_instances() {
    let apps = [("p", "iterations = 10"), ("c", "instances = 2\niterations = 10"), ("lib", "iterations = 5")];
    let text = with_apps(
        &apps,
        "[[channel]]\nfrom = \"p\"\nto = \"c-2\"\nitem_mb = 100\ncapacity = 4\n[[channel]]\nfrom = \"p\"\nto = \"c-1\"\n[[call]]\nfrom = \"p\"\nto = \"lib\"\nevery = 2",
    );
    let dynamics = read(&text).study.dynamics;
    let channel =
        |to, item, capacity| Channel { from: AppId(0), to: AppId(to), item: Megabytes::new(item), capacity };
    assert_eq!(dynamics.channels, [channel(2, 100.0, Some(4)), channel(1, 0.0, None)]);
    assert_eq!(dynamics.calls, [Call { from: AppId(0), to: AppId(3), every: 2 }]);
    // 10 iterations call 5 times.
    let group = text.replace("\"c-2\"", "\"c\"");
    assert_eq!(problem(&group), (ProblemKind::BadValue, "\"c\"".to_owned()));
    let unknown = text.replace("\"c-2\"", "\"q\"");
    assert_eq!(problem(&unknown), (ProblemKind::UnknownName, "\"q\"".to_owned()));
}

#[test]
fn dependences_form_no_cycle() {
    let apps = [("a", ""), ("b", ""), ("c", "")];
    let joint = |kind: &str, from: &str, to: &str| format!("[[{kind}]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    let circle = with_apps(
        &apps,
        &(joint("channel", "b", "c") + &joint("channel", "a", "b") + &joint("channel", "c", "a")),
    );
    let found = found(&circle);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].message, "channels and calls go round in a circle: `b` -> `c` -> `a` -> `b`");
    assert_eq!(found[0].related.len(), 2);
    let itself = with_apps(&apps, &joint("channel", "a", "a"));
    assert_eq!(message(&itself), "channels and calls go round in a circle: `a` -> `a`");
}

#[test]
fn both_ends_of_a_channel_have_equal_iterations() {
    let apps = [("p", "iterations = 10"), ("c", "")];
    let text = with_apps(&apps, "[[channel]]\nfrom = \"p\"\nto = \"c\"\n");
    assert_eq!(message(&text), "`p` has 10 iterations, but `c` has 1 iteration");
}

#[test]
fn a_called_application_has_one_iteration_per_call_and_no_channel() {
    let apps = |lib: &'static str| [("m", "iterations = 7"), ("n", "iterations = 2"), ("lib", lib)];
    let calls = "[[call]]\nfrom = \"m\"\nto = \"lib\"\nevery = 2\n[[call]]\nfrom = \"n\"\nto = \"lib\"\n";
    // After iterations 2, 4 and 6 of m, and 1 and 2 of n.
    read(&with_apps(&apps("iterations = 5"), calls));
    assert_eq!(
        message(&with_apps(&apps("iterations = 6"), calls)),
        "`lib` has 6 iterations, but is called 5 times"
    );
    assert_eq!(message(&with_apps(&apps(""), calls)), "`lib` has 1 iteration, but is called 5 times");
    let channel = "[[channel]]\nfrom = \"lib\"\nto = \"sink\"\n";
    let mut with_sink = apps("iterations = 5").to_vec();
    with_sink.push(("sink", "iterations = 5"));
    let text = with_apps(&with_sink, &format!("{calls}{channel}"));
    assert_eq!(message(&text), "`lib` is called, so it cannot have a channel");
}

#[test]
fn commands_address_one_instance_or_a_whole_group() {
    let apps = [("t", "instances = 2\ncontrol = \"total\""), ("c", "control = \"cores\""), ("p", "")];
    let text = with_apps(
        &apps,
        "[[command]]\nat_s = 0.5\napp = \"t\"\ntotal = 8\n[[command]]\nat_s = 0\napp = \"t-2\"\ntotal = 0\n[[command]]\nat_s = 1\napp = \"c\"\ncores = [7, 0]\n[[command]]\nat_s = 1\napp = \"p\"\nper_node = [4, 0]\n",
    );
    let reading = read(&text);
    let command = |at, app, order| Command { at: Seconds::new(at), app: AppId(app), order };
    assert_eq!(
        reading.study.dynamics.commands,
        [
            command(0.5, 0, Order::Total(8)),
            command(0.5, 1, Order::Total(8)),
            command(0.0, 1, Order::Total(0)),
            command(1.0, 2, Order::Cores(vec![0, 7])),
            command(1.0, 3, Order::PerNode(vec![4, 0])),
        ]
    );
    assert_eq!(reading.further.commands.len(), 5);
}

#[test]
fn commands_that_no_application_can_follow_are_refused() {
    let apps = [
        ("t", "control = \"total\""),
        ("c", "control = \"cores\"\nthreads = [4, 2]"),
        ("p", ""),
        ("n", "control = \"none\""),
    ];
    let wrong = |app: &str, order: &str| {
        problem(&with_apps(&apps, &format!("[[command]]\nat_s = 1\napp = \"{app}\"\n{order}\n")))
    };
    let kind = |app: &str, order: &str| wrong(app, order).0;
    assert_eq!(wrong("t", "cores = [0]"), (ProblemKind::BadValue, "cores".to_owned()));
    assert_eq!(wrong("n", "total = 1"), (ProblemKind::BadValue, "total".to_owned()));
    assert_eq!(wrong("t", "total = 9"), (ProblemKind::TooManyThreads, "9".to_owned()));
    assert_eq!(wrong("p", "per_node = [4, 5]"), (ProblemKind::TooManyThreads, "5".to_owned()));
    assert_eq!(wrong("c", "cores = [0, 8]"), (ProblemKind::BadValue, "8".to_owned()));
    assert_eq!(wrong("c", "cores = [0, 6]"), (ProblemKind::TooManyThreads, "6".to_owned()));
    assert_eq!(wrong("c", "cores = [1, 1]"), (ProblemKind::BadValue, "1".to_owned()));
    assert_eq!(kind("p", "per_node = [4]"), ProblemKind::WrongLength);
    assert_eq!(kind("t", "total = 1\ncores = [0]"), ProblemKind::Conflict);
    assert_eq!(kind("t", ""), ProblemKind::MissingKey);
    assert_eq!(kind("x", "total = 1"), ProblemKind::UnknownName);
}

#[test]
fn policy_os_and_cluster_are_read_from_any_file() {
    let policy = "[policy]\nname = \"lead:2\"\nperiod_ms = 80\ncommand_ms = 1\n";
    let os = "[os]\nslice_ms = 4\nswitch_us = 10\nrefill_ms = 0\n[cluster]\nnodes = 16\nsync = \"loose\"\npolicy_on = 8\nnoise = 0.2\n";
    let reading: Reading = read_study(&files(&[policy, MACHINE, os])).expect("three good files");
    let dynamics = &reading.study.dynamics;
    assert_eq!(dynamics.policy.name.as_deref(), Some("lead:2"));
    assert_eq!(dynamics.policy.period, Seconds::new(0.08));
    assert_eq!(dynamics.policy.command_delay, Seconds::new(0.001));
    let expected = Os { slice: Seconds::new(0.004), switch: Seconds::new(1e-5), refill: Seconds::new(0.0) };
    assert_eq!(dynamics.os, expected);
    let cluster = Cluster { nodes: 16, sync: Synchronisation::Loose, policy_on: 8, noise: 0.2 };
    assert_eq!(dynamics.cluster, Some(cluster));
    assert_eq!(reading.further.policy.map(|place| place.file), Some(0));
    let again = problems(&[policy, MACHINE, policy]);
    assert_eq!(again.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [ProblemKind::SecondTable]);
    assert_eq!(problem(&format!("{MACHINE}[cluster]\nnodes = 4\npolicy_on = 5\n")).1, "5");
    assert_eq!(problem(&format!("{MACHINE}[cluster]\nnodes = 1000001\nnoise = 0.1\n")).1, "1000001");
    assert_eq!(problem(&format!("{MACHINE}[os]\nslice_ms = 0\n")).1, "0");
    let all = read(&format!("{MACHINE}[cluster]\nnodes = 4\n")).study.dynamics.cluster;
    assert_eq!(all, Some(Cluster { nodes: 4, sync: Synchronisation::Barrier, policy_on: 4, noise: 0.0 }));
}

#[test]
fn ten_thousand_instances_are_read_at_once_and_absurd_ones_are_refused() {
    let text = with_apps(&[("a", "instances = 10000\ntask_gflop = [1, 2, 3]\niterations = 1000000000")], "");
    assert_eq!(read(&text).study.dynamics.courses.len(), 10_000);
    // 10,000 instances of 3,201 figures are more than 32 million.
    let list = "1,".repeat(3_200);
    let text = with_apps(&[("a", &format!("instances = 10000\ntask_gflop = [{list}]"))], "");
    assert_eq!(problem(&text).0, ProblemKind::Limit);
    let command = "[[command]]\nat_s = 1\napp = \"a\"\nper_node = 1\n";
    let text = with_apps(&[("a", "instances = 10000")], &command.repeat(100));
    assert_eq!(problem(&text).0, ProblemKind::Limit);
}

#[test]
fn a_broken_application_causes_no_mistakes_in_its_channels_and_commands() {
    let apps = [("p", "iterations = 0\nthreads = -1\ncontrol = \"some\""), ("c", "iterations = 10")];
    let text = with_apps(
        &apps,
        "[[channel]]\nfrom = \"p\"\nto = \"c\"\n[[command]]\nat_s = 1\napp = \"p\"\ntotal = 100\n",
    );
    let marked: Vec<String> = problems(&[&text]).into_iter().map(|(_, text)| text).collect();
    assert_eq!(marked, ["0", "-1", "\"some\""]);
}

#[test]
fn an_external_program_is_controlled_by_cores_by_default() {
    let own = course("command = [\"./a.out\", \"\"]");
    assert_eq!(own.command, Some(vec!["./a.out".to_owned(), String::new()]));
    assert_eq!((own.control, own.binding), (Control::Cores, Binding::Core));
    let speaks = course("command = [\"./a.out\"]\ncontrol = \"per-node\"");
    assert_eq!((speaks.control, speaks.binding), (Control::PerNode, Binding::Node));
    assert_eq!(course("").command, None);
}

#[test]
fn a_command_is_a_list_of_texts_that_begins_with_a_program() {
    for (command, expected) in [
        ("\"./a.out\"", "`command` must be a list of texts, but this is text"),
        ("[]", "`command` is empty, so there is nothing to start"),
        ("[\"\"]", "`command[0]` is empty"),
        ("[\"a\", 1]", "`command[1]` must be text, but this is a whole number"),
        ("[\"a\", \"\\u0000\"]", "`command[1]` contains a zero byte"),
    ] {
        let found = message(&with_app(&format!("command = {command}")));
        assert!(found.starts_with(expected), "{command}: {found}");
    }
}

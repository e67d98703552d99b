//! Points of a sweep against a study with the same values in its text.

use numasim_course::{Study, read_study};
use numasim_model::{Data, NodeId, Placement, evaluate};
use numasim_study::SourceFile;

use super::*;

fn study(machine: &str, rest: &str) -> Study {
    let text = format!(
        "[machine]\nname = \"test\"\n{machine}\n\
         [[app]]\nname = \"mem\"\ninstances = 2\narithmetic_intensity = 0.5\n\
         [[app]]\nname = \"bad\"\narithmetic_intensity = 1.0\ndata = {{ home = 1 }}\n{rest}\n\
         [[scenario]]\nname = \"even\"\nthreads = {{ mem = 2, bad = 2 }}\n\
         [[scenario]]\nname = \"moved\"\nthreads = {{ mem = 1, bad = 3 }}\ndata = {{ bad = {{ home = 0 }} }}\n"
    );
    read_study(&[SourceFile { name: "test.toml".into(), text }]).unwrap().study
}

const UNIFORM: &str =
    "nodes = 2\ncores_per_node = 8\ngflops_per_core = 10.0\nbandwidth_gbs = 32.0\nlink_gbs = 10.0";

fn sweep(study: &Study, settings: &[&str], task: Task) -> Result<Sweep<Study>, SettingError> {
    let axes = settings.iter().map(|setting| Axis::read(study, setting, task)).collect::<Result<_, _>>()?;
    Sweep::new(study.clone(), axes)
}

/// GFLOPS of every point and scenario, or the reasons why there are none.
fn all(sweep: &Sweep<Study>) -> Vec<Result<Vec<f64>, String>> {
    let scenarios: Vec<usize> = (0..sweep.study().scenarios.len()).collect();
    let mut evaluator = Evaluator::new(sweep, &scenarios);
    let mut rows = Vec::new();
    for point in 0..sweep.points() {
        evaluator.go_to(point);
        rows.extend(scenarios.iter().map(|&s| evaluator.gflops(s).map(<[f64]>::to_vec)));
    }
    rows
}

/// The same by [`evaluate`].
fn written_down(study: &Study) -> Vec<Result<Vec<f64>, String>> {
    let of = |scenario: &numasim_model::Scenario| {
        let placements: Vec<Placement> =
            scenario.data.iter().filter_map(|d| d.placement().cloned()).collect();
        evaluate(&study.machine, &study.apps, &placements, &scenario.allocation)
            .map(|evaluation| evaluation.apps.iter().map(|app| app.gflops.value()).collect())
            .map_err(|error| error.to_string())
    };
    study.scenarios.iter().map(of).collect()
}

#[test]
fn every_point_of_a_grid_is_the_study_with_its_values() {
    let base = study(UNIFORM, "");
    let grid =
        sweep(&base, &["machine.link_gbs=5,20", "app.bad.arithmetic_intensity=1/4..1*2"], Task::Evaluate);
    let mut expected = Vec::new();
    for link in ["5.0", "20.0"] {
        for intensity in ["0.25", "0.5", "1.0"] {
            let machine = UNIFORM.replace("link_gbs = 10.0", &format!("link_gbs = {link}"));
            let mut study = study(&machine, "");
            study.apps[2].arithmetic_intensity =
                numasim_model::units::FlopPerByte::new(intensity.parse().unwrap());
            expected.extend(written_down(&study));
        }
    }
    assert_eq!(all(&grid.unwrap()), expected);
}

#[test]
fn static_work_is_static_at_every_point_and_only_in_its_scenario() {
    // Both scenarios share data and therefore a solver. Node 0 of `even`: bad over the link has 10 / 2 = 5 GB/s, at home more.
    let base = study(UNIFORM, "");
    let mut both = base.clone();
    let even = &base.scenarios[0];
    both.scenarios
        .insert(0, numasim_model::Scenario { static_work: true, name: "static".into(), ..even.clone() });
    let settings = ["machine.link_gbs=5,10,20"];
    let (rows, plain) = (
        all(&sweep(&both, &settings, Task::Evaluate).unwrap()),
        all(&sweep(&base, &settings, Task::Evaluate).unwrap()),
    );
    for (rows, plain) in rows.chunks(3).zip(plain.chunks(2)) {
        assert_eq!(rows[1..], *plain);
        let (waiting, working) = (rows[0].as_ref().unwrap()[2], rows[1].as_ref().unwrap()[2]);
        assert!(waiting < working, "{waiting} {working}");
    }
    // Links of 5: two threads at 2.5 GB/s and 1 FLOP/byte; 4 threads in all.
    let waiting = rows[0].as_ref().unwrap()[2];
    assert!((waiting - 10.0).abs() < 1e-9, "{waiting}");
    // Checked once more by a full evaluation.
    let grid = sweep(&both, &settings, Task::Evaluate).unwrap();
    let mut evaluator = Evaluator::new(&grid, &[0, 1, 2]);
    for point in 0..grid.points() {
        evaluator.go_to(point);
        for scenario in 0..3 {
            evaluator.gflops(scenario).unwrap();
            evaluator.check(scenario).unwrap();
        }
    }
}

#[test]
fn keys_of_one_node_or_link_change_nothing_else() {
    let base = study(UNIFORM, "");
    let settings = ["machine.bandwidth_matrix_gbs.0.1=3", "machine.bandwidth_matrix_gbs.1.1=50"];
    let grid = sweep(&base, &settings, Task::Evaluate).unwrap();
    let matrix = "bandwidth_matrix_gbs = [[32.0, 3.0], [10.0, 50.0]]";
    let nodes = "[[machine.node]]\ncores = 8\ngflops_per_core = 10.0\n".repeat(2);
    assert_eq!(all(&grid), written_down(&study(&format!("{matrix}\n{nodes}"), "")));
}

#[test]
fn data_moves_only_in_scenarios_that_do_not_place_it_themselves() {
    let base = study(UNIFORM, "");
    let rows = all(&sweep(&base, &["app.bad.data=home:1,local,home:0"], Task::Evaluate).unwrap());
    let plain = written_down(&base);
    // Rows alternate between the scenarios even and moved.
    assert_eq!(rows[0], plain[0]);
    assert_ne!(rows[2], plain[0]);
    assert_eq!([&rows[1], &rows[3], &rows[5]], [&plain[1]; 3]);
}

#[test]
fn points_with_too_many_threads_have_a_reason_and_the_others_a_result() {
    let base = study(UNIFORM, "");
    let rows = all(&sweep(&base, &["scenario.even.threads.bad=3..5:1"], Task::Evaluate).unwrap());
    // 2 x 2 threads of mem leave 4 of 8 cores: 5 of bad do not fit.
    assert_eq!(rows[4], Err("node 0 gets 9 threads but has 8 cores".to_owned()));
    assert!(rows[..4].iter().chain(&rows[5..]).all(Result::is_ok), "{rows:?}");
}

#[test]
fn a_jump_gives_the_same_result_as_single_steps() {
    let base = study(UNIFORM, "");
    // Two axes set the threads of mem-1: the later one wins even if only the first changes.
    let settings = ["scenario.even.threads.mem=0..3:1", "scenario.even.threads.mem-1=1,2"];
    let grid = sweep(&base, &settings, Task::Evaluate).unwrap();
    let walked = all(&grid);
    for point in (0..grid.points()).rev() {
        let mut there = Evaluator::new(&grid, &[0]);
        there.go_to(point);
        let at = usize::try_from(point).unwrap() * 2;
        assert_eq!(there.gflops(0).map(<[f64]>::to_vec), walked[at], "point {point}");
    }
}

#[test]
fn invalid_settings_are_rejected_before_any_computation() {
    let base = study(UNIFORM, "");
    let refused = |settings: &[&str], task| sweep(&base, settings, task).unwrap_err().to_string();
    let cases = [
        "machine.link_gb=1",
        "machine.node.2.bandwidth_gbs=1",
        "machine.link_gbs=-1..3:1",
        "machine.cores_per_node=1..2:0.5",
        "app.men.arithmetic_intensity=1",
        "app.mem.weight=1",
        "app.bad.data=home:any",
        "scenario.odd.threads.mem=1",
        "scenario.even.threads=1",
        "nodes=1",
        "machine.link_gbs",
    ];
    let messages: Vec<String> = cases.iter().map(|case| refused(&[case], Task::Evaluate)).collect();
    assert_eq!(
        messages,
        [
            "machine has no key 'link_gb'",
            "there is no node 2",
            "machine.link_gbs must be a finite number above 0, not -1",
            "machine.cores_per_node must be a whole number from 1 to 65536, not 1.5",
            "there is no application 'men'",
            "app.mem.weight has no influence on the scenarios",
            "app.bad.data: evaluate does not choose a home",
            "there is no scenario 'odd'",
            "the key is incomplete or has too many parts",
            "a key begins with machine, app or scenario, not with 'nodes'",
            "'machine.link_gbs' has no values",
        ]
    );
    assert!(refused(&["scenario.even.threads.mem=1"], Task::Explore).contains("--explore"));
    assert_eq!(
        refused(&["machine.link_gbs=1", "machine.link_gbs=2"], Task::Evaluate),
        "machine.link_gbs is set twice"
    );
    let large = ["machine.link_gbs=1..100000:1", "machine.bandwidth_gbs=1..100000:1"];
    assert_eq!(refused(&large, Task::Evaluate), "the grid has more than 1000000000 points");
}

#[test]
fn explore_gets_the_values_of_the_point() {
    let base = study(UNIFORM, "");
    let grid = sweep(&base, &["app.mem.min_threads=1,9", "machine.bandwidth_gbs=64"], Task::Explore).unwrap();
    let problem = |point| grid.problem(point, Objective::TotalGflops, Restrictions::default());
    let first = problem(0).unwrap();
    assert_eq!(first.machine().nodes()[1].bandwidth.value(), 64.0);
    // 2 x 9 threads of mem and 1 of bad: 19 on 16 cores.
    assert!(problem(1).unwrap_err().contains("add up to 19"));
}

/// A producer and a consumer with a channel between them.
fn over_time() -> Study {
    let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 40.0\nlink_gbs = 5.0\n\
                [[app]]\nname = \"a\"\narithmetic_intensity = 2.0\nwork_gflop = 10.0\n\
                [[app]]\nname = \"b\"\narithmetic_intensity = 2.0\nwork_gflop = 10.0\ndata = { home = 0 }\n\
                [[channel]]\nfrom = \"a\"\nto = \"b\"\nitem_mb = 1.0\n[policy]\nname = \"lead\"\n";
    read_study(&[SourceFile { name: "test.toml".into(), text: text.into() }]).unwrap().study
}

#[test]
fn a_simulation_gets_the_study_with_the_values_of_its_point() {
    let grid = sweep(
        &over_time(),
        &[
            "policy.lead=1,4",
            "channel.a.b.capacity=3",
            "machine.link_gbs=7",
            "app.a.work_gflop=20",
            "app.b.data=home:1",
            "app.a.weight=2",
        ],
        Task::Simulate,
    )
    .unwrap();
    let study = grid.study_at(1).unwrap();
    assert_eq!(study.dynamics.policy.name.as_deref(), Some("lead:4"));
    assert_eq!(study.dynamics.channels[0].capacity, Some(3));
    assert_eq!(study.dynamics.courses[0].total_work().map(numasim_model::units::Gflop::value), Some(20.0));
    assert_eq!(study.apps[0].weight, 2.0);
    let home = Data::Placed(Placement::at_home(NodeId(1), 1.0));
    assert_eq!((&study.apps[1].data, &study.dynamics.courses[1].phases[0].data), (&home, &home));
    assert_eq!(grid.study().dynamics.policy.name.as_deref(), Some("lead"), "the files stay as they are");
}

#[test]
fn keys_of_events_over_time_are_for_simulations() {
    let message = |setting: &str, task| match sweep(&over_time(), &[setting], task) {
        Err(SettingError::Wrong { message, hint }) => format!("{message}; {hint}"),
        Err(SettingError::Unknown { message, known, .. }) => format!("{message}; {}", known.join(" ")),
        Ok(_) => String::new(),
    };
    for (setting, task, said) in [
        ("policy.lead=1", Task::Evaluate, "only --simulate uses it"),
        ("app.a.tasks=4", Task::Explore, "only --simulate uses it"),
        (
            "app.a.taks=4",
            Task::Simulate,
            "app.a has no key 'taks'; arithmetic_intensity thread_gflops thread_gbs work_gflop task_gflop tasks ",
        ),
        ("app.a.taks=4", Task::Simulate, " max_threads"),
        ("apps.a=4", Task::Simulate, "begins with machine, app, channel, call, policy, os or scenario"),
        ("channel.a.b.capacity=0", Task::Simulate, "a whole number from 1 to 9007199254740992"),
        ("machine.cores_per_node=4", Task::Simulate, "sweep app.NAME.threads"),
        ("app.b.data=home:any", Task::Simulate, "simulate does not choose a home"),
    ] {
        let message = message(setting, task);
        assert!(message.contains(said), "{setting}: {message}");
    }
}

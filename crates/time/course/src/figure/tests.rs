//! Every key is found, read, set and read again.

use super::*;
use crate::read_study;
use numasim_study::SourceFile;
use numasim_study::keys::{Echo, Part};

fn study() -> Study {
    let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 8\n\
        [[app]]\nname = \"p\"\narithmetic_intensity = 10\niterations = 100\ntasks = 4\nwork_gflop = 1000\nnodes = [1]\n\
        [[app]]\nname = \"c\"\ninstances = 2\narithmetic_intensity = 10\niterations = 100\ntask_gflop = [3, 4]\n\
        [[app]]\nname = \"ph\"\narithmetic_intensity = 1\niterations = 50\n[[app.phase]]\ntask_gflop = 1\n[[app.phase]]\nwork_gflop = 5\n\
        [[channel]]\nfrom = \"p\"\nto = \"c-1\"\nitem_mb = 100\n[[channel]]\nfrom = \"p\"\nto = \"c-2\"\ncapacity = 4\n\
        [[call]]\nfrom = \"p\"\nto = \"ph\"\nevery = 2\n[policy]\nname = \"lead\"\nperiod_ms = 80\n";
    let file = SourceFile { name: "study.toml".into(), text: text.into() };
    read_study(&[file]).expect("no problems").study
}

fn found(key: &str) -> Result<TimeFigure, KeyError> {
    TimeFigure::find(&study(), &key.split('.').collect::<Vec<_>>())
}

/// The values in the study, one for each instance or channel that a figure stands for and that has one: what `check` shows of its key.
fn values_in(study: &Study, figure: &TimeFigure) -> Vec<f64> {
    figure.places.iter().filter_map(|&at| value_at(study, figure.key, at)).collect()
}

fn value_at(study: &Study, key: &'static Key, at: At) -> Option<f64> {
    let dynamics = &study.dynamics;
    let course = dynamics.courses.get(at.of);
    let phase = course.and_then(|course| course.phases.get(at.phase));
    let work = phase.and_then(|phase| phase.work.as_ref());
    match (key.name, work) {
        ("work_gflop", _) if phase?.total_given => Some(work?.total().value() * course?.iterations as f64),
        ("task_gflop", Some(Work::Tasks { each, .. })) if !phase?.total_given => Some(each.first()?.value()),
        ("work_gflop" | "task_gflop", _) => None,
        ("tasks", _) => Some(work?.tasks()? as f64),
        ("lead", _) => lead_of(dynamics.policy.name.as_deref()?),
        _ => {
            let parts = [
                course.map(|course| Part::Further(course)),
                phase.map(|phase| Part::Further(phase)),
                dynamics.channels.get(at.of).map(|channel| Part::Further(channel)),
                dynamics.calls.get(at.of).map(|call| Part::Further(call)),
                Some(Part::Further(&dynamics.policy)),
                Some(Part::Further(&dynamics.os)),
            ];
            let parts: Vec<Part<'_>> = parts.into_iter().flatten().collect();
            let tables =
                [&phase::TABLE, &app::TABLE, &channel::TABLE, &call::TABLE, &policy::TABLE, &os::TABLE];
            let echoes = tables.into_iter().flat_map(|table| table.echo(&parts));
            let number = |echo: Echo| match echo {
                Echo::Number(number) => Some(number),
                Echo::Whole(number) => Some(number as f64),
                Echo::List(nodes) => nodes.iter().find_map(|threads| match threads {
                    Echo::Whole(threads) if *threads > 0 => Some(*threads as f64),
                    _ => None,
                }),
                _ => None,
            };
            echoes.filter(|(echoed, _)| *echoed == key).find_map(|(_, echo)| number(echo))
        }
    }
}

fn values(key: &str) -> Vec<f64> {
    values_in(&study(), &found(key).expect("a figure"))
}

#[test]
fn a_key_reads_what_the_files_say() {
    assert_eq!(values("app.p.work_gflop"), [1000.0]);
    assert_eq!(values("app.p.tasks"), [4.0]);
    assert!(values("app.p.task_gflop").is_empty() && values("app.c.work_gflop").is_empty());
    assert_eq!(values("app.c.task_gflop"), [3.0, 3.0]);
    assert_eq!(values("app.ph.phase.1.work_gflop"), [5.0]);
    assert_eq!(values("channel.p.c-1.item_mb"), [100.0]);
    assert_eq!(values("channel.p.c.capacity"), [4.0]);
    assert_eq!(values("channel.1.capacity"), [4.0]);
    assert_eq!(values("policy.lead"), [2.0]);
    assert_eq!(values("os.refill_ms"), [0.1]);
}

#[test]
fn values_read_back_after_setting() {
    for key in [
        "app.p.iterations",
        "app.p.arrives_s",
        "app.p.task_spread",
        "app.p.task_jitter",
        "app.p.threads",
        "app.c.arithmetic_intensity",
        "app.c.work_gflop",
        "app.p.task_gflop",
        "app.c.tasks",
        "app.ph.phase.1.tasks",
        "app.c.io_ms",
        "channel.p.c.item_mb",
        "channel.0.capacity",
        "call.p.ph.every",
        "policy.period_ms",
        "policy.command_ms",
        "policy.lead",
        "os.slice_ms",
        "os.switch_us",
        "os.refill_ms",
    ] {
        let figure = found(key).expect("a figure");
        assert!(figure.range().contains(3.0), "{key}");
        let mut study = study();
        figure.set(&mut study, 3.0);
        let now = values_in(&study, &figure);
        assert!(!now.is_empty() && now.iter().all(|value| (value - 3.0).abs() < 1e-12), "{key}: {now:?}");
    }
}

#[test]
fn changed_iterations_keep_the_total_or_the_tasks_as_in_the_file() {
    let mut study = study();
    for app in ["p", "c", "ph"] {
        found(&format!("app.{app}.iterations")).expect("a figure").set(&mut study, 10.0);
    }
    let work = |app: usize| study.apps[app].work.map_or(0.0, Gflop::value);
    // 1000 GFLOP in all; 10 x (3 + 4); 10 x 1 + 5.
    assert_eq!([work(0), work(1), work(3)], [1000.0, 70.0, 15.0]);
}

#[test]
fn threads_stay_on_the_nodes_of_their_application() {
    let mut study = study();
    found("app.p.threads").expect("a figure").set(&mut study, 7.0);
    assert_eq!(study.dynamics.courses[0].threads, [0, 7]);
}

#[test]
fn a_lead_is_the_argument_of_its_policy() {
    let mut study = study();
    found("policy.lead").expect("a figure").set(&mut study, 5.0);
    assert_eq!(study.dynamics.policy.name.as_deref(), Some("lead:5"));
    study.dynamics.policy.name = Some("fair-share".to_owned());
    let other = TimeFigure::find(&study, &["policy", "lead"]);
    let why = other.map_err(|error| error.to_string());
    assert_eq!(why, Err("the policy is fair-share, which has no lead".to_owned()));
}

#[test]
fn what_is_no_figure_is_reported_by_its_reason() {
    for (key, why) in [
        ("app.ph.io_ms", "'ph' has phases, each with figures of its own"),
        ("app.ph.phase.2.io_ms", "there is no phase 2"),
        ("channel.c.p.capacity", "there is no channel 'c.p'"),
    ] {
        assert_eq!(found(key).map_err(|error| error.to_string()), Err(why.to_owned()), "{key}");
    }
    assert!(matches!(found("channel.0.size"), Err(KeyError::Unknown { .. })));
    assert_eq!(found("channel"), Err(KeyError::Incomplete));
    assert_eq!(found("machine.link_gbs"), Err(KeyError::Table("machine".to_owned())));
}

//! The recorded data of a run, and its drawing.

use numasim_evidence::timeline::Step;
use numasim_model::AppId;

use super::*;

const FILE: &str = "\
[machine]
name = \"m\"
nodes = 1
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 32.0
[[app]]
name = \"a\"
arithmetic_intensity = 1.0
work_gflop = 100.0
[[app]]
name = \"b\"
instances = 9
arithmetic_intensity = 1.0
work_gflop = 100.0
";

fn study() -> Study {
    let file = numasim_study::SourceFile { name: "a.toml".to_owned(), text: FILE.to_owned() };
    numasim_ask::reading::read_study(&[file]).expect("a valid file").study
}

fn step(time: f64, app: usize, busy: f64) -> Step {
    Step {
        time: Seconds::new(time),
        app,
        node: 0,
        running: Some(2.0),
        busy: Some(busy),
        blocked: None,
        gflops: Some(10.0 * busy),
        items: 3.0,
    }
}

#[test]
fn instances_are_one_band_and_their_figures_are_added_up() {
    let mut recorder = CourseRecorder::new(&study());
    assert_eq!(Parts::of(&study()).bands.len(), 2);
    recorder.take(&[step(0.0, 0, 1.0), step(0.0, 1, 0.5), step(0.0, 2, 1.5), step(2.0, 1, 0.0)]);
    let course = recorder.finish(Seconds::new(4.0));
    let slot = course.slots.slot.value();
    let integral = |values: &[f64]| values.iter().sum::<f64>() * slot;
    // a: 1 core for 4 s; b-1 half a core for 2 s, b-2 one and a half for 4 s.
    let cores = course.cores();
    assert!((integral(&cores[0][0]) - 4.0).abs() < 1e-9);
    assert!((integral(&cores[0][1]) - 7.0).abs() < 1e-9);
    assert!((integral(&course.running()[1]) - 16.0).abs() < 1e-9);
    let (_, most) = course.items(1);
    assert_eq!(most.iter().copied().fold(0.0, f64::max), 6.0);
    // 10 GFLOPS for 4 s of 80 GFLOP
    assert!(course.done(0, 80.0).last().is_some_and(|done| (done - 0.5).abs() < 1e-9));
}

#[test]
fn orders_are_where_they_were_sent_to_a_slot() {
    let mut recorder = CourseRecorder::new(&study());
    for at in [0.0, 1.0, 1.0, 2.5] {
        recorder.order(Seconds::new(at), AppId(0));
    }
    let course = recorder.finish(Seconds::new(4.0));
    assert_eq!(course.orders(0), [0.0, 1.0, 2.5]);
    assert_eq!(course.orders(1), [0.0; 0]);
}

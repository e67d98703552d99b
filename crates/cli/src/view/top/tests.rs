//! Frames as displayed at 80 columns and less.

use numasim_protocol::{AgentStatus, AppEntry, Closed, Control, Order, State, Waiting};

use unicode_width::UnicodeWidthStr as _;

use super::{Foot, Look, Seen, Traffic, draw, text};

const PLAIN: Look = Look { color: false, unicode: true, from: 0, foot: Foot::None };

fn app(name: &str, running: &[u32], blocked: &[u32]) -> AppEntry {
    AppEntry {
        name: name.to_owned(),
        pid: 100,
        uid: 1000,
        control: Control::PerNode,
        threads: vec![4; running.len()],
        state: State::Ok,
        running: Some(running.to_vec()),
        blocked: Some(blocked.to_vec()),
        progress: Some(12),
        waiting: Some(Waiting::None),
        queued: Some(3),
        tasks: Some(768),
        status_age_ms: Some(0.0),
        target: Some(Order::PerNode(vec![4; running.len()])),
        seq: 3,
        acked: 3,
        refused: None,
    }
}

fn agent(cores: &[u32], apps: Vec<AppEntry>) -> AgentStatus {
    AgentStatus {
        schema: 1,
        command: AgentStatus::COMMAND.to_owned(),
        pid: 4711,
        socket: "/run/user/1000/numasim/agent.sock".to_owned(),
        machine: "2 nodes x 4 cores".to_owned(),
        cores: cores.to_vec(),
        policy: "lead:2".to_owned(),
        period_ms: 80.0,
        status_ms: 80.0,
        dry_run: false,
        uptime_s: 187.9,
        load: Some(vec![0.5; cores.len()]),
        closed: Closed { bye: 2, lost: 1, refused: 0 },
        apps,
    }
}

/// A producer and a consumer, one second apart: the producer finished 5 iterations, was ordered to stop, and waits.
fn two_looks(traffic: Traffic) -> Seen {
    let before = agent(&[4, 4], vec![app("producer", &[3, 4], &[0, 0]), app("consumer", &[0, 0], &[4, 4])]);
    let mut seen = Seen::first(before.clone(), traffic);
    let mut after = before;
    after.uptime_s += 1.0;
    if let [producer, consumer] = after.apps.as_mut_slice() {
        producer.progress = Some(17);
        producer.waiting = Some(Waiting::Output);
        producer.running = Some(vec![0, 1]);
        producer.target = Some(Order::PerNode(vec![0, 0]));
        producer.seq = 4;
        consumer.blocked = Some(vec![0, 0]);
        consumer.state = State::Stale;
        consumer.refused = Some("no".to_owned());
    }
    seen.again(after);
    seen
}

fn study(text: &str) -> numasim_course::Study {
    let file = numasim_study::SourceFile { name: "a.toml".to_owned(), text: text.to_owned() };
    numasim_ask::reading::read_study(&[file]).expect("a valid file").study
}

const FILE: &str = "\
[machine]
name = \"2 nodes x 4 cores\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 32.0
link_gbs = 8.0
[[app]]
name = \"producer\"
arithmetic_intensity = 0.5
iterations = 100
work_gflop = 100.0
";

#[test]
fn a_frame_shows_nodes_applications_and_orders() {
    insta::assert_snapshot!(text(&two_looks(Traffic::of(&study(FILE))), PLAIN, 80));
}

#[test]
fn the_first_look_knows_no_rates_and_no_orders() {
    let seen = Seen::first(agent(&[4, 4], vec![app("producer", &[3, 4], &[0, 0])]), Traffic::default());
    insta::assert_snapshot!(text(&seen, Look { unicode: false, ..PLAIN }, 80));
}

#[test]
fn an_agent_without_applications_says_so() {
    let mut status = agent(&[4, 0], Vec::new());
    status.load = None;
    status.period_ms = 0.0;
    status.dry_run = true;
    insta::assert_snapshot!(text(&Seen::first(status, Traffic::default()), PLAIN, 80));
}

#[test]
fn bandwidth_is_estimated_from_files_and_progress_alone() {
    // 1 GFLOP per iteration at 0.5 FLOP/byte is 2 GB; 5 iterations in 1 s: 10 GB/s
    let seen = two_looks(Traffic::of(&study(FILE)));
    let [producer, consumer] = seen.status.apps.as_slice() else { panic!("two") };
    assert_eq!(seen.bandwidth_gbs(producer).map(f64::round), Some(10.0));
    assert_eq!(seen.bandwidth_gbs(consumer), None, "no file says what it does");
    let nothing_known = two_looks(Traffic::default());
    assert!(!text(&nothing_known, PLAIN, 80).contains("GB/s"));
}

#[test]
fn tasks_that_are_done_show_bandwidth_within_an_iteration() {
    // 4 tasks of 0.25 GFLOP per iteration: 0.5 GB each; 8 tasks in 1 s: 4 GB/s, without a complete iteration
    let text = FILE.replace("work_gflop = 100.0", "work_gflop = 100.0\ntasks = 4");
    let before = agent(&[4, 4], vec![app("producer", &[4, 4], &[0, 0])]);
    let mut seen = Seen::first(before.clone(), Traffic::of(&study(&text)));
    let mut after = before;
    after.uptime_s += 1.0;
    after.apps.iter_mut().for_each(|app| app.tasks = Some(776));
    seen.again(after);
    let gbs = seen.status.apps.first().and_then(|app| seen.bandwidth_gbs(app));
    assert!(gbs.is_some_and(|gbs| (gbs - 4.0).abs() < 1e-9), "{gbs:?}");
}

#[test]
fn progress_that_falls_is_a_new_beginning() {
    let mut seen = two_looks(Traffic::of(&study(FILE)));
    let mut again = seen.status.clone();
    again.uptime_s += 1.0;
    again.apps.iter_mut().for_each(|app| app.progress = Some(1));
    seen.again(again);
    let producer = seen.status.apps.first().expect("two applications");
    assert_eq!((seen.iterations_per_s(producer), seen.bandwidth_gbs(producer)), (None, None));
}

#[test]
fn a_thousand_applications_on_many_nodes_stay_inside_80_columns_and_24_rows() {
    let apps = (0..1000).map(|number| app(&format!("application-number-{number}"), &[3; 64], &[1; 64]));
    let seen = Seen::first(agent(&[4; 64], apps.collect()), Traffic::default());
    let look = Look { from: 500, foot: Foot::Keys, ..PLAIN };
    // The columns of the terminal between quotes.
    let frame: Vec<String> =
        draw(&seen, look, 80, 24).iter().map(|line| format!("\"{:80}\"", line.text())).collect();
    insta::assert_snapshot!(frame.join("\n"));
}

#[test]
fn no_size_of_a_terminal_is_too_small() {
    let seen = two_looks(Traffic::of(&study(FILE)));
    for width in 1..100 {
        for height in 1..30 {
            for foot in [Foot::None, Foot::Gone] {
                let lines = draw(&seen, Look { color: true, foot, ..PLAIN }, width, height);
                assert!(lines.len() <= height);
                assert!(
                    lines.iter().all(|line| line.text().width() <= width),
                    "{width} x {height}: {lines:?}"
                );
            }
        }
    }
}

#[test]
fn without_colours_no_cell_has_any() {
    let seen = two_looks(Traffic::default());
    for (color, expected) in [(false, false), (true, true)] {
        let painted =
            draw(&seen, Look { color, ..PLAIN }, 80, 24).iter().any(|line| line.painted().contains('\u{1b}'));
        assert_eq!(painted, expected);
    }
}

#[test]
fn names_cannot_paint_the_terminal() {
    let mut status = agent(&[4, 4], vec![app("a\u{1b}[31m\u{202e}b", &[0, 0], &[0, 0])]);
    status.machine = "m\u{7}".to_owned();
    let shown = text(&Seen::first(status, Traffic::default()), PLAIN, 80);
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown:?}");
}

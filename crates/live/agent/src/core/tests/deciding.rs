//! The times at which the policy is asked, and the resulting orders.

use super::super::testing::{Agent, MACHINE, app};

fn pipeline() -> String {
    format!("{MACHINE}{}{}[[channel]]\nfrom = \"p\"\nto = \"c\"\nitem_mb = 1.0\n", app("p"), app("c"))
}

fn per_node(seq: u64, threads: [u32; 2]) -> String {
    format!(r#"{{"type":"set","seq":{seq},"per_node":[{},{}]}}"#, threads[0], threads[1])
}

#[test]
fn an_application_is_there_from_its_first_status() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.hello(1, "a", "per-node", &[4, 4]).at(80);
    assert_eq!(agent.sets(1), [""; 0]);
    agent.status(1, 0, "none");
    assert_eq!(agent.sets(1), [""; 0], "not before the next time");
    agent.at(159);
    assert_eq!(agent.sets(1), [""; 0]);
    agent.at(160);
    assert_eq!(agent.sets(1), [per_node(1, [4, 4])]);
}

#[test]
fn a_decision_is_sent_when_it_differs_from_the_last_one() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none").at(80);
    agent.status(1, 1, "none").at(160);
    assert_eq!(agent.sets(1), [per_node(1, [4, 4])]);
    // Dealing continues after the last application served: 2 + 2 on each node.
    agent.hello(2, "b", "total", &[4, 4]).status(2, 0, "none").at(240);
    assert_eq!(agent.sets(1), [per_node(2, [2, 2])]);
    assert_eq!(agent.sets(2), [r#"{"type":"set","seq":1,"total":4}"#]);
    agent.line(2, r#"{"type":"bye"}"#).at(320);
    assert_eq!(agent.sets(1), [per_node(3, [4, 4])]);
}

#[test]
fn the_first_decision_is_sent_also_without_threads() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "input").at(80);
    assert_eq!(agent.sets(1), [per_node(1, [0, 0])]);
}

#[test]
fn seq_begins_anew_on_each_connection() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none").at(80).end(1);
    agent.hello(2, "a", "per-node", &[4, 4]).status(2, 0, "none").at(160);
    assert_eq!(agent.sets(2), [per_node(1, [4, 4])]);
    assert_eq!(agent.actions(), [("a".to_owned(), 1), ("a".to_owned(), 1)]);
}

#[test]
fn without_a_period_the_policy_is_asked_whenever_the_view_changes() {
    let mut agent = Agent::new(MACHINE, "fair-share", 0);
    assert_eq!(agent.decided.len(), 0);
    agent.hello(1, "a", "per-node", &[4, 4]);
    assert_eq!(agent.decided.len(), 0);
    agent.status(1, 0, "none");
    assert_eq!(agent.sets(1), [per_node(1, [4, 4])]);
    agent.status(1, 0, "none");
    assert_eq!(agent.decided.len(), 1, "nothing has changed");
    agent.status(1, 0, "input");
    assert_eq!(agent.sets(1), [per_node(2, [0, 0])]);
    agent.line(1, r#"{"type":"ack","seq":2}"#).line(1, "nonsense").at(5000);
    assert_eq!(agent.decided.len(), 2);
    agent.end(1);
    assert_eq!(agent.decided.len(), 3);
    assert_eq!(agent.decided[2].apps, []);
}

#[test]
fn with_a_period_the_policy_is_asked_at_0_and_at_its_multiples() {
    let mut agent = Agent::new(MACHINE, "fair-share", 100);
    assert_eq!(agent.decided.len(), 1, "at 0");
    agent.at(30).hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none").at(250);
    let times: Vec<f64> = agent.decided.iter().map(|decided| decided.time.value()).collect();
    assert_eq!(times, [0.0, 0.25], "late, as this machine was busy");
    agent.status(1, 1, "none");
    assert_eq!(agent.core.next_tick().map(|at| at.as_millis()), Some(300), "and then at a multiple again");
}

#[test]
fn control_none_is_dealt_its_part_and_told_nothing() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.hello(1, "a", "none", &[4, 4]).status(1, 0, "none");
    agent.hello(2, "b", "per-node", &[4, 4]).status(2, 0, "none").at(80);
    assert_eq!(agent.sets(1), [""; 0]);
    assert_eq!(agent.sets(2), [per_node(1, [2, 2])]);
    assert_eq!(agent.shown().apps[0].target, None);
}

#[test]
fn cores_are_given_out_from_the_lowest_in_file_order() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.hello(1, "a", "cores", &[4, 4]).status(1, 0, "none");
    agent.hello(2, "b", "cores", &[4, 4]).status(2, 0, "none").at(80);
    assert_eq!(agent.sets(1), [r#"{"type":"set","seq":1,"cores":[0,1,4,5]}"#]);
    assert_eq!(agent.sets(2), [r#"{"type":"set","seq":1,"cores":[2,3,6,7]}"#]);
}

#[test]
fn nobody_decides_under_none() {
    let mut agent = Agent::new(MACHINE, "none", 0);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none").at(5000);
    assert_eq!(agent.sets(1), [""; 0]);
    assert_eq!(agent.decided.len(), 0);
    assert_eq!(agent.shown().apps[0].target, None);
}

#[test]
fn items_are_the_progress_of_both_ends() {
    let mut agent = Agent::new(&pipeline(), "lead:2", 0);
    agent.hello(1, "p", "per-node", &[4, 4]).status(1, 1, "none");
    assert_eq!(agent.sets(1), [per_node(1, [4, 4])], "the consumer was never there: 1 item");
    agent.status(1, 2, "none");
    assert_eq!(agent.sets(1), [per_node(2, [0, 0])], "2 items are enough");
    agent.hello(2, "c", "per-node", &[4, 4]).status(2, 1, "none");
    assert_eq!(agent.sets(1), [per_node(3, [2, 2])], "1 item");
    agent.status(1, 9, "none");
    assert_eq!(agent.sets(1), [per_node(4, [0, 0])]);
    agent.end(2);
    assert_eq!(agent.sets(1), [per_node(5, [4, 4])], "while an end is gone, the channel does not count");
    agent.hello(3, "c", "per-node", &[4, 4]).status(3, 8, "none");
    assert_eq!(agent.sets(1), [per_node(6, [2, 2])], "and counts again");
}

#[test]
fn a_refused_order_is_not_repeated() {
    let mut agent = Agent::new(MACHINE, "fair-share", 0);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none");
    agent.line(1, r#"{"type":"refused","seq":1,"text":"cannot"}"#).status(1, 1, "none").at(1000);
    assert_eq!(agent.sets(1), [per_node(1, [4, 4])]);
    let shown = &agent.shown().apps[0];
    assert_eq!((shown.seq, shown.acked, shown.refused.as_deref()), (1, 0, Some("cannot")));
    agent.status(1, 1, "input");
    assert_eq!(agent.sets(1), [per_node(2, [0, 0])], "another one is sent");
    assert_eq!(agent.shown().apps[0].refused, None, "of the order that was sent last");
}

#[test]
fn a_dry_run_sends_nothing_and_shows_what_it_would() {
    let mut agent = Agent::with(MACHINE, "fair-share", 80, true);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none").at(80).status(1, 1, "input").at(160);
    assert_eq!(agent.sets(1), [""; 0]);
    assert_eq!(agent.actions(), [("a".to_owned(), 1), ("a".to_owned(), 2)]);
    let shown = &agent.shown().apps[0];
    assert_eq!(shown.target, Some(numasim_protocol::Order::PerNode(vec![0, 0])));
    assert_eq!(shown.seq, 0);
}

#[test]
fn a_slow_policy_skips_times_and_its_answer_belongs_to_what_it_saw() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.is_slow = true;
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none").at(80);
    agent.hello(2, "b", "per-node", &[4, 4]).status(2, 0, "none").at(160).at(240);
    assert_eq!(agent.open.len(), 1, "one question at a time");
    let question = agent.open.remove(0);
    agent.answer(question);
    assert_eq!(agent.sets(1), [per_node(1, [4, 4])], "b was not there");
    assert_eq!(agent.sets(2), [""; 0]);
    agent.at(320);
    let question = agent.open.remove(0);
    agent.answer(question);
    assert_eq!(agent.sets(1), [per_node(2, [2, 2])]);
    assert_eq!(agent.sets(2), [per_node(1, [2, 2])]);
}

#[test]
fn an_answer_does_not_reach_whoever_has_come_since() {
    let mut agent = Agent::new(MACHINE, "fair-share", 0);
    agent.is_slow = true;
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none").end(1);
    agent.hello(2, "a", "per-node", &[4, 4]).status(2, 0, "input");
    let question = agent.open.remove(0);
    agent.answer(question);
    assert_eq!(agent.sets(2), [""; 0]);
    let question = agent.open.remove(0);
    agent.answer(question);
    assert_eq!(agent.sets(2), [per_node(1, [0, 0])], "asked at once, as the view has changed meanwhile");
}

#[test]
fn file_order_is_files_then_adopted_then_hellos() {
    let text = format!("{MACHINE}{}{}", app("x"), app("y"));
    let mut agent = Agent::new(&text, "fair-share", 80);
    agent.adopt(0, "d").unwrap();
    agent.adopt(1, "y").unwrap();
    agent.hello(1, "s", "total", &[4, 4]).hello(2, "b", "total", &[4, 4]).hello(3, "x", "total", &[4, 4]);
    let names: Vec<String> = agent.shown().apps.into_iter().map(|app| app.name).collect();
    assert_eq!(names, ["x", "y", "d", "s", "b"]);
}

#[test]
fn an_adopted_process_gets_cores_and_never_none() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.adopt(0, "d").unwrap();
    assert_eq!(agent.adopt(1, "d"), Err("the name 'd' is taken by pid 500".to_owned()));
    agent.at(80);
    assert_eq!(agent.bound, [(0, 1, (0..8).collect())]);
    agent.core.bound(0, 1, Ok(()));
    assert_eq!(agent.shown().apps[0].acked, 1);
    // Others for nine cores: d is the last of ten in turn on each node only if there are that many.
    for id in 1..=8 {
        let name = format!("a{id}");
        agent.hello(id, &name, "per-node", &[4, 4]).status(id, 0, "none");
    }
    agent.at(160);
    assert_eq!(agent.bound.len(), 2);
    assert_eq!(agent.bound[1].2, [0], "one of eight");
    agent.core.adopted_ended(0, std::time::Duration::from_millis(200));
    assert!(agent.shown().apps.iter().all(|app| app.name != "d"));
}

#[test]
fn an_order_of_no_core_is_shown_as_refused() {
    let text = format!("{MACHINE}{}[[scenario]]\nname = \"s\"\nthreads = {{ d = [0, 0] }}\n", app("d"));
    let mut agent = Agent::new(&text, "static:s", 80);
    agent.adopt(0, "d").unwrap();
    agent.at(80);
    assert_eq!(agent.bound, []);
    let shown = &agent.shown().apps[0];
    assert_eq!(shown.target, Some(numasim_protocol::Order::Cores(vec![])));
    assert_eq!((shown.seq, shown.acked), (1, 0));
    assert!(shown.refused.as_deref().is_some_and(|why| why.starts_with("a process without a core")));
}

#[test]
fn nothing_is_decided_after_stop() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 0, "none");
    agent.connect(2).line(2, r#"{"type":"stop"}"#).at(160);
    assert_eq!(agent.sets(1), [""; 0]);
}

#[test]
fn a_policy_that_cannot_decide_says_so_once() {
    // More applications than `min_threads` leaves cores for.
    let many = (0..9).map(|n| app(&format!("a{n}")) + "min_threads = 8\n").collect::<String>();
    let mut agent = Agent::new(&format!("{MACHINE}{many}"), "reexplore", 0);
    for id in 0..3 {
        agent.hello(id, &format!("a{id}"), "per-node", &[4, 4]).status(id, 0, "none");
    }
    agent.status(2, 1, "none").status(2, 2, "none");
    let said = agent.reports.iter().filter(|line| line.starts_with("policy 'reexplore' cannot decide"));
    assert!(said.count() >= 1, "{:?}", agent.reports);
    let mut unique = agent.reports.clone();
    unique.dedup();
    assert_eq!(unique, agent.reports);
}

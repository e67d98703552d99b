//! The agent's status.

use numasim_protocol::{AgentStatus, State, Waiting};

use super::super::testing::{Agent, MACHINE};

#[test]
fn everything_is_shown_before_and_after_the_first_status() {
    let mut agent = Agent::new(MACHINE, "lead:2", 80);
    agent.at(40).hello(1, "a", "per-node", &[4, 4]);
    assert_eq!(
        agent.shown().line(),
        concat!(
            r#"{"schema":1,"command":"agent status","pid":7,"socket":"/run/agent.sock","machine":"M","cores":[4,4],"policy":"lead:2","#,
            r#""period_ms":80.0,"status_ms":80.0,"dry_run":false,"uptime_s":0.04,"load":null,"closed":{"bye":0,"lost":0,"refused":0},"#,
            r#""apps":[{"name":"a","pid":101,"uid":1000,"control":"per-node","threads":[4,4],"state":"new","running":null,"blocked":null,"#,
            r#""progress":null,"waiting":null,"queued":null,"tasks":null,"status_age_ms":null,"target":null,"seq":0,"acked":0,"refused":null}]}"#,
            "\n"
        )
    );
    agent.line(
        1,
        r#"{"type":"status","running":[1,2],"blocked":[3,0],"progress":5,"waiting":"output","queued":6,"tasks":7}"#,
    );
    agent.at(80).line(1, r#"{"type":"ack","seq":1}"#);
    agent.core.set_load(Some(vec![0.5, 0.0]));
    assert_eq!(
        agent.shown().line(),
        concat!(
            r#"{"schema":1,"command":"agent status","pid":7,"socket":"/run/agent.sock","machine":"M","cores":[4,4],"policy":"lead:2","#,
            r#""period_ms":80.0,"status_ms":80.0,"dry_run":false,"uptime_s":0.08,"load":[0.5,0.0],"closed":{"bye":0,"lost":0,"refused":0},"#,
            r#""apps":[{"name":"a","pid":101,"uid":1000,"control":"per-node","threads":[4,4],"state":"ok","running":[1,2],"blocked":[3,0],"#,
            r#""progress":5,"waiting":"output","queued":6,"tasks":7,"status_age_ms":40.0,"target":{"per_node":[0,0]},"seq":1,"acked":1,"#,
            r#""refused":null}]}"#,
            "\n"
        )
    );
}

#[test]
fn who_is_silent_for_three_statuses_is_stale_and_stays_as_it_was() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    let state = |agent: &Agent| agent.shown().apps.first().map(|app: &numasim_protocol::AppEntry| app.state);
    agent.hello(1, "a", "per-node", &[4, 4]).status(1, 3, "none").at(80);
    assert_eq!(agent.sets(1).len(), 1);
    agent.at(240);
    assert_eq!(state(&agent), Some(State::Ok), "3 x 80 ms, not longer");
    agent.at(241);
    assert_eq!(state(&agent), Some(State::Stale));
    agent.hello(2, "b", "per-node", &[4, 4]).status(2, 0, "none").at(320);
    assert_eq!(agent.sets(1), [r#"{"type":"set","seq":2,"per_node":[2,2]}"#], "it has its part as before");
    assert_eq!(agent.shown().apps[0].progress, Some(3));
    agent.status(1, 4, "none");
    assert_eq!(state(&agent), Some(State::Ok));
}

#[test]
fn an_adopted_process_is_shown_without_a_status() {
    let mut agent = Agent::new(MACHINE, "fair-share", 80);
    agent.adopt(0, "d").unwrap();
    agent.at(80);
    let AgentStatus { apps, .. } = agent.shown();
    assert_eq!((apps[0].state, apps[0].pid, apps[0].uid), (State::Adopted, 500, 1000));
    assert_eq!((apps[0].threads.clone(), apps[0].running.clone(), apps[0].waiting), (vec![4, 4], None, None));
    assert_eq!(apps[0].waiting, None::<Waiting>);
    assert_eq!(apps[0].seq, 1);
}

//! Messages to applications and users.

use serde_json::json;

use super::*;

#[test]
fn an_application_is_welcomed_gets_orders_and_is_shown() {
    let mut agent = Agent::new(&["--policy", "fair-share", "--period-ms", "20"]);
    let mut app = agent.connect();
    app.say(HELLO);
    assert_eq!(
        app.hears(),
        json!({"type":"welcome","version":1,"pid":agent.child.id(),"cores":[4,4],"hold":true,"period_ms":20.0,"status_ms":20.0})
    );
    app.say(r#"{"type":"status","running":[1,0],"blocked":[3,4],"progress":7,"waiting":"none","queued":2,"tasks":9}"#);
    assert_eq!(app.hears(), json!({"type":"set","seq":1,"per_node":[4,4]}));
    app.say(r#"{"type":"ack","seq":1}"#);
    eventually("it is acknowledged", || agent.status()["apps"][0]["acked"] == 1);
    let mut status = agent.status();
    assert!(status["uptime_s"].as_f64().is_some_and(|value| value > 0.0));
    status["uptime_s"] = json!(0);
    assert!(status["apps"][0]["status_age_ms"].as_f64().is_some_and(|age| age >= 0.0));
    status["apps"][0]["status_age_ms"] = json!(0);
    let stale = status["apps"][0]["state"].take();
    assert!(stale == "stale" || stale == "ok", "{stale}");
    let path = agent.path().canonicalize().expect("a path");
    assert_eq!(
        status,
        json!({"schema":1,"command":"agent status","pid":agent.child.id(),"socket":path,"machine":"M","cores":[4,4],
            "policy":"fair-share","period_ms":20.0,"status_ms":20.0,"dry_run":false,"uptime_s":0,"load":null,
            "closed":{"bye":0,"lost":0,"refused":0},
            "apps":[{"name":"a","pid":std::process::id(),"uid":status["apps"][0]["uid"],"control":"per-node","threads":[4,4],
                "state":null,"running":[1,0],"blocked":[3,4],"progress":7,"waiting":"none","queued":2,"tasks":9,
                "status_age_ms":0,"target":{"per_node":[4,4]},"seq":1,"acked":1,"refused":null}]})
    );
    let table = stdout(&agent.ask(&["status"]));
    assert!(
        table.contains("Machine: M (2 NUMA nodes, 8 cores)\nPolicy:  fair-share, asked every 20 ms\n"),
        "{table}"
    );
    drop(app);
    let pid = std::process::id();
    assert_eq!(agent.says(), format!("lost: 'a' (pid {pid}): the connection ended without a bye"));
    assert_eq!(agent.status()["closed"], json!({"bye":0,"lost":1,"refused":0}));
    assert_eq!(agent.stop(), (String::new(), String::new()));
}

#[test]
fn every_refused_connection_is_one_line() {
    let mut agent = Agent::new(&[]);
    let mut stranger = agent.connect();
    stranger.say(r#"{"type":"hello","version":2}"#);
    assert_eq!(stranger.hears()["type"], "refused");
    assert_eq!(stranger.hears(), Value::Null);
    let pid = std::process::id();
    assert_eq!(
        agent.says(),
        format!(
            "refused: a connection (pid {pid}): version 2 of the protocol is not spoken here, only version 1"
        )
    );
    let _first = agent.application();
    let mut second = agent.connect();
    second.say(HELLO);
    assert_eq!(second.hears()["text"], format!("the name 'a' is taken by pid {pid}"));
    assert_eq!(agent.says(), format!("refused: 'a' (pid {pid}): the name 'a' is taken by pid {pid}"));
    agent.stop();
}

#[test]
fn a_dry_run_sends_no_order() {
    let agent = Agent::new(&["--dry-run", "--period-ms", "0"]);
    let mut app = agent.connect();
    app.say(HELLO);
    assert_eq!(app.hears()["hold"], false);
    app.say(IDLE);
    eventually("it is decided", || agent.status()["apps"][0]["target"] == json!({"per_node":[4,4]}));
    assert_eq!(agent.status()["apps"][0]["seq"], 0);
    agent.stop();
    assert_eq!(app.hears(), Value::Null, "the end, and no set before it");
}

#[test]
fn files_set_policy_period_and_channels() {
    let app = |name| {
        format!("[[app]]\nname = \"{name}\"\narithmetic_intensity = 10.0\niterations = 9\nwork_gflop = 9.0\n")
    };
    let text = format!(
        "{MACHINE}{}{}[[channel]]\nfrom = \"p\"\nto = \"c\"\nitem_mb = 1.0\n[policy]\nname = \"lead:1\"\nperiod_ms = 25.0\n",
        app("p"),
        app("c")
    );
    let agent = Agent::with(&text, &[]);
    let status = agent.status();
    assert_eq!((&status["policy"], &status["period_ms"]), (&json!("lead:1"), &json!(25.0)));
    let mut producer = agent.connect();
    producer.say(&HELLO.replace("\"a\"", "\"p\""));
    producer.say(&IDLE.replace("\"progress\":0", "\"progress\":1"));
    assert_eq!(producer.hears()["hold"], true);
    assert_eq!(producer.hears(), json!({"type":"set","seq":1,"per_node":[0,0]}), "one item is enough");
    producer.say(r#"{"type":"status","running":[0],"blocked":[0],"progress":1,"waiting":"none"}"#);
    assert_eq!(producer.hears()["type"], "error");
    producer.say(&IDLE.replace('}', ",\"phase\":1}"));
    assert_eq!(producer.hears()["text"], "\"phase\": there is no phase 1: 'p' has 1 phase, from 0");
    agent.stop();
}

#[test]
fn without_a_machine_it_is_this_host() {
    let folder = folder();
    std::fs::write(folder.path().join("study.toml"), "[policy]\nname = \"lend\"\n").expect("a file");
    let agent = Agent::start(folder, &[], &mut program());
    let status = agent.status();
    let nodes = status["cores"].as_array().expect("a list").len();
    assert_eq!(status["load"].as_array().map(Vec::len), Some(nodes));
    assert_eq!((&status["policy"], &status["period_ms"]), (&json!("lend"), &json!(80.0)));
    agent.stop();
}

#[test]
fn the_environment_sets_the_socket() {
    let folder = folder();
    let path = folder.path().join("own/e.sock");
    let mut child = program()
        .arg("agent")
        .env("NUMASIM_AGENT", &path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("text");
    assert_eq!(line, format!("listening on {}\n", path.display()));
    let stop =
        program().args(["agent", "stop"]).env("NUMASIM_AGENT", &path).output().expect("the program starts");
    assert_eq!(stdout(&stop), "");
    assert!(child.wait().expect("an end").success());
}

#[test]
fn without_free_descriptors_new_connections_wait_and_the_agent_does_not_spin() {
    let folder = folder();
    std::fs::write(folder.path().join("study.toml"), MACHINE).expect("a file");
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -n 24; exec \"$0\" \"$@\"", crate::common::PROGRAM])
        .env_remove("NUMASIM_AGENT");
    let agent = Agent::start(folder, &[], &mut limited);
    let mut clients: Vec<Client> = (0..40).map(|_| agent.connect()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.say(&HELLO.replace("\"a\"", &format!("\"{number}\"")));
    }
    assert_eq!(clients[0].hears()["type"], "welcome");
    let before = processor_ticks(agent.child.id());
    std::thread::sleep(Duration::from_millis(500));
    let ticks = processor_ticks(agent.child.id()) - before;
    // Half a second of spinning is 50 ticks of 10 ms; ten tries and a few pings take none.
    assert!(ticks < 20, "{ticks} ticks of 10 ms in half a second");
    clients.drain(..30);
    for client in &mut clients {
        assert_eq!(client.hears()["type"], "welcome", "those who waited are taken");
    }
    agent.stop();
}

/// Processor time of a process.
fn processor_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let after_name = stat.rsplit(") ").next().expect("fields");
    let fields: Vec<&str> = after_name.split(' ').collect();
    fields[11..13].iter().map(|field| field.parse::<u64>().expect("a number")).sum()
}

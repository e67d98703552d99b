//! Failures: applications that are killed, fall silent or send nonsense, very many of them, folders of other users.

use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use super::*;

fn hello(name: &str) -> String {
    HELLO.replace("\"a\"", &json!(name).to_string())
}

#[test]
fn an_application_that_is_killed_is_lost_and_its_cores_go_to_the_others() {
    let mut agent = Agent::new(&["--period-ms", "20"]);
    let (mut stays, mut dies) = (agent.application(), agent.connect());
    assert_eq!(stays.hears()["per_node"], json!([4, 4]));
    dies.say(&hello("b"));
    dies.say(IDLE);
    assert_eq!(stays.hears()["per_node"], json!([2, 2]));
    // Its descriptor belongs to another process, which only waits to be killed.
    let Client { stream, lines } = dies;
    drop(lines);
    let mut process =
        Command::new("sleep").arg("600").stdin(OwnedFd::from(stream)).spawn().expect("a process");
    process.kill().expect("a child");
    process.wait().expect("an end");
    assert_eq!(stays.hears()["per_node"], json!([4, 4]));
    let pid = std::process::id();
    assert_eq!(agent.says(), format!("lost: 'b' (pid {pid}): the connection ended without a bye"));
    agent.stop();
}

#[test]
fn a_silent_application_is_stale_and_keeps_what_it_has() {
    let agent = Agent::new(&["--period-ms", "300"]);
    let (mut silent, mut other) = (agent.application(), agent.connect());
    assert_eq!(silent.hears()["per_node"], json!([4, 4]));
    other.say(&hello("b"));
    other.say(IDLE);
    assert_eq!(other.hears()["type"], "welcome");
    assert_eq!(other.hears()["per_node"], json!([2, 2]));
    // status_ms is 300: stale after 900 ms of silence.
    eventually("it is stale", || agent.status()["apps"][0]["state"] == "stale");
    let app = agent.status()["apps"][0].clone();
    assert_eq!((&app["target"], &app["waiting"]), (&json!({"per_node":[2,2]}), &json!("none")));
    // After one message it is as before; the time from the message to the query may be long on a busy host.
    eventually("it is heard again", || {
        silent.say(IDLE);
        agent.status()["apps"][0]["state"] == "ok"
    });
    agent.stop();
}

#[test]
fn nonsense_on_the_socket_disturbs_no_other_application() {
    let mut agent = Agent::new(&["--period-ms", "20"]);
    let mut app = agent.application();
    assert_eq!(app.hears()["seq"], 1);
    let long = vec![b'{'; 70_000];
    let lines: [&[u8]; 8] = [
        b"\x00\xff\xfe\n",
        b"\n",
        b"{\"type\":\"status\"}\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"{\"type\":\"hello\",\"version\":7,\"name\":\"x\"}\n",
        b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
        b"{\"type\":\"hello\",\"version\":1,\"name\":\"\x1b[31m\",\"control\":\"none\",\"threads\":[1,1]}\n",
        &long,
    ];
    for line in lines {
        let mut stranger = agent.connect();
        // The agent may close the connection before the whole text is written.
        let _ = stranger.stream.write_all(line);
        let said = stranger.hears();
        assert!(said["type"] == "refused" || said == Value::Null, "{said}");
        while stranger.hears() != Value::Null {}
        let told = agent.says();
        assert!(told.starts_with("refused: ") && !told.contains(char::is_control), "{told:?}");
    }
    assert_eq!(agent.status()["closed"], json!({"bye":0,"lost":0,"refused":lines.len()}));
    app.say(&IDLE.replace("\"none\"", "\"input\""));
    assert_eq!(app.hears(), json!({"type":"set","seq":2,"per_node":[0,0]}));
    agent.stop();
}

#[test]
fn a_thousand_applications_at_once_all_get_orders() {
    const MANY: usize = 1000;
    // Each is also a descriptor in this process.
    let mut limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current = limit.maximum;
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).expect("the limit is raised");
    let agent = Agent::new(&["--period-ms", "80"]);
    let mut streams: Vec<UnixStream> =
        (0..MANY).map(|_| UnixStream::connect(agent.path()).expect("somebody listens")).collect();
    for (number, stream) in streams.iter_mut().enumerate() {
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let lines = format!("{}\n{IDLE}\n", hello(&format!("app {number}")));
        stream.write_all(lines.as_bytes()).expect("room");
    }
    let mut threads = [0, 0];
    for stream in &streams {
        let set = BufReader::new(stream)
            .lines()
            .map(|line| serde_json::from_str::<Value>(&line.expect("a line")).expect("JSON"))
            .find(|message| message["type"] == "set")
            .expect("a set");
        assert_eq!(set["seq"], 1);
        threads[0] += set["per_node"].as_array().expect("nodes").len();
        threads[1] += 1;
    }
    assert_eq!(threads, [2 * MANY, MANY]);
    let status = agent.status();
    let apps = status["apps"].as_array().expect("apps");
    assert_eq!(apps.len(), MANY);
    // All 8 cores are distributed once all are present: to the first four on one node, to the next four on the other.
    eventually("all cores are dealt", || {
        let status = agent.status();
        let apps = status["apps"].as_array().expect("apps").clone();
        let of = |app: &Value| {
            let nodes = app["target"]["per_node"].as_array().expect("a target").clone();
            nodes.iter().filter_map(Value::as_u64).sum::<u64>()
        };
        apps.iter().map(of).sum::<u64>() == 8
    });
    drop(streams);
    eventually("all are gone", || agent.status()["apps"] == json!([]));
    assert_eq!(agent.status()["closed"]["lost"], MANY);
    agent.stop();
}

#[test]
fn a_folder_that_other_users_can_access_is_refused() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("open")).expect("a folder");
    std::fs::set_permissions(folder.path().join("open"), std::fs::Permissions::from_mode(0o755))
        .expect("ours");
    std::fs::create_dir(folder.path().join("closed")).expect("a folder");
    std::fs::set_permissions(folder.path().join("closed"), std::fs::Permissions::from_mode(0o700))
        .expect("ours");
    symlink("closed", folder.path().join("link")).expect("a link");
    std::fs::write(folder.path().join("closed/file"), "text").expect("a file");
    for (path, why) in [
        (
            "open/agent.sock",
            "the folder open of the socket is open to others (mode 0755): close it with \"chmod go= open\"",
        ),
        ("link/agent.sock", "the folder link of the socket is a symbolic link"),
        ("closed/file", "closed/file is a file, not a socket"),
        ("a/b/agent.sock", "cannot make the folder a/b: No such file or directory"),
    ] {
        let output = program()
            .args(["agent", "--socket", path, "--record", "r.jsonl"])
            .current_dir(folder.path())
            .output()
            .expect("the program starts");
        let said = refusal(&output, 1);
        assert!(said.contains(why), "{said}");
        assert!(!folder.path().join("r.jsonl").exists(), "nothing is left behind");
        assert!(path == "closed/file" || !folder.path().join(path).exists());
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("closed/file")).expect("a file"), "text");
}

#[test]
fn of_agents_that_start_at_once_exactly_one_stays() {
    let folder = folder();
    let start = || {
        program()
            .args(["agent", "--socket", "own/agent.sock"])
            .current_dir(folder.path())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    };
    let mut all: Vec<Child> = (0..5).map(|_| start()).collect();
    let mut first_line = |child: &mut Child| {
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("text");
        line
    };
    let said: Vec<String> = all.iter_mut().map(&mut first_line).collect();
    let stay: Vec<usize> = (0..all.len()).filter(|&one| said[one].starts_with("listening on ")).collect();
    assert_eq!(stay.len(), 1, "{said:?}");
    let pid = all[stay[0]].id();
    for (number, child) in all.iter_mut().enumerate().filter(|(number, _)| *number != stay[0]) {
        assert_eq!(child.wait().expect("an end").code(), Some(1));
        assert!(said[number].contains(&format!("pid {pid} already listens")), "{}", said[number]);
    }
    assert_eq!(stdout(&ask(&folder.path().join("own/agent.sock"), &["stop"])), "");
    assert!(all[stay[0]].wait().expect("an end").success());
}

//! A program finds its agent and its name in the environment: this test again, as a separate process.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::fake::Agents;
use numasim_protocol::{Control, FromApp, Hello};
use numasim_runtime::{Agent, Bind, Layout, Pool, PoolNode};

#[test]
#[ignore = "it is the program that the other tests start"]
fn program() {
    let agent = Agent::of_environment(Control::PerNode).expect("a path");
    let wanted = agent.is_some();
    let node = PoolNode { workers: 1, cores: 1, cpus: None };
    let layout = Layout::new(vec![node], Bind::None).expect("a layout");
    let pool = Pool::with_agent(layout, agent).expect("threads");
    if wanted {
        // All workers are held until an order comes, which never happens; all run when the agent is gone.
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).expect("the test says when it is over");
    } else {
        assert_eq!(pool.install(|| 7), 7);
    }
}

/// A program that is killed with its test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// The program above with these variables; of the relevant ones it has no others.
fn started(variables: &[(&str, &Path)]) -> Program {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "environment::program", "--ignored"]);
    for name in ["NUMASIM_AGENT", "NUMASIM_APP", "XDG_RUNTIME_DIR", "TMPDIR"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::null());
    Program(command.spawn().expect("the test starts again"))
}

fn hello(agents: &Agents) -> Hello {
    match agents.accept().hear() {
        FromApp::Hello(hello) => hello,
        other => panic!("no hello: {other:?}"),
    }
}

#[test]
fn the_variables_name_the_socket_and_the_application() {
    let agents = Agents::listen();
    let path = agents.path();
    let _program = started(&[("NUMASIM_AGENT", Path::new(&path)), ("NUMASIM_APP", Path::new("solver 2"))]);
    assert_eq!(hello(&agents).name, "solver 2");
}

#[test]
fn without_them_it_is_the_default_path_and_the_program_with_its_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let user = folder.path().metadata().expect("a folder").uid();
    for (variable, below) in
        [("XDG_RUNTIME_DIR", "numasim".to_owned()), ("TMPDIR", format!("numasim-{user}"))]
    {
        let home = folder.path().join(variable);
        std::fs::create_dir_all(home.join(&below)).expect("a folder");
        let agents = Agents::at(&home.join(below).join("agent.sock"));
        let program = started(&[(variable, &home)]);
        let name = hello(&agents).name;
        let own = std::env::current_exe().expect("this test");
        let own = own.file_name().expect("a name").to_string_lossy().into_owned();
        assert_eq!(name, format!("{own}-{}", program.0.id()), "{variable}");
    }
}

#[test]
fn off_means_that_no_agent_is_looked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("numasim")).expect("a folder");
    let agents = Agents::at(&folder.path().join("numasim/agent.sock"));
    let mut program = started(&[("NUMASIM_AGENT", Path::new("off")), ("XDG_RUNTIME_DIR", folder.path())]);
    assert!(program.0.wait().expect("an end").success(), "its task ran");
    assert!(agents.nobody_for(Duration::from_millis(20)));
}

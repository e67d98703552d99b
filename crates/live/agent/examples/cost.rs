//! The cost of an agent: CPU time of its threads while applications send a status each period.
//!
//! `cargo run --release -p numasim-agent --features examples --example cost [SECONDS [APPLICATIONS [PERIOD_MS]]]` (default: 30 s, 10, 80
//! ms). The agent is the real server on a separate socket, with the load of this host, which it reads four times a second. The
//! applications are threads of this process, and are not counted. Each status differs from the previous one, so that each period has a
//! decision. The result is the time on logical CPUs as the kernel counts it in `/proc/self/task/TID/schedstat`, as a fraction of one
//! core; other load on the host makes it longer, not shorter.

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
    #[cfg(not(target_os = "linux"))]
    println!("an agent is for Linux");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use numasim_agent::server::{Agent, Nobody, Outside, Signals, serve};
    use numasim_agent::socket::Socket;
    use numasim_agent::{Decided, Settings};
    use numasim_course::read_study;
    use numasim_host::affinity::allowed;
    use numasim_host::system::System;
    use numasim_policy::PolicyName;
    use numasim_protocol::{AppStatus, Control, FromApp, Hello};
    use numasim_study::SourceFile;

    const MACHINE: &str = "[machine]\nname = \"M\"\nnodes = 2\ncores_per_node = 8\ngflops_per_core = 10.0\n\
        bandwidth_gbs = 32.0\nlink_gbs = 10.0\n";

    struct Silent {
        decisions: u64,
    }

    impl Outside for Silent {
        fn listening(&mut self) {}
        fn report(&mut self, line: &str) {
            eprintln!("{line}");
        }
        fn decided(&mut self, _decided: &Decided) {
            self.decisions += 1;
        }
        fn no_more_decisions(&mut self) {}
    }

    /// Nanoseconds on logical CPUs of the calling thread so far.
    fn on_processors() -> u64 {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts");
        text.split(' ').next().and_then(|time| time.parse().ok()).expect("a number")
    }

    pub(super) fn main() {
        let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
        let mut next = |or: u64| numbers.next().unwrap_or(or);
        let (seconds, applications, period_ms) = (next(30), next(10), next(80));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own/agent.sock");
        let socket = Socket::listen(&path).expect("a socket");
        let study =
            read_study(&[SourceFile { name: "machine".into(), text: MACHINE.into() }]).expect("sound").study;
        let policy = PolicyName::FairShare;
        let made = policy.make(&study).expect("a policy");
        let period = Duration::from_millis(period_ms);
        let shown = path.display().to_string();
        let settings = Settings { study, policy, period, dry_run: false, pid: 1, socket: shown };
        let agent = std::thread::spawn(move || {
            let host = Some(System::host().node_cores(&allowed().expect("Linux tells")));
            let mut outside = Silent { decisions: 0 };
            let start = (Instant::now(), on_processors());
            let adopted = Box::new(Nobody);
            let stop = Box::new(Signals::listen().expect("signals"));
            serve(Agent { settings, policy: made, socket, host, stop, adopted, outside: &mut outside })
                .expect("a good end");
            (start.0.elapsed(), Duration::from_nanos(on_processors() - start.1), outside.decisions)
        });
        let end = Instant::now() + Duration::from_secs(seconds);
        let all: Vec<_> = (0..applications)
            .map(|number| {
                let path = path.clone();
                std::thread::spawn(move || application(&path, number, period, end))
            })
            .collect();
        for one in all {
            one.join().expect("no panic");
        }
        let mut stop = UnixStream::connect(&path).expect("it listens");
        stop.write_all(FromApp::Stop.line().as_bytes()).expect("room");
        let (elapsed, time, decisions) = agent.join().expect("no panic");
        let percent = 100.0 * time.as_secs_f64() / elapsed.as_secs_f64();
        println!(
            "{applications} applications, {period_ms} ms: {:.1} ms of processor time in {:.1} s, {percent:.3} % of a core; \
             {decisions} decisions that were sent or saw something new",
            time.as_secs_f64() * 1e3,
            elapsed.as_secs_f64()
        );
    }

    /// Each period reports one more iteration, waits every tenth time, and acknowledges every order.
    fn application(path: &Path, number: u64, period: Duration, end: Instant) {
        let mut stream = UnixStream::connect(path).expect("it listens");
        let hello = FromApp::Hello(Hello::new(format!("app {number}"), Control::PerNode, vec![8, 8]));
        stream.write_all(hello.line().as_bytes()).expect("room");
        stream.set_nonblocking(true).expect("a socket");
        let (mut acked, mut progress, mut piece) = (0, 0, [0; 4096]);
        while Instant::now() < end {
            let mut status = AppStatus { progress, ..AppStatus::idle(2) };
            if (progress + number).is_multiple_of(10) {
                status.waiting = numasim_protocol::Waiting::Input;
            }
            let mut lines = FromApp::Status(status).line();
            let heard = stream.read(&mut piece).unwrap_or(0);
            let sets = String::from_utf8_lossy(&piece[..heard]).matches("\"set\"").count();
            for _ in 0..sets {
                acked += 1;
                lines += &FromApp::Ack { seq: acked }.line();
            }
            stream.write_all(lines.as_bytes()).expect("room");
            progress += 1;
            std::thread::sleep(period);
        }
        stream.write_all(FromApp::Bye.line().as_bytes()).expect("room");
    }
}

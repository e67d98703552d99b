//! Moves as shell commands: `taskset` and `migratepages` for processes, `systemctl`, `docker`, `podman` and `virsh` for the objects that
//! they manage.
//!
//! Names come from programs that may be hostile: every word is quoted, and comments contain only visible characters.

use std::fmt::Write as _;

use numasim_ask::advise::{Advice, Target};
use numasim_draw::Style;
use numasim_evidence::formats::cgroup::Engine;
use numasim_evidence::running::{Application, Kind};
use numasim_model::cpus::ranges;
use numasim_model::text::visible;

use crate::emit::typed;

/// The script, and the limitations of its commands.
pub(super) fn script(advice: &Advice, style: &Style) -> (String, Vec<String>) {
    let mut text = String::from(
        "#!/bin/sh\n# Moves of numasim advise. Read them before you run them: they change where programs run.\n",
    );
    // Writing to a String cannot fail, here as below.
    let _ = writeln!(text, "# {}", visible(&advice.verdict(style)));
    for caution in &advice.cautions {
        let _ = writeln!(text, "# Caution: {}.", visible(caution));
    }
    if !advice.advised {
        return (text, Vec::new());
    }
    text.push_str("set -e\n");
    let mut warnings = Vec::new();
    for (own, (app, target)) in advice.moves.iter().zip(advice.targets()) {
        let _ = writeln!(text, "\n# {}", visible(&own.text));
        let (commands, inexact) = commands(advice, app, target);
        for why in inexact.into_iter().chain(target.inexact.clone()) {
            let _ = writeln!(text, "# NOT AS COMPUTED: {}", visible(&why));
            warnings.push(format!("'{}': {why}", app.name));
        }
        for command in commands {
            let _ = writeln!(text, "{command}");
        }
    }
    (text, warnings)
}

/// The commands of a move, and their limitations.
fn commands(advice: &Advice, app: &Application, target: &Target) -> (Vec<String>, Option<String>) {
    let nodes: Vec<usize> = (0..target.then.len()).filter(|&node| target.then[node] > 0).collect();
    let mut all: Vec<u32> = nodes.iter().flat_map(|&node| advice.cpus_of(node)).collect();
    all.sort_unstable();
    let (cpus, memory) = (ranges(&all), ranges(&target.memory));
    let several = (nodes.len() > 1).then(|| {
        let counts: Vec<String> =
            nodes.iter().map(|&node| format!("{} on node {node}", target.then[node])).collect();
        format!("it may use all processors of its nodes, and the kernel decides how many threads run on each (computed: {})", counts.join(", "))
    });
    match &app.kind {
        Kind::Container { engine: engine @ (Engine::Docker | Engine::Podman), id } => {
            let command = format!(
                "{} update --cpuset-cpus={cpus} --cpuset-mems={memory} {}",
                engine.as_str(),
                typed(id)
            );
            (vec![command], several)
        }
        Kind::Service { unit } => {
            let command = format!(
                "systemctl set-property --runtime -- {} AllowedCPUs={cpus} AllowedMemoryNodes={memory}",
                typed(unit)
            );
            (vec![command], several)
        }
        Kind::Container { engine, id } => {
            let why = match engine {
                Engine::Kubernetes => {
                    "Kubernetes places pods itself: use a balloon of NRI or the CPU manager of the kubelet"
                }
                Engine::Docker | Engine::Podman | Engine::Other => {
                    "numasim knows no command of the engine of this container"
                }
            };
            (
                vec![format!("# container {}: cpus {cpus}, memory nodes {memory}", visible(id))],
                Some(why.to_owned()),
            )
        }
        Kind::Guest => (with_pages(guest(advice, app, target), app, target), no_vcpu(target)),
        Kind::Process => (with_pages(process(advice, app, target), app, target), None),
    }
}

/// Moves each virtual CPU to the logical CPUs of its node.
fn guest(advice: &Advice, app: &Application, target: &Target) -> Vec<String> {
    let pins = target.threads.iter().filter_map(|(thread, node)| {
        let list = ranges(&advice.cpus_of(*node));
        let name = typed(&app.name);
        Some(format!("virsh vcpupin --domain {name} --vcpu {} --cpulist {list} --live", thread.vcpu?))
    });
    pins.collect()
}

fn no_vcpu(target: &Target) -> Option<String> {
    let others = target.threads.iter().filter(|(thread, _)| thread.vcpu.is_none()).count();
    (others > 0).then(|| {
        format!("{others} of the threads are no virtual processors: move those of the emulator with virsh emulatorpin")
    })
}

/// Threads one by one, or all threads of a process if they move to the same node.
fn process(advice: &Advice, app: &Application, target: &Target) -> Vec<String> {
    let busy = app.busy.as_ref().map_or(0, Vec::len);
    let first = target.threads.first().map(|(_, node)| *node);
    let all_to_one = first
        .filter(|first| target.threads.len() == busy && target.threads.iter().all(|(_, node)| node == first));
    if let Some(node) = all_to_one {
        let list = ranges(&advice.cpus_of(node));
        return app.pids.iter().map(|pid| format!("taskset -apc {list} {pid}")).collect();
    }
    let one = |(thread, node): &(numasim_evidence::running::BusyThread, usize)| {
        format!("taskset -pc {} {}", ranges(&advice.cpus_of(*node)), thread.tid)
    };
    target.threads.iter().map(one).collect()
}

/// The commands, and those that move the pages of each process.
fn with_pages(mut commands: Vec<String>, app: &Application, target: &Target) -> Vec<String> {
    if let Some((from, to)) = &target.pages {
        commands
            .extend(app.pids.iter().map(|pid| format!("migratepages {pid} {} {}", ranges(from), ranges(to))));
    }
    commands
}

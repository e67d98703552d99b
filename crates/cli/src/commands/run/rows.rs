//! The timeline of a run, in the columns of `simulate --timeline`.
//!
//! A row is valid from its time until the next one of the same application and node. Threads are those at its time, other values are
//! averages until the next row. Unknown values of external programs are left empty.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use numasim_ask::table::quoted;
use numasim_bench::live::{Extent, Look};
use numasim_bench::provenance::{self, Input, Measuring, Node, Provenance, utc};
use numasim_bench::session::new_run_id;
use numasim_course::Study;
use numasim_host::system::{NodeCores, SAMPLE, System};
use numasim_model::cpus::CpuList;
use numasim_study::SourceFile;

use crate::commands::bench::{tool, typed};
use crate::commands::run::planning::How;
use crate::commands::simulate::outputs::HEADER;

/// The values of a row, apart from its application and node.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    running: Option<u64>,
    busy: Option<f64>,
    idle: Option<u64>,
    blocked: Option<u64>,
    gflops: Option<f64>,
    gbs: Option<f64>,
    items: u64,
}

/// CPU time of external programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    /// Time of the observation, after the start. At the end of a run it is slightly later than the corresponding look.
    pub(super) at: Duration,
    /// For each application; `None` for those that are not external programs, and for those that have exited.
    pub(super) used: Vec<Option<Duration>>,
}

/// Writes rows, and accumulates the times of threads.
pub(super) struct Rows<'a> {
    names: Vec<String>,
    threads: Vec<Vec<u64>>,
    foreign: Vec<bool>,
    /// Outgoing channels of each application.
    outputs: Vec<Vec<usize>>,
    last: Vec<Vec<Option<Row>>>,
    before: Look,
    cpu_before: Used,
    /// Thread-seconds of each application: without a task, and prevented from running.
    pub(super) idle_s: Vec<f64>,
    pub(super) blocked_s: Vec<f64>,
    out: &'a mut dyn Write,
}

impl<'a> Rows<'a> {
    /// Writes the header. `first` is the state at the start.
    pub(super) fn start(out: &'a mut dyn Write, study: &Study, first: Look) -> io::Result<Self> {
        out.write_all(HEADER.as_bytes())?;
        let courses = &study.dynamics.courses;
        let outputs = |app: usize| {
            let channels = study.dynamics.channels.iter().enumerate();
            channels.filter(|(_, channel)| channel.from.0 == app).map(|(number, _)| number).collect()
        };
        let apps = study.apps.len();
        Ok(Self {
            names: study.apps.iter().map(|app| quoted(&app.name).into_owned()).collect(),
            threads: courses
                .iter()
                .map(|course| course.threads.iter().map(|&n| n.into()).collect())
                .collect(),
            foreign: courses.iter().map(|course| course.command.is_some()).collect(),
            outputs: (0..apps).map(outputs).collect(),
            last: vec![vec![None; study.machine.node_count()]; apps],
            cpu_before: Used { at: first.at, used: vec![None; apps] },
            before: first,
            idle_s: vec![0.0; apps],
            blocked_s: vec![0.0; apps],
            out,
        })
    }

    /// Writes the changes between the previous look and this one; `cpu`: CPU time of external programs.
    pub(super) fn add(&mut self, look: Look, cpu: Used) -> io::Result<()> {
        let time = self.before.at.as_secs_f64();
        let long = look.at.saturating_sub(self.before.at).as_secs_f64();
        if long <= 0.0 {
            return Ok(());
        }
        for app in 0..self.names.len() {
            let (Some(then), Some(now)) = (self.before.apps.get(app), look.apps.get(app)) else { continue };
            let there = then.arrived.is_some() && then.finished.is_none();
            let items = self
                .outputs
                .get(app)
                .into_iter()
                .flatten()
                .filter_map(|&channel| self.before.channels.get(channel));
            let items: u64 = items.map(|channel| channel.produced.saturating_sub(channel.finished)).sum();
            let foreign = self.foreign.get(app).copied().unwrap_or(false);
            let of = |cpu: &Used| cpu.used.get(app).copied().flatten();
            let used = of(&cpu).zip(of(&self.cpu_before));
            let within = cpu.at.saturating_sub(self.cpu_before.at).as_secs_f64();
            for (node, (then, now)) in then.nodes.iter().zip(&now.nodes).enumerate() {
                let threads = self.threads.get(app).and_then(|nodes| nodes.get(node)).copied().unwrap_or(0);
                if threads == 0 {
                    continue;
                }
                let row = if foreign {
                    // The division of the CPU time among nodes is unknown. On a single-node host, that node has the whole time.
                    let one = self.before.apps.get(app).is_some_and(|app| app.nodes.len() == 1);
                    let busy = used
                        .filter(|_| one && within > 0.0)
                        .map(|(now, before)| now.saturating_sub(before).as_secs_f64() / within);
                    Row { busy, items, ..Row::default() }
                } else {
                    let (running, blocked) = (then.running.min(threads), then.blocked);
                    let blocked = blocked.min(threads - running);
                    let idle = if there { threads - running - blocked } else { 0 };
                    let blocked = if there { blocked } else { 0 };
                    if let (Some(idle_s), Some(blocked_s)) =
                        (self.idle_s.get_mut(app), self.blocked_s.get_mut(app))
                    {
                        *idle_s += idle as f64 * long;
                        *blocked_s += blocked as f64 * long;
                    }
                    Row {
                        running: Some(running),
                        busy: Some(now.busy.saturating_sub(then.busy).as_secs_f64() / long),
                        idle: Some(idle),
                        blocked: Some(blocked),
                        gflops: Some(now.flop.saturating_sub(then.flop) as f64 / long / 1e9),
                        gbs: Some(now.bytes.saturating_sub(then.bytes) as f64 / long / 1e9),
                        items,
                    }
                };
                let last = self.last.get_mut(app).and_then(|nodes| nodes.get_mut(node));
                if let (Some(last), Some(name)) = (last, self.names.get(app))
                    && last.as_ref() != Some(&row)
                {
                    write(self.out, time, name, node, &row)?;
                    *last = Some(row);
                }
            }
        }
        self.before = look;
        self.cpu_before = cpu;
        Ok(())
    }
}

fn write(out: &mut dyn Write, time: f64, name: &str, node: usize, row: &Row) -> io::Result<()> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let count = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    let Row { running, busy, idle, blocked, gflops, gbs, items } = row;
    writeln!(
        out,
        "{time},{name},{node},{},{},{},{},{},{},{items}",
        count(*running),
        number(*busy),
        count(*idle),
        count(*blocked),
        number(*gflops),
        number(*gbs)
    )
}

// Origin of a run: the provenance next to its results, as `bench` writes it.

/// The part that is known before it begins.
pub(super) fn provenance(
    sources: &[SourceFile],
    host: &[NodeCores],
    how: &How,
    extent: Extent,
) -> Provenance {
    let first = |node: &NodeCores| {
        CpuList::new(node.cores.iter().filter_map(|core| core.first().copied()).collect()).ok()
    };
    let all: Vec<u32> = host.iter().filter_map(first).flat_map(|cpus| cpus.as_slice().to_vec()).collect();
    let facts = CpuList::new(all).map(|used| System::host().facts(&used, SAMPLE)).unwrap_or_default();
    let node = |node: &NodeCores| Node {
        os_node: node.number,
        cores: u32::try_from(node.cores.len()).unwrap_or(u32::MAX),
        cpus: first(node).as_ref().map(ToString::to_string),
        memory_bytes: None,
    };
    Provenance {
        schema: provenance::SCHEMA,
        run: new_run_id(),
        tool: tool(),
        command: typed(),
        started_utc: utc(SystemTime::now()),
        ended_utc: None,
        facts,
        nodes: host.iter().map(node).collect(),
        settings: Measuring {
            isa: how.isa.as_str().to_owned(),
            warm_up_s: 0.0,
            // There is no window: everything from the common start to the last end is counted.
            window_s: Duration::ZERO.as_secs_f64(),
            repeat: 1,
            bind: "as the files say".to_owned(),
            processes: extent.apps > 0,
            bytes_per_thread: how.bytes_per_thread,
        },
        inputs: sources.iter().map(|file| Input::new(&file.name, &file.text)).collect(),
        fitted: Vec::new(),
        observed: Vec::new(),
        doubts: Vec::new(),
    }
}

/// Start and end of the run, without preparation and shutdown: the difference is the time in the result.
pub(super) fn took_place(provenance: &mut Provenance, started: SystemTime, ended: SystemTime) {
    provenance.started_utc = utc(started);
    provenance.ended_utc = Some(utc(ended));
}

#[cfg(test)]
mod tests {
    use numasim_bench::live::{AppLook, ChannelLook, NodeLook};

    use super::*;

    const FILE: &str = "\
[machine]
name = \"m\"
nodes = 1
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 32.0
[[app]]
name = \"a, b\"
arithmetic_intensity = 0.5
work_gflop = 100.0
[[app]]
name = \"own\"
arithmetic_intensity = 0.5
command = [\"true\"]
[[app]]
name = \"c\"
arithmetic_intensity = 0.5
work_gflop = 100.0
[[channel]]
from = \"a, b\"
to = \"c\"
item_mb = 1
";

    fn look(at_s: f64, flop: u64, busy_s: f64) -> Look {
        let app = |flop, busy_s| AppLook {
            arrived: Some(Duration::ZERO),
            nodes: vec![NodeLook {
                running: 2,
                blocked: 1,
                flop,
                bytes: 2 * flop,
                busy: Duration::from_secs_f64(busy_s),
            }],
            ..AppLook::default()
        };
        let channel = ChannelLook { produced: 3, finished: 1, ..ChannelLook::default() };
        Look {
            at: Duration::from_secs_f64(at_s),
            apps: vec![app(flop, busy_s), app(0, 0.0), app(0, 0.0)],
            channels: vec![channel],
        }
    }

    #[test]
    fn figures_are_means_until_the_next_row_and_what_is_not_known_is_empty() {
        let file = numasim_study::SourceFile { name: "a.toml".to_owned(), text: FILE.to_owned() };
        let study = numasim_ask::reading::read_study(&[file]).expect("a valid file").study;
        let mut out = Vec::new();
        let mut rows = Rows::start(&mut out, &study, look(0.0, 0, 0.0)).expect("memory");
        rows.cpu_before.used = vec![None, Some(Duration::ZERO), None];
        // 10 GFLOP and 20 GB in half a second with 0.75 s of CPU time: 20 GFLOPS, 40 GB/s, 1.5 cores
        let cpu =
            Used { at: Duration::from_millis(500), used: vec![None, Some(Duration::from_millis(250)), None] };
        rows.add(look(0.5, 10_000_000_000, 0.75), cpu).expect("memory");
        // One of four threads idle and one blocked for half a second.
        assert_eq!((rows.idle_s[0], rows.blocked_s[0]), (0.5, 0.5));
        let text = String::from_utf8(out).expect("text");
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines, ["0,\"a, b\",0,2,1.5,1,1,20,40,2", "0,own,0,,0.5,,,,,0", "0,c,0,2,0,1,1,0,0,0"]);
    }
}

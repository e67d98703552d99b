//! `--gantt`: what each worker did when, in a simulation or on this host.

use numasim_draw::gantt::{Band, Bar, Gantt, MOST_COLUMNS};
use numasim_draw::{Heading, figures};
use numasim_model::units::Seconds;
use numasim_tasks::{IdleReason, Job, TaskRecord};

use crate::view::machine_title;
use crate::view::plots::time_unit;
use crate::view::tasked::{Tasked, idle_in_words};

/// Keeps what each worker did.
#[derive(Default)]
pub(super) struct Recorder {
    /// In the order of the ends.
    records: Vec<Record>,
    /// Why workers were idle when, in seconds.
    idle: Vec<(IdleReason, f64, f64)>,
}

/// Of 24 B: there may be 10^7 of them.
struct Record {
    worker: u32,
    kind: u32,
    start_s: f64,
    end_s: f64,
}

impl Recorder {
    /// A task of this kind has ended.
    pub(super) fn ended(&mut self, record: &TaskRecord, kind: u32) {
        let TaskRecord { worker, start_s, end_s, .. } = *record;
        self.records.push(Record { worker, kind, start_s, end_s });
    }

    /// Workers without a task had none because of that.
    pub(super) fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        self.idle.push((reason, start_s, end_s));
    }

    /// The chart of the simulation, on an axis up to `end`: a band for each node with cores.
    pub(super) fn chart(&self, job: &Job<'_>, tasked: &Tasked, end: Seconds) -> Gantt {
        let (_, per_second) = time_unit(end);
        let heading = heading(job, tasked, tasked.run.makespan);
        self.drawn(job, heading, end, self.grounds(tasked, per_second))
    }

    /// The same with another heading, and reasons why workers were idle in the unit of the axis ([`time_unit`]).
    pub(super) fn drawn(&self, job: &Job<'_>, heading: Heading, end: Seconds, idle: Vec<Bar>) -> Gantt {
        let machine = job.machine;
        let (unit, per_second) = time_unit(end);
        let workers = usize::try_from(machine.total_cores()).unwrap_or(0);
        let mut rows: Vec<Vec<Bar>> = vec![Vec::new(); workers];
        for record in &self.records {
            if let Some(row) = rows.get_mut(record.worker as usize) {
                let (from, to) = (record.start_s * per_second, record.end_s * per_second);
                row.push(Bar { from, to, kind: record.kind as usize });
            }
        }
        let mut rows = rows.into_iter();
        let bands = machine.compute_nodes().map(|node| Band {
            name: format!("node {}", node.0),
            rows: rows.by_ref().take(machine.node(node).cores as usize).collect(),
        });
        Gantt {
            heading,
            x: format!("time ({unit})"),
            end: end.value() * per_second,
            columns: MOST_COLUMNS,
            kinds: job.program.graph.types().to_vec(),
            bands: bands.collect(),
            reasons: IdleReason::ALL.map(|reason| format!("idle: {}", idle_in_words(reason))).to_vec(),
            idle,
        }
    }
}

impl Recorder {
    /// Why workers were idle when; of reasons for which none was there is nothing.
    fn grounds(&self, tasked: &Tasked, per_second: f64) -> Vec<Bar> {
        let held = IdleReason::ALL.map(|reason| tasked.run.idle_because(reason) > 0.0);
        let bar = |&(reason, start_s, end_s): &(IdleReason, f64, f64)| Bar {
            from: start_s * per_second,
            to: end_s * per_second,
            kind: reason as usize,
        };
        self.idle.iter().map(bar).filter(|bar| held.get(bar.kind).is_some_and(|&held| held)).collect()
    }
}

fn heading(job: &Job<'_>, tasked: &Tasked, makespan: Seconds) -> Heading {
    let above = tasked
        .above_bound()
        .map_or(String::new(), |above| format!(", {:.1} % above the lower bound", above * 100.0));
    let stealing = if tasked.steal { " with stealing" } else { "" };
    let parts = [
        format!("{}{stealing}: {} s{above}", tasked.label(), figures::single(makespan.value())),
        format!("{:.1} % idle", tasked.run.idle * 100.0),
        format!("{:.1} % of bytes remote", tasked.run.traffic.remote_share() * 100.0),
        format!("model {}", job.machine.sharing().name()),
    ];
    Heading { title: title(job), subtitle: parts.join("; ") }
}

/// What ran where.
pub(super) fn title(job: &Job<'_>) -> String {
    format!("{} on {}", job.program.graph.name(), machine_title(job.machine))
}

//! `--timeline`: what every application does over time, row by row while it is simulated.
//!
//! | column | meaning |
//! |---|---|
//! | `time_s` | from when on the row holds, in seconds: until the next row of the same application and node |
//! | `app` | name of the application instance |
//! | `node` | NUMA node, from 0 |
//! | `running` | threads in a task, asleep in one or not; of divisible work those at work |
//! | `busy` | cores that they use |
//! | `idle` | threads that might run and have nothing to do |
//! | `blocked` | threads that may not run |
//! | `gflops` | GFLOPS of the threads on the node |
//! | `gbs` | GB/s that they draw |
//! | `items` | items of the application that are produced and not finished, over all its channels |

use std::cell::Cell;
use std::io::{self, Write};

use numasim_ask::table::quoted;
use numasim_dynamic::{Changes, Counts, Observer, Row, Snapshot, State};
use numasim_model::Study;

pub(crate) const HEADER: &str = "time_s,app,node,running,busy,idle,blocked,gflops,gbs,items\n";

/// Looks on at a simulation and writes a row for whatever changes.
pub(super) struct Timeline<'a> {
    /// As they stand in a row.
    names: Vec<String>,
    changes: Changes,
    row: Vec<u8>,
    out: &'a mut dyn Write,
    /// Set where writing fails: then nobody needs the rest.
    broken: &'a Cell<bool>,
    failed: Option<io::Error>,
}

impl<'a> Timeline<'a> {
    /// Writes the header.
    pub(super) fn start(out: &'a mut dyn Write, study: &Study, broken: &'a Cell<bool>) -> io::Result<Self> {
        out.write_all(HEADER.as_bytes())?;
        Ok(Self {
            names: study.apps.iter().map(|app| quoted(&app.name).into_owned()).collect(),
            changes: Changes::of(study),
            row: Vec::new(),
            out,
            broken,
            failed: None,
        })
    }

    /// That everything was written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn write(&mut self, snapshot: &dyn Snapshot) -> io::Result<()> {
        let Self { names, changes, row: text, out, .. } = self;
        changes.each(snapshot, |row| {
            let Row { time_s, app, node, state } = row;
            let State { counts: Counts { running, busy, idle, blocked }, gflops, gbs, items } = state;
            text.clear();
            writeln!(
                text,
                "{time_s},{},{node},{running},{busy},{idle},{blocked},{gflops},{gbs},{items}",
                names[app.0]
            )?;
            out.write_all(text)
        })
    }
}

impl Observer for Timeline<'_> {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        if self.failed.is_some() {
            return;
        }
        self.failed = self.write(snapshot).err();
        self.broken.set(self.broken.get() || self.failed.is_some());
    }
}

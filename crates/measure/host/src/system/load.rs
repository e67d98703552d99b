//! Load: how much each processor works, from `/proc/stat`.

use std::collections::BTreeMap;

use super::System;

/// Ticks that each processor has spent since the start of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes(BTreeMap<u32, Ticks>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ticks {
    idle: u64,
    stolen: u64,
    all: u64,
}

/// What a processor did over a time, as shares of it, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Worked, for whomever.
    pub busy: f64,
    /// Wanted to work while the hypervisor ran something else (steal).
    pub stolen: f64,
}

impl CpuTimes {
    /// The shares between an earlier look and this one; processors that made no tick in between are left out.
    pub fn since(&self, earlier: &Self) -> BTreeMap<u32, Share> {
        let share = |(cpu, now): (&u32, &Ticks)| {
            let then = earlier.0.get(cpu)?;
            let all = now.all.checked_sub(then.all).filter(|&ticks| ticks > 0)? as f64;
            let part = |now: u64, then: u64| (now.saturating_sub(then) as f64 / all).min(1.0);
            let stolen = part(now.stolen, then.stolen);
            Some((*cpu, Share { busy: (1.0 - part(now.idle, then.idle) - stolen).max(0.0), stolen }))
        };
        self.0.iter().filter_map(share).collect()
    }
}

impl System {
    /// The ticks of every processor now; empty if the system does not tell.
    pub fn cpu_times(&self) -> CpuTimes {
        let text = self.text("proc/stat").unwrap_or_default();
        CpuTimes(text.lines().filter_map(ticks).collect())
    }

    pub(super) fn load_average(&self) -> Option<f64> {
        self.line("proc/loadavg")?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
            .filter(|load: &f64| load.is_finite())
    }
}

/// `cpu0 user nice system idle iowait irq softirq steal guest guest_nice` (proc(5)). Time of guests is in user already.
fn ticks(line: &str) -> Option<(u32, Ticks)> {
    let mut words = line.split_whitespace();
    let cpu = words.next()?.strip_prefix("cpu")?.parse().ok()?;
    let values: Vec<u64> = words.take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
    let at = |place: usize| values.get(place).copied().unwrap_or_default();
    (values.len() >= 4).then(|| (cpu, Ticks { idle: at(3) + at(4), stolen: at(7), all: values.iter().sum() }))
}

//! The sentences and the advice of warnings.

use std::fmt;

use numasim_host::memory::size;
use numasim_model::cpus::ranges;
use serde::{Deserialize, Serialize, Serializer};

use crate::doubt::Doubt;
use crate::doubt::after::{FEWEST_REPETITIONS, LARGEST_SPREAD, Percent};
use crate::plan::Unavailable;

/// One sentence with values, without a full stop.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NumaBalancing => {
                f.write_str("automatic NUMA balancing is on: the kernel may move pages and threads during the run")
            }
            Self::Governor { governor, cpus } => {
                write!(f, "the frequency governor of processors {cpus} is {governor}, not performance")
            }
            Self::Turbo => f.write_str(
                "turbo is on: the clock frequency depends on temperature and on the number of active cores, so rates \
                 of few and of many threads are not comparable",
            ),
            Self::OtherLoad { busy } => {
                f.write_str("other processes were active on the used processors before the run: ")?;
                list(f, busy, |f, (cpu, share)| write!(f, "{cpu} was busy {} of the time", Percent(*share)))
            }
            Self::LoadAverage { load } => {
                write!(f, "{load:.1} threads of other processes were runnable on this host in the last minute")
            }
            Self::VirtualMachine { evidence } => write!(
                f,
                "this is a virtual machine ({evidence}): its processors and nodes may not be those of the hardware"
            ),
            Self::StolenTime { share, cpu } => {
                write!(f, "the hypervisor took {} of the time of processor {cpu} during the run (steal time)", Percent(*share))
            }
            Self::HugePagesOff => {
                f.write_str("transparent huge pages are off: address translation costs bandwidth")
            }
            Self::FewHugePages { scenario, app, share } => {
                write!(f, "only {} of the data of '{app}' in '{scenario}' is in huge pages", Percent(*share))
            }
            Self::CpuLimit { cpus, used, file } => {
                write!(f, "a control group limits the run to {cpus:.2} processors, but it uses {used} ({file})")
            }
            Self::Throttled { periods, waited } => write!(
                f,
                "a control group throttled threads in {periods} periods of the run, {:.3} s in all",
                waited.as_secs_f64()
            ),
            Self::Spread { scenario, app, relative, repetitions } => write!(
                f,
                "the GFLOPS of '{app}' in '{scenario}' spread by {} over {repetitions} repetitions (standard \
                 deviation / mean, limit {})",
                Percent(*relative),
                Percent(LARGEST_SPREAD)
            ),
            Self::FewerCores { wanted, used } => write!(f, "{wanted} cores are requested, {used} are used"),
            Self::ClockSource { source, unstable_tsc: false } => {
                write!(f, "the kernel's clock source is {source}, which is slower or less stable than the TSC")
            }
            Self::ClockSource { source, unstable_tsc: true } => {
                write!(f, "the kernel's clock source is {source} and the TSC is not offered: it is unstable here")
            }
            Self::SharedCore { cpus } => {
                write!(f, "processors {cpus} are hardware threads of one core and are all used: they share its units")
            }
            Self::BusySibling { busy } => {
                f.write_str("other processes were active on hardware threads of used cores before the run: ")?;
                list(f, busy, |f, (cpu, used, share)| {
                    write!(f, "{cpu} (the core of {used}) was busy {} of the time", Percent(*share))
                })
            }
            Self::FittedToHost { scenario, change } => {
                write!(f, "'{scenario}' was scaled to this host: {change}")
            }
            Self::UnverifiedPages { scenario, app } => {
                write!(f, "the system does not report on which nodes the pages of '{app}' in '{scenario}' are")
            }
            Self::FewRepetitions { repetitions: 1 } => {
                f.write_str("measured once: the spread between repetitions is unknown")
            }
            Self::FewRepetitions { repetitions } => {
                write!(f, "{repetitions} repetitions are too few to judge their spread")
            }
            Self::CountingOverhead { scenario, app, share } => {
                write!(f, "counting took {:.2} % of the window of '{app}' in '{scenario}'", 100.0 * share)
            }
            Self::FitsCache { scenario, app, bytes, cache_bytes } => write!(
                f,
                "the data of '{app}' in '{scenario}' ({}) fit the last-level cache of its processors ({}): what is read again comes from there, \
                 not from memory",
                size(*bytes),
                size(*cache_bytes)
            ),
            Self::NotPinned { cpus } => {
                write!(f, "threads are not pinned: the system may move each among {cpus} processors")
            }
            Self::PageFaults { scenario, app, counted, expected } => write!(
                f,
                "'{app}' in '{scenario}' had {counted} page faults in the timed part, and its kernel has {expected}"
            ),
            Self::KernelIntensity { app, asked, ran } => {
                write!(f, "'{app}' asks for {asked} FLOP/byte, the nearest kernel has {ran}")
            }
            Self::TunedElsewhere { kernels } => tuned_elsewhere(f, kernels),
            Self::TriedElsewhere { processor, here } => tried_elsewhere(f, processor, here),
            Self::UnknownHardware { what } => write!(f, "the system does not report: {}", what.join(", ")),
        }
    }
}

impl Doubt {
    /// The advice: a command, or a sentence, without a full stop.
    pub fn advice(&self) -> String {
        match self {
            Self::NumaBalancing => "sudo sysctl kernel.numa_balancing=0".into(),
            // `cpupower` is not installed everywhere; the second way always works.
            Self::Governor { cpus, .. } => format!(
                "sudo cpupower -c {cpus} frequency-set -g performance, or for all: echo performance | sudo tee \
                 /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
            ),
            Self::Turbo => "switch it off for the run: echo 1 | sudo tee \
                            /sys/devices/system/cpu/intel_pstate/no_turbo, or, without that file: echo 0 | \
                            sudo tee /sys/devices/system/cpu/cpufreq/boost"
                .into(),
            Self::OtherLoad { busy } => {
                let cpus: Vec<u32> = busy.iter().map(|&(cpu, _)| cpu).collect();
                format!(
                    "see which: ps -eo psr,pcpu,comm --sort=-pcpu | head (first column: the processor, here {}); \
                     stop it, or measure on processors of your own: salloc --exclusive, or isolcpus=",
                    ranges(&cpus)
                )
            }
            Self::LoadAverage { .. } => {
                "see which: ps -eo psr,pcpu,comm --sort=-pcpu | head; stop it and measure again".into()
            }
            Self::VirtualMachine { .. } => {
                "measure on the bare machine, or pin virtual processors and memory to nodes of the host".into()
            }
            Self::StolenTime { .. } => {
                "measure again when the host is quiet, or on a dedicated or bare machine".into()
            }
            Self::HugePagesOff => {
                "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled".into()
            }
            Self::FewHugePages { .. } => "free and compact memory: echo 3 | sudo tee /proc/sys/vm/drop_caches; echo 1 \
                                          | sudo tee /proc/sys/vm/compact_memory"
                .into(),
            Self::CpuLimit { used, .. } => {
                format!(
                    "raise the limit above {used} processors (docker run --cpus, systemd CPUQuota=), or use fewer"
                )
            }
            Self::Throttled { .. } => {
                "raise the limit of the container or service (docker run --cpus, systemd CPUQuota=) and measure again"
                    .into()
            }
            Self::Spread { .. } => {
                "measure again on a quiet host, with a longer --window or more --repeat; do not rely on the mean alone".into()
            }
            Self::FewerCores { wanted, .. } => {
                format!("measure on a host with {wanted} cores for this program, or see numasim detect")
            }
            Self::ClockSource { unstable_tsc: false, .. } => {
                "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource".into()
            }
            Self::ClockSource { unstable_tsc: true, .. } => {
                "see why: sudo dmesg | grep -i -e tsc -e clocksource; use a --window of a second or more".into()
            }
            Self::SharedCore { .. } => "use one hardware thread of each core: leave out --smt".into(),
            Self::BusySibling { .. } => {
                "stop them, or switch SMT off for the run: echo off | sudo tee /sys/devices/system/cpu/smt/control"
                    .into()
            }
            Self::FittedToHost { .. } => "measure on a machine that the scenario fits; compare this result with a \
                                          prediction for this host only"
                .into(),
            Self::UnverifiedPages { .. } => "allow the system call move_pages (docker run --cap-add SYS_NICE), or see \
                                             /proc/PID/numa_maps during the run"
                .into(),
            Self::FewRepetitions { .. } => format!("--repeat 10 (at least {FEWEST_REPETITIONS})"),
            Self::CountingOverhead { .. } => "give each thread more data, or use a longer --window".into(),
            Self::FitsCache { cache_bytes, .. } => format!(
                "give it more data than {}: a larger size in [app.problem], or --memory-per-thread",
                size(4 * cache_bytes)
            ),
            Self::NotPinned { .. } => "--bind core".into(),
            Self::PageFaults { expected: 0, .. } => {
                "switch off what takes pages away: sudo sysctl kernel.numa_balancing=0; see whether memory was swapped out".into()
            }
            Self::PageFaults { .. } => "measure again; see /sys/kernel/mm/transparent_hugepage/hugepages-*/enabled for other sizes of pages".into(),
            Self::KernelIntensity { ran, .. } => {
                format!("set arithmetic_intensity = {ran} in the file, so that model and kernel are the same")
            }
            Self::TunedElsewhere { .. } | Self::TriedElsewhere { .. } => {
                "choose them on this host: numasim calibrate -o machine.toml".into()
            }
            Self::UnknownHardware { .. } => {
                "ask the administrator; on a virtual machine check its host".into()
            }
        }
    }
}

fn tuned_elsewhere(f: &mut fmt::Formatter<'_>, kernels: &[Unavailable]) -> fmt::Result {
    f.write_str("the machine file's ways of kernels through memory were chosen on another processor: ")?;
    list(f, kernels, |f, way| write!(f, "{} with {}", way.access.as_str(), way.isa))?;
    f.write_str(", which this one lacks; they go the usual way")
}

fn tried_elsewhere(f: &mut fmt::Formatter<'_>, processor: &str, here: &str) -> fmt::Result {
    write!(
        f,
        "the machine file's ways of kernels through memory were tried on another processor ({processor}; here: {here}): others may be \
         faster here"
    )
}

/// Writes the first items and the number of the others.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    one: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    const SHOWN: usize = 4;
    for (place, item) in items.iter().take(SHOWN).enumerate() {
        if place > 0 {
            f.write_str(", ")?;
        }
        one(f, item)?;
    }
    match items.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(f, ", and {more} more"),
    }
}

/// A warning in a file, where its text counts and not its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedDoubt {
    /// [`Doubt::code`].
    pub code: String,
    /// The sentence.
    pub message: String,
    /// [`Doubt::advice`].
    pub advice: String,
}

impl From<&Doubt> for RecordedDoubt {
    fn from(doubt: &Doubt) -> Self {
        Self { code: doubt.code().into(), message: doubt.to_string(), advice: doubt.advice() }
    }
}

/// Serialised as a [`RecordedDoubt`].
impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RecordedDoubt::from(self).serialize(serializer)
    }
}

/// The codes, each once, in the order of the warnings: the contents of the column `doubts` of a measurement, joined by spaces.
pub fn codes<'a>(doubts: impl IntoIterator<Item = &'a Doubt>) -> Vec<&'static str> {
    let mut codes = Vec::new();
    for code in doubts.into_iter().map(Doubt::code) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_written_as_code_message_and_advice() {
        let written = serde_json::to_value(Doubt::NumaBalancing).expect("plain text");
        let keys: Vec<&String> = written.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["code", "message", "advice"]);
        assert_eq!(written["code"], "numa-balancing");
        assert_eq!(written["advice"], "sudo sysctl kernel.numa_balancing=0");
        let read: RecordedDoubt = serde_json::from_value(written).expect("as written");
        assert_eq!(read, RecordedDoubt::from(&Doubt::NumaBalancing));
    }

    #[test]
    fn a_code_of_two_warnings_is_listed_once() {
        let few = Doubt::FewHugePages { scenario: "even".into(), app: "mem".into(), share: 0.5 };
        assert_eq!(codes(&[Doubt::HugePagesOff, Doubt::Turbo, few]), ["no-huge-pages", "turbo"]);
    }
}

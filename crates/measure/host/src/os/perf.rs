//! Counters of the kernel (perf_event_open).

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::FromRawFd as _;

/// A counter that runs.
#[derive(Debug)]
pub struct PerfCounter(File);

/// The value of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Counts until now.
    pub counts: u64,
    /// Nanoseconds in which it has counted: less than has passed if the kernel lent its hardware to others meanwhile.
    pub running_ns: u64,
}

/// The beginning of perf_event_attr, which every kernel since 2.6.33 accepts.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
}

/// `PERF_ATTR_SIZE_VER1`.
const SIZE: u32 = 72;
const _: () = assert!(size_of::<Attributes>() == SIZE as usize);

/// With the count come the times for which it exists and for which it counted (`PERF_FORMAT_TOTAL_TIME_ENABLED`, `_RUNNING`).
const READ_FORMAT: u64 = 1 | 2;
/// The counter is closed in programs that this one starts.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

impl PerfCounter {
    /// Starts a counter of everything on a processor, or, for devices of a socket, of its socket. `kind` and `config` are `type` and
    /// `config`, `config1`, `config2` of perf_event_attr.
    ///
    /// # Errors
    /// The error of the system: `EACCES` or `EPERM` without the permission (perf_event_paranoid), `ENOENT` or `EINVAL` for an unknown event.
    pub fn of_processor(kind: u32, config: [u64; 3], cpu: u32) -> io::Result<Self> {
        let [config, config1, config2] = config;
        let attributes = Attributes {
            kind,
            size: SIZE,
            config,
            read_format: READ_FORMAT,
            config1,
            config2,
            ..Attributes::default()
        };
        let cpu = libc::c_int::try_from(cpu).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
        let (every_process, no_group): (libc::pid_t, libc::c_int) = (-1, -1);
        // SAFETY: `attributes` lives through the call and is as long as its size says; the kernel only reads it.
        let file = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                every_process,
                cpu,
                no_group,
                CLOSE_ON_EXEC,
            )
        };
        let file = libc::c_int::try_from(file).map_err(io::Error::other)?;
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just opened it for us.
        Ok(Self(unsafe { File::from_raw_fd(file) }))
    }

    /// Its value now.
    ///
    /// # Errors
    /// The error of the system.
    pub fn read(&self) -> io::Result<Count> {
        let mut bytes = [0; 24];
        (&self.0).read_exact(&mut bytes)?;
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_ne_bytes(number)
        };
        Ok(Count { counts: number(0), running_ns: number(16) })
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    /// A counter of software, which needs no hardware: the clock of a processor (`PERF_TYPE_SOFTWARE`, `PERF_COUNT_SW_CPU_CLOCK`) counts nanoseconds.
    #[test]
    fn a_counter_of_a_processor_goes_on_where_the_system_permits_it() {
        const SOFTWARE: u32 = 1;
        let cpu = crate::os::thread::affinity().expect("Linux tells")[0];
        match PerfCounter::of_processor(SOFTWARE, [0; 3], cpu) {
            Ok(counter) => {
                let before = counter.read().expect("readable");
                sleep(Duration::from_millis(20));
                let after = counter.read().expect("readable");
                assert!(after.running_ns >= before.running_ns + 10_000_000, "{before:?} {after:?}");
                assert!(after.counts > before.counts, "{before:?} {after:?}");
            }
            Err(why) => {
                let refused = [libc::EACCES, libc::EPERM, libc::ENOSYS, libc::ENOENT, libc::EOPNOTSUPP];
                assert!(why.raw_os_error().is_some_and(|code| refused.contains(&code)), "{why}");
            }
        }
    }

    #[test]
    fn an_unknown_kind_or_processor_is_an_error() {
        assert!(PerfCounter::of_processor(u32::MAX, [0; 3], 0).is_err());
        assert!(PerfCounter::of_processor(1, [0; 3], u32::MAX).is_err());
    }
}

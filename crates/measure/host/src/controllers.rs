//! Counters of the memory controllers of a host: they are opened once, and read at each instant.
//!
//! They need no file of resctrl, and count all applications of a socket together. [`kernel`] opens them on this host; tests give counters of their own.

use std::fmt::Debug;
use std::io;

use numasim_evidence::formats::perf::device::TrafficEvent;
use numasim_evidence::running::ControllerCount;

use crate::system::System;

/// A counter that runs.
pub trait Counter: Debug {
    /// Its counts until now, and the nanoseconds in which it has counted.
    ///
    /// # Errors
    /// The error of the system.
    fn read(&self) -> io::Result<(u64, u64)>;
}

/// Starts the counter of an event on a processor.
pub type Open<'a> = &'a dyn Fn(&TrafficEvent, u32) -> io::Result<Box<dyn Counter>>;

/// The counters of a host.
#[derive(Debug, Default)]
pub struct Controllers {
    counters: Vec<Running>,
    unread: Option<String>,
}

/// A counter, and its place.
#[derive(Debug)]
struct Running {
    socket: u32,
    is_write: bool,
    bytes_each: f64,
    counter: Box<dyn Counter>,
}

impl Controllers {
    /// The counters of a recorded host, which do not run.
    pub fn recorded() -> Self {
        Self { counters: Vec::new(), unread: Some("a recorded host contains no counts of them".to_owned()) }
    }

    /// Starts the counters that the system describes: all of them, or none and the reason.
    pub fn start(system: &System, open: Open<'_>) -> Self {
        let events = system.traffic_events();
        if events.is_empty() {
            let why = "the kernel describes none of their events that count bytes read and written";
            return Self { counters: Vec::new(), unread: Some(why.to_owned()) };
        }
        let mut counters = Vec::new();
        for event in &events {
            for &cpu in &event.cpus {
                match open(event, cpu) {
                    Ok(counter) => counters.push(Running {
                        socket: system.socket(cpu).unwrap_or(cpu),
                        is_write: event.is_write,
                        bytes_each: event.bytes_each,
                        counter,
                    }),
                    Err(why) => {
                        let unread = Some(refused(system, event, &why));
                        return Self { counters: Vec::new(), unread };
                    }
                }
            }
        }
        Self { counters, unread: None }
    }

    /// Their counts now; none if one of them cannot be read.
    pub fn now(&self) -> Vec<ControllerCount> {
        let count = |running: &Running| {
            let (counts, running_ns) = running.counter.read().ok()?;
            let Running { socket, is_write, bytes_each, .. } = *running;
            Some(ControllerCount { socket, is_write, bytes_each, counts, running_ns })
        };
        self.counters.iter().map(count).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// The reason for not reading them, as part of a sentence; `None` if they are read.
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }
}

/// The reason that the system gives for not starting a counter.
fn refused(system: &System, event: &TrafficEvent, why: &io::Error) -> String {
    if why.kind() != io::ErrorKind::PermissionDenied {
        return format!("the kernel refuses {}: {why}", event.device);
    }
    let level = system.perf_paranoid().map_or_else(String::new, |level| format!(" (it is {level})"));
    format!(
        "the system does not permit it; run as root or with CAP_PERFMON, or write 0 to /proc/sys/kernel/perf_event_paranoid{level}"
    )
}

/// Starts a counter of this host.
///
/// # Errors
/// The error of the system, and always on a system other than Linux.
pub fn kernel(event: &TrafficEvent, cpu: u32) -> io::Result<Box<dyn Counter>> {
    #[cfg(target_os = "linux")]
    {
        let counter = crate::os::perf::PerfCounter::of_processor(event.kind, event.config, cpu)?;
        Ok(Box::new(counter))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (event, cpu);
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(target_os = "linux")]
impl Counter for crate::os::perf::PerfCounter {
    fn read(&self) -> io::Result<(u64, u64)> {
        Self::read(self).map(|count| (count.counts, count.running_ns))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use super::*;
    use crate::testing::Tree;

    /// Two sockets with a controller each; processors 0 and 2 are in them.
    fn host() -> Tree {
        let tree = Tree::new(&[
            ("proc/sys/kernel/perf_event_paranoid", "2\n"),
            ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"),
            ("sys/devices/system/cpu/cpu2/topology/physical_package_id", "1\n"),
        ]);
        for (device, kind) in [("uncore_imc_0", "15"), ("uncore_imc_1", "16")] {
            let write = |path: &str, text: &str| {
                tree.write(&format!("sys/bus/event_source/devices/{device}/{path}"), text);
            };
            write("type", kind);
            write("cpumask", "0,2\n");
            write("format/event", "config:0-7\n");
            write("format/umask", "config:8-15\n");
            for (event, umask) in [("cas_count_read", "0x03"), ("cas_count_write", "0x0c")] {
                write(&format!("events/{event}"), &format!("event=0x04,umask={umask}\n"));
                write(&format!("events/{event}.scale"), "6.103515625e-5\n");
                write(&format!("events/{event}.unit"), "MiB\n");
            }
        }
        tree
    }

    /// A counter that a test turns on: its counts, and the time.
    #[derive(Debug)]
    struct Made(Rc<Cell<(u64, u64)>>);

    impl Counter for Made {
        fn read(&self) -> io::Result<(u64, u64)> {
            match self.0.get() {
                (_, u64::MAX) => Err(io::Error::other("gone")),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn each_event_is_counted_once_in_each_socket() {
        let opened = RefCell::new(Vec::new());
        let state = Rc::new(Cell::new((3, 5)));
        let open = |event: &TrafficEvent, cpu: u32| -> io::Result<Box<dyn Counter>> {
            opened.borrow_mut().push((event.kind, event.config[0], cpu));
            Ok(Box::new(Made(Rc::clone(&state))))
        };
        let controllers = Controllers::start(&host().system(), &open);
        assert_eq!(controllers.unread(), None);
        let first: Vec<_> = opened.borrow().iter().take(4).copied().collect();
        assert_eq!(first, [(15, 0x304, 0), (15, 0x304, 2), (15, 0xc04, 0), (15, 0xc04, 2)]);
        let now = controllers.now();
        assert_eq!(now.len(), 8);
        let expected =
            ControllerCount { socket: 1, is_write: true, bytes_each: 64.0, counts: 3, running_ns: 5 };
        assert_eq!(now[3], expected);
        // One that cannot be read any more makes the sum unknown.
        state.set((0, u64::MAX));
        assert!(controllers.now().is_empty());
    }

    #[test]
    fn the_reason_is_known_if_nothing_is_counted() {
        let none = |_: &TrafficEvent, _: u32| -> io::Result<Box<dyn Counter>> {
            Err(io::ErrorKind::PermissionDenied.into())
        };
        let why = Controllers::start(&host().system(), &none);
        assert!(why.unread().is_some_and(|why| why.ends_with("perf_event_paranoid (it is 2)")), "{why:?}");
        let odd = |_: &TrafficEvent, _: u32| -> io::Result<Box<dyn Counter>> {
            Err(io::ErrorKind::InvalidInput.into())
        };
        let why = Controllers::start(&host().system(), &odd);
        assert!(
            why.unread().is_some_and(|why| why.starts_with("the kernel refuses uncore_imc_0")),
            "{why:?}"
        );
        // AMD's devices describe no events.
        let amd = Tree::new(&[("sys/bus/event_source/devices/amd_df/type", "10\n")]);
        let why = Controllers::start(&amd.system(), &none);
        assert!(why.unread().is_some_and(|why| why.starts_with("the kernel describes none")), "{why:?}");
        assert!(Controllers::recorded().unread().is_some());
    }
}

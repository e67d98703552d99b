//! Events that count memory traffic, as the kernel describes them in `/sys/bus/event_source/devices/DEVICE`: `type`, `cpumask`, `format/`, and
//! `events/` with `.scale` and `.unit` (kernel ABI: sysfs-bus-event_source-devices-events and -format).
//!
//! A description becomes the numbers that perf_event_open takes. An event without a description here is not counted: AMD's devices describe none
//! of theirs, and the tables of perf are no part of the kernel.

use numasim_model::cpus::CpuList;

use super::counter::{Direction, Meaning, Traffic, bytes_each, meaning};

/// Unit of a count without a file `.unit`.
const LINE: &str = "";

/// An event that counts memory traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficEvent {
    /// Its device: `uncore_imc_0`.
    pub device: String,
    /// Number of the device: `type` of perf_event_attr.
    pub kind: u32,
    /// `config`, `config1` and `config2` of perf_event_attr.
    pub config: [u64; 3],
    /// Whether it counts bytes written; otherwise bytes read.
    pub is_write: bool,
    /// Bytes of one count.
    pub bytes_each: f64,
    /// A processor for each of the sockets in which the device exists.
    pub cpus: Vec<u32>,
    traffic: Traffic,
}

/// The events of a device that count reads and writes. `names` are the files of its folder `events`; `file` returns the text of a file of the device.
pub fn traffic_events(
    device: &str,
    names: &[String],
    file: &dyn Fn(&str) -> Option<String>,
) -> Vec<TrafficEvent> {
    let event = |name: &String| {
        let Meaning::Memory(traffic, direction) = meaning(&format!("{device}/{name}/")) else { return None };
        // The sum of both would count all bytes twice.
        let is_write = match direction {
            Direction::Read => false,
            Direction::Write => true,
            Direction::Both => return None,
        };
        let own = |suffix: &str| file(&format!("events/{name}{suffix}")).map(|text| text.trim().to_owned());
        let scale = match own(".scale") {
            Some(text) => text.parse::<f64>().ok().filter(|scale| scale.is_finite() && *scale > 0.0)?,
            None => 1.0,
        };
        let unit = bytes_each(own(".unit").as_deref().unwrap_or(LINE))?;
        Some(TrafficEvent {
            device: device.to_owned(),
            kind: file("type")?.trim().parse().ok()?,
            config: config(&own("")?, &|term| file(&format!("format/{term}")))?,
            is_write,
            bytes_each: scale * unit,
            cpus: CpuList::parse(file("cpumask")?.trim()).ok()?.as_slice().to_vec(),
            traffic,
        })
    };
    names.iter().filter_map(event).collect()
}

/// Of the events of all devices those of one kind: several kinds count the same bytes.
pub fn of_one_kind(mut events: Vec<TrafficEvent>) -> Vec<TrafficEvent> {
    if let Some(first) = events.iter().map(|event| event.traffic).min() {
        events.retain(|event| event.traffic == first);
    }
    events
}

/// The numbers of an event such as `event=0x04,umask=0x03`; `format` returns the bits of a term: `config:8-15`. `None` if a term has no bits, no value, or
/// one that does not fit.
fn config(event: &str, format: &dyn Fn(&str) -> Option<String>) -> Option<[u64; 3]> {
    let mut config = [0; 3];
    for term in event.split(',').map(str::trim).filter(|term| !term.is_empty()) {
        let (name, value) = term.split_once('=').unwrap_or((term, "1"));
        let value = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => value.parse().ok()?,
        };
        let described = match name {
            // The word itself, for devices without a format.
            "config" | "config1" | "config2" => format!("{name}:0-63"),
            _ => format(name)?,
        };
        put(&mut config, described.trim(), value)?;
    }
    Some(config)
}

/// Puts a value into the bits of a format, the lowest first: `config:0-7,21`.
fn put(config: &mut [u64; 3], format: &str, mut value: u64) -> Option<()> {
    let (word, ranges) = format.split_once(':')?;
    let place = ["config", "config1", "config2"].iter().position(|known| *known == word)?;
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last > 63 {
            return None;
        }
        let bits = u64::MAX >> (63 - (last - first));
        *config.get_mut(place)? |= (value & bits) << first;
        value = value.checked_shr(last - first + 1).unwrap_or(0);
    }
    (value == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The events of a device with these files.
    fn events(device: &str, files: &[(&str, &str)]) -> Vec<TrafficEvent> {
        let files: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let names: Vec<String> =
            files.keys().filter_map(|path| path.strip_prefix("events/").map(str::to_owned)).collect();
        traffic_events(device, &names, &|path| files.get(path).cloned())
    }

    const IMC: [(&str, &str); 13] = [
        ("type", "15\n"),
        ("cpumask", "0,28\n"),
        ("format/event", "config:0-7\n"),
        ("format/umask", "config:8-15\n"),
        ("events/cas_count_read", "event=0x04,umask=0x03\n"),
        ("events/cas_count_read.scale", "6.103515625e-5\n"),
        ("events/cas_count_read.unit", "MiB\n"),
        ("events/cas_count_write", "event=0x04,umask=0x0c\n"),
        ("events/cas_count_write.scale", "6.103515625e-5\n"),
        ("events/cas_count_write.unit", "MiB\n"),
        ("events/clockticks", "event=0xff\n"),
        ("events/torn", ""),
        ("format/edge", "config:18\n"),
    ];

    /// 6.103515625e-5 MiB are 64 B: one line.
    #[test]
    fn reads_and_writes_of_a_memory_controller_are_found_with_their_numbers() {
        let found = events("uncore_imc_0", &IMC);
        let facts: Vec<_> = found
            .iter()
            .map(|event| (event.kind, event.config[0], event.is_write, event.bytes_each))
            .collect();
        assert_eq!(facts, [(15, 0x304, false, 64.0), (15, 0xc04, true, 64.0)]);
        assert_eq!(found[0].cpus, [0, 28]);
        // A device of something else may have an event of this name.
        assert!(events("uncore_cha_0", &IMC).is_empty());
    }

    #[test]
    fn of_two_kinds_that_count_the_same_bytes_one_is_taken() {
        let free_running = [
            ("type", "20"),
            ("cpumask", "0"),
            ("format/event", "config:0-7"),
            ("events/data_read", "event=0xff"),
            ("events/data_total", "event=0xfe"),
        ];
        let free_running = events("uncore_imc_free_running_0", &free_running);
        // The total is the sum of reads and writes.
        assert_eq!(free_running.len(), 1);
        assert_eq!(of_one_kind([free_running.clone(), events("uncore_imc_0", &IMC)].concat()).len(), 2);
        assert_eq!(of_one_kind(free_running.clone()), free_running);
    }

    #[test]
    fn a_value_is_spread_over_the_bits_of_its_format() {
        let format = |term: &str| {
            Some(match term {
                "event" => "config:0-7,32-35".to_owned(),
                "wide" => "config1:0-63".to_owned(),
                "flag" => "config2:3".to_owned(),
                "bad" => "config:9-70".to_owned(),
                _ => return None,
            })
        };
        // 0x3ff: 0xff in the bits 0 to 7, 3 from bit 32 on.
        assert_eq!(config("event=0x3ff,flag", &format), Some([0x3_0000_00ff, 0, 8]));
        assert_eq!(config("wide=18446744073709551615", &format), Some([0, u64::MAX, 0]));
        assert_eq!(config("config=0x11", &format), Some([0x11, 0, 0]));
        for wrong in ["event=0x1000", "flag=2", "bad=1", "other=1", "event=?", "event=0xz"] {
            assert_eq!(config(wrong, &format), None, "{wrong}");
        }
    }
}

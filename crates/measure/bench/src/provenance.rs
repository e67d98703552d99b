//! The provenance of a result, written as JSON next to it (`RESULT.provenance.json`), so that other people can judge and repeat it.
//!
//! A [`Provenance`] is a plain value. The caller of the benchmark fills it in, [`Provenance::to_json`] writes it, and [`read`] reads it
//! back for a report or a resumed run. Files of later versions may have more keys; a file of another schema is rejected.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read};
use std::time::SystemTime;

use numasim_host::system::Facts;
use numasim_study::topology::HostTopology;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::doubt::{Doubt, RecordedDoubt, Repeated};
use crate::runner::Settings;

/// The schema that this version writes and reads.
pub const SCHEMA: u32 = 1;

/// The provenance of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The id of the run, as in the column `run` of the measurements.
    pub run: String,
    /// The program that measured.
    pub tool: Tool,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// Start of the run, RFC 3339 in UTC.
    pub started_utc: String,
    /// When it ended; absent while it runs and when it was killed.
    #[serde(default)]
    pub ended_utc: Option<String>,
    /// Facts that the system reported before the run, including the name of the host.
    #[serde(default)]
    pub facts: Facts,
    /// NUMA nodes of the host.
    #[serde(default)]
    pub nodes: Vec<Node>,
    /// How it was measured.
    pub settings: Measuring,
    /// The input files, with their text.
    #[serde(default)]
    pub inputs: Vec<Input>,
    /// The changes by `--fit-host`, one sentence each; empty: no changes.
    #[serde(default)]
    pub fitted: Vec<String>,
    /// A summary of the measurements of each application in each scenario, in addition to its rates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Observed>,
    /// Warnings about the quality of the result.
    #[serde(default)]
    pub doubts: Vec<RecordedDoubt>,
}

/// The program that measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Cargo features it was built with.
    #[serde(default)]
    pub features: Vec<String>,
    /// `release`, or `debug` without optimisation.
    pub profile: String,
}

/// One NUMA node of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The operating system's number of the node. Its index in the list is its number in a machine file.
    pub os_node: u32,
    /// Cores that the process may use.
    pub cores: u32,
    /// One logical CPU of each core, in the syntax of Linux; absent for a memory-only node.
    #[serde(default)]
    pub cpus: Option<String>,
    /// Memory in bytes.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
}

/// How it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measuring {
    /// Instruction set of the kernels: `avx512`.
    pub isa: String,
    /// Time from the common start to the window, in seconds.
    pub warm_up_s: f64,
    /// The measuring window, in seconds.
    pub window_s: f64,
    /// Number of repetitions requested.
    pub repeat: u32,
    /// The binding of threads: `core` or `node`.
    pub bind: String,
    /// Whether applications run in separate processes.
    pub processes: bool,
    /// Data of each thread in bytes.
    pub bytes_per_thread: u64,
}

/// An application in a scenario, over all its measurements of this part of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// The scenario.
    pub scenario: String,
    /// The application.
    pub app: String,
    /// Page faults of all its threads during the timed part, for the measurement with the largest deviation from the expected number.
    pub page_faults: u64,
    /// The expected number for that measurement: one for each page of memory that is new for it.
    pub expected_page_faults: u64,
    /// Largest fraction of the time that a thread waited for others between steps, 0 to 1.
    #[serde(default)]
    pub waited_share: Option<f64>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its name on the command line; `-` is standard input.
    pub name: String,
    /// SHA-256 of its text, 64 hexadecimal digits in lower case.
    pub sha256: String,
    /// Its text.
    pub text: String,
}

/// The reason why a provenance cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or a key is missing or of the wrong kind.
    #[error("not a provenance of numasim: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Written by a version with another schema.
    #[error("its schema is {0}, but this version of numasim reads {SCHEMA}: use the version that wrote it")]
    Schema(u64),
    /// The text of an input does not match its hash.
    #[error("the text of its input '{name}' was changed: its SHA-256 is {is}, not {recorded}")]
    Changed {
        /// The input.
        name: String,
        /// The hash in the file.
        recorded: String,
        /// The actual hash.
        is: String,
    },
}

impl Provenance {
    /// As multi-line JSON, with a final newline.
    pub fn to_json(&self) -> String {
        // Only a map with keys that are not text could fail, and there is none.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Adds observations of applications, if the system reported them.
    pub fn observe(&mut self, repeated: &[Repeated]) {
        self.observed = repeated
            .iter()
            .filter_map(|of| {
                let (page_faults, expected_page_faults) = of.page_faults?;
                let (scenario, app) = (of.scenario.clone(), of.app.clone());
                let waited_share = of.waited.filter(|&share| share > 0.0);
                Some(Observed { scenario, app, page_faults, expected_page_faults, waited_share })
            })
            .collect();
    }

    /// Adds warnings, in their order and without duplicates.
    pub fn doubt(&mut self, doubts: &[Doubt]) {
        for recorded in doubts.iter().map(RecordedDoubt::from) {
            if !self.doubts.contains(&recorded) {
                self.doubts.push(recorded);
            }
        }
    }
}

impl Input {
    /// A file with its text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { name: name.into(), sha256: sha256(text.as_bytes()), text }
    }
}

impl Measuring {
    /// From the settings of a run, its number of repetitions and the binding of its threads (`core` or `node`).
    pub fn new(settings: &Settings, repeat: u32, bind: impl Into<String>) -> Self {
        Self {
            isa: settings.isa.as_str().into(),
            warm_up_s: settings.warm_up.as_secs_f64(),
            window_s: settings.window.as_secs_f64(),
            repeat,
            bind: bind.into(),
            processes: settings.processes,
            bytes_per_thread: settings.bytes_per_thread,
        }
    }
}

/// The NUMA nodes of a host in the form of a provenance.
pub fn nodes(host: &HostTopology) -> Vec<Node> {
    let node = |node: &numasim_study::topology::HostNode| Node {
        os_node: node.os_index,
        cores: node.cores,
        cpus: node.cpus.as_ref().map(ToString::to_string),
        memory_bytes: node.memory_bytes,
    };
    host.nodes.iter().map(node).collect()
}

/// Reads the output of [`Provenance::to_json`], from this version or a later one with the same schema.
///
/// # Errors
/// Every variant of [`ReadError`].
pub fn read(json: &str) -> Result<Provenance, ReadError> {
    /// Only the schema, so that a different one is reported before missing keys are.
    #[derive(Deserialize)]
    struct Head {
        schema: u64,
    }
    let Head { schema } = serde_json::from_str(json)?;
    if schema != u64::from(SCHEMA) {
        return Err(ReadError::Schema(schema));
    }
    let provenance: Provenance = serde_json::from_str(json)?;
    for input in &provenance.inputs {
        let is = sha256(input.text.as_bytes());
        if is != input.sha256 {
            return Err(ReadError::Changed { name: input.name.clone(), recorded: input.sha256.clone(), is });
        }
    }
    Ok(provenance)
}

/// A time as RFC 3339 in UTC with milliseconds: `2026-11-21T09:52:06.123Z`.
///
/// Times that RFC 3339 cannot write, before 1970 and after 9999, become the nearest one that it can.
pub fn utc(time: SystemTime) -> String {
    use std::time::{Duration, UNIX_EPOCH};
    // The last second of 9999; the formatter fails on any later time.
    let last = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_millis(time.clamp(UNIX_EPOCH, last)).to_string()
}

/// The SHA-256 of bytes, 64 hexadecimal digits in lower case.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The SHA-256 of all data from `reader`, which need not fit into memory.
///
/// # Errors
/// Those of `reader`.
pub fn sha256_of(mut reader: impl Read) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match reader.read(&mut block) {
            Ok(0) => return Ok(hexadecimal(&digest.finalize())),
            Ok(length) => digest.update(&block[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

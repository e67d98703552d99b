//! Where a run comes from: the provenance beside its results, as `bench` writes it.

use std::time::{Duration, SystemTime};

use numasim_bench::live::Extent;
use numasim_bench::provenance::{self, Input, Measuring, Node, Provenance, utc};
use numasim_bench::session::new_run_id;
use numasim_host::system::{NodeCores, SAMPLE, System};
use numasim_model::cpus::CpuList;
use numasim_study::SourceFile;

use super::planning::How;
use crate::commands::bench::{tool, typed};

/// What is known before it begins.
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
            // There is no window: everything is counted, from the common start to the last end.
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

/// When it took place, without preparation and end: what there is between the two is the time of the result.
pub(super) fn took_place(provenance: &mut Provenance, started: SystemTime, ended: SystemTime) {
    provenance.started_utc = utc(started);
    provenance.ended_utc = Some(utc(ended));
}

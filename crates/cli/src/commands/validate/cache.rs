//! The last-level cache, on hosts with one node: measured like the rest, kept and compared apart from it.

use numasim_evidence::contended::{CachePlan, LastLevel, cached};
use numasim_host::HostTopology;
use numasim_host::memory::{SharedCache, shared_last_level};

use super::{Folder, benchmark, kept, of_files, what_ran};
use crate::args::{Benchmark, ValidateArgs};
use crate::commands::bench::{self, Kept};
use crate::failure::Failure;
use crate::output::Format;
use crate::shell::Shell;
use crate::view::cached::Document;

/// Measures what the cache can do and writes it as `cache.json`; where the host does not allow it, the reason.
pub(super) fn asked(args: &ValidateArgs, folder: &Folder, shell: &Shell) -> Result<Document, Failure> {
    let study = what_ran(args, folder, "machine.toml", shell)?.study;
    let model = study.machine.sharing().name();
    let host =
        numasim_host::host_to_measure("validate").map_err(|error| Failure::input(error.to_string()))?;
    let document = match CachePlan::of(&study.machine, last_level(&host)) {
        Ok(plan) => {
            shell.note("measuring the last-level cache, which is no part of the verdict");
            measured(args, folder, &plan, model, shell)?
        }
        Err(why) => {
            shell.note(format!("the last-level cache is not asked: {why}"));
            Document::without(why, model)
        }
    };
    let text = serde_json::to_string_pretty(&document)
        .map_err(|error| Failure::fault("cannot write JSON").caused_by(&error))?;
    folder.write("cache.json", &(text + "\n"))?;
    Ok(document)
}

fn measured(
    args: &ValidateArgs,
    folder: &Folder,
    plan: &CachePlan,
    model: &str,
    shell: &Shell,
) -> Result<Document, Failure> {
    folder.write("cache.toml", &plan.scenarios)?;
    let inputs = vec![folder.file("machine.toml"), folder.file("cache.toml")];
    let mut apps = Vec::new();
    for run in &plan.runs {
        let name = format!("cache-{}", run.name);
        let asked = Benchmark {
            scenario: run.scenarios.clone(),
            memory_per_thread: Some(run.bytes_per_thread),
            ..benchmark(args, folder, inputs.clone())
        };
        let kept = Kept { is_part: true, ..kept(args, folder, &name) };
        bench::measure(&asked, &kept, Format::Table, shell)?;
        let input = what_ran(args, folder, &format!("{name}.study.toml"), shell)?;
        let compared = of_files(folder, &name, &input, shell)?;
        apps.extend(cached(&input.study, &compared.comparison, run.bytes_per_thread));
    }
    Ok(Document::new(plan, &apps, model))
}

/// The cache that the first cores of the first node share.
fn last_level(host: &HostTopology) -> Option<LastLevel> {
    let SharedCache { bytes, below_bytes, sharers } = shared_last_level(host.nodes.first()?.cpus.as_ref()?)?;
    Some(LastLevel { bytes, below_bytes, cores: u32::try_from(sharers).ok()? })
}

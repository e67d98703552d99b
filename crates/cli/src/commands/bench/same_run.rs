//! Whether rows that exist are of the run that is to go on.

use std::fs;
use std::io;
use std::path::Path;

use numasim_bench::provenance::{self, Provenance};

use crate::failure::Failure;

/// Reads the provenance of the run `run` in `path` from the first of `beside` that is about it; another question is
/// refused and the difference named.
pub(super) fn same_run(
    path: &Path,
    run: &str,
    beside: &[&Path; 2],
    ours: &Provenance,
) -> Result<Provenance, Failure> {
    let refuse = |message: String| {
        Failure::input(message)
            .hint("give -o the name of another file for a new run; two runs never share a file")
    };
    let unknown = || refuse(format!("cannot tell which run {} belongs to", path.display()));
    let read = |place: &Path| -> Result<Provenance, Failure> {
        let text = fs::read_to_string(place).map_err(|error| unknown().caused_by(&error))?;
        let theirs = provenance::read(&text).map_err(|error| unknown().caused_by(&error))?;
        if theirs.run == run {
            return Ok(theirs);
        }
        let what = format!("{} is about run {}, the rows are of run {run}", place.display(), theirs.run);
        Err(unknown().caused_by(&io::Error::other(what)))
    };
    let [first, second] = beside;
    let theirs = read(first).or_else(|failure| read(second).map_err(|_| failure))?;
    match difference(&theirs, ours) {
        None => Ok(theirs),
        Some(difference) => Err(refuse(format!("{} belongs to another run: {difference}", path.display()))),
    }
}

/// The first thing in which two runs differ that makes their rows incomparable. The number of repetitions may differ.
fn difference(theirs: &Provenance, ours: &Provenance) -> Option<String> {
    let hashes = |one: &Provenance| one.inputs.iter().map(|input| input.sha256.clone()).collect::<Vec<_>>();
    if hashes(theirs) != hashes(ours) {
        let changed =
            ours.inputs.iter().zip(&theirs.inputs).find(|(ours, theirs)| ours.sha256 != theirs.sha256);
        return Some(changed.map_or_else(
            || format!("it had {} input files and now has {}", theirs.inputs.len(), ours.inputs.len()),
            |(ours, _)| format!("the input file {} has changed", ours.name),
        ));
    }
    let (a, b) = (&theirs.settings, &ours.settings);
    let pairs = [
        ("the version of numasim", theirs.tool.version.clone(), ours.tool.version.clone()),
        ("the build", theirs.tool.profile.clone(), ours.tool.profile.clone()),
        ("the host", shown(theirs.facts.host_name.as_ref()), shown(ours.facts.host_name.as_ref())),
        ("--isa", a.isa.clone(), b.isa.clone()),
        ("--warm-up", a.warm_up_s.to_string(), b.warm_up_s.to_string()),
        ("--window", a.window_s.to_string(), b.window_s.to_string()),
        ("--bind", a.bind.clone(), b.bind.clone()),
        ("--processes", a.processes.to_string(), b.processes.to_string()),
        ("the memory of a thread in bytes", a.bytes_per_thread.to_string(), b.bytes_per_thread.to_string()),
    ];
    if let Some((what, before, now)) = pairs.into_iter().find(|(_, before, now)| before != now) {
        return Some(format!("{what} was {before} and is now {now}"));
    }
    if theirs.nodes != ours.nodes {
        return Some("the NUMA nodes or usable cores of the host were different".to_owned());
    }
    (theirs.fitted != ours.fitted).then(|| "scenarios were scaled to the host differently".to_owned())
}

fn shown(name: Option<&String>) -> String {
    name.map_or_else(|| "unknown".to_owned(), Clone::clone)
}

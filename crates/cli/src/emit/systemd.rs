//! systemd: a drop-in for the service of each application. Keys as in systemd.resource-control(5) (`AllowedCPUs`, `AllowedMemoryNodes`:
//! version 244, cgroup v2) and systemd.exec(5) (`NUMAPolicy`, `NUMAMask`: version 243).

use std::fmt::Write as _;

use numasim_model::cpus::ranges;

use crate::emit::job::{Job, Memory};
use crate::emit::text::{comment, facts, not_started};
use crate::emit::{FIRST_TOUCH, File, Target, names};

/// Writes the files of this kind.
pub(super) fn write(target: &mut Target<'_>) -> Vec<File> {
    let target = &*target;
    target.jobs.iter().map(|job| drop_in(target, job)).collect()
}

fn drop_in(target: &Target<'_>, job: &Job<'_>) -> File {
    let unit = names::of_unit(job.name);
    let mut text = facts(target);
    text.push_str("#\n");
    let folder = format!("/etc/systemd/system/{unit}.service.d");
    comment(
        &mut text,
        "",
        &format!("Copy it to {folder}, then: systemctl daemon-reload, and restart the service."),
    );
    comment(
        &mut text,
        "",
        "systemd binds the service to its set of processors and not each thread to one: inside the set threads may move.",
    );
    if job.needs_first_touch() {
        comment(&mut text, "", FIRST_TOUCH);
    }
    if let Some(words) = not_started(target) {
        comment(&mut text, "", &words);
    }
    text.push_str("#\n");
    job.comment(&mut text);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "[Service]\nAllowedCPUs={}", job.cpu_set());
    let _ = writeln!(text, "AllowedMemoryNodes={}", ranges(&job.memory_nodes()));
    // The default of the main process; processes that it starts inherit it.
    let (policy, nodes) = match &job.memory {
        // First touch inside the allowed nodes.
        Memory::Own | Memory::OwnAnd(_) => return File { name: named(&unit), text },
        Memory::Node(node) => ("bind", vec![*node]),
        Memory::Interleaved(nodes) => ("interleave", nodes.clone()),
    };
    let _ = writeln!(text, "NUMAPolicy={policy}\nNUMAMask={}", ranges(&nodes));
    File { name: named(&unit), text }
}

fn named(unit: &str) -> String {
    format!("{unit}.service.d/numasim.conf")
}

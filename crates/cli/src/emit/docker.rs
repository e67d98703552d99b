//! Docker: a compose file, and a script of `docker run`. Options as in docker-run(1) and the compose specification.
//!
//! A container may use the logical CPUs and memory nodes of its cpuset. Other memory policies are those of numactl inside the container,
//! which Docker's seccomp profile allows only with the capability `SYS_NICE`. Compose has no key for memory nodes.

use std::fmt::Write as _;

use numasim_model::cpus::ranges;

use crate::emit::job::{Job, Memory};
use crate::emit::text::{comment, facts, not_started};
use crate::emit::words::program;
use crate::emit::{FIRST_TOUCH, File, Target, WEIGHTS, names, weights};

/// Writes the files of this kind.
pub(super) fn write(target: &mut Target<'_>) -> Vec<File> {
    let target = &*target;
    let names = names::unique(target.jobs.iter().map(|job| job.name), names::DOCKER, &[]);
    vec![
        File { name: "compose.yaml".to_owned(), text: compose(target, &names) },
        File { name: "run.sh".to_owned(), text: run(target, &names) },
    ]
}

/// The head of both files.
fn head(text: &mut String, target: &Target<'_>, note: &str) {
    text.push_str(&facts(target));
    text.push_str("#\n");
    comment(
        text,
        "",
        "compose.yaml and run.sh start the same containers: use one of them. Replace each image:tag by your image.",
    );
    comment(text, "", note);
    comment(
        text,
        "",
        "Docker binds a container to its set of processors and not each thread to one: inside the set threads may move.",
    );
    if target.needs_first_touch() {
        comment(text, "", FIRST_TOUCH);
    }
    if let Some(words) = not_started(target) {
        comment(text, "", &words);
    }
    if !target.weights.is_empty() {
        comment(text, "", WEIGHTS);
    }
}

fn compose(target: &Target<'_>, names: &[String]) -> String {
    let mut text = String::new();
    let note = "Compose has no key for memory nodes: data that is not local is placed by numactl, which the image must contain, with \
                the capability SYS_NICE. Replace ./NAME by the command of the image. run.sh also limits the memory nodes.";
    head(&mut text, target, note);
    if !target.weights.is_empty() {
        comment(&mut text, "", "run.sh contains the commands that set the weights; run them first.");
    }
    text.push_str(if target.jobs.is_empty() { "services: {}\n" } else { "services:\n" });
    for (job, name) in target.jobs.iter().zip(names) {
        indented(&mut text, job);
        // Writing to a String cannot fail.
        let _ =
            writeln!(text, "  {}:\n    image: \"image:tag\"\n    cpuset: \"{}\"", yaml(name), job.cpu_set());
        if let Some(policy) = job.policy_of_numactl() {
            let words =
                ["numactl", &policy, &format!("./{}", job.name)].map(|word| yaml(&word.replace('$', "$$")));
            let _ = writeln!(text, "    cap_add: [SYS_NICE]\n    command: [{}]", words.join(", "));
        }
    }
    text
}

/// A comment inside a mapping.
fn indented(text: &mut String, job: &Job<'_>) {
    let mut own = String::new();
    job.comment(&mut own);
    text.extend(own.lines().map(|line| format!("  {line}\n")));
}

fn run(target: &Target<'_>, names: &[String]) -> String {
    let mut text = String::from("#!/bin/sh\n");
    let note = "Data that is spread is placed by numactl, which the image must contain, with the capability SYS_NICE; replace ./NAME by \
                the command of the image.";
    head(&mut text, target, note);
    let short: Vec<&str> = names.iter().map(String::as_str).filter(|name| name.len() < 2).collect();
    if !short.is_empty() {
        let words = format!(
            "Docker refuses --name with one character: choose another name for {}.",
            short.join(", ")
        );
        comment(&mut text, "", &words);
    }
    if !target.weights.is_empty() {
        text.push('\n');
        text.push_str(&weights::commands(&target.weights));
    }
    for (job, name) in target.jobs.iter().zip(names) {
        text.push('\n');
        job.comment(&mut text);
        let (may, command) = match (&job.memory, job.policy_of_numactl()) {
            // --cpuset-mems already defines it.
            (Memory::Node(_), _) | (_, None) => ("", String::new()),
            (_, Some(policy)) => ("--cap-add SYS_NICE ", format!(" numactl {policy} {}", program(job.name))),
        };
        let _ = writeln!(
            text,
            "docker run -d --name {name} --cpuset-cpus={} --cpuset-mems={} {may}image:tag{command}",
            job.cpu_set(),
            ranges(&job.memory_nodes()),
        );
    }
    text
}

/// A text as a YAML scalar in JSON form.
pub(super) fn yaml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! Kubernetes: pods of the class Guaranteed, and two ways to place them: balloons of containers/nri-plugins, or the static CPU manager of
//! the kubelet. No field names logical CPUs: both accept a number of CPUs, near a node or an L3 domain.
//!
//! A balloon in several places consists of components, over which its CPUs are divided equally. Distributed data needs the NRI plugin
//! `memory-policy`.

use std::fmt::Write as _;

use numasim_model::Machine;
use numasim_model::cpus::ranges;

use crate::emit::docker::yaml;
use crate::emit::job::{Core, Job, Memory, os_number};
use crate::emit::text::{comment, facts, not_started};
use crate::emit::{FIRST_TOUCH, File, Target, WEIGHTS, names, weights};

/// Writes the files of this kind.
pub(super) fn write(target: &mut Target<'_>) -> Vec<File> {
    for job in &mut target.jobs {
        if job.inexact.is_none() {
            job.inexact = elsewhere(job);
        }
    }
    let target = &*target;
    // Balloons have the names of their pods; two types are those of the plugin.
    let names =
        names::unique(target.jobs.iter().map(|job| job.name), names::KUBERNETES, &["default", "reserved"]);
    vec![
        File { name: "pods.yaml".to_owned(), text: pods(target, &names) },
        File { name: "balloons.yaml".to_owned(), text: balloons(target, &names) },
        File { name: "kubelet.yaml".to_owned(), text: kubelet(target) },
    ]
}

/// The reason why data on one node is not placed as computed: only the nearest memory can be named.
fn elsewhere(job: &Job<'_>) -> Option<String> {
    let Memory::Node(home) = job.memory else { return None };
    let is_near = job.is_local || job.nodes == [home];
    (!is_near).then(|| {
        format!(
            "Kubernetes cannot name the memory node of a pod: no memory is forbidden, and the program itself has to put its data on OS \
             node {home} (numactl --membind={home} in the image, with the capability SYS_NICE)"
        )
    })
}

/// Whether the memory nearest to its logical CPUs contains all of its data.
fn is_near(job: &Job<'_>) -> bool {
    match &job.memory {
        Memory::Own => true,
        Memory::Node(home) => job.is_local || job.nodes == [*home],
        Memory::OwnAnd(_) | Memory::Interleaved(_) => false,
    }
}

fn head(text: &mut String, target: &Target<'_>, notes: &[&str]) {
    text.push_str(&facts(target));
    text.push_str("#\n");
    for note in notes {
        comment(text, "", note);
    }
}

fn pods(target: &Target<'_>, names: &[String]) -> String {
    let mut text = String::new();
    let notes = [
        "Replace each image:tag by your image. balloons.yaml and kubelet.yaml are alternatives: balloons place each pod near its node, the \
         kubelet chooses a node itself.",
        "Kubernetes binds a pod to a number of CPUs and not each thread to one.",
    ];
    head(&mut text, target, &notes);
    if target.needs_first_touch() {
        comment(&mut text, "", FIRST_TOUCH);
    }
    if let Some(words) = not_started(target) {
        comment(&mut text, "", &words);
    }
    if !target.weights.is_empty() {
        comment(&mut text, "", WEIGHTS);
        text.extend(weights::commands(&target.weights).lines().map(|line| format!("#   {line}\n")));
    }
    for (index, (job, name)) in target.jobs.iter().zip(names).enumerate() {
        text.push_str(if index > 0 { "---\n" } else { "" });
        job.comment(&mut text);
        if job.memory_mib.is_none() {
            comment(&mut text, "", "memory_gib is not given: 1Gi is a placeholder.");
        }
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {0}\n  annotations:\n    balloon.balloons.resource-policy.nri.io: {0}\n",
            yaml(name)
        );
        if let Memory::Interleaved(nodes) = &job.memory {
            let mode = if job.weights.is_some() { "MPOL_WEIGHTED_INTERLEAVE" } else { "MPOL_INTERLEAVE" };
            let _ = writeln!(
                text,
                "    policy.memory-policy.nri.io: |\n      mode: {mode}\n      nodes: \"{}\"",
                ranges(nodes)
            );
        }
        // Requests equal to limits, whole CPUs: the class Guaranteed, the only one with exclusive CPUs.
        let resources = format!("cpu: \"{}\"\n          memory: {}", job.threads(), quantity(job.memory_mib));
        let _ = writeln!(
            text,
            "spec:\n  containers:\n    - name: {}\n      image: \"image:tag\"\n      resources:\n        requests:\n          \
             {resources}\n        limits:\n          {resources}",
            yaml(name)
        );
    }
    text
}

/// Memory as a quantity.
fn quantity(mib: Option<u64>) -> String {
    let mib = mib.unwrap_or(1024);
    if mib.is_multiple_of(1024) { format!("{}Gi", mib / 1024) } else { format!("{mib}Mi") }
}

/// Cores of an application in one place: a node, or an L3 domain.
struct Spot {
    /// `node8`, `node8-l3-1`.
    name: String,
    /// The device that represents it.
    device: String,
    cores: u64,
}

fn spots(machine: &Machine, job: &Job<'_>) -> Vec<Spot> {
    let domains = |core: &Core| machine.node(core.node).domains();
    let place = |core: &Core| (core.node, if domains(core) > 1 { core.domain } else { 0 });
    let of = |cores: &[Core]| {
        let first = cores.first()?;
        let node = os_number(machine, first.node);
        let (name, device) = if domains(first) > 1 {
            let cpu = first.cpus.first()?;
            (
                format!("node{node}-l3-{}", first.domain),
                format!("/sys/devices/system/cpu/cpu{cpu}/cache/index3"),
            )
        } else {
            (format!("node{node}"), format!("/sys/devices/system/node/node{node}"))
        };
        Some(Spot { name, device, cores: cores.len() as u64 })
    };
    job.cores.chunk_by(|a, b| place(a) == place(b)).filter_map(of).collect()
}

fn balloons(target: &Target<'_>, names: &[String]) -> String {
    let mut text = String::new();
    let notes = [
        "For the NRI plugin balloons (containers/nri-plugins; containerd 1.7 or CRI-O 1.26). Types take a number of CPUs near a device; \
         near is a preference.",
        "CPUs of a balloon are dealt equally over its components: a component that is named twice gets twice as many.",
    ];
    head(&mut text, target, &notes);
    if target.jobs.iter().any(|job| matches!(job.memory, Memory::Interleaved(_))) {
        comment(&mut text, "", "Spread data also needs the NRI plugin memory-policy of the same repository.");
    }
    let (reserved, note) = reserved(target);
    comment(&mut text, "", note);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "apiVersion: config.nri/v1alpha1\nkind: BalloonsPolicy\nmetadata:\n  name: default\n  namespace: kube-system\nspec:\n  \
         reservedResources:\n    cpu: {reserved}\n  pinCPU: true\n  pinMemory: true\n  balloonTypes:{}",
        if target.jobs.is_empty() { " []" } else { "" }
    );
    // Components may not have the name of a pod.
    let mut parts: Vec<String> = names.to_vec();
    for (job, name) in target.jobs.iter().zip(names) {
        let mut own = String::new();
        job.comment(&mut own);
        text.extend(own.lines().map(|line| format!("    {line}\n")));
        balloon(&mut text, target.machine, job, name, &mut parts);
    }
    text
}

fn balloon(text: &mut String, machine: &Machine, job: &Job<'_>, name: &str, names: &mut Vec<String>) {
    let spots = spots(machine, job);
    // With one thread on each core the balloon also contains the second hardware thread, hidden from the application and unused.
    let hides = machine.threads_per_core() > 1 && job.cores.iter().all(|core| core.cpus.len() == 1);
    let cpus = if hides { 2 * job.threads() } else { job.threads() };
    let _ = writeln!(
        text,
        "    - name: {}\n      minCPUs: {cpus}\n      maxCPUs: {cpus}\n      preferNewBalloons: true",
        yaml(name)
    );
    if hides {
        text.push_str("      hideHyperthreads: true\n");
    }
    if !is_near(job) {
        // Its data must be allowed on the other nodes.
        text.push_str("      pinMemory: false\n");
    }
    if let [only] = spots.as_slice() {
        let _ = writeln!(text, "      preferCloseToDevices:\n        - {}", only.device);
        return;
    }
    let common = spots.iter().map(|spot| spot.cores).fold(0, weights::divisor).max(1);
    let component = |spot: &Spot, names: &mut Vec<String>| {
        let wanted = format!("{name}-{}", spot.name);
        let taken: Vec<&str> = names.iter().map(String::as_str).collect();
        let part = names::unique([wanted.as_str()].into_iter(), names::KUBERNETES, &taken).remove(0);
        names.push(part.clone());
        part
    };
    let parts: Vec<String> = spots.iter().map(|spot| component(spot, names)).collect();
    text.push_str("      components:\n");
    for (spot, part) in spots.iter().zip(&parts) {
        for _ in 0..spot.cores / common {
            let _ = writeln!(text, "        - balloonType: {}", yaml(part));
        }
    }
    for (spot, part) in spots.iter().zip(&parts) {
        let _ = writeln!(
            text,
            "    - name: {}\n      preferCloseToDevices:\n        - {}",
            yaml(part),
            spot.device
        );
    }
}

/// The first logical CPU without an application.
fn free_cpu(target: &Target<'_>) -> Option<u32> {
    let lists = target.machine.os_nodes().iter().filter_map(|node| node.cpus.as_ref());
    let used: Vec<u32> = target.jobs.iter().flat_map(Job::paired_cpus).collect();
    let cores = target.machine.compute_nodes().map(|node| target.machine.node(node).cores as usize);
    // Only first hardware threads: the second ones belong to the applications of their cores.
    lists
        .zip(cores)
        .flat_map(|(list, cores)| list.as_slice().iter().take(cores))
        .copied()
        .find(|cpu| !used.contains(cpu))
}

/// The CPUs reserved for the system, with a note.
fn reserved(target: &Target<'_>) -> (String, &'static str) {
    match free_cpu(target) {
        Some(cpu) => (format!("\"cpuset:{cpu}\""), "The system has a processor that no application uses."),
        None => (
            "1000m".to_owned(),
            "The applications have all processors, and the system needs one: give one application a thread less, or reserve a processor \
             that the machine file does not list.",
        ),
    }
}

fn kubelet(target: &Target<'_>) -> String {
    let mut text = String::new();
    let one_node = target.jobs.iter().all(|job| job.nodes.len() == 1);
    let (policy, why) = if one_node {
        ("single-numa-node", "Every pod fits on one node; the kubelet chooses which one.")
    } else {
        (
            "best-effort",
            "A pod needs several nodes, which single-numa-node would refuse; the kubelet chooses them.",
        )
    };
    let notes = [
        "Instead of balloons.yaml: the kubelet gives each pod exclusive CPUs, but no field names a node.",
        why,
    ];
    head(&mut text, target, &notes);
    let siblings = target.machine.threads_per_core() > 1
        && target.jobs.iter().any(|job| job.cores.iter().all(|core| core.cpus.len() == 1));
    if siblings {
        let note = "The kubelet counts hardware threads: a pod with one thread on each core needs twice the cpu of pods.yaml here.";
        comment(&mut text, "", note);
    }
    let memory = target.machine.memory_nodes().next().map_or(0, |node| os_number(target.machine, node));
    // reservedMemory is systemReserved.memory and evictionHard together: 1024 + 100 MiB.
    let _ = write!(
        text,
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncpuManagerPolicy: static\n\
         topologyManagerPolicy: {policy}\nmemoryManagerPolicy: Static\nsystemReserved:\n  cpu: 1000m\n  memory: 1Gi\nevictionHard:\n  \
         memory.available: 100Mi\nreservedMemory:\n  - numaNode: {memory}\n    limits:\n      memory: 1124Mi\n"
    );
    text
}

//! `import` reads back the files that `--emit` wrote: the same threads on the same cores, data on the same nodes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use numasim_ask::reading::read_study;
use numasim_model::{Machine, NodeId, Placement, Scenario};
use numasim_study::SourceFile;
use rayon::prelude::*;

use super::{numasim, text};

/// Numbers that look random and are equal on all machines.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number from 0 to `most`.
    fn upto(&mut self, most: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % (most as u64 + 1)).expect("small")
    }
}

/// A machine with gaps in its numbers, or siblings, or L3 domains; applications with each kind of data; a scenario that fits.
pub(super) fn study(random: &mut Random) -> String {
    let nodes = 1 + random.upto(3);
    let (domains, per_domain) = (1 + random.upto(1), 1 + random.upto(3));
    let (cores, siblings) = (domains * per_domain, random.upto(1) == 1);
    let mut text = String::from("[machine]\nname = \"m\"\nbandwidth_gbs = 32\nlink_gbs = 10\n");
    if siblings {
        text += "threads_per_core = 2\n";
    }
    let in_turn = random.upto(1) == 1;
    for node in 0..nodes {
        // Processor numbers node by node, or in turn; siblings follow all first threads.
        let number = |core: usize| if in_turn { core * nodes + node } else { node * cores + core };
        let first = (0..cores).map(number);
        let second = (0..cores).map(|core| number(core) + cores * nodes).filter(|_| siblings);
        let cpus: Vec<String> = first.chain(second).map(|cpu| cpu.to_string()).collect();
        let _ = write!(
            text,
            "[[machine.node]]\ncores = {cores}\ncores_per_l3 = {per_domain}\ngflops_per_core = 10\nos_node = {}\ncpus = \"{}\"\n",
            3 * node,
            cpus.join(",")
        );
    }
    let mut free = vec![vec![per_domain; domains]; nodes];
    let mut threads = Vec::new();
    for (number, name) in ["db", "web", "solver-x"].iter().enumerate().take(1 + random.upto(2)) {
        let both = siblings && random.upto(1) == 1;
        let each = 1 + usize::from(both);
        let mut rows = Vec::new();
        let mut all = 0;
        for domains in &mut free {
            let mut row = Vec::new();
            for free in domains {
                let own = random.upto(*free);
                *free -= own;
                all += own * each;
                row.push((own * each).to_string());
            }
            rows.push(format!("[{}]", row.join(", ")));
        }
        let data = match random.upto(3) {
            0 => "\"local\"".to_owned(),
            1 => format!("{{ home = {} }}", random.upto(nodes - 1)),
            2 => "\"interleave\"".to_owned(),
            _ => {
                let used: Vec<bool> =
                    (0..nodes).map(|node| node == number % nodes || random.upto(1) == 1).collect();
                let share = 1.0 / used.iter().filter(|&&used| used).count() as f64;
                let shares: Vec<String> =
                    used.iter().map(|&used| if used { share } else { 0.0 }.to_string()).collect();
                format!("{{ fractions = [{}] }}", shares.join(", "))
            }
        };
        let smt = if both { "smt = \"both\"\nsmt_speedup = 1.25\n" } else { "" };
        let ranks = 1 + random.upto(all.saturating_sub(1).min(3));
        let _ = write!(
            text,
            "[[app]]\nname = \"{name}\"\narithmetic_intensity = 1\nranks = {ranks}\ndata = {data}\n{smt}"
        );
        threads.push(format!("{name} = [{}]", rows.join(", ")));
    }
    let _ = write!(text, "[[scenario]]\nname = \"asked\"\nthreads = {{ {} }}\n", threads.join(", "));
    text
}

/// Machine and scenarios of a text.
fn read(text: &str) -> (Machine, Vec<Scenario>) {
    let source = SourceFile { name: "study.toml".to_owned(), text: text.to_owned() };
    let study = read_study(&[source]).unwrap_or_else(|problems| panic!("{text}\n{problems:?}")).study.at_rest;
    (study.machine, study.scenarios)
}

/// The files of `made/` that the target itself would hand back, and the command that reads them.
fn import(folder: &Path, kind: &str) -> Vec<String> {
    let made = folder.join("made");
    let path = |name: &str| format!("made/{name}");
    match kind {
        "libvirt" => {
            let names =
                fs::read_dir(&made).expect("a folder").map(|entry| entry.expect("an entry").file_name());
            let files = names.map(|name| path(&name.to_string_lossy()));
            ["libvirt".to_owned()].into_iter().chain(files).collect()
        }
        "kubernetes" => vec!["kubernetes".to_owned(), path("balloons.yaml"), path("pods.yaml")],
        "openmpi" => ["rankfile", "made/rankfile", "--run", "made/run.sh"].map(str::to_owned).to_vec(),
        "docker" => {
            let script = fs::read_to_string(made.join("run.sh")).expect("written");
            let containers: Vec<String> =
                script.lines().filter(|line| line.starts_with("docker run")).map(inspected).collect();
            fs::write(folder.join("inspect.json"), format!("[{}]", containers.join(",\n"))).expect("written");
            ["docker", "inspect.json"].map(str::to_owned).to_vec()
        }
        _ => unreachable!("{kind} is not read back"),
    }
}

/// Output of `docker inspect` for the container that a line starts.
fn inspected(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let value = |option: &str| words.iter().find_map(|word| word.strip_prefix(option)).unwrap_or_default();
    let name = words.iter().skip_while(|word| **word != "--name").nth(1).expect("a name");
    let mut command = words.iter().skip_while(|word| **word != "image:tag").skip(1);
    let path = command.next().unwrap_or(&"entry");
    let args: Vec<String> = command.map(|word| format!("{word:?}")).collect();
    format!(
        "{{\"Name\": \"/{name}\", \"Path\": {path:?}, \"Args\": [{}], \"HostConfig\": {{\"CpusetCpus\": \"{}\", \"CpusetMems\": \"{}\"}}}}",
        args.join(", "),
        value("--cpuset-cpus="),
        value("--cpuset-mems=")
    )
}

/// 200 studies for each target.
#[test]
fn import_reads_back_what_emit_wrote() {
    (0..200).into_par_iter().for_each(round_trip);
}

fn round_trip(case: u64) {
    let asked = study(&mut Random(case));
    let (machine, scenarios) = read(&asked);
    let scenario = &scenarios[0];
    if (0..scenario.data.len()).all(|app| scenario.allocation.total(numasim_model::AppId(app)) == 0) {
        return;
    }
    let folder = super::folder(&asked);
    // Without its scenarios: the imported text contains others.
    fs::write(folder.path().join("apps.toml"), asked.split("[[scenario]]").next().expect("text"))
        .expect("written");
    for kind in ["libvirt", "docker", "kubernetes", "openmpi"] {
        let _ = fs::remove_dir_all(folder.path().join("made"));
        let emit = numasim(folder.path(), &["evaluate", "study.toml", "--emit", kind, "-o", "made/"]);
        let said = text(&emit.stderr);
        assert!(emit.status.success(), "{case} {kind}: {said}\n{asked}");
        let mut args = vec!["import".to_owned()];
        args.extend(import(folder.path(), kind));
        args.extend(["--study", "apps.toml", "-o", "again.toml"].map(str::to_owned));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let done = numasim(folder.path(), &args);
        assert!(done.status.success(), "{case} {kind}: {}\n{asked}", text(&done.stderr));
        let again = fs::read_to_string(folder.path().join("again.toml")).expect("written");
        let apps = fs::read_to_string(folder.path().join("apps.toml")).expect("written");
        let (_, read) = read(&format!("{apps}{again}"));
        let place = format!("{case} {kind}\n{asked}\n{again}");
        assert_eq!(read[0].allocation.per_l3(&machine), scenario.allocation.per_l3(&machine), "{place}");
        assert_eq!(read[0].smt, scenario.smt, "{place}");
        for (app, name) in ["db", "web", "solver-x"].iter().enumerate().take(scenario.data.len()) {
            // Data that the target cannot place is not imported.
            if said.contains(&format!("warning: '{name}'")) {
                continue;
            }
            let of = |scenario: &Scenario| scenario.data[app].placement().expect("decided").clone();
            let on: Vec<NodeId> = machine
                .node_ids()
                .filter(|node| scenario.allocation.row(numasim_model::AppId(app))[node.0] > 0)
                .collect();
            let parts = |placement: &Placement| -> Vec<f64> {
                let pairs = on.iter().flat_map(|&from| machine.node_ids().map(move |memory| (from, memory)));
                pairs
                    .map(|(from, memory)| (placement.fraction(&machine, from, memory) * 1e9).round())
                    .collect()
            };
            assert_eq!(parts(&of(&read[0])), parts(&of(scenario)), "{name} {place}");
        }
    }
}

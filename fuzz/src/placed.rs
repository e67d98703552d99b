//! Files of tools that place applications.

use numasim_evidence::formats::placed::{Given, Placed, docker, kubernetes, libvirt, rankfile, study};
use numasim_study::{Problem, SourceFile, read_study};

use super::{NEXT_FILE, problems_are_sound};

/// Two nodes of 16 cores with two L3 domains each, and two hardware threads on each core.
const MACHINE: &str = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 16\ncores_per_l3 = 8\nthreads_per_core = 2\n\
    cpus = [\"0-15,32-47\", \"16-31,48-63\"]\ngflops_per_core = 1.0\nbandwidth_gbs = 1.0\nlink_gbs = 1.0\n";

/// Domains of libvirt, containers, pods, rankfiles: each reader accepts the text or names the place of the error. An accepted text
/// becomes a scenario that reads back.
pub fn placed(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let files: Vec<&str> = text.split(NEXT_FILE).take(2).collect();
    let machine = read_study(&[SourceFile { name: "m".into(), text: MACHINE.into() }])
        .expect("a machine")
        .study
        .machine;
    let look = |read: Result<Vec<Placed>, Problem>| {
        let given = Given { machine: &machine, apps: &[], scenario: "s", source: "fuzzed" };
        let problem = match read {
            Ok(found) => match study(&found, given) {
                Ok(toml) => return reads_back(&toml),
                Err(problem) => problem,
            },
            Err(problem) => problem,
        };
        problems_are_sound(&[problem], &files);
    };
    look(libvirt::read(files[0], 0));
    look(docker::read(files[0], 0));
    look(kubernetes::read(&files));
    look(rankfile::read(files[0], files.get(1).copied(), "r", &machine));
}

/// With the values that no such file contains it is a study, unless applications do not fit the machine.
fn reads_back(toml: &str) {
    let toml = toml
        .replace("# arithmetic_intensity = ?", "arithmetic_intensity = 1.0")
        .replace("# smt_speedup = ?", "smt_speedup = 1.5");
    let text = format!("{MACHINE}{toml}");
    if let Err(problems) = read_study(&[SourceFile { name: "s".into(), text: text.clone() }]) {
        problems_are_sound(&problems, &[&text]);
        assert!(
            !problems.iter().any(|problem| problem.kind == numasim_study::ProblemKind::Syntax),
            "{text}\n{problems:?}"
        );
    }
}

//! `numasim export hwloc`: what hwloc reads, and a round trip.

use std::fs;
use std::process::{Command, Output};

use crate::common::{config_path, folder, run};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The XML of a machine in a file, and the messages.
fn exported(machine: &str, file: &str) -> String {
    let output = run(&["export", "hwloc", machine, "-o", file]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{output:?}");
    text(&output.stderr)
}

/// A tool of hwloc on the file; `None` if it is not installed.
fn hwloc(tool: &str, args: &[&str], file: &str, libxml: &str) -> Option<Output> {
    let mut command = Command::new(tool);
    // Both XML readers, if the library has both.
    command
        .args(["-i", file])
        .args(args)
        .env("HWLOC_LIBXML", libxml)
        .env("HWLOC_XML_VERBOSE", "1")
        .env("LC_ALL", "C");
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            let required = std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
            assert!(!required, "{tool} is not installed: {error}");
            eprintln!("skipped: {tool} is not installed");
            None
        }
    }
}

#[test]
fn hwloc_reads_the_bandwidths_of_every_pair() {
    let folder = folder();
    let file = folder.path().join("machine.xml").display().to_string();
    let said = exported(&config_path("machines/xeon-gold-6138-4s.toml"), &file);
    assert!(said.contains("note: bandwidths are rounded to whole MiB/s, by at most 0.00"), "{said}");
    for libxml in ["0", "1"] {
        let Some(output) = hwloc("lstopo", &["--of", "console", "--memattrs"], &file, libxml) else { return };
        let shown = text(&output.stdout);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert!(shown.contains("Memory attribute #2 name `Bandwidth' flags 5"), "{shown}");
        // 4 memories with 4 readers each.
        let attribute =
            shown.split("name `Bandwidth'").nth(1).and_then(|rest| rest.split("Memory attribute").next());
        assert_eq!(attribute.map(|part| part.matches(" from ").count()), Some(16), "{shown}");
        assert!(shown.contains("NUMANode L#3"), "{shown}");
    }
    let Some(output) = hwloc("hwloc-info", &["--best-memattr", "bandwidth", "numa:0"], &file, "1") else {
        return;
    };
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn values_without_a_place_in_hwloc_are_listed_and_too_many_cores_are_refused() {
    let folder = folder();
    let machine = folder.path().join("m.toml").display().to_string();
    let write = |cores: u32| {
        let text = format!(
            "[machine]\nname = 'm'\nnodes = 2\ncores_per_node = {cores}\ngflops_per_core = 1\nbandwidth_gbs = 1.048576\nlink_gbs = 0.524288\n\
             core_bandwidth_gbs = 0.5\n"
        );
        fs::write(&machine, text).expect("a file for the test");
    };
    write(1);
    let file = folder.path().join("m.xml").display().to_string();
    let said = exported(&machine, &file);
    // 1000 and 500 MiB/s exactly: nothing is rounded.
    assert_eq!(
        said,
        "note: the file has no `cpus`: processors are numbered 0, 1, 2, ... node by node\n\
         note: hwloc has no place for core_bandwidth_gbs: not in the XML\n"
    );
    insta::assert_snapshot!("export_hwloc", fs::read_to_string(&file).expect("written"));
    write(5000);
    let output = run(&["export", "hwloc", &machine]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(text(&output.stderr).contains("at most 8192 cores, and this machine has 10000"), "{output:?}");
}

#[cfg(feature = "hwloc")]
mod back {
    use numasim_model::Machine;
    use numasim_model::units::GigabytesPerSecond;
    use numasim_study::{SourceFile, read_study};

    use super::*;

    fn machine(text: String) -> Machine {
        let source = SourceFile { name: "machine.toml".into(), text };
        read_study(&[source]).unwrap_or_else(|problems| panic!("{problems:#?}")).study.machine
    }

    #[test]
    fn every_machine_of_the_repository_survives_the_round_trip_within_rounding() {
        let folder = folder();
        let file = folder.path().join("machine.xml").display().to_string();
        let machines = fs::read_dir(config_path("machines"))
            .expect("machines")
            .filter_map(|entry| Some(entry.ok()?.path()));
        let mut seen = 0;
        for path in machines.filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
            let path = path.display().to_string();
            exported(&path, &file);
            let output = run(&["import", "hwloc", &file]);
            assert!(output.status.success(), "{path}: {output:?}");
            let written = text(&output.stdout);
            assert!(!written.contains("firmware (HMAT)") && !written.contains("Skeleton"), "{written}");
            let back = machine(written);
            let there = machine(fs::read_to_string(&path).expect("a machine"));
            assert_eq!((back.name(), back.node_count()), (there.name(), there.node_count()));
            // The same number of MiB/s.
            let mib = |figure: GigabytesPerSecond| (figure.value() * 1e9 / 1_048_576.0).round();
            let same = |a: GigabytesPerSecond, b: GigabytesPerSecond| mib(a) == mib(b);
            for from in there.node_ids() {
                let (a, b) = (there.node(from), back.node(from));
                assert_eq!((a.cores, a.gflops_per_core), (b.cores, b.gflops_per_core), "{path}");
                // If one node has all cores, the XML cannot represent the local bandwidth of a memory without cores.
                if a.cores > 0 || there.compute_nodes().count() > 1 {
                    assert!(same(a.bandwidth, b.bandwidth), "{path}: {:?} {:?}", a.bandwidth, b.bandwidth);
                }
                assert_eq!(a.memory.is_some(), b.memory.is_some(), "{path}");
                for to in there.node_ids() {
                    match (there.link(from, to), back.link(from, to)) {
                        (Some(a), Some(b)) => assert!(same(a, b), "{path}: {a:?} {b:?}"),
                        (a, b) => assert_eq!(a, b, "{path}"),
                    }
                    let latency = |machine: &Machine| {
                        machine.latency_ns(from, to).map(f64::round).filter(|_| a.cores > 0)
                    };
                    assert_eq!(latency(&there), latency(&back), "{path}");
                    assert_eq!(there.distance(from, to), back.distance(from, to), "{path}");
                }
            }
            seen += 1;
        }
        assert!(seen >= 8, "{seen} machines");
    }

    #[test]
    fn bandwidths_of_the_file_are_not_repeated() {
        let folder = folder();
        let file = folder.path().join("machine.xml").display().to_string();
        exported(&config_path("machines/xeon-gold-6138-4s.toml"), &file);
        let output = run(&["import", "hwloc", &file, "--link-gbs", "3"]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(text(&output.stderr).contains("has a bandwidth for each pair of nodes"), "{output:?}");
    }
}

//! `numasim import numactl`, `lscpu`, `likwid-topology`, `perf` and `likwid-perfctr`: real output of real machines.

use std::fs;
use std::process::Output;

use numasim_model::units::{Gibibytes, GigabytesPerSecond};
use numasim_model::{Machine, NodeId};
use numasim_study::{SourceFile, read_study};

use crate::common::{self, repository};

fn numasim(args: &[&str]) -> Output {
    let mut command = common::numasim();
    command.args(args).current_dir(repository("tests/import/topology")).output().expect("the program starts")
}

fn imported(args: &[&str]) -> String {
    let output = numasim(&[&["import"], args].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn refused(args: &[&str]) -> String {
    let output = numasim(&[&["import"], args].concat());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The machine with values of the test, which no topology has.
fn machine(args: &[&str]) -> Machine {
    let figures = ["--gflops-per-core", "36.8", "--bandwidth-gbs", "30", "--link-gbs", "15"];
    let text = imported(&[args, &figures].concat());
    let source = SourceFile { name: "machine.toml".into(), text: text.clone() };
    read_study(&[source]).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}")).study.machine
}

fn cpus(machine: &Machine) -> Vec<String> {
    machine
        .os_nodes()
        .iter()
        .map(|node| node.cpus.as_ref().map_or_else(String::new, ToString::to_string))
        .collect()
}

#[test]
fn each_tool_writes_a_skeleton_that_lists_missing_values() {
    insta::assert_snapshot!("import_numactl", imported(&["numactl", "numactl-e5-2697v4.txt"]));
    insta::assert_snapshot!(
        "import_lscpu",
        imported(&["lscpu", "lscpu-epyc-7451.txt", "lscpu-epyc-7451-e.txt"])
    );
    insta::assert_snapshot!(
        "import_likwid_topology",
        imported(&["likwid-topology", "likwid-topology-e5-2697v4.txt"])
    );
}

#[test]
fn two_tools_agree_on_the_same_machine() {
    let likwid = machine(&["likwid-topology", "likwid-topology-e5-2697v4.txt"]);
    // The second hardware threads follow those of the cores.
    assert_eq!(likwid.threads_per_core(), 2);
    assert_eq!(cpus(&likwid), ["0-8,36-44", "9-17,45-53", "18-26,54-62", "27-35,63-71"]);
    let numactl = machine(&["numactl", "numactl-e5-2697v4.txt", "--threads-per-core", "2"]);
    let cores = |machine: &Machine| machine.nodes().iter().map(|node| node.cores).collect::<Vec<_>>();
    assert_eq!((cores(&likwid), cores(&numactl)), (vec![9; 4], vec![9; 4]));
    for (a, b) in likwid.nodes().iter().zip(numactl.nodes()) {
        // 32041 MB of 2^20 bytes are 31.29 GiB; numactl cuts off the decimals that likwid prints.
        assert_eq!(a.memory.map(Gibibytes::value), Some(31.29));
        assert_eq!(a.memory, b.memory);
    }
    let distances =
        |machine: &Machine| [0, 1, 2, 3].map(|to| machine.distance(NodeId(0), NodeId(to)).expect("told"));
    assert_eq!(distances(&likwid), [10.0, 21.0, 31.0, 31.0]);
    assert_eq!(distances(&likwid), distances(&numactl));
}

#[test]
fn every_form_of_lscpu_finds_the_same_nodes_and_only_tables_know_siblings() {
    let table = machine(&["lscpu", "lscpu-epyc-7451-e.txt"]);
    assert_eq!(cpus(&table)[..2], ["0-5,48-53", "6-11,54-59"]);
    assert_eq!((table.threads_per_core(), table.node(NodeId(0)).cores_per_l3), (2, Some(3)));
    assert_eq!(cpus(&machine(&["lscpu", "lscpu-epyc-7451-p.txt"])), cpus(&table));
    let summary = imported(&["lscpu", "lscpu-epyc-7451.txt"]);
    assert!(summary.contains("\ncores_per_node = 6\n") && !summary.contains("\ncpus ="), "{summary}");
    assert!(
        summary.contains("# processors of node 7: 42-47,90-95; which of them share a core: lscpu -e\n"),
        "{summary}"
    );
    // 16 caches of 8 MiB, two for each node: 16.78 MB.
    assert!(summary.contains("\nllc_mb = 16.78\n"), "{summary}");
    let json = imported(&["lscpu", "lscpu-epyc-7451.json"]);
    assert_eq!(json.replace(".json", ".txt"), summary);
}

#[test]
fn nodes_with_gaps_and_memory_only_nodes_are_written_one_by_one() {
    let args = ["numactl", "numactl-power9-ac922.txt", "--lscpu", "lscpu-power9.txt"];
    let text = imported(&args);
    insta::assert_snapshot!("import_numactl_power9", text);
    // The memory of the GPUs: four nodes without cores.
    assert_eq!((text.matches("cores = 16").count(), text.matches("cores = 0").count()), (2, 4), "{text}");
}

#[test]
fn missing_values_are_named_by_check_and_not_guessed() {
    let folder = common::folder();
    let file = folder.path().join("machine.toml").display().to_string();
    imported(&["numactl", "numactl-e5-2697v4.txt", "-o", &file]);
    let output = numasim(&["check", &file]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for key in ["cores_per_node", "gflops_per_core", "bandwidth_gbs"] {
        assert!(said.contains(&format!("`{key}`")), "{key}: {said}");
    }
    let figures =
        ["--threads-per-core", "2", "--gflops-per-core", "36.8", "--bandwidth-gbs", "30", "--link-gbs", "15"];
    imported(
        &[&["numactl", "numactl-e5-2697v4.txt", "--name", "broadep2", "-o", &file], &figures[..]].concat(),
    );
    let text = fs::read_to_string(&file).expect("written");
    assert!(
        !text.contains("Skeleton")
            && text.contains(
                "link_gbs = { kind = \"assumed\", source = \"given to numasim import, --link-gbs\" }"
            ),
        "{text}"
    );
    let output = numasim(&["check", &file]);
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("broadep2"),
        "{output:?}"
    );
}

#[test]
fn output_of_this_kind_of_machine_is_read() {
    // The virtual machine on which likwid 5.2.2 and numactl 2.0.16 of Debian 12 ran: one node, two cores.
    for args in [
        ["numactl", "numactl-vm.txt"],
        ["likwid-topology", "likwid-topology-vm.txt"],
        ["likwid-topology", "likwid-topology-vm.csv"],
        ["likwid-topology", "likwid-topology-vm-c.txt"],
    ] {
        let text = imported(&args);
        assert!(text.contains("\nnodes = 1\n") && text.contains("\nmemory_gib = 23.54\n"), "{text}");
        assert_eq!(text.contains("\nllc_mb = 33.55\n"), args[1].ends_with("-c.txt"), "{text}");
    }
}

#[test]
fn output_of_two_machines_and_of_other_tools_is_refused() {
    let said = refused(&["numactl", "numactl-e5-2697v4.txt", "--lscpu", "lscpu-power9.txt"]);
    assert!(
        said.contains("do not belong together: node 0 has the processors 0-8,36-44 in the first and 0-63"),
        "{said}"
    );
    let said = refused(&["numactl", "numactl-e5-2697v4.txt", "--threads-per-core", "4"]);
    assert!(said.contains("--threads-per-core is 4, and node 0 has 18 processors"), "{said}");
    for (kind, file) in
        [("numactl", "lscpu-power9.txt"), ("lscpu", "numactl-vm.txt"), ("likwid-topology", "numactl-vm.txt")]
    {
        let said = refused(&[kind, file]);
        assert!(
            said.contains(&format!("--> {file}:1:1")) && said.contains("hint: import the output of"),
            "{said}"
        );
    }
    let said = refused(&["lscpu", "lscpu-power9.txt", "lscpu-epyc-7451.txt"]);
    assert!(said.contains("a second summary"), "{said}");
}

#[test]
fn counters_make_the_application_that_profile_app_writes() {
    for (tool, option, file) in [
        ("perf", "--perf", "perf-imc-per-node.csv"),
        ("likwid-perfctr", "--likwid", "likwid-mem-dp-two-sockets.txt"),
    ] {
        let file = repository("tests/profile_app").join(file).display().to_string();
        let more = ["--name", "solver"];
        let import = numasim(&[&["import", tool, &file], &more[..]].concat());
        let profile = numasim(&[&["profile-app", option, &file], &more[..]].concat());
        assert_eq!(import, profile, "one reader");
    }
    let file = repository("tests/profile_app/likwid-mem-dp-two-sockets.txt").display().to_string();
    let output = numasim(&["import", "likwid-perfctr", &file, "--name", "solver"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("[[app]]\nname = \"solver\"\n"), "{output:?}");
}

#[test]
fn cores_on_a_node_without_memory_have_no_controller() {
    for args in [
        &["numactl", "numactl-cores-without-memory.txt", "--threads-per-core", "1"][..],
        &["hwloc", "hwloc-v1-nodes-without-memory.xml"],
    ] {
        let machine = machine(args);
        let (first, second) = (machine.node(NodeId(0)), machine.node(NodeId(1)));
        assert_eq!((first.cores, first.has_memory()), (second.cores, true), "{args:?}");
        assert_eq!((second.has_memory(), second.bandwidth.value()), (false, 0.0), "{args:?}");
        assert_eq!(machine.link(NodeId(1), NodeId(0)).map(GigabytesPerSecond::value), Some(15.0), "{args:?}");
        assert_eq!(machine.link(NodeId(0), NodeId(1)), None, "{args:?}");
    }
}

#[test]
fn given_values_are_keys_and_check_names_the_open_ones() {
    let folder = common::folder();
    let file = folder.path().join("machine.toml").display().to_string();
    let figures =
        ["--threads-per-core", "1", "--gflops-per-core", "20", "--bandwidth-gbs", "60", "--link-gbs", "15"];
    imported(&[&["numactl", "numactl-memory-only-figures.txt", "-o", &file], &figures[..]].concat());
    let text = fs::read_to_string(&file).expect("written");
    assert!(
        text.contains("\n    [60.0, 15.0, 15.0],\n    [15.0, 60.0, 15.0],\n    [0.0, 0.0, \"?\"],\n"),
        "{text}"
    );
    let output = numasim(&["check", &file]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the bandwidth of this node's memory in GB/s") && said.contains("1 problem"),
        "{said}"
    );
    fs::write(&file, text.replace("\"?\"", "40.0")).expect("written");
    assert!(numasim(&["check", &file]).status.success());
}

#[test]
fn nodes_without_processors_are_in_the_summary_of_lscpu_alone() {
    for args in [
        &["lscpu", "lscpu-memory-only-node.txt", "lscpu-memory-only-node-e.txt"][..],
        &["lscpu", "lscpu-memory-only-node.txt"],
        &["numactl", "lscpu-memory-only-node-numactl.txt", "--lscpu", "lscpu-memory-only-node.txt"],
        &[
            "numactl",
            "lscpu-memory-only-node-numactl.txt",
            "--lscpu",
            "lscpu-memory-only-node-e.txt",
            "lscpu-memory-only-node.txt",
        ],
    ] {
        let text = imported(args);
        assert!(text.contains("\ncores = 4\n") && text.contains("\ncores = 0\n"), "{args:?}: {text}");
        assert!(!text.contains("left out: node"), "{args:?}: {text}");
        assert_eq!(text.contains("memory_gib = 125.00"), args[0] == "numactl", "{args:?}: {text}");
    }
}

#[test]
fn cores_of_lscpu_are_counted_or_left_open() {
    let lines = |file: &str| {
        let text = imported(&["lscpu", file]);
        text.lines()
            .filter(|line| line.contains("cores_per_node") || line.contains("cores ="))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines("lscpu-stride.txt"), ["cores_per_node = 4"]);
    assert_eq!(lines("lscpu-node-lists-absent-processors.txt"), ["cores_per_node = 8"]);
    assert_eq!(lines("lscpu-core-numbers-repeat.txt"), ["cores_per_node = 6"]);
    assert_eq!(lines("lscpu-core-numbers-repeat-p.txt"), ["cores_per_node = 6"]);
    let open = lines("lscpu-one-thread-offline.txt");
    assert!(open.len() == 2 && open.iter().all(|line| line.starts_with("# cores = ?")), "{open:?}");
    assert!(imported(&["lscpu", "lscpu-stride.txt"]).contains("cpus = [\"0,2,4,6\", \"1,3,5,7\"]"));
}

#[test]
fn output_in_another_language_and_emulated_nodes_are_refused_with_advice() {
    for file in ["lscpu-german.txt", "lscpu-chinese.txt"] {
        let said = refused(&["lscpu", file]);
        assert!(said.contains("LC_ALL=C"), "{said}");
    }
    let said = refused(&["numactl", "numactl-emulated-nodes.txt"]);
    assert!(
        said.contains("numa=fake") && said.contains("hint: one memory controller serves emulated nodes"),
        "{said}"
    );
}

#[test]
fn a_byte_order_mark_changes_nothing() {
    let folder = common::folder();
    for (kind, file) in [
        ("numactl", "numactl-vm.txt"),
        ("lscpu", "lscpu-epyc-7451.json"),
        ("lscpu", "lscpu-epyc-7451-e.txt"),
        ("likwid-topology", "likwid-topology-vm.csv"),
        ("hwloc", "hwloc-v1-nodes-without-memory.xml"),
    ] {
        let text = fs::read_to_string(repository("tests/import/topology").join(file)).expect("a file");
        let marked = folder.path().join(file);
        fs::write(&marked, format!("\u{feff}{text}")).expect("a file for the test");
        let marked = marked.display().to_string();
        assert_eq!(imported(&[kind, &marked]), imported(&[kind, file]), "{file}");
    }
}

#[test]
fn damaged_xml_is_an_error_message() {
    // The first crashes libhwloc with a segmentation fault, the others make it use gigabytes.
    let text = imported(&["hwloc", "hwloc-no-complete-cpuset.xml"]);
    assert!(text.contains("\nnodes = 2\ncores_per_node = 2\n"), "{text}");
    let said = refused(&["hwloc", "hwloc-pu-without-os-index.xml"]);
    assert!(said.contains("line 14: os_index=\"-1\" of a PU is no number from 0 to 65535"), "{said}");
    let said = refused(&["hwloc", "hwloc-endless-nodeset.xml"]);
    assert!(said.contains("line 10: the `nodeset` of NUMA node 0 is not that node alone"), "{said}");
}

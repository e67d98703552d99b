//! `numasim detect` with hwloc: recorded machines, and the usable part of this host.

#![cfg(feature = "hwloc")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::common::{PROGRAM, folder, repository, run};

fn xml(name: &str) -> String {
    repository("tests/hwloc_xml").join(name).with_extension("xml").display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn done(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&done(&[args, &["--format", "json"]].concat())).expect("JSON")
}

fn refused(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output.stderr));
    assert!(output.stdout.is_empty(), "{args:?}");
    text(&output.stderr)
}

const MACHINES: [&str; 3] = ["48amd64-4d2n6c-sparse", "256ppc-8n8s4t", "96em64t-4n4d3ca2co"];

#[test]
fn machine_files_of_real_machines() {
    for name in MACHINES {
        insta::assert_snapshot!(name, done(&["detect", "--from-xml", &xml(name)]));
    }
}

#[test]
fn sockets_of_several_nodes_leave_room_for_link_bandwidths() {
    // Equal nodes: the shorthand. Second memories next to the same cores: node by node, and a table for the pair of
    // sockets.
    for (name, text) in [
        ("sockets-alike", "pack:2 node:4 core:8 pu:1"),
        ("sockets-with-second-memory", "pack:2 [numa] [numa] core:4 pu:1"),
    ] {
        insta::assert_snapshot!(name, done(&["detect", "--from-synthetic", text]));
    }
    let host = json(&["detect", "--from-synthetic", "pack:2 node:2 core:2 pu:1"]);
    let sockets: Vec<Value> = column(&host, "sockets").into_iter().cloned().collect();
    assert_eq!(Value::from(sockets), serde_json::json!([[0], [0], [1], [1]]));
}

/// The comments about sockets in a skeleton are valid once their `# ` is removed and each `?` is a number.
#[test]
fn the_room_for_links_between_sockets_can_be_filled_in() {
    let folder = folder();
    for (text, links) in [
        ("pack:2 node:4 core:8 pu:1", "socket 0 - socket 1"),
        ("pack:2 [numa] [numa] core:4 pu:1", "sockets 0 and 1"),
    ] {
        let skeleton = filled_in(&done(&["detect", "--from-synthetic", text]));
        let keys = [
            "# sockets =",
            "# socket_link_gbs",
            "# shared_link_gbs",
            "# [[machine.shared",
            "# name",
            "# gbs",
            "# between",
        ];
        let filled = skeleton.lines().map(|line| {
            let ours = keys.iter().any(|key| line.starts_with(key));
            if ours { line[2..].replace('?', "10.0") } else { line.to_owned() }
        });
        let file = written(&folder, "machine.toml", &filled.collect::<Vec<_>>().join("\n"));
        let shown = done(&["check", file.to_str().expect("UTF-8")]);
        assert!(shown.contains(links), "{shown}");
    }
}

fn column<'a>(host: &'a Value, key: &str) -> Vec<&'a Value> {
    host["nodes"].as_array().expect("nodes").iter().map(|node| &node[key]).collect()
}

#[test]
fn node_numbers_with_gaps_are_those_of_the_operating_system() {
    let host = json(&["detect", "--from-xml", &xml("48amd64-4d2n6c-sparse")]);
    assert_eq!(column(&host, "os_index"), [0, 1, 2, 33, 34, 45, 72, 73]);
    assert_eq!(column(&host, "cores"), [6; 8]);
    // The file's matrix, first row.
    assert_eq!(host["distances"][0], serde_json::json!([10, 16, 16, 22, 16, 22, 16, 22]));
    assert_eq!((&host["this_host"], &host["unusable"]), (&Value::Bool(false), &serde_json::json!([])));
}

#[test]
fn four_hardware_threads_of_a_core_are_one_core_or_four() {
    let file = xml("256ppc-8n8s4t");
    let host = json(&["detect", "--from-xml", &file]);
    assert_eq!(column(&host, "cores"), [8; 8]);
    assert_eq!(host["nodes"][0]["cpus"], "0,4,8,12,16,20,24,28");
    let host = json(&["detect", "--smt", "--from-xml", &file]);
    assert_eq!(column(&host, "cores"), [32; 8]);
    assert_eq!(host["core"], "hardware thread");
    // The first threads of all cores, then the second ones, ...
    let cpus = host["nodes"][0]["cpus"].as_str().expect("a list");
    assert!(cpus.starts_with("0,4,8,12,16,20,24,28,1,5,9,"), "{cpus}");
}

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file for the test");
    path
}

/// As the head of the file explains: numbers for the `?`, and no `# ` before them.
fn filled_in(skeleton: &str) -> String {
    let mut inside = false;
    let lines = skeleton.lines().map(|line| {
        let matrix = line.starts_with("# bandwidth_matrix_gbs");
        let figure =
            ["# gflops_per_core", "# bandwidth_gbs", "# link_gbs"].iter().any(|key| line.starts_with(key));
        let ours = matrix || figure || inside;
        inside = (inside || matrix) && line != "# ]";
        if ours { line[2..].replace('?', "10.0") } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn check_names_only_the_missing_values_until_they_are_filled_in() {
    let folder = folder();
    let mut descriptions: Vec<[String; 2]> = MACHINES.map(|name| ["--from-xml".into(), xml(name)]).into();
    for synthetic in ["node:4 core:20 pu:1", "pack:2 [numa] [numa] core:4 pu:2", "node:1 core:2 pu:1"] {
        descriptions.push(["--from-synthetic".into(), synthetic.into()]);
    }
    for [switch, of] in &descriptions {
        let skeleton = done(&["detect", switch, of]);
        let file = written(&folder, "machine.toml", &skeleton);
        let file = file.to_str().expect("UTF-8");
        let message = refused(&["check", file]);
        let errors: Vec<&str> = message.lines().filter(|line| line.starts_with("error")).collect();
        let (last, errors) = errors.split_last().expect("something is missing");
        assert!(last.contains(" in 1 file"), "{of}: {last}");
        assert!(
            !errors.is_empty() && errors.iter().all(|error| error.contains("missing")),
            "{of}: {message}"
        );
        written(&folder, "machine.toml", &filled_in(&skeleton));
        done(&["check", file]);
    }
}

#[test]
fn a_memory_without_local_cores_has_none() {
    let host = json(&["detect", "--from-synthetic", "pack:2 [numa] [numa] core:4 pu:1"]);
    assert_eq!(column(&host, "cores"), [4, 0, 4, 0]);
    assert_eq!(column(&host, "cpus")[1], &Value::Null);
}

#[test]
fn unreadable_input_is_refused_with_an_example() {
    let folder = folder();
    let newer = written(&folder, "new.xml", "<topology version=\"4.0\"></topology>");
    let toml = written(&folder, "machine.toml", "[machine]\n");
    for (args, why, example) in [
        (
            ["--from-xml", newer.to_str().expect("UTF-8")],
            "cannot import hwloc XML of version 4.0",
            "--export-xml-flags V2",
        ),
        (
            ["--from-xml", toml.to_str().expect("UTF-8")],
            "no element <topology>",
            "lstopo --of xml machine.xml",
        ),
        (["--from-xml", "no-such.xml"], "no-such.xml does not exist", "check the path"),
        (["--from-synthetic", "node:4 kore:2"], "hwloc knows no 'kore'", "\"node:4 core:20 pu:1\""),
    ] {
        let message = refused(&[&["detect"][..], &args].concat());
        assert!(message.starts_with("error: ") && message.contains(why), "{message}");
        assert!(message.contains("\nhint: ") && message.contains(example), "{message}");
    }
    let both = run(&["detect", "--from-synthetic", "node:1 core:1 pu:1", "--from-xml", "a.xml"]);
    assert_eq!(both.status.code(), Some(2));
}

/// `/sys` of a virtual machine: 8 processors, sockets 0-1,4-5 and 2-3,6-7, and nodes with these processors.
fn crossing(root: &std::path::Path, nodes: [(&str, &str); 2]) {
    let write = |path: String, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the test");
        fs::write(path, text).expect("a file for the test");
    };
    let system = "sys/devices/system";
    write(format!("{system}/cpu/online"), "0-7");
    write(format!("{system}/cpu/possible"), "0-7");
    write(format!("{system}/node/online"), "0-1");
    write("proc/meminfo".into(), "MemTotal: 33554432 kB");
    let list = (0..8).map(|cpu| format!("processor : {cpu}\n")).collect::<Vec<_>>().concat();
    write("proc/cpuinfo".into(), &list);
    for cpu in 0..8_u32 {
        let (package, siblings) = if cpu % 4 < 2 { ("0", "33") } else { ("1", "cc") };
        let (own, one) = (cpu.to_string(), format!("{:02x}", 1 << cpu));
        for (name, text) in [
            ("physical_package_id", package),
            ("core_id", own.as_str()),
            ("package_cpus", siblings),
            ("core_siblings", siblings),
            ("core_cpus", one.as_str()),
            ("thread_siblings", one.as_str()),
        ] {
            write(format!("{system}/cpu/cpu{cpu}/topology/{name}"), text);
        }
    }
    for (node, (map, list)) in nodes.into_iter().enumerate() {
        write(format!("{system}/node/node{node}/cpumap"), map);
        write(format!("{system}/node/node{node}/cpulist"), list);
        write(format!("{system}/node/node{node}/distance"), if node == 0 { "10 20" } else { "20 10" });
        write(format!("{system}/node/node{node}/meminfo"), &format!("Node {node} MemTotal: 16777216 kB"));
    }
}

fn of_tree(root: &std::path::Path) -> std::process::Output {
    let mut command = Command::new(PROGRAM);
    command
        .args(["detect", "--format", "json"])
        .env("HWLOC_FSROOT", root)
        .env("HWLOC_COMPONENTS", "linux,stop");
    command.output().expect("the program starts")
}

#[test]
fn nodes_that_cross_sockets_have_the_processors_of_the_system() {
    let folder = folder();
    crossing(folder.path(), [("0f", "0-3"), ("f0", "4-7")]);
    let output = of_tree(folder.path());
    let host: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(column(&host, "cores"), [4, 4]);
    assert_eq!(column(&host, "cpus"), ["0-3", "4-7"]);
    // Emulated nodes: the kernel was started with numa=fake=2.
    crossing(folder.path(), [("ff", "0-7"), ("ff", "0-7")]);
    let output = of_tree(folder.path());
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("are emulated (numa=fake)"), "{said}");
}

#[test]
fn a_damaged_xml_in_the_environment_of_hwloc_is_an_error_message() {
    for (name, why) in [
        ("hwloc-pu-without-os-index", "of a PU is no number"),
        ("hwloc-endless-nodeset", "is not that node alone"),
    ] {
        let file = repository("tests/import/topology").join(name).with_extension("xml");
        let output = Command::new(PROGRAM)
            .arg("detect")
            .env("HWLOC_XMLFILE", file)
            .output()
            .expect("the program starts");
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(why), "{said}");
    }
}

/// The usable processors of this test.
fn allowed() -> Vec<u32> {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    numasim_model::cpus::CpuList::parse(list).expect("a list").as_slice().to_vec()
}

#[test]
fn only_processors_of_the_mask_are_used_and_the_others_are_named() {
    let allowed = allowed();
    let only = allowed.first().expect("one").to_string();
    let output = Command::new("taskset")
        .args(["-c", &only, PROGRAM, "detect", "--format", "json"])
        .output()
        .expect("taskset of util-linux");
    let host: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let used: Vec<&Value> = column(&host, "cpus").into_iter().filter(|cpus| !cpus.is_null()).collect();
    assert_eq!(used, [&Value::String(only)]);
    let masked =
        host["unusable"].as_array().expect("a list").iter().find(|left| left["why"] == "not-in-mask");
    let message = text(&output.stderr);
    if allowed.len() > 1 {
        let list = numasim_model::cpus::ranges(&allowed[1..]);
        assert_eq!(masked.expect("named")["cpus"], list, "{host}");
        assert!(message.contains("note: not used: processor") && message.contains(&list), "{message}");
    } else {
        assert!(masked.is_none(), "{host}");
    }
}

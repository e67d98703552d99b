//! Texts in the format of hwloc, written by hand.

use super::*;

fn host(text: &str) -> Result<HostTopology, XmlError> {
    read_xml(text, "box", Counting::Cores)
}

fn object(kind: &str, more: &str, inside: &str) -> String {
    format!("<object type=\"{kind}\" {more}>{inside}</object>\n")
}

fn sets(cpus: &str, nodes: &str) -> String {
    format!("cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{nodes}\" complete_nodeset=\"{nodes}\"")
}

fn core(cpu: u32) -> String {
    let own = format!("os_index=\"{cpu}\" cpuset=\"0x{:x}\"", 1 << cpu);
    object("Core", &own, &object("PU", &own, ""))
}

fn topology(version: &str, root: &str, inside: &str) -> String {
    format!(
        "<topology version=\"{version}\">{}</topology>",
        object("Machine", &format!("os_index=\"0\" {root}"), inside)
    )
}

/// Two dies with two cores each, memory of 64 GiB at the first.
fn two_dies(second: &str, complete: &str) -> String {
    let node = object(
        "NUMANode",
        &format!("os_index=\"0\" {} local_memory=\"68719476736\"", sets("0x3", "0x1")),
        "",
    );
    let first = object("Group", &sets("0x3", "0x1"), &[node, core(0), core(1)].concat());
    let sets = format!(
        "cpuset=\"0xc\" complete_cpuset=\"0xc\" nodeset=\"{second}\" complete_nodeset=\"{complete}\""
    );
    let second = object("Group", &sets, &[core(2), core(3)].concat());
    topology(
        "2.0",
        "cpuset=\"0xf\" complete_cpuset=\"0xf\" allowed_cpuset=\"0xf\" allowed_nodeset=\"0x1\"",
        &(first + &second),
    )
}

fn summary(host: &HostTopology) -> Vec<(u32, u32, String, Option<u64>)> {
    let cpus = |node: &HostNode| node.cpus.as_ref().map_or_else(String::new, ToString::to_string);
    host.nodes.iter().map(|node| (node.os_index, node.cores, cpus(node), node.memory_bytes)).collect()
}

#[test]
fn cores_of_a_die_without_memory_are_a_node_without_memory() {
    // hwloc removes node 1, which has no memory, and keeps its number in the complete set.
    let known = host(&two_dies("0x1", "0x3")).expect("a machine");
    let nodes = [(0, 2, "0-1".to_owned(), Some(64 << 30)), (1, 2, "2-3".to_owned(), Some(0))];
    assert_eq!(summary(&known), nodes);
    assert_eq!(known.notes, ["processors 2-3 are beside no memory: on node 1, without memory"]);
    assert_eq!(known.distances, None);
    let assumed = host(&two_dies("0x1", "0x1")).expect("a machine");
    assert_eq!(summary(&assumed), nodes);
    assert!(assumed.notes[0].ends_with("; the number of the node is assumed"), "{:?}", assumed.notes);
}

#[test]
fn a_node_of_version_1_with_0_bytes_has_cores_and_no_memory() {
    let node = |number: u32, cpus: &str, memory: &str, inside: &str| {
        let attributes =
            format!("os_index=\"{number}\" cpuset=\"{cpus}\" nodeset=\"0x0\" local_memory=\"{memory}\"");
        object("NUMANode", &attributes, inside)
    };
    let inside = [
        "<distances nbobjs=\"2\" relative_depth=\"1\" latency_base=\"10.000000\"><latency value=\"1.000000\"/>".to_owned(),
        "<latency value=\"1.600000\"/><latency value=\"1.6\"/><latency value=\"1\"/></distances>".to_owned(),
        node(0, "0x3", "1073741824", &(core(0) + &core(1))),
        node(1, "0xc", "0", &(core(2) + &core(3))),
    ];
    let text = topology("x", "cpuset=\"0xf\" allowed_nodeset=\"0x1\"", &inside.concat())
        .replace(" version=\"x\"", "");
    let host = host(&text).expect("a machine");
    assert_eq!(summary(&host), [(0, 2, "0-1".to_owned(), Some(1 << 30)), (1, 2, "2-3".to_owned(), Some(0))]);
    // 1.6 times 10.
    assert_eq!(host.distances, Some(vec![vec![10, 16], vec![16, 10]]));
}

#[test]
fn version_3_refers_to_objects_by_id_and_names_the_host_outside_the_topology() {
    let near = sets("0x3", "0x1");
    let node =
        object("NUMANode", &format!("os_index=\"0\" {near} id=\"obj7\" local_memory=\"1073741824\""), "");
    let text = topology("3.0", &near, &[node, core(0), core(1)].concat());
    let more = "<info name=\"HostName\" value=\"node17\"/><memattr name=\"Bandwidth\" flags=\"5\"><memattr_value target_obj_gp_index=\"7\" \
                target_obj_type=\"NUMANode\" value=\"1000\" initiator_cpuset=\"0x3\"/></memattr></topology>";
    let host = host(&text.replace("</topology>", more)).expect("a machine");
    assert_eq!(host.name, "node17");
    // 1000 MiB/s are 1.048576 GB/s.
    let said = host.nodes[0].firmware.as_ref().and_then(|said| said.read_bandwidth_gbs);
    assert_eq!(said, Some(1.048_576));
}

#[test]
fn kinds_of_cores_and_numbers_of_threads_are_reported_as_unequal() {
    let both = object("Core", "os_index=\"0\" cpuset=\"0x3\"", &(pu(0) + &pu(1)));
    let text = topology("2.0", &sets("0xf", "0x1"), &[both, core(2), core(3)].concat());
    let kind = |cpus: &str, words: &str| {
        format!("<cpukind cpuset=\"{cpus}\"><info name=\"CoreType\" value=\"{words}\"/></cpukind>")
    };
    let text =
        text.replace("</topology>", &(kind("0x3", "IntelCore") + &kind("0xc", "IntelAtom") + "</topology>"));
    let host = host(&text).expect("a machine");
    let one = "; a machine file has one gflops_per_core for all cores of a node";
    assert_eq!(
        host.notes,
        [
            format!("cores are unequal: processors 0-1 (IntelCore); processors 2-3 (IntelAtom){one}"),
            format!("cores are unequal: 2 with 1 hardware thread, 1 with 2 hardware threads{one}")
        ]
    );
}

fn pu(cpu: u32) -> String {
    object("PU", &format!("os_index=\"{cpu}\" cpuset=\"0x{:x}\"", 1 << cpu), "")
}

#[test]
fn nodes_that_cross_sockets_are_rejected() {
    let node = |number: u32| {
        object(
            "NUMANode",
            &format!("os_index=\"{number}\" {}", sets("0xf", &format!("0x{}", 1 << number))),
            "",
        )
    };
    let package = |cpus: &str, inside: String| object("Package", &format!("cpuset=\"{cpus}\""), &inside);
    let inside =
        [node(0), node(1), package("0x3", core(0) + &core(1)), package("0xc", core(2) + &core(3))].concat();
    let text = topology("2.0", &sets("0xf", "0x3"), &inside);
    let error = host(&text).expect_err("which cores are on which node is not known");
    assert!(
        error.to_string().contains("NUMA nodes 0 and 1 both have all processors of 2 sockets"),
        "{error}"
    );
    // A memory of another kind at both sockets is memory-only.
    let text = text.replace("os_index=\"1\" cpuset=\"0xf\"", "os_index=\"1\" subtype=\"CXL\" cpuset=\"0xf\"");
    assert_eq!(
        summary(&host(&text).expect("a machine")).iter().map(|node| node.1).collect::<Vec<_>>(),
        [4, 0]
    );
}

#[test]
fn nodes_of_the_system_take_precedence() {
    let node = |number: u32| {
        object(
            "NUMANode",
            &format!("os_index=\"{number}\" {}", sets("0xf", &format!("0x{}", 1 << number))),
            "",
        )
    };
    let text = topology(
        "2.0",
        &sets("0xf", "0x3"),
        &[node(0), node(1), core(0), core(1), core(2), core(3)].concat(),
    );
    let reading = |nodes: &[(u32, &[u32])]| Reading {
        name: "",
        by: "hwloc",
        origin: Origin::Other,
        counting: Counting::Cores,
        system: System {
            nodes: nodes.iter().map(|(number, cpus)| (*number, cpus.to_vec())).collect(),
            ..System::default()
        },
        described: false,
    };
    let crossed = read(&text, &reading(&[(0, &[0, 2]), (1, &[1, 3])])).expect("a machine");
    assert_eq!(summary(&crossed)[1], (1, 2, "1,3".to_owned(), None));
    let memory = read(&text, &reading(&[(0, &[0, 1, 2, 3]), (1, &[])])).expect("a machine");
    assert_eq!(summary(&memory)[1], (1, 0, String::new(), None));
    let error = read(&text, &reading(&[(0, &[0, 1, 2, 3]), (1, &[0, 1, 2, 3])])).expect_err("emulated");
    assert!(error.to_string().contains("are emulated (numa=fake)"), "{error}");
}

#[test]
fn damaged_text_is_rejected_with_its_line() {
    let good = two_dies("0x1", "0x3");
    for (from, to, why) in [
        (
            "type=\"PU\" os_index=\"2\"",
            "type=\"PU\" os_index=\"-1\"",
            "os_index=\"-1\" of a PU is no number from 0 to 65535",
        ),
        ("type=\"PU\" os_index=\"2\"", "type=\"PU\"", "an object PU without `os_index`"),
        ("type=\"PU\" os_index=\"2\"", "type=\"PU\" os_index=\"3\"", "PU 3 has the processors of others"),
        ("cpuset=\"0x4\"", "cpuset=\"0xf...f\"", "cpuset=\"0xf...f\" is without an end"),
        (
            "<object type=\"Core\" os_index=\"3\" cpuset=\"0x8\"",
            "<object type=\"Core\" os_index=\"3\" cpuset=\"0xc\"",
            "processor 2 is on two cores",
        ),
        (
            "type=\"NUMANode\" os_index=\"0\"",
            "type=\"NUMANode\" os_index=\"4294967295\"",
            "is no number from 0 to 1023",
        ),
        ("local_memory=\"68719476736\"", "local_memory=\"64G\"", "local_memory=\"64G\" is no whole number"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = host(&good.replace(from, to)).expect_err(to);
        assert!(error.to_string().contains(why) && error.to_string().contains("line "), "{error}");
    }
    // Attributes that are never read may be missing.
    let fewer = good.replace(" complete_cpuset=\"0xf\"", "").replace("complete_nodeset", "other");
    assert_eq!(host(&fewer).expect("a machine").nodes.len(), 2);
}

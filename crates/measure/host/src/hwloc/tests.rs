//! Topologies from descriptions, not from a host: the same on every machine.

use numasim_evidence::formats::hwloc::{XmlError, read_xml};
use numasim_study::topology::{Cache, UnusableThing, Why};

use super::*;

/// XML of another machine.
fn of_xml(text: &str) -> Result<HostTopology, XmlError> {
    read_xml(text, "box.xml", Counting::Cores)
}

fn synthetic(text: &str) -> HostTopology {
    read(Source::Synthetic(text), Counting::Cores).expect("valid")
}

fn cores(text: &str) -> Vec<u32> {
    synthetic(text).nodes.iter().map(|node| node.cores).collect()
}

fn cpus(host: &HostTopology) -> Vec<String> {
    host.nodes.iter().map(|node| node.cpus.as_ref().map_or_else(String::new, ToString::to_string)).collect()
}

/// The XML that hwloc writes for a description, with parts replaced.
fn written(synthetic: &str, replacements: &[(&str, &str)]) -> String {
    let topology = Topology::builder().from_synthetic(synthetic).expect("valid").build().expect("a topology");
    let mut text = exported(&topology).expect("exported");
    for (old, new) in replacements {
        assert!(text.contains(old), "{old} is not in {text}");
        text = text.replace(old, new);
    }
    text
}

#[test]
fn four_packages_of_twenty_cores_are_four_nodes() {
    assert_eq!(cores("pack:4 [numa] core:20 pu:1"), [20, 20, 20, 20]);
}

#[test]
fn nodes_without_packages_have_no_distances_and_cannot_be_bound() {
    let host = synthetic("node:4 core:20 pu:1");
    assert_eq!(cpus(&host), ["0-19", "20-39", "40-59", "60-79"]);
    assert_eq!((host.distances, host.origin), (None, Origin::Other));
    assert_eq!(host.unusable, []);
}

#[test]
fn two_hardware_threads_of_a_core_count_once_unless_smt_is_wanted() {
    let text = "pack:2 [numa] core:2 pu:2";
    assert_eq!(cores(text), [2, 2]);
    let host = read(Source::Synthetic(text), Counting::HardwareThreads).expect("valid");
    assert_eq!(host.nodes.iter().map(|node| node.cores).collect::<Vec<_>>(), [4, 4]);
    // Core 0 has logical CPUs 0 and 1, core 1 has 2 and 3: the first threads of both cores come first.
    assert_eq!(cpus(&host), ["0,2,1,3", "4,6,5,7"]);
}

#[test]
fn the_cpu_of_a_core_is_its_first_hardware_thread() {
    // Adjacent siblings: cores 0 and 1 have logical CPUs 0,1 and 2,3.
    assert_eq!(cpus(&synthetic("pack:2 [numa] core:2 pu:2")), ["0,2", "4,6"]);
    // The numbering of many servers: the second threads of all cores come after the first ones.
    assert_eq!(cpus(&synthetic("pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)")), ["0-1", "2-3"]);
}

#[test]
fn the_second_memory_of_the_same_cores_is_memory_only() {
    assert_eq!(cpus(&synthetic("pack:1 [numa] [numa] core:2 pu:1")), ["0-1", ""]);
    assert_eq!(cores("pack:2 [numa] [numa] core:4 pu:1"), [4, 0, 4, 0]);
}

#[test]
fn a_machine_wide_memory_does_not_own_the_cores_of_inner_nodes() {
    // Node 0 is attached to the whole machine; nodes 1 and 2 are each attached to one package.
    assert_eq!(cores("[numa(indexes=0)] pack:2 [numa] core:4 pu:1").iter().sum::<u32>(), 8);
    assert_eq!(cores("[numa] pack:2 [numa] core:4 pu:1").iter().filter(|&&cores| cores == 4).count(), 2);
}

#[test]
fn caches_of_the_same_size_and_sharing_are_listed_once() {
    let host = synthetic("pack:2 [numa] l3:1(size=33554432) l2:4(size=1048576) core:1 pu:2");
    let (l2, l3) = (1 << 20, 32 << 20);
    assert_eq!(
        host.caches,
        [
            Cache { level: 2, bytes: l2, cores: 1, count: 8 },
            Cache { level: 3, bytes: l3, cores: 4, count: 2 }
        ]
    );
}

#[test]
fn forbidden_cpus_of_another_machine_are_listed() {
    // Logical CPU 3 (bit 3 of 0xf) is not allowed.
    let text = written(
        "pack:1 [numa] core:4 pu:1",
        &[("allowed_cpuset=\"0x0000000f\"", "allowed_cpuset=\"0x00000007\"")],
    );
    let host = of_xml(&text).expect("valid");
    assert_eq!(cpus(&host), ["0-2"]);
    let [unusable] = host.unusable.as_slice() else { panic!("{:?}", host.unusable) };
    assert_eq!(unusable.why, Why::Unknown);
    assert!(matches!(&unusable.what, UnusableThing::Cpus(list) if list.to_string() == "3"), "{unusable:?}");
}

#[test]
fn a_core_with_one_forbidden_hardware_thread_is_a_core() {
    // Cores 0 and 1 have logical CPUs 0,1 and 2,3; logical CPU 2 is not allowed.
    let text = written(
        "pack:1 [numa] core:2 pu:2",
        &[("allowed_cpuset=\"0x0000000f\"", "allowed_cpuset=\"0x0000000b\"")],
    );
    assert_eq!(cpus(&of_xml(&text).expect("valid")), ["0,3"]);
}

#[test]
fn cores_of_a_node_whose_memory_is_forbidden_are_without_memory() {
    let text = written(
        "pack:2 [numa] core:2 pu:1",
        &[("allowed_nodeset=\"0x00000003\"", "allowed_nodeset=\"0x00000001\"")],
    );
    let host = of_xml(&text).expect("valid");
    assert_eq!(cpus(&host), ["0-1", "2-3"]);
    assert_eq!((host.nodes[1].memory_bytes, &host.unusable), (Some(0), &vec![]));
    let note = "node 1 is without memory here: its memory may not be used (offline or not allowed on the machine that wrote the topology)";
    assert_eq!(host.notes, [note]);
}

#[test]
fn other_data_than_hwloc_xml_is_an_error_with_the_reason() {
    for (text, why) in [
        ("", "it is empty"),
        ("[machine]", "it has no element <topology>"),
        ("<topology version=\"2.0\">", "its element <topology> does not end"),
        ("<topology version=\"4.0\"></topology>", "cannot import hwloc XML of version 4.0"),
        ("<topology version=\"3.0\"></topology>", "its topology has no objects"),
        ("<topology version=\"2.0\"><object/></topology>", "line 1: the outermost object is no Machine"),
    ] {
        let messages = of_xml(text).expect_err("no topology");
        assert!(messages.to_string().contains(why), "{messages}");
        assert!(messages.hint().contains("lstopo"), "{messages}");
    }
}

#[test]
fn a_wrong_synthetic_description_is_an_error_with_the_mistake() {
    for (text, why) in [
        ("", "it is empty"),
        ("node:4 kore:20", "hwloc knows no 'kore'"),
        ("node:4 core:20", "it ends with 'core', not with the hardware threads (pu)"),
        ("node:4 core: pu:1", "in 'core:' there is no number behind the colon"),
        ("node:4 core pu:1", "'core' has no number"),
        ("node:0 core:2 pu:1", "in 'node:0' the number is 0"),
        ("node:2 l3:1(size=1MB core:2 pu:1", "a bracket is not closed"),
        ("core:2 core:2 pu:1", "hwloc refuses it"),
    ] {
        let messages = read(Source::Synthetic(text), Counting::Cores).expect_err("wrong");
        assert!(messages.to_string().contains(why), "{text}: {messages}");
        assert!(messages.hint().is_some_and(|hint| hint.contains("node:4 core:20 pu:1")), "{messages}");
    }
}

/// The numbers by which an XML refers to its NUMA nodes.
fn references(xml: &str) -> Vec<&str> {
    let nodes = xml.split("<object type=\"NUMANode\"").skip(1);
    nodes.filter_map(|node| node.split_once("gp_index=\"")?.1.split('"').next()).collect()
}

#[test]
fn firmware_values_are_converted_and_belong_to_the_nearest_cores() {
    // Two memories attached to cores 0 and 1: node 0 owns the cores, node 1 is visible from them.
    let text = written("pack:1 [numa] [numa] core:2 pu:1", &[]);
    let nodes = references(&text);
    let value = |node: usize, value| {
        format!(
            "<memattr_value target_obj_gp_index=\"{}\" target_obj_type=\"NUMANode\" value=\"{value}\" \
             initiator_cpuset=\"0x00000003\"/>",
            nodes[node]
        )
    };
    let attributes = format!(
        "<memattr name=\"Bandwidth\" flags=\"5\">{}{}</memattr>\
         <memattr name=\"ReadLatency\" flags=\"6\">{}</memattr></topology>",
        value(0, 40960),
        value(1, 2560),
        value(1, 90)
    );
    let host = of_xml(&text.replace("</topology>", &attributes)).expect("valid");
    let said: Vec<_> = host.nodes.iter().map(|node| node.firmware.clone().expect("given")).collect();
    // 40960 MiB/s x 1048576 bytes = 42.94967296 GB/s.
    let gbs = 42.949_672_96;
    assert_eq!((said[0].read_bandwidth_gbs, said[0].write_bandwidth_gbs), (Some(gbs), Some(gbs)));
    assert_eq!(said[1].read_bandwidth_gbs, Some(2.684_354_56));
    assert_eq!((said[0].read_latency_ns, said[1].read_latency_ns), (None, Some(90)));
    assert_eq!((&said[0].seen_from_os_nodes, &said[1].seen_from_os_nodes), (&vec![0], &vec![0]));
}

#[test]
fn nodes_know_their_package_and_their_memory() {
    let packages = |text: &str| -> Vec<Vec<u32>> {
        synthetic(text).nodes.iter().map(|node| node.sockets.clone()).collect()
    };
    assert_eq!(packages("pack:2 node:2 core:2 pu:1"), [[0], [0], [1], [1]]);
    // The second memory of the same cores is also on their package.
    assert_eq!(packages("pack:2 [numa] [numa] core:2 pu:1"), [[0], [0], [1], [1]]);
    assert_eq!(packages("node:2 pack:2 core:2 pu:1"), [[0, 1], [2, 3]]);
    assert_eq!(packages("node:2 core:2 pu:1"), [Vec::<u32>::new(), Vec::new()]);
    let memory: Vec<Option<u64>> = synthetic("pack:2 [numa(memory=2147483648)] core:2 pu:1")
        .nodes
        .iter()
        .map(|node| node.memory_bytes)
        .collect();
    assert_eq!(memory, [Some(2 << 30), Some(2 << 30)]);
}

//! XML of machines, and the conversion of units.

use numasim_study::machine_file::skeleton;
use numasim_study::topology::Counting;
use numasim_study::{SourceFile, read_study};

use super::*;

fn machine(text: &str) -> Machine {
    let file = SourceFile { name: "machine.toml".into(), text: text.into() };
    read_study(&[file]).unwrap_or_else(|problems| panic!("{problems:#?}")).study.machine
}

const TWO: &str = "[machine]\nname = \"a <b> & 'c'\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 35.2\nbandwidth_gbs = 32\nlink_gbs = 10\n";

#[test]
fn bandwidths_are_attributes_of_memories_for_the_cores_that_read() {
    let xml = xml(&machine(TWO)).expect("four cores");
    // 32e9 / 2^20 = 30517.6; 10e9 / 2^20 = 9536.7. Node 0 is object 3, in group 2 of machine 1.
    let expected = "  <memattr name=\"Bandwidth\" flags=\"5\">\n    \
        <memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"3\" value=\"30518\" initiator_cpuset=\"0x00000003\"/>\n    \
        <memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"3\" value=\"9537\" initiator_cpuset=\"0x0000000c\"/>\n";
    assert!(xml.text.contains(expected), "{}", xml.text);
    assert!(
        xml.text.contains("<info name=\"numasimMachine\" value=\"a &lt;b&gt; &amp; 'c'\"/>"),
        "{}",
        xml.text
    );
    assert!(
        !xml.text.contains("Latency") && !xml.text.contains("local_memory"),
        "nothing is guessed: {}",
        xml.text
    );
    // 9537 MiB/s are 10.000269 GB/s.
    assert!((xml.rounding - 2.69e-5).abs() < 1e-7, "{}", xml.rounding);
    assert_eq!(xml.notes, ["the file has no `cpus`: processors are numbered 0, 1, 2, ... node by node"]);
}

#[test]
fn a_memory_only_node_is_next_to_all_cores_and_has_their_bandwidth() {
    let text = "[machine]\nname = 'm'\nbandwidth_matrix_gbs = [[32, 5], [0, 8]]\n[[machine.node]]\ncores = 2\n\
                gflops_per_core = 1\ncpus = \"4,6\"\nmemory_gib = 59.6\n[[machine.node]]\ncores = 0\ngflops_per_core = 0\nos_node = 8\n";
    let text = text.replace("memory_gib", "os_node = 0\nmemory_gib");
    let written = xml(&machine(&text)).expect("two cores");
    assert!(
        written.notes.iter().any(|note| note.starts_with("all cores are on one node")),
        "{:?}",
        written.notes
    );
    let xml = written.text;
    assert!(!xml.contains("Group"), "one node with cores needs no group: {xml}");
    // Node 8 is bit 8 of the nodes; 59.6 GiB are 63995012710.4 B, rounded up.
    assert!(xml.contains("type=\"NUMANode\" os_index=\"8\" cpuset=\"0x00000050\""), "{xml}");
    assert!(xml.contains("nodeset=\"0x00000101\"") && xml.contains("local_memory=\"63995012711\""), "{xml}");
    let of = |value: &str| xml.find(value).unwrap_or_else(|| panic!("{value}: {xml}"));
    // hwloc stops if the memories of one place do not ascend.
    assert!(of("\"NUMANode\" os_index=\"0\"") < of("\"NUMANode\" os_index=\"8\""), "{xml}");
    // 5 GB/s for the cores of node 0: 4768 MiB/s. The memory's own 8 GB/s, 7629, would be for the same cores.
    assert!(xml.contains("value=\"4768\"") && !xml.contains("value=\"7629\""), "{xml}");
}

#[test]
fn a_node_without_memory_has_0_bytes_and_no_bandwidth() {
    let text = "[machine]\nname = 'm'\nbandwidth_gbs = 32\nlink_gbs = 8\n[[machine.node]]\ncores = 1\ngflops_per_core = 1\nmemory_gib = 1\n\
                [[machine.node]]\ncores = 1\ngflops_per_core = 1\nmemory_gib = 0\n";
    let there = machine(text);
    let xml = xml(&there).expect("two cores").text;
    assert!(xml.contains("local_memory=\"0\"") && !xml.contains("value=\"1\" initiator"), "{xml}");
    // Two readers of the one memory, for Bandwidth and ReadBandwidth.
    assert_eq!(xml.matches("<memattr_value").count(), 4, "{xml}");
    let back = crate::formats::hwloc::read_xml(&xml, "m", Counting::Cores).expect("a machine");
    let back = machine(&skeleton(&back));
    assert!(!back.has_memory(NodeId(1)) && back.node(NodeId(1)).cores == 1);
    assert_eq!(back.link(NodeId(1), NodeId(0)), there.link(NodeId(1), NodeId(0)));
}

#[test]
fn l3_domains_are_caches_and_are_read_back() {
    let text = format!(
        "{}cores_per_l3 = 2\nl3_read_gbs = 20\ncpus = [\"0,2,1,3\", \"4-7\"]\n",
        TWO.replace("_node = 2", "_node = 4")
    );
    let there = machine(&text);
    let written = xml(&there).expect("eight cores");
    assert_eq!(written.notes, ["hwloc has no place for l3_read_gbs: not in the XML"]);
    // The cores 0 and 2 of node 0 are its first domain.
    let first = "<object type=\"L3Cache\" os_index=\"0\" cpuset=\"0x00000005\"";
    assert!(written.text.contains(first) && written.text.matches("L3Cache").count() == 4, "{}", written.text);
    let back = crate::formats::hwloc::read_xml(&written.text, "m", Counting::Cores).expect("a machine");
    let back = machine(&skeleton(&back));
    for node in there.node_ids() {
        assert_eq!(back.node(node).cores_per_l3, Some(2));
        assert_eq!(back.os_nodes()[node.0].cpus, there.os_nodes()[node.0].cpus);
    }
}

#[test]
fn values_that_hwloc_cannot_represent_are_listed() {
    let more = "core_bandwidth_gbs = 9\nlatency_matrix_ns = [[80, 130.4], [131, 81]]\ndistance_matrix = [[10, 20.5], [20, 10]]\nllc_mb = 8\n";
    let xml = xml(&machine(&format!("{TWO}{more}"))).expect("four cores");
    assert_eq!(
        xml.notes[1..],
        [
            "distances are rounded to whole numbers",
            "hwloc has no place for core_bandwidth_gbs, llc_mb: not in the XML"
        ]
    );
    assert!(xml.text.contains("<u64values length=\"12\">10 21 20 10 </u64values>"), "{}", xml.text);
    assert!(
        xml.text.contains("<memattr name=\"Latency\" flags=\"6\">") && xml.text.contains("value=\"130\""),
        "{}",
        xml.text
    );
}

#[test]
fn more_cores_than_linux_supports_are_rejected() {
    let text = TWO.replace("cores_per_node = 2", "cores_per_node = 5000");
    assert_eq!(xml(&machine(&text)), Err(TooManyCores(10_000)));
}

#[test]
fn sets_have_the_highest_word_first() {
    assert_eq!(Bits::of([]).to_string(), "0x0");
    assert_eq!(Bits::of([0, 33, 95]).to_string(), "0x80000000,0x00000002,0x00000001");
}

#[test]
fn a_bandwidth_is_read_back_as_the_shortest_equivalent_number() {
    for gbs in [32.0, 10.0, 113.1394, 0.5, 1e-9, 4096.25] {
        let mib = to_mib(gbs);
        let back = shortest(mib);
        assert_eq!(to_mib(back), mib);
        // Half a MiB/s is 0.00053 GB/s.
        assert!(
            (back - gbs).abs() < 0.00106 && back.to_string().len() <= gbs.to_string().len().max(6),
            "{gbs}: {back}"
        );
    }
    assert_eq!(shortest(30_518), 32.0);
}

//! Output of each tool, and rejected texts.

use numasim_model::cpus::{CpuList, OsNode};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{Machine, Node};

use super::*;

/// Two nodes of 4 cores with two L3 domains; the second node has the operating system number 8.
fn machine() -> Machine {
    let node = Node {
        cores: 4,
        cores_per_l3: Some(2),
        gflops_per_core: Gflops::new(1.0),
        bandwidth: GigabytesPerSecond::new(1.0),
        ..Node::default()
    };
    let os = |number, cpus: &str| OsNode { number, cpus: CpuList::parse(cpus).ok() };
    let links = vec![GigabytesPerSecond::new(1.0); 4];
    Machine::new("m", vec![node; 2], links).unwrap().with_os_nodes(vec![os(0, "0-3"), os(8, "4-7")]).unwrap()
}

fn toml(found: &[Placed]) -> Result<String, String> {
    let machine = machine();
    let given = Given { machine: &machine, apps: &[], scenario: "now", source: "test" };
    study(found, given).map_err(|problem| problem.message)
}

const DOMAIN: &str = "<?xml version='1.0'?>\n<domain type='kvm' id='3'>\n  <name>db</name>\n  <memory unit='KiB'>4194304</memory>\n\
    <vcpu placement='static'>3</vcpu>\n<cputune>\n<vcpupin vcpu='0' cpuset='0'/>\n<vcpupin vcpu='1' cpuset='0-2,^0'/>\n\
    <vcpupin vcpu='2' cpuset='6'/>\n</cputune>\n<numatune><memory mode='strict' nodeset='0,8'/></numatune>\n</domain>\n";

#[test]
fn a_domain_of_libvirt_is_an_application() {
    let text = format!("{DOMAIN}<!-- another one -->\n{}", DOMAIN.replace(">db<", ">web<"));
    let found = libvirt::read(&text, 0).expect("domains");
    assert_eq!(found.iter().map(|placed| placed.name.as_str()).collect::<Vec<_>>(), ["db", "web"]);
    assert_eq!(found[0].threads, [vec![0], vec![1, 2], vec![6]].map(Threads::On));
    assert_eq!((&found[0].memory, found[0].memory_mib), (&Memory::Bound(vec![0, 8]), Some(4096)));
    assert_eq!(&text[found[1].place.span.clone().expect("a place")], "<name>web</name>");
    let text = toml(&found[..1]).expect("a study");
    // The second vCPU may run in both domains of the first node.
    assert!(text.contains("threads = { \"db\" = [2, 1] }") && text.contains("data = \"local\""), "{text}");
    assert!(text.contains("# arithmetic_intensity = ?") && text.contains("memory_gib = 4"), "{text}");
}

#[test]
fn invalid_domains_are_rejected_at_their_place() {
    for (from, to, why) in [
        ("vcpu='2' cpuset='6'", "vcpu='3' cpuset='6'", "the vCPUs 0 to 2"),
        ("<vcpupin vcpu='2' cpuset='6'/>", "", "vCPU 2 of 'db' is pinned nowhere"),
        ("cpuset='6'", "cpuset='6-'", "'6-'"),
        ("cpuset='6'", "", "`cpuset` is missing"),
        (">3<", ">many<", "no number of vCPUs"),
        ("</domain>", "", "this is no XML"),
        ("<name>db</name>", "", "has no <name>"),
    ] {
        let problem = libvirt::read(&DOMAIN.replacen(from, to, 1), 0).expect_err(why);
        assert!(problem.message.contains(why), "{}", problem.message);
        assert!(problem.place.as_ref().is_some_and(|place| place.span.is_some()), "{why}");
    }
    for text in ["", "<x/>", "<domain", "text"] {
        assert!(libvirt::read(text, 0).is_err(), "{text}");
    }
    assert!(libvirt::read(&"<a>".repeat(100_000), 0).is_err());
}

#[test]
fn threads_that_a_scenario_cannot_describe_are_rejected() {
    let with = |threads: Vec<Threads>| {
        let found = libvirt::read(DOMAIN, 0).expect("a domain");
        toml(&[Placed { threads, ..found[0].clone() }])
    };
    for (threads, why) in [
        (vec![Threads::On(vec![3, 4])], "may run on several nodes"),
        (vec![Threads::On(vec![3]), Threads::On(vec![3])], "two threads of 'db' are on processor 3"),
        (vec![Threads::On(vec![9])], "processor 9 of 'db' is on no node"),
        (vec![Threads::OfNode { node: 1, threads: 2 }], "near node 1, which the machine does not have"),
    ] {
        let refused = with(threads).expect_err(why);
        assert!(refused.contains(why), "{refused}");
    }
    let found = libvirt::read(DOMAIN, 0).expect("a domain");
    let twice = [found[0].clone(), Placed { name: "web".to_owned(), ..found[0].clone() }];
    assert!(toml(&twice).expect_err("both").contains("'db' and 'web' are both on processor 0"));
    assert!(
        toml(&[found[0].clone(), found[0].clone()])
            .expect_err("both")
            .contains("two of them are called 'db'")
    );
    let memory = Placed { memory: Memory::Bound(vec![7]), ..found[0].clone() };
    assert!(toml(&[memory]).expect_err("no node").contains("node 7, which the machine does not have"));
}

#[test]
fn containers_are_applications_with_their_numactl_policy() {
    let text = r#"[{"Id": "x", "Name": "/db", "Path": "numactl", "Args": ["--interleave", "0,8", "./db"],
        "HostConfig": {"CpusetCpus": "0-1,4", "CpusetMems": "0,8", "Memory": 2147483648}},
        {"Name": "/web", "Path": "nginx", "Args": [], "HostConfig": {"CpusetCpus": "5", "CpusetMems": "0"}}]"#;
    let text = toml(&docker::read(text, 0).expect("containers")).expect("a study");
    assert!(text.contains("threads = { \"db\" = [[2, 0], [1, 0]], \"web\" = [0, [1, 0]] }"), "{text}");
    assert!(text.contains("data = \"interleave\"") && text.contains("data = { home = 0 }"), "{text}");
    assert!(text.contains("memory_gib = 2"), "{text}");
    for (wrong, why) in [
        ("[]", "not output of docker inspect"),
        ("", "not output of docker inspect"),
        ("{\"a\": 1}", "this is no container"),
        (r#"[{"Name": "/db", "HostConfig": {"CpusetCpus": ""}}]"#, "bound to no processors"),
        (r#"[{"Name": "/db", "HostConfig": {"CpusetCpus": "0;x"}}]"#, "'0;x'"),
        (
            r#"[{"Name": "/db", "Path": "numactl", "Args": ["--preferred=1"], "HostConfig": {"CpusetCpus": "0"}}]"#,
            "is not read",
        ),
    ] {
        let problem = docker::read(wrong, 0).expect_err(why);
        assert!(problem.message.contains(why), "{}", problem.message);
    }
}

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: db\n  annotations:\n    balloon.balloons.resource-policy.nri.io: db\n\
    spec:\n  containers:\n  - name: db\n    resources:\n      limits: {cpu: \"6\", memory: 3Gi}\n";
const BALLOONS: &str = "kind: BalloonsPolicy\nspec:\n  balloonTypes:\n  - name: db\n    components:\n    - balloonType: a\n    - balloonType: a\n\
    \x20   - balloonType: b\n  - name: a\n    preferCloseToDevices: [/sys/devices/system/node/node8]\n  - name: b\n    preferCloseToDevices:\n\
    \x20   - /sys/devices/system/cpu/cpu2/cache/index3\n";

#[test]
fn a_pod_is_placed_by_its_balloon() {
    let found = kubernetes::read(&[POD, BALLOONS]).expect("a pod");
    // 6 CPUs over three components: two times 2 near node 8, and 2 in the domain of logical CPU 2.
    let near = Threads::OfNode { node: 8, threads: 2 };
    assert_eq!(found[0].threads, [near.clone(), near, Threads::OfDomain { cpu: 2, threads: 2 }]);
    assert!(toml(&found).expect("a study").contains("threads = { \"db\" = [2, 4] }"));
    for (pod, balloons, why) in [
        (POD.replace("\"6\"", "\"four\""), BALLOONS.to_owned(), "no whole number of CPUs"),
        (POD.replace("\"6\"", "500m"), BALLOONS.to_owned(), "no whole number of CPUs"),
        (POD.replace("\"6\"", "\"4\""), BALLOONS.to_owned(), "cannot be dealt equally"),
        (POD.replace("cpu: \"6\", ", ""), BALLOONS.to_owned(), "no limit of `cpu`"),
        (POD.replace("balloon.balloons", "other"), BALLOONS.to_owned(), "no balloon says on which node"),
        (POD.to_owned(), BALLOONS.replace("- name: a", "- name: c"), "there is no balloon type 'a'"),
        (POD.to_owned(), BALLOONS.replace("node/node8", "net/eth0"), "names no node"),
        (POD.replace("kind: Pod", "kind: Node"), BALLOONS.to_owned(), "no pod"),
    ] {
        let problem = kubernetes::read(&[&pod, &balloons]).expect_err(why);
        assert!(problem.message.contains(why), "{}", problem.message);
    }
}

#[test]
fn a_rankfile_counts_cores_of_the_machine() {
    let ranks = "# two programs\nrank 0=localhost slot=0-1\nrank 1=localhost slot=4\n\nrank 2=vm slots=2\n";
    let run = "#!/bin/sh\n#   mpirun --nothing\nmpirun --map-by rankfile:file=r -np 2 -x A=1 numactl --membind=8 './my app' 1 : \\\n -np 1 b\n";
    let found = rankfile::read(ranks, Some(run), "r", &machine()).expect("ranks");
    let shown: Vec<(&str, usize, u32)> =
        found.iter().map(|placed| (placed.name.as_str(), placed.threads.len(), placed.ranks)).collect();
    assert_eq!(shown, [("my app", 3, 2), ("b", 1, 1)]);
    assert_eq!(found[0].memory, Memory::Bound(vec![8]));
    let text = toml(&found).expect("a study");
    assert!(text.contains("threads = { \"my app\" = [[2, 0], [1, 0]], \"b\" = [[0, 1], 0] }"), "{text}");
    assert!(text.contains("ranks = 2"), "{text}");
    let alone = rankfile::read(ranks, None, "r", &machine()).expect("ranks");
    assert_eq!((alone.len(), alone[0].name.as_str(), alone[0].ranks), (1, "r", 3));
    for (ranks, run, why) in [
        ("rank 0=a slot=0\nrank 0=a slot=1", None, "rank 0 has two lines"),
        ("rank 1=a slot=0", None, "rank 0 has no line"),
        ("rank 0=a slot=1:0", None, "socket:core"),
        ("rank 0=a slot=99", None, "logical number 99"),
        ("rank 0 slot=1", None, "no line of a rankfile"),
        ("", None, "no rank"),
        ("rank 0=a slot=0", Some("x"), "no line that begins with `mpirun`"),
        ("rank 0=a slot=0", Some("mpirun -np 2 a"), "starts 2 ranks, and the rankfile has 1"),
        ("rank 0=a slot=0", Some("mpirun a"), "no `-np`"),
        ("rank 0=a slot=0", Some("mpirun -np 1"), "names no program"),
    ] {
        let problem = rankfile::read(ranks, run, "r", &machine()).expect_err(why);
        assert!(problem.message.contains(why), "{}", problem.message);
    }
}

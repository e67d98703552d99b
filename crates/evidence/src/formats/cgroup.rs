//! Control groups: the container, guest or service of a process, and the memory of a group on each node.
//!
//! `/proc/PID/cgroup` has a line for each hierarchy: `0::/path` is version 2, `5:memory:/path` version 1
//! (cgroups(7)). The path names the unit: container engines and systemd put their identifiers into it.
//! `memory.numa_stat` counts bytes in version 2 (admin-guide/cgroup-v2) and pages in version 1
//! (admin-guide/cgroup-v1/memory).

use std::collections::BTreeMap;

/// Bytes of a page in `memory.numa_stat` of version 1, which counts in pages of the smallest size.
const PAGE: u64 = 4096;

/// The path of a process in its hierarchy, as the kernel writes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupPath {
    /// From the root of the hierarchy: `/system.slice/ssh.service`.
    pub path: String,
    /// Whether it is the unified hierarchy of version 2.
    pub unified: bool,
}

/// The path of a process from the text of `/proc/PID/cgroup`: that of version 2, unless all processes are at
/// its root and version 1 is more specific. `None` without any line.
pub fn path_of(text: &str) -> Option<GroupPath> {
    let lines = || {
        text.lines().filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            Some((parts.next()?, parts.next()?))
        })
    };
    let unified = lines().find(|(controllers, _)| controllers.is_empty()).map(|(_, path)| path);
    // In a hybrid system the processes are in the hierarchies of version 1.
    let of = |wanted: &str| {
        lines()
            .find(|(controllers, _)| controllers.split(',').any(|name| name == wanted))
            .map(|(_, path)| path)
    };
    let first =
        ["memory", "cpuset", "cpu", "name=systemd"].into_iter().filter_map(of).find(|path| *path != "/");
    match (unified, first) {
        (Some(path), _) if path != "/" => Some(GroupPath { path: path.to_owned(), unified: true }),
        (_, Some(path)) => Some(GroupPath { path: path.to_owned(), unified: false }),
        (Some(path), None) => Some(GroupPath { path: path.to_owned(), unified: true }),
        (None, None) => None,
    }
}

/// A container engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
    /// A Kubernetes pod, regardless of its engine.
    Kubernetes,
    /// Another one: nerdctl, LXC, systemd-nspawn.
    Other,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Docker, Self::Podman, Self::Kubernetes, Self::Other];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
            Self::Kubernetes => "kubernetes",
            Self::Other => "container",
        }
    }
}

/// The unit of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A container.
    Container {
        /// Its engine.
        engine: Engine,
        /// Its identifier.
        id: String,
    },
    /// A virtual machine of libvirt.
    Guest {
        /// Its name.
        name: String,
    },
    /// A service of systemd.
    Service {
        /// The name of its unit: `redis.service`.
        unit: String,
    },
}

/// The unit of a path, and the path that ends with it: groups below also belong to it. `None` for a path
/// without a unit, such as a user session.
pub fn unit_of(path: &str) -> Option<(Unit, &str)> {
    let mut found = None;
    let mut end = 0;
    let in_pods = path.contains("/kubepods");
    let mut before = "";
    for part in path.split('/') {
        end += part.len();
        let here = &path[..end.min(path.len())];
        end += 1;
        if let Some(unit) = container(part, before, in_pods) {
            // A container in a container: the processes belong to the inner one.
            found = Some((unit, here));
        } else if let Some(name) = guest(part) {
            found = Some((Unit::Guest { name }, here));
        } else if part.ends_with(".service")
            && !matches!(found, Some((Unit::Container { .. } | Unit::Guest { .. }, _)))
        {
            // The manager of a user is not a service: its programs have separate units.
            found = (!part.starts_with("user@")).then(|| (Unit::Service { unit: part.to_owned() }, here));
        } else if part.strip_suffix(".scope").is_some() && matches!(found, Some((Unit::Service { .. }, _))) {
            found = None;
        }
        before = part;
    }
    found
}

fn container(part: &str, before: &str, in_pods: bool) -> Option<Unit> {
    const SCOPES: [(&str, Engine); 6] = [
        ("docker-", Engine::Docker),
        ("libpod-", Engine::Podman),
        ("cri-containerd-", Engine::Kubernetes),
        ("crio-", Engine::Kubernetes),
        ("containerd-", Engine::Kubernetes),
        ("nerdctl-", Engine::Other),
    ];
    let name = part.strip_suffix(".scope").unwrap_or(part);
    let scope = SCOPES.iter().find_map(|(begin, engine)| Some((*engine, name.strip_prefix(begin)?)));
    if let Some((engine, id)) = scope.filter(|(_, id)| is_id(id)) {
        let engine = if in_pods { Engine::Kubernetes } else { engine };
        return Some(Unit::Container { engine, id: id.to_owned() });
    }
    // Groups without systemd: `/docker/ID`, `/kubepods/burstable/podUID/ID`.
    let engine = match before {
        "docker" => Some(Engine::Docker),
        "libpod_parent" => Some(Engine::Podman),
        _ if in_pods && before.starts_with("pod") => Some(Engine::Kubernetes),
        _ => None,
    };
    if let Some(engine) = engine.filter(|_| is_id(part)) {
        return Some(Unit::Container { engine, id: part.to_owned() });
    }
    let other = part.strip_prefix("lxc.payload.").or_else(|| {
        let machine = part.strip_prefix("machine-")?.strip_suffix(".scope")?;
        (!machine.starts_with("qemu")).then_some(machine)
    })?;
    Some(Unit::Container { engine: Engine::Other, id: unescaped(other) })
}

/// Engines use 64 digits; shorter identifiers are cut.
fn is_id(text: &str) -> bool {
    text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `machine-qemu\x2d1\x2dNAME.scope` of libvirt; 1 is a running number.
fn guest(part: &str) -> Option<String> {
    let name = unescaped(part.strip_prefix("machine-")?.strip_suffix(".scope")?);
    let rest = name.strip_prefix("qemu-")?;
    let (number, name) = rest.split_once('-')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| name.to_owned())
}

/// The original name of a unit (systemd-escape): `My\x20App` is `My App`.
pub fn unescaped(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        let code = bytes.get(place..place + 4).filter(|code| code.starts_with(b"\\x"));
        let digits = code.and_then(|code| std::str::from_utf8(code.get(2..)?).ok());
        if let Some(code) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            plain.push(code);
            place += 4;
        } else {
            plain.push(byte);
            place += 1;
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Memory of a group on each node of the operating system, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupMemory {
    /// Anonymous memory.
    pub anon: BTreeMap<u32, u64>,
    /// Memory shared by processes, which version 1 does not distinguish from files.
    pub shared: BTreeMap<u32, u64>,
}

/// Reads `memory.numa_stat`. Reserved huge pages (hugetlb) are not included. `None` if it has no entry for
/// anonymous memory.
pub fn read_numa_stat(text: &str, unified: bool) -> Option<GroupMemory> {
    let row = |wanted: &str| -> Option<BTreeMap<u32, u64>> {
        text.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next()?;
            let name = if unified { name } else { name.split_once('=')?.0 };
            (name == wanted).then(|| {
                let node = |word: &str| {
                    let (node, amount) = word.strip_prefix('N')?.split_once('=')?;
                    let unit = if unified { 1 } else { PAGE };
                    Some((node.parse().ok()?, amount.parse::<u64>().ok()?.saturating_mul(unit)))
                };
                words.filter_map(node).collect()
            })
        })
    };
    Some(GroupMemory { anon: row("anon")?, shared: row("shmem").unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c3f9c";

    #[test]
    fn the_path_is_that_of_the_hierarchy_with_the_processes() {
        let path = |text: &str| path_of(text).map(|path| (path.path, path.unified));
        assert_eq!(path("0::/system.slice/a.service\n"), Some(("/system.slice/a.service".to_owned(), true)));
        let hybrid = "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n0::/\n";
        assert_eq!(path(hybrid), Some(("/docker/abc".to_owned(), false)));
        assert_eq!(path("0::/\n"), Some(("/".to_owned(), true)));
        assert_eq!(path("\nx\n"), None);
    }

    fn unit(path: &str) -> Option<(Unit, &str)> {
        unit_of(path)
    }

    #[test]
    fn containers_of_every_engine_are_recognised_by_their_path() {
        let of = |engine: Engine, path: &str| {
            let (found, whole) = unit(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(found, Unit::Container { engine, id: ID.to_owned() }, "{path}");
            assert!(whole.contains(ID), "{whole}");
        };
        of(Engine::Docker, &format!("/system.slice/docker-{ID}.scope"));
        of(Engine::Docker, &format!("/docker/{ID}"));
        of(
            Engine::Podman,
            &format!("/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-{ID}.scope/container"),
        );
        of(Engine::Kubernetes, &format!("/kubepods.slice/kubepods-podab_cd.slice/cri-containerd-{ID}.scope"));
        of(Engine::Kubernetes, &format!("/kubepods/burstable/pod8b1f/{ID}"));
        assert_eq!(unit(&format!("/machine.slice/libpod-conmon-{ID}.scope")), None);
    }

    #[test]
    fn guests_and_services_are_units_and_sessions_are_not() {
        let path = "/machine.slice/machine-qemu\\x2d12\\x2dweb\\x2d1.scope/libvirt/vcpu0";
        let whole = "/machine.slice/machine-qemu\\x2d12\\x2dweb\\x2d1.scope";
        assert_eq!(unit(path), Some((Unit::Guest { name: "web-1".to_owned() }, whole)));
        let service = Unit::Service { unit: "redis.service".to_owned() };
        assert_eq!(unit("/system.slice/redis.service"), Some((service, "/system.slice/redis.service")));
        for none in ["/", "/init.scope", "/user.slice/user-0.slice/session-3.scope"] {
            assert_eq!(unit(none), None, "{none}");
        }
        assert_eq!(unit("/user.slice/user-1000.slice/user@1000.service/app.slice/app-x-1.scope"), None);
        assert_eq!(unescaped("My\\x20App\\xzz"), "My App\\xzz");
    }

    #[test]
    fn memory_is_read_in_the_unit_of_the_version() {
        let two = "anon N0=8192 N1=0\nfile N0=9 N1=9\nshmem N0=0 N1=4096\n";
        let found = read_numa_stat(two, true).expect("version 2");
        assert_eq!((found.anon[&0], found.shared[&1]), (8192, 4096));
        // 3 pages of 4 KiB
        let one = "total=9 N0=4 N1=5\nfile=6 N0=4 N1=2\nanon=3 N0=0 N1=3\nhierarchical_anon=7 N0=7 N1=0\n";
        let found = read_numa_stat(one, false).expect("version 1");
        assert_eq!((found.anon[&1], found.shared.len()), (12_288, 0));
        assert_eq!(read_numa_stat("", true), None);
    }
}

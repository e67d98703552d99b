//! Kubernetes pods with the balloons of containers/nri-plugins that place them: manifests, or the output of
//! `kubectl get -o yaml` or `-o json`. A pod contains its number of CPUs; its balloon type determines the
//! node or the L3 domain.

use std::collections::HashMap;

use numasim_study::{Place, Problem};

use super::yaml::{Node, documents};
use super::{Memory, Placed, Threads, first_line, problem, set, shown};

/// The annotation that selects the balloon type of a pod.
const BALLOON: &str = "balloon.balloons.resource-policy.nri.io";
/// The annotation with the policy of the plugin `memory-policy`.
const POLICY: &str = "policy.memory-policy.nri.io";

/// The pods of several texts, with balloons from any of them.
///
/// # Errors
/// Text without pods, pods without a number of CPUs, and pods whose balloon type names no place.
pub fn read(texts: &[&str]) -> Result<Vec<Placed>, Problem> {
    let mut pods: Vec<(usize, Node)> = Vec::new();
    let mut types: HashMap<String, (usize, Node)> = HashMap::new();
    for (file, text) in texts.iter().enumerate() {
        for document in documents(text, file)? {
            let items = document.get("items").map_or(&[][..], Node::list).to_vec();
            let objects = if items.is_empty() { vec![document] } else { items };
            for object in objects {
                match object.get("kind").and_then(Node::text) {
                    Some("Pod") => pods.push((file, object)),
                    Some("BalloonsPolicy") => {
                        for of_type in object.at(&["spec", "balloonTypes"]).map_or(&[][..], Node::list) {
                            let name = of_type.get("name").and_then(Node::text).unwrap_or_default();
                            types.insert(name.to_owned(), (file, of_type.clone()));
                        }
                    }
                    // Other objects do not affect the placement of pods.
                    _ => {}
                }
            }
        }
    }
    if pods.is_empty() {
        return Err(problem(
            0,
            first_line(texts.first().copied().unwrap_or_default()),
            "there is no pod (`kind: Pod`) in it",
        )
        .hint("import pods, and the BalloonsPolicy that places them: `kubectl get pod NAME -o yaml`"));
    }
    pods.iter().map(|(file, pod)| of_pod(*file, pod, &types)).collect()
}

fn of_pod(file: usize, pod: &Node, types: &HashMap<String, (usize, Node)>) -> Result<Placed, Problem> {
    let wrong = |node: &Node, why: String| problem(file, node.span.clone(), why);
    let Some(name) = pod.at(&["metadata", "name"]) else {
        return Err(wrong(pod, "this pod has no name".to_owned()));
    };
    let shown_name = shown(name.text().unwrap_or_default());
    let (mut cpus, mut mib) = (0_u32, Some(0_u64));
    for container in pod.at(&["spec", "containers"]).map_or(&[][..], Node::list) {
        let resource = |what: &str| {
            let of = |kind: &str| container.at(&["resources", kind, what]);
            of("limits").or_else(|| of("requests"))
        };
        let Some(number) = resource("cpu") else {
            return Err(wrong(container, format!("a container of the pod '{shown_name}' has no limit of `cpu`"))
                .hint("only containers with requests equal to limits, and a whole number of CPUs, get exclusive CPUs"));
        };
        let text = number.text().unwrap_or_default();
        let whole = match text.strip_suffix('m') {
            Some(milli) => {
                milli.parse::<u32>().ok().filter(|milli| milli % 1000 == 0).map(|milli| milli / 1000)
            }
            None => text.parse::<u32>().ok(),
        };
        let Some(whole) = whole.filter(|&whole| whole > 0 && whole <= 65_536) else {
            return Err(wrong(number, format!("'{}' is no whole number of CPUs", shown(text)))
                .hint("a pod with a part of a CPU shares CPUs with others, and has no exclusive ones"));
        };
        cpus = whole.saturating_add(cpus);
        mib = mib
            .zip(resource("memory").and_then(Node::text).and_then(mebibytes))
            .map(|(all, own): (u64, u64)| all.saturating_add(own));
    }
    if cpus == 0 {
        return Err(wrong(name, format!("the pod '{shown_name}' has no containers")));
    }
    let annotation = |key: &str| pod.at(&["metadata", "annotations"])?.get(key);
    let Some(balloon) = annotation(BALLOON) else {
        return Err(wrong(name, format!("no balloon says on which node the pod '{shown_name}' runs"))
            .hint(format!("the kubelet alone chooses nodes by itself; a pod names its balloon type in the annotation {BALLOON}")));
    };
    let hides =
        types.get(balloon.text().unwrap_or_default()).and_then(|(_, own)| own.get("hideHyperthreads"));
    let memory = annotation(POLICY).map_or(Ok(Memory::FirstTouch), |node| policy(node, file))?;
    Ok(Placed {
        name: name.text().unwrap_or_default().to_owned(),
        threads: of_balloon(file, balloon, cpus, types)?,
        memory,
        memory_mib: mib.filter(|&mib| mib > 0),
        ranks: 1,
        counts_both: hides.and_then(Node::text) != Some("true"),
        place: Place::at(file, name.span.clone()),
    })
}

/// The threads of a pod, placed by its balloon type.
fn of_balloon(
    file: usize,
    balloon: &Node,
    cpus: u32,
    types: &HashMap<String, (usize, Node)>,
) -> Result<Vec<Threads>, Problem> {
    let find = |name: &Node, file: usize| {
        let text = name.text().unwrap_or_default();
        types.get(text).ok_or_else(|| {
            problem(file, name.span.clone(), format!("there is no balloon type '{}'", shown(text)))
                .hint("import the BalloonsPolicy as well: `kubectl get balloonspolicies -A -o yaml`")
        })
    };
    let (of_file, own) = find(balloon, file)?;
    let components = own.get("components").map_or(&[][..], Node::list);
    if components.is_empty() {
        return Ok(vec![near(own, *of_file, cpus)?]);
    }
    let parts = u32::try_from(components.len()).unwrap_or(u32::MAX);
    if !cpus.is_multiple_of(parts) {
        let message = format!("{cpus} CPUs cannot be dealt equally over {parts} components");
        return Err(problem(*of_file, own.span.clone(), message));
    }
    let part = |component: &Node| {
        let name = component.get("balloonType").unwrap_or(component);
        let (file, own) = find(name, *of_file)?;
        near(own, *file, cpus / parts)
    };
    components.iter().map(part).collect()
}

/// This number of threads near the device of a balloon type.
fn near(of_type: &Node, file: usize, threads: u32) -> Result<Threads, Problem> {
    let device = of_type.get("preferCloseToDevices").and_then(|devices| devices.list().first());
    let number = |text: &str| text.parse::<u32>().ok();
    let path = device.and_then(Node::text).unwrap_or_default();
    if let Some(node) = path.strip_prefix("/sys/devices/system/node/node").and_then(number) {
        return Ok(Threads::OfNode { node, threads });
    }
    let cpu =
        path.strip_prefix("/sys/devices/system/cpu/cpu").and_then(|rest| rest.strip_suffix("/cache/index3"));
    if let Some(cpu) = cpu.and_then(number) {
        return Ok(Threads::OfDomain { cpu, threads });
    }
    Err(problem(file, device.unwrap_or(of_type).span.clone(), "this balloon type names no node and no L3 domain").hint(
        "a type is near a node with `preferCloseToDevices: [/sys/devices/system/node/node0]`, near an L3 domain with \
         `/sys/devices/system/cpu/cpu0/cache/index3`",
    ))
}

/// The value of the annotation of memory-policy, which is YAML itself.
fn policy(node: &Node, file: usize) -> Result<Memory, Problem> {
    let wrong = |why: String| problem(file, node.span.clone(), why);
    let inside = documents(node.text().unwrap_or_default(), file).map_err(|inner| wrong(inner.message))?;
    let get = |key: &str| inside.first().and_then(|policy| policy.get(key)).and_then(Node::text);
    let nodes = || match get("nodes") {
        None => Err(wrong("this memory policy names no nodes".to_owned())),
        Some(nodes) => set(nodes).map_err(wrong),
    };
    match get("mode") {
        Some("MPOL_INTERLEAVE") => nodes().map(Memory::Interleaved),
        Some("MPOL_WEIGHTED_INTERLEAVE") => nodes().map(Memory::Weighted),
        Some("MPOL_BIND") => nodes().map(Memory::Bound),
        Some("MPOL_LOCAL" | "MPOL_DEFAULT") => Ok(Memory::FirstTouch),
        other => Err(wrong(format!("the memory policy '{}' is not read", shown(other.unwrap_or_default())))),
    }
}

/// A quantity of memory in MiB: `16Gi`, `512M`.
fn mebibytes(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..end].parse().ok()?;
    let unit: u64 = match &text[end..] {
        "" => 1,
        "k" => 1000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(unit).map(|bytes| bytes >> 20)
}

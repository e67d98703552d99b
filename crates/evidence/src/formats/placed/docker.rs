//! `docker inspect`: a JSON list of containers, with the cpuset of each in `HostConfig`.

use numasim_study::{Place, Problem};

use super::yaml::{Node, Value, documents};
use super::{Memory, Placed, Threads, first_line, numactl, problem, set};

/// The containers of a text.
///
/// # Errors
/// Text that is not output of `docker inspect`, and containers without a cpuset.
pub fn read(text: &str, file: usize) -> Result<Vec<Placed>, Problem> {
    let found = documents(text, file)?;
    let containers: Vec<&Node> = found
        .iter()
        .flat_map(|node| match &node.value {
            Value::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(node),
        })
        .collect();
    if containers.is_empty() {
        return Err(problem(file, first_line(text), "this is not output of docker inspect")
            .hint("write it with `docker inspect CONTAINER... > FILE`"));
    }
    containers.into_iter().map(|node| container(node, file)).collect()
}

fn container(node: &Node, file: usize) -> Result<Placed, Problem> {
    let wrong = |node: &Node, why: String| problem(file, node.span.clone(), why);
    let name = node.get("Name").and_then(Node::text).map(|name| name.trim_start_matches('/'));
    let (Some(name), Some(host)) = (name.filter(|name| !name.is_empty()), node.get("HostConfig")) else {
        return Err(wrong(node, "this is no container: it has no `Name` or no `HostConfig`".to_owned())
            .hint("write the file with `docker inspect CONTAINER... > FILE`"));
    };
    let list = |key: &str| {
        let list = host.get(key).filter(|list| list.text().is_some_and(|text| !text.is_empty()));
        list.map(|list| set(list.text().unwrap_or_default()).map_err(|why| wrong(list, why))).transpose()
    };
    let Some(cpus) = list("CpusetCpus")? else {
        return Err(wrong(host, format!("the container '{name}' is bound to no processors (`CpusetCpus`)"))
            .hint("bind it with `docker update --cpuset-cpus=LIST`, or leave it out of the file"));
    };
    let words = node.get("Path").into_iter().chain(node.get("Args").map_or(&[][..], Node::list));
    let policy = numactl(words.filter_map(Node::text)).map_err(|why| wrong(node, why))?;
    let memory = policy.or(list("CpusetMems")?.map(Memory::Bound)).unwrap_or_default();
    let limit = host.get("Memory").and_then(Node::text).and_then(|bytes| bytes.parse::<u64>().ok());
    Ok(Placed {
        name: name.to_owned(),
        threads: cpus.into_iter().map(|cpu| Threads::On(vec![cpu])).collect(),
        memory,
        memory_mib: limit.map(|bytes| bytes >> 20).filter(|&mib| mib > 0),
        ranks: 1,
        counts_both: false,
        place: Place::at(file, node.get("Name").map_or(node.span.clone(), |name| name.span.clone())),
    })
}

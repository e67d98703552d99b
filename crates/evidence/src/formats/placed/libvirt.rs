//! `virsh dumpxml`: domains of libvirt, with a logical CPU for each vCPU and the memory nodes of
//! `<numatune>`.

use std::collections::BTreeMap;
use std::ops::Range;

use numasim_study::{Place, Problem};
use roxmltree::{Document, Node};

use super::{Memory, Placed, Threads, first_line, problem, set, shown};

/// Maximum number of vCPUs of a guest.
const MOST_VCPUS: u32 = 65_536;

/// The domains of a text, in order.
///
/// # Errors
/// Text that is not XML of a domain, and vCPUs without pinning.
pub fn read(text: &str, file: usize) -> Result<Vec<Placed>, Problem> {
    // Several documents in one file are not valid XML, so they are enclosed in an element. Declarations are
    // replaced by blanks.
    const OPEN: &str = "<d>";
    let mut inside = text.to_owned();
    let mut at = 0;
    while let Some(start) = inside[at..].find("<?xml").map(|found| at + found) {
        let Some(end) = inside[start..].find("?>").map(|found| start + found + 2) else { break };
        let blanks: String = inside[start..end]
            .chars()
            .map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) })
            .collect();
        inside.replace_range(start..end, &blanks);
        at = end;
    }
    let whole = format!("{OPEN}{inside}</d>");
    let document = Document::parse(&whole).map_err(|error| {
        let row = error.pos().row as usize;
        let start: usize = text.split_inclusive('\n').take(row.saturating_sub(1)).map(str::len).sum();
        let line = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
        problem(file, start..start + line.len(), format!("this is no XML: {error}"))
            .hint("write the file with `virsh dumpxml NAME > FILE`")
    })?;
    let span = |node: Node<'_, '_>| shifted(node.range(), OPEN.len(), text.len());
    let domains: Vec<Node<'_, '_>> =
        document.root_element().children().filter(|node| node.has_tag_name("domain")).collect();
    if domains.is_empty() {
        return Err(problem(file, first_line(text), "there is no <domain> in it")
            .hint("write the file with `virsh dumpxml NAME > FILE`"));
    }
    domains.into_iter().map(|node| domain(node, file, &span)).collect()
}

/// The corresponding bytes of the text.
fn shifted(range: Range<usize>, by: usize, most: usize) -> Range<usize> {
    let start = range.start.saturating_sub(by).min(most);
    start..range.end.saturating_sub(by).clamp(start, most)
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn domain(
    node: Node<'_, '_>,
    file: usize,
    span: &dyn Fn(Node<'_, '_>) -> Range<usize>,
) -> Result<Placed, Problem> {
    let wrong = |node: Node<'_, '_>, why: String| problem(file, head_of(span(node), node), why);
    let list = |node: Node<'_, '_>, attribute: &str| match node.attribute(attribute) {
        None => Err(wrong(node, format!("`{attribute}` is missing"))),
        Some(text) => set(text).map_err(|why| wrong(node, why)),
    };
    let Some(name) =
        child(node, "name").filter(|name| name.text().is_some_and(|text| !text.trim().is_empty()))
    else {
        return Err(wrong(node, "this domain has no <name>".to_owned()));
    };
    let own = name.text().unwrap_or_default().trim();
    let Some(vcpu) = child(node, "vcpu") else {
        return Err(wrong(node, format!("the domain '{}' has no <vcpu>", shown(own))));
    };
    let count = vcpu.attribute("current").or(vcpu.text()).and_then(|text| text.trim().parse::<u32>().ok());
    let Some(count) = count.filter(|&count| count > 0 && count <= MOST_VCPUS) else {
        return Err(wrong(vcpu, "this is no number of vCPUs".to_owned()));
    };
    let mut pins: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let tune = child(node, "cputune");
    for pin in tune.iter().flat_map(Node::children).filter(|pin| pin.has_tag_name("vcpupin")) {
        let number = pin.attribute("vcpu").and_then(|number| number.parse().ok());
        let Some(number) = number.filter(|&number: &u32| number < count) else {
            return Err(wrong(
                pin,
                format!("the guest has the vCPUs 0 to {}, and this pin names none of them", count - 1),
            ));
        };
        pins.insert(number, list(pin, "cpuset")?);
    }
    let all = vcpu.attribute("cpuset").map(|_| list(vcpu, "cpuset")).transpose()?;
    let thread = |number: u32| match pins.remove(&number).or_else(|| all.clone()) {
        Some(cpus) => Ok(Threads::On(cpus)),
        None => Err(wrong(vcpu, format!("vCPU {number} of '{}' is pinned nowhere", shown(own)))
            .hint("add <vcpupin vcpu='N' cpuset='LIST'/> to <cputune>: `virsh vcpupin NAME N LIST`")),
    };
    let threads = (0..count).map(thread).collect::<Result<_, Problem>>()?;
    let mut memory = Memory::FirstTouch;
    if let Some(tune) = child(node, "numatune") {
        let cells: Vec<Node<'_, '_>> = tune.children().filter(|cell| cell.has_tag_name("memnode")).collect();
        let mut nodes: Vec<u32> = Vec::new();
        for cell in &cells {
            nodes.extend(list(*cell, "nodeset")?);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let whole = child(tune, "memory");
        let is_interleaved = |node: &Node<'_, '_>| node.attribute("mode") == Some("interleave");
        memory = match whole {
            Some(whole) if cells.is_empty() && whole.attribute("nodeset").is_some() => {
                let nodes = list(whole, "nodeset")?;
                if is_interleaved(&whole) { Memory::Interleaved(nodes) } else { Memory::Bound(nodes) }
            }
            _ if nodes.is_empty() => Memory::FirstTouch,
            _ if cells.iter().all(is_interleaved) => Memory::Interleaved(nodes),
            _ => Memory::Bound(nodes),
        };
    }
    Ok(Placed {
        name: own.to_owned(),
        threads,
        memory,
        memory_mib: child(node, "memory").and_then(mebibytes),
        ranks: 1,
        counts_both: false,
        place: Place::at(file, span(name)),
    })
}

/// A long element is shown by its first line.
fn head_of(span: Range<usize>, node: Node<'_, '_>) -> Range<usize> {
    let text = node.document().input_text().get(node.range()).unwrap_or_default();
    span.start..span.end.min(span.start + text.find('\n').unwrap_or(text.len()))
}

/// The memory of the guest in MiB. The default unit is KiB.
fn mebibytes(node: Node<'_, '_>) -> Option<u64> {
    let number: u64 = node.text()?.trim().parse().ok()?;
    let unit: u64 = match node.attribute("unit").unwrap_or("KiB") {
        "b" | "bytes" => 1,
        "KB" => 1000,
        "k" | "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "M" | "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "G" | "GiB" => 1 << 30,
        "TB" => 1_000_000_000_000,
        "T" | "TiB" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(unit).map(|bytes| bytes >> 20).filter(|&mib| mib > 0)
}

//! What people call the figures that were changed.

use numasim_model::{App, AppId, NodeId};
use numasim_sim::sensitivity::Figure;

use crate::view::{Style, figures};

/// `memory of nodes 0-3`, `link 1→0`, `AI of mem`.
pub(super) fn name(figure: &Figure, apps: &[App], style: &Style) -> String {
    match figure {
        Figure::Controllers(nodes) => format!("memory of {}", of_nodes(nodes)),
        Figure::Links(links) => of_links(links, style),
        Figure::Peaks(nodes) => format!("core peak, {}", of_nodes(nodes)),
        Figure::CoreBandwidths(nodes) => format!("core bandwidth, {}", of_nodes(nodes)),
        Figure::Cores(nodes) => format!("cores of {}", of_nodes(nodes)),
        Figure::Intensities(ids) => format!("AI of {}", of_apps(ids, apps)),
        Figure::Work(ids) => format!("work of {}", of_apps(ids, apps)),
    }
}

fn numbers(nodes: impl Iterator<Item = NodeId>) -> Vec<usize> {
    let mut numbers: Vec<usize> = nodes.map(|node| node.0).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn of_nodes(nodes: &[NodeId]) -> String {
    figures::nodes(&numbers(nodes.iter().copied()))
}

/// Inputs are those of an `[[app]]` table, whatever the number of its instances.
fn of_apps(ids: &[AppId], apps: &[App]) -> String {
    ids.first().and_then(|app| apps.get(app.0)).map_or(String::new(), |app| app.group.clone())
}

fn of_links(links: &[(NodeId, NodeId)], style: &Style) -> String {
    let arrow = style.arrow();
    // A link may be here for itself and with all others.
    let mut links = links.to_vec();
    links.sort_unstable();
    links.dedup();
    let from = numbers(links.iter().map(|link| link.0));
    let to = numbers(links.iter().map(|link| link.1));
    match links.as_slice() {
        [(from, to)] => format!("link {}{arrow}{}", from.0, to.0),
        _ if to.len() == 1 => format!("links {}{arrow}{}", figures::ranges(&from), to[0]),
        _ if from.len() == 1 => format!("links {}{arrow}{}", from[0], figures::ranges(&to)),
        _ => format!("{} links", links.len()),
    }
}

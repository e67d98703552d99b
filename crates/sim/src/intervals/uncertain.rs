//! Which figures of a machine are uncertain, and which of them vary together.

use numasim_model::{Access, Machine};
use numasim_study::figure::{Figure, NodeFigure};

/// Figures of a machine that vary together: they have the same value under the same key.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertain {
    /// Their key in `[machine.provenance]`.
    pub key: &'static str,
    /// Half-width of the interval of 95 %, in percent of the figure.
    pub percent: f64,
    /// What they are.
    pub(super) figures: Vec<Figure>,
}

/// Everything of the machine that has an interval above 0.
///
/// A controller has that of `bandwidth_gbs`, else of `bandwidth_matrix_gbs`; a link the wider of `link_gbs` and
/// `socket_link_gbs`, else that of the matrix. Latencies, caches and parameters of the sharing model are not drawn.
pub(super) fn uncertain(machine: &Machine) -> Vec<Uncertain> {
    let percent = |key: &str| machine.provenance().get(key).and_then(|origin| origin.interval95_percent);
    let first = |keys: &[&'static str]| -> Option<(&'static str, f64)> {
        keys.iter().find_map(|&key| Some((key, percent(key)?)))
    };
    let of_node = |figure: NodeFigure, keys: &[&'static str]| {
        let figures: Vec<Figure> = machine.node_ids().map(|node| Figure::Node(figure, Some(node))).collect();
        (first(keys), figures)
    };
    let own = |figure: NodeFigure| of_node(figure, &[figure.key()]);
    let links = match (percent("link_gbs"), percent("socket_link_gbs")) {
        (Some(within), Some(between)) if between > within => Some(("socket_link_gbs", between)),
        _ => first(&["link_gbs", "socket_link_gbs", "bandwidth_matrix_gbs"]),
    };
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let shared = (0..machine.shared_links().len()).map(Figure::SharedLink).collect();
    let mut kinds = vec![
        own(NodeFigure::GflopsPerCore),
        own(NodeFigure::CoreBandwidth),
        of_node(NodeFigure::Bandwidth, &["bandwidth_gbs", "bandwidth_matrix_gbs"]),
        own(NodeFigure::Read),
    ];
    kinds.extend(Access::WRITING.map(|kernel| own(NodeFigure::Kernel(kernel))));
    kinds.push((links, pairs.map(|pair| Figure::Link(Some(pair))).collect()));
    kinds.push((first(&["shared_link"]), shared));
    kinds.into_iter().flat_map(|(known, figures)| together(machine, known, figures)).collect()
}

/// The figures of one key by their value, in the order of the machine; without an interval none.
fn together(machine: &Machine, known: Option<(&'static str, f64)>, figures: Vec<Figure>) -> Vec<Uncertain> {
    let Some((key, percent)) = known.filter(|(_, percent)| *percent > 0.0) else { return Vec::new() };
    let mut groups: Vec<(f64, Uncertain)> = Vec::new();
    for figure in figures {
        let Some(&value) = figure.values(machine, &[]).first() else { continue };
        if value <= 0.0 {
            continue;
        }
        match groups.iter_mut().find(|(other, _)| other.to_bits() == value.to_bits()) {
            Some((_, group)) => group.figures.push(figure),
            None => groups.push((value, Uncertain { key, percent, figures: vec![figure] })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

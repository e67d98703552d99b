//! Machines whose uncertain figures are drawn.

use crate::search::generator;
use numasim_model::Machine;
use numasim_model::evaluation::MOST_NODES_WITH_ALL_LINKS;
use numasim_study::figure::{Figure, Figures, of_nodes};
use numasim_study::keys::Key;
use rand::RngExt as _;

/// Streams of random numbers from here on are those of figures; restarts of the search count from 0.
const FIRST_STREAM: u64 = 1 << 40;

/// A machine, and what its uncertain figures are multiplied by in each draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    base: Machine,
    uncertain: Vec<Uncertain>,
    /// For each of `uncertain` a factor for each draw.
    factors: Vec<Vec<f64>>,
}

impl Draws {
    /// How many machines are drawn. The ends of an interval are then off by some 5 % of its half-width where several
    /// figures matter, by nothing where one does.
    pub const COUNT: usize = 400;

    /// The same draws for the same machine and seed. `None` where no figure of the machine has an interval above 0, and
    /// beyond 64 nodes, whose links would take too long to draw.
    pub fn of(machine: &Machine, seed: u64) -> Option<Self> {
        if machine.node_count() > MOST_NODES_WITH_ALL_LINKS {
            return None;
        }
        let uncertain = uncertain(machine);
        if uncertain.is_empty() {
            return None;
        }
        let factors = (FIRST_STREAM..).zip(&uncertain).map(|(stream, figure)| {
            // ln(1 + p) is 1.96 standard deviations.
            let deviation = libm::log1p(figure.percent / 100.0) / quantile(0.975);
            let mut factors: Vec<f64> = (0..Self::COUNT)
                .map(|draw| libm::exp(deviation * quantile((draw as f64 + 0.5) / Self::COUNT as f64)))
                .collect();
            let mut random = generator(seed, stream);
            for last in (1..factors.len()).rev() {
                factors.swap(last, random.random_range(0..=last));
            }
            factors
        });
        let factors = factors.collect();
        Some(Self { base: machine.clone(), uncertain, factors })
    }

    /// The figures that are drawn.
    pub fn uncertain(&self) -> &[Uncertain] {
        &self.uncertain
    }

    /// The machines, one after the other: nobody has room for all.
    pub fn machines(&self) -> impl Iterator<Item = Machine> + '_ {
        let plain = Figures::of(&self.base, &[]);
        (0..Self::COUNT).filter_map(move |draw| {
            let mut figures = plain.clone();
            for (uncertain, factors) in self.uncertain.iter().zip(&self.factors) {
                let factor = factors.get(draw).copied().unwrap_or(1.0);
                for figure in &uncertain.figures {
                    figures.change(figure, |value| value * factor);
                }
            }
            // All stay positive and finite, so that there is such a machine.
            figures.machine(&self.base).ok()
        })
    }
}

// Quantiles of the normal distribution.

/// Below this probability, and above 1 less it, the tails have a formula of their own.
const TAIL: f64 = 0.024_25;

/// The value below which a standard normal number lies with this probability, 0 < p < 1.
///
/// The rational approximation of P. J. Acklam (2003), right to a relative 1.2e-9.
pub(super) fn quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
        1.0,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let polynomial = |factors: &[f64], x: f64| factors.iter().fold(0.0, |sum, factor| sum * x + factor);
    let tail = |p: f64| {
        let q = (-2.0 * libm::log(p)).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if p < TAIL {
        return tail(p);
    }
    if p > 1.0 - TAIL {
        return -tail(1.0 - p);
    }
    let q = p - 0.5;
    q * polynomial(&A, q * q) / polynomial(&B, q * q)
}

// Which figures of a machine are uncertain, and which of them vary together.

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
    let of_node = |figure: &'static Key, keys: &[&'static str]| {
        let figures: Vec<Figure> = machine.node_ids().map(|node| Figure::Node(figure, Some(node))).collect();
        (first(keys), figures)
    };
    let links = match (percent("link_gbs"), percent("socket_link_gbs")) {
        (Some(within), Some(between)) if between > within => Some(("socket_link_gbs", between)),
        _ => first(&["link_gbs", "socket_link_gbs", "bandwidth_matrix_gbs"]),
    };
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let shared = (0..machine.shared_links().len()).map(Figure::SharedLink).collect();
    // Cores are counted.
    let drawn = of_nodes().filter(|key| key.changed_in != Some(""));
    let mut kinds: Vec<_> = drawn
        .map(|key| match key.name {
            "bandwidth_gbs" => of_node(key, &["bandwidth_gbs", "bandwidth_matrix_gbs"]),
            own => of_node(key, &[own]),
        })
        .collect();
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

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let tabled = [(0.5, 0.0), (0.841_344_746, 1.0), (0.975, 1.959_963_985), (0.999, 3.090_232_306)];
        for (p, value) in tabled {
            assert!((quantile(p) - value).abs() < 1e-7, "{p}: {}", quantile(p));
            assert!((quantile(1.0 - p) + value).abs() < 1e-7, "{p}");
        }
    }
}

//! Descriptions of the models, for people who must choose one.

use super::ModelKind;
use super::Parameter;

/// A model in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The model.
    pub kind: ModelKind,
    /// Its behaviour, in a paragraph.
    pub summary: &'static str,
    /// The rules as formulas, one per line. d is the demand of a thread on a memory, B the bandwidth of its
    /// controller.
    pub formula: &'static [&'static str],
    /// Its assumptions.
    pub assumptions: &'static str,
    /// Conditions under which it is known or suspected to be wrong.
    pub limits: &'static str,
    /// Its source, and the checks against it.
    pub source: &'static str,
}

/// The recommended model and corrections for predictions close to measurements.
pub const ADVICE: &str = "For predictions of a real machine: ecm with the bandwidth of one core, and the penalties where they were measured (0.2 to 0.5), as calibrate does. The default answers as the paper does, and is \
                          proven best fastest.";

impl ModelKind {
    /// The description of the model.
    pub const fn about(self) -> About {
        match self {
            Self::BaselineProportional => BASELINE_PROPORTIONAL,
            Self::RemoteFirst => REMOTE_FIRST,
            Self::MaxMin => MAX_MIN,
            Self::Proportional => PROPORTIONAL,
            Self::RequestFraction => REQUEST_FRACTION,
            Self::Ecm => ECM,
        }
    }

    /// The parameters that the model uses.
    pub fn parameters(self) -> impl Iterator<Item = Parameter> {
        Parameter::ALL.into_iter().filter(move |parameter| parameter.is_used_by(self))
    }
}

const BASELINE_PROPORTIONAL: About = About {
    kind: ModelKind::BaselineProportional,
    summary: "The default. A controller serves the threads of its own node and each incoming link as equals, so that a \
              node's own threads keep at least B / (1 + nodes that read from outside) if they want it. Inside such a \
              port, the paper's split applies: each core is entitled to an equal part, and the part that some do not \
              need goes to the others in proportion to their remaining demand. Bandwidth that remains unused is \
              distributed again.",
    formula: &[
        "ports of m: its own threads, asking for sum d, and each link, asking for min(sum d, link)",
        "port gets G = min(asks, L) with the level L such that the controller is used up",
        "inside a port: baseline b = G / cores of the node where the threads run",
        "g_i = min(d_i, b) + (d_i - min(d_i, b)) x min(1, (G - sum min(d, b)) / sum (d - min(d, b)))",
        "bandwidth of a thread = min over its memories of g / fraction; then again with what is left",
    ],
    assumptions: "A controller takes turns among its sources, not among threads. Every core is entitled to its part \
                  even if its neighbours demand much more.",
    limits: "A link with one reader gets as much as a link with twenty. A hard corner at saturation, unless \
             saturation_knee is set.",
    source: "The split: Dokulil and Benkner, section III-A; the ports and the rounds are ours. All published figures \
             of the paper are tests: its links demand less than an equal part, so that remote-first gives the same \
             results there.",
};

const REMOTE_FIRST: About = About {
    kind: ModelKind::RemoteFirst,
    summary: "The paper's literal rule. Remote readers are served first, each link up to its bandwidth. The rest of \
              the controller goes to the node's own threads, by the same split as in the default. There is one round: \
              bandwidth that a thread is granted and cannot use stays unused.",
    formula: &[
        "link n->m gets r_n = min(sum of d on it, link), all times B / sum r if that is below 1",
        "R = B - sum r (own threads) or r_n (a link); baseline b = R / cores of the node",
        "g_i = min(d_i, b) + (d_i - min(d_i, b)) x min(1, (R - sum min(d, b)) / sum (d - min(d, b)))",
        "bandwidth of a thread = min over its memories of g / fraction",
    ],
    assumptions: "Controllers prefer requests from outside. Links are narrow compared with controllers, and data has \
                  one home.",
    limits: "If links are as wide as controllers, remote readers leave nothing for a node's own threads, and an \
             interleaved application gets nothing even alone (the program warns).",
    source: "Dokulil and Benkner, section III-A; all published figures are tests. The default of earlier versions.",
};

const MAX_MIN: About = About {
    kind: ModelKind::MaxMin,
    summary: "All threads' rates rise together. A thread stops when its demand is met, or when a controller or link \
              that it uses is full; the others continue. No thread could get more without taking it from a thread that \
              has no more.",
    formula: &[
        "raise the level L; rate_i = min(D_i, L), D_i = demand of the thread on all memories together",
        "stop all users of controller m when sum rate_i x fraction_im = B_m, of link n->m likewise",
    ],
    assumptions: "Controllers and links serve threads in turn, one request each. A thread with data on several nodes \
                  has one rate and takes no more from any memory than it can process.",
    limits: "Threads count equally wherever they run: many remote readers get more than few local ones.",
    source: "Bertsekas and Gallager, Data Networks, 6.5; SimGrid's default for flows. Checked here against linear \
             programs on random networks.",
};

const PROPORTIONAL: About = About {
    kind: ModelKind::Proportional,
    summary: "A full link or controller serves every thread the same fraction of its demand.",
    formula: &[
        "link n->m: part s_n = min(1, link / sum of d on it)",
        "controller m: part c = min(1, B / (sum of own d + sum of s_n x d of links))",
        "g = c x d (own), c x s_n x d (link); bandwidth of a thread = min over its memories of g / fraction",
    ],
    assumptions: "Requests are served in the order of arrival, and a thread has a number of requests under way in \
                  proportion to its demand.",
    limits: "The demand of a thread counts in full even if it exceeds the controller's bandwidth; a ceiling \
             (core_local_gbs or outstanding_lines) makes that realistic. Light threads lose the same fraction as heavy \
             ones.",
    source: "The simplest rule that leaves no bandwidth unused; it serves as a reference for the others.",
};

const REQUEST_FRACTION: About = About {
    kind: ModelKind::RequestFraction,
    summary: "Threads share a saturated controller in proportion to the fraction of it that each would use alone (its \
              request fraction). Light threads also lose.",
    formula: &[
        "f_i = min(d_i, B) / B; if sum f <= 1: g_i = min(d_i, B)",
        "else g_i = B x f_i / sum f",
        "links first, by the same rule with the link's bandwidth instead of B; the result counts as d at B",
    ],
    assumptions: "One saturated bandwidth for all applications on a controller; threads do not know of each other.",
    limits: "d should be the bandwidth that one thread really draws alone: set core_local_gbs or outstanding_lines. \
             The source is about one NUMA domain; links are our extension.",
    source: "Afzal, Hager, Wellein (arXiv 2011.00243, CCPE 2022). Inputs and error (below 8 %) checked with the \
             abstract only; neither the closed form of the share nor the cases below saturation and with different \
             saturated bandwidths were checked with the full text.",
};

const ECM: About = About {
    kind: ModelKind::Ecm,
    summary: "Recommended for predictions of real machines, with measured penalties if there are any. Every byte waits \
              the same time at a busy controller, and so at a busy link. Threads that compute much between requests \
              lose little, fast threads lose much; the curve bends before it saturates.",
    formula: &[
        "g_i = 1 / (1/d_i + w), over a link 1 / (1/d_i + w_link + w), w in ns per byte",
        "w alone would give S: w = (N - 1) x (S / B) x ecm_penalty / B",
        "sum of all g: (S^-8 + B^-8)^(-1/8); with ecm_penalty 0 and for one thread min(sum d, B)",
        "w_link, and waits for read_gbs and l3_read_gbs: that for B, its threads for N; all together",
        "data on several memories: 1/d + sum of fraction x (w_link + w)",
        "outstanding_lines c of an application: w x C / c, C = core_bandwidth_gbs x latency / 64",
        "a link on a [[machine.shared_link]]: at most what the others on it leave (max-min)",
        "n equal threads, far below: T(n) = (T + sqrt(T^2 + 4 n (n - 1) p0 T_mem)) / 2",
    ],
    assumptions: "A thread has a fixed number of requests under way and waits for them; controllers and links serve in \
                  order of arrival.",
    limits: "No curve of equal threads falls: where all cores have less than some of them, it says too much. N counts \
             threads that want less than B / cores in part, which is ours. Links that share a wire wait each for what \
             the others leave of it, not for the others' threads.",
    source: "Execution-Cache-Memory model (P(n) = min(n P1, B) checked with Kerncraft's source); soft knee after \
             Hofmann, Hager, Fey (arXiv 1803.01618), not checked with the full text; for unequal threads and links our \
             extension, by two readers of a memory of an Opteron.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_description_under_its_name() {
        for kind in ModelKind::ALL {
            let about = kind.about();
            assert_eq!(about.kind, kind);
            assert!(!about.formula.is_empty());
            assert!(kind.parameters().any(|parameter| parameter == Parameter::SaturationKnee));
        }
    }
}

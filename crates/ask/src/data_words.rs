//! Where data lies, in words for people.

use numasim_draw::figures;
use numasim_model::{Machine, NodeId, Placement};

/// `local`, `all on node 0`, `50 % on node 0, the rest local`: beside the word "data".
pub fn brief(placement: &Placement) -> String {
    const REST: &str = "the rest local";
    match placement {
        Placement::Local => "local".to_owned(),
        Placement::Home(home) => format!("all on {home}"),
        Placement::Interleave => "on all nodes".to_owned(),
        Placement::Replicated => "a copy on each of its nodes".to_owned(),
        Placement::PartHome { home, share } => format!("{} on {home}, {REST}", figures::percent(*share)),
        Placement::PartInterleave { share } => format!("{} on all nodes, {REST}", figures::percent(*share)),
        Placement::Fractions(parts) => {
            let parts = parts.iter().enumerate().filter(|(_, part)| **part > 0.0);
            let parts = parts.map(|(node, part)| format!("{} on node {node}", figures::percent(*part)));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// `local data`, `all data on node 0`, `50 % of the data on node 0`: in a sentence about an application.
pub fn phrase(placement: &Placement) -> String {
    match placement {
        Placement::Local => "local data".to_owned(),
        Placement::Home(home) => format!("all data on {home}"),
        Placement::Interleave => "data on all nodes".to_owned(),
        Placement::Replicated => "replicated data".to_owned(),
        Placement::PartHome { home, share } => format!("{} of the data on {home}", figures::percent(*share)),
        Placement::PartInterleave { share } => {
            format!("{} of the data on all nodes", figures::percent(*share))
        }
        Placement::Fractions(_) => "data on several nodes".to_owned(),
    }
}

/// The part of the data that lies on `node` for a reason of its own, and not because threads run there; `None` where
/// there is none, or where it is the same on every node.
pub fn part_on(placement: &Placement, machine: &Machine, node: NodeId) -> Option<f64> {
    let part = match placement {
        Placement::Local
        | Placement::Interleave
        | Placement::PartInterleave { .. }
        | Placement::Replicated => return None,
        Placement::PartHome { home, share } => {
            if *home == node {
                *share
            } else {
                0.0
            }
        }
        Placement::Home(_) | Placement::Fractions(_) => placement.fraction(machine, node, node),
    };
    (part > 0.0).then_some(part)
}

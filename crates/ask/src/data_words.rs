//! Data placement, in words for people.

use numasim_draw::figures;
use numasim_model::{Data, Machine, NodeId, Placement};

/// `local`, `all on node 0`, `50 % on node 0, the rest local`: next to the word "data".
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

/// `data on 3`, `data 12/16 on 0, 4/16 on 1`: the choice of `explore`, in short; `None` for data that is placed in another way.
pub fn chosen(placement: &Placement) -> Option<String> {
    match placement {
        Placement::Home(home) | Placement::PartHome { home, .. } => Some(format!("data on {}", home.0)),
        Placement::Fractions(fractions) => {
            let parts = fractions.iter().map(|fraction| fraction * f64::from(Data::STEPS)).enumerate();
            let parts = parts.filter(|(_, parts)| *parts > 0.0);
            let words =
                parts.map(|(node, parts)| format!("{}/{} on {node}", figures::short(parts), Data::STEPS));
            Some(format!("data {}", words.collect::<Vec<_>>().join(", ")))
        }
        Placement::Local
        | Placement::Interleave
        | Placement::Replicated
        | Placement::PartInterleave { .. } => None,
    }
}

/// `0.75 0.25`: the fractions on all nodes; `None` for other data.
pub fn fractions(placement: &Placement) -> Option<String> {
    let Placement::Fractions(fractions) = placement else { return None };
    Some(fractions.iter().map(f64::to_string).collect::<Vec<_>>().join(" "))
}

/// The part of the data that is on `node` for a specific reason, and not because threads run there; `None` if there is none, or if it is
/// the same on every node.
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

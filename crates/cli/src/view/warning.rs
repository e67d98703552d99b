//! What a reader should know before trusting a result.

use numasim_model::evaluation::Warning;

use super::figures::single;

/// The warning in a few plain sentences.
pub(crate) fn sentence(warning: &Warning) -> String {
    match warning {
        Warning::StarvedByRemote { node, wanted, left, equal_part, readers } => {
            let (remote, s) = if *readers == 1 { ("1 other node", "s") } else { (&*format!("{readers} other nodes"), "") };
            format!(
                "remote reads leave the threads of {node} {left} GB/s of their own memory; they want {wanted} GB/s, \
                 and an equal part would be {equal} GB/s. {remote} read{s} it, and this model serves remote reads \
                 first (the paper's rule, which can leave local threads with nothing where links are wide). Real \
                 controllers are fairer, so take these figures with care; no other sharing model is built in yet.",
                left = single(left.value()),
                wanted = single(wanted.value()),
                equal = single(equal_part.value()),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numasim_model::NodeId;
    use numasim_model::units::GigabytesPerSecond as Gbs;

    #[test]
    fn starvation_is_told_with_its_figures_and_the_rule_behind_it() {
        let text = sentence(&Warning::StarvedByRemote {
            node: NodeId(0),
            wanted: Gbs::new(40.0),
            left: Gbs::new(0.0),
            equal_part: Gbs::new(8.0),
            readers: 3,
        });
        assert!(text.starts_with("remote reads leave the threads of node 0 0.0 GB/s of their own memory;"), "{text}");
        assert!(text.contains("3 other nodes read it"), "{text}");
        assert!(text.ends_with("no other sharing model is built in yet."), "{text}");
    }
}

//! How blocks are dealt to nodes before anything is known of tasks: the "pre-defined data distribution pattern" of paper 000, section II.

/// A distribution pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Consecutive block classes on one node, as many on each.
    #[default]
    Block,
    /// One after the other, node by node.
    Cyclic,
    /// Where the programmer wants them.
    Hints,
}

impl Pattern {
    /// All, in the order in which they are listed to people.
    pub const ALL: [Self; 3] = [Self::Block, Self::Cyclic, Self::Hints];

    /// The word for it in files and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Cyclic => "cyclic",
            Self::Hints => "hints",
        }
    }

    /// The node of class `number` of `count` on so many nodes; `hint` is what the programmer wants.
    pub(crate) fn node(self, number: usize, count: usize, nodes: usize, hint: usize) -> usize {
        match self {
            // Classes and nodes are counted in memory: their product fits into 128 bits.
            Self::Block => {
                let place = number as u128 * nodes as u128 / count.max(1) as u128;
                usize::try_from(place).unwrap_or(usize::MAX)
            }
            Self::Cyclic => number % nodes.max(1),
            Self::Hints => hint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dealt(pattern: Pattern, count: usize, nodes: usize) -> Vec<usize> {
        (0..count).map(|number| pattern.node(number, count, nodes, 9)).collect()
    }

    #[test]
    fn blocks_are_consecutive_and_cyclic_ones_take_turns() {
        // floor(7 k / 3): 0 0 0 1 1 2 2
        assert_eq!(dealt(Pattern::Block, 7, 3), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(dealt(Pattern::Cyclic, 7, 3), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(dealt(Pattern::Hints, 2, 3), [9, 9]);
        assert_eq!(dealt(Pattern::Block, 2, 4), [0, 2]);
    }
}

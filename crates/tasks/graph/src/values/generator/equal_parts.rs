//! What programs deal into equal parts.

use super::Generator;

/// Something that must be dealt into equal parts and cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indivisible {
    /// The key of what is dealt.
    pub whole: &'static str,
    /// Its value.
    pub value: u64,
    /// The key of what says into how many parts.
    pub parts: &'static str,
    /// How many these are: of `strips` those of all blocks.
    pub count: u64,
}

impl Generator {
    /// What should be dealt into equal parts and cannot be; nothing of what the machine has yet to say.
    pub fn indivisible(&self) -> Option<Indivisible> {
        let dealt = |whole, value: u64, parts, count: u64| {
            let left = value.checked_rem(count) != Some(0);
            left.then_some(Indivisible { whole, value, parts, count })
        };
        match *self {
            Self::Jacobi { blocks, rows, .. } | Self::Cg { blocks, rows, .. } => {
                dealt("rows", rows, "blocks", blocks)
            }
            Self::Stencil2d { n, rows, columns, .. } => {
                dealt("n", n, "rows", rows).or_else(|| dealt("n", n, "columns", columns))
            }
            Self::Seismic { n, blocks: Some(blocks), strips: Some(strips), .. } => {
                dealt("n", n, "strips", blocks.saturating_mul(strips))
            }
            _ => None,
        }
    }
}

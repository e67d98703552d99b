//! What a kernel must have computed, found on another way: element by element from the number of blocks done.

use numasim_model::Access;

use super::body::Sums;
use super::cursor::{Cursor, factors};
use super::shape::{Extra, LINE, Layout, Shape};

/// A kernel did not compute what it must.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrongResult {
    /// An element has a wrong value.
    #[error("element {index} of the data is {found} instead of {expected} after {blocks} blocks")]
    Element {
        /// Its place.
        index: usize,
        /// What it is.
        found: f64,
        /// What it must be.
        expected: f64,
        /// How many blocks the kernel worked on.
        blocks: u64,
    },
    /// The data are right, but not what was computed from them.
    #[error(
        "the sum over {blocks} blocks is {} instead of {}, their exclusive or {:#x} instead of {:#x}",
        found.0, expected.0, found.1, expected.1
    )]
    Checksum {
        /// What the kernel returned: sum, exclusive or.
        found: (u64, u64),
        /// What it must be.
        expected: (u64, u64),
        /// How many blocks the kernel worked on.
        blocks: u64,
    },
}

/// The initial value of an element that is read: a whole number from 1 to 8, scattered.
pub(super) fn initial(index: usize) -> f64 {
    // Multiplicative hashing by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4); the lower half of the
    // index is enough.
    #[allow(clippy::cast_possible_truncation)]
    let scattered = (index as u32).wrapping_mul(0x9E37_79B1) >> 29;
    f64::from(scattered + 1)
}

/// See [`super::PreparedKernel::check`].
pub(super) fn check(
    access: Access,
    shape: Shape,
    together: usize,
    extra: Extra,
    data: &[f64],
    cursor: &Cursor,
) -> Result<(), WrongResult> {
    let stride = cursor.blocks * shape.block_stride();
    let layout = Layout::new(shape, together, cursor.blocks);
    let mut expected = Sums::default();
    for (index, &found) in data.iter().enumerate() {
        let (stream, block, within) = layout.of(index);
        let line = within / LINE;
        let visits = if stream < shape.streams() {
            cursor.passes + u64::from(block < cursor.at)
        } else {
            0 // what is left over
        };
        let value = element(access, index, stride, visits, shape);
        if found.to_bits() != value.to_bits() {
            let blocks = cursor.blocks_done();
            return Err(WrongResult::Element { index, found, expected: value, blocks });
        }
        if stream >= shape.written && visits > 0 {
            let operand = line * shape.read + stream - shape.written;
            let operations = extra.operations_on(operand, shape.operands()) as u64;
            let added = operations.wrapping_mul(operand_total(access, index, visits));
            expected.sum = expected.sum.wrapping_add(added);
            let combined = access == Access::Read && extra.is_sparse() && operations == 0;
            if combined && visits % 2 == 1 {
                expected.xor ^= found.to_bits();
            }
        }
    }
    if expected == cursor.sums {
        return Ok(());
    }
    Err(WrongResult::Checksum {
        found: (cursor.sums.sum, cursor.sums.xor),
        expected: (expected.sum, expected.xor),
        blocks: cursor.blocks_done(),
    })
}

/// The value of an element after its block was worked on `visits` times.
fn element(access: Access, index: usize, stride: usize, visits: u64, shape: Shape) -> f64 {
    let written = index < shape.written * stride;
    match access {
        Access::Update if visits % 2 == 1 => initial(index) * factors(access)[0],
        Access::Copy | Access::Triad if written && visits == 0 => 0.0,
        Access::Copy if written => initial(index + shape.written * stride),
        Access::Triad if written => {
            // The last visit was the first pass, the third, ...: an odd number of visits.
            let factor = factors(access)[usize::from(visits.is_multiple_of(2))];
            let (b, c) = (shape.written * stride, (shape.written + shape.read / 2) * stride);
            initial(index + b) + factor * initial(index + c)
        }
        _ => initial(index),
    }
}

/// The sum of the values with which an element was an operand in `visits` visits.
fn operand_total(access: Access, index: usize, visits: u64) -> u64 {
    // A whole number from 1 to 8.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let initial = initial(index) as u64;
    if access == Access::Update {
        // The operand is the new value: twice the initial one in the first pass, that one again in the second.
        initial * (2 * visits.div_ceil(2) + visits / 2)
    } else {
        initial * visits
    }
}

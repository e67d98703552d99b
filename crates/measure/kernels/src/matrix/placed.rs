//! A matrix and its vectors in memory: the kernel that dense and sparse matrices have in common.

use super::split::{Split, SplitMut};
use super::vectors::Vectors;
use crate::array::AccessError;
use crate::isa::Isa;
use crate::kernel::{Kernel, Work, WrongResult, common_steps};
use crate::way::Loops;

/// A matrix whose rows belong to the parts of a team.
pub(super) trait Matrix: Send + Sync {
    /// Writes the rows of a part.
    fn prepare(&self, part: usize) -> Result<(), AccessError>;
    /// The rows of a part times a vector.
    fn multiply(&self, loops: Loops, part: usize, x: Split<'_>, y: SplitMut<'_>) -> Result<(), AccessError>;
    /// Compares the rows of a part with what they must be.
    fn check(&self, part: usize) -> Result<(), WrongResult>;
    /// The work of a call for a part.
    fn work(&self, part: usize) -> Work;
}

/// A matrix with vectors.
pub(super) struct Placed<'m, M> {
    pub(super) loops: Loops,
    pub(super) matrix: M,
    pub(super) vectors: Vectors<'m>,
}

impl<M: Matrix> Kernel for Placed<'_, M> {
    fn parts(&self) -> usize {
        self.vectors.division().parts()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        self.vectors.prepare(part)?;
        self.matrix.prepare(part)
    }

    fn in_lockstep(&self) -> bool {
        true
    }

    fn run(&self, part: usize, step: u64) -> Result<(), AccessError> {
        let (x, mut y) = (self.vectors.read(step)?, self.vectors.write(step, part)?);
        self.matrix.multiply(self.loops, part, x.split(), y.split())
    }

    fn work(&self, part: usize) -> Work {
        self.matrix.work(part)
    }

    /// Calls depend on each other: the first part does them again alone.
    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        let steps = common_steps(steps)?;
        self.matrix.check(part)?;
        if part > 0 {
            return Ok(());
        }
        let division = self.vectors.division();
        self.vectors.check(steps, |x, y| {
            let SplitMut { re, im } = y;
            (0..self.parts()).try_for_each(|part| {
                let rows = division.range(part);
                let own =
                    (re.get_mut(rows.clone()).unwrap_or_default(), im.get_mut(rows).unwrap_or_default());
                self.matrix.multiply(Isa::Portable.into(), part, x, SplitMut { re: own.0, im: own.1 })
            })
        })
    }
}

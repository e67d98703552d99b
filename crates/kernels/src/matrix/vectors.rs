//! The vectors of a problem: each call reads what the one before wrote.

use super::split::{Split, SplitMut};
use crate::array::{AccessError, Array, Reading, Writing};
use crate::fill::number;
use crate::kernel::{Lies, Need, SetupError, WrongResult, compare};
use crate::team::Division;

/// Calls of a run of the problem: y = A x and x = A y in turn, ten times. After them it begins anew with the first vector, so that numbers neither grow
/// nor vanish however long it is repeated, and a serial run is as long.
pub const CALLS: u64 = 20;

/// The first one, and two that are written in turn.
const VECTORS: usize = 3;
/// Real and imaginary parts of each.
pub(super) const ARRAYS: usize = 2 * VECTORS;

/// Three vectors.
#[derive(Debug)]
pub(super) struct Vectors<'m> {
    re: [Array<'m, f64>; VECTORS],
    im: [Array<'m, f64>; VECTORS],
}

/// A vector that is read.
pub(super) struct Whole<'a> {
    re: Reading<'a, f64>,
    im: Reading<'a, f64>,
}

impl Whole<'_> {
    pub(super) fn split(&self) -> Split<'_> {
        Split { re: &self.re, im: &self.im }
    }
}

/// A part of one that is written.
pub(super) struct Part<'a> {
    re: Writing<'a, f64>,
    im: Writing<'a, f64>,
}

impl Part<'_> {
    pub(super) fn split(&mut self) -> SplitMut<'_> {
        SplitMut { re: &mut self.re, im: &mut self.im }
    }
}

/// The number of a call in its run, and the vectors that it reads and writes.
fn call(step: u64) -> (u64, usize, usize) {
    let number = step % CALLS;
    let even = number.is_multiple_of(2);
    (number, if number == 0 { 0 } else { 1 + usize::from(even) }, if even { 1 } else { 2 })
}

/// What the first vector begins with.
fn first(row: usize) -> (f64, f64) {
    // Columns that no matrix has.
    (number(row, usize::MAX), number(row, usize::MAX - 1))
}

impl<'m> Vectors<'m> {
    /// The memory of vectors whose rows are divided like this.
    pub(super) fn needs(rows: &Division) -> impl Iterator<Item = Need> {
        let (bytes, lies) = (8 * rows.len(), Lies::Divided(rows.times(8)));
        (0..ARRAYS).map(move |_| Need::new("elements of vectors", bytes, lies.clone()))
    }

    /// On six arrays.
    pub(super) fn new(rows: &Division, memory: [&'m mut [f64]; ARRAYS]) -> Result<Self, SetupError> {
        let [a, b, c, d, e, f] = memory;
        let array = |memory| Array::new("elements of vectors", memory, rows.clone());
        Ok(Self { re: [array(a)?, array(c)?, array(e)?], im: [array(b)?, array(d)?, array(f)?] })
    }

    pub(super) fn division(&self) -> &Division {
        let [first, ..] = &self.re;
        first.division()
    }

    pub(super) fn prepare(&self, part: usize) -> Result<(), AccessError> {
        for (vector, (re, im)) in self.re.iter().zip(&self.im).enumerate() {
            let (mut re, mut im) = (re.write(part)?, im.write(part)?);
            for ((row, re), im) in self.division().range(part).zip(re.iter_mut()).zip(im.iter_mut()) {
                (*re, *im) = if vector == 0 { first(row) } else { (0.0, 0.0) };
            }
        }
        Ok(())
    }

    /// What a step reads.
    pub(super) fn read(&self, step: u64) -> Result<Whole<'_>, AccessError> {
        self.whole(call(step).1)
    }

    /// The part that a step writes.
    pub(super) fn write(&self, step: u64, part: usize) -> Result<Part<'_>, AccessError> {
        let written = call(step).2;
        // One of three.
        Ok(Part { re: self.re[written].write(part)?, im: self.im[written].write(part)? })
    }

    fn whole(&self, vector: usize) -> Result<Whole<'_>, AccessError> {
        // One of three.
        Ok(Whole { re: self.re[vector].read()?, im: self.im[vector].read()? })
    }

    /// Compares with the calls of the last run that were made, done again by `multiply`.
    pub(super) fn check(
        &self,
        steps: u64,
        multiply: impl Fn(Split<'_>, SplitMut<'_>) -> Result<(), AccessError>,
    ) -> Result<(), WrongResult> {
        let rows = self.division().len();
        let (first_re, first_im): (Vec<f64>, Vec<f64>) = (0..rows).map(first).unzip();
        let same = |vector: usize, re: &[f64], im: &[f64]| {
            let found = self.whole(vector)?;
            compare("real parts of a vector", found.re.iter().copied(), re.iter().copied())?;
            compare("imaginary parts of a vector", found.im.iter().copied(), im.iter().copied())
        };
        same(0, &first_re, &first_im)?;
        let Some(last) = steps.checked_sub(1) else { return Ok(()) };
        let calls = call(last).0 + 1;
        let mut x = (first_re, first_im);
        let mut y = (vec![0.0; rows], vec![0.0; rows]);
        for number in 0..calls {
            multiply(Split { re: &x.0, im: &x.1 }, SplitMut { re: &mut y.0, im: &mut y.1 })?;
            // What the last two calls wrote is still there.
            if number + 2 >= calls {
                same(call(number).2, &y.0, &y.1)?;
            }
            std::mem::swap(&mut x, &mut y);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_take_turns_and_begin_anew() {
        assert_eq!([0, 1, 2, 3].map(call), [(0, 0, 1), (1, 1, 2), (2, 2, 1), (3, 1, 2)]);
        assert_eq!([CALLS - 1, CALLS, CALLS + 1].map(call), [(19, 1, 2), (0, 0, 1), (1, 1, 2)]);
    }
}

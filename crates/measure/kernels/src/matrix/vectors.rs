//! The vectors of a problem: each call reads the output of the previous one.

use super::dense::{Split, SplitMut};
use crate::array::{AccessError, Array, Reading, Writing};
use crate::fill::{Turn, number};
use crate::kernel::{Lies, Need, SetupError, WrongResult, compare};
use crate::team::Division;

/// Calls of a run of the problem: y = A x and x = A y in turn, ten times. After them it starts again with the first vector.
pub const CALLS: u64 = 20;

/// The first one, and two that are written in turn.
pub(super) const VECTORS: usize = 3;
/// Real and imaginary parts of each.
pub(super) const ARRAYS: usize = 2 * VECTORS;
/// Their contents.
const WHAT: &str = "elements of vectors";

/// Three vectors; those of real numbers have no imaginary parts.
#[derive(Debug)]
pub(super) struct Vectors<'m> {
    re: [Array<'m, f64>; VECTORS],
    im: Option<[Array<'m, f64>; VECTORS]>,
}

/// A vector that is read.
pub(super) struct Whole<'a> {
    re: Reading<'a, f64>,
    im: Option<Reading<'a, f64>>,
}

impl Whole<'_> {
    pub(super) fn split(&self) -> Split<'_> {
        Split { re: &self.re, im: self.im.as_deref().unwrap_or_default() }
    }
}

/// A part of one that is written.
pub(super) struct Part<'a> {
    re: Writing<'a, f64>,
    im: Option<Writing<'a, f64>>,
}

impl Part<'_> {
    pub(super) fn split(&mut self) -> SplitMut<'_> {
        SplitMut { re: &mut self.re, im: self.im.as_deref_mut().unwrap_or_default() }
    }
}

/// The initial value of the first vector.
fn first(row: usize) -> (f64, f64) {
    // Columns beyond those of any matrix.
    (number(row, usize::MAX), number(row, usize::MAX - 1))
}

/// Three arrays.
fn arrays<'m>(
    rows: &Division,
    memory: [&'m mut [f64]; VECTORS],
) -> Result<[Array<'m, f64>; VECTORS], SetupError> {
    let [a, b, c] = memory;
    let array = |memory| Array::new(WHAT, memory, rows.clone());
    Ok([array(a)?, array(b)?, array(c)?])
}

impl<'m> Vectors<'m> {
    /// The memory of vectors whose rows are divided like this.
    pub(super) fn needs(rows: &Division) -> impl Iterator<Item = Need> {
        Self::real_needs(rows).chain(Self::real_needs(rows))
    }

    /// The same of real numbers.
    pub(super) fn real_needs(rows: &Division) -> impl Iterator<Item = Need> + use<> {
        let (bytes, lies) = (8 * rows.len(), Lies::Divided(rows.times(8)));
        (0..VECTORS).map(move |_| Need::new(WHAT, bytes, lies.clone()))
    }

    /// On six arrays.
    pub(super) fn new(rows: &Division, memory: [&'m mut [f64]; ARRAYS]) -> Result<Self, SetupError> {
        let [a, b, c, d, e, f] = memory;
        Ok(Self { re: arrays(rows, [a, c, e])?, im: Some(arrays(rows, [b, d, f])?) })
    }

    /// Vectors of real numbers, on three arrays.
    pub(super) fn real(rows: &Division, memory: [&'m mut [f64]; VECTORS]) -> Result<Self, SetupError> {
        Ok(Self { re: arrays(rows, memory)?, im: None })
    }

    pub(super) fn division(&self) -> &Division {
        let [first, ..] = &self.re;
        first.division()
    }

    pub(super) fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let begin = |arrays: &[Array<'m, f64>; VECTORS], number: fn(usize) -> f64| {
            let [first, written @ ..] = arrays;
            let mut own = first.write(part)?;
            self.division().range(part).zip(own.iter_mut()).for_each(|(row, to)| *to = number(row));
            for array in written {
                array.write(part)?.fill(0.0);
            }
            Ok(())
        };
        begin(&self.re, |row| first(row).0)?;
        self.im.as_ref().map_or(Ok(()), |im| begin(im, |row| first(row).1))
    }

    /// The vector that a step reads.
    pub(super) fn read(&self, step: u64) -> Result<Whole<'_>, AccessError> {
        self.whole(Turn::of(step, CALLS).read)
    }

    /// The part that a step writes.
    pub(super) fn write(&self, step: u64, part: usize) -> Result<Part<'_>, AccessError> {
        let Turn { written, .. } = Turn::of(step, CALLS);
        // One of three.
        let im = self.im.as_ref().map(|im| im[written].write(part)).transpose()?;
        Ok(Part { re: self.re[written].write(part)?, im })
    }

    fn whole(&self, vector: usize) -> Result<Whole<'_>, AccessError> {
        // One of three.
        let im = self.im.as_ref().map(|im| im[vector].read()).transpose()?;
        Ok(Whole { re: self.re[vector].read()?, im })
    }

    /// Compares with the calls of the last run, repeated by `multiply`.
    pub(super) fn check(
        &self,
        steps: u64,
        multiply: impl Fn(Split<'_>, SplitMut<'_>) -> Result<(), AccessError>,
    ) -> Result<(), WrongResult> {
        let rows = self.division().len();
        let (first_re, mut first_im): (Vec<f64>, Vec<f64>) = (0..rows).map(first).unzip();
        if self.im.is_none() {
            first_im.clear();
        }
        let same = |vector: usize, re: &[f64], im: &[f64]| {
            let found = self.whole(vector)?;
            compare("real parts of a vector", found.re.iter().copied(), re.iter().copied())?;
            compare("imaginary parts of a vector", found.split().im.iter().copied(), im.iter().copied())
        };
        same(0, &first_re, &first_im)?;
        let Some(last) = steps.checked_sub(1) else { return Ok(()) };
        let calls = Turn::of(last, CALLS).number + 1;
        let mut y = (vec![0.0; rows], vec![0.0; first_im.len()]);
        let mut x = (first_re, first_im);
        for number in 0..calls {
            multiply(Split { re: &x.0, im: &x.1 }, SplitMut { re: &mut y.0, im: &mut y.1 })?;
            // The output of the last two calls still exists.
            if number + 2 >= calls {
                same(Turn::of(number, CALLS).written, &y.0, &y.1)?;
            }
            std::mem::swap(&mut x, &mut y);
        }
        Ok(())
    }
}

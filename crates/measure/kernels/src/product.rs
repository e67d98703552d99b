//! C += alpha A B, for any strides of A and B: the one product on which all dense kernels are built.
//!
//! A and B are copied into panels first (Goto, van de Geijn 2008), so that the innermost loop reads memory in order: a panel of B stays in
//! the first-level cache, a block of A in the second-level one.

// The functions of vectors need this; their requirements are checked before.
#![allow(unsafe_code)]

use crate::loops::Isa;
use crate::simd::{LINE, Vector, dispatch};

/// Steps of a panel: 8 columns x 256 steps are 16 KiB.
const STEPS: usize = 256;
/// Rows of A at a time: with 256 steps 256 KiB.
const ROWS_AT_A_TIME: usize = 128;

/// A matrix somewhere in a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    /// Starts with the first element.
    pub(crate) data: &'a [f64],
    /// Distance from one row to the next.
    pub(crate) row: usize,
    /// Distance from one column to the next.
    pub(crate) column: usize,
}

impl<'a> Matrix<'a> {
    /// Row by row, with this distance in elements from one row to the next.
    pub(crate) fn rows(data: &'a [f64], row: usize) -> Self {
        Self { data, row, column: 1 }
    }

    /// Swaps rows and columns.
    pub(crate) fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }

    /// The part that starts at that row and column; empty behind the end.
    fn from(self, row: usize, column: usize) -> Self {
        let place = row * self.row + column * self.column;
        Self { data: self.data.get(place..).unwrap_or_default(), ..self }
    }
}

/// Rows, columns and steps (the sums' lengths) of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) steps: usize,
}

/// Buffers for panels, reused by the next product.
#[derive(Clone, Debug)]
pub(crate) struct Panels {
    pub(crate) vectors: Vectors,
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Panels {
    /// Empty buffers.
    pub(crate) fn new() -> Self {
        Self { vectors: Vectors::of_this_processor(), a: Vec::new(), b: Vec::new() }
    }

    /// C += alpha A B; C is stored row by row, with `stride` elements from one row to the next.
    pub(crate) fn multiply_add(
        &mut self,
        size: Size,
        (alpha, a, b): (f64, Matrix<'_>, Matrix<'_>),
        (c, stride): (&mut [f64], usize),
    ) {
        let Size { rows, columns, steps } = size;
        for step in (0..steps).step_by(STEPS) {
            let steps = STEPS.min(steps - step);
            pack::<COLUMNS>(b.transposed().from(0, step), (columns, steps), &mut self.b);
            for row in (0..rows).step_by(ROWS_AT_A_TIME) {
                let rows = ROWS_AT_A_TIME.min(rows - row);
                pack::<ROWS>(a.from(row, step), (rows, steps), &mut self.a);
                let c = c.get_mut(row * stride..).unwrap_or_default();
                self.blocks((rows, columns, steps), alpha, (c, stride));
            }
        }
    }

    /// Adds the products of all panels.
    fn blocks(
        &self,
        (rows, columns, steps): (usize, usize, usize),
        alpha: f64,
        (c, stride): (&mut [f64], usize),
    ) {
        let b = self.b.chunks_exact((COLUMNS * steps).max(1));
        for (column, b) in (0..columns).step_by(COLUMNS).zip(b) {
            let width = COLUMNS.min(columns - column);
            let a = self.a.chunks_exact((ROWS * steps).max(1));
            for (row, a) in (0..rows).step_by(ROWS).zip(a) {
                let block = self.vectors.product(a, b);
                for (row, sums) in (row..rows).zip(&block) {
                    let place = row * stride + column;
                    let c = c.get_mut(place..place + width).unwrap_or_default();
                    for (c, sum) in c.iter_mut().zip(sums) {
                        *c += alpha * sum;
                    }
                }
            }
        }
    }
}

/// Copies a matrix in panels of `WIDTH` rows, each step by step; missing rows of the last panel are 0.
fn pack<const WIDTH: usize>(matrix: Matrix<'_>, (rows, steps): (usize, usize), panels: &mut Vec<f64>) {
    panels.resize(rows.div_ceil(WIDTH) * WIDTH * steps, 0.0);
    let panels = panels.chunks_exact_mut((WIDTH * steps).max(1));
    for (row, panel) in (0..rows).step_by(WIDTH).zip(panels) {
        let (panel, _) = panel.as_chunks_mut::<WIDTH>();
        let height = WIDTH.min(rows - row);
        if height < WIDTH {
            panel.as_flattened_mut().fill(0.0);
        }
        if matrix.row == 1 {
            for (step, to) in panel.iter_mut().enumerate() {
                let from = matrix.from(row, step).data;
                for (to, &from) in to.iter_mut().zip(from.iter().take(height)) {
                    *to = from;
                }
            }
        } else {
            for place in 0..height {
                let from = matrix.from(row + place, 0).data.iter().step_by(matrix.column);
                for (to, &from) in panel.iter_mut().zip(from) {
                    to[place] = from;
                }
            }
        }
    }
}

// Dense kernels spend nearly all their time in the two loops below. Multiplication and addition are one instruction if the processor has
// it, else two: results may differ in the last bit between processors, never on one.

/// Rows of a block of the product that stays in registers.
pub(crate) const ROWS: usize = 4;
/// Its columns: two vectors of AVX2.
pub(crate) const COLUMNS: usize = 8;

/// A block of a product.
pub(crate) type Block = [[f64; COLUMNS]; ROWS];

/// The code to run: selected once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors(Isa);

impl Vectors {
    /// For this processor; with wider vectors than those of AVX2 the sums of a block would wait for each other.
    pub(crate) fn of_this_processor() -> Self {
        Self(Isa::best().min(Isa::Avx2))
    }

    /// The product of a panel of [`ROWS`] rows and one of [`COLUMNS`] columns, each packed step by step.
    pub(crate) fn product(self, rows: &[f64], columns: &[f64]) -> Block {
        // SAFETY: the processor has the instruction set (`dispatch`).
        dispatch!(self.0, product(rows: &[f64], columns: &[f64]) -> Block)
    }

    /// y += a x.
    pub(crate) fn add(self, a: f64, x: &[f64], y: &mut [f64]) {
        // SAFETY: the processor has the instruction set (`dispatch`).
        dispatch!(self.0, add(a: f64, x: &[f64], y: &mut [f64]));
    }
}

/// # Safety
/// The processor has the instruction set.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
unsafe fn product<L: Vector>(rows: &[f64], columns: &[f64]) -> Block {
    // SAFETY: the caller promises the instruction set; a panel has a vector for each step.
    unsafe {
        let mut sums = [L::splat(0.0); ROWS];
        for (row, column) in rows.as_chunks::<ROWS>().0.iter().zip(columns.as_chunks::<COLUMNS>().0) {
            let column = L::load(column.as_ptr());
            for (sum, &a) in sums.iter_mut().zip(row) {
                *sum = L::splat(a).multiply_add(column, *sum);
            }
        }
        sums.map(|sum| sum.array())
    }
}

/// # Safety
/// The processor has the instruction set.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
unsafe fn add<L: Vector>(a: f64, x: &[f64], y: &mut [f64]) {
    let len = x.len().min(y.len());
    let ((x, last_x), (y, last_y)) = (x[..len].as_chunks::<LINE>(), y[..len].as_chunks_mut::<LINE>());
    // SAFETY: the caller promises the instruction set; each chunk has the length of a vector, and the remainder has this number of
    // elements.
    unsafe {
        let a = L::splat(a);
        for (y, x) in y.iter_mut().zip(x) {
            a.multiply_add(L::load(x.as_ptr()), L::load(y.as_ptr())).store(y.as_mut_ptr());
        }
        let count = len % LINE;
        if count > 0 {
            let (x, own) = (L::load_first(last_x.as_ptr(), count), L::load_first(last_y.as_ptr(), count));
            let sums = a.multiply_add(x, own).array();
            last_y.copy_from_slice(&sums[..count]);
        }
    }
}

/// Buffers for copies of parts of tiles: a worker has one, so that tasks allocate nothing.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) panels: Panels,
    /// The left factor of a product, if it would overlap the part that is changed.
    pub(crate) left: Vec<f64>,
    /// Rows in between.
    pub(crate) rows: Vec<f64>,
}

impl Workspace {
    /// Empty; grows with the first tasks.
    pub fn new() -> Self {
        Self { panels: Panels::new(), left: Vec::new(), rows: Vec::new() }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any whole numbers, so that all sums are exact.
    fn some(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|place| ((place * 7 + seed * 13) % 11) as f64 - 5.0).collect()
    }

    #[test]
    fn products_of_any_size_and_strides_match_three_loops() {
        for (rows, columns, steps) in
            [(1, 1, 1), (4, 8, 3), (5, 9, 300), (130, 17, 2), (3, 20, 257), (0, 3, 3)]
        {
            let (a, b) = (some(rows * steps, 1), some(steps * columns, 2));
            let transposed = |from: &[f64], rows: usize, columns: usize| -> Vec<f64> {
                (0..rows * columns).map(|place| from[place % rows * columns + place / rows]).collect()
            };
            let expected: Vec<f64> = (0..rows * columns)
                .map(|place| {
                    let (i, j) = (place / columns, place % columns);
                    1.0 - 2.0 * (0..steps).map(|k| a[i * steps + k] * b[k * columns + j]).sum::<f64>()
                })
                .collect();
            let (at, bt) = (transposed(&a, rows, steps), transposed(&b, steps, columns));
            for (a, b) in [
                (Matrix::rows(&a, steps), Matrix::rows(&b, columns)),
                (Matrix::rows(&at, rows).transposed(), Matrix::rows(&bt, steps).transposed()),
            ] {
                let mut c = vec![1.0; rows * columns];
                let mut panels = Panels::new();
                panels.multiply_add(Size { rows, columns, steps }, (-2.0, a, b), (&mut c, columns));
                assert_eq!(c, expected, "{rows} x {columns} x {steps}");
            }
        }
    }

    #[test]
    fn rows_may_be_further_apart_than_they_are_long() {
        // [1 2; 3 4] [1; 1] = [3; 7], in the second column of a matrix with three.
        let mut c = vec![0.0; 6];
        let a = Matrix::rows(&[1.0, 2.0, 9.0, 3.0, 4.0, 9.0], 3);
        let b = Matrix::rows(&[1.0, 9.0, 1.0], 2);
        let size = Size { rows: 2, columns: 1, steps: 2 };
        Panels::new().multiply_add(size, (1.0, a, b), (&mut c[1..], 3));
        assert_eq!(c, [0.0, 3.0, 0.0, 0.0, 7.0, 0.0]);
    }
}

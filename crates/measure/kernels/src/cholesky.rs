//! Kernels of tiled Cholesky, A = L L^T, on n x n tiles stored row by row; of tiles on the diagonal only the lower triangle counts.
//!
//! Each consists of blocks of `WIDTH` columns, so that nearly all its work is in products.

use crate::product::{Matrix, Size, Workspace};

/// Columns of a block.
const WIDTH: usize = 32;
/// Columns of a strip of a symmetric product: above the diagonal at most half of it is wasted work.
const STRIP: usize = 64;
/// Rows that are solved at a time: with 32 columns 16 KiB.
const SOLVED: usize = 64;

/// A pivot that is not above 0, with its column: the matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {0} of the tile has no pivot above 0: the matrix is not positive definite")]
pub struct NotPositive(pub usize);

/// `potrf`: replaces A by L of A = L L^T.
///
/// # Errors
/// [`NotPositive`].
pub fn potrf(n: usize, a: &mut [f64], work: &mut Workspace) -> Result<(), NotPositive> {
    for first in (0..n).step_by(WIDTH) {
        let width = WIDTH.min(n - first);
        factorise(n, a, first, width)?;
        let next = first + width;
        let (above, below) = a.split_at_mut((next * n).min(a.len()));
        let diagonal = above.get(first * n + first..).unwrap_or_default();
        solve(Matrix::rows(diagonal, n), width, (below, n, first), work);
        // The solved columns, separate from the columns that they change.
        let rows = n - next;
        copy(Matrix::rows(below.get(first..).unwrap_or_default(), n), (rows, width), &mut work.left);
        subtract_square((&work.left, rows, width), (below, n, next), &mut work.panels);
    }
    Ok(())
}

/// `trsm`: replaces A by X of X L^T = A; `l` is the result of [`potrf`].
pub fn trsm(n: usize, l: &[f64], a: &mut [f64], work: &mut Workspace) {
    for first in (0..n).step_by(WIDTH) {
        let width = WIDTH.min(n - first);
        let diagonal = l.get(first * n + first..).unwrap_or_default();
        solve(Matrix::rows(diagonal, n), width, (a, n, first), work);
        let next = first + width;
        copy(Matrix::rows(a.get(first..).unwrap_or_default(), n), (n, width), &mut work.left);
        let size = Size { rows: n, columns: n - next, steps: width };
        let below = Matrix::rows(l.get(next * n + first..).unwrap_or_default(), n).transposed();
        let c = (a.get_mut(next..).unwrap_or_default(), n);
        work.panels.multiply_add(size, (-1.0, Matrix::rows(&work.left, width), below), c);
    }
}

/// `syrk`: replaces C by C - A A^T, the lower triangle.
pub fn syrk(n: usize, a: &[f64], c: &mut [f64], work: &mut Workspace) {
    subtract_square((a, n, n), (c, n, 0), &mut work.panels);
}

/// `gemm`: replaces C by C - A B^T.
pub fn gemm(n: usize, a: &[f64], b: &[f64], c: &mut [f64], work: &mut Workspace) {
    let size = Size { rows: n, columns: n, steps: n };
    let factors = (-1.0, Matrix::rows(a, n), Matrix::rows(b, n).transposed());
    work.panels.multiply_add(size, factors, (c, n));
}

/// The block on the diagonal, column by column.
fn factorise(n: usize, a: &mut [f64], first: usize, width: usize) -> Result<(), NotPositive> {
    let end = first + width;
    for column in first..end {
        let Some(pivot) = a.get(column * n + column).copied().filter(|&pivot| pivot > 0.0) else {
            return Err(NotPositive(column));
        };
        let root = pivot.sqrt();
        let mut solved = [0.0; WIDTH];
        for (row, solved) in (column..end).zip(&mut solved) {
            if let Some(element) = a.get_mut(row * n + column) {
                *element = if row == column { root } else { *element / root };
                *solved = *element;
            }
        }
        for (place, row) in (column + 1..end).enumerate() {
            let (factor, from) = (solved[place + 1], row * n + column + 1);
            let elements = a.get_mut(from..=row * n + row).unwrap_or_default();
            for (element, other) in elements.iter_mut().zip(&solved[1..]) {
                *element -= factor * other;
            }
        }
    }
    Ok(())
}

/// X of X L^T = A in `width` columns of all rows of `a`, from column `first` on. Columns are solved one after the other for many rows at a
/// time, which are stored next to each other in the meantime.
fn solve(l: Matrix<'_>, width: usize, (a, stride, first): (&mut [f64], usize, usize), work: &mut Workspace) {
    let mut columns = [[0.0; SOLVED]; WIDTH];
    for rows in a.chunks_mut((stride * SOLVED).max(1)) {
        for (place, row) in rows.chunks(stride).enumerate() {
            let row = row.get(first..first + width).unwrap_or_default();
            for (column, &element) in columns.iter_mut().zip(row) {
                column[place] = element;
            }
        }
        for column in 0..width {
            let (solved, rest) = columns.split_at_mut(column);
            let Some(own) = rest.first_mut() else { continue };
            let factors = l.data.get(column * l.row..).unwrap_or_default();
            for (solved, &factor) in solved.iter().zip(factors) {
                work.panels.vectors.add(-factor, solved, own);
            }
            let pivot = factors.get(column).copied().unwrap_or(1.0);
            for element in own.iter_mut() {
                *element /= pivot;
            }
        }
        for (place, row) in rows.chunks_mut(stride).enumerate() {
            let row = row.get_mut(first..first + width).unwrap_or_default();
            for (element, column) in row.iter_mut().zip(&columns) {
                *element = column[place];
            }
        }
    }
}

/// C - A A^T, the lower triangle, in strips; `c` starts with a row, `first` is the column of its diagonal there.
fn subtract_square(
    (a, rows, steps): (&[f64], usize, usize),
    (c, stride, first): (&mut [f64], usize, usize),
    panels: &mut crate::product::Panels,
) {
    let a = Matrix::rows(a, steps);
    for strip in (0..rows).step_by(STRIP) {
        let below = Matrix { data: a.data.get(strip * steps..).unwrap_or_default(), ..a };
        let size = Size { rows: rows - strip, columns: STRIP.min(rows - strip), steps };
        let c = c.get_mut(strip * stride + first + strip..).unwrap_or_default();
        panels.multiply_add(size, (-1.0, below, below.transposed()), (c, stride));
    }
}

/// Copies a part of a matrix, row by row.
fn copy(matrix: Matrix<'_>, (rows, columns): (usize, usize), to: &mut Vec<f64>) {
    to.clear();
    for row in matrix.data.chunks(matrix.row.max(1)).take(rows) {
        to.extend_from_slice(row.get(..columns).unwrap_or_default());
    }
}

//! Kernels of tiled QR (Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35, 2009) on n x n tiles stored row by row.
//!
//! Reflections are stored in blocks of [`WIDTH`] columns as I - V T V^T (Schreiber, Van Loan 1989): V in the entries that became zero, T
//! above the diagonal of the block's columns in a matrix of [`WIDTH`] rows. Buttari's counts of operations are those with one block of all
//! columns; narrow blocks need fewer (`count`).

use crate::product::{Matrix, Size, Workspace};

/// Columns of a block of reflections.
pub const WIDTH: usize = 32;

/// Elements of a tile with the factors T of its reflections.
pub const fn elements(n: usize) -> usize {
    n * n + WIDTH * n
}

/// The kind of product with Q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Q C: undoes [`Side::Transposed`].
    Plain,
    /// Q^T C: applied to other columns during the factorisation.
    Transposed,
}

/// `geqrt`: replaces the upper triangle of A by R of A = Q R, with V below it; T in `t`.
pub fn geqrt(n: usize, a: &mut [f64], t: &mut [f64], work: &mut Workspace) {
    for (first, width) in blocks(n) {
        // The reflections of a block, column by column.
        for column in first..first + width {
            let tau = {
                let (above, below) = a.split_at_mut(((column + 1) * n).min(a.len()));
                let own = above.get_mut(column * n..).unwrap_or_default();
                reflect((own, below), n, (column, first + width), &mut work.rows)
            };
            let below = a.get(column * n..).unwrap_or_default();
            let products = dots((below, n), (first, column), true, &mut work.rows);
            extend(t, n, (first, column), tau, products);
        }
        // The columns to its right.
        let next = first + width;
        copy_reflections(a, n, (first, width), &mut work.left);
        let rest = a.get_mut(first * n + next..).unwrap_or_default();
        apply_square((rest, n, n - next), (n, first, width), t, Side::Transposed, work);
    }
}

/// `unmqr`: replaces C by Q^T C or Q C, for the Q of [`geqrt`] in `v` and `t`.
pub fn unmqr(n: usize, (v, t): (&[f64], &[f64]), c: &mut [f64], side: Side, work: &mut Workspace) {
    in_order(n, side, |first, width| {
        copy_reflections(v, n, (first, width), &mut work.left);
        let c = c.get_mut(first * n..).unwrap_or_default();
        apply_square((c, n, n), (n, first, width), t, side, work);
    });
}

/// `tsqrt`: replaces the upper triangle of `r` by the R of `r` above `a`, and `a` by V; T in `t`.
pub fn tsqrt(n: usize, r: &mut [f64], a: &mut [f64], t: &mut [f64], work: &mut Workspace) {
    for (first, width) in blocks(n) {
        for column in first..first + width {
            let own = r.get_mut(column * n..(column + 1) * n).unwrap_or_default();
            let tau = reflect((own, a), n, (column, first + width), &mut work.rows);
            let products = dots((a, n), (first, column), false, &mut work.rows);
            extend(t, n, (first, column), tau, products);
        }
        let next = first + width;
        copy_columns(a, n, (first, width), &mut work.left);
        let top = r.get_mut(first * n + next..).unwrap_or_default();
        let rest = a.get_mut(next..).unwrap_or_default();
        apply_pair((top, rest, n - next), (n, first, width), t, Side::Transposed, work);
    }
}

/// `tsmqr`: replaces C = `top` above `bottom` by Q^T C or Q C, for the Q of [`tsqrt`] in `v` and `t`.
pub fn tsmqr(
    n: usize,
    (v, t): (&[f64], &[f64]),
    (top, bottom): (&mut [f64], &mut [f64]),
    side: Side,
    work: &mut Workspace,
) {
    in_order(n, side, |first, width| {
        copy_columns(v, n, (first, width), &mut work.left);
        let top = top.get_mut(first * n..).unwrap_or_default();
        apply_pair((top, bottom, n), (n, first, width), t, side, work);
    });
}

/// First columns and widths of the blocks.
fn blocks(n: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    (0..n.div_ceil(WIDTH)).map(move |block| (block * WIDTH, WIDTH.min(n - block * WIDTH)))
}

/// Q^T = ... Q1^T Q0^T: the first block first; for Q in reverse order.
fn in_order(n: usize, side: Side, mut each: impl FnMut(usize, usize)) {
    match side {
        Side::Transposed => blocks(n).for_each(|(first, width)| each(first, width)),
        Side::Plain => blocks(n).rev().for_each(|(first, width)| each(first, width)),
    }
}

/// The reflection I - tau v v^T that leaves only the element in the row `own` of a column. v, whose first element is 1, replaces the
/// elements in `below`, and the columns after it up to `end` are reflected. Returns tau.
fn reflect(
    (own, below): (&mut [f64], &mut [f64]),
    n: usize,
    (column, end): (usize, usize),
    products: &mut Vec<f64>,
) -> f64 {
    let alpha = own.get(column).copied().unwrap_or(0.0);
    let squares: f64 = below.iter().skip(column).step_by(n).map(|element| element * element).sum();
    if squares == 0.0 {
        return 0.0;
    }
    let beta = -alpha.signum() * (alpha * alpha + squares).sqrt();
    let (tau, scale) = ((beta - alpha) / beta, 1.0 / (alpha - beta));
    own.iter_mut().skip(column).take(1).for_each(|element| *element = beta);
    below.iter_mut().skip(column).step_by(n).for_each(|element| *element *= scale);
    // tau v^T C of the columns after it, then C - v times that.
    let Some(top) = own.get_mut(column + 1..end) else { return tau };
    products.clear();
    products.extend_from_slice(top);
    for row in below.chunks_exact(n) {
        if let Some((&v, rest)) = row.get(column..end).and_then(<[f64]>::split_first) {
            products.iter_mut().zip(rest).for_each(|(product, element)| *product += v * element);
        }
    }
    for product in products.iter_mut() {
        *product *= tau;
    }
    top.iter_mut().zip(&*products).for_each(|(element, product)| *element -= product);
    for row in below.chunks_exact_mut(n) {
        if let Some((&mut v, rest)) = row.get_mut(column..end).and_then(<[f64]>::split_first_mut) {
            rest.iter_mut().zip(&*products).for_each(|(element, product)| *element -= v * product);
        }
    }
    tau
}

/// V^T v for the columns from `first` to the one before `column`, with the vector v of `column`. `unit`: the first row is that of the
/// diagonal, where v is 1.
fn dots<'r>(
    (rows, n): (&[f64], usize),
    (first, column): (usize, usize),
    unit: bool,
    products: &'r mut Vec<f64>,
) -> &'r mut [f64] {
    products.clear();
    products.resize(column - first, 0.0);
    for (number, row) in rows.chunks_exact(n).enumerate() {
        let Some((&element, before)) = row.get(first..=column).and_then(<[f64]>::split_last) else {
            continue;
        };
        let v = if unit && number == 0 { 1.0 } else { element };
        products.iter_mut().zip(before).for_each(|(product, other)| *product += v * other);
    }
    products
}

/// The column of T of one more reflection: -tau T (V^T v) above tau.
fn extend(t: &mut [f64], n: usize, (first, column): (usize, usize), tau: f64, products: &[f64]) {
    for row in 0..products.len() {
        let from = row * n + first + row;
        let own = t.get(from..row * n + column).unwrap_or_default();
        let sum: f64 = own.iter().zip(products.get(row..).unwrap_or_default()).map(|(t, p)| t * p).sum();
        if let Some(element) = t.get_mut(row * n + column) {
            *element = -tau * sum;
        }
    }
    if let Some(element) = t.get_mut(products.len() * n + column) {
        *element = tau;
    }
}

/// V of a block of a square tile with its ones and zeros, starting at its first row.
fn copy_reflections(v: &[f64], n: usize, (first, width): (usize, usize), to: &mut Vec<f64>) {
    to.clear();
    for (number, row) in v.chunks_exact(n).skip(first).enumerate() {
        let elements = row.get(first..first + width).unwrap_or_default();
        let below = number.min(width);
        to.extend_from_slice(elements.get(..below).unwrap_or_default());
        if below < width {
            to.push(1.0);
            to.resize(to.len() + width - below - 1, 0.0);
        }
    }
}

/// Columns of a tile.
fn copy_columns(v: &[f64], n: usize, (first, width): (usize, usize), to: &mut Vec<f64>) {
    to.clear();
    for row in v.chunks_exact(n) {
        to.extend_from_slice(row.get(first..first + width).unwrap_or_default());
    }
}

/// C - V T' V^T C of `columns` columns of C, which starts with the first row of the block; V is in `work.left`.
fn apply_square(
    (c, stride, columns): (&mut [f64], usize, usize),
    (n, first, width): (usize, usize, usize),
    t: &[f64],
    side: Side,
    work: &mut Workspace,
) {
    let Workspace { panels, left, rows: products } = work;
    let v = Matrix::rows(left, width);
    let rows = n - first;
    products.clear();
    products.resize(width * columns, 0.0);
    let size = Size { rows: width, columns, steps: rows };
    panels.multiply_add(size, (1.0, v.transposed(), Matrix::rows(c, stride)), (products, columns));
    triangle(t.get(first..).unwrap_or_default(), (n, width), (products, columns), side, panels.vectors);
    let size = Size { rows, columns, steps: width };
    panels.multiply_add(size, (-1.0, v, Matrix::rows(products, columns)), (c, stride));
}

/// The same for V as the unit matrix above the contents of `work.left`, and C as `top` above `bottom`.
fn apply_pair(
    (top, bottom, columns): (&mut [f64], &mut [f64], usize),
    (n, first, width): (usize, usize, usize),
    t: &[f64],
    side: Side,
    work: &mut Workspace,
) {
    let Workspace { panels, left, rows: products } = work;
    if columns == 0 {
        return;
    }
    let v = Matrix::rows(left, width);
    products.clear();
    for row in top.chunks(n).take(width) {
        products.extend_from_slice(row.get(..columns).unwrap_or_default());
    }
    // Something is missing only if no task has written the tiles.
    products.resize(width * columns, 0.0);
    let size = Size { rows: width, columns, steps: n };
    panels.multiply_add(size, (1.0, v.transposed(), Matrix::rows(bottom, n)), (products, columns));
    triangle(t.get(first..).unwrap_or_default(), (n, width), (products, columns), side, panels.vectors);
    for (row, products) in top.chunks_mut(n).zip(products.chunks_exact(columns)) {
        row.iter_mut().zip(products).for_each(|(element, product)| *element -= product);
    }
    let size = Size { rows: n, columns, steps: width };
    panels.multiply_add(size, (-1.0, v, Matrix::rows(products, columns)), (bottom, n));
}

/// Replaces W by T W or T^T W; T is the upper triangle of the first columns of `t`.
fn triangle(
    t: &[f64],
    (stride, width): (usize, usize),
    (w, columns): (&mut [f64], usize),
    side: Side,
    vectors: crate::product::Vectors,
) {
    if columns == 0 {
        return;
    }
    let t = |row: usize, column: usize| t.get(row * stride + column).copied().unwrap_or(0.0);
    for place in 0..width {
        // Each row of the result from rows that are not replaced yet.
        let own = if side == Side::Transposed { width - 1 - place } else { place };
        let (before, from_own) = w.split_at_mut(own * columns);
        let (row, after) = from_own.split_at_mut(columns);
        let pivot = t(own, own);
        for element in row.iter_mut() {
            *element *= pivot;
        }
        match side {
            Side::Transposed => {
                for (other, elements) in before.chunks_exact(columns).enumerate() {
                    vectors.add(t(other, own), elements, row);
                }
            }
            Side::Plain => {
                for (other, elements) in (own + 1..).zip(after.chunks_exact(columns)) {
                    vectors.add(t(own, other), elements, row);
                }
            }
        }
    }
}

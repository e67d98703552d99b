//! Dense kernels against simple, readable loops.

use numasim_kernels::qr::{Side, elements, geqrt, tsmqr, tsqrt, unmqr};
use numasim_kernels::{Workspace, cholesky};

fn some(n: usize, seed: u64) -> Vec<f64> {
    (0..n * n).map(|place| ((place as f64 + 1.0) * (seed as f64 + 0.7)).sin()).collect()
}

fn near(a: &[f64], b: &[f64], limit: f64) {
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(a.len() == b.len() && worst <= limit, "{worst}");
}

/// C - A B^T.
fn minus(n: usize, a: &[f64], b: &[f64], c: &[f64]) -> Vec<f64> {
    let at = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * b[j * n + k]).sum::<f64>();
    (0..n * n).map(|place| c[place] - at(place / n, place % n)).collect()
}

#[test]
fn products_of_tiles_match_three_loops() {
    let mut work = Workspace::new();
    for n in [1, 7, 64, 150] {
        let (a, b, c) = (some(n, 1), some(n, 2), some(n, 3));
        let mut result = c.clone();
        cholesky::gemm(n, &a, &b, &mut result, &mut work);
        near(&result, &minus(n, &a, &b, &c), 1e-12);
        let mut result = c.clone();
        cholesky::syrk(n, &a, &mut result, &mut work);
        let whole = minus(n, &a, &a, &c);
        for row in 0..n {
            near(&result[row * n..=row * n + row], &whole[row * n..=row * n + row], 1e-12);
        }
    }
}

#[test]
fn trsm_solves() {
    let mut work = Workspace::new();
    for n in [1, 31, 65, 100] {
        let mut l = some(n, 1);
        (0..n).for_each(|k| l[k * n + k] = n as f64);
        let a = some(n, 2);
        let mut x = a.clone();
        cholesky::trsm(n, &l, &mut x, &mut work);
        // X L^T - A, where L is the lower triangle.
        (0..n * n).filter(|place| place % n > place / n).for_each(|place| l[place] = 0.0);
        near(&minus(n, &x, &l, &a), &vec![0.0; n * n], 1e-12);
    }
}

#[test]
fn q_undoes_itself() {
    let mut work = Workspace::new();
    for n in [1, 20, 32, 75] {
        let (mut a, mut t) = (some(n, 1), vec![0.0; elements(n) - n * n]);
        geqrt(n, &mut a, &mut t, &mut work);
        let c = some(n, 2);
        let mut result = c.clone();
        unmqr(n, (&a, &t), &mut result, Side::Transposed, &mut work);
        unmqr(n, (&a, &t), &mut result, Side::Plain, &mut work);
        near(&result, &c, 1e-12);

        let (mut below, mut factors) = (some(n, 3), vec![0.0; t.len()]);
        tsqrt(n, &mut a, &mut below, &mut factors, &mut work);
        let (mut top, mut bottom) = (some(n, 4), some(n, 5));
        let before = (top.clone(), bottom.clone());
        let pair = (&mut top[..], &mut bottom[..]);
        tsmqr(n, (&below, &factors), pair, Side::Transposed, &mut work);
        tsmqr(n, (&below, &factors), (&mut top, &mut bottom), Side::Plain, &mut work);
        near(&top, &before.0, 1e-12);
        near(&bottom, &before.1, 1e-12);
    }
}

#[test]
fn a_column_of_zeros_is_not_reflected() {
    // R = A where A is upper triangular; T has no reflection.
    let mut a = vec![1.0, 2.0, 0.0, 3.0];
    let mut t = vec![9.0; elements(2) - 4];
    geqrt(2, &mut a, &mut t, &mut Workspace::new());
    assert_eq!(a, [1.0, 2.0, 0.0, 3.0]);
    let mut c = vec![1.0, 2.0, 3.0, 4.0];
    unmqr(2, (&a, &t), &mut c, Side::Transposed, &mut Workspace::new());
    assert_eq!(c, [1.0, 2.0, 3.0, 4.0]);
}

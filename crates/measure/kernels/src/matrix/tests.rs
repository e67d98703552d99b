//! Products by hand, sparse against dense, and sums in the guaranteed order.

use super::csr::{self, Csr};
use super::dense;
use super::dense::{Split, SplitMut};
use super::sparse::Lattice;
use crate::fill::number;
use crate::loops::Isa;
use crate::simd::{LINE, total};

/// y = A x, dense.
fn dense(isa: Isa, a: (&[f64], &[f64]), x: (&[f64], &[f64])) -> (Vec<f64>, Vec<f64>) {
    let rows = a.0.len() / x.0.len();
    let (mut re, mut im) = (vec![0.5; rows], vec![0.5; rows]);
    let y = SplitMut { re: &mut re, im: &mut im };
    dense::multiply(isa.into(), Split { re: a.0, im: a.1 }, Split { re: x.0, im: x.1 }, y);
    (re, im)
}

/// y = A x, sparse; rows as lists of column, real and imaginary part.
fn sparse(isa: Isa, rows: &[Vec<(usize, f64, f64)>], x: (&[f64], &[f64])) -> (Vec<f64>, Vec<f64>) {
    let mut pointers = vec![0];
    let (mut columns, mut re, mut im) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        for &(column, real, imaginary) in row {
            columns.push(u32::try_from(column).expect("small"));
            re.push(real);
            im.push(imaginary);
        }
        pointers.push(u32::try_from(columns.len()).expect("small"));
    }
    assert!(columns.iter().all(|&column| (column as usize) < x.0.len()));
    let matrix = Csr::new(&pointers, &columns, Split { re: &re, im: &im }).expect("a matrix");
    let (mut re, mut im) = (vec![0.5; rows.len()], vec![0.5; rows.len()]);
    let y = SplitMut { re: &mut re, im: &mut im };
    // SAFETY: columns were checked.
    #[allow(unsafe_code)]
    unsafe {
        csr::multiply(isa.into(), matrix, Split { re: x.0, im: x.1 }, y);
    }
    (re, im)
}

/// A sum of products in the order of all code: element k of a row in lane k modulo 8, the lanes by halves.
fn in_order(elements: impl Iterator<Item = ((f64, f64), (f64, f64))>) -> (f64, f64) {
    let (mut re, mut im) = ([0.0; LINE], [0.0; LINE]);
    for (k, ((a_re, a_im), (x_re, x_im))) in elements.enumerate() {
        let lane = k % LINE;
        re[lane] = re[lane] + a_re * x_re - a_im * x_im;
        im[lane] = im[lane] + a_re * x_im + a_im * x_re;
    }
    (total(re), total(im))
}

#[test]
fn three_rows_by_hand() {
    // A = [[1+i, 0, 2], [0, 3, -i], [4, 0, 1]], x = (1, i, 2):
    // (1+i) + 4 = 5+i; 3i - 2i = i; 4 + 2 = 6.
    let rows = [
        vec![(0, 1.0, 1.0), (2, 2.0, 0.0)],
        vec![(1, 3.0, 0.0), (2, 0.0, -1.0)],
        vec![(0, 4.0, 0.0), (2, 1.0, 0.0)],
    ];
    let x = (&[1.0, 0.0, 2.0][..], &[0.0, 1.0, 0.0][..]);
    let mut a = (vec![0.0; 9], vec![0.0; 9]);
    for (row, elements) in rows.iter().enumerate() {
        for &(column, re, im) in elements {
            (a.0[3 * row + column], a.1[3 * row + column]) = (re, im);
        }
    }
    let expected = (vec![5.0, 0.0, 6.0], vec![1.0, 1.0, 0.0]);
    for isa in Isa::available() {
        assert_eq!(dense(isa, (&a.0, &a.1), x), expected);
        assert_eq!(sparse(isa, &rows, x), expected);
    }
}

#[test]
fn dense_products_are_sums_in_the_guaranteed_order() {
    for columns in [1, 3, 7, 8, 9, 40, 777] {
        for rows in [1, 4, 6] {
            let part = |seed| (0..rows * columns).map(|k| number(k, seed)).collect::<Vec<f64>>();
            let (a, x) = ((part(1), part(2)), (part(3)[..columns].to_vec(), part(4)[..columns].to_vec()));
            let expected: (Vec<f64>, Vec<f64>) = (0..rows)
                .map(|row| {
                    in_order(
                        (0..columns)
                            .map(|k| ((a.0[row * columns + k], a.1[row * columns + k]), (x.0[k], x.1[k]))),
                    )
                })
                .unzip();
            for isa in Isa::available() {
                assert_eq!(dense(isa, (&a.0, &a.1), (&x.0, &x.1)), expected, "{isa} {rows} x {columns}");
            }
        }
    }
}

#[test]
fn sparse_products_have_the_guaranteed_order_and_match_dense_ones() {
    let lattice = Lattice { cells: [2, 2, 1] };
    let n = lattice.rows();
    let rows: Vec<Vec<_>> = (0..n).map(|row| lattice.row(row).collect()).collect();
    let x: (Vec<f64>, Vec<f64>) = (0..n).map(|k| (number(k, 1), number(k, 2))).unzip();
    let expected: (Vec<f64>, Vec<f64>) =
        rows.iter().map(|row| in_order(row.iter().map(|&(k, re, im)| ((re, im), (x.0[k], x.1[k]))))).unzip();
    // The same matrix with its zeros: summed column by column, both are equal in every bit, since adding 0 changes nothing.
    let plain = |elements: &mut dyn Iterator<Item = (usize, f64, f64)>| {
        elements.fold((0.0, 0.0), |(re, im), (k, a_re, a_im)| {
            (re + a_re * x.0[k] - a_im * x.1[k], im + a_re * x.1[k] + a_im * x.0[k])
        })
    };
    for row in &rows {
        let mut full = vec![(0.0, 0.0); n];
        for &(k, re, im) in row {
            full[k] = (re, im);
        }
        let sparse = plain(&mut row.iter().copied());
        assert_eq!(sparse, plain(&mut full.iter().enumerate().map(|(k, &(re, im))| (k, re, im))));
    }
    let (mut a_re, mut a_im) = (vec![0.0; n * n], vec![0.0; n * n]);
    for (row, elements) in rows.iter().enumerate() {
        for &(k, re, im) in elements {
            (a_re[row * n + k], a_im[row * n + k]) = (re, im);
        }
    }
    for isa in Isa::available() {
        let found = sparse(isa, &rows, (&x.0, &x.1));
        assert_eq!(found, expected, "{isa}");
        // In other lanes, so the results are only close: 41 products below 1/8 each, with an error of 2^-53 x 41 x 5 at most.
        let dense = dense(isa, (&a_re, &a_im), (&x.0, &x.1));
        for (a, b) in found.0.iter().zip(&dense.0).chain(found.1.iter().zip(&dense.1)) {
            assert!((a - b).abs() < 1e-13, "{isa}: {a} {b}");
        }
    }
}

#[test]
fn rows_of_all_lengths_are_summed() {
    let rows: Vec<Vec<_>> = (0..20)
        .map(|len| (0..len).map(|k| (19 - k, number(len, k), number(k, len + 30))).collect())
        .collect();
    let x: (Vec<f64>, Vec<f64>) = (0..20).map(|k| (number(k, 7), number(k, 8))).unzip();
    for isa in Isa::available() {
        let (re, im) = sparse(isa, &rows, (&x.0, &x.1));
        for (row, elements) in rows.iter().enumerate() {
            let expected = in_order(elements.iter().map(|&(k, re, im)| ((re, im), (x.0[k], x.1[k]))));
            assert_eq!((re[row], im[row]), expected, "{isa}, {row} elements");
        }
    }
}

#[test]
fn products_of_real_numbers_are_real_parts_of_complex_ones() {
    // Rows of 0 to 19 elements; with imaginary parts of 0 at most -0 is added to the sums of real parts, which changes none.
    let (mut pointers, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for len in 0..20_u32 {
        columns.extend((0..len).map(|k| 19 - k));
        values.extend((0..len).map(|k| number(len as usize, k as usize)));
        pointers.push(u32::try_from(columns.len()).expect("small"));
    }
    let x: Vec<f64> = (0..20).map(|k| number(k, 7)).collect();
    let rows: Vec<Vec<_>> = pointers
        .windows(2)
        .map(|bounds| {
            (bounds[0] as usize..bounds[1] as usize).map(|k| (columns[k] as usize, values[k], 0.0)).collect()
        })
        .collect();
    for isa in Isa::available() {
        let mut y = vec![0.5; 20];
        let matrix = Csr::real(&pointers, &columns, &values).expect("a matrix");
        // SAFETY: columns are below 20.
        #[allow(unsafe_code)]
        unsafe {
            csr::multiply_real(isa.into(), matrix, &x, &mut y);
        }
        assert_eq!(y, sparse(isa, &rows, (&x, &[0.0; 20])).0, "{isa}");
    }
}

#[test]
fn pointers_out_of_range_are_rejected() {
    let values = [1.0; 4];
    let split = Split { re: &values, im: &values };
    assert!(Csr::new(&[0, 2, 4], &[0; 4], split).is_some());
    for pointers in [&[0, 2, 5][..], &[2, 0, 4], &[]] {
        assert!(Csr::new(pointers, &[0; 4], split).is_none(), "{pointers:?}");
    }
}

//! Inverse of a symmetric matrix (paper 001, section 3.1): Cholesky, inverse of the triangle L, and L^-T L^-1, each in place.

use super::cholesky::{Triangle, factorise};
use super::error::GenerateError;
use super::weaver::Weaver;

pub(super) fn weave(weave: &mut Weaver<'_>, n: u64, tile: u64, init: bool) -> Result<(), GenerateError> {
    let triangle = Triangle::new(weave, (n, tile, init), 3.0)?;
    factorise(weave, &triangle)?;
    invert(weave, &triangle)?;
    multiply(weave, &triangle)
}

/// L^-1 in place of L.
fn invert(weave: &mut Weaver<'_>, tiles: &Triangle) -> Result<(), GenerateError> {
    let (trsm, gemm) = ((weave.kind("trsm"), 1.0), (weave.kind("gemm"), 2.0));
    let trtri = (weave.kind("trtri"), 1.0 / 3.0);
    for k in 0..tiles.n {
        for i in k + 1..tiles.n {
            tiles.task(weave, trsm, &[(k, k)], (i, k))?;
        }
        for i in k + 1..tiles.n {
            for j in 0..k {
                tiles.task(weave, gemm, &[(i, k), (k, j)], (i, j))?;
            }
        }
        for j in 0..k {
            tiles.task(weave, trsm, &[(k, k)], (k, j))?;
        }
        tiles.task(weave, trtri, &[], (k, k))?;
    }
    Ok(())
}

/// L^T L in place of L.
fn multiply(weave: &mut Weaver<'_>, tiles: &Triangle) -> Result<(), GenerateError> {
    let (gemm, syrk) = ((weave.kind("gemm"), 2.0), (weave.kind("syrk"), 1.0));
    let (trmm, lauum) = ((weave.kind("trmm"), 1.0), (weave.kind("lauum"), 1.0 / 3.0));
    for k in 0..tiles.n {
        for i in 0..k {
            for j in 0..i {
                tiles.task(weave, gemm, &[(k, i), (k, j)], (i, j))?;
            }
            tiles.task(weave, syrk, &[(k, i)], (i, i))?;
        }
        for j in 0..k {
            tiles.task(weave, trmm, &[(k, k)], (k, j))?;
        }
        tiles.task(weave, lauum, &[], (k, k))?;
    }
    Ok(())
}

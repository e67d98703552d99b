//! The two loops in which nearly all time of dense kernels passes, for the instruction set that the processor has.
//!
//! Both are plain Rust that the compiler vectorises; `multiply-add` is one instruction where AVX2 and FMA are there, else two. So results may differ in
//! the last bit between processors, never on one.

/// Rows of a block of the product that stays in registers.
pub(crate) const ROWS: usize = 4;
/// Its columns: two vectors of AVX2.
pub(crate) const COLUMNS: usize = 8;

/// A block of a product.
pub(crate) type Block = [[f64; COLUMNS]; ROWS];

/// Which code runs: looked up once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors {
    /// The processor has AVX2 and FMA. Private: whoever has a value of this type has asked the processor.
    fused: bool,
}

impl Vectors {
    /// For this processor.
    pub(crate) fn of_this_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        #[cfg(not(target_arch = "x86_64"))]
        let fused = false;
        Self { fused }
    }

    /// The product of a panel of [`ROWS`] rows and one of [`COLUMNS`] columns, each packed step by step.
    pub(crate) fn product(self, rows: &[f64], columns: &[f64]) -> Block {
        #[cfg(target_arch = "x86_64")]
        if self.fused {
            // SAFETY: `fused` is true only where the processor has both features.
            #[allow(unsafe_code)]
            return unsafe { product_fused(rows, columns) };
        }
        // Arm has a fused instruction in its least version, on which `mul_add` is that.
        product::<{ cfg!(target_arch = "aarch64") }>(rows, columns)
    }

    /// y += a x.
    pub(crate) fn add(self, a: f64, x: &[f64], y: &mut [f64]) {
        #[cfg(target_arch = "x86_64")]
        if self.fused {
            // SAFETY: `fused` is true only where the processor has both features.
            #[allow(unsafe_code)]
            return unsafe { add_fused(a, x, y) };
        }
        add::<{ cfg!(target_arch = "aarch64") }>(a, x, y);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn product_fused(rows: &[f64], columns: &[f64]) -> Block {
    product::<true>(rows, columns)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_fused(a: f64, x: &[f64], y: &mut [f64]) {
    add::<true>(a, x, y);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    // Without the instruction `mul_add` would be a slow function.
    #[allow(clippy::suboptimal_flops)]
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
fn product<const FUSED: bool>(rows: &[f64], columns: &[f64]) -> Block {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    let (rows, _) = rows.as_chunks::<ROWS>();
    let (columns, _) = columns.as_chunks::<COLUMNS>();
    for (row, column) in rows.iter().zip(columns) {
        for (sums, &a) in sums.iter_mut().zip(row) {
            for (sum, &b) in sums.iter_mut().zip(column) {
                *sum = multiply_add::<FUSED>(a, b, *sum);
            }
        }
    }
    sums
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
fn add<const FUSED: bool>(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = multiply_add::<FUSED>(a, x, *y);
    }
}

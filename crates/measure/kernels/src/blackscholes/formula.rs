//! The price of a European option (Black and Scholes 1973), in single precision and without branches.
//!
//! It uses only additions, multiplications, divisions and square roots in a fixed order, never fused, so that prices are equal in every bit
//! on every processor and in every instruction set. N is the polynomial 26.2.17 of Abramowitz and Stegun (1964), with an error below
//! 7.5e-8; exp and ln are those of Cephes (Moshier 1989).

/// Floating-point operations of a price in the usual notation of the formula: 9 for d1 and d2, 22 for each N (including 1 - N(-x) for x
/// below 0), 3 for K e^(-rT) with the change of sign, 8 for the two prices, of which one is used. ln, exp (three of them) and the square
/// root count as one each, whatever their cost.
pub const FLOP: u64 = 9 + 2 * 22 + 3 + 8 + 5;

/// The value of an option; of several options at once if it is compiled for vectors.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
pub(super) fn price(spot: f32, strike: f32, rate: f32, volatility: f32, time: f32, put: bool) -> f32 {
    let spread = volatility * time.sqrt();
    let drift = (rate + volatility * volatility * 0.5) * time;
    let d1 = (ln(spot / strike) + drift) / spread;
    let d2 = d1 - spread;
    let (n1, n2) = (normal(d1), normal(d2));
    let strike_now = strike * exp(-rate * time);
    let call = spot * n1 - strike_now * n2;
    let other = strike_now * (1.0 - n2) - spot * (1.0 - n1);
    if put { other } else { call }
}

/// The share of a normal distribution below x.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `price`")]
fn normal(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let k2 = k * k;
    let (k3, k4) = (k2 * k, k2 * k2);
    let k5 = k4 * k;
    let sum =
        0.319_381_54 * k + (-0.356_563_78 * k2) + 1.781_477_9 * k3 + (-1.821_255_9 * k4) + 1.330_274_5 * k5;
    // 1 / sqrt(2 pi).
    let above = sum * (exp(-0.5 * x * x) * 0.398_942_3);
    if x < 0.0 { above } else { 1.0 - above }
}

/// e^x below 88, to about 1 unit in the last place; below -87, where f32 has no more normal numbers, e^-87.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `price`")]
fn exp(x: f32) -> f32 {
    /// 1.5 x 2^23: a small number added to it is rounded to a whole one, which is in its lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    // ln 2 in two parts, the first of which has few bits.
    let rest = x - whole * 0.693_359_4 - whole * -2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4;
    for factor in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5] {
        sum = sum * rest + factor;
    }
    let fraction = sum * (rest * rest) + rest + 1.0;
    // 2^whole: into the exponent. The bits above the lowest ones of `rounded` are shifted out.
    fraction * f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()))
}

/// ln x of a normal number above 0, to about 1 unit in the last place.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `price`")]
#[allow(clippy::cast_possible_wrap, reason = "an exponent, which may be below 0")]
fn ln(x: f32) -> f32 {
    /// sqrt(1/2): x is 2^e m with m from it to sqrt 2.
    const LEAST: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    let above = x.to_bits().wrapping_sub(LEAST);
    let e = ((above as i32) >> 23) as f32;
    let m = f32::from_bits((above & 0x007F_FFFF).wrapping_add(LEAST)) - 1.0;
    let mut sum = 7.037_683_6e-2;
    for factor in [
        -0.115_146_1,
        0.116_769_984,
        -0.124_201_41,
        0.142_493_23,
        -0.166_680_57,
        0.200_007_14,
        -0.249_999_94,
        0.333_333_3,
    ] {
        sum = sum * m + factor;
    }
    let square = m * m;
    let small = sum * m * square + e * -2.121_944_4e-4 - 0.5 * square;
    m + small + e * 0.693_359_4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same price with N from the integral of the density, in double precision.
    fn exact([s, k, r, v, t]: [f64; 5], put: bool) -> f64 {
        let d1 = ((s / k).ln() + (r + v * v / 2.0) * t) / (v * t.sqrt());
        let n = |x: f64| {
            // Simpson's rule from 0 to |x|, at most 9; the error is far below 1e-9.
            let (steps, end) = (2000, x.abs().min(9.0));
            let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            let h = end / f64::from(steps);
            let weight = |i| {
                if i == 0 || i == steps {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
            };
            let half: f64 = (0..=steps).map(|i| weight(i) * density(f64::from(i) * h)).sum::<f64>() * h / 3.0;
            0.5 + half.copysign(x)
        };
        let (n1, n2, now) = (n(d1), n(d1 - v * t.sqrt()), k * (-r * t).exp());
        if put { now * (1.0 - n2) - s * (1.0 - n1) } else { s * n1 - now * n2 }
    }

    #[test]
    fn known_prices() {
        // S = K = 100, r = 0.05, v = 0.2, T = 1 (any textbook).
        assert!((price(100.0, 100.0, 0.05, 0.2, 1.0, false) - 10.4506).abs() < 2e-4);
        assert!((price(100.0, 100.0, 0.05, 0.2, 1.0, true) - 5.5735).abs() < 2e-4);
        assert!((exact([100.0, 100.0, 0.05, 0.2, 1.0], false) - 10.450_584).abs() < 1e-6);
    }

    #[test]
    fn prices_are_close_to_double_precision() {
        for (s, k) in [(10.0, 200.0), (200.0, 10.0), (100.0, 101.0), (55.0, 40.0), (20.0, 20.0)] {
            for (r, v, t) in [(0.0275, 0.05, 0.05), (0.1, 0.65, 1.0), (0.05, 0.3, 0.5)] {
                for put in [false, true] {
                    let found = price(s, k, r, v, t, put);
                    let expected = exact([s, k, r, v, t].map(f64::from), put);
                    assert!(
                        (f64::from(found) - expected).abs() < 1e-3,
                        "{s} {k} {r} {v} {t}: {found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn exp_and_ln_are_close_to_the_library() {
        for step in -8700..800 {
            let x = step as f32 / 100.0;
            let (found, expected) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((found / expected - 1.0).abs() < 2.5e-7, "exp {x}: {found} {expected}");
        }
        for step in 1..20_000 {
            let x = step as f32 / 1000.0;
            let (found, expected) = (f64::from(ln(x)), f64::from(x).ln());
            assert!(
                (found - expected).abs() < 1.5e-7 * expected.abs().max(0.5),
                "ln {x}: {found} {expected}"
            );
        }
        // Far below: nothing overflows.
        assert!(exp(-40_000.0) < 1e-37);
    }
}

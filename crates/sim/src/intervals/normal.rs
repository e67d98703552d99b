//! Quantiles of the normal distribution.

/// Below this probability, and above 1 less it, the tails have a formula of their own.
const TAIL: f64 = 0.024_25;

/// The value below which a standard normal number lies with this probability, 0 < p < 1.
///
/// The rational approximation of P. J. Acklam (2003), right to a relative 1.2e-9.
pub(super) fn quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
        1.0,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let polynomial = |factors: &[f64], x: f64| factors.iter().fold(0.0, |sum, factor| sum * x + factor);
    let tail = |p: f64| {
        let q = (-2.0 * libm::log(p)).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if p < TAIL {
        return tail(p);
    }
    if p > 1.0 - TAIL {
        return -tail(1.0 - p);
    }
    let q = p - 0.5;
    q * polynomial(&A, q * q) / polynomial(&B, q * q)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let tabled = [(0.5, 0.0), (0.841_344_746, 1.0), (0.975, 1.959_963_985), (0.999, 3.090_232_306)];
        for (p, value) in tabled {
            assert!((quantile(p) - value).abs() < 1e-7, "{p}: {}", quantile(p));
            assert!((quantile(1.0 - p) + value).abs() < 1e-7, "{p}");
        }
    }
}

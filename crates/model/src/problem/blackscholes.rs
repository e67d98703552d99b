//! Prices of options.

use super::{Work, times};

/// European options without dividends, priced by Black and Scholes, again and again: `options` times `runs` prices.
///
/// An option is 28 bytes: price of the share, strike, interest, volatility, time and type are read (6 x 4 B), the price is written (4 B). Its price is 69 FLOP, ln,
/// square root and three exponentials counted as one each: 9 for d1 and d2, 22 for each of two N() by the polynomial 26.2.17 of Abramowitz and Stegun, 3 for
/// K e^(-rT), 8 for call and put, and those five. 69 / 28 = 2.46 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlackScholes {
    /// How many options.
    pub options: u64,
    /// How often all of them are priced.
    pub runs: u64,
}

impl BlackScholes {
    /// FLOP of a price.
    pub const FLOP: u64 = 69;
    /// Bytes that pricing an option moves.
    pub const BYTES: u64 = 28;
    /// Options at most.
    pub const MOST_OPTIONS: u64 = 1 << 40;

    pub(super) fn step(&self) -> Work {
        Work { bytes: times(&[Self::BYTES, self.options]), flop: times(&[Self::FLOP, self.options]) }
    }

    pub(super) fn data_bytes(&self) -> u64 {
        times(&[Self::BYTES, self.options])
    }
}

/// The input `native` of PARSEC: 10,000,000 options, 100 runs.
impl Default for BlackScholes {
    fn default() -> Self {
        Self { options: 10_000_000, runs: 100 }
    }
}

//! Prices options by Black and Scholes, with the layout and distribution of PARSEC (Bienia 2011): five arrays of option parameters, one of
//! types, one of prices; a contiguous part for each thread, and any number of runs over all of them.
//!
//! An option moves 28 bytes (six numbers of 4 read, one written), and its price is 69 FLOP: the kernel is compute-bound.

mod formula;

pub use formula::FLOP;

use serde::{Deserialize, Serialize};

use crate::array::{AccessError, Array, elements};
use crate::fill::number;
use crate::kernel::{Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, compare, exactly};
use crate::loops::{Isa, Loops};
use crate::team::{Division, Team};

/// Bytes that pricing an option moves.
pub const BYTES: u64 = 28;
/// More than fits the memory of any machine.
const MOST: usize = 1 << 40;

/// The contents of the arrays.
const WHAT: [&str; 7] = ["prices of shares", "strikes", "rates", "volatilities", "times", "types", "prices"];

/// The number of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlackScholes {
    /// The number.
    pub options: usize,
}

/// Options, each parameter in a separate array.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The current price of the share.
    pub spot: &'a [f32],
    /// The price at which it may be bought or sold.
    pub strike: &'a [f32],
    /// Interest without risk, per year.
    pub rate: &'a [f32],
    /// Standard deviation of a year's returns.
    pub volatility: &'a [f32],
    /// Years until the option expires.
    pub time: &'a [f32],
    /// 0 of a call (may be bought), else a put (may be sold).
    pub put: &'a [u32],
}

/// Prices options, the number of elements that all arrays have.
pub fn price(isa: Isa, options: Options<'_>, prices: &mut [f32]) {
    match isa {
        // SAFETY: the processor has it.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Isa::Avx512 if isa.is_available() => unsafe { price_avx512(options, prices) },
        // SAFETY: the processor has it.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Isa::Avx2 if isa.is_available() => unsafe { price_avx2(options, prices) },
        _ => price_all(options, prices),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn price_avx512(options: Options<'_>, prices: &mut [f32]) {
    price_all(options, prices);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn price_avx2(options: Options<'_>, prices: &mut [f32]) {
    price_all(options, prices);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
fn price_all(options: Options<'_>, prices: &mut [f32]) {
    let Options { spot, strike, rate, volatility, time, put } = options;
    let lens = [spot.len(), strike.len(), rate.len(), volatility.len(), time.len(), put.len()];
    let len = lens.into_iter().fold(prices.len(), usize::min);
    // All of one length, so that the compiler sees that no index is beyond it.
    let (spot, strike, rate) = (&spot[..len], &strike[..len], &rate[..len]);
    let (volatility, time, put) = (&volatility[..len], &time[..len], &put[..len]);
    let prices = &mut prices[..len];
    for i in 0..len {
        prices[i] = formula::price(spot[i], strike[i], rate[i], volatility[i], time[i], put[i] != 0);
    }
}

/// The numbers of an option and whether it is a put; ranges that contain those of PARSEC's inputs.
fn option(index: usize) -> ([f32; 5], u32) {
    let ranges = [(10.0, 200.0), (10.0, 200.0), (0.0275, 0.1), (0.05, 0.65), (0.05, 1.0)];
    let mut which = 0;
    let numbers = ranges.map(|(least, most)| {
        let share = f64::midpoint(number(index, which), 1.0);
        which += 1;
        // To the nearest f32.
        #[allow(clippy::cast_possible_truncation)]
        let number = (least + (most - least) * share) as f32;
        number
    });
    (numbers, u32::from(number(index, which) < 0.0))
}

impl Problem for BlackScholes {
    fn name(&self) -> &'static str {
        "blackscholes"
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        SetupError::unless("options", self.options, 1..=MOST)?;
        let own = Lies::Divided(Division::even(self.options, team.parts()).times(4));
        // PARSEC has the first five in one buffer, of which a part has five pieces; in separate arrays, each piece may be placed with its
        // part.
        Ok(WHAT.map(|what| Need::new(what, 4 * self.options, own.clone())).into())
    }

    fn work(&self) -> Work {
        let options = self.options as u64;
        Work { bytes: BYTES * options, flop: FLOP * options }
    }

    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let [spot, strike, rate, volatility, time, types, prices] = exactly(memory)?;
        let division = Division::even(self.options, team.parts());
        let mut what = WHAT.into_iter();
        let mut next =
            |memory| Array::new(what.next().unwrap_or_default(), elements::<f32>(memory), division.clone());
        let numbers = [next(spot)?, next(strike)?, next(rate)?, next(volatility)?, next(time)?];
        let types = Array::new("types", elements(types), division.clone())?;
        let prices = Array::new("prices", elements(prices), division)?;
        Ok(Box::new(Placed { isa: loops.isa, numbers, types, prices }))
    }
}

/// Options in memory.
struct Placed<'m> {
    isa: Isa,
    numbers: [Array<'m, f32>; 5],
    types: Array<'m, u32>,
    prices: Array<'m, f32>,
}

impl Placed<'_> {
    /// Prices some options into `prices`.
    fn price(&self, isa: Isa, range: std::ops::Range<usize>, prices: &mut [f32]) -> Result<(), AccessError> {
        let [spot, strike, rate, volatility, time] = &self.numbers;
        let (spot, strike, rate) = (spot.read()?, strike.read()?, rate.read()?);
        let (volatility, time, put) = (volatility.read()?, time.read()?, self.types.read()?);
        let options = Options {
            spot: spot.get(range.clone()).unwrap_or_default(),
            strike: strike.get(range.clone()).unwrap_or_default(),
            rate: rate.get(range.clone()).unwrap_or_default(),
            volatility: volatility.get(range.clone()).unwrap_or_default(),
            time: time.get(range.clone()).unwrap_or_default(),
            put: put.get(range).unwrap_or_default(),
        };
        price(isa, options, prices);
        Ok(())
    }
}

impl Kernel for Placed<'_> {
    fn parts(&self) -> usize {
        self.prices.division().parts()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let [spot, strike, rate, volatility, time] = &self.numbers;
        let mut numbers = [
            spot.write(part)?,
            strike.write(part)?,
            rate.write(part)?,
            volatility.write(part)?,
            time.write(part)?,
        ];
        let (mut types, mut prices) = (self.types.write(part)?, self.prices.write(part)?);
        for (place, index) in self.prices.division().range(part).enumerate() {
            let (values, put) = option(index);
            for (array, value) in numbers.iter_mut().zip(values) {
                array[place] = value;
            }
            types[place] = put;
        }
        prices.fill(0.0);
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        false
    }

    fn run(&self, part: usize, _: u64) -> Result<(), AccessError> {
        let mut prices = self.prices.write(part)?;
        self.price(self.isa, self.prices.division().range(part), &mut prices)
    }

    fn work(&self, part: usize) -> Work {
        BlackScholes { options: self.prices.division().range(part).len() }.work()
    }

    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        /// Options at a time, so that the serial run needs little memory.
        const SOME: usize = 4096;
        let (found, mut serial) = (self.prices.read()?, vec![0.0; SOME]);
        let own = self.prices.division().range(part);
        for from in own.clone().step_by(SOME) {
            let range = from..own.end.min(from + SOME);
            let serial = &mut serial[..range.len()];
            serial.fill(0.0);
            if steps.get(part).is_some_and(|&steps| steps > 0) {
                self.price(Isa::Portable, range.clone(), serial)?;
            }
            let double = |price: &f32| f64::from(*price);
            compare("prices", found[range].iter().map(double), serial.iter().map(double))
                .map_err(|wrong| wrong.moved(from))?;
        }
        Ok(())
    }
}

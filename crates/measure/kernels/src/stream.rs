//! The four kernels of STREAM (McCalpin 1995): copy, scale, add and triad on arrays that do not fit the caches.
//!
//! Bytes are counted by its rule: two or three arrays of 8 bytes per element, without the lines that caches read before they are written.

use crate::array::{AccessError, Array};
use crate::fill::bits;
use crate::kernel::{Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, compare, exactly};
use crate::loops::{Loops, Stores};
use crate::simd::Vector;
use crate::sweep::{Elementwise, sweep};
use crate::team::{Division, Team};

/// More than fits the memory of any machine.
const MOST: usize = 1 << 43;

numasim_model::words! {
    /// The operation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Operation {
        /// c = a: 16 bytes, no FLOP.
        Copy = "copy",
        /// c = s a: 16 bytes, 1 FLOP.
        Scale = "scale",
        /// c = a + b: 24 bytes, 1 FLOP.
        Add = "add",
        /// c = a + s b: 24 bytes, 2 FLOP.
        Triad = "triad",
    }
}

impl Operation {
    /// The work of an element.
    const fn each(self) -> Work {
        match self {
            Self::Copy => Work { bytes: 16, flop: 0 },
            Self::Scale => Work { bytes: 16, flop: 1 },
            Self::Add => Work { bytes: 24, flop: 1 },
            Self::Triad => Work { bytes: 24, flop: 2 },
        }
    }

    const fn reads_two(self) -> bool {
        matches!(self, Self::Add | Self::Triad)
    }
}

/// One of the four, repeated, always with the same arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Elements of each array.
    pub elements: usize,
    /// The operation.
    pub operation: Operation,
}

/// s of a step: it changes, so that every step of `scale` and `triad` writes other values than the previous one.
fn factor(step: u64) -> f64 {
    if step.is_multiple_of(2) { 3.0 } else { 5.0 }
}

/// An element of a (0) or b (1): a whole number from 0 to 255, with which all results are exact.
fn element(array: usize, index: usize) -> f64 {
    (bits(index, array) >> 56) as f64
}

#[derive(Clone, Copy)]
struct Copied;
#[derive(Clone, Copy)]
struct Scaled(f64);
#[derive(Clone, Copy)]
struct Added;
#[derive(Clone, Copy)]
struct Triad(f64);

/// An operation with its formula.
macro_rules! formula {
    ($operation:ty, $inputs:literal, |$self:ident, $a:ident, $b:ident| $result:expr) => {
        impl Elementwise for $operation {
            const INPUTS: usize = $inputs;

            #[inline(always)]
            #[allow(unsafe_code, unsafe_op_in_unsafe_fn)] // of the instruction set, which the caller checks
            #[allow(clippy::inline_always, reason = "a part of loops")]
            unsafe fn apply<L: Vector>($self, $a: L, $b: L) -> L {
                $result
            }
        }
    };
}
formula!(Copied, 1, |self, a, _b| a);
formula!(Scaled, 1, |self, a, _b| L::splat(self.0).multiply(a));
formula!(Added, 2, |self, a, b| a.add(b));
formula!(Triad, 2, |self, a, b| a.add(L::splat(self.0).multiply(b)));

impl Problem for Stream {
    fn name(&self) -> &'static str {
        self.operation.as_str()
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        SetupError::unless("elements", self.elements, 1..=MOST)?;
        let lies = Lies::Divided(Division::even(self.elements, team.parts()).times(8));
        Ok(["elements of a", "elements of b", "elements of c"]
            .map(|what| Need::new(what, 8 * self.elements, lies.clone()))
            .into())
    }

    fn work(&self) -> Work {
        let (elements, each) = (self.elements as u64, self.operation.each());
        Work { bytes: elements * each.bytes, flop: elements * each.flop }
    }

    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let [a, b, c] = exactly(memory)?;
        let parts = Division::even(self.elements, team.parts());
        Ok(Box::new(Placed {
            loops,
            operation: self.operation,
            a: Array::new("elements of a", a, parts.clone())?,
            b: Array::new("elements of b", b, parts.clone())?,
            c: Array::new("elements of c", c, parts)?,
        }))
    }
}

/// Three arrays in memory.
struct Placed<'m> {
    loops: Loops,
    operation: Operation,
    a: Array<'m, f64>,
    b: Array<'m, f64>,
    c: Array<'m, f64>,
}

impl Kernel for Placed<'_> {
    fn parts(&self) -> usize {
        self.c.division().parts()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        for (number, array) in [&self.a, &self.b].into_iter().enumerate() {
            let mut own = array.write(part)?;
            for (index, to) in array.division().range(part).zip(own.iter_mut()) {
                *to = element(number, index);
            }
        }
        self.c.write(part)?.fill(0.0);
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        false
    }

    fn run(&self, part: usize, step: u64) -> Result<(), AccessError> {
        let (a, b, mut c) = (self.a.read()?, self.b.read()?, self.c.write(part)?);
        let own = self.c.division().range(part);
        let (a, b) = (a.get(own.clone()).unwrap_or_default(), b.get(own).unwrap_or_default());
        let loops = self.loops;
        let past = loops.way.map_or(Stores::Streaming, |way| way.stores);
        match self.operation {
            Operation::Copy => sweep(loops, past, Copied, a, b, &mut c),
            Operation::Scale => sweep(loops, past, Scaled(factor(step)), a, b, &mut c),
            Operation::Add => sweep(loops, past, Added, a, b, &mut c),
            Operation::Triad => sweep(loops, past, Triad(factor(step)), a, b, &mut c),
        }
        Ok(())
    }

    fn work(&self, part: usize) -> Work {
        Stream { elements: self.c.division().range(part).len(), operation: self.operation }.work()
    }

    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        let last = steps.get(part).and_then(|steps| steps.checked_sub(1));
        let value = |index| {
            let Some(last) = last else { return 0.0 };
            let b = if self.operation.reads_two() { element(1, index) } else { 0.0 };
            match self.operation {
                Operation::Copy => element(0, index),
                Operation::Scale => factor(last) * element(0, index),
                Operation::Add => element(0, index) + b,
                Operation::Triad => element(0, index) + factor(last) * b,
            }
        };
        let own = self.c.division().range(part);
        let same = |what, array: &Array<'_, f64>, expected: &dyn Fn(usize) -> f64| {
            let all = array.read()?;
            let found = all.get(own.clone()).unwrap_or_default();
            compare(what, found.iter().copied(), own.clone().map(expected))
                .map_err(|wrong| wrong.moved(own.start))
        };
        same("elements of a", &self.a, &|index| element(0, index))?;
        same("elements of b", &self.b, &|index| element(1, index))?;
        same("elements of c", &self.c, &value)
    }
}

//! The common interface of all kernels: memory that they need, parts that threads run step by step, work that is counted, and a result that
//! is checked.
//!
//! A [`Problem`] is data: a size and a variant. [`Problem::arrays`] returns the memory that a team needs for it; the caller decides on its
//! placement. On this memory it becomes a [`Kernel`], and each thread prepares and runs its part of it.

use crate::array::{AccessError, TooSmall};
use crate::loops::{Isa, Loops, names};
use crate::team::{Division, Team};

/// The work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes moved to or from memory, as the kernel counts them: by the rule of [`numasim_model::Access`], without lines that a processor
    /// reads only because it writes to them (write-allocate).
    pub bytes: u64,
    /// Floating-point operations.
    pub flop: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, more: Self) {
        self.bytes += more.bytes;
        self.flop += more.flop;
    }
}

impl std::iter::Sum for Work {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, work| {
            sum += work;
            sum
        })
    }
}

/// The parts that access an array, which determine its possible placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lies {
    /// All parts access the whole array.
    Shared,
    /// Each part accesses its own elements; the division is in bytes.
    Divided(Division),
    /// The parts of one group access it.
    Group(usize),
    /// One part accesses it.
    Own(usize),
}

/// An array that a kernel needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Its contents, in the plural.
    pub what: &'static str,
    /// Its size.
    pub bytes: usize,
    /// The parts that access it.
    pub lies: Lies,
    /// It must be new: a page that was touched before would change the measurement.
    pub untouched: bool,
}

impl Need {
    /// Memory that may have been used before.
    pub fn new(what: &'static str, bytes: usize, lies: Lies) -> Self {
        Self { what, bytes, lies, untouched: false }
    }

    /// Elements of `f64` that hold it.
    pub fn words(&self) -> usize {
        self.bytes.div_ceil(size_of::<f64>())
    }
}

/// The reason why there is no such kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The processor lacks the instruction set.
    #[error("this processor does not support {isa}; it has {}", names(&Isa::available()))]
    Unavailable {
        /// The requested instruction set.
        isa: Isa,
    },
    /// A size is out of range.
    #[error("{what} {given}: from {least} to {most} are possible")]
    Size {
        /// The name of the size, in the plural.
        what: &'static str,
        /// The requested size.
        given: usize,
        /// The minimum.
        least: usize,
        /// The maximum.
        most: usize,
    },
    /// Some arrays are missing.
    #[error("the kernel needs {needed} arrays, and gets {given}")]
    Arrays {
        /// Number of arrays that it needs.
        needed: usize,
        /// Number of arrays that it got.
        given: usize,
    },
    /// An array is too small.
    #[error(transparent)]
    TooSmall(#[from] TooSmall),
}

impl SetupError {
    /// Checks a size.
    pub(crate) fn unless(
        what: &'static str,
        given: usize,
        possible: std::ops::RangeInclusive<usize>,
    ) -> Result<(), Self> {
        let (least, most) = (*possible.start(), *possible.end());
        if possible.contains(&given) { Ok(()) } else { Err(Self::Size { what, given, least, most }) }
    }
}

/// A problem that threads cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRunnable {
    /// Only the first copy finds memory that is new.
    #[error(
        "\"memcpy\" with faults = \"inside\" can be run with copies = 1, not {copies}: only the first copy finds memory that is new"
    )]
    Copies {
        /// Requested number of copies.
        copies: u64,
    },
}

/// A kernel computed a wrong result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrongResult {
    /// An element differs from that of a serial run.
    #[error("element {index} of the {what} is {found} instead of {expected}")]
    Element {
        /// The name of the elements, in the plural.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The computed value.
        found: f64,
        /// The correct value.
        expected: f64,
    },
    /// Parts that wait for each other did different numbers of steps.
    #[error("part {part} took {found} steps, part 0 {expected}: they did not wait for each other")]
    Steps {
        /// The part.
        part: usize,
        /// Its steps.
        found: u64,
        /// Those of the first part.
        expected: u64,
    },
    /// The data is right, but the results computed from it are not.
    #[error("sums over the data are {found:x?} instead of {expected:x?}")]
    Sums {
        /// The results of the kernel, in a separate form.
        found: [u64; 2],
        /// The correct results.
        expected: [u64; 2],
    },
    /// Another thread still works on it.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl WrongResult {
    /// Adds `by` to the index, for a part that starts there in the whole.
    pub(crate) fn moved(self, by: usize) -> Self {
        match self {
            Self::Element { what, index, found, expected } => {
                Self::Element { what, index: index + by, found, expected }
            }
            other => other,
        }
    }
}

/// A problem of a certain size in a certain variant: data, without memory.
pub trait Problem: Send + Sync {
    /// Its name in files.
    fn name(&self) -> &'static str;

    /// The arrays that a team needs, in the order in which [`Self::on`] gets them.
    ///
    /// # Errors
    /// [`SetupError::Size`]: the problem is too large or too small.
    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError>;

    /// The work of one step, all parts together.
    fn work(&self) -> Work;

    /// The kernel for a team on memory, with at least [`Need::words`] for each array, with these loops.
    ///
    /// # Errors
    /// [`SetupError`].
    fn on<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let (needed, given) = (self.arrays(team)?.len(), memory.len());
        if needed != given {
            return Err(SetupError::Arrays { needed, given });
        }
        let isa = loops.isa;
        if !isa.is_available() {
            return Err(SetupError::Unavailable { isa });
        }
        self.place(team, loops, memory)
    }

    /// The result of [`Self::on`], with the required number of arrays and an instruction set that this processor has.
    ///
    /// # Errors
    /// [`SetupError::TooSmall`], and errors that only the arrays show.
    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError>;
}

/// A problem on its memory, for the threads of a team.
///
/// First every part is prepared. Then threads run their parts, each step by step from 0. A step takes micro- to milliseconds. It allocates
/// nothing and waits for no other part.
pub trait Kernel: Send + Sync {
    /// Number of parts.
    fn parts(&self) -> usize;

    /// Writes the initial values of a part. The first write decides on the placement of memory: called by the thread of the part, or by one
    /// thread for all parts.
    ///
    /// # Errors
    /// [`AccessError`]: called before all parts have ended, or no such part.
    fn prepare(&self, part: usize) -> Result<(), AccessError>;

    /// Whether a step may start only when all parts have done the previous one.
    fn in_lockstep(&self) -> bool;

    /// Number of phases of a step; in lockstep all parts have done one before the next starts.
    fn phases(&self) -> u64 {
        1
    }

    /// Number of equivalent steps, if not all are: later ones measure something else, and use new memory.
    fn most_steps(&self) -> Option<u64> {
        None
    }

    /// Runs a step of a part; if a step has several [phases](Self::phases), one of them. In that case `step` of phase p of step s is s
    /// times the number of phases, plus p.
    ///
    /// # Errors
    /// [`AccessError`]: another part is not at the same step, or no such part.
    fn run(&self, part: usize, step: u64) -> Result<(), AccessError>;

    /// The work of a step of a part.
    fn work(&self, part: usize) -> Work;

    /// Compares the results of a part with a serial run, bit by bit, given the steps of each part since they were prepared. Parts may be
    /// checked at the same time, when all of them have ended. All checks together cover every result, and take about as long as a serial
    /// run.
    ///
    /// # Errors
    /// [`WrongResult`]: the counted work was not done.
    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult>;

    /// The checks of all parts.
    ///
    /// # Errors
    /// See [`Self::check_part`].
    fn check(&self, steps: &[u64]) -> Result<(), WrongResult> {
        (0..self.parts()).try_for_each(|part| self.check_part(part, steps))
    }
}

/// The number of steps of all parts, if it is the same.
pub(crate) fn common_steps(steps: &[u64]) -> Result<u64, WrongResult> {
    let expected = steps.first().copied().unwrap_or(0);
    match steps.iter().position(|&found| found != expected) {
        Some(part) => {
            let found = steps.get(part).copied().unwrap_or(0);
            Err(WrongResult::Steps { part, found, expected })
        }
        None => Ok(expected),
    }
}

/// The first element that differs from its correct value in any bit.
pub(crate) fn compare(
    what: &'static str,
    found: impl IntoIterator<Item = f64>,
    expected: impl IntoIterator<Item = f64>,
) -> Result<(), WrongResult> {
    let mut both = found.into_iter().zip(expected).enumerate();
    match both.find(|(_, (found, expected))| found.to_bits() != expected.to_bits()) {
        Some((index, (found, expected))) => Err(WrongResult::Element { what, index, found, expected }),
        None => Ok(()),
    }
}

/// Exactly this number of arrays.
pub(crate) fn exactly<const N: usize>(memory: Vec<&mut [f64]>) -> Result<[&mut [f64]; N], SetupError> {
    let given = memory.len();
    memory.try_into().map_err(|_| SetupError::Arrays { needed: N, given })
}

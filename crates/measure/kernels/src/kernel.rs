//! What all kernels are to whoever runs them: memory that is needed, parts that threads work on step by step, work that is counted, and a result that
//! is looked at.
//!
//! A [`Problem`] is data: how large, and in which variant. [`Problem::arrays`] says what memory a team needs for it; somebody else decides
//! where that lies. On this memory it becomes a [`Kernel`], of which each thread prepares and runs its part.

use crate::array::{AccessError, TooSmall};
use crate::loops::{Isa, Loops, names};
use crate::team::{Division, Team};

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes moved to or from memory, as the kernel counts them: by the rule of [`numasim_model::Access`], lines that a processor reads
    /// only because it writes to them (write-allocate) left out.
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

/// Who accesses an array, and so where it may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lies {
    /// All parts access all of it.
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
    /// What it holds, in the plural.
    pub what: &'static str,
    /// Its size.
    pub bytes: usize,
    /// Who accesses it.
    pub lies: Lies,
    /// It must be new: a page of it that was touched before would change what is measured.
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

/// Why there is no such kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The processor lacks the instruction set.
    #[error("this processor does not support {isa}; it has {}", names(&Isa::available()))]
    Unavailable {
        /// What was asked for.
        isa: Isa,
    },
    /// A size is out of range.
    #[error("{what} {given}: from {least} to {most} are possible")]
    Size {
        /// Which, in the plural.
        what: &'static str,
        /// What was asked for.
        given: usize,
        /// The least.
        least: usize,
        /// The greatest.
        most: usize,
    },
    /// Not all arrays are there.
    #[error("the kernel needs {needed} arrays, and gets {given}")]
    Arrays {
        /// How many it needs.
        needed: usize,
        /// How many there are.
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

/// A problem that no threads can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRunnable {
    /// Only the first copy finds memory that is new.
    #[error(
        "\"memcpy\" with faults = \"inside\" can be run with copies = 1, not {copies}: only the first copy finds memory that is new"
    )]
    Copies {
        /// How many are wanted.
        copies: u64,
    },
}

/// A kernel did not compute what it must.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrongResult {
    /// An element is not that of a serial run.
    #[error("element {index} of the {what} is {found} instead of {expected}")]
    Element {
        /// Of what, in the plural.
        what: &'static str,
        /// Its place.
        index: usize,
        /// What it is.
        found: f64,
        /// What it must be.
        expected: f64,
    },
    /// Parts that wait for each other did not take as many steps.
    #[error("part {part} took {found} steps, part 0 {expected}: they did not wait for each other")]
    Steps {
        /// The part.
        part: usize,
        /// Its steps.
        found: u64,
        /// Those of the first part.
        expected: u64,
    },
    /// The data are right, but not what was computed from them.
    #[error("sums over the data are {found:x?} instead of {expected:x?}")]
    Sums {
        /// What the kernel computed, in a form of its own.
        found: [u64; 2],
        /// What it must be.
        expected: [u64; 2],
    },
    /// Somebody still works on it.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl WrongResult {
    /// The place in the whole of what begins `by` elements before.
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
    /// The word that stands for it.
    fn name(&self) -> &'static str;

    /// The arrays that a team needs, in the order in which [`Self::on`] gets them.
    ///
    /// # Errors
    /// [`SetupError::Size`]: the problem is too large or too small.
    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError>;

    /// The work of one step, all parts together.
    fn work(&self) -> Work;

    /// The kernel for a team on memory, with at least [`Need::words`] for each array, whose loops run like that.
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

    /// What [`Self::on`] gives, with as many arrays as are needed and an instruction set that this processor has.
    ///
    /// # Errors
    /// [`SetupError::TooSmall`], and what else only the arrays tell.
    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError>;
}

/// A problem on its memory, for the threads of a team.
///
/// First every part is prepared; after that threads run their parts, each step by step from 0. A step takes micro- to milliseconds, in which
/// nothing is allocated and no other part waited for.
pub trait Kernel: Send + Sync {
    /// How many parts.
    fn parts(&self) -> usize;

    /// Writes what a part begins with. The first to write decides where memory lies: called by the thread of the part, or by one thread for
    /// all parts.
    ///
    /// # Errors
    /// [`AccessError`]: not before all parts have ended, or no such part.
    fn prepare(&self, part: usize) -> Result<(), AccessError>;

    /// Whether a step may begin only when all parts have done the one before.
    fn in_lockstep(&self) -> bool;

    /// Into how many phases a step is divided; in lockstep all parts have done one before the next begins.
    fn phases(&self) -> u64 {
        1
    }

    /// How many steps are alike, if not all: what is measured of later ones is something else, and takes new memory.
    fn most_steps(&self) -> Option<u64> {
        None
    }

    /// Runs a step of a part; where a step has several [phases](Self::phases), one of them: number p of step s is `step` s times as many as there are, and p.
    ///
    /// # Errors
    /// [`AccessError`]: another part is not at the same step, or no such part.
    fn run(&self, part: usize, step: u64) -> Result<(), AccessError>;

    /// The work of a step of a part.
    fn work(&self, part: usize) -> Work;

    /// Compares what a part answers for with a serial run, bit by bit, where parts took so many steps since they were prepared. Parts may be checked at
    /// the same time, when all of them have ended; all checks together see every result, and take about as long as a serial run.
    ///
    /// # Errors
    /// [`WrongResult`]: what was counted was not computed.
    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult>;

    /// The checks of all parts.
    ///
    /// # Errors
    /// See [`Self::check_part`].
    fn check(&self, steps: &[u64]) -> Result<(), WrongResult> {
        (0..self.parts()).try_for_each(|part| self.check_part(part, steps))
    }
}

/// The steps of all parts, where they are the same.
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

/// The first element that differs from what it must be, in any bit.
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

/// Exactly so many arrays.
pub(crate) fn exactly<const N: usize>(memory: Vec<&mut [f64]>) -> Result<[&mut [f64]; N], SetupError> {
    let given = memory.len();
    memory.try_into().map_err(|_| SetupError::Arrays { needed: N, given })
}

//! Copies memory: each part copies a whole source into a separate destination.
//!
//! A copied byte counts twice, once read and once written. Through the caches each line of the destination is also read before, which is
//! not counted.

use numasim_model::problem::{Faults, How, Source};
use serde::{Deserialize, Serialize};

use crate::array::{AccessError, Array};
use crate::kernel::{Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, compare};
use crate::loops::{Loops, Stores};
use crate::simd::Vector;
use crate::sweep::{Elementwise, sweep};
use crate::team::{Division, Team};

/// More than fits the memory of any machine.
const MOST: usize = 1 << 43;
/// Pages of the destination are touched this far apart, in elements: 4096 bytes.
const PAGE: usize = 512;

/// A copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memcpy {
    /// Words of 8 bytes that each part copies.
    pub words: usize,
    /// The owner of the source.
    pub source: Source,
    /// When pages are touched.
    pub faults: Faults,
    /// The code that copies.
    pub how: How,
}

impl Memcpy {
    /// Number of sources.
    fn sources(&self, team: &Team) -> usize {
        match self.source {
            Source::Shared => 1,
            Source::PerNode => team.groups(),
            Source::Own => team.parts(),
        }
    }

    /// The source of a part.
    fn source_of(&self, team: &Team, part: usize) -> usize {
        match self.source {
            Source::Shared => 0,
            Source::PerNode => team.group(part).unwrap_or(0),
            Source::Own => part,
        }
    }

    fn each(&self) -> Work {
        Work { bytes: 16 * self.words as u64, flop: 0 }
    }
}

/// The words of a source: the generator of Lehmer with the multiplier of Park, Miller and Stockmeyer (1993).
fn words() -> impl Iterator<Item = f64> {
    let next = |x: &u32| u32::try_from(u64::from(*x) * 48_271 % 0x7FFF_FFFF).ok();
    std::iter::successors(Some(1), next).map(f64::from)
}

impl Problem for Memcpy {
    fn name(&self) -> &'static str {
        "memcpy"
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        SetupError::unless("words", self.words, 1..=MOST)?;
        let lies = |number| match self.source {
            Source::Shared => Lies::Shared,
            Source::PerNode => Lies::Group(number),
            Source::Own => Lies::Own(number),
        };
        let sources = (0..self.sources(team)).map(|number| Need::new("words", 8 * self.words, lies(number)));
        let copies = (0..team.parts()).map(|part| {
            let untouched = self.faults == Faults::Inside;
            Need { untouched, ..Need::new("copies of words", 8 * self.words, Lies::Own(part)) }
        });
        Ok(sources.chain(copies).collect())
    }

    /// The work of one part: the number of copies depends on the team.
    fn work(&self) -> Work {
        self.each()
    }

    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        mut memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let copies = memory.split_off(self.sources(team));
        let array = |what| move |memory| Array::new(what, memory, Division::even(self.words, 1));
        Ok(Box::new(Placed {
            loops,
            problem: *self,
            team: team.clone(),
            sources: memory.into_iter().map(array("words")).collect::<Result<_, _>>()?,
            copies: copies.into_iter().map(array("copies of words")).collect::<Result<_, _>>()?,
        }))
    }
}

/// Sources and copies in memory.
struct Placed<'m> {
    loops: Loops,
    problem: Memcpy,
    team: Team,
    sources: Vec<Array<'m, f64>>,
    copies: Vec<Array<'m, f64>>,
}

/// The identity.
#[derive(Clone, Copy)]
struct Same;

impl Elementwise for Same {
    const INPUTS: usize = 1;

    #[inline(always)]
    #[allow(unsafe_code)] // the trait's; nothing unsafe is done
    #[allow(clippy::inline_always, reason = "a part of loops")]
    unsafe fn apply<L: Vector>(self, a: L, _: L) -> L {
        a
    }
}

impl<'m> Placed<'m> {
    fn source(&self, part: usize) -> Result<&Array<'m, f64>, AccessError> {
        let found = self.sources.get(self.problem.source_of(&self.team, part));
        found.ok_or(AccessError::NoPart { what: "words", part, parts: self.copies.len() })
    }

    /// Whether a part is responsible for its source.
    fn fills(&self, part: usize) -> bool {
        match self.problem.source {
            Source::Shared => part == 0,
            Source::PerNode => self.team.is_first(part),
            Source::Own => true,
        }
    }

    fn copy(&self, part: usize) -> Result<&Array<'m, f64>, AccessError> {
        let parts = self.copies.len();
        self.copies.get(part).ok_or(AccessError::NoPart { what: "copies of words", part, parts })
    }
}

impl Kernel for Placed<'_> {
    fn parts(&self) -> usize {
        self.copies.len()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        if self.fills(part) {
            let mut source = self.source(part)?.write(0)?;
            source.iter_mut().zip(words()).for_each(|(to, word)| *to = word);
        }
        if self.problem.faults == Faults::Before {
            let mut copy = self.copy(part)?.write(0)?;
            copy.iter_mut().step_by(PAGE).for_each(|word| *word = 0.0);
        }
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        false
    }

    fn most_steps(&self) -> Option<u64> {
        (self.problem.faults == Faults::Inside).then_some(1)
    }

    fn run(&self, part: usize, _: u64) -> Result<(), AccessError> {
        let (source, mut copy) = (self.source(part)?.read()?, self.copy(part)?.write(0)?);
        match self.problem.how {
            How::Streaming => sweep(self.loops, Stores::Streaming, Same, &source, &[], &mut copy),
            How::Cached => sweep(self.loops, Stores::Cached, Same, &source, &[], &mut copy),
            How::Library => copy.copy_from_slice(&source),
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        self.problem.each()
    }

    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        let source = self.source(part)?.read()?;
        if self.fills(part) {
            compare("words", source.iter().copied(), words())?;
        }
        if steps.get(part).is_some_and(|&steps| steps > 0) {
            compare("copies of words", self.copy(part)?.read()?.iter().copied(), source.iter().copied())?;
        }
        Ok(())
    }
}

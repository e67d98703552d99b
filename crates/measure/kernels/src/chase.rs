//! Chains of addresses: each line of memory contains the number of the next one, in random order, so that nothing can be prefetched.
//!
//! One chain shows the latency of a memory: a hop cannot start before the previous one has ended. Several at once show how many lines a
//! core waits for at the same time: beyond that number they become slower. For a chain in memory that does not fit the caches, a hop loads
//! one line of 64 bytes, and nothing is computed. Page size also matters: with small pages most hops also wait for the page table.

use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Serialize};

use crate::array::{AccessError, Array, elements};
use crate::fill::bits;
use crate::kernel::{Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, compare};
use crate::loops::Loops;
use crate::team::{Division, Team};

/// Words of a line of 64 bytes.
const LINE: usize = 8;
/// Hops of each chain in a step: at 100 ns each it takes 0.4 ms.
pub const HOPS: usize = 4096;
/// Maximum number of chains: above the number of lines that current cores wait for.
pub const MOST_CHAINS: usize = 32;
/// Maximum number of lines: 256 GiB.
const MOST: usize = u32::MAX as usize;

/// Chains for each part, in separate memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chase {
    /// Lines of 64 bytes of each part.
    pub lines: usize,
    /// Chains that each part follows at once.
    pub chains: usize,
}

impl Chase {
    fn each(&self) -> Work {
        Work { bytes: (64 * HOPS * self.chains) as u64, flop: 0 }
    }

    /// All lines of a part in the order in which they are visited: one circle.
    fn circle(&self, part: usize) -> Vec<u32> {
        // Below 2^32 lines.
        let mut order: Vec<u32> = (0..self.lines).filter_map(|line| u32::try_from(line).ok()).collect();
        // Fisher and Yates (Knuth, The Art of Computer Programming 2, 3.4.2); the bias is below 2^-32.
        for last in (1..order.len()).rev() {
            let other = bits(last, part) % (last as u64 + 1);
            order.swap(last, usize::try_from(other).unwrap_or(last));
        }
        order
    }

    /// Position of a chain in the circle after this number of hops. Chains start as far from each other as possible: a line is visited
    /// again, by any chain, only after all others.
    fn place(&self, chain: usize, hops: u64) -> usize {
        let (lines, chains) = (self.lines as u64, self.chains.max(1) as u64);
        let place = (chain as u64 * lines / chains + hops % lines) % lines;
        usize::try_from(place).unwrap_or(0)
    }
}

/// Follows K chains for [`HOPS`] hops; addresses are indices into `memory`.
fn follow<const K: usize>(memory: &[u64], chains: &mut [u64]) {
    let Some(chains) = chains.first_chunk_mut::<K>() else { return };
    // Kept in registers during the hops.
    let mut at = *chains;
    for _ in 0..HOPS {
        for at in &mut at {
            // The check would detect an index out of range.
            *at = usize::try_from(*at).ok().and_then(|at| memory.get(at)).copied().unwrap_or(0);
        }
    }
    *chains = at;
}

/// The code for each number of chains, from 1.
macro_rules! follow {
    ($($chains:literal)*) => {
        [$(follow::<$chains>),*]
    };
}
type Follow = fn(&[u64], &mut [u64]);
const FOLLOW: [Follow; MOST_CHAINS] =
    follow!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);

impl Problem for Chase {
    fn name(&self) -> &'static str {
        "chase"
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        SetupError::unless("chains", self.chains, 1..=MOST_CHAINS)?;
        SetupError::unless("lines", self.lines, self.chains..=MOST)?;
        let need = |part| Need::new("chains", 64 * self.lines, Lies::Own(part));
        Ok((0..team.parts()).map(need).collect())
    }

    /// The work of one part, whose hops do not depend on the number of parts.
    fn work(&self) -> Work {
        self.each()
    }

    /// Nothing runs ahead of a chain.
    fn place<'m>(
        &self,
        _: &Team,
        _: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let whole = Division::even(LINE * self.lines, 1);
        let array = |memory| Array::new("chains", elements(memory), whole.clone());
        let parts = memory.into_iter().map(|memory| {
            Ok::<_, SetupError>(Part { memory: array(memory)?, chains: Mutex::new(vec![0; self.chains]) })
        });
        Ok(Box::new(Placed { problem: *self, parts: parts.collect::<Result<_, _>>()? }))
    }
}

/// Chains of a part.
struct Part<'m> {
    memory: Array<'m, u64>,
    /// The position of each. Only the thread of the part locks it.
    chains: Mutex<Vec<u64>>,
}

impl Part<'_> {
    fn chains(&self) -> Result<MutexGuard<'_, Vec<u64>>, AccessError> {
        self.chains.try_lock().map_err(|_| AccessError::Busy { what: "chains" })
    }
}

/// Chains in memory.
struct Placed<'m> {
    problem: Chase,
    parts: Vec<Part<'m>>,
}

impl<'m> Placed<'m> {
    fn part(&self, part: usize) -> Result<&Part<'m>, AccessError> {
        let parts = self.parts.len();
        self.parts.get(part).ok_or(AccessError::NoPart { what: "chains", part, parts })
    }
}

/// The first word of a line.
fn word(line: u32) -> u64 {
    LINE as u64 * u64::from(line)
}

impl Kernel for Placed<'_> {
    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let own = self.part(part)?;
        let (mut memory, mut chains) = (own.memory.write(0)?, own.chains()?);
        memory.fill(0);
        let circle = self.problem.circle(part);
        let next = circle.iter().cycle().skip(1);
        for (&line, &next) in circle.iter().zip(next) {
            if let Some(first) = memory.get_mut(LINE * line as usize) {
                *first = word(next);
            }
        }
        for (chain, at) in chains.iter_mut().enumerate() {
            *at = circle.get(self.problem.place(chain, 0)).map_or(0, |&line| word(line));
        }
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        false
    }

    fn run(&self, part: usize, _: u64) -> Result<(), AccessError> {
        let own = self.part(part)?;
        let (memory, mut chains) = (own.memory.read()?, own.chains()?);
        if let Some(follow) = FOLLOW.get(self.problem.chains - 1) {
            follow(&memory, &mut chains);
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        self.problem.each()
    }

    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        let own = self.part(part)?;
        let (memory, chains) = (own.memory.read()?, own.chains()?);
        let circle = self.problem.circle(part);
        // The circle once, in the order of a serial run; then the positions at which its hops end.
        let visited =
            circle.iter().map(|&line| memory.get(LINE * line as usize).map_or(f64::NAN, |&at| at as f64));
        let next = circle.iter().cycle().skip(1);
        compare("lines of a circle", visited, next.map(|&line| word(line) as f64))?;
        let hops = steps.get(part).copied().unwrap_or(0).wrapping_mul(HOPS as u64);
        let places = (0..self.problem.chains).map(|chain| self.problem.place(chain, hops));
        let ends = places.map(|place| circle.get(place).map_or(f64::NAN, |&line| word(line) as f64));
        compare("places of chains", chains.iter().map(|&at| at as f64), ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_has_every_line_once() {
        let mut circle = Chase { lines: 1000, chains: 1 }.circle(3);
        assert!(!circle.is_sorted());
        circle.sort_unstable();
        assert!(circle.iter().copied().eq(0..1000));
    }

    #[test]
    fn chains_are_far_from_each_other() {
        let chase = Chase { lines: 100, chains: 4 };
        assert_eq!([0, 1, 2, 3].map(|chain| chase.place(chain, 0)), [0, 25, 50, 75]);
        // 75 + 130 hops are 205.
        assert_eq!(chase.place(3, 130), 5);
    }
}

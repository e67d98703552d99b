//! Synthetic kernels as a problem that threads run together: each part has separate data, and waits for no other.

use std::sync::{Mutex, MutexGuard};

use crate::array::AccessError;
use crate::kernel::{self, Lies, Need, Problem, SetupError, Work};
use crate::loops::Loops;
use crate::team::Team;

use super::{Cursor, Kernel, PreparedKernel};

/// Elements: more than any node has.
const MOST: usize = 1 << 43;

/// A kernel with this data size for each part. A step is a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    /// The kernel of each part.
    pub kernel: Kernel,
    /// Data of each part in bytes, all its streams together.
    pub bytes: usize,
}

impl Problem for Synthetic {
    fn name(&self) -> &'static str {
        self.kernel.access().as_str()
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        let (least, given) = (self.kernel.least_len(), self.bytes / size_of::<f64>());
        if !(least..=MOST).contains(&given) {
            return Err(SetupError::Size { what: "elements of data", given, least, most: MOST });
        }
        Ok((0..team.parts()).map(|part| Need::new("data", self.bytes, Lies::Own(part))).collect())
    }

    /// For one block of one part: the number of blocks of a chunk depends on the data.
    fn work(&self) -> Work {
        Work { bytes: self.kernel.bytes_per_block(), flop: self.kernel.flop_per_block() }
    }

    fn place<'m>(
        &self,
        _: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn kernel::Kernel + 'm>, SetupError> {
        let isa = loops.isa;
        let kernel = self.kernel.prepare(isa).map_err(|_| SetupError::Unavailable { isa })?;
        let part = |data: &'m mut [f64]| {
            let cursor = kernel.cursor(data.len());
            Own { chunk: kernel.chunk(&cursor), state: Mutex::new(State { data, cursor }) }
        };
        let least = kernel.least_len();
        if let Some(short) = memory.iter().map(|data| data.len()).find(|&len| len < least) {
            return Err(SetupError::Size { what: "elements of data", given: short, least, most: MOST });
        }
        Ok(Box::new(Placed { kernel, parts: memory.into_iter().map(part).collect() }))
    }
}

/// Data of all parts.
struct Placed<'m> {
    kernel: PreparedKernel,
    parts: Vec<Own<'m>>,
}

/// The state of one part, on separate cache lines (adjacent ones are fetched in pairs), because its thread writes to it in each step.
#[repr(align(128))]
struct Own<'m> {
    chunk: Work,
    /// Locked only by the thread of the part.
    state: Mutex<State<'m>>,
}

struct State<'m> {
    data: &'m mut [f64],
    cursor: Cursor,
}

impl<'m> Placed<'m> {
    fn part(&self, part: usize) -> Result<&Own<'m>, AccessError> {
        let parts = self.parts.len();
        self.parts.get(part).ok_or(AccessError::NoPart { what: "data", part, parts })
    }
}

impl<'m> Own<'m> {
    fn state(&self) -> Result<MutexGuard<'_, State<'m>>, AccessError> {
        self.state.try_lock().map_err(|_| AccessError::Busy { what: "data" })
    }
}

impl kernel::Kernel for Placed<'_> {
    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let mut state = self.part(part)?.state()?;
        let State { data, cursor } = &mut *state;
        self.kernel.fill(data);
        *cursor = self.kernel.cursor(data.len());
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        false
    }

    fn run(&self, part: usize, _: u64) -> Result<(), AccessError> {
        let mut state = self.part(part)?.state()?;
        let State { data, cursor } = &mut *state;
        self.kernel.run(data, cursor);
        Ok(())
    }

    fn work(&self, part: usize) -> Work {
        self.parts.get(part).map_or_else(Work::default, |own| own.chunk)
    }

    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), kernel::WrongResult> {
        let own = self.part(part)?;
        let state = own.state()?;
        self.kernel.check(state.data, &state.cursor)?;
        // Correct data after a different number of chunks than counted is also a wrong result.
        let counted = steps.get(part).copied().unwrap_or(0)
            * (own.chunk.bytes / self.kernel.kernel().bytes_per_block());
        let done = state.cursor.blocks_done();
        if done == counted {
            Ok(())
        } else {
            let (found, expected) = (done as f64, counted as f64);
            Err(kernel::WrongResult::Element { what: "numbers of blocks done", index: part, found, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::Access;
    use numasim_model::units::FlopPerByte;

    use super::*;
    use crate::loops::Isa;

    /// Memory that starts at a cache line.
    fn aligned(memory: &mut [f64], len: usize) -> &mut [f64] {
        let skip = memory.as_ptr().align_offset(64);
        &mut memory[skip..skip + len]
    }

    fn with(parts: usize, use_it: impl FnOnce(&dyn kernel::Kernel, Kernel)) {
        let kernel = Kernel::new(Access::Triad, FlopPerByte::new(0.5)).expect("possible");
        let problem = Synthetic { kernel, bytes: 64 << 10 };
        let team = Team::of(parts).expect("a team");
        let needs = problem.arrays(&team).expect("possible");
        assert_eq!(needs.iter().map(|need| &need.lies).collect::<Vec<_>>().len(), parts);
        let mut memory: Vec<Vec<f64>> = needs.iter().map(|need| vec![f64::NAN; need.words() + 8]).collect();
        let data = memory.iter_mut().map(|memory| aligned(memory, 8192)).collect();
        use_it(&*problem.on(&team, Isa::best().into(), data).expect("a kernel"), kernel);
    }

    #[test]
    fn a_step_is_a_chunk_and_parts_do_not_wait_for_each_other() {
        with(2, |placed, kernel| {
            (0..2).for_each(|part| placed.prepare(part).expect("nobody runs"));
            // 8 MiB of blocks of 768 bytes, as the data fit the caches of a core: 10,922.
            assert_eq!(placed.work(0).bytes, 10_922 * kernel.bytes_per_block());
            assert_eq!(placed.work(0).bytes, 2 * placed.work(0).flop);
            for step in 0..3 {
                placed.run(1, step).expect("prepared");
            }
            placed.run(0, 0).expect("prepared");
            assert_eq!(placed.check(&[1, 3]), Ok(()));
            let wrong = placed.check(&[1, 2]).expect_err("one more was done").to_string();
            assert_eq!(wrong, "element 1 of the numbers of blocks done is 32766 instead of 21844");
            // Prepared again.
            placed.prepare(1).expect("nobody runs");
            assert_eq!(placed.check(&[1, 0]), Ok(()));
            assert!(placed.run(2, 0).is_err());
        });
    }

    #[test]
    fn data_smaller_than_a_block_is_rejected() {
        let kernel = Kernel::lightest(Access::Read);
        let refused = Synthetic { kernel, bytes: 256 }.arrays(&Team::of(1).expect("a team"));
        let message = refused.expect_err("half a block").to_string();
        assert_eq!(message, "elements of data 32: from 64 to 8796093022208 are possible");
    }
}

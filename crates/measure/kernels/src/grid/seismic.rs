//! Waves in an elastic medium on springs, in two dimensions: stress and displacement from velocity, then velocity from them (a staggered
//! grid, Virieux 1986).
//!
//! 22 FLOP for each point: 10 and 12. Numbers of 4 bytes: the first half of an iteration reads 8 bytes of velocity and changes 20 of stress
//! and displacement (48 moved), the second reads these 20 and changes the 8 (36 moved). 22 / 84 = 0.262 FLOP/byte.
//!
//! Velocities start as whole numbers from -4 to 4, all other values as 0. Four iterations go forwards in time and four back. Sums stay
//! below 2^11 x 13 (each velocity of a step is at most the previous one plus 13/4 of the sum of all before: 1, 4.25, 21.3, 107.6, 543.8
//! times 4), with at most 8 bits after the point, which f32 represents exactly. So nothing is rounded, after eight iterations all values
//! are as at the start, and for any number of repetitions a serial run takes at most four iterations.

use serde::{Deserialize, Serialize};

use super::sweeps::{STRESSES, Time, VELOCITIES, stress, velocity};
use super::{Band, bands, checked, points};
use crate::array::{AccessError, Array, Reading, Writing, elements};
use crate::fill::bits;
use crate::kernel::{Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, common_steps, compare};
use crate::loops::{Isa, Loops};
use crate::team::{Division, Team};

/// Iterations in one direction of time.
const ITERATIONS: u64 = 4;
/// The contents of the arrays: velocities, and the values that follow from them.
const WHAT: [&str; VELOCITIES + STRESSES] = [
    "velocities along x",
    "velocities along z",
    "stresses along x",
    "stresses along z",
    "stresses across",
    "displacements along x",
    "displacements along z",
];

/// The size of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seismic {
    /// Rows of the grid.
    pub rows: usize,
    /// Columns of the grid.
    pub columns: usize,
}

/// The direction of time in an iteration.
fn time(iteration: u64) -> Time {
    if iteration % (2 * ITERATIONS) < ITERATIONS { Time::Forwards } else { Time::Backwards }
}

/// The number of forward iterations that gives the same state as these iterations.
fn forwards(iterations: u64) -> u64 {
    let number = iterations % (2 * ITERATIONS);
    number.min(2 * ITERATIONS - number)
}

/// An initial velocity, -4 to 4.
fn first(array: usize, row: usize, column: usize) -> f32 {
    // 32 bits scaled to nine whole numbers.
    let whole = ((bits(row, 2 * column + array) >> 32) * 9) >> 32;
    f32::from(i8::try_from(whole).unwrap_or_default() - 4)
}

impl Problem for Seismic {
    fn name(&self) -> &'static str {
        "seismic"
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        checked(self.rows, self.columns)?;
        let lies = Lies::Divided(Division::even(self.rows, team.parts()).times(4 * self.columns));
        Ok(WHAT.map(|what| Need::new(what, 4 * self.rows * self.columns, lies.clone())).into())
    }

    fn work(&self) -> Work {
        let points = points(self.rows, self.columns);
        Work { bytes: 84 * points, flop: 22 * points }
    }

    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let rows = Division::even(self.rows, team.parts());
        let mut arrays = Vec::with_capacity(WHAT.len());
        for (what, memory) in WHAT.into_iter().zip(memory) {
            arrays.push(Array::new(what, elements(memory), rows.times(self.columns))?);
        }
        Ok(Box::new(Placed { isa: loops.isa, size: *self, rows, beyond: vec![0.0; self.columns], arrays }))
    }
}

/// All arrays in memory.
struct Placed<'m> {
    isa: Isa,
    size: Seismic,
    rows: Division,
    /// The values above the first row and below the last one.
    beyond: Vec<f32>,
    /// One for each entry of [`WHAT`], in its order.
    arrays: Vec<Array<'m, f32>>,
}

impl Placed<'_> {
    /// Some of the arrays, from one on.
    fn read<const N: usize>(&self, from: usize) -> Result<[Reading<'_, f32>; N], AccessError> {
        let all = self.arrays.iter().skip(from).take(N).map(Array::read).collect::<Result<Vec<_>, _>>()?;
        all.try_into().map_err(|_| AccessError::NotPrepared { what: "grids", part: 0 })
    }

    /// A part of them.
    fn write<const N: usize>(&self, from: usize, part: usize) -> Result<[Writing<'_, f32>; N], AccessError> {
        let some = self.arrays.iter().skip(from).take(N);
        let all = some.map(|array| array.write(part)).collect::<Result<Vec<_>, _>>()?;
        all.try_into().map_err(|_| AccessError::NotPrepared { what: "grids", part })
    }

    /// Compares rows with their correct values; both start with the first row of a band.
    fn same(&self, array: usize, band: &Band, serial: &[f32]) -> Result<(), WrongResult> {
        let (columns, from) = (self.size.columns, band.own.start - band.with_halo.start);
        let own = band.own.start * columns..band.own.end * columns;
        let [found] = self.read::<1>(array)?;
        let found = found.get(own.clone()).unwrap_or_default();
        let serial = serial.get(from * columns..from * columns + own.len()).unwrap_or_default();
        let double = |value: &f32| f64::from(*value);
        compare(WHAT[array], found.iter().map(double), serial.iter().map(double))
            .map_err(|wrong| wrong.moved(own.start))
    }
}

impl Kernel for Placed<'_> {
    fn parts(&self) -> usize {
        self.rows.parts()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let from = self.rows.range(part).start;
        for (number, array) in self.arrays.iter().enumerate() {
            let mut own = array.write(part)?;
            if number >= VELOCITIES {
                own.fill(0.0);
                continue;
            }
            for (row, to) in (from..).zip(own.chunks_mut(self.size.columns)) {
                for (column, to) in to.iter_mut().enumerate() {
                    *to = first(number, row, column);
                }
            }
        }
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        true
    }

    fn phases(&self) -> u64 {
        2
    }

    /// Back in time the second half comes first.
    fn run(&self, part: usize, turn: u64) -> Result<(), AccessError> {
        let (time, range) = (time(turn / 2), self.rows.range(part));
        if turn.is_multiple_of(2) == (time == Time::Forwards) {
            let (from, mut to) = (self.read::<VELOCITIES>(0)?, self.write::<STRESSES>(VELOCITIES, part)?);
            stress(
                self.isa,
                time,
                range,
                from.each_ref().map(|all| &**all),
                &self.beyond,
                to.each_mut().map(|own| &mut **own),
            );
        } else {
            let (from, mut to) = (self.read::<STRESSES>(VELOCITIES)?, self.write::<VELOCITIES>(0, part)?);
            velocity(
                self.isa,
                time,
                range,
                from.each_ref().map(|all| &**all),
                &self.beyond,
                to.each_mut().map(|own| &mut **own),
            );
        }
        Ok(())
    }

    fn work(&self, part: usize) -> Work {
        Seismic { rows: self.rows.range(part).len(), ..self.size }.work()
    }

    /// Band by band, forwards only.
    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        let iterations = forwards(common_steps(steps)?);
        let Seismic { rows, columns } = self.size;
        // At most four.
        let halo = usize::try_from(iterations).unwrap_or(rows);
        for band in bands(self.rows.range(part), halo, rows) {
            let (from, count) = (band.with_halo.start, band.with_halo.len());
            let start = |array| {
                let place = move |place: usize| first(array, from + place / columns, place % columns);
                (0..count * columns).map(place).collect::<Vec<f32>>()
            };
            let mut v = [start(0), start(1)];
            let mut s: [Vec<f32>; STRESSES] = std::array::from_fn(|_| vec![0.0; count * columns]);
            for _ in 0..iterations {
                let of = v.each_ref().map(|all| &all[..]);
                stress(
                    Isa::Portable,
                    Time::Forwards,
                    0..count,
                    of,
                    &self.beyond,
                    s.each_mut().map(|all| &mut all[..]),
                );
                let of = s.each_ref().map(|all| &all[..]);
                velocity(
                    Isa::Portable,
                    Time::Forwards,
                    0..count,
                    of,
                    &self.beyond,
                    v.each_mut().map(|all| &mut all[..]),
                );
            }
            v.iter().chain(&s).enumerate().try_for_each(|(array, serial)| self.same(array, &band, serial))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_iterations_go_forwards_and_four_back() {
        assert_eq!(
            [0, 3, 4, 7, 8].map(time).map(|time| time == Time::Forwards),
            [true, true, false, false, true]
        );
        assert_eq!([0, 1, 3, 4, 5, 7, 8, 9].map(forwards), [0, 1, 3, 4, 3, 1, 0, 1]);
    }

    #[test]
    fn velocities_start_as_whole_numbers_up_to_four() {
        let all: Vec<f32> = (0..2000).map(|place| first(place % 2, place / 40, place % 40)).collect();
        assert!(all.iter().all(|v| v.fract() == 0.0 && v.abs() <= 4.0));
        assert!((-4..=4).all(|whole| all.contains(&f32::from(i8::try_from(whole).expect("small")))));
    }
}

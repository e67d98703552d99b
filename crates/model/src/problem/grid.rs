//! Iterations over grids.

use super::{Work, times};

/// Each point of a grid becomes a fifth of itself and its four neighbours, in another grid; then the two change places. Numbers of 8 bytes.
///
/// 5 FLOP (4 additions, a multiplication), 8 bytes read and 8 written: 0.3125 FLOP/byte. Neighbours come from the caches. In memory there are three grids: what the first
/// iteration reads, and two that are written in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil2d {
    /// Rows of the grid.
    pub rows: u64,
    /// Columns of the grid.
    pub columns: u64,
    /// How often.
    pub iterations: u64,
}

/// Waves in an elastic medium on springs on a staggered grid: stress and displacement from velocity, then velocity from them. Numbers of 4 bytes for each point: three
/// of stress, two of displacement, two of velocity.
///
/// 10 FLOP of the first sweep: 4 differences of velocities and a sum of two of them, 5 additions. 12 of the second: 4 differences of stresses and 2 sums of them, 2
/// differences with what springs do, 2 multiplications, 2 additions. The first reads 8 bytes of velocity and changes 20 (48 moved), the second reads 20 and changes 8 (36 moved): 22 / 84 = 0.262 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seismic {
    /// Rows of the grid.
    pub rows: u64,
    /// Columns of the grid.
    pub columns: u64,
    /// How often.
    pub iterations: u64,
}

/// Rows or columns at most.
pub const MOST_SIDE: u64 = 1 << 24;

impl Stencil2d {
    pub(super) fn step(&self) -> Work {
        Work { bytes: times(&[16, self.rows, self.columns]), flop: times(&[5, self.rows, self.columns]) }
    }

    pub(super) fn data_bytes(&self) -> u64 {
        times(&[24, self.rows, self.columns])
    }
}

impl Seismic {
    pub(super) fn step(&self) -> Work {
        Work { bytes: times(&[84, self.rows, self.columns]), flop: times(&[22, self.rows, self.columns]) }
    }

    pub(super) fn data_bytes(&self) -> u64 {
        times(&[28, self.rows, self.columns])
    }
}

/// 8192 x 8192 points, 1.5 GiB in three grids: the papers print no size.
impl Default for Stencil2d {
    fn default() -> Self {
        Self { rows: 8192, columns: 8192, iterations: 100 }
    }
}

/// 8192 x 8192 points, 1.75 GiB: the papers print no size.
impl Default for Seismic {
    fn default() -> Self {
        Self { rows: 8192, columns: 8192, iterations: 100 }
    }
}

//! Iterations over grids.

use super::{Work, times};

/// Each point of a grid becomes a fifth of itself and its four neighbours, in another grid; then the two change places. Numbers of 8 bytes.
///
/// 5 FLOP (4 additions, a multiplication), 8 bytes read and 8 written: 0.3125 FLOP/byte. Neighbours come from the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil2d {
    /// Rows of the grid.
    pub rows: u64,
    /// Columns of the grid.
    pub columns: u64,
    /// How often.
    pub iterations: u64,
}

/// Waves in an elastic medium on a staggered grid: stress from velocity, then velocity from stress. Numbers of 4 bytes, five of stress and two of velocity for
/// each point.
///
/// 10 FLOP for each of the two sweeps. The first reads 8 bytes of velocity and changes 20 of stress (48 moved), the second reads 20 and changes 8 (36 moved):
/// 20 / 84 = 0.238 FLOP/byte.
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
pub(crate) const MOST_SIDE: u64 = 1 << 24;

impl Stencil2d {
    pub(super) fn step(&self) -> Work {
        Work { bytes: times(&[16, self.rows, self.columns]), flop: times(&[5, self.rows, self.columns]) }
    }

    pub(super) fn data_bytes(&self) -> u64 {
        times(&[16, self.rows, self.columns])
    }
}

impl Seismic {
    pub(super) fn step(&self) -> Work {
        Work { bytes: times(&[84, self.rows, self.columns]), flop: times(&[20, self.rows, self.columns]) }
    }

    pub(super) fn data_bytes(&self) -> u64 {
        times(&[28, self.rows, self.columns])
    }
}

/// 8192 x 8192 points, 1 GiB in two grids: the papers print no size.
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

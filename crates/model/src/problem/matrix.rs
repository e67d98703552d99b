//! Matrices times vectors: y = A x and then x = A y in turn.

use super::{Work, sum, times};

/// Products of an iteration: y = A x, then x = A y.
pub const CALLS: u64 = 2;

/// A dense matrix of complex numbers in double precision, real and imaginary parts apart, times vectors.
///
/// A product reads the matrix (16 bytes for each of n^2 elements) and x (16 n), and writes y (16 n): 16 n^2 + 32 n bytes. A complex multiplication and addition
/// are 8 FLOP: 8 n^2. For large n 0.5 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dmv {
    /// Rows, and columns.
    pub rows: u64,
    /// Iterations of two products.
    pub iterations: u64,
}

impl Dmv {
    /// Rows at most.
    pub const MOST_ROWS: u64 = 1 << 24;

    pub(super) fn step(&self) -> Work {
        let elements = times(&[self.rows, self.rows]);
        Work { bytes: sum(&[times(&[16, elements]), times(&[32, self.rows])]), flop: times(&[8, elements]) }
    }

    /// With three vectors: what the first product reads, and two that are written in turn.
    pub(super) fn data_bytes(&self) -> u64 {
        sum(&[times(&[16, self.rows, self.rows]), times(&[48, self.rows])])
    }
}

/// 5120 rows, 10 iterations.
impl Default for Dmv {
    fn default() -> Self {
        Self { rows: 5120, iterations: 10 }
    }
}

crate::words! {
    /// What elements of a sparse matrix and of its vectors are.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Elements {
        /// Two numbers of 8 bytes.
        Complex = "complex",
        /// One.
        Real = "real",
    }
}

crate::words! {
    /// How rows are divided among threads.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Partition {
        /// As many rows each.
        Equal = "equal",
        /// About as many elements that are not zero each.
        Nonzeros = "nonzeros",
    }
}

crate::words! {
    /// How the matrix lies in memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Storage {
        /// Arrays with all rows.
        Whole = "whole",
        /// For the rows of each node arrays of their own.
        PerNode = "per-node",
    }
}

impl Elements {
    /// Bytes of an element.
    const fn bytes(self) -> u64 {
        match self {
            Self::Complex => 16,
            Self::Real => 8,
        }
    }

    /// FLOP of a multiplication and an addition.
    const fn flop(self) -> u64 {
        match self {
            Self::Complex => 8,
            Self::Real => 2,
        }
    }
}

/// A crystal of diamond of so many cubic cells along x, y and z: 8 atoms in each, 10 orbitals for each atom, as in tight-binding calculations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells(pub [u64; 3]);

impl Cells {
    /// Rows of its matrix at most: columns are numbered with 32 bits.
    pub const MOST_ROWS: u64 = 48_000_000;

    /// Rows of its matrix: one for each orbital.
    pub fn rows(&self) -> u64 {
        let [x, y, z] = self.0;
        times(&[80, x, y, z])
    }

    /// Elements of its matrix that are not zero: the diagonal, and 10 x 10 for each of two neighbouring atoms.
    ///
    /// Atoms of one half of the cell, at (1,1,1), (1,3,3), (3,1,3), (3,3,1) quarters of it, have all bonds, to (-1,-1,-1), (-1,1,1), (1,-1,1) and (1,1,-1) from there.
    /// A bond leaves the cell where 3 meets 1: of those of the first atom none does, of each of the others one stays, one leaves along two axes, and two along one.
    /// With a x b x c cells: 4abc + 3abc + [a(b-1)(c-1) + ab(c-1) + a(b-1)c] + the same from b and from c.
    pub fn nonzeros(&self) -> u64 {
        let [x, y, z] = self.0;
        let leaving = |a: u64, b: u64, c: u64| {
            let (b_inside, c_inside) = (b.saturating_sub(1), c.saturating_sub(1));
            sum(&[times(&[a, b_inside, c_inside]), times(&[a, b, c_inside]), times(&[a, b_inside, c])])
        };
        let bonds = sum(&[times(&[7, x, y, z]), leaving(x, y, z), leaving(y, z, x), leaving(z, x, y)]);
        sum(&[self.rows(), times(&[200, bonds])])
    }
}

/// The sparse matrix of a crystal in compressed rows, times vectors.
///
/// A product reads for each of k elements its value (16 bytes, or 8 of real numbers) and its column (4), n + 1 row pointers of 4 bytes and x, and writes y:
/// 20 k + 4 (n + 1) + 32 n bytes and 8 k FLOP, 0.38 FLOP/byte; of real numbers 12 k + 4 (n + 1) + 16 n and 2 k, 0.16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spmv {
    /// The crystal.
    pub cells: Cells,
    /// Iterations of two products.
    pub iterations: u64,
    /// What elements are.
    pub elements: Elements,
    /// How rows are divided.
    pub partition: Partition,
    /// How the matrix lies in memory.
    pub storage: Storage,
}

impl Spmv {
    /// Bytes of the matrix: elements, columns, row pointers.
    fn matrix_bytes(&self) -> u64 {
        let row_pointers = times(&[4, self.cells.rows().saturating_add(1)]);
        sum(&[times(&[self.elements.bytes() + 4, self.cells.nonzeros()]), row_pointers])
    }

    pub(super) fn step(&self) -> Work {
        let vectors = times(&[2, self.elements.bytes(), self.cells.rows()]);
        let flop = times(&[self.elements.flop(), self.cells.nonzeros()]);
        Work { bytes: sum(&[self.matrix_bytes(), vectors]), flop }
    }

    /// With three vectors, as [`Dmv`] has them.
    pub(super) fn data_bytes(&self) -> u64 {
        sum(&[self.matrix_bytes(), times(&[3, self.elements.bytes(), self.cells.rows()])])
    }
}

/// 4 x 4 x 4 cells, which are the 5120 rows of the paper; 10 iterations, as many rows for each thread.
impl Default for Spmv {
    fn default() -> Self {
        Self {
            cells: Cells([4, 4, 4]),
            iterations: 10,
            elements: Elements::Complex,
            partition: Partition::Equal,
            storage: Storage::Whole,
        }
    }
}

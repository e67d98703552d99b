//! Matrix-vector products: y = A x and x = A y, alternately.

use super::{Work, sum, times};

/// Products per iteration: y = A x, then x = A y.
pub const CALLS: u64 = 2;

/// Product of vectors with a dense matrix of complex numbers in double precision; real and imaginary parts
/// are stored separately.
///
/// A product reads the matrix (16 bytes for each of n^2 elements) and x (16 n), and writes y (16 n): 16 n^2 +
/// 32 n bytes. A complex multiplication and addition are 8 FLOP: 8 n^2. For large n the intensity is 0.5
/// FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dmv {
    /// Number of rows and of columns.
    pub rows: u64,
    /// Iterations of two products.
    pub iterations: u64,
}

impl Dmv {
    /// Maximum number of rows.
    pub const MOST_ROWS: u64 = 1 << 24;

    pub(super) fn step(&self) -> Work {
        let elements = times(&[self.rows, self.rows]);
        Work { bytes: sum(&[times(&[16, elements]), times(&[32, self.rows])]), flop: times(&[8, elements]) }
    }

    /// Includes three vectors: the input of the first product, and two that are written alternately.
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
    /// Type of the elements of a sparse matrix and of its vectors.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Elements {
        /// Two numbers of 8 bytes.
        Complex = "complex",
        /// One number of 8 bytes.
        Real = "real",
    }
}

crate::words! {
    /// Division of the rows among threads.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Partition {
        /// An equal number of rows for each thread.
        Equal = "equal",
        /// About the same number of nonzero elements for each thread.
        Nonzeros = "nonzeros",
    }
}

crate::words! {
    /// Layout of the matrix in memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Storage {
        /// One set of arrays with all rows.
        Whole = "whole",
        /// Separate arrays for the rows of each node.
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

    /// FLOP of one multiplication and one addition.
    const fn flop(self) -> u64 {
        match self {
            Self::Complex => 8,
            Self::Real => 2,
        }
    }
}

/// A diamond crystal with this number of cubic cells along x, y and z: 8 atoms per cell, 10 orbitals per
/// atom, as in tight-binding calculations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells(pub [u64; 3]);

impl Cells {
    /// Maximum number of rows of its matrix: column numbers have 32 bits.
    pub const MOST_ROWS: u64 = 48_000_000;

    /// Number of rows of its matrix: one per orbital.
    pub fn rows(&self) -> u64 {
        let [x, y, z] = self.0;
        times(&[80, x, y, z])
    }

    /// Number of nonzero elements of its matrix: the diagonal, and 10 x 10 for each of two neighbouring
    /// atoms.
    ///
    /// Atoms of one half of the cell, at (1,1,1), (1,3,3), (3,1,3), (3,3,1) quarters of it, have all bonds,
    /// to (-1,-1,-1), (-1,1,1), (1,-1,1) and (1,1,-1) from there. A bond leaves the cell where 3 meets 1. No
    /// bond of the first atom leaves it. Each other atom has one bond that stays, one that leaves along two
    /// axes, and two that leave along one. With a x b x c cells: 4abc + 3abc + [a(b-1)(c-1) + ab(c-1) +
    /// a(b-1)c] + the same from b and from c.
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

/// Product of vectors with the sparse matrix of a crystal in compressed rows.
///
/// A product reads, for each of k elements, its value (16 bytes, or 8 for real numbers) and its column (4),
/// reads n + 1 row pointers of 4 bytes and x, and writes y: 20 k + 4 (n + 1) + 32 n bytes and 8 k FLOP, 0.38
/// FLOP/byte. For real numbers: 12 k + 4 (n + 1) + 16 n bytes and 2 k FLOP, 0.16 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spmv {
    /// The crystal.
    pub cells: Cells,
    /// Iterations of two products.
    pub iterations: u64,
    /// Type of the elements.
    pub elements: Elements,
    /// Division of the rows among threads.
    pub partition: Partition,
    /// Layout of the matrix in memory.
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

    /// Includes three vectors, as [`Dmv`] does.
    pub(super) fn data_bytes(&self) -> u64 {
        sum(&[self.matrix_bytes(), times(&[3, self.elements.bytes(), self.cells.rows()])])
    }
}

/// 4 x 4 x 4 cells, which have the 5120 rows of the paper; 10 iterations, an equal number of rows per thread.
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

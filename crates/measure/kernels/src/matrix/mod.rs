//! Matrices times vectors, y = A x and then x = A y, call after call: dense ([`Dmv`], complex) and sparse ([`Spmv`], complex or real).
//!
//! Real and imaginary parts are separate arrays. An element of the product is summed in eight lanes, never fused: every instruction set,
//! every division of the rows and the serial run agree in every bit.

mod csr;
mod dense;
mod sparse;
#[cfg(test)]
mod tests;
mod vectors;

use numasim_model::problem::{Elements, Partition, Storage};
use serde::{Deserialize, Serialize};

use crate::array::{AccessError, Array};
use crate::fill::number;
use crate::kernel::{
    Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, common_steps, compare, exactly,
};
use crate::loops::{Isa, Loops};
use crate::matrix::dense::{Split, SplitMut};
pub use crate::matrix::sparse::Lattice;
use crate::matrix::sparse::{Block, Counted, Sparse};
pub use crate::matrix::vectors::CALLS;
use crate::matrix::vectors::{ARRAYS, VECTORS, Vectors};
use crate::team::{Division, Team};

/// Prefetch distance of matrix lines in bytes, if a larger distance was found to gain nothing: a processor does not predict several arrays
/// at once by itself. Measured on one machine (AMD): 3 to 4 % more for the dense, 2 to 5 % more for the sparse matrix; 128 to 384 bytes
/// perform alike.
const NEAR: usize = 256;

/// 16 bytes for each element of its square are the largest power of two that is not a possible size of memory.
const MOST_DENSE: usize = 1 << 24;

/// A square matrix of complex numbers in double precision, real and imaginary parts separate, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dmv {
    /// Number of rows and of columns.
    pub rows: usize,
}

/// The work of `rows` rows: the matrix once, and the corresponding elements of the vectors (x read, y written).
fn work(rows: usize, columns: usize) -> Work {
    let (rows, elements) = (rows as u64, rows as u64 * columns as u64);
    Work { bytes: 16 * elements + 32 * rows, flop: 8 * elements }
}

impl Problem for Dmv {
    fn name(&self) -> &'static str {
        "dmv"
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        SetupError::unless("rows", self.rows, 1..=MOST_DENSE)?;
        let rows = Division::even(self.rows, team.parts());
        let (bytes, lies) = (8 * self.rows * self.rows, Lies::Divided(rows.times(8 * self.rows)));
        let matrix = || Need::new("elements of the matrix", bytes, lies.clone());
        Ok([matrix(), matrix()].into_iter().chain(Vectors::needs(&rows)).collect())
    }

    fn work(&self) -> Work {
        work(self.rows, self.rows)
    }

    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let [re, im, vectors @ ..]: [_; 8] = exactly(memory)?;
        let rows = Division::even(self.rows, team.parts());
        let array = |memory| Array::new("elements of the matrix", memory, rows.times(self.rows));
        // The smallest values also keep about their length from call to call.
        let scale = (self.rows as f64).sqrt().recip();
        let matrix = Dense { re: array(re)?, im: array(im)?, columns: self.rows, rows: rows.clone(), scale };
        Ok(Box::new(Placed { loops, matrix, vectors: Vectors::new(&rows, vectors)? }))
    }
}

/// A dense matrix in memory.
struct Dense<'m> {
    re: Array<'m, f64>,
    im: Array<'m, f64>,
    columns: usize,
    rows: Division,
    scale: f64,
}

impl Dense<'_> {
    fn element(&self, row: usize, column: usize) -> (f64, f64) {
        // Below the rows of the real parts.
        (self.scale * number(row, column), self.scale * number(row + self.columns, column))
    }
}

impl Matrix for Dense<'_> {
    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let (mut re, mut im) = (self.re.write(part)?, self.im.write(part)?);
        let rows = re.chunks_mut(self.columns).zip(im.chunks_mut(self.columns));
        for (row, (re, im)) in self.rows.range(part).zip(rows) {
            for (column, (re, im)) in re.iter_mut().zip(im).enumerate() {
                (*re, *im) = self.element(row, column);
            }
        }
        Ok(())
    }

    fn multiply(&self, loops: Loops, part: usize, x: Split<'_>, y: SplitMut<'_>) -> Result<(), AccessError> {
        let (re, im, own) = (self.re.read()?, self.im.read()?, self.re.division().range(part));
        let own = Split { re: re.get(own.clone()).unwrap_or_default(), im: im.get(own).unwrap_or_default() };
        dense::multiply(loops, own, x, y);
        Ok(())
    }

    fn check(&self, part: usize) -> Result<(), WrongResult> {
        let (re, im) = (self.re.read()?, self.im.read()?);
        for row in self.rows.range(part) {
            let own = row * self.columns..(row + 1) * self.columns;
            let elements = || (0..self.columns).map(|column| self.element(row, column));
            let (re, im) = (re.get(own.clone()).unwrap_or_default(), im.get(own).unwrap_or_default());
            compare("real parts of the matrix", re.iter().copied(), elements().map(|(re, _)| re))?;
            compare("imaginary parts of the matrix", im.iter().copied(), elements().map(|(_, im)| im))?;
        }
        Ok(())
    }

    fn work(&self, part: usize) -> Work {
        work(self.rows.range(part).len(), self.columns)
    }
}

/// Indices of rows and elements have 32 bits, those of columns a sign: 48 million rows of 41 elements.
const MOST: usize = 48_000_000;

/// The matrix of a crystal in compressed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spmv {
    /// The crystal.
    pub lattice: Lattice,
    /// The type of elements.
    pub elements: Elements,
    /// How rows are divided.
    pub partition: Partition,
    /// How it is stored: as a whole, where adjacent parts share pages, or in separate arrays for adjacent parts of one group, so that each
    /// may be completely on the node of its threads.
    pub storage: Storage,
}

impl Spmv {
    /// The rows of each part.
    fn rows(&self, counted: &Counted, parts: usize) -> Division {
        let rows = self.lattice.rows();
        match self.partition {
            Partition::Equal => Division::even(rows, parts),
            Partition::Nonzeros => Division::by_weight(|row| counted.before(row), rows, parts),
        }
    }

    /// The blocks of a team: the first part of each, and the end.
    fn blocks(&self, team: &Team) -> Vec<usize> {
        let groups = team.group_of_parts();
        let changes = (1..groups.len())
            .filter(|&part| self.storage == Storage::PerNode && groups.get(part) != groups.get(part - 1));
        [0].into_iter().chain(changes).chain([groups.len()]).collect()
    }

    fn checked(&self) -> Result<(), SetupError> {
        SetupError::unless("rows of the crystal's matrix", self.lattice.rows(), 1..=MOST)
    }
}

impl Problem for Spmv {
    fn name(&self) -> &'static str {
        "spmv"
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        self.checked()?;
        let counted = Counted::new(self.lattice);
        let rows = self.rows(&counted, team.parts());
        let mut needs = Vec::new();
        for block in self.blocks(team).windows(2) {
            let &[from, to] = block else { continue };
            let block = Block::new(&counted, &rows, from..to);
            let group = team.group(from).filter(|_| self.storage == Storage::PerNode);
            let lies = |division| group.map_or(Lies::Divided(division), Lies::Group);
            needs.extend(block.needs(self.elements, lies));
        }
        match self.elements {
            Elements::Complex => needs.extend(Vectors::needs(&rows)),
            Elements::Real => needs.extend(Vectors::real_needs(&rows)),
        }
        Ok(needs)
    }

    /// With one more row pointer than rows; arrays per group have one more each.
    fn work(&self) -> Work {
        if self.checked().is_err() {
            return Work::default();
        }
        let rows = self.lattice.rows();
        let elements = Counted::new(self.lattice).before(rows);
        sparse::work(self.elements, elements, rows, 1)
    }

    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        mut memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let counted = Counted::new(self.lattice);
        let rows = self.rows(&counted, team.parts());
        let bounds = self.blocks(team);
        let of_vectors = if self.elements == Elements::Complex { ARRAYS } else { VECTORS };
        let vectors = memory.split_off(memory.len().saturating_sub(of_vectors));
        let mut matrix = Sparse::new(self.lattice, self.elements, rows.clone());
        let mut memory = memory.into_iter();
        for block in bounds.windows(2) {
            let &[from, to] = block else { continue };
            matrix.push(Block::new(&counted, &rows, from..to), memory.by_ref())?;
        }
        let vectors = match self.elements {
            Elements::Complex => Vectors::new(&rows, exactly(vectors)?)?,
            Elements::Real => Vectors::real(&rows, exactly(vectors)?)?,
        };
        Ok(Box::new(Placed { loops, matrix, vectors }))
    }
}

/// A matrix whose rows belong to the parts of a team.
trait Matrix: Send + Sync {
    /// Writes the rows of a part.
    fn prepare(&self, part: usize) -> Result<(), AccessError>;
    /// The rows of a part times a vector.
    fn multiply(&self, loops: Loops, part: usize, x: Split<'_>, y: SplitMut<'_>) -> Result<(), AccessError>;
    /// Compares the rows of a part with their correct values.
    fn check(&self, part: usize) -> Result<(), WrongResult>;
    /// The work of a call for a part.
    fn work(&self, part: usize) -> Work;
}

/// A matrix with vectors.
struct Placed<'m, M> {
    loops: Loops,
    matrix: M,
    vectors: Vectors<'m>,
}

impl<M: Matrix> Kernel for Placed<'_, M> {
    fn parts(&self) -> usize {
        self.vectors.division().parts()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        self.vectors.prepare(part)?;
        self.matrix.prepare(part)
    }

    fn in_lockstep(&self) -> bool {
        true
    }

    fn run(&self, part: usize, step: u64) -> Result<(), AccessError> {
        let (x, mut y) = (self.vectors.read(step)?, self.vectors.write(step, part)?);
        self.matrix.multiply(self.loops, part, x.split(), y.split())
    }

    fn work(&self, part: usize) -> Work {
        self.matrix.work(part)
    }

    /// Calls depend on each other: the first part repeats them alone.
    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        let steps = common_steps(steps)?;
        self.matrix.check(part)?;
        if part > 0 {
            return Ok(());
        }
        let division = self.vectors.division();
        self.vectors.check(steps, |x, y| {
            let SplitMut { re, im } = y;
            (0..self.parts()).try_for_each(|part| {
                let rows = division.range(part);
                let own =
                    (re.get_mut(rows.clone()).unwrap_or_default(), im.get_mut(rows).unwrap_or_default());
                self.matrix.multiply(Isa::Portable.into(), part, x, SplitMut { re: own.0, im: own.1 })
            })
        })
    }
}

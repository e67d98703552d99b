//! A sparse matrix in memory: one block of rows, or one for each group.

// Columns are checked once when they are written, not in the loop that uses them.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use numasim_model::problem::Elements;
use serde::{Deserialize, Serialize};

use crate::array::{AccessError, Array, elements};
use crate::fill::number;
use crate::kernel::{Lies, Need, SetupError, Work, WrongResult, compare, exactly};
use crate::loops::Loops;
use crate::matrix::Matrix;
use crate::matrix::csr::{self, Csr, MOST_COLUMNS};
use crate::matrix::dense::{Split, SplitMut};
use crate::team::Division;

/// Arrays of a block: row pointers, columns, real and imaginary parts.
const MEMORIES: usize = 4;
const WHAT: [&str; MEMORIES] =
    ["row pointers", "columns", "real parts of the matrix", "imaginary parts of the matrix"];

/// Number of arrays of a block with such elements: real ones have no imaginary parts.
pub(super) const fn memories(of: Elements) -> usize {
    match of {
        Elements::Complex => MEMORIES,
        Elements::Real => MEMORIES - 1,
    }
}

/// The work of rows with this number of elements and blocks: for an element its value and its column, for a row a pointer, its element of x
/// and that of y.
pub(super) fn work(of: Elements, elements: u64, rows: usize, blocks: u64) -> Work {
    let (bytes, flop) = match of {
        Elements::Complex => (16, 8),
        Elements::Real => (8, 2),
    };
    Work { bytes: (bytes + 4) * elements + (4 + 2 * bytes) * rows as u64 + 4 * blocks, flop: flop * elements }
}

/// The rows and elements of a block.
pub(super) struct Block {
    /// The parts whose rows it contains.
    parts: Range<usize>,
    /// Row pointers by part: the first part has one more, the start of the first row.
    pointers: Division,
    /// Elements by part.
    elements: Division,
}

impl Block {
    pub(super) fn new(counted: &Counted, rows: &Division, parts: Range<usize>) -> Self {
        let first = rows.range(parts.start).start;
        let before = |row| usize::try_from(counted.before(row) - counted.before(first)).unwrap_or(usize::MAX);
        let ends = || parts.clone().map(|part| rows.range(part).end);
        let from_0 = |ends: &mut dyn Iterator<Item = usize>| [0].into_iter().chain(ends).collect();
        // They ascend as rows do.
        let pointers = Division::at(from_0(&mut ends().map(|end| end - first + 1)));
        let elements = Division::at(from_0(&mut ends().map(before)));
        let nothing = || Division::even(0, parts.len());
        let (pointers, elements) = (pointers.unwrap_or_else(nothing), elements.unwrap_or_else(nothing));
        Self { parts, pointers, elements }
    }

    pub(super) fn needs(&self, of: Elements, lies: impl Fn(Division) -> Lies) -> impl Iterator<Item = Need> {
        let all = [(4, &self.pointers), (4, &self.elements), (8, &self.elements), (8, &self.elements)];
        WHAT.into_iter().zip(all).take(memories(of)).map(move |(what, (width, division))| {
            Need::new(what, width * division.len(), lies(division.times(width)))
        })
    }
}

/// A block in memory.
struct Stored<'m> {
    parts: Range<usize>,
    pointers: Array<'m, u32>,
    columns: Array<'m, u32>,
    re: Array<'m, f64>,
    /// `None` for real numbers.
    im: Option<Array<'m, f64>>,
}

/// A sparse matrix in memory.
pub(super) struct Sparse<'m> {
    lattice: Lattice,
    elements: Elements,
    rows: Division,
    blocks: Vec<Stored<'m>>,
    /// The parts whose rows have been written, with columns below the number of rows.
    prepared: Vec<AtomicBool>,
}

impl<'m> Sparse<'m> {
    /// Without any block.
    pub(super) fn new(lattice: Lattice, elements: Elements, rows: Division) -> Self {
        let prepared = (0..rows.parts()).map(|_| AtomicBool::new(false)).collect();
        Self { lattice, elements, rows, blocks: Vec::new(), prepared }
    }

    /// Adds the next block, on the number of arrays from [`memories`].
    pub(super) fn push(
        &mut self,
        block: Block,
        memory: impl Iterator<Item = &'m mut [f64]>,
    ) -> Result<(), SetupError> {
        let mut memory: Vec<_> = memory.take(memories(self.elements)).collect();
        let im = if self.elements == Elements::Complex { memory.pop() } else { None };
        let [pointers, columns, re] = exactly(memory)?;
        let [of_pointers, of_columns, of_re, of_im] = WHAT;
        let Block { parts, pointers: by_row, elements: by_element } = block;
        self.blocks.push(Stored {
            parts,
            pointers: Array::new(of_pointers, elements(pointers), by_row)?,
            columns: Array::new(of_columns, elements(columns), by_element.clone())?,
            re: Array::new(of_re, re, by_element.clone())?,
            im: im.map(|im| Array::new(of_im, im, by_element)).transpose()?,
        });
        Ok(())
    }

    /// The block of a part, and the index of the part in it.
    fn stored(&self, part: usize) -> Result<(&Stored<'m>, usize), AccessError> {
        let found = self.blocks.iter().find(|block| block.parts.contains(&part));
        let block = found.ok_or(AccessError::NoPart { what: "rows", part, parts: self.rows.parts() })?;
        Ok((block, part - block.parts.start))
    }

    /// The row pointers of a part in its block, with the end of the last row.
    fn own_pointers(&self, block: &Stored<'m>, part: usize) -> Range<usize> {
        let first = self.rows.range(block.parts.start).start;
        let own = self.rows.range(part);
        let ends = own.end + 1;
        own.start - first..ends - first
    }
}

impl Matrix for Sparse<'_> {
    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let (block, local) = self.stored(part)?;
        let (mut pointers, mut columns) = (block.pointers.write(local)?, block.columns.write(local)?);
        let mut re = block.re.write(local)?;
        let mut im = block.im.as_ref().map(|im| im.write(local)).transpose()?;
        let mut end = block.columns.division().range(local).start;
        let mut ends = pointers.iter_mut();
        // The first part of a block also has the start of its first row.
        if local == 0
            && let Some(first) = ends.next()
        {
            *first = 0;
        }
        let (mut inside, mut at) = (true, 0);
        for (row, to) in self.rows.range(part).zip(ends) {
            for (column, real, imaginary) in self.lattice.row(row) {
                inside &= column < self.rows.len() && column <= MOST_COLUMNS;
                if let (Some(to), Some(re)) = (columns.get_mut(at), re.get_mut(at)) {
                    // Below 2^31 (`inside`).
                    (*to, *re) = (u32::try_from(column).unwrap_or(u32::MAX), real);
                }
                if let Some(im) = im.as_mut().and_then(|im| im.get_mut(at)) {
                    *im = imaginary;
                }
                (at, end) = (at + 1, end + 1);
            }
            // Below 2^32 elements (`Spmv`).
            *to = u32::try_from(end).unwrap_or(u32::MAX);
        }
        // The counted number of elements: all of the part's columns are now known.
        let complete = at == columns.len();
        if let Some(prepared) = self.prepared.get(part) {
            prepared.store(inside && complete, Ordering::Release);
        }
        Ok(())
    }

    fn multiply(&self, loops: Loops, part: usize, x: Split<'_>, y: SplitMut<'_>) -> Result<(), AccessError> {
        let unprepared = AccessError::NotPrepared { what: "rows", part };
        let (block, local) = self.stored(part)?;
        // Columns are below the number of rows. x has at least that many elements, and the elements of its rows are within those of the
        // part.
        if !self.prepared.get(part).is_some_and(|part| part.load(Ordering::Acquire))
            || if self.elements == Elements::Complex { x.len() } else { x.re.len() } < self.rows.len()
        {
            return Err(unprepared);
        }
        let (pointers, columns) = (block.pointers.read()?, block.columns.read()?);
        let re = block.re.read()?;
        let im = block.im.as_ref().map(Array::read).transpose()?;
        let pointers = pointers.get(self.own_pointers(block, part)).ok_or(unprepared)?;
        let elements = block.columns.division().range(local);
        let within = pointers.first().is_some_and(|&first| first as usize == elements.start);
        let ended = pointers.last().is_some_and(|&last| last as usize == elements.end);
        let matrix = match &im {
            Some(im) => Csr::new(pointers, &columns, Split { re: &re, im }),
            None => Csr::real(pointers, &columns, &re),
        };
        let matrix = matrix.filter(|_| within && ended).ok_or(unprepared)?;
        // SAFETY: pointers ascend from the first to the last element of the part, whose columns are below the length of x, since it is prepared.
        unsafe {
            match im {
                Some(_) => csr::multiply(loops, matrix, x, y),
                None => csr::multiply_real(loops, matrix, x.re, y.re),
            }
        }
        Ok(())
    }

    fn check(&self, part: usize) -> Result<(), WrongResult> {
        let (block, local) = self.stored(part)?;
        let elements = block.columns.division().range(local);
        let rows = || self.rows.range(part).flat_map(|row| self.lattice.row(row));
        let [_, of_columns, of_re, of_im] = WHAT;
        let (columns, re) = (block.columns.read()?, block.re.read()?);
        let columns = columns[elements.clone()].iter().map(|&column| f64::from(column));
        compare(of_columns, columns, rows().map(|(column, ..)| column as f64))?;
        compare(of_re, re[elements.clone()].iter().copied(), rows().map(|(_, re, _)| re))?;
        let Some(im) = &block.im else { return Ok(()) };
        compare(of_im, im.read()?[elements].iter().copied(), rows().map(|(.., im)| im))
    }

    fn work(&self, part: usize) -> Work {
        let Ok((block, local)) = self.stored(part) else { return Work::default() };
        let elements = block.columns.division().range(local).len() as u64;
        work(self.elements, elements, self.rows.range(part).len(), u64::from(local == 0))
    }
}

// The positions of elements in the sparse matrix: atoms of a diamond crystal with ten orbitals each, as in tight-binding calculations.
//
// An orbital has one energy (the diagonal), and an element for each orbital of the up to four neighbours of its atom: 41 in a row inside
// the crystal, 31, 21 or 11 at its surface.

/// Orbitals of an atom.
pub(super) const ORBITALS: usize = 10;
/// Atoms of a cubic cell.
const ATOMS: usize = 8;
/// Their positions, in quarters of the cell; the last four have their neighbours on the other side.
const PLACES: [[usize; 3]; ATOMS] =
    [[0, 0, 0], [0, 2, 2], [2, 0, 2], [2, 2, 0], [1, 1, 1], [1, 3, 3], [3, 1, 3], [3, 3, 1]];
/// From an atom of the last four to its neighbours; in the opposite direction for one of the first four.
const BONDS: [[isize; 3]; 4] = [[-1, -1, -1], [-1, 1, 1], [1, -1, 1], [1, 1, -1]];
/// Elements are from -1/8 to 1/8, so that a vector keeps about its length from call to call.
const SCALE: f64 = 0.125;

/// A crystal with this number of cells in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lattice {
    /// Cells along x, y and z.
    pub cells: [usize; 3],
}

impl Lattice {
    /// Number of atoms; `None` on overflow.
    fn checked_atoms(self) -> Option<usize> {
        self.cells.iter().try_fold(ATOMS, |atoms, &cells| atoms.checked_mul(cells))
    }

    /// Rows of the matrix; `usize::MAX` on overflow.
    pub fn rows(self) -> usize {
        self.checked_atoms().and_then(|atoms| atoms.checked_mul(ORBITALS)).unwrap_or(usize::MAX)
    }

    /// The neighbours of an atom and itself, ascending.
    fn beside(self, atom: usize) -> impl Iterator<Item = usize> {
        let [_, ny, nz] = self.cells.map(|cells| cells.max(1));
        let (cell, kind) = (atom / ATOMS, atom % ATOMS);
        let cell = [cell / nz / ny, cell / nz % ny, cell % nz];
        let place = PLACES.get(kind).copied().unwrap_or_default();
        let outwards = if kind < ATOMS / 2 { -1 } else { 1 };
        let neighbour = move |bond: [isize; 3]| {
            let mut at = [0; 3];
            for axis in 0..3 {
                at[axis] = (4 * cell[axis] + place[axis]).checked_add_signed(outwards * bond[axis])?;
            }
            let inside = at.iter().zip(self.cells).all(|(&at, cells)| at < 4 * cells);
            let [x, y, z] = at.map(|at| at / 4);
            let kind = PLACES.iter().position(|&place| place == at.map(|at| at % 4))?;
            inside.then_some(((x * ny + y) * nz + z) * ATOMS + kind)
        };
        let mut beside = BONDS.map(neighbour).to_vec();
        beside.push(Some(atom));
        beside.sort_unstable();
        beside.into_iter().flatten()
    }

    /// Elements of each row of an atom.
    pub(super) fn row_len(self, atom: usize) -> usize {
        1 + ORBITALS * (self.beside(atom).count() - 1)
    }

    /// The columns of a row, ascending, with their elements. The matrix is Hermitian, otherwise random.
    pub(super) fn row(self, row: usize) -> impl Iterator<Item = (usize, f64, f64)> {
        let atom = row / ORBITALS;
        let columns = self.beside(atom).flat_map(move |other| {
            let (first, count) = if other == atom { (row, 1) } else { (other * ORBITALS, ORBITALS) };
            first..first + count
        });
        columns.map(move |column| {
            let (low, high) = (row.min(column), row.max(column));
            let re = SCALE * number(low, high);
            let im = SCALE * number(high, low);
            match row.cmp(&column) {
                std::cmp::Ordering::Less => (column, re, im),
                std::cmp::Ordering::Equal => (column, re, 0.0),
                std::cmp::Ordering::Greater => (column, re, -im),
            }
        })
    }
}

/// The number of elements before each row.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// Elements before each atom; the last entry is all of them.
    before: Vec<u64>,
}

impl Counted {
    /// Counts the elements of a lattice.
    pub(super) fn new(lattice: Lattice) -> Self {
        let mut before = vec![0];
        let mut sum = 0;
        for atom in 0..lattice.rows() / ORBITALS {
            sum += (ORBITALS * lattice.row_len(atom)) as u64;
            before.push(sum);
        }
        Self { before }
    }

    /// Elements of all rows before this one.
    pub(super) fn before(&self, row: usize) -> u64 {
        let (atom, orbital) = (row / ORBITALS, row % ORBITALS);
        let from = self.before.get(atom).copied().unwrap_or_default();
        let to = self.before.get(atom + 1).copied().unwrap_or(from);
        from + (to - from) / ORBITALS as u64 * orbital as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_match_a_crystal() {
        // 4 x 4 x 4 cells: 256 atoms of each half. In the first half, 32 are on each of three faces, 4 of them on each edge of two of
        // these, one in the corner of all: 256 - 96 + 12 - 1 = 171 have four neighbours, 96 - 2 x 12 + 3 = 75 two, 10 one. The other half
        // has none in the corner: 172, 72, 12.
        let lattice = Lattice { cells: [4, 4, 4] };
        assert_eq!(lattice.rows(), 5120);
        let with = |len| (0..512).filter(|&atom| lattice.row_len(atom) == len).count();
        assert_eq!([41, 31, 21, 11].map(with), [343, 0, 147, 22]);
        // 10 x (343 x 41 + 147 x 21 + 22 x 11).
        let counted = Counted::new(lattice);
        assert_eq!(counted.before(5120), 173_920);
        let sum: usize = (0..777).map(|row| lattice.row(row).count()).sum();
        assert_eq!(counted.before(777), sum as u64);
    }

    #[test]
    fn the_matrix_is_hermitian() {
        let lattice = Lattice { cells: [2, 1, 3] };
        let rows: Vec<Vec<_>> = (0..lattice.rows()).map(|row| lattice.row(row).collect()).collect();
        for (row, elements) in rows.iter().enumerate() {
            assert!(elements.is_sorted_by(|a, b| a.0 < b.0));
            for &(column, re, im) in elements {
                assert!(rows[column].contains(&(row, re, -im)), "{row} {column}");
            }
        }
    }
}

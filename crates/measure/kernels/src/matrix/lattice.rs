//! Where the sparse matrix has elements: atoms of a diamond crystal, ten orbitals each, as in tight-binding calculations.
//!
//! An orbital has an energy of its own (the diagonal), and an element for each orbital of the up to four neighbours of its atom: 41 in a row inside of the
//! crystal, 31, 21 or 11 at its surface.

use serde::{Deserialize, Serialize};

use crate::fill::number;

/// Orbitals of an atom.
pub(super) const ORBITALS: usize = 10;
/// Atoms of a cubic cell.
const ATOMS: usize = 8;
/// Where they are, in quarters of the cell; the last four have their neighbours on the other side.
const PLACES: [[usize; 3]; ATOMS] =
    [[0, 0, 0], [0, 2, 2], [2, 0, 2], [2, 2, 0], [1, 1, 1], [1, 3, 3], [3, 1, 3], [3, 3, 1]];
/// From an atom of the last four to its neighbours; from one of the first four the other way.
const BONDS: [[isize; 3]; 4] = [[-1, -1, -1], [-1, 1, 1], [1, -1, 1], [1, 1, -1]];
/// Elements are from -1/8 to 1/8: a vector stays as long as it is, about, from call to call.
const SCALE: f64 = 0.125;

/// A crystal of so many cells in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lattice {
    /// Cells along x, y and z.
    pub cells: [usize; 3],
}

/// What elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Elements {
    /// Two numbers, real and imaginary parts apart.
    Complex,
    /// One: the real parts alone.
    Real,
}

impl Lattice {
    /// Atoms; `None` where they cannot be counted.
    fn checked_atoms(self) -> Option<usize> {
        self.cells.iter().try_fold(ATOMS, |atoms, &cells| atoms.checked_mul(cells))
    }

    /// Rows of the matrix; `usize::MAX` where they cannot be counted.
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

    /// The columns of a row, ascending, with what is there. The matrix is Hermitian, otherwise random.
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

/// How many elements there are before each row.
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
    fn rows_are_those_of_a_crystal() {
        // 4 x 4 x 4 cells: 256 atoms of each half. Of the first half 32 lie on each of three faces, 4 of them on each edge of two of these, one in the corner of all:
        // 256 - 96 + 12 - 1 = 171 have four neighbours, 96 - 2 x 12 + 3 = 75 two, 10 one. Of the other half none is in the corner: 172, 72, 12.
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

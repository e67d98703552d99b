//! Sparse matrix times vector: of complex numbers 20 bytes and 8 FLOP for each element, 0.38 FLOP/byte where it does not fit the caches; of real ones 12 and 2, 0.16.

use super::lattice::{Counted, Elements, Lattice};
use super::placed::Placed;
use super::sparse::{Block, Sparse};
use super::vectors::{ARRAYS, VECTORS, Vectors};
use serde::{Deserialize, Serialize};

use crate::kernel::{Kernel, Lies, Need, Problem, SetupError, Work, exactly};
use crate::team::{Division, Team};
use crate::way::Loops;

/// Indices of rows and elements have 32 bits, those of columns a sign: 48 million rows of 41 elements.
const MOST: usize = 48_000_000;

/// How rows are divided among parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Partition {
    /// As many rows each.
    Rows,
    /// About as many elements each.
    Elements,
}

/// How the matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// Three arrays with all rows. Where parts meet, they share pages.
    Whole,
    /// For neighbouring parts of one group arrays of their own, so that each may lie wholly on the node of its threads.
    PerGroup,
}

/// The matrix of a crystal in compressed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spmv {
    /// The crystal.
    pub lattice: Lattice,
    /// What elements are.
    pub elements: Elements,
    /// How rows are divided.
    pub partition: Partition,
    /// How it is stored.
    pub storage: Storage,
}

impl Spmv {
    /// Which rows are whose.
    fn rows(&self, counted: &Counted, parts: usize) -> Division {
        let rows = self.lattice.rows();
        match self.partition {
            Partition::Rows => Division::even(rows, parts),
            Partition::Elements => Division::by_weight(|row| counted.before(row), rows, parts),
        }
    }

    /// The blocks of a team: the first part of each, and the end.
    fn blocks(&self, team: &Team) -> Vec<usize> {
        let groups = team.group_of_parts();
        let changes = (1..groups.len())
            .filter(|&part| self.storage == Storage::PerGroup && groups.get(part) != groups.get(part - 1));
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
            let group = team.group(from).filter(|_| self.storage == Storage::PerGroup);
            let lies = |division| group.map_or(Lies::Divided(division), Lies::Group);
            needs.extend(block.needs(self.elements, lies));
        }
        match self.elements {
            Elements::Complex => needs.extend(Vectors::needs(&rows)),
            Elements::Real => needs.extend(Vectors::real_needs(&rows)),
        }
        Ok(needs)
    }

    /// With one row pointer more than rows; arrays per group have one more each.
    fn work(&self) -> Work {
        if self.checked().is_err() {
            return Work::default();
        }
        let rows = self.lattice.rows();
        let elements = Counted::new(self.lattice).before(rows);
        super::sparse::work(self.elements, elements, rows, 1)
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

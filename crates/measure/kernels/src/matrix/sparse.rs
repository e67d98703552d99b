//! A sparse matrix in memory: one block of rows, or one for each group.
// Columns are looked at where they are written, once, and not in the loop that uses them.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::csr::{self, Csr, MOST_COLUMNS};
use super::csr_real;
use super::lattice::{Counted, Elements, Lattice};
use super::placed::Matrix;
use super::split::{Split, SplitMut};
use crate::array::{AccessError, Array, elements};
use crate::kernel::{Lies, Need, SetupError, Work, WrongResult, compare, exactly};
use crate::team::Division;
use crate::way::Loops;

/// Arrays of a block: row pointers, columns, real and imaginary parts.
const MEMORIES: usize = 4;
const WHAT: [&str; MEMORIES] =
    ["row pointers", "columns", "real parts of the matrix", "imaginary parts of the matrix"];

/// Arrays of a block with such elements: real ones have no imaginary parts.
pub(super) const fn memories(of: Elements) -> usize {
    match of {
        Elements::Complex => MEMORIES,
        Elements::Real => MEMORIES - 1,
    }
}

/// The work of rows with so many elements and blocks: of an element its value and its column, of a row a pointer, its element of x and that of y.
pub(super) fn work(of: Elements, elements: u64, rows: usize, blocks: u64) -> Work {
    let (bytes, flop) = match of {
        Elements::Complex => (16, 8),
        Elements::Real => (8, 2),
    };
    Work { bytes: (bytes + 4) * elements + (4 + 2 * bytes) * rows as u64 + 4 * blocks, flop: flop * elements }
}

/// Which rows and elements a block has.
pub(super) struct Block {
    /// The parts whose rows it has.
    parts: Range<usize>,
    /// Row pointers by part: the first part has one more, the beginning of the first row.
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
    /// None of real numbers.
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

    /// The next block, on as many arrays as [`memories`] says.
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

    /// The block of a part, and the part's number in it.
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
        // The first part of a block has the beginning of its first row, too.
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
        // As many elements as were counted: all of the part's columns are now known.
        let complete = at == columns.len();
        if let Some(prepared) = self.prepared.get(part) {
            prepared.store(inside && complete, Ordering::Release);
        }
        Ok(())
    }

    fn multiply(&self, loops: Loops, part: usize, x: Split<'_>, y: SplitMut<'_>) -> Result<(), AccessError> {
        let unprepared = AccessError::NotPrepared { what: "rows", part };
        let (block, local) = self.stored(part)?;
        // Columns are below the number of rows: so many elements x has, and its rows' elements are within the part's.
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
                None => csr_real::multiply(loops, matrix, x.re, y.re),
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

//! A sparse matrix in memory: one block of rows, or one for each group.
// Columns are looked at where they are written, once, and not in the loop that uses them.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::csr::{self, Csr, MOST_COLUMNS};
use super::lattice::{Counted, Lattice};
use super::placed::Matrix;
use super::split::{Split, SplitMut};
use crate::array::{AccessError, Array, elements};
use crate::kernel::{Lies, Need, SetupError, Work, WrongResult, compare};
use crate::team::Division;
use crate::way::Loops;

/// Arrays of a block: row pointers, columns, real and imaginary parts.
pub(super) const MEMORIES: usize = 4;
const WHAT: [&str; MEMORIES] =
    ["row pointers", "columns", "real parts of the matrix", "imaginary parts of the matrix"];

/// The work of rows with so many elements and blocks: 20 bytes for an element, of a row a pointer, its element of x and that of y.
pub(super) fn work(elements: u64, rows: usize, blocks: u64) -> Work {
    Work { bytes: 20 * elements + (4 + 32) * rows as u64 + 4 * blocks, flop: 8 * elements }
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

    pub(super) fn needs(&self, lies: impl Fn(Division) -> Lies) -> [Need; MEMORIES] {
        let all = [(4, &self.pointers), (4, &self.elements), (8, &self.elements), (8, &self.elements)];
        let mut what = WHAT.into_iter();
        all.map(|(width, division)| {
            let what = what.next().unwrap_or_default();
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
    im: Array<'m, f64>,
}

/// A sparse matrix in memory.
pub(super) struct Sparse<'m> {
    lattice: Lattice,
    rows: Division,
    blocks: Vec<Stored<'m>>,
    /// The parts whose rows have been written, with columns below the number of rows.
    prepared: Vec<AtomicBool>,
}

impl<'m> Sparse<'m> {
    /// Without any block.
    pub(super) fn new(lattice: Lattice, rows: Division) -> Self {
        let prepared = (0..rows.parts()).map(|_| AtomicBool::new(false)).collect();
        Self { lattice, rows, blocks: Vec::new(), prepared }
    }

    /// The next block.
    pub(super) fn push(&mut self, block: Block, memory: [&'m mut [f64]; MEMORIES]) -> Result<(), SetupError> {
        let [pointers, columns, re, im] = memory;
        let [of_pointers, of_columns, of_re, of_im] = WHAT;
        let Block { parts, pointers: by_row, elements: by_element } = block;
        self.blocks.push(Stored {
            parts,
            pointers: Array::new(of_pointers, elements(pointers), by_row)?,
            columns: Array::new(of_columns, elements(columns), by_element.clone())?,
            re: Array::new(of_re, re, by_element.clone())?,
            im: Array::new(of_im, im, by_element)?,
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
        let (mut re, mut im) = (block.re.write(local)?, block.im.write(local)?);
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
                if let (Some(to), Some(re), Some(im)) = (columns.get_mut(at), re.get_mut(at), im.get_mut(at))
                {
                    // Below 2^31 (`inside`).
                    (*to, *re, *im) = (u32::try_from(column).unwrap_or(u32::MAX), real, imaginary);
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
            || x.len() < self.rows.len()
        {
            return Err(unprepared);
        }
        let (pointers, columns) = (block.pointers.read()?, block.columns.read()?);
        let (re, im) = (block.re.read()?, block.im.read()?);
        let pointers = pointers.get(self.own_pointers(block, part)).ok_or(unprepared)?;
        let elements = block.columns.division().range(local);
        let within = pointers.first().is_some_and(|&first| first as usize == elements.start);
        let ended = pointers.last().is_some_and(|&last| last as usize == elements.end);
        let matrix = Csr::new(pointers, &columns, Split { re: &re, im: &im }).filter(|_| within && ended);
        // SAFETY: pointers ascend from the first to the last element of the part, whose columns are below the length of x, since it is prepared.
        unsafe { csr::multiply(loops, matrix.ok_or(unprepared)?, x, y) };
        Ok(())
    }

    fn check(&self, part: usize) -> Result<(), WrongResult> {
        let (block, local) = self.stored(part)?;
        let elements = block.columns.division().range(local);
        let rows = || self.rows.range(part).flat_map(|row| self.lattice.row(row));
        let [_, of_columns, of_re, of_im] = WHAT;
        let (columns, re, im) = (block.columns.read()?, block.re.read()?, block.im.read()?);
        let columns = columns[elements.clone()].iter().map(|&column| f64::from(column));
        compare(of_columns, columns, rows().map(|(column, ..)| column as f64))?;
        compare(of_re, re[elements.clone()].iter().copied(), rows().map(|(_, re, _)| re))?;
        compare(of_im, im[elements].iter().copied(), rows().map(|(.., im)| im))
    }

    fn work(&self, part: usize) -> Work {
        let Ok((block, local)) = self.stored(part) else { return Work::default() };
        let elements = block.columns.division().range(local).len() as u64;
        work(elements, self.rows.range(part).len(), u64::from(local == 0))
    }
}

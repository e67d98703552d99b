//! Dense matrix times vector: 16 bytes and 8 FLOP for each element, 0.5 FLOP/byte.

use super::dense;
use super::placed::{Matrix, Placed};
use super::split::{Split, SplitMut};
use super::vectors::Vectors;
use serde::{Deserialize, Serialize};

use crate::array::{AccessError, Array};
use crate::fill::number;
use crate::kernel::{Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, compare, exactly};
use crate::team::{Division, Team};
use crate::way::Loops;

/// 16 bytes of each of its squares are the largest power of two that is no size of memory.
const MOST: usize = 1 << 24;

/// A square matrix of complex numbers in double precision, real and imaginary parts apart, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dmv {
    /// Rows, and columns.
    pub rows: usize,
}

/// The work of `rows` rows: the matrix once, and of the vectors as much as belongs to them (x read, y written).
fn work(rows: usize, columns: usize) -> Work {
    let (rows, elements) = (rows as u64, rows as u64 * columns as u64);
    Work { bytes: 16 * elements + 32 * rows, flop: 8 * elements }
}

impl Problem for Dmv {
    fn name(&self) -> &'static str {
        "dmv"
    }

    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        SetupError::unless("rows", self.rows, 1..=MOST)?;
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
        // Also the least numbers keep their length from call to call, about.
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

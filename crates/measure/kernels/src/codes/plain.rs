//! The same grids as whole ones, with plain loops: what the results of tasks on tiles are compared with.

use crate::stencil::{average, mean};

/// A grid with a border around it.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    width: usize,
    height: usize,
    points: Vec<f64>,
}

impl Plain {
    /// `number` says what is at a row and column; the border, at -1 and behind the end, is 0 unless `border` says else.
    pub(super) fn new(
        (height, width): (usize, usize),
        number: impl Fn(usize, usize) -> f64,
        border: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let mut points = Vec::with_capacity((height + 2) * (width + 2));
        for row in 0..height + 2 {
            for column in 0..width + 2 {
                let is_inside = (1..=height).contains(&row) && (1..=width).contains(&column);
                points.push(if is_inside { number(row - 1, column - 1) } else { border(row, column) });
            }
        }
        Self { width, height, points }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.points.get(row * (self.width + 2) + column).copied().unwrap_or(f64::NAN)
    }

    /// The rows of a part of the grid.
    pub(super) fn rows(
        &self,
        (row, height): (usize, usize),
        (column, width): (usize, usize),
    ) -> impl Iterator<Item = &[f64]> {
        (row + 1..=row + height).map(move |row| {
            let from = row * (self.width + 2) + column + 1;
            self.points.get(from..from + width).unwrap_or_default()
        })
    }

    /// Everything once more from the old values.
    pub(super) fn jacobi(&mut self) {
        let old = self.clone();
        for row in 1..=self.height {
            for column in 1..=self.width {
                let around = [
                    old.at(row - 1, column),
                    old.at(row + 1, column),
                    old.at(row, column - 1),
                    old.at(row, column + 1),
                ];
                self.points[row * (self.width + 2) + column] = average(old.at(row, column), around);
            }
        }
    }

    /// A part of the grid, row by row, from the values as they are.
    pub(super) fn gauss_seidel(&mut self, (row, height): (usize, usize), (column, width): (usize, usize)) {
        for row in row + 1..=row + height {
            for column in column + 1..=column + width {
                let around = [
                    self.at(row - 1, column),
                    self.at(row, column - 1),
                    self.at(row + 1, column),
                    self.at(row, column + 1),
                ];
                self.points[row * (self.width + 2) + column] = mean(around);
            }
        }
    }
}

/// How many points of a tile differ in any bit from the rows that they should be.
pub(super) fn differing<'r>(width: usize, tile: &[f64], rows: impl Iterator<Item = &'r [f64]>) -> f64 {
    let mut tile = tile.chunks(width.max(1));
    let differing = |row: &[f64]| -> usize {
        let own = tile.next().unwrap_or_default();
        let equal = row.iter().zip(own).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
        row.len() - equal
    };
    rows.map(differing).sum::<usize>() as f64
}

/// What people read beside that number.
pub(super) const WHAT: &str = "points that differ from a plain serial code";

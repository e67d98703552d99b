//! Tables with one value for each application and node, or for each pair of nodes.
//!
//! The rows are applications ([`AppId`]) or the nodes of cores ([`NodeId`]), the columns are nodes. A cell is
//! addressed by its row and column or, in loops over many cells, by its number. Only this file defines how
//! the two are related.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

use crate::ids::{AppId, Id, NodeId};

/// One value for each row and node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table<T, Row = AppId> {
    nodes: usize,
    cells: Vec<T>,
    rows: PhantomData<Row>,
}

impl<T, Row: Id> Table<T, Row> {
    /// A table with the same value everywhere.
    pub fn filled(rows: usize, nodes: usize, value: T) -> Self
    where
        T: Clone,
    {
        Self { nodes, cells: vec![value; rows * nodes], rows: PhantomData }
    }

    /// Builds each cell from its row and node.
    pub fn from_fn(rows: usize, nodes: usize, mut value: impl FnMut(Row, NodeId) -> T) -> Self {
        let mut cells = Vec::with_capacity(rows * nodes);
        for row in 0..rows {
            cells.extend((0..nodes).map(|node| value(Row::new(row), NodeId(node))));
        }
        Self { nodes, cells, rows: PhantomData }
    }

    /// Builds a table from rows of equal length; `None` if the lengths differ.
    pub fn from_rows(rows: &[Vec<T>]) -> Option<Self>
    where
        T: Clone,
    {
        let nodes = rows.first().map_or(0, Vec::len);
        let equal = rows.iter().all(|row| row.len() == nodes);
        equal.then(|| Self { nodes, cells: rows.concat(), rows: PhantomData })
    }

    /// Builds a table from all cells, row by row; `None` if they do not fill whole rows.
    pub fn from_cells(nodes: usize, cells: Vec<T>) -> Option<Self> {
        let whole = cells.len().checked_rem(nodes).unwrap_or(cells.len()) == 0;
        whole.then_some(Self { nodes, cells, rows: PhantomData })
    }

    /// Changes the number of rows; new cells have `value`.
    pub fn resize_rows(&mut self, rows: usize, value: T)
    where
        T: Clone,
    {
        self.cells.resize(rows * self.nodes, value);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.cells.len().checked_div(self.nodes).unwrap_or(0)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The number of the cell, from 0, row by row.
    #[inline]
    pub fn cell(&self, row: Row, node: NodeId) -> usize {
        row.number() * self.nodes + node.0
    }

    /// Row and node of the cell with this number.
    #[inline]
    pub fn place(&self, cell: usize) -> (Row, NodeId) {
        let nodes = self.nodes.max(1);
        (Row::new(cell / nodes), NodeId(cell % nodes))
    }

    /// The numbers of the cells of one row.
    #[inline]
    pub fn cells_of(&self, row: Row) -> Range<usize> {
        let first = row.number() * self.nodes;
        first..first + self.nodes
    }

    /// One row: a value for each node.
    pub fn row(&self, row: Row) -> &[T] {
        &self.cells[self.cells_of(row)]
    }

    /// The cell, or `None` outside the table.
    pub fn get(&self, row: Row, node: NodeId) -> Option<&T> {
        self.cells.get(self.cell(row, node)).filter(|_| node.0 < self.nodes)
    }

    /// All cells with their rows and nodes, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (Row, NodeId, &T)> {
        self.cells.iter().enumerate().map(|(cell, value)| {
            let (row, node) = self.place(cell);
            (row, node, value)
        })
    }

    /// All cells, row by row.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.cells
    }

    /// All cells, row by row, for changes in place.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.cells
    }
}

impl<T, Row: Id> Index<(Row, NodeId)> for Table<T, Row> {
    type Output = T;
    #[inline]
    fn index(&self, (row, node): (Row, NodeId)) -> &T {
        &self.cells[self.cell(row, node)]
    }
}

impl<T, Row: Id> IndexMut<(Row, NodeId)> for Table<T, Row> {
    #[inline]
    fn index_mut(&mut self, (row, node): (Row, NodeId)) -> &mut T {
        let cell = self.cell(row, node);
        &mut self.cells[cell]
    }
}

/// Indexed by the number of the cell.
impl<T, Row> Index<usize> for Table<T, Row> {
    type Output = T;
    #[inline]
    fn index(&self, cell: usize) -> &T {
        &self.cells[cell]
    }
}

/// Indexed by the number of the cell.
impl<T, Row> IndexMut<usize> for Table<T, Row> {
    #[inline]
    fn index_mut(&mut self, cell: usize) -> &mut T {
        &mut self.cells[cell]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two applications on three nodes: 0 1 2 / 10 11 12.
    fn table() -> Table<usize> {
        Table::from_fn(2, 3, |app: AppId, node| 10 * app.0 + node.0)
    }

    #[test]
    fn a_cell_is_found_by_application_and_node() {
        let mut table = table();
        assert_eq!(table[(AppId(1), NodeId(2))], 12);
        table[(AppId(0), NodeId(1))] = 7;
        assert_eq!(table.row(AppId(0)), [0, 7, 2]);
        assert_eq!((table.rows(), table.nodes()), (2, 3));
    }

    #[test]
    fn the_number_and_the_place_of_a_cell_are_inverse() {
        let table = table();
        for (app, node, &value) in table.iter() {
            let cell = table.cell(app, node);
            assert_eq!((table.place(cell), table[cell]), ((app, node), value));
        }
        // The second row begins after the three cells of the first.
        assert_eq!(table.cells_of(AppId(1)), 3..6);
    }

    #[test]
    fn cells_outside_the_table_are_none() {
        assert_eq!(table().get(AppId(1), NodeId(0)), Some(&10));
        assert_eq!(table().get(AppId(0), NodeId(3)), None);
        assert_eq!(table().get(AppId(2), NodeId(0)), None);
    }

    #[test]
    fn rows_of_different_lengths_are_rejected() {
        assert_eq!(Table::<u32>::from_rows(&[vec![1, 2], vec![3]]), None);
        assert_eq!(Table::<u32>::from_cells(2, vec![1, 2, 3]), None);
        assert_eq!(
            Table::<u32>::from_cells(2, vec![1, 2, 3, 4]),
            Table::from_rows(&[vec![1, 2], vec![3, 4]])
        );
    }

    #[test]
    fn a_table_without_nodes_has_no_rows() {
        assert_eq!(Table::<u32>::filled(4, 0, 1).rows(), 0);
    }
}

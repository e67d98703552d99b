//! The ports of one column, in registers while groups that stand one after the other take from them.
//!
//! Each group adds to what is drawn and wanted: in memory, each would wait for the one before.

use super::column::Column;
use super::lanes::{LANES, Lanes, add, lanes, smaller};
use super::rows::Block;

/// A column that groups take from; see there.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtHand {
    /// Its number, if there is one.
    column: Option<u32>,
    pub(super) flat: Lanes,
    pub(super) ratio: Lanes,
    pub(super) drawn: Lanes,
    wanted: Lanes,
    lowest: Lanes,
}

impl AtHand {
    /// No column.
    pub(super) const NONE: Self = {
        let none = [0.0; LANES];
        Self { column: None, flat: none, ratio: none, drawn: none, wanted: none, lowest: none }
    };

    /// Takes that column, and gives the last one back.
    #[inline]
    pub(super) fn reach(&mut self, column: u32, columns: &mut [Column]) {
        if self.column != Some(column) {
            self.give_back(columns);
            let Column { flat, ratio, drawn, wanted, lowest, .. } = columns[column as usize];
            *self = Self { column: Some(column), flat, ratio, drawn, wanted, lowest };
        }
    }

    /// Notes down in the column what was taken.
    #[inline]
    pub(super) fn give_back(&mut self, columns: &mut [Column]) {
        if let Some(number) = self.column.take() {
            let column = &mut columns[number as usize];
            (column.drawn, column.wanted, column.lowest) = (self.drawn, self.wanted, self.lowest);
        }
    }

    /// As [`Column::want`].
    #[inline]
    pub(super) fn want(&mut self, block: &Block, wants: f64, least: f64) {
        add(&mut self.wanted, wants, &block.cost);
        self.lowest = lanes(|lane| smaller(least * block.floor[lane], self.lowest[lane]));
    }
}

//! Which of many things have a colour of their own: the largest; the others are one.

use plotters::style::RGBColor;

use super::palette::{FAINT_LINE, fill_colour};

/// All that have no colour of their own.
const OTHERS: RGBColor = RGBColor(150, 150, 150);
/// Most things with a colour of their own.
const MOST: usize = 8;

/// From the things of a picture to those that are drawn.
pub(super) struct Shown {
    /// The names in the legend.
    pub(super) names: Vec<String>,
    /// For each thing: which one it is part of.
    pub(super) part_of: Vec<usize>,
    /// Whether the last one is all the others.
    has_others: bool,
}

impl Shown {
    /// The largest, in the order of `names`, and behind them the others.
    pub(super) fn largest(names: &[String], sizes: impl FnOnce() -> Vec<f64>) -> Self {
        if names.len() <= MOST {
            return Self { names: names.to_vec(), part_of: (0..names.len()).collect(), has_others: false };
        }
        let mut by_size: Vec<(usize, f64)> = sizes().into_iter().enumerate().collect();
        by_size.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let own = MOST - 1;
        let mut largest: Vec<usize> = by_size.iter().take(own).map(|&(number, _)| number).collect();
        largest.sort_unstable();
        let mut shown: Vec<String> =
            largest.iter().filter_map(|&number| names.get(number).cloned()).collect();
        shown.push(format!("{} others", names.len() - own));
        let part_of = (0..names.len()).map(|number| largest.binary_search(&number).unwrap_or(own)).collect();
        Self { names: shown, part_of, has_others: true }
    }

    /// The colour of one that is drawn.
    pub(super) fn colour(&self, number: usize) -> RGBColor {
        if self.has_others && number + 1 == self.names.len() { OTHERS } else { fill_colour(number) }
    }

    /// Names and colours of the legend; the last one is `rest`, what nobody takes.
    pub(super) fn in_legend<'a>(&'a self, rest: &'a str) -> (Vec<&'a str>, Vec<RGBColor>) {
        self.in_legend_with(&[(rest, FAINT_LINE)])
    }

    /// Names and colours of the legend, others behind them.
    pub(super) fn in_legend_with<'a>(
        &'a self,
        rest: &[(&'a str, RGBColor)],
    ) -> (Vec<&'a str>, Vec<RGBColor>) {
        let own = self.names.iter().enumerate().map(|(number, name)| (name.as_str(), self.colour(number)));
        own.chain(rest.iter().copied()).unzip()
    }
}

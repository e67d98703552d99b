//! Which bands have a colour of their own.

use plotters::style::RGBColor;

use super::StripPlot;

/// All bands that have no colour of their own.
pub(super) const OTHERS: RGBColor = RGBColor(150, 150, 150);
/// Most bands with a colour of their own; the smallest of more are one.
const MOST_BANDS: usize = 8;

/// From the bands of the plot to those that are drawn.
pub(super) struct Bands {
    /// The names in the legend, from below.
    pub(super) names: Vec<String>,
    /// For each band of the plot: which one it is part of.
    pub(super) part_of: Vec<usize>,
    /// Whether the last one is all the others.
    pub(super) has_others: bool,
}

impl StripPlot {
    /// The largest bands have colours of their own, in the order of the plot; the others are one, above them.
    pub(super) fn bands(&self) -> Bands {
        if self.names.len() <= MOST_BANDS {
            return Bands {
                names: self.names.clone(),
                part_of: (0..self.names.len()).collect(),
                has_others: false,
            };
        }
        let area = |band: usize| -> f64 {
            self.strips.iter().filter_map(|strip| strip.bands.get(band)).flatten().sum()
        };
        let mut by_area: Vec<(f64, usize)> = (0..self.names.len()).map(|band| (area(band), band)).collect();
        by_area.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let own = MOST_BANDS - 1;
        let mut largest: Vec<usize> = by_area.iter().take(own).map(|&(_, band)| band).collect();
        largest.sort_unstable();
        let mut names: Vec<String> = largest.iter().map(|&band| self.names[band].clone()).collect();
        names.push(format!("{} others", self.names.len() - own));
        let part_of = (0..self.names.len()).map(|band| largest.binary_search(&band).unwrap_or(own)).collect();
        Bands { names, part_of, has_others: true }
    }
}

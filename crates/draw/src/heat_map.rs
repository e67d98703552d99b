//! One figure over two axes, as colour.

use plotters::prelude::*;

use super::axis::{Axis, Coordinate};
use super::colour_bar::{bar_width, colour_bar};
use super::heading::{DrawError, Heading};
use super::palette::{NO_RESULT, heat_colour, text_on};
use super::style::{Area, MARGIN, Mesh, SIZE, SMALL, centred, chart, draw_axes, drawn, headed, text_width};
use crate::figures;

/// A figure over two axes.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// Above the picture.
    pub heading: Heading,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Title of the colours, with the unit.
    pub label: String,
    /// `values[i * y + j]` at the i-th value of x and the j-th of y; not finite where there is no result.
    pub values: Vec<f64>,
    /// The cell to mark as the best.
    pub best: Option<usize>,
    /// Write the values into the cells, too, where there is room.
    pub numbers: bool,
    /// What a cell without a value means.
    pub gap: &'static str,
}

impl HeatMap {
    /// The plot as SVG.
    ///
    /// # Errors
    /// Only those of the drawing library.
    pub fn svg(&self) -> Result<String, DrawError> {
        drawn(SIZE, |root| self.draw(root))
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), DrawError> {
        let below = headed(root, &self.heading)?;
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        let lowest = finite().fold(f64::INFINITY, f64::min);
        let highest = finite().fold(f64::NEG_INFINITY, f64::max);
        // All the same: one colour in the middle of a short bar.
        let around = if highest > lowest { 0.0 } else { highest.abs().max(1e-9) * 0.05 };
        let range = if lowest.is_finite() { lowest - around..highest + around } else { 0.0..1.0 };
        let bar = Coordinate::exactly(range.clone());
        let (area, side) = below.split_horizontally(SIZE.0 - bar_width(&bar, &self.label) - MARGIN);

        let (columns, rows) = (edges(&self.x.positions()), edges(&self.y.positions()));
        let y = self.y.coordinate(span(&rows));
        let titles = [self.x.label.as_str(), self.y.label.as_str()];
        let mut chart = chart(&area, 0, self.x.coordinate(span(&columns)), y, titles)?;
        let colour = |value: f64| {
            if value.is_finite() {
                heat_colour((value - range.start) / (range.end - range.start))
            } else {
                NO_RESULT
            }
        };
        let count = rows.len() - 1;
        let cell = |at: usize| {
            let (i, j) = (at / count, at % count);
            [(columns[i], rows[j]), (columns[i + 1], rows[j + 1])]
        };
        let area = chart.plotting_area();
        let inside = area.get_pixel_range();
        // From the upper left to the lower right, each a pixel into its neighbours, which are drawn over it: no paper is seen
        // between two cells, however large the picture is shown.
        let mut cells: Vec<([(i32, i32); 2], RGBColor)> = Vec::with_capacity(self.values.len());
        for (at, &value) in self.values.iter().enumerate() {
            let [from, to] = cell(at).map(|corner| area.map_coordinate(&corner));
            let (left, top) = (from.0.min(to.0), from.1.min(to.1));
            let right = (from.0.max(to.0) + 1).min(inside.0.end);
            let bottom = (from.1.max(to.1) + 1).min(inside.1.end);
            cells.push(([(left, top), (right, bottom)], colour(value)));
        }
        cells.sort_by_key(|([corner, _], _)| *corner);
        for (corners, colour) in cells {
            root.draw(&Rectangle::new(corners, colour.filled()))?;
        }
        draw_axes(root, &mut chart, titles, Mesh::No)?;
        let area = chart.plotting_area();
        let place = |at: usize| {
            let [from, to] = cell(at).map(|corner| area.map_coordinate(&corner));
            CellPlace {
                left: from.0.min(to.0),
                top: from.1.min(to.1),
                right: from.0.max(to.0),
                bottom: from.1.max(to.1),
            }
        };
        let numbers = self.numbers && self.draw_numbers(root, &place, &colour)?;
        if let Some(best) = self.best.map(place) {
            // Black on white is seen on every colour.
            for (colour, width) in [(BLACK, 4), (WHITE, 2)] {
                if numbers {
                    root.draw(&PathElement::new(best.border(), colour.stroke_width(width)))?;
                } else {
                    root.draw(&Circle::new(best.middle(), 7, colour.stroke_width(width)))?;
                }
            }
        }
        drop(chart);
        let has_gaps = self.values.iter().any(|value| !value.is_finite());
        colour_bar(&side, &self.label, &bar, lowest < highest, has_gaps.then_some(self.gap))?;
        Ok(())
    }
}

/// A cell in pixels.
struct CellPlace {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl CellPlace {
    fn middle(&self) -> (i32, i32) {
        (i32::midpoint(self.left, self.right), i32::midpoint(self.top, self.bottom))
    }

    fn border(&self) -> [(i32, i32); 5] {
        let Self { left, top, right, bottom } = *self;
        [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    }
}

impl HeatMap {
    /// The value of each cell in it, if all of them have room. Whether they have.
    fn draw_numbers(
        &self,
        root: &Area<'_>,
        place: &dyn Fn(usize) -> CellPlace,
        colour: &dyn Fn(f64) -> RGBColor,
    ) -> Result<bool, DrawError> {
        let there: Vec<(usize, f64)> =
            self.values.iter().copied().enumerate().filter(|(_, value)| value.is_finite()).collect();
        let texts = figures::column(&there.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        let widest = texts.iter().map(|text| text_width(text, SMALL)).max().unwrap_or(0);
        let widest = i32::try_from(widest)?;
        let fits = |at: usize| {
            let place = place(at);
            place.right - place.left >= widest + 4 && place.bottom - place.top >= 18
        };
        if !there.iter().all(|(at, _)| fits(*at)) {
            return Ok(false);
        }
        for ((at, value), text) in there.into_iter().zip(texts) {
            root.draw_text(&text, &centred(SMALL, text_on(colour(value))), place(at).middle())?;
        }
        Ok(true)
    }
}

/// Where cells begin and end: half way between neighbours.
fn edges(positions: &[f64]) -> Vec<f64> {
    let (Some(first), Some(last)) = (positions.first(), positions.last()) else { return vec![0.0, 1.0] };
    if positions.len() == 1 {
        return vec![first - 0.5, last + 0.5];
    }
    let between = positions.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
    let before = first - (positions[1] - first) / 2.0;
    let after = last + (last - positions[positions.len() - 2]) / 2.0;
    std::iter::once(before).chain(between).chain([after]).collect()
}

/// From the smallest to the largest edge; values may fall.
fn span(edges: &[f64]) -> std::ops::Range<f64> {
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    first.min(last)..first.max(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;
    use crate::testing::{assert_apart, rectangles, words};

    #[test]
    fn cells_end_half_way_between_values() {
        assert_eq!(edges(&[1.0, 2.0, 4.0]), [0.5, 1.5, 3.0, 5.0]);
        assert_eq!(span(&edges(&[3.0, 2.0])), 1.5..3.5);
    }

    #[test]
    fn every_cell_has_the_colour_of_its_value() {
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Linear(vec![1.0, 2.0]) };
        let map = HeatMap {
            heading: Heading::default(),
            x: axis("link (GB/s)"),
            y: axis("memory (GB/s)"),
            label: "GFLOPS".to_owned(),
            values: vec![0.0, 8.0, 4.0, f64::NAN],
            best: Some(1),
            numbers: true,
            gap: "no result",
        };
        let svg = map.svg().expect("drawn");
        // Ends and middle of viridis, and grey; the bar has the ends too.
        for colour in ["#440154", "#FDE725", "#21918C", "#CDCDCD"] {
            assert!(svg.contains(colour), "{colour} is missing");
        }
        assert!(svg.contains("no result"));
        // Values in the cells; the best has a border.
        let texts = words(&svg);
        assert!(texts.contains("0.000\n") && texts.contains("4.000\n"), "{texts}");
        assert!(!svg.contains("<circle"));
        assert_apart(&svg);
    }

    #[test]
    fn cells_reach_into_their_neighbours() {
        let axis = |count: u32| Axis {
            label: "x".to_owned(),
            scale: Scale::Linear((0..count).map(f64::from).collect()),
        };
        let map = HeatMap {
            heading: Heading::default(),
            x: axis(3),
            y: axis(1),
            label: "GFLOPS".to_owned(),
            values: vec![1.0, 2.0, 3.0],
            best: None,
            numbers: false,
            gap: "no result",
        };
        // Paper, then the three cells from left to right.
        let cells = rectangles(&map.svg().expect("drawn"));
        for pair in cells[1..4].windows(2) {
            assert!(pair[0].right() > pair[1].x, "{pair:?} only touch");
        }
    }

    #[test]
    fn long_titles_of_axes_are_not_cut_off() {
        let title = "scenario.\"one thread of each application on every node, all data on node 0\".threads.dense-linear-algebra";
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Linear(vec![1.0, 2.0]) };
        let map = HeatMap {
            heading: Heading::default(),
            x: axis(title),
            y: axis(title),
            label: "GFLOPS".to_owned(),
            values: vec![0.0, 8.0, 4.0, 3.0],
            best: None,
            numbers: true,
            gap: "no result",
        };
        let svg = map.svg().expect("drawn");
        assert_apart(&svg);
        let texts = words(&svg).replace([' ', '\n'], "");
        assert_eq!(texts.matches(&title.replace(' ', "")).count(), 2, "{texts}");
    }
}

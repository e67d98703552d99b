//! One figure over two axes, as colour.

use plotters::coord::ranged1d::{BoldPoints, Ranged as _, ValueFormatter as _};
use plotters::prelude::*;

use super::axis::{Axis, Coordinate};
use super::style::{
    FAINT_TEXT, MARGIN, MEDIUM, NO_RESULT, SIZE, SMALL, TEXT, font, headed, heat_colour, left_middle,
    text_width,
};
use super::{DrawError, Heading};

/// A figure over two axes.
#[derive(Clone, Debug)]
pub(crate) struct HeatMap {
    pub(crate) heading: Heading,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// Title of the colours, with the unit.
    pub(crate) label: String,
    /// `values[i * y + j]` at the i-th value of x and the j-th of y; not finite where there is no result.
    pub(crate) values: Vec<f64>,
    /// The cell to mark as the best.
    pub(crate) best: Option<usize>,
}

impl HeatMap {
    /// The plot as SVG.
    ///
    /// # Errors
    /// Only those of the drawing library.
    pub(crate) fn svg(&self) -> Result<String, DrawError> {
        let mut text = String::new();
        self.draw(&mut text)?;
        Ok(text)
    }

    fn draw(&self, text: &mut String) -> Result<(), DrawError> {
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        let below = headed(&root, &self.heading)?;
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        let lowest = finite().fold(f64::INFINITY, f64::min);
        let highest = finite().fold(f64::NEG_INFINITY, f64::max);
        // All the same: one colour in the middle of a short bar.
        let around = if highest > lowest { 0.0 } else { highest.abs().max(1e-9) * 0.05 };
        let range = if lowest.is_finite() { lowest - around..highest + around } else { 0.0..1.0 };
        let bar = Coordinate::exactly(range.clone());
        let bar_width = 26 + bar.labels().map(|label| text_width(label, SMALL)).max().unwrap_or(0) + 44;
        let bar_width = bar_width.max(text_width(&self.label, SMALL) + 24);
        let (area, side) = below.split_horizontally(SIZE.0 - bar_width - MARGIN);

        let (columns, rows) = (edges(&self.x.positions()), edges(&self.y.positions()));
        let y = self.y.coordinate(span(&rows));
        let widest = y.labels().map(|label| text_width(label, SMALL)).max().unwrap_or(0);
        let mut chart = ChartBuilder::on(&area)
            .margin_left(MARGIN)
            .margin_bottom(12)
            .x_label_area_size(56)
            .y_label_area_size(widest + 42)
            .build_cartesian_2d(self.x.coordinate(span(&columns)), y)?;
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
        let cells = self.values.iter().enumerate();
        chart.draw_series(cells.map(|(at, &value)| Rectangle::new(cell(at), colour(value).filled())))?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(TEXT)
            .label_style(font(SMALL, &TEXT))
            .axis_desc_style(font(MEDIUM, &TEXT))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .draw()?;
        if let Some(best) = self.best {
            let [(x0, y0), (x1, y1)] = cell(best);
            let middle = (f64::midpoint(x0, x1), f64::midpoint(y0, y1));
            // Black on white is seen on every colour.
            chart.draw_series([Circle::new(middle, 7, BLACK.stroke_width(4))])?;
            chart.draw_series([Circle::new(middle, 7, WHITE.stroke_width(2))])?;
        }
        drop(chart);

        let (_, height) = side.dim_in_pixel();
        side.draw_text(&self.label, &left_middle(SMALL, &TEXT), (8, 6))?;
        let has_gaps = self.values.iter().any(|value| !value.is_finite());
        let (top, bottom) = (24, i32::try_from(height)? - 12 - 56);
        let missing = if has_gaps { 34 } else { 0 };
        let (from, to) = (top, bottom - missing);
        for pixel in from..to {
            let share = f64::from(to - 1 - pixel) / f64::from(to - from - 1);
            let colour = if lowest < highest { heat_colour(share) } else { heat_colour(0.5) };
            side.draw(&Rectangle::new([(8, pixel), (26, pixel + 1)], colour.filled()))?;
        }
        for tick in bar.key_points(BoldPoints(8)) {
            let at = bar.map(&tick, (to, from));
            side.draw(&PathElement::new([(26, at), (31, at)], TEXT))?;
            side.draw_text(&bar.format_ext(&tick), &left_middle(SMALL, &TEXT), (36, at))?;
        }
        if has_gaps {
            side.draw(&Rectangle::new([(8, bottom - 18), (26, bottom)], NO_RESULT.filled()))?;
            side.draw_text("no result", &left_middle(SMALL, &FAINT_TEXT), (36, bottom - 9))?;
        }
        root.present()?;
        Ok(())
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
    use crate::plot::Scale;

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
        };
        let svg = map.svg().expect("drawn");
        // Ends and middle of viridis, and grey; the bar has the ends too.
        for colour in ["#440154", "#FDE725", "#21918C", "#CDCDCD"] {
            assert!(svg.contains(colour), "{colour} is missing");
        }
        assert!(svg.contains("no result"));
    }
}

//! A picture of single shapes, for what plotters does not draw: curves, dashes, rounded boxes, hatches, sloped text.
//!
//! Nothing in it has an id (hatches and arrowheads are drawn line by line), so that many pictures fit into one page.

use std::fmt::Write as _;

use plotters::style::RGBColor;
use svg::Document;
use svg::node::element::{Circle, Line, Path, Polygon, Rectangle, Text, Title};

use super::heading::Heading;
use super::ink::{Anchor, Font, SUBTITLES, Stroke, TITLE, hex};
use super::metrics;
use super::palette::{FAINT_TEXT, PAPER};
use super::place::Place;
use super::style::{HEADING, MARGIN};

/// A share of the letters' height from their middle to the line that they stand on.
const HALF_HEIGHT: f64 = 0.36;

/// A picture that grows shape by shape.
pub(super) struct Canvas {
    document: Document,
}

/// Coordinates to a tenth of a pixel: short files, and the same ones on every machine.
fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

impl Canvas {
    /// An empty picture with its heading.
    pub(super) fn new(width: f64, height: f64, heading: &Heading) -> Self {
        let (width_text, height_text) = (tenth(width), tenth(height));
        let document = Document::new()
            .set("width", width_text.as_str())
            .set("height", height_text.as_str())
            .set("viewBox", format!("0 0 {width_text} {height_text}"))
            .set("font-family", "sans-serif")
            .set("role", "img")
            .add(Title::new(heading.title.as_str()));
        let mut canvas = Self { document };
        canvas.rect(Place::new(0.0, 0.0, width, height), 0.0, Some(PAPER), None);
        let left = f64::from(MARGIN);
        let most = width - 2.0 * left;
        canvas.text(left, 23.0, &metrics::cut(&heading.title, TITLE, most), Font::new(TITLE));
        let (step, subtitle) = metrics::fitting(&heading.subtitle, SUBTITLES, most);
        let faint = Font::new(SUBTITLES[step]).colour(FAINT_TEXT);
        canvas.text(left, f64::from(HEADING) - 17.0, &subtitle, faint);
        canvas
    }

    fn add(&mut self, node: impl Into<Box<dyn svg::Node>>) {
        svg::Node::append(&mut self.document, node);
    }

    /// A box with corners of this radius.
    pub(super) fn rect(&mut self, at: Place, radius: f64, fill: Option<RGBColor>, stroke: Option<Stroke>) {
        let mut node = Rectangle::new()
            .set("x", tenth(at.x))
            .set("y", tenth(at.y))
            .set("width", tenth(at.width))
            .set("height", tenth(at.height))
            .set("fill", fill.map_or("none".to_owned(), hex));
        if radius > 0.0 {
            node = node.set("rx", tenth(radius));
        }
        if let Some(stroke) = stroke {
            node = node.set("stroke", hex(stroke.colour)).set("stroke-width", tenth(stroke.width));
            if !stroke.dashes.is_empty() {
                node = node.set("stroke-dasharray", stroke.dasharray());
            }
        }
        self.add(node);
    }

    /// Sloped lines inside a box, `step` pixels apart.
    pub(super) fn hatch(&mut self, at: Place, step: f64, stroke: Stroke) {
        let mut offset = step;
        // The line x + y = offset, from the box's upper left corner, cut at its borders.
        while offset < at.width + at.height {
            let (x0, x1) = ((offset - at.height).max(0.0), offset.min(at.width));
            self.line((at.x + x0, at.y + offset - x0), (at.x + x1, at.y + offset - x1), stroke);
            offset += step;
        }
    }

    pub(super) fn circle(
        &mut self,
        x: f64,
        y: f64,
        radius: f64,
        fill: Option<RGBColor>,
        stroke: Option<Stroke>,
    ) {
        let mut node = Circle::new()
            .set("cx", tenth(x))
            .set("cy", tenth(y))
            .set("r", tenth(radius))
            .set("fill", fill.map_or("none".to_owned(), hex));
        if let Some(stroke) = stroke {
            node = node.set("stroke", hex(stroke.colour)).set("stroke-width", tenth(stroke.width));
        }
        self.add(node);
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        let mut node = Line::new()
            .set("x1", tenth(from.0))
            .set("y1", tenth(from.1))
            .set("x2", tenth(to.0))
            .set("y2", tenth(to.1))
            .set("stroke", hex(stroke.colour))
            .set("stroke-width", tenth(stroke.width));
        if !stroke.dashes.is_empty() {
            node = node.set("stroke-dasharray", stroke.dasharray());
        }
        self.add(node);
    }

    /// Straight lines from point to point.
    pub(super) fn path(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let mut data = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let _ = write!(data, "{}{} {}", if i == 0 { "M" } else { " L" }, tenth(*x), tenth(*y));
        }
        self.stroked(&data, stroke);
    }

    /// Points of one colour as a single path: thousands of them stay a short file.
    pub(super) fn dots(&mut self, points: &[(f64, f64)], radius: f64, colour: RGBColor) {
        let mut data = String::new();
        for (x, y) in points {
            let _ = write!(data, "M{} {}h0", tenth(*x), tenth(*y));
        }
        let node = Path::new().set("d", data).set("fill", "none").set("stroke", hex(colour));
        self.add(node.set("stroke-width", tenth(2.0 * radius)).set("stroke-linecap", "round"));
    }

    /// A cubic curve with its two control points.
    pub(super) fn curve(&mut self, [a, b, c, d]: [(f64, f64); 4], stroke: Stroke) {
        let [a, b, c, d] = [a, b, c, d].map(|(x, y)| format!("{} {}", tenth(x), tenth(y)));
        self.stroked(&format!("M{a} C{b} {c} {d}"), stroke);
    }

    fn stroked(&mut self, data: &str, stroke: Stroke) {
        let mut node = Path::new()
            .set("d", data)
            .set("fill", "none")
            .set("stroke", hex(stroke.colour))
            .set("stroke-width", tenth(stroke.width));
        if !stroke.dashes.is_empty() {
            node = node.set("stroke-dasharray", stroke.dasharray());
        }
        self.add(node);
    }

    pub(super) fn polygon(&mut self, points: &[(f64, f64)], fill: Option<RGBColor>, stroke: Option<Stroke>) {
        let points: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", tenth(*x), tenth(*y))).collect();
        let mut node =
            Polygon::new().set("points", points.join(" ")).set("fill", fill.map_or("none".to_owned(), hex));
        if let Some(stroke) = stroke {
            node = node.set("stroke", hex(stroke.colour)).set("stroke-width", tenth(stroke.width));
        }
        self.add(node);
    }

    /// A text whose letters have their middle at the height `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, font: Font) {
        let mut node = Text::new(text)
            .set("x", tenth(x))
            .set("y", tenth(y + HALF_HEIGHT * font.size))
            .set("font-size", tenth(font.size))
            .set("fill", hex(font.colour));
        match font.anchor {
            Anchor::Start => {}
            Anchor::Middle => node = node.set("text-anchor", "middle"),
            Anchor::End => node = node.set("text-anchor", "end"),
        }
        if font.bold {
            node = node.set("font-weight", "bold");
        }
        if font.turned != 0.0 {
            node = node.set("transform", format!("rotate({} {} {})", tenth(font.turned), tenth(x), tenth(y)));
        }
        if font.halo {
            node = node
                .set("stroke", hex(PAPER))
                .set("stroke-width", "3")
                .set("stroke-linejoin", "round")
                .set("paint-order", "stroke");
        }
        self.add(node);
    }

    /// The SVG.
    pub(super) fn finish(self) -> String {
        format!("{}\n", self.document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::TEXT;

    #[test]
    fn what_people_wrote_is_escaped() {
        let heading = Heading { title: "<a> & b".to_owned(), subtitle: String::new() };
        let svg = Canvas::new(900.0, 100.0, &heading).finish();
        assert!(svg.contains("&lt;a&gt; &amp; b") && !svg.contains("<a>"), "{svg}");
    }

    #[test]
    fn a_hatch_stays_in_its_box() {
        let mut canvas = Canvas::new(100.0, 100.0, &Heading::default());
        canvas.hatch(Place::new(10.0, 20.0, 8.0, 4.0), 6.0, Stroke::new(TEXT, 1.0));
        let svg = canvas.finish();
        // x + y = 6 from (2, 4) to (6, 0) of the box; x + y = 12 touches the far corner only.
        assert_eq!(svg.matches("<line").count(), 1);
        assert!(svg.contains(r#"x1="12" x2="16" y1="24" y2="20""#), "{svg}");
    }
}

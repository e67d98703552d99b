//! A picture of single shapes, with the style of its lines and text.
//!
//! Shapes have no ids (hatches and arrowheads are drawn line by line). This allows many pictures in one page.

use std::fmt::Write as _;

use super::metrics;
pub(super) use super::metrics::{At, Place};
use super::palette::{Colour, FAINT_TEXT, PAPER, TEXT};

/// Width and height of most pictures in pixels.
pub(super) const SIZE: (f64, f64) = (900.0, 560.0);
/// Space around everything.
pub(super) const MARGIN: f64 = 20.0;
/// Height of title and subtitle.
pub(super) const HEADING: f64 = 62.0;

/// Font sizes: of the title, of the titles of axes, of ticks and legends.
const TITLE: f64 = 15.3;
pub(super) const MEDIUM: f64 = 12.1;
pub(super) const SMALL: f64 = 11.3;
/// A long subtitle has a smaller font.
const SUBTITLES: [f64; 3] = [SMALL, 10.5, TINY];
/// Font size in small panels.
pub(super) const TINY: f64 = 9.7;

/// Distance from the middle of the letters to the baseline, as a fraction of their height.
const HALF_HEIGHT: f64 = 0.36;

/// Title of a plot and the line below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// The title.
    pub title: String,
    /// The object of the plot, and its conditions.
    pub subtitle: String,
}

/// The part of a text at its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The style of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    /// Pixels.
    pub(super) size: f64,
    pub(super) colour: Colour,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    /// Degrees, clockwise, around its anchor.
    pub(super) turned: f64,
    /// Whether a border in the colour of the paper separates it from lines.
    pub(super) halo: bool,
}

impl Font {
    /// Upright, in the text colour, starting at its anchor.
    pub(super) const fn new(size: f64) -> Self {
        Self { size, colour: TEXT, anchor: Anchor::Start, bold: false, turned: 0.0, halo: false }
    }

    /// With its middle at its anchor.
    pub(super) const fn middle(size: f64) -> Self {
        Self::new(size).anchor(Anchor::Middle)
    }

    /// Ending at its anchor.
    pub(super) const fn end(size: f64) -> Self {
        Self::new(size).anchor(Anchor::End)
    }

    pub(super) const fn colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    pub(super) const fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) const fn turned(self, turned: f64) -> Self {
        Self { turned, ..self }
    }

    pub(super) const fn halo(self) -> Self {
        Self { halo: true, ..self }
    }
}

/// The style of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) colour: Colour,
    pub(super) width: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub(super) dashes: &'static [u8],
}

impl Stroke {
    pub(super) const fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, dashes: &[] }
    }

    pub(super) const fn dashed(self, dashes: &'static [u8]) -> Self {
        Self { dashes, ..self }
    }
}

/// Axes and similar lines.
pub(super) const THIN: Stroke = Stroke::new(TEXT, 1.0);

/// A picture that grows shape by shape, then gets its height.
pub(super) struct Canvas {
    pub(super) width: f64,
    title: String,
    shapes: String,
}

type Attributes = Vec<(&'static str, String)>;

/// Coordinates to a tenth of a pixel: short files, and the same ones on every machine.
fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Attributes in the order of their names, so that equal pictures are equal files.
fn attributes(mut attributes: Attributes) -> String {
    attributes.sort_unstable();
    attributes.into_iter().fold(String::new(), |text, (name, value)| text + &format!(" {name}=\"{value}\""))
}

fn numbers<const N: usize>(numbers: [(&'static str, f64); N]) -> Attributes {
    numbers.into_iter().map(|(name, value)| (name, tenth(value))).collect()
}

fn fill(colour: Option<Colour>) -> (&'static str, String) {
    ("fill", colour.map_or_else(|| "none".to_owned(), Colour::hex))
}

impl Canvas {
    /// A picture of a width with its heading.
    pub(super) fn new(width: f64, heading: &Heading) -> Self {
        let mut canvas = Self::untitled(width, heading);
        let most = width - 2.0 * MARGIN;
        canvas.text(MARGIN, 23.0, &metrics::cut(&heading.title, TITLE, most), Font::new(TITLE));
        let (step, subtitle) = metrics::fitting(&heading.subtitle, SUBTITLES, most);
        canvas.text(MARGIN, HEADING - 17.0, &subtitle, Font::new(SUBTITLES[step]).colour(FAINT_TEXT));
        canvas
    }

    /// A picture of a width that contains the title of its heading only as its name for screen readers.
    pub(super) fn untitled(width: f64, heading: &Heading) -> Self {
        Self { width, title: escape(&heading.title), shapes: String::new() }
    }

    fn add(&mut self, name: &str, mut all: Attributes, stroke: Option<Stroke>) {
        if let Some(stroke) = stroke {
            all.push(("stroke", stroke.colour.hex()));
            all.push(("stroke-width", tenth(stroke.width)));
            if !stroke.dashes.is_empty() {
                let dashes: Vec<String> = stroke.dashes.iter().map(u8::to_string).collect();
                all.push(("stroke-dasharray", dashes.join(" ")));
            }
        }
        let _ = write!(self.shapes, "\n<{name}{}/>", attributes(all));
    }

    /// A box with corners of this radius.
    pub(super) fn rect(&mut self, at: Place, radius: f64, colour: Option<Colour>, stroke: Option<Stroke>) {
        let mut all = numbers([("x", at.x), ("y", at.y), ("width", at.width), ("height", at.height)]);
        all.push(fill(colour));
        if radius > 0.0 {
            all.push(("rx", tenth(radius)));
        }
        self.add("rect", all, stroke);
    }

    /// A box that is filled.
    pub(super) fn filled(&mut self, at: Place, colour: Colour) {
        self.rect(at, 0.0, Some(colour), None);
    }

    /// The border of a box.
    pub(super) fn border(&mut self, at: Place, stroke: Stroke) {
        self.rect(at, 0.0, None, Some(stroke));
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

    pub(super) fn circle(&mut self, (x, y): At, radius: f64, colour: Option<Colour>, stroke: Option<Stroke>) {
        let mut all = numbers([("cx", x), ("cy", y), ("r", radius)]);
        all.push(fill(colour));
        self.add("circle", all, stroke);
    }

    pub(super) fn line(&mut self, from: At, to: At, stroke: Stroke) {
        self.add("line", numbers([("x1", from.0), ("y1", from.1), ("x2", to.0), ("y2", to.1)]), Some(stroke));
    }

    /// Straight lines from point to point.
    pub(super) fn path(&mut self, points: &[At], stroke: Stroke) {
        let mut data = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let _ = write!(data, "{}{} {}", if i == 0 { "M" } else { " L" }, tenth(*x), tenth(*y));
        }
        self.stroked(data, stroke);
    }

    /// Points of one colour as a single path: thousands of them stay a short file.
    pub(super) fn dots(&mut self, points: &[At], radius: f64, colour: Colour) {
        let mut data = String::new();
        for (x, y) in points {
            let _ = write!(data, "M{} {}h0", tenth(*x), tenth(*y));
        }
        let all = vec![("d", data), fill(None), ("stroke-linecap", "round".to_owned())];
        self.add("path", all, Some(Stroke::new(colour, 2.0 * radius)));
    }

    /// A cubic curve with its two control points.
    pub(super) fn curve(&mut self, points: [At; 4], stroke: Stroke) {
        let [a, b, c, d] = points.map(|(x, y)| format!("{} {}", tenth(x), tenth(y)));
        self.stroked(format!("M{a} C{b} {c} {d}"), stroke);
    }

    fn stroked(&mut self, data: String, stroke: Stroke) {
        self.add("path", vec![("d", data), fill(None)], Some(stroke));
    }

    pub(super) fn polygon(&mut self, points: &[At], colour: Option<Colour>, stroke: Option<Stroke>) {
        let points: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", tenth(*x), tenth(*y))).collect();
        self.add("polygon", vec![("points", points.join(" ")), fill(colour)], stroke);
    }

    /// A text whose letters have their middle at the height `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, font: Font) {
        let mut all = numbers([("x", x), ("y", y + HALF_HEIGHT * font.size), ("font-size", font.size)]);
        all.push(fill(Some(font.colour)));
        match font.anchor {
            Anchor::Start => {}
            Anchor::Middle => all.push(("text-anchor", "middle".to_owned())),
            Anchor::End => all.push(("text-anchor", "end".to_owned())),
        }
        if font.bold {
            all.push(("font-weight", "bold".to_owned()));
        }
        if font.turned != 0.0 {
            let turned = format!("rotate({} {} {})", tenth(font.turned), tenth(x), tenth(y));
            all.push(("transform", turned));
        }
        if font.halo {
            let halo = [("stroke-width", "3"), ("stroke-linejoin", "round"), ("paint-order", "stroke")];
            all.extend(halo.map(|(name, value)| (name, value.to_owned())));
            all.push(("stroke", PAPER.hex()));
        }
        let _ = write!(self.shapes, "\n<text{}>\n{}\n</text>", attributes(all), escape(text));
    }

    /// The SVG of a picture of this height.
    pub(super) fn finish(self, height: f64) -> String {
        let Self { width, title, shapes } = self;
        let [w, h] = [width, height].map(tenth);
        let mut paper = Self { width, title: String::new(), shapes: String::new() };
        paper.filled(Place::new(0.0, 0.0, width, height), PAPER);
        format!(
            "<svg font-family=\"sans-serif\" height=\"{h}\" role=\"img\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n<title>{title}</title>{}{shapes}\n</svg>\n",
            paper.shapes
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_text_is_escaped() {
        let heading = Heading { title: "<a> & b".to_owned(), subtitle: String::new() };
        let svg = Canvas::new(900.0, &heading).finish(100.0);
        assert!(svg.contains("&lt;a&gt; &amp; b") && !svg.contains("<a>"), "{svg}");
    }

    #[test]
    fn a_hatch_stays_in_its_box() {
        let mut canvas = Canvas::new(100.0, &Heading::default());
        canvas.hatch(Place::new(10.0, 20.0, 8.0, 4.0), 6.0, THIN);
        let svg = canvas.finish(100.0);
        // x + y = 6 from (2, 4) to (6, 0) of the box; x + y = 12 touches the far corner only.
        assert_eq!(svg.matches("<line").count(), 1);
        assert!(svg.contains(r#"x1="12" x2="16" y1="24" y2="20""#), "{svg}");
    }
}

//! How texts and lines of a [`super::canvas::Canvas`] look.

use plotters::style::RGBColor;

use super::palette::TEXT;

/// The sizes of letters that plotters calls 19, 14 and 15 (it divides by 1.24).
pub(super) const TITLE: f64 = 15.3;
pub(super) const SMALL: f64 = 11.3;
/// A long subtitle has smaller letters: 14, 13 and 12 of plotters.
pub(super) const SUBTITLES: [f64; 3] = [SMALL, 10.5, 9.7];
pub(super) const MEDIUM: f64 = 12.1;

/// `#RRGGBB`
pub(super) fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    /// Pixels.
    pub(super) size: f64,
    pub(super) colour: RGBColor,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    /// Degrees, clockwise, around its place.
    pub(super) turned: f64,
    /// A border of the colour of the paper keeps it apart from lines.
    pub(super) halo: bool,
}

impl Font {
    /// Upright, in the colour of text, beginning at its place.
    pub(super) const fn new(size: f64) -> Self {
        Self { size, colour: TEXT, anchor: Anchor::Start, bold: false, turned: 0.0, halo: false }
    }

    pub(super) const fn colour(self, colour: RGBColor) -> Self {
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

/// How a line looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) colour: RGBColor,
    pub(super) width: f64,
    /// Lengths of dashes and gaps; empty for a whole line.
    pub(super) dashes: &'static [u8],
}

impl Stroke {
    pub(super) const fn new(colour: RGBColor, width: f64) -> Self {
        Self { colour, width, dashes: &[] }
    }

    pub(super) fn dasharray(self) -> String {
        self.dashes.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
    }
}

//! The colours of all plots.

use plotters::style::{RGBColor, colors::WHITE};

/// The background.
pub(super) const PAPER: RGBColor = WHITE;
/// Text on dark colours; not the white of the background, which follows the theme of a page.
pub(super) const LIGHT_TEXT: RGBColor = RGBColor(252, 252, 252);
/// The same on light colours.
pub(super) const DARK_TEXT: RGBColor = RGBColor(10, 10, 10);
pub(super) const TEXT: RGBColor = RGBColor(30, 30, 30);
pub(super) const FAINT_TEXT: RGBColor = RGBColor(95, 95, 95);
pub(super) const FAINT_LINE: RGBColor = RGBColor(225, 225, 225);
/// The band on both sides of equality.
pub(super) const BAND: RGBColor = RGBColor(205, 225, 238);
/// Where there is no result.
pub(super) const NO_RESULT: RGBColor = RGBColor(205, 205, 205);

/// The palette of Okabe and Ito, distinct for colour-blind readers; its yellow is too light for lines.
const LINES: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// The colour of the i-th line.
pub(super) fn line_colour(i: usize) -> RGBColor {
    LINES[i % LINES.len()]
}

/// Null models: greys, so that they stand behind the models.
pub(super) const NULL_MODELS: [RGBColor; 3] =
    [RGBColor(110, 110, 110), RGBColor(140, 140, 140), RGBColor(165, 165, 165)];

/// What is filled with a colour and has a letter in it: the whole palette, its black as a grey, from one lightness to
/// another so that neighbours differ in print too.
const FILLS: [RGBColor; 8] = [
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(222, 165, 197),
    RGBColor(90, 90, 90),
];

/// The colour of the i-th application.
pub(super) fn fill_colour(i: usize) -> RGBColor {
    FILLS[i % FILLS.len()]
}

/// What stands behind data, pale on light paper; a page may have others ([`super::themed`]).
pub(super) const GROUNDS: [RGBColor; 7] = [
    RGBColor(250, 209, 203),
    RGBColor(226, 213, 240),
    RGBColor(250, 232, 190),
    RGBColor(233, 221, 203),
    RGBColor(208, 227, 246),
    RGBColor(224, 225, 226),
    RGBColor(241, 242, 243),
];

/// The ground of the i-th reason.
pub(super) fn ground_colour(i: usize) -> RGBColor {
    GROUNDS[i % GROUNDS.len()]
}

/// Black or white, whatever is easier to read on `ground`.
pub(super) fn text_on(ground: RGBColor) -> RGBColor {
    let linear = |part: u8| (f64::from(part) / 255.0).powf(2.2);
    let light = 0.2126 * linear(ground.0) + 0.7152 * linear(ground.1) + 0.0722 * linear(ground.2);
    // Where both have the same contrast (WCAG 2: lightness + 0.05).
    if light > 0.179 { DARK_TEXT } else { LIGHT_TEXT }
}

/// The map viridis, even to the eye and in greyscale, at every eighth.
const VIRIDIS: [(u8, u8, u8); 9] = [
    (68, 1, 84),
    (71, 45, 123),
    (59, 82, 139),
    (44, 114, 142),
    (33, 145, 140),
    (40, 174, 128),
    (94, 201, 98),
    (173, 220, 48),
    (253, 231, 37),
];

/// The colour of a share from 0 to 1.
pub(super) fn heat_colour(share: f64) -> RGBColor {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8")]
    let below = (at.floor() as usize).min(VIRIDIS.len() - 2);
    let part = at - below as f64;
    let ((r0, g0, b0), (r1, g1, b1)) = (VIRIDIS[below], VIRIDIS[below + 1]);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
    let between = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(between(r0, r1), between(g0, g1), between(b0, b1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_of_the_map_begin_and_end_as_viridis_does() {
        assert_eq!([heat_colour(0.0), heat_colour(1.0)], [RGBColor(68, 1, 84), RGBColor(253, 231, 37)]);
        assert_eq!(heat_colour(0.0625), RGBColor(70, 23, 104));
    }
}

//! What all plots share: size, colours, fonts.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Coordinate;
use super::{DrawError, Heading};

/// Width and height in pixels.
pub(super) const SIZE: (u32, u32) = (900, 560);
/// Space around everything.
pub(super) const MARGIN: u32 = 20;
/// Height of title and subtitle.
pub(super) const HEADING: u32 = 62;
/// Font size of ticks and legends.
pub(super) const SMALL: u32 = 14;
/// Font size of the titles of axes.
pub(super) const MEDIUM: u32 = 15;

/// The background.
pub(super) const PAPER: RGBColor = WHITE;
/// Text on dark colours; not the white of the background, which follows the theme of a page.
pub(super) const LIGHT_TEXT: RGBColor = RGBColor(252, 252, 252);
/// The same on light colours.
pub(super) const DARK_TEXT: RGBColor = RGBColor(10, 10, 10);
pub(super) const TEXT: RGBColor = RGBColor(30, 30, 30);
pub(super) const FAINT_TEXT: RGBColor = RGBColor(95, 95, 95);
pub(super) const FAINT_LINE: RGBColor = RGBColor(225, 225, 225);
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

/// A text style for `size` pixels.
pub(super) fn font(size: u32, colour: &RGBColor) -> TextStyle<'static> {
    let mut style = ("sans-serif", size).into_text_style(&SIZE);
    style.color = colour.to_backend_color();
    style
}

/// The same, its middle on the left at the given place.
pub(super) fn left_middle(size: u32, colour: &RGBColor) -> TextStyle<'static> {
    font(size, colour).pos(Pos::new(HPos::Left, VPos::Center))
}

/// The same, its middle at the given place.
pub(super) fn centred(size: u32, colour: RGBColor) -> TextStyle<'static> {
    font(size, &colour).pos(Pos::new(HPos::Center, VPos::Center))
}

/// About how many pixels a text takes.
pub(super) fn text_width(text: &str, size: u32) -> u32 {
    let columns = u32::try_from(unicode_width::UnicodeWidthStr::width(text)).unwrap_or(u32::MAX / 16);
    columns * size * 11 / 20
}

/// At most this many columns of text.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A picture, or a part of it, in pixels.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A part of it with two axes.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Coordinate, Coordinate>>;

/// The SVG of what `draw` draws.
pub(super) fn drawn(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), DrawError>,
) -> Result<String, DrawError> {
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
    draw(&root)?;
    root.present()?;
    drop(root);
    Ok(text)
}

/// Which lines run through a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mesh {
    No,
    /// At the ticks of the vertical axis.
    Across,
    Both,
}

/// A chart in `area`, `right` pixels from its right border, with room for ticks and titles of both axes.
pub(super) fn chart<'a, 'b>(
    area: &'a Area<'b>,
    right: u32,
    x: Coordinate,
    y: Coordinate,
) -> Result<Chart<'a, 'b>, DrawError> {
    let widest = y.labels().map(|label| text_width(label, SMALL)).max().unwrap_or(0);
    Ok(ChartBuilder::on(area)
        .margin_left(MARGIN)
        .margin_right(right)
        .margin_bottom(12)
        .x_label_area_size(56)
        .y_label_area_size(widest + 42)
        .build_cartesian_2d(x, y)?)
}

/// Draws both axes with their titles.
pub(super) fn draw_axes(chart: &mut Chart<'_, '_>, titles: [&str; 2], mesh: Mesh) -> Result<(), DrawError> {
    let mut style = chart.configure_mesh();
    match mesh {
        Mesh::No => _ = style.disable_mesh(),
        Mesh::Across => _ = style.disable_x_mesh(),
        Mesh::Both => {}
    }
    style
        .max_light_lines(0)
        .bold_line_style(FAINT_LINE)
        .axis_style(TEXT)
        .label_style(font(SMALL, &TEXT))
        .axis_desc_style(font(MEDIUM, &TEXT))
        .x_desc(titles[0])
        .y_desc(titles[1])
        .draw()?;
    Ok(())
}

/// Paints the background and the heading; what is left is for the plot.
pub(super) fn headed<'a>(root: &Area<'a>, heading: &Heading) -> Result<Area<'a>, DrawError> {
    root.fill(&PAPER)?;
    let at = i32::try_from(MARGIN)?;
    root.draw_text(&shortened(&heading.title, 92), &font(19, &TEXT), (at, 14))?;
    root.draw_text(&shortened(&heading.subtitle, 118), &font(SMALL, &FAINT_TEXT), (at, 40))?;
    let (_, below) = root.split_vertically(HEADING);
    Ok(below)
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

//! What plots share that plotters draws: sizes, fonts, axes.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Coordinate;
use super::heading::{DrawError, Heading};
use super::palette::{FAINT_LINE, FAINT_TEXT, PAPER, TEXT};
use super::{ink, metrics};

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

/// Height of a line in the title of an axis, and the most lines.
const TITLE_LINE: u32 = 17;
const TITLE_LINES: usize = 4;
/// Size of the letters that plotters calls [`MEDIUM`].
const TITLE_SIZE: f64 = 12.1;

/// The title of an axis in lines of at most so many pixels.
fn title_lines(title: &str, most: u32) -> Vec<String> {
    metrics::wrapped(title, TITLE_SIZE, f64::from(most), TITLE_LINES)
}

/// Pixels that further lines of a title take.
fn more_lines(title: &str, most: u32) -> u32 {
    u32::try_from(title_lines(title, most).len().saturating_sub(1)).unwrap_or(0) * TITLE_LINE
}

/// A chart in `area`, `right` pixels from its right border, with room for ticks and titles of both axes: to the right,
/// upwards.
pub(super) fn chart<'a, 'b>(
    area: &'a Area<'b>,
    right: u32,
    x: Coordinate,
    y: Coordinate,
    titles: [&str; 2],
) -> Result<Chart<'a, 'b>, DrawError> {
    let widest = y.labels().map(|label| text_width(label, SMALL)).max().unwrap_or(0);
    let (width, height) = area.dim_in_pixel();
    // Before it is known how much room is left: a little less than what will be.
    let left = widest + 42 + more_lines(titles[1], height.saturating_sub(120));
    let across = width.saturating_sub(left + MARGIN + right);
    Ok(ChartBuilder::on(area)
        .margin_left(MARGIN)
        .margin_right(right)
        .margin_bottom(12)
        .x_label_area_size(56 + more_lines(titles[0], across))
        .y_label_area_size(left)
        .build_cartesian_2d(x, y)?)
}

/// Draws both axes of a chart of `root` with their titles, long ones in several lines.
pub(super) fn draw_axes(
    root: &Area<'_>,
    chart: &mut Chart<'_, '_>,
    titles: [&str; 2],
    mesh: Mesh,
) -> Result<(), DrawError> {
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
        .draw()?;
    let (across, down) = chart.plotting_area().get_pixel_range();
    let (bottom, step) = (i32::try_from(root.dim_in_pixel().1)?, i32::try_from(TITLE_LINE)?);
    let lines = title_lines(titles[0], (across.end - across.start).unsigned_abs());
    for (i, line) in (0..).zip(lines.iter().rev()) {
        let at = (i32::midpoint(across.start, across.end), bottom - 19 - i * step);
        root.draw_text(line, &centred(MEDIUM, TEXT), at)?;
    }
    let up = centred(MEDIUM, TEXT).transform(FontTransform::Rotate270);
    // As `chart` broke it.
    let room = bottom.unsigned_abs().saturating_sub(HEADING + 120);
    for (i, line) in (0..).zip(title_lines(titles[1], room)) {
        let at = (i32::try_from(MARGIN)? + 6 + i * step, i32::midpoint(down.start, down.end));
        root.draw_text(&line, &up, at)?;
    }
    Ok(())
}

/// Paints the background and the heading; what is left is for the plot.
pub(super) fn headed<'a>(root: &Area<'a>, heading: &Heading) -> Result<Area<'a>, DrawError> {
    root.fill(&PAPER)?;
    let at = i32::try_from(MARGIN)?;
    let room = f64::from(root.dim_in_pixel().0 - 2 * MARGIN);
    let title = metrics::cut(&heading.title, ink::TITLE, room);
    root.draw_text(&title, &font(19, &TEXT), (at, 14))?;
    // As large as fits; the sizes of `ink` as plotters calls them.
    let sizes = [SMALL, SMALL - 1, SMALL - 2];
    let (step, subtitle) = metrics::fitting(&heading.subtitle, ink::SUBTITLES, room);
    root.draw_text(&subtitle, &font(sizes[step], &FAINT_TEXT), (at, 40))?;
    let (_, below) = root.split_vertically(HEADING);
    Ok(below)
}

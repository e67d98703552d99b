//! The scale beside a heat map: which colour stands for which value.

use plotters::coord::ranged1d::{BoldPoints, Ranged as _, ValueFormatter as _};
use plotters::prelude::*;

use super::axis::Coordinate;
use super::heading::DrawError;
use super::palette::{FAINT_TEXT, NO_RESULT, TEXT, heat_colour};
use super::style::{Area, SMALL, left_middle, text_width};

/// Pixels that the scale takes.
pub(super) fn bar_width(bar: &Coordinate, label: &str) -> u32 {
    let ticks = 26 + bar.labels().map(|label| text_width(label, SMALL)).max().unwrap_or(0) + 44;
    ticks.max(text_width(label, SMALL) + 24)
}

/// Draws the scale; `varies`: not all values are the same; `gap`: what a cell without a value means, if there is one.
pub(super) fn colour_bar(
    side: &Area<'_>,
    label: &str,
    bar: &Coordinate,
    varies: bool,
    gap: Option<&str>,
) -> Result<(), DrawError> {
    let (_, height) = side.dim_in_pixel();
    side.draw_text(label, &left_middle(SMALL, &TEXT), (8, 6))?;
    let (top, bottom) = (24, i32::try_from(height)? - 12 - 56);
    let missing = if gap.is_some() { 34 } else { 0 };
    let (from, to) = (top, bottom - missing);
    // Each step reaches down to the end, below those that are drawn over it: edges side by side would be seen as stripes
    // wherever the picture is not shown pixel by pixel.
    for pixel in from..to {
        let share = f64::from(to - 1 - pixel) / f64::from(to - from - 1);
        let colour = if varies { heat_colour(share) } else { heat_colour(0.5) };
        side.draw(&Rectangle::new([(8, pixel), (26, to)], colour.filled()))?;
    }
    for tick in bar.key_points(BoldPoints(8)) {
        let at = bar.map(&tick, (to, from));
        side.draw(&PathElement::new([(26, at), (31, at)], TEXT))?;
        side.draw_text(&bar.format_ext(&tick), &left_middle(SMALL, &TEXT), (36, at))?;
    }
    if let Some(gap) = gap {
        side.draw(&Rectangle::new([(8, bottom - 18), (26, bottom)], NO_RESULT.filled()))?;
        side.draw_text(gap, &left_middle(SMALL, &FAINT_TEXT), (36, bottom - 9))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{SIZE, drawn};
    use crate::testing::rectangles;

    #[test]
    fn no_edge_between_two_colours_is_bare_paper() {
        let bar = Coordinate::exactly(0.0..10.0);
        let svg = drawn(SIZE, |root| colour_bar(root, "GB/s", &bar, true, None)).expect("drawn");
        let steps = rectangles(&svg);
        assert!(steps.len() > 100, "{} steps", steps.len());
        for pair in steps.windows(2) {
            assert!(pair[0].bottom() > pair[1].y, "{pair:?} only touch");
        }
    }
}

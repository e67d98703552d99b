//! Series of plotters on our canvas. plotters counts in whole pixels, as a screen has them; its backend here counts in tenths of a
//! pixel, as our files do. Hatches, dashes and sloped text, which plotters lacks, are the canvas's own.

use std::convert::Infallible;

use plotters::coord::types::RangedCoordf64;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement};
use plotters::prelude::Cartesian2d;
use plotters::style::{Color, RGBColor};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};

use super::canvas::{At, Canvas, Place, SIZE, Stroke};
use super::palette::Colour;
use super::panel::Panel;

/// Units of the backend in a pixel.
const UNITS: f64 = 10.0;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// The canvas as plotters sees it.
pub(super) struct Tenths<'c>(&'c mut Canvas);

/// A panel on which points are values.
pub(super) struct Series<'c>(DrawingArea<Tenths<'c>, Cartesian2d<RangedCoordf64, RangedCoordf64>>);

#[allow(clippy::cast_possible_truncation, reason = "a picture is some thousands of pixels wide")]
fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}

fn pixels((x, y): BackendCoord) -> At {
    (f64::from(x) / UNITS, f64::from(y) / UNITS)
}

fn colour(of: BackendColor) -> Colour {
    Colour(of.rgb.0, of.rgb.1, of.rgb.2)
}

fn stroke<S: BackendStyle>(style: &S) -> Stroke {
    Stroke::new(colour(style.color()), f64::from(style.stroke_width()) / UNITS)
}

impl DrawingBackend for Tenths<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (units(self.0.width).unsigned_abs(), units(SIZE.1).unsigned_abs())
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, of: BackendColor) -> Drawn {
        let (x, y) = pixels(point);
        self.0.filled(Place::new(x, y, 1.0 / UNITS, 1.0 / UNITS), colour(of));
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.0.line(pixels(from), pixels(to), stroke(style));
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<At> = path.into_iter().map(pixels).collect();
        self.0.path(&points, stroke(style));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let radius = f64::from(radius) / UNITS;
        let inside = fill.then(|| colour(style.color()));
        self.0.circle(pixels(center), radius, inside, (!fill).then(|| stroke(style)));
        Ok(())
    }
}

impl Panel {
    /// What plotters draws on this panel.
    pub(super) fn series<'c>(&self, canvas: &'c mut Canvas) -> Series<'c> {
        let place = self.place;
        let across = units(place.x)..units(place.right());
        let up = units(place.bottom())..units(place.y);
        let scales = Cartesian2d::new(self.x.range(), self.y.range(), (across, up));
        Series(Tenths(canvas).into_drawing_area().apply_coord_spec(scales))
    }
}

impl Series<'_> {
    /// Straight lines from value to value.
    pub(super) fn path(&self, points: &[(f64, f64)], stroke: Stroke) {
        let style = Color::stroke_width(&style(stroke.colour), units(stroke.width).unsigned_abs());
        // The canvas cannot fail.
        let _ = self.0.draw(&PathElement::new(points.to_vec(), style));
    }

    /// A filled mark of this radius in pixels.
    pub(super) fn mark(&self, at: (f64, f64), radius: f64, colour: Colour) {
        let _ = self.0.draw(&Circle::new(at, units(radius), Color::filled(&style(colour))));
    }
}

fn style(colour: Colour) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

//! The letters of the applications: above the plot at their intensities, and at what they get.

use super::values::{RoofApp, Roofline};
use crate::canvas::Canvas;
use crate::frame::Frame;
use crate::ink::{Anchor, Font, SMALL, Stroke};
use crate::metrics;
use crate::palette::{DARK_TEXT, FAINT_TEXT, PAPER, TEXT, fill_colour, text_on};
use crate::place::Place;

/// Height of a letter's box.
const BADGE: f64 = 18.0;

/// Letters at one place.
pub(super) struct Badge {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) apps: Vec<usize>,
}

/// A line at the intensity of each application, with its letter above the plot. The places of the letters.
pub(super) fn draw_apps(plot: &Roofline, canvas: &mut Canvas, frame: &Frame) -> Vec<Place> {
    let top = frame.place.y;
    let stroke = Stroke { dashes: &[1, 3], ..Stroke::new(FAINT_TEXT, 1.0) };
    let xs: Vec<f64> = plot.apps.iter().map(|app| across(frame, app)).collect();
    for &x in &xs {
        canvas.line((x, top - 6.0), (x, frame.place.bottom()), stroke);
    }
    let badges = xs.iter().enumerate().map(|(i, &x)| Badge { x, y: top - 6.0 - BADGE / 2.0, apps: vec![i] });
    merged(plot, badges.collect()).iter().map(|badge| draw(plot, canvas, badge)).collect()
}

/// What each application gets. The places of the letters.
pub(super) fn draw_points(plot: &Roofline, canvas: &mut Canvas, frame: &Frame) -> Vec<Place> {
    let points = (0..).zip(&plot.apps).filter_map(|(i, app)| {
        let gflops = app.gflops.filter(|gflops| *gflops > 0.0)?;
        let (x, y) = frame.at(app.intensity.log10(), gflops.log10());
        Some(Badge { x, y, apps: vec![i] })
    });
    merged(plot, points.collect()).iter().map(|badge| draw(plot, canvas, badge)).collect()
}

/// Where the line of an application runs.
pub(super) fn across(frame: &Frame, app: &RoofApp) -> f64 {
    frame.at(app.intensity.log10(), frame.y.range.start).0
}

/// Letters that would hide each other share a box.
fn merged(plot: &Roofline, mut badges: Vec<Badge>) -> Vec<Badge> {
    loop {
        let pairs = (0..badges.len()).flat_map(|a| (a + 1..badges.len()).map(move |b| (a, b)));
        let both =
            pairs.into_iter().find(|&(a, b)| place_of(plot, &badges[a]).overlaps(place_of(plot, &badges[b])));
        let Some((a, b)) = both else { return badges };
        let other = badges.remove(b);
        let one = &mut badges[a];
        let (n, m) = (one.apps.len() as f64, other.apps.len() as f64);
        one.x = (one.x * n + other.x * m) / (n + m);
        one.y = (one.y * n + other.y * m) / (n + m);
        one.apps.extend(other.apps);
        one.apps.sort_unstable();
    }
}

/// The letters of a box; many are counted.
fn letters(plot: &Roofline, badge: &Badge) -> String {
    const MOST: usize = 8;
    let mut letters: Vec<&str> = badge.apps.iter().map(|&app| plot.apps[app].letter.as_str()).collect();
    letters.dedup();
    if letters.len() > MOST {
        return format!("{} … {}", letters[0], letters[letters.len() - 1]);
    }
    letters.join(" ")
}

fn place_of(plot: &Roofline, badge: &Badge) -> Place {
    let width = (metrics::width(&letters(plot, badge), SMALL) * 1.1 + 8.0).max(BADGE);
    Place::new(badge.x - width / 2.0, badge.y - BADGE / 2.0, width, BADGE)
}

pub(super) fn draw(plot: &Roofline, canvas: &mut Canvas, badge: &Badge) -> Place {
    let place = place_of(plot, badge);
    let colour = match badge.apps.as_slice() {
        [only] => fill_colour(*only),
        _ => PAPER,
    };
    canvas.rect(place, BADGE / 2.0, Some(colour), Some(Stroke::new(DARK_TEXT, 1.2)));
    let ink = if badge.apps.len() == 1 { text_on(colour) } else { TEXT };
    let font = Font::new(SMALL).colour(ink).anchor(Anchor::Middle).bold();
    canvas.text(badge.x, badge.y, &letters(plot, badge), font);
    place
}

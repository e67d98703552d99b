//! The figures of the roofs beside their lines, where nothing crosses them; the list beside the plot has all of them.

use super::badges;
use super::values::{Roof, Roofline};
use crate::canvas::Canvas;
use crate::figures;
use crate::frame::Frame;
use crate::geometry::{Segment, distance};
use crate::ink::{Font, SMALL};
use crate::metrics;
use crate::place::Place;

/// From a line to the middle of the letters beside it.
const BESIDE: f64 = 11.0;
/// What no line comes closer to than this is free: half of the letters' height and half of the thickest line.
const CLEAR: f64 = 8.5;
/// Between two places that are tried.
const STEP: f64 = 8.0;

/// Foot, ridge and right end of a roof.
pub(super) fn line_of(roof: &Roof, frame: &Frame) -> [(f64, f64); 3] {
    let (from, to) = (frame.x.range.start, frame.x.range.end);
    let (bandwidth, peak) = (roof.bandwidth_gbs.log10(), roof.peak_gflops.log10());
    let ridge = (peak - bandwidth).clamp(from, to);
    [from, ridge, to].map(|x| frame.at(x, peak.min(bandwidth + x)))
}

/// What labels keep away from.
struct Taken {
    lines: Vec<Segment>,
    boxes: Vec<Place>,
    inside: Place,
}

impl Taken {
    /// Whether letters along this line are free.
    fn is_free(&self, letters: Segment) -> bool {
        self.lines.iter().all(|line| distance(*line, letters) >= CLEAR)
            && boxes(letters).iter().all(|place| {
                let is_inside = place.x >= self.inside.x
                    && place.right() <= self.inside.right()
                    && place.y >= self.inside.y
                    && place.bottom() <= self.inside.bottom();
                is_inside && !self.boxes.iter().any(|other| other.overlaps(*place))
            })
    }
}

/// The boxes of letters along a line, a square for each height of it.
fn boxes([from, to]: Segment) -> Vec<Place> {
    const SIDE: f64 = 12.0;
    let steps = ((to.0 - from.0).hypot(to.1 - from.1) / 10.0).ceil().max(1.0);
    (0..=64)
        .map(f64::from)
        .take_while(|step| *step <= steps)
        .map(|step| {
            let at = |a: f64, b: f64| a + (b - a) * step / steps;
            Place::new(at(from.0, to.0) - SIDE / 2.0, at(from.1, to.1) - SIDE / 2.0, SIDE, SIDE)
        })
        .collect()
}

/// The bandwidth along the slope and the peak along the ceiling of each roof, where there is room; equal ones once.
pub(super) fn draw(plot: &Roofline, canvas: &mut Canvas, frame: &Frame, boxes: Vec<Place>) {
    let roofs = plot.roofs.iter().map(|roof| line_of(roof, frame));
    let mut lines: Vec<Segment> = roofs.flat_map(|[a, b, c]| [[a, b], [b, c]]).collect();
    lines.extend(plot.apps.iter().map(|app| {
        let x = badges::across(frame, app);
        [(x, frame.place.y), (x, frame.place.bottom())]
    }));
    let mut taken = Taken { lines, boxes, inside: frame.place };
    let (mut peaks, mut bandwidths): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let is_new = |known: &mut Vec<f64>, value: f64| {
        let known_already = known.iter().any(|other| (other - value).abs() <= 1e-9 * value);
        known.push(value);
        !known_already
    };
    for roof in &plot.roofs {
        let [foot, ridge, end] = line_of(roof, frame);
        if is_new(&mut peaks, roof.peak_gflops) {
            let text = format!("{} GFLOPS", figures::rounded(roof.peak_gflops));
            // From the right end to the left.
            write(canvas, &mut taken, &text, [ridge, end], true);
        }
        if is_new(&mut bandwidths, roof.bandwidth_gbs) {
            let text = format!("{} GB/s", figures::rounded(roof.bandwidth_gbs));
            write(canvas, &mut taken, &text, [foot, ridge], false);
        }
    }
}

/// Writes `text` along a line at its first free place above the line, else below it; nowhere if there is none.
fn write(canvas: &mut Canvas, taken: &mut Taken, text: &str, line: Segment, backwards: bool) {
    let [from, to] = line;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let wide = metrics::width(text, SMALL);
    let room = length - wide - 12.0;
    if room < 0.0 {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let place = |start: f64, beside: f64| {
        let at = |along: f64| (from.0 + ux * along + uy * beside, from.1 + uy * along - ux * beside);
        [at(start), at(start + wide)]
    };
    let steps = (0..1000).map(|step| STEP * f64::from(step)).take_while(|&along| along <= room);
    let starts: Vec<f64> = steps.map(|along| 6.0 + if backwards { room - along } else { along }).collect();
    let places = [BESIDE, -BESIDE].into_iter().flat_map(|beside| starts.iter().map(move |&at| (at, beside)));
    if let Some(letters) = places.map(|(at, beside)| place(at, beside)).find(|one| taken.is_free(*one)) {
        taken.boxes.extend(boxes(letters));
        let font = Font::new(SMALL).turned(dy.atan2(dx).to_degrees()).halo();
        canvas.text(letters[0].0, letters[0].1, text, font);
    }
}

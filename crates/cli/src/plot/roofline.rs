//! The roofline of a machine, with its applications on it: Williams, Waterman and Patterson, "Roofline: an insightful
//! visual performance model for multicore architectures", with a roof for memory behind a link.
//!
//! Drawn shape by shape: plotters has neither sloped text nor smooth dashes, and dashes tell the roofs apart in grey.

use std::ops::Range;

use super::axis::Coordinate;
use super::canvas::{Anchor, Canvas, Font, MEDIUM, Place, SMALL, Stroke};
use super::style::{
    DARK_TEXT, FAINT_LINE, FAINT_TEXT, HEADING, MARGIN, PAPER, SIZE, TEXT, fill_colour, line_colour, text_on,
};
use super::{Heading, metrics};
use crate::view::figures;

/// Width of the list on the right.
const LIST: f64 = 262.0;
/// Height of an entry of the list: two lines.
const ENTRY: f64 = 36.0;
/// Room above the plot for the letters of the applications.
const LETTERS: f64 = 34.0;
/// Height of a letter's box.
const BADGE: f64 = 18.0;
/// The roofs' dashes.
const DASHES: [&[u8]; 5] = [&[], &[10, 4], &[10, 4, 2, 4], &[5, 4], &[2, 4]];

/// A limit: min(peak, bandwidth x arithmetic intensity).
#[derive(Clone, Debug)]
pub(crate) struct Roof {
    pub(crate) name: String,
    pub(crate) bandwidth_gbs: f64,
    pub(crate) peak_gflops: f64,
}

/// An application.
#[derive(Clone, Debug)]
pub(crate) struct RoofApp {
    pub(crate) letter: String,
    pub(crate) name: String,
    /// FLOP per byte.
    pub(crate) intensity: f64,
    /// What it gets; `None` where no scenario was evaluated.
    pub(crate) gflops: Option<f64>,
}

/// A roofline.
#[derive(Clone, Debug)]
pub(crate) struct Roofline {
    pub(crate) heading: Heading,
    /// From the highest to the lowest.
    pub(crate) roofs: Vec<Roof>,
    pub(crate) apps: Vec<RoofApp>,
}

/// Letters at one place.
struct Badge {
    x: f64,
    y: f64,
    apps: Vec<usize>,
}

/// From values to pixels.
struct Frame {
    x: Coordinate,
    y: Coordinate,
    place: Place,
}

impl Frame {
    fn at(&self, intensity: f64, gflops: f64) -> (f64, f64) {
        let x = self.place.x + self.place.width * self.x.share(intensity.log10());
        (x, self.place.bottom() - self.place.height * self.y.share(gflops.log10()))
    }
}

impl Roofline {
    /// The plot as SVG.
    pub(crate) fn svg(&self) -> String {
        let entries = self.roofs.len() + self.apps.len();
        let height = (f64::from(HEADING) + LETTERS + ENTRY * entries as f64 + 40.0).max(f64::from(SIZE.1));
        let width = f64::from(SIZE.0) + 60.0;
        let (x, y) = self.ranges();
        let (x, y) = (Coordinate::powers_of_two(x.start, x.end), Coordinate::logarithmic(y.start, y.end));
        let labels = y.labels().map(|label| metrics::width(label, SMALL)).fold(0.0, f64::max);
        let left = f64::from(MARGIN) + 26.0 + labels + 8.0;
        let top = f64::from(HEADING) + LETTERS;
        let plot = Place::new(left, top, width - LIST - f64::from(MARGIN) - left, height - 60.0 - top);
        let frame = Frame { x, y, place: plot };

        let mut canvas = Canvas::new(width, height, &self.heading);
        draw_axes(&mut canvas, &frame);
        let mut taken = self.draw_apps(&mut canvas, &frame);
        self.draw_roofs(&mut canvas, &frame);
        taken.extend(self.draw_points(&mut canvas, &frame));
        self.label_roofs(&mut canvas, &frame, &mut taken);
        self.draw_list(&mut canvas, plot.right() + 24.0);
        canvas.finish()
    }

    /// Around every ridge, application and point.
    fn ranges(&self) -> (Range<f64>, Range<f64>) {
        let ridges = self.roofs.iter().map(|roof| roof.peak_gflops / roof.bandwidth_gbs);
        let (low, high) = ends(ridges.chain(self.apps.iter().map(|app| app.intensity)));
        let x = low / 3.0..high * 3.0;
        let feet = self.roofs.iter().map(|roof| roof.bandwidth_gbs * x.start);
        let tops = self.roofs.iter().map(|roof| roof.peak_gflops);
        let points = self.apps.iter().filter_map(|app| app.gflops).filter(|gflops| *gflops > 0.0);
        let (low, high) = ends(feet.chain(tops).chain(points));
        (x, low / 1.5..high * 1.6)
    }

    fn draw_roofs(&self, canvas: &mut Canvas, frame: &Frame) {
        let (from, to) = (10_f64.powf(frame.x.range.start), 10_f64.powf(frame.x.range.end));
        for (i, roof) in self.roofs.iter().enumerate().rev() {
            let ridge = (roof.peak_gflops / roof.bandwidth_gbs).clamp(from, to);
            let points = [from, ridge, to].map(|x| frame.at(x, roof.peak_gflops.min(roof.bandwidth_gbs * x)));
            canvas.path(&points, roof_stroke(i));
        }
    }

    /// The bandwidth along the slope and the peak along the ceiling, where there is room.
    fn label_roofs(&self, canvas: &mut Canvas, frame: &Frame, taken: &mut Vec<Place>) {
        let from = 10_f64.powf(frame.x.range.start);
        let to = 10_f64.powf(frame.x.range.end);
        let (mut peaks, mut bandwidths): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let known =
            |values: &[f64], value: f64| values.iter().any(|other| (other - value).abs() <= 1e-9 * value);
        for roof in &self.roofs {
            if !known(&peaks, roof.peak_gflops) {
                peaks.push(roof.peak_gflops);
                let (right, y) = frame.at(to, roof.peak_gflops);
                let text = format!("{} GFLOPS", figures::rounded(roof.peak_gflops));
                let wide = metrics::width(&text, SMALL);
                let place = Place::new(right - wide - 6.0, y - 19.0, wide, 14.0);
                if !taken.iter().any(|other| other.overlaps(place)) {
                    taken.push(place);
                    let font = Font::new(SMALL).anchor(Anchor::End).halo();
                    canvas.text(right - 6.0, y - 11.0, &text, font);
                }
            }
            if known(&bandwidths, roof.bandwidth_gbs) {
                continue;
            }
            bandwidths.push(roof.bandwidth_gbs);
            let text = format!("{} GB/s", figures::rounded(roof.bandwidth_gbs));
            let (start, end) = (
                frame.at(from, roof.bandwidth_gbs * from),
                frame.at(roof.peak_gflops / roof.bandwidth_gbs, roof.peak_gflops),
            );
            let (dx, dy) = (end.0 - start.0, end.1 - start.1);
            let length = dx.hypot(dy);
            let wide = metrics::width(&text, SMALL);
            if length < wide + 20.0 {
                continue;
            }
            let (ux, uy) = (dx / length, dy / length);
            // Above the line; a box for each letter's height along it.
            let above = |along: f64| (start.0 + ux * along + uy * 9.0, start.1 + uy * along - ux * 9.0);
            let boxes = |along: f64| -> Vec<Place> {
                let steps = (wide / 10.0).ceil();
                (0..=64)
                    .map(f64::from)
                    .take_while(|step| *step <= steps)
                    .map(|step| above(along + wide * step / steps))
                    .map(|(x, y)| Place::new(x - 7.0, y - 7.0, 14.0, 14.0))
                    .collect()
            };
            let room = length - wide - 10.0;
            let free = [0.06, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95]
                .map(|part| 6.0 + part * room)
                .into_iter()
                .find(|&along| {
                    boxes(along).iter().all(|place| !taken.iter().any(|other| other.overlaps(*place)))
                });
            if let Some(along) = free {
                taken.extend(boxes(along));
                let (x, y) = above(along);
                let font = Font::new(SMALL).turned(dy.atan2(dx).to_degrees()).halo();
                canvas.text(x, y, &text, font);
            }
        }
    }

    /// A line at the intensity of each application, with its letter above the plot.
    fn draw_apps(&self, canvas: &mut Canvas, frame: &Frame) -> Vec<Place> {
        let top = frame.place.y;
        let stroke = Stroke { dashes: &[1, 3], ..Stroke::new(FAINT_TEXT, 1.0) };
        for app in &self.apps {
            let (x, _) = frame.at(app.intensity, 1.0);
            canvas.line((x, top - 6.0), (x, frame.place.bottom()), stroke);
        }
        let badges = (0..).zip(&self.apps).map(|(i, app)| Badge {
            x: frame.at(app.intensity, 1.0).0,
            y: top - 6.0 - BADGE / 2.0,
            apps: vec![i],
        });
        let badges = self.merged(badges.collect());
        badges.iter().map(|badge| self.draw_badge(canvas, badge)).collect()
    }

    /// What each application gets.
    fn draw_points(&self, canvas: &mut Canvas, frame: &Frame) -> Vec<Place> {
        let points = (0..).zip(&self.apps).filter_map(|(i, app)| {
            let gflops = app.gflops.filter(|gflops| *gflops > 0.0)?;
            let (x, y) = frame.at(app.intensity, gflops);
            Some(Badge { x, y, apps: vec![i] })
        });
        let badges = self.merged(points.collect());
        badges.iter().map(|badge| self.draw_badge(canvas, badge)).collect()
    }

    /// Letters that would hide each other share a box.
    fn merged(&self, mut badges: Vec<Badge>) -> Vec<Badge> {
        loop {
            let pairs = (0..badges.len()).flat_map(|a| (a + 1..badges.len()).map(move |b| (a, b)));
            let both =
                pairs.into_iter().find(|&(a, b)| self.box_of(&badges[a]).overlaps(self.box_of(&badges[b])));
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
    fn letters(&self, badge: &Badge) -> String {
        const MOST: usize = 8;
        let mut letters: Vec<&str> = badge.apps.iter().map(|&app| self.apps[app].letter.as_str()).collect();
        letters.dedup();
        if letters.len() > MOST {
            return format!("{} … {}", letters[0], letters[letters.len() - 1]);
        }
        letters.join(" ")
    }

    fn box_of(&self, badge: &Badge) -> Place {
        let width = (metrics::width(&self.letters(badge), SMALL) * 1.1 + 8.0).max(BADGE);
        Place::new(badge.x - width / 2.0, badge.y - BADGE / 2.0, width, BADGE)
    }

    fn draw_badge(&self, canvas: &mut Canvas, badge: &Badge) -> Place {
        let place = self.box_of(badge);
        let colour = match badge.apps.as_slice() {
            [only] => fill_colour(*only),
            _ => PAPER,
        };
        canvas.rect(place, BADGE / 2.0, Some(colour), Some(Stroke::new(DARK_TEXT, 1.2)));
        let ink = if badge.apps.len() == 1 { text_on(colour) } else { TEXT };
        let font = Font::new(SMALL).colour(ink).anchor(Anchor::Middle).bold();
        canvas.text(badge.x, badge.y, &self.letters(badge), font);
        place
    }

    fn draw_list(&self, canvas: &mut Canvas, left: f64) {
        let room = LIST - 60.0;
        let faint = Font::new(SMALL).colour(FAINT_TEXT);
        let mut y = f64::from(HEADING) + LETTERS + 8.0;
        for (i, roof) in self.roofs.iter().enumerate() {
            canvas.line((left, y), (left + 30.0, y), roof_stroke(i));
            canvas.text(left + 40.0, y, &metrics::cut(&roof.name, SMALL, room), Font::new(SMALL));
            let figures = format!(
                "{} GB/s, {} GFLOPS",
                figures::rounded(roof.bandwidth_gbs),
                figures::rounded(roof.peak_gflops)
            );
            canvas.text(left + 40.0, y + 15.0, &figures, faint);
            y += ENTRY;
        }
        y += 6.0;
        for (i, app) in self.apps.iter().enumerate() {
            self.draw_badge(canvas, &Badge { x: left + 15.0, y, apps: vec![i] });
            canvas.text(left + 40.0, y, &metrics::cut(&app.name, SMALL, room), Font::new(SMALL));
            let intensity = format!("{} FLOP/byte", figures::intensity(app.intensity));
            let text = match app.gflops {
                Some(gflops) => format!("{intensity}, {} GFLOPS", figures::single(gflops)),
                None => intensity,
            };
            canvas.text(left + 40.0, y + 15.0, &text, faint);
            y += ENTRY;
        }
    }
}

fn roof_stroke(i: usize) -> Stroke {
    Stroke { dashes: DASHES[i % DASHES.len()], ..Stroke::new(line_colour(i), 2.2) }
}

/// The smallest and the largest; a decade around 1 of nothing.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let found = values
        .filter(|value| value.is_finite() && *value > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    if found.0.is_finite() { found } else { (0.3, 3.0) }
}

fn draw_axes(canvas: &mut Canvas, frame: &Frame) {
    let Place { x: left, y: top, .. } = frame.place;
    let (right, bottom) = (frame.place.right(), frame.place.bottom());
    let mut last = f64::NEG_INFINITY;
    for (at, label) in frame.x.ticks() {
        let x = left + frame.place.width * frame.x.share(at);
        canvas.line((x, top), (x, bottom), Stroke::new(FAINT_LINE, 1.0));
        let half = metrics::width(label, SMALL) / 2.0;
        if x - half > last + 6.0 {
            canvas.text(x, bottom + 14.0, label, Font::new(SMALL).anchor(Anchor::Middle));
            last = x + half;
        }
    }
    for (at, label) in frame.y.ticks() {
        let y = bottom - frame.place.height * frame.y.share(at);
        canvas.line((left, y), (right, y), Stroke::new(FAINT_LINE, 1.0));
        canvas.text(left - 6.0, y, label, Font::new(SMALL).anchor(Anchor::End));
    }
    canvas.line((left, bottom), (right, bottom), Stroke::new(TEXT, 1.0));
    canvas.line((left, top), (left, bottom), Stroke::new(TEXT, 1.0));
    let title = Font::new(MEDIUM).anchor(Anchor::Middle);
    canvas.text(f64::midpoint(left, right), bottom + 38.0, "arithmetic intensity (FLOP/byte)", title);
    let x = f64::from(MARGIN) + 8.0;
    canvas.text(x, f64::midpoint(top, bottom), "performance (GFLOPS)", title.turned(-90.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::{assert_apart, words};

    fn plot(apps: usize, with_results: bool) -> Roofline {
        let roof = |name: &str, bandwidth_gbs, peak_gflops| Roof {
            name: name.to_owned(),
            bandwidth_gbs,
            peak_gflops,
        };
        let app = |i: usize| RoofApp {
            letter: char::from(b'A' + u8::try_from(i).unwrap_or(0)).to_string(),
            name: format!("application-{i}"),
            intensity: 0.03125 * 2_f64.powi(i32::try_from(i).unwrap_or(0) / 2 * 2),
            gflops: with_results.then_some(3.0 + 9.0 * i as f64),
        };
        Roofline {
            heading: Heading { title: "8 nodes".to_owned(), subtitle: "scenario even".to_owned() },
            roofs: vec![
                roof("whole machine", 88.0, 588.8),
                roof("one node, its own memory", 11.28, 73.6),
                roof("node 2 reading node 3 (fastest link)", 5.73, 73.6),
                roof("node 4 reading node 7 (slowest link)", 2.05, 73.6),
                roof("one core, its own memory", 11.28, 9.2),
            ],
            apps: (0..apps).map(app).collect(),
        }
    }

    #[test]
    fn nothing_overlaps_with_8_applications() {
        for (apps, results) in [(0, false), (1, true), (8, false), (8, true)] {
            assert_apart(&plot(apps, results).svg());
        }
    }

    #[test]
    fn roofs_and_applications_are_listed_with_their_units() {
        insta::assert_snapshot!(words(&plot(3, true).svg()));
    }

    #[test]
    fn letters_at_one_place_share_a_box() {
        // A and B have the same intensity, and so have C and D.
        let texts = words(&plot(4, false).svg());
        assert!(texts.contains("A B\n") && texts.contains("C D\n"), "{texts}");
    }
}

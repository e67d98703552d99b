//! The roofline of a machine, with its applications on it: Williams, Waterman and Patterson, "Roofline: an insightful visual performance
//! model for multicore architectures", with a roof for memory behind a link. Dashes distinguish the roofs in greyscale.

use super::canvas::{At, Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke};
use super::legend::{FAINT, line_stroke};
use super::metrics::{self, Segment, distance};
use super::palette::{DARK_TEXT, FAINT_TEXT, PAPER, TEXT, fill_colour, text_on};
use super::panel::{Lines, Panel};
use super::scale::{Coordinate, extent};
use crate::figures;

/// Width of the list on the right.
const LIST: f64 = 262.0;
/// Height of an entry of the list: two lines.
const ENTRY: f64 = 36.0;
/// Room above the plot for the letters of the applications.
const LETTERS: f64 = 34.0;

/// Separator of the names of equal roofs, and the height of a name.
const OTHER_NAME: &str = "\n";
const NAME_LINE: f64 = 15.0;

/// A limit: min(peak, bandwidth x arithmetic intensity).
#[derive(Clone, Debug)]
pub struct Roof {
    /// Its name in the list below the picture.
    pub name: String,
    /// Slope, in GB/s.
    pub bandwidth_gbs: f64,
    /// Height, in GFLOPS.
    pub peak_gflops: f64,
}

/// An application.
#[derive(Clone, Debug)]
pub struct RoofApp {
    /// Its sign in the picture.
    pub letter: String,
    /// Its name in the list below the picture.
    pub name: String,
    /// FLOP per byte.
    pub intensity: f64,
    /// Its GFLOPS; `None` if no scenario was evaluated.
    pub gflops: Option<f64>,
}

/// A roofline.
#[derive(Clone, Debug)]
pub struct Roofline {
    /// Above the picture.
    pub heading: Heading,
    /// From the highest to the lowest.
    pub roofs: Vec<Roof>,
    /// In the order of the list.
    pub apps: Vec<RoofApp>,
}

impl Roofline {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        Self { roofs: equal_ones_once(&self.roofs), ..self.clone() }.drawn()
    }

    fn drawn(&self) -> String {
        let entries = self.roofs.len() + self.apps.len();
        let more: usize = self.roofs.iter().map(|roof| roof.name.matches(OTHER_NAME).count()).sum();
        let list = ENTRY * entries as f64 + NAME_LINE * more as f64;
        let height = (HEADING + LETTERS + list + 40.0).max(SIZE.1);
        let width = SIZE.0 + 60.0;
        let titles = ["arithmetic intensity (FLOP/byte)", "performance (GFLOPS)"];
        let panel = Panel::framed(scales(self), titles, (HEADING + LETTERS, width - LIST - MARGIN, height));

        let mut canvas = Canvas::new(width, &self.heading);
        panel.axes(&mut canvas, [Lines::Grid; 2], titles);
        let mut taken = draw_apps(self, &mut canvas, &panel);
        draw_roofs(self, &mut canvas, &panel);
        taken.extend(draw_points(self, &mut canvas, &panel));
        draw_labels(self, &mut canvas, &panel, taken);
        draw_list(self, &mut canvas, panel.place.right() + 24.0);
        canvas.finish(height)
    }
}

/// Equal roofs are drawn once, with all their names.
fn equal_ones_once(roofs: &[Roof]) -> Vec<Roof> {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
    let mut once: Vec<Roof> = Vec::new();
    for roof in roofs {
        let is_same = |other: &&mut Roof| {
            close(roof.bandwidth_gbs, other.bandwidth_gbs) && close(roof.peak_gflops, other.peak_gflops)
        };
        match once.iter_mut().find(is_same) {
            Some(other) => other.name = format!("{}{OTHER_NAME}{}", other.name, roof.name),
            None => once.push(roof.clone()),
        }
    }
    once
}

/// Around every ridge, application and point.
fn scales(plot: &Roofline) -> (Coordinate, Coordinate) {
    let ridges = plot.roofs.iter().map(|roof| roof.peak_gflops / roof.bandwidth_gbs);
    let (low, high) = ends(ridges.chain(plot.apps.iter().map(|app| app.intensity)));
    let x = low / 3.0..high * 3.0;
    let feet = plot.roofs.iter().map(|roof| roof.bandwidth_gbs * x.start);
    let tops = plot.roofs.iter().map(|roof| roof.peak_gflops);
    let points = plot.apps.iter().filter_map(|app| app.gflops).filter(|gflops| *gflops > 0.0);
    let (low, high) = ends(feet.chain(tops).chain(points));
    (Coordinate::powers_of_two(x.start, x.end), Coordinate::logarithmic(low / 1.5, high * 1.6))
}

/// The roofs as lines, the highest on top.
fn draw_roofs(plot: &Roofline, canvas: &mut Canvas, panel: &Panel) {
    for (i, roof) in plot.roofs.iter().enumerate().rev() {
        canvas.path(&line_of(roof, panel), roof_stroke(i));
    }
}

fn draw_list(plot: &Roofline, canvas: &mut Canvas, left: f64) {
    let room = LIST - 60.0;
    let mut y = HEADING + LETTERS + 8.0;
    for (i, roof) in plot.roofs.iter().enumerate() {
        canvas.line((left, y), (left + 30.0, y), roof_stroke(i));
        let mut below = y;
        for name in roof.name.split(OTHER_NAME) {
            canvas.text(left + 40.0, below, &metrics::cut(name, SMALL, room), Font::new(SMALL));
            below += NAME_LINE;
        }
        let figures = format!(
            "{} GB/s, {} GFLOPS",
            figures::rounded(roof.bandwidth_gbs),
            figures::rounded(roof.peak_gflops)
        );
        canvas.text(left + 40.0, below, &figures, FAINT);
        y = below + ENTRY - NAME_LINE;
    }
    y += 6.0;
    for (i, app) in plot.apps.iter().enumerate() {
        draw_badge(plot, canvas, &Badge { x: left + 15.0, y, apps: vec![i] });
        canvas.text(left + 40.0, y, &metrics::cut(&app.name, SMALL, room), Font::new(SMALL));
        let intensity = format!("{} FLOP/byte", figures::intensity(app.intensity));
        let text = match app.gflops {
            Some(gflops) => format!("{intensity}, {} GFLOPS", figures::single(gflops)),
            None => intensity,
        };
        canvas.text(left + 40.0, y + 15.0, &text, FAINT);
        y += ENTRY;
    }
}

fn roof_stroke(i: usize) -> Stroke {
    line_stroke(i, 2.2)
}

/// The smallest and the largest; a decade around 1 without values.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    extent(values.filter(|value| *value > 0.0)).unwrap_or((0.3, 3.0))
}

/// Height of a letter's box.
const BADGE: f64 = 18.0;

/// Letters at one place.
struct Badge {
    x: f64,
    y: f64,
    apps: Vec<usize>,
}

/// Draws a line at the intensity of each application, with its letter above the plot; returns the places of the letters.
fn draw_apps(plot: &Roofline, canvas: &mut Canvas, panel: &Panel) -> Vec<Place> {
    let top = panel.place.y;
    let stroke = Stroke::new(FAINT_TEXT, 1.0).dashed(&[1, 3]);
    let xs: Vec<f64> = plot.apps.iter().map(|app| panel.across(app.intensity)).collect();
    for &x in &xs {
        canvas.line((x, top - 6.0), (x, panel.place.bottom()), stroke);
    }
    let badges = xs.iter().enumerate().map(|(i, &x)| Badge { x, y: top - 6.0 - BADGE / 2.0, apps: vec![i] });
    merged(plot, badges.collect()).iter().map(|badge| draw_badge(plot, canvas, badge)).collect()
}

/// Draws the performance of each application; returns the places of the letters.
fn draw_points(plot: &Roofline, canvas: &mut Canvas, panel: &Panel) -> Vec<Place> {
    let points = (0..).zip(&plot.apps).filter_map(|(i, app)| {
        let gflops = app.gflops.filter(|gflops| *gflops > 0.0)?;
        let (x, y) = panel.at((app.intensity, gflops));
        Some(Badge { x, y, apps: vec![i] })
    });
    merged(plot, points.collect()).iter().map(|badge| draw_badge(plot, canvas, badge)).collect()
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

/// The letters of a box; if there are many, their number.
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
    Place::around((badge.x, badge.y), width, BADGE)
}

fn draw_badge(plot: &Roofline, canvas: &mut Canvas, badge: &Badge) -> Place {
    let place = place_of(plot, badge);
    let (colour, edge, ink) = match badge.apps.as_slice() {
        [only] => (fill_colour(*only), DARK_TEXT, text_on(fill_colour(*only))),
        _ => (PAPER, TEXT, TEXT),
    };
    canvas.rect(place, BADGE / 2.0, Some(colour), Some(Stroke::new(edge, 1.2)));
    let font = Font::middle(SMALL).colour(ink).bold();
    canvas.text(badge.x, badge.y, &letters(plot, badge), font);
    place
}

/// From a line to the middle of the letters next to it.
const BESIDE: f64 = 11.0;
/// Minimum distance of lines from free places: half of the letters' height and half of the thickest line.
const CLEAR: f64 = 8.5;
/// Distance between two places that are tried.
const STEP: f64 = 8.0;

/// Foot, ridge and right end of a roof.
fn line_of(roof: &Roof, panel: &Panel) -> [At; 3] {
    let (from, to) = panel.x.ends();
    let ridge = (roof.peak_gflops / roof.bandwidth_gbs).clamp(from, to);
    [from, ridge, to].map(|x| panel.at((x, roof.peak_gflops.min(roof.bandwidth_gbs * x))))
}

/// Elements that labels avoid.
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
            Place::around((at(from.0, to.0), at(from.1, to.1)), SIDE, SIDE)
        })
        .collect()
}

/// Writes the bandwidth along the slope and the peak along the ceiling of each roof, if there is room; equal ones once.
fn draw_labels(plot: &Roofline, canvas: &mut Canvas, panel: &Panel, boxes: Vec<Place>) {
    let roofs = plot.roofs.iter().map(|roof| line_of(roof, panel));
    let mut lines: Vec<Segment> = roofs.flat_map(|[a, b, c]| [[a, b], [b, c]]).collect();
    lines.extend(plot.apps.iter().map(|app| {
        let x = panel.across(app.intensity);
        [(x, panel.place.y), (x, panel.place.bottom())]
    }));
    let mut taken = Taken { lines, boxes, inside: panel.place };
    let (mut peaks, mut bandwidths): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let is_new = |known: &mut Vec<f64>, value: f64| {
        let known_already = known.iter().any(|other| (other - value).abs() <= 1e-9 * value);
        known.push(value);
        !known_already
    };
    for roof in &plot.roofs {
        let [foot, ridge, end] = line_of(roof, panel);
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

/// Writes `text` along a line at its first free place above the line, else below it; nothing if there is none.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, assert_off_lines, words};

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
    fn no_line_crosses_labels_of_roofs() {
        for (apps, results) in [(0, false), (1, true), (4, false), (8, false), (8, true)] {
            assert_off_lines(&plot(apps, results).svg());
        }
        // Some roofs are labelled even with many applications.
        assert!(words(&plot(8, true).svg()).lines().any(|word| word == "11.28 GB/s"));
    }

    #[test]
    fn roofs_and_applications_are_listed_with_their_units() {
        insta::assert_snapshot!(words(&plot(3, true).svg()));
    }

    #[test]
    fn equal_roofs_are_one_line_with_both_names() {
        let mut plot = plot(1, false);
        plot.roofs[2] = Roof { name: "one node reads another".to_owned(), ..plot.roofs[1].clone() };
        let svg = plot.svg();
        assert_apart(&svg);
        assert!(
            words(&svg)
                .contains("one node, its own memory\none node reads another\n11.28 GB/s, 73.6 GFLOPS\n")
        );
        // Four of the five roofs.
        assert_eq!(svg.matches("<path").count(), 4);
    }

    #[test]
    fn letters_at_one_place_share_a_box() {
        // A and B have the same intensity, and so have C and D.
        let texts = words(&plot(4, false).svg());
        assert!(texts.contains("A B\n") && texts.contains("C D\n"), "{texts}");
    }
}

//! The front between two objectives, with other allocations beside it.

use super::canvas::{At, Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke};
use super::kind::draw_open_mark;
use super::metrics::{self, place_of_name};
use super::palette::{Colour, FAINT_TEXT, TEXT, line_colour};
use super::panel::{Lines, Panel};
use super::scale::{Coordinate, extent};

/// Widest name beside a mark.
const WIDEST_NAME: f64 = 380.0;
/// Half of the size of the sign of an allocation beside the front, there and before its name, and the room of the latter.
const SIGN: f64 = 7.0;
const SMALL_SIGN: f64 = 5.0;
const BEFORE_NAME: f64 = 16.0;
/// What the front beats, and its border; no transparency, which not every program that reads SVG knows.
const BEATEN: Colour = Colour(238, 245, 250);
const BORDER: Colour = Colour(115, 178, 214);

/// An allocation with a name.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Both values.
    pub at: [f64; 2],
    /// Its name.
    pub text: String,
    /// It lies on the front.
    pub on_front: bool,
}

/// A front.
#[derive(Clone, Debug)]
pub struct FrontPlot {
    /// Above the picture.
    pub heading: Heading,
    /// Titles of the axes with their units: to the right, upwards.
    pub labels: [String; 2],
    /// For each axis.
    pub smaller_is_better: [bool; 2],
    /// Both values of each point, from the best for the first to the best for the second.
    pub points: Vec<[f64; 2]>,
    /// Allocations with a name.
    pub marks: Vec<Mark>,
}

impl FrontPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let marks: Vec<&Mark> =
            self.marks.iter().filter(|mark| mark.at.iter().all(|value| value.is_finite())).collect();
        let [x, y] = [0, 1].map(|i| {
            let values = self.points.iter().chain(marks.iter().map(|mark| &mark.at)).map(|at| at[i]);
            let (low, high) = extent(values).unwrap_or((0.0, 1.0));
            Coordinate::of_results(low, high)
        });
        let worst = [(0, &x), (1, &y)].map(|(i, scale)| {
            let (low, high) = scale.ends();
            if self.smaller_is_better[i] { high } else { low }
        });
        let titles = [self.labels[0].as_str(), self.labels[1].as_str()];
        let panel = Panel::framed((x, y), titles, (HEADING, SIZE.0 - MARGIN, SIZE.1));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let pixel = |[x, y]: [f64; 2]| panel.at((x, y));
        let points: Vec<At> = self.points.iter().map(|&at| pixel(at)).collect();
        let steps: Vec<At> = self.steps().into_iter().map(pixel).collect();
        // What some point beats lies behind the steps: nothing is promised between two points.
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            let worst = pixel(worst);
            let behind = [&[worst, (first.0, worst.1)], &steps[..], &[(worst.0, last.1)]].concat();
            canvas.polygon(&behind, Some(BEATEN), None);
        }
        panel.axes(&mut canvas, [Lines::Grid; 2], titles);
        let front = line_colour(0);
        canvas.path(&steps, Stroke::new(BORDER, 1.0));
        let size = if points.len() > 60 { 2.0 } else { 3.0 };
        for &at in &points {
            canvas.circle(at, size, Some(front), None);
        }
        for mark in marks.iter().filter(|mark| mark.on_front) {
            canvas.circle(pixel(mark.at), 6.0, None, Some(Stroke::new(front, 2.0)));
        }
        for (i, mark) in marks.iter().filter(|mark| !mark.on_front).enumerate() {
            draw_open_mark(&mut canvas, i, pixel(mark.at), SIGN);
        }
        let mut taken: Vec<Place> = points.iter().map(|&at| Place::around(at, 8.0, 8.0)).collect();
        // The steps, too: a name is not crossed by them.
        taken.extend(steps.windows(2).map(|pair| Place::between(pair[0], pair[1]).inset(-1.0)));
        taken.extend(marks.iter().map(|mark| Place::around(pixel(mark.at), 2.0 * SIGN, 2.0 * SIGN)));
        let mut sign = 0;
        for mark in &marks {
            let name = metrics::cut(&mark.text, SMALL, WIDEST_NAME);
            let before = if mark.on_front { 0.0 } else { BEFORE_NAME };
            let width = metrics::width(&name, SMALL) + before;
            let place = place_of_name(pixel(mark.at), width, &taken, panel.place);
            taken.push(place);
            let y = place.middle().1;
            if !mark.on_front {
                draw_open_mark(&mut canvas, sign, (place.x + SMALL_SIGN, y), SMALL_SIGN);
                sign += 1;
            }
            let colour = if mark.on_front { TEXT } else { FAINT_TEXT };
            canvas.text(place.x + before, y, &name, Font::new(SMALL).colour(colour));
        }
        canvas.finish(SIZE.1)
    }

    /// The border of what the points beat, from the first to the last.
    fn steps(&self) -> Vec<[f64; 2]> {
        let between = self.points.windows(2).flat_map(|pair| [[pair[1][0], pair[0][1]], pair[1]]);
        self.points.first().copied().into_iter().chain(between).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn plot() -> FrontPlot {
        let mark = |at, text: &str, on_front| Mark { at, text: text.to_owned(), on_front };
        FrontPlot {
            heading: Heading { title: "4 nodes".to_owned(), subtitle: "complete".to_owned() },
            labels: ["total (GFLOPS)".to_owned(), "fair (p)".to_owned()],
            smaller_is_better: [false, false],
            points: vec![[320.0, 0.1], [300.0, 0.3], [250.0, 0.4]],
            marks: vec![mark([320.0, 0.1], "best total", true), mark([140.0, 0.2], "even", false)],
        }
    }

    #[test]
    fn axes_and_marks_are_named() {
        let svg = plot().svg();
        for word in ["4 nodes", "complete", "total (GFLOPS)", "fair (p)", "best total", "even"] {
            assert!(svg.contains(&format!("\n{word}\n")), "{word} is missing:\n{svg}");
        }
        // three points and the ring of the mark on the front
        assert_eq!(svg.matches("<circle").count(), 3 + 1);
    }

    #[test]
    fn allocations_at_nearly_the_same_place_are_both_seen() {
        let mut plot = plot();
        let mark = |at, text: &str| Mark { at, text: text.to_owned(), on_front: false };
        plot.marks = vec![
            mark([185.8, 0.25], "even"),
            mark([183.9, 0.2491], "one app per node"),
            mark([320.0, 0.1], "one app per node, one app per node, data local"),
        ];
        let svg = plot.svg();
        assert_apart(&svg);
        assert!(words(&svg).contains("one app per node, one app per node, data local\n"), "{svg}");
        // A cross, a diamond and a square, each twice: at its place and before its name.
        let count =
            |colour: Colour| svg.matches(&format!("stroke=\"{}\" stroke-width=\"2\"", colour.hex())).count();
        // A cross is two lines.
        assert_eq!([1, 2, 3].map(|i| count(line_colour(i))), [4, 2, 2]);
    }

    #[test]
    fn steps_never_promise_an_allocation_between_two_points() {
        let corners = [[320.0, 0.1], [300.0, 0.1], [300.0, 0.3], [250.0, 0.3], [250.0, 0.4]];
        assert_eq!(plot().steps(), corners);
    }
}

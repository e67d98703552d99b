//! The front between two objectives, with other allocations beside it.

use plotters::prelude::*;

use super::axis::Coordinate;
use super::heading::{DrawError, Heading};
use super::names::place_of_name;
use super::palette::{FAINT_TEXT, TEXT, line_colour};
use super::style::{
    Area, MARGIN, Mesh, SIZE, SMALL, chart, draw_axes, drawn, headed, left_middle, shortened, text_width,
};

/// A longer name beside a mark is cut.
const LONGEST_NAME: usize = 60;
/// Half of the size of the sign of an allocation beside the front, there and before its name, and the room of the latter.
const SIGN: i32 = 7;
const SMALL_SIGN: i32 = 5;
const BEFORE_NAME: i32 = 16;
/// What the front beats, and its border; no transparency, which not every program that reads SVG knows.
const BEATEN: RGBColor = RGBColor(238, 245, 250);
const BORDER: RGBColor = RGBColor(115, 178, 214);

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
    ///
    /// # Errors
    /// Only those of the drawing library.
    pub fn svg(&self) -> Result<String, DrawError> {
        drawn(SIZE, |root| self.draw(root))
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), DrawError> {
        let below = headed(root, &self.heading)?;
        let marks: Vec<&Mark> =
            self.marks.iter().filter(|mark| mark.at.iter().all(|value| value.is_finite())).collect();
        let [x, y] = [0, 1].map(|i| {
            let values = || self.points.iter().chain(marks.iter().map(|mark| &mark.at)).map(|at| at[i]);
            let (low, high) =
                values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            Coordinate::of_results(low, high)
        });
        let corners = [x.range.clone(), y.range.clone()];
        let titles = [self.labels[0].as_str(), self.labels[1].as_str()];
        let mut chart = chart(&below, MARGIN, x, y, titles)?;
        let steps = self.steps();
        // What some point beats lies behind the steps: nothing is promised between two points.
        let worst = [0, 1].map(|i| if self.smaller_is_better[i] { corners[i].end } else { corners[i].start });
        if let (Some(first), Some(last)) = (self.points.first(), self.points.last()) {
            let mut behind = vec![(worst[0], worst[1]), (first[0], worst[1])];
            behind.extend(&steps);
            behind.push((worst[0], last[1]));
            chart.draw_series([Polygon::new(behind, BEATEN.filled())])?;
        }
        draw_axes(root, &mut chart, titles, Mesh::Both)?;
        let front = line_colour(0);
        chart.draw_series([PathElement::new(steps.clone(), BORDER.stroke_width(1))])?;
        let size = if self.points.len() > 60 { 2 } else { 3 };
        chart.draw_series(self.points.iter().map(|at| Circle::new((at[0], at[1]), size, front.filled())))?;
        let area = chart.plotting_area();
        for mark in marks.iter().filter(|mark| mark.on_front) {
            let at = area.map_coordinate(&(mark.at[0], mark.at[1]));
            root.draw(&Circle::new(at, 6, front.stroke_width(2)))?;
        }
        // Signs that differ, so that each is seen where several lie upon each other, and its name is found.
        let others = || marks.iter().filter(|mark| !mark.on_front).enumerate();
        for (i, mark) in others() {
            draw_sign(root, i, area.map_coordinate(&(mark.at[0], mark.at[1])), SIGN)?;
        }
        let mut taken: Vec<[i32; 4]> = Vec::new();
        let inside = area.get_pixel_range();
        for point in &self.points {
            let (x, y) = area.map_coordinate(&(point[0], point[1]));
            taken.push([x - 4, y - 4, x + 4, y + 4]);
        }
        // The steps, too: a name is not crossed by them.
        let corners: Vec<(i32, i32)> = steps.iter().map(|corner| area.map_coordinate(corner)).collect();
        for pair in corners.windows(2) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            taken.push([x0.min(x1) - 1, y0.min(y1) - 1, x0.max(x1) + 1, y0.max(y1) + 1]);
        }
        for mark in &marks {
            let (x, y) = area.map_coordinate(&(mark.at[0], mark.at[1]));
            taken.push([x - SIGN, y - SIGN, x + SIGN, y + SIGN]);
        }
        let mut sign = 0;
        for mark in &marks {
            let name = shortened(&mark.text, LONGEST_NAME);
            let before = if mark.on_front { 0 } else { BEFORE_NAME };
            let width = i32::try_from(text_width(&name, SMALL))? + before;
            let (x, y) = area.map_coordinate(&(mark.at[0], mark.at[1]));
            let place = place_of_name(x, y, width, &taken, &inside);
            taken.push(place);
            let middle = i32::midpoint(place[1], place[3]);
            if !mark.on_front {
                draw_sign(root, sign, (place[0] + SMALL_SIGN, middle), SMALL_SIGN)?;
                sign += 1;
            }
            let colour = if mark.on_front { &TEXT } else { &FAINT_TEXT };
            root.draw_text(&name, &left_middle(SMALL, colour), (place[0] + before, middle))?;
        }
        Ok(())
    }

    /// The border of what the points beat, from the first to the last.
    fn steps(&self) -> Vec<(f64, f64)> {
        let mut steps = Vec::with_capacity(self.points.len() * 2);
        for (i, point) in self.points.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).and_then(|before| self.points.get(before)) {
                steps.push((point[0], before[1]));
            }
            steps.push((point[0], point[1]));
        }
        steps
    }
}

/// The sign of the i-th allocation that is compared with the front: a cross, then open shapes.
fn draw_sign(root: &Area<'_>, i: usize, (x, y): (i32, i32), size: i32) -> Result<(), DrawError> {
    // The colours of lines after that of the front.
    let style = line_colour(1 + i % 5).stroke_width(2);
    let half = size / 2;
    let corners: &[(i32, i32)] = match i % 5 {
        0 => {
            root.draw(&Cross::new((x, y), size, style))?;
            return Ok(());
        }
        1 => &[(0, -size), (size, 0), (0, size), (-size, 0), (0, -size)],
        2 => &[(-size, -size), (size, -size), (size, size), (-size, size), (-size, -size)],
        3 => &[(0, -size), (size, size), (-size, size), (0, -size)],
        _ => &[(-size, -half), (size, -half), (0, size), (-size, -half)],
    };
    let corners: Vec<(i32, i32)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    root.draw(&PathElement::new(corners, style))?;
    Ok(())
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
        let svg = plot().svg().expect("drawn");
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
        let svg = plot.svg().expect("drawn");
        assert_apart(&svg);
        assert!(words(&svg).contains("one app per node, one app per node, data local\n"), "{svg}");
        // A cross, a diamond and a square, each twice: at its place and before its name.
        let count = |colour: RGBColor| {
            let colour = format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2);
            svg.matches(&format!("stroke=\"{colour}\" stroke-width=\"2\"")).count()
        };
        // plotters draws a cross as two lines
        assert_eq!([1, 2, 3].map(|i| count(line_colour(i))), [4, 2, 2]);
    }

    #[test]
    fn steps_never_promise_an_allocation_between_two_points() {
        let corners = [(320.0, 0.1), (300.0, 0.1), (300.0, 0.3), (250.0, 0.3), (250.0, 0.4)];
        assert_eq!(plot().steps(), corners);
    }
}

//! Inspects a plot in tests: its texts, whether any two of them overlap, and whether a line runs through one.

#![allow(clippy::missing_panics_doc, reason = "for tests: what fails here fails the test")]

use super::canvas::Place;
use super::metrics::{self, Segment, distance};
use super::palette::FAINT_LINE;

/// A text of a plot and the boxes that it fills: one, or one for each letter of a sloped text.
struct Shown {
    text: String,
    is_bold: bool,
    boxes: Vec<Place>,
}

/// Every text on a separate line, in the order of drawing.
pub fn words(svg: &str) -> String {
    shown(svg).into_iter().map(|one| one.text + "\n").collect()
}

/// Fails if two texts overlap, or if one leaves the picture.
pub fn assert_apart(svg: &str) {
    let all = shown(svg);
    assert!(!all.is_empty(), "no text in {svg}");
    let size = |name: &str| number(svg, name).expect("a picture has a size");
    let (width, height) = (size("width"), size("height"));
    for (i, one) in all.iter().enumerate() {
        for place in &one.boxes {
            let inside =
                place.x >= 0.0 && place.y >= 0.0 && place.right() <= width && place.bottom() <= height;
            assert!(inside, "'{}' leaves the picture: {place:?} in {width} x {height}", one.text);
        }
        for other in &all[..i] {
            let over = one.boxes.iter().any(|a| other.boxes.iter().any(|b| a.overlaps(*b)));
            assert!(!over, "'{}' and '{}' overlap: {:?}, {:?}", one.text, other.text, one.boxes, other.boxes);
        }
    }
}

/// Fails if a line that is not a grid line runs through a text; bold letters have separate boxes on lines.
pub fn assert_off_lines(svg: &str) {
    let texts: Vec<Shown> = shown(svg).into_iter().filter(|one| !one.is_bold).collect();
    let lines = segments(svg);
    assert!(!lines.is_empty(), "no line in {svg}");
    for one in &texts {
        // The positions of letters; the boxes of sloped ones are squares with empty corners.
        for middle in
            one.boxes.iter().map(|place| (place.x + place.width / 2.0, place.y + place.height / 2.0))
        {
            let half = one.boxes[0].height / 2.0;
            let reach = if one.boxes.len() > 1 { 0.0 } else { one.boxes[0].width / 2.0 };
            let letters = [(middle.0 - reach, middle.1), (middle.0 + reach, middle.1)];
            let close = lines.iter().find(|line| distance(**line, letters) < half);
            assert!(close.is_none(), "{close:?} runs through '{}' at {:?}", one.text, one.boxes);
        }
    }
}

/// Straight parts of lines and paths, without those of the grid.
fn segments(svg: &str) -> Vec<Segment> {
    let is_grid = |tag: &str| tag.contains(&FAINT_LINE.hex());
    let tags = |name: &str| {
        let parts: Vec<&str> = svg.split(name).skip(1).filter_map(|rest| rest.split('>').next()).collect();
        parts.into_iter().filter(|tag| !is_grid(tag)).collect::<Vec<_>>()
    };
    let lines = tags("<line").into_iter().map(|tag| {
        let of = |name: &str| number(tag, name).expect("a coordinate");
        [(of("x1"), of("y1")), (of("x2"), of("y2"))]
    });
    let paths = tags("<path").into_iter().flat_map(|tag| {
        let points: Vec<f64> = attribute(tag, "d")
            .expect("a path")
            .split(['M', 'L', ' '])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().expect("straight lines only"))
            .collect();
        let points: Vec<(f64, f64)> = points.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        points.windows(2).map(|pair| [pair[0], pair[1]]).collect::<Vec<_>>()
    });
    lines.chain(paths).collect()
}

/// All rectangles, in the order of drawing.
#[cfg(test)]
pub(super) fn rectangles(svg: &str) -> Vec<Place> {
    let tags = svg.split("<rect").skip(1).filter_map(|rest| rest.split('>').next());
    tags.map(|tag| {
        let of = |name: &str| number(tag, name).expect("a coordinate");
        Place::new(of("x"), of("y"), of("width"), of("height"))
    })
    .collect()
}

fn shown(svg: &str) -> Vec<Shown> {
    let elements = svg.split("<text").skip(1);
    elements
        .map(|element| {
            let (tag, rest) = element.split_once('>').expect("a whole element");
            let text = rest.split("</text>").next().unwrap_or_default().trim();
            let text = ["&lt; <", "&gt; >", "&quot; \"", "&#39; '", "&amp; &"]
                .iter()
                .filter_map(|pair| pair.split_once(' '))
                .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
            Shown { is_bold: tag.contains("font-weight=\"bold\""), boxes: boxes(tag, &text), text }
        })
        .collect()
}

fn boxes(tag: &str, text: &str) -> Vec<Place> {
    let size = number(tag, "font-size").expect("a size");
    let (x, y) = (number(tag, "x").expect("a place"), number(tag, "y").expect("a place"));
    let bold = if tag.contains("font-weight=\"bold\"") { 1.1 } else { 1.0 };
    let width = metrics::width(text, size) * bold;
    let left = match attribute(tag, "text-anchor") {
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        _ => x,
    };
    // From the top of capitals to slightly below the base line.
    let (top, height) = (y - 0.74 * size, 0.8 * size);
    let Some(turn) = attribute(tag, "transform").and_then(|turn| turn.strip_prefix("rotate(")) else {
        return vec![Place::new(left, top, width, height)];
    };
    let parts: Vec<f64> = turn
        .trim_end_matches(')')
        .split([',', ' '])
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().expect("a number"))
        .collect();
    let [degrees, centre_x, centre_y] = parts[..] else { panic!("an unknown rotation: {turn}") };
    let (sin, cos) = degrees.to_radians().sin_cos();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few letters")]
    let count = (width / height).ceil().max(1.0) as usize;
    let middle = |i: usize| {
        let (dx, dy) =
            (left + width * (i as f64 + 0.5) / count as f64 - centre_x, top + height / 2.0 - centre_y);
        (centre_x + dx * cos - dy * sin, centre_y + dx * sin + dy * cos)
    };
    (0..count)
        .map(middle)
        .map(|(x, y)| Place::new(x - height / 2.0, y - height / 2.0, height, height))
        .collect()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

fn number(tag: &str, name: &str) -> Option<f64> {
    attribute(tag, name)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_overlap_are_found() {
        let text = |x: u32, turn: &str| format!("<text x=\"{x}\" y=\"50\" font-size=\"10\"{turn}>abc</text>");
        let svg =
            |second: String| format!("<svg width=\"100\" height=\"100\">{}{second}</svg>", text(10, ""));
        assert_apart(&svg(text(40, "")));
        let found = |second: String| std::panic::catch_unwind(|| assert_apart(&svg(second))).is_err();
        assert!(found(text(20, "")));
        assert!(found(text(90, "")), "it leaves the picture");
        assert!(found(text(20, " transform=\"rotate(-90 20 50)\"")));
        assert!(!found(text(50, " transform=\"rotate(-90 50 50)\"")));
    }

    #[test]
    fn a_line_through_a_text_is_found() {
        let svg = |y: u32| {
            format!(
                "<text x=\"10\" y=\"50\" font-size=\"10\">abc</text><line x1=\"0\" y1=\"{y}\" x2=\"99\" y2=\"{y}\" \
                 stroke=\"#000000\"/>"
            )
        };
        assert_off_lines(&svg(60));
        assert!(std::panic::catch_unwind(|| assert_off_lines(&svg(48))).is_err());
        let grid = svg(48).replace("#000000", "#E1E1E1");
        assert_off_lines(&(grid + "<line x1=\"0\" y1=\"80\" x2=\"99\" y2=\"80\" stroke=\"#000000\"/>"));
    }
}

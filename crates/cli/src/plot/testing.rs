//! What tests see of a plot: its texts, and whether any two of them overlap.

use super::canvas::Place;
use super::metrics;

/// A text of a plot and the boxes that it fills: one, or one for each letter of a sloped text.
struct Shown {
    text: String,
    boxes: Vec<Place>,
}

/// Every text on a line of its own, in the order of drawing.
pub(crate) fn words(svg: &str) -> String {
    shown(svg).into_iter().map(|one| one.text + "\n").collect()
}

/// Fails if two texts overlap, or if one leaves the picture.
pub(crate) fn assert_apart(svg: &str) {
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
            Shown { boxes: boxes(tag, &text), text }
        })
        .collect()
}

fn boxes(tag: &str, text: &str) -> Vec<Place> {
    let size = number(tag, "font-size").expect("a size");
    let (x, mut y) = (number(tag, "x").expect("a place"), number(tag, "y").expect("a place"));
    // plotters moves the base line instead of computing it
    if tag.contains("dy=\"0.76em\"") {
        y += 0.76 * size;
    } else if tag.contains("dy=\"0.5ex\"") {
        y += 0.27 * size;
    } else if tag.contains("dy=\"-0.5ex\"") {
        y -= 0.27 * size;
    }
    let bold = if tag.contains("font-weight=\"bold\"") { 1.1 } else { 1.0 };
    let width = metrics::width(text, size) * bold;
    let left = match attribute(tag, "text-anchor") {
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        _ => x,
    };
    // From the top of capitals to a little below the base line.
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
}

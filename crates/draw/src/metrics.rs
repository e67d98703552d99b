//! Room for texts: their widths, the places of names next to marks, and their distance from lines.

/// Widths of the characters from space to `~` in DejaVu Sans, in thousandths of the font size.
///
/// It is the font of PNGs, and one of the widest `sans-serif` fonts: in other fonts a text is narrower.
const DEJAVU_SANS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
    500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
/// The width of most other characters; Chinese and Japanese ones take a whole square.
const OTHER: u16 = 838;
const SQUARE: u16 = 1000;

/// Pixels of `text` in a font of `size` pixels; bold letters are wider by a tenth.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let of = |c: char| {
        let at = u32::from(c).checked_sub(32).and_then(|at| usize::try_from(at).ok());
        let wide = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) > 1 || c == '…';
        let known = at.and_then(|at| DEJAVU_SANS.get(at)).copied();
        f64::from(known.unwrap_or(if wide { SQUARE } else { OTHER }))
    };
    text.chars().map(of).sum::<f64>() * size / 1000.0
}

/// `text`, cut with an ellipsis if it is wider than `most` pixels.
pub(super) fn cut(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if width(&kept, size) + width("…", size) > most {
            kept.pop();
            break;
        }
    }
    kept.truncate(kept.trim_end().len());
    kept + "…"
}

/// `text`, with its middle left out if it is wider than `most` pixels: names that start alike often end with a number.
pub(super) fn cut_in_the_middle(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let kept = |count: usize| {
        let head = letters.iter().take(count.div_ceil(2)).collect::<String>();
        let tail = letters.iter().skip(letters.len() - count / 2).collect::<String>();
        format!("{}…{}", head.trim_end(), tail.trim_start())
    };
    let fits = (0..letters.len()).rev().map(kept).find(|cut| width(cut, size) <= most);
    fits.unwrap_or_else(|| "…".to_owned())
}

/// The index of the first of `sizes`, from the largest to the smallest, in which `text` has room; if there is none, it is cut in the last
/// size.
pub(super) fn fitting(text: &str, sizes: [f64; 3], most: f64) -> (usize, String) {
    match sizes.iter().position(|&size| width(text, size) <= most) {
        Some(step) => (step, text.to_owned()),
        None => (sizes.len() - 1, cut(text, sizes[sizes.len() - 1], most)),
    }
}

/// `text` in at most `lines` lines of `most` pixels: broken at spaces, commas and hyphens, the last one cut.
pub(super) fn wrapped(text: &str, size: f64, most: f64, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = vec![String::new()];
    for word in text.split_inclusive([' ', ',', '-', '_', '/']) {
        let here = wrapped.len();
        let Some(line) = wrapped.last_mut() else { break };
        let joined = format!("{line}{word}");
        if line.is_empty() || here == lines || width(joined.trim_end(), size) <= most {
            *line = joined;
        } else {
            wrapped.push(word.to_owned());
        }
    }
    wrapped.iter().map(|line| cut(line.trim(), size, most)).collect()
}

/// A point in the picture, in pixels.
pub(super) type At = (f64, f64);

/// Left, top, width and height of a box in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Place {
    pub(super) const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// The box between two opposite corners.
    pub(super) fn between(a: At, b: At) -> Self {
        let (x, y) = (a.0.min(b.0), a.1.min(b.1));
        Self::new(x, y, a.0.max(b.0) - x, a.1.max(b.1) - y)
    }

    /// The box of this size around a point.
    pub(super) fn around((x, y): At, width: f64, height: f64) -> Self {
        Self::new(x - width / 2.0, y - height / 2.0, width, height)
    }

    pub(super) fn right(self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(self) -> f64 {
        self.y + self.height
    }

    pub(super) fn middle(self) -> At {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// The same box, smaller by this on each side.
    pub(super) fn inset(self, by: f64) -> Self {
        Self::new(self.x + by, self.y + by, self.width - 2.0 * by, self.height - 2.0 * by)
    }

    /// Whether they overlap.
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// Pixels between a mark and its name.
const BESIDE: f64 = 10.0;
/// Height of a line of names, and of the letters in it.
const LINE: f64 = 17.0;
const LETTERS: f64 = 16.0;

/// The place of a name of this width next to a mark: the first place in the chart that hides nothing.
pub(super) fn place_of_name((x, y): At, width: f64, taken: &[Place], inside: Place) -> Place {
    // Whole pixels: letters are sharper there.
    let (x, y, width) = (x.round(), y.round(), width.ceil());
    let at = |left: f64, middle: f64| Place::new(left, middle - LETTERS / 2.0, width, LETTERS);
    let (right, left) = (x + BESIDE, x - BESIDE - width);
    let candidates = [
        at(right, y),
        at(left, y),
        at(x - (width / 2.0).floor(), y - LINE - 2.0),
        at(x - (width / 2.0).floor(), y + LINE + 2.0),
        at(right, y - LINE),
        at(right, y + LINE),
        at(left, y - LINE),
        at(left, y + LINE),
        at(left, y - 2.0 * LINE),
        at(left, y + 2.0 * LINE),
    ];
    // With many names at one spot the later ones are farther from it.
    let farther = (2..=16).map(f64::from).flat_map(|lines| {
        [(right, -lines), (right, lines), (left, -lines), (left, lines)]
            .map(|(x, lines)| at(x, y + lines * LINE))
    });
    let hidden = |place: &Place| {
        let is_inside = inside.x < place.x
            && place.right() < inside.right()
            && place.y > inside.y - LINE
            && place.bottom() < inside.bottom();
        taken.iter().filter(|other| place.overlaps(**other)).count() + if is_inside { 0 } else { 1000 }
    };
    candidates.into_iter().chain(farther).min_by_key(hidden).unwrap_or_else(|| at(right, y))
}

/// Both ends of a straight line.
pub(super) type Segment = [(f64, f64); 2];

/// The smallest distance between two segments; 0 if they cross.
pub(super) fn distance(a: Segment, b: Segment) -> f64 {
    if cross(a, b) {
        return 0.0;
    }
    let ends = [to_point(a, b[0]), to_point(a, b[1]), to_point(b, a[0]), to_point(b, a[1])];
    ends.into_iter().fold(f64::INFINITY, f64::min)
}

fn to_point([from, to]: Segment, point: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let square = dx * dx + dy * dy;
    let along = ((point.0 - from.0) * dx + (point.1 - from.1) * dy) / if square > 0.0 { square } else { 1.0 };
    let along = along.clamp(0.0, 1.0);
    (from.0 + along * dx - point.0).hypot(from.1 + along * dy - point.1)
}

/// Whether the ends of each segment are on different sides of the other.
fn cross(a: Segment, b: Segment) -> bool {
    let side = |[from, to]: Segment, p: (f64, f64)| {
        (to.0 - from.0) * (p.1 - from.1) - (to.1 - from.1) * (p.0 - from.0)
    };
    side(a, b[0]) * side(a, b[1]) < 0.0 && side(b, a[0]) * side(b, a[1]) < 0.0
}

/// The part of a convex polygon between two heights, after Sutherland and Hodgman.
pub(super) fn between(corners: &[(f64, f64)], low: f64, high: f64) -> Vec<(f64, f64)> {
    let above = clipped(corners, |y| y - low);
    clipped(&above, |y| high - y)
}

/// The part of a convex polygon where `inside`, linear in y, is not negative.
fn clipped(corners: &[(f64, f64)], inside: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for (i, &to) in corners.iter().enumerate() {
        let from = corners[(i + corners.len() - 1) % corners.len()];
        let (a, b) = (inside(from.1), inside(to.1));
        if (a < 0.0) != (b < 0.0) {
            let part = a / (a - b);
            kept.push((from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1)));
        }
        if b >= 0.0 {
            kept.push(to);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_its_room() {
        // 4 x 636 + 318 thousandths of 10 pixels
        assert!((width("1234 ", 10.0) - 28.62).abs() < 1e-9);
        assert_eq!(cut("1234", 10.0, 25.44), "1234");
        assert_eq!(cut("123456789", 10.0, 36.0), "1234…");
        assert!(width(&cut("one app per node", 12.0, 60.0), 12.0) <= 60.0);
    }

    #[test]
    fn a_text_cut_in_the_middle_keeps_both_ends() {
        // 4 x 0.636 of 10 pixels and the ellipsis, 10: 35.44
        assert_eq!(cut_in_the_middle("123456789", 10.0, 36.0), "12…89");
        assert_eq!(cut_in_the_middle("123456789", 10.0, 57.3), "123456789");
        assert_eq!(cut_in_the_middle("123456789", 10.0, 1.0), "…");
    }

    #[test]
    fn a_long_text_is_first_written_smaller_then_cut() {
        // 4 x 0.636 of the size
        let sizes = [10.0, 9.0, 8.0];
        assert_eq!(fitting("1234", sizes, 25.5), (0, "1234".to_owned()));
        assert_eq!(fitting("1234", sizes, 23.0), (1, "1234".to_owned()));
        let (step, text) = fitting("123456789", sizes, 23.0);
        assert!(step == 2 && text.ends_with('…'), "{text}");
    }

    #[test]
    fn lines_break_at_words_and_the_last_one_is_cut() {
        assert_eq!(wrapped("one app per node", 10.0, 60.0, 3), ["one app", "per node"]);
        assert_eq!(wrapped("one app per node", 10.0, 60.0, 1), ["one app…"]);
        assert_eq!(wrapped("one", 10.0, 60.0, 3), ["one"]);
    }

    #[test]
    fn a_name_avoids_occupied_places() {
        let inside = Place::new(80.0, 0.0, 820.0, 500.0);
        let first = place_of_name((100.0, 100.0), 50.0, &[], inside);
        assert_eq!(first, Place::new(110.0, 92.0, 50.0, 16.0));
        assert_ne!(place_of_name((100.0, 100.0), 50.0, &[first], inside), first);
        // Fourteen names at one spot: no two overlap.
        let mut taken: Vec<Place> = Vec::new();
        for _ in 0..14 {
            let next = place_of_name((100.0, 100.0), 50.0, &taken, inside);
            assert!(!taken.iter().any(|other| other.overlaps(next)), "{next:?}");
            taken.push(next);
        }
        // Not over the edge on the right; on the left are the labels of the axis.
        assert!(place_of_name((890.0, 100.0), 50.0, &[], inside).right() <= 900.0);
        assert!(place_of_name((90.0, 100.0), 50.0, &[first], inside).x >= 80.0);
    }

    #[test]
    fn segments_that_cross_have_no_distance() {
        let across = [(0.0, 0.0), (10.0, 0.0)];
        assert_eq!(distance(across, [(5.0, -1.0), (5.0, 1.0)]), 0.0);
        assert_eq!(distance(across, [(5.0, 2.0), (5.0, 3.0)]), 2.0);
        // From (10, 0) to (13, 4)
        assert_eq!(distance(across, [(13.0, 4.0), (20.0, 4.0)]), 5.0);
    }

    #[test]
    fn a_polygon_is_cut_at_both_heights() {
        let triangle = [(0.0, 0.0), (4.0, 4.0), (8.0, 0.0)];
        assert_eq!(between(&triangle, 1.0, 9.0), [(1.0, 1.0), (4.0, 4.0), (7.0, 1.0)]);
        assert_eq!(between(&triangle, 0.0, 2.0), [(0.0, 0.0), (2.0, 2.0), (6.0, 2.0), (8.0, 0.0)]);
        assert_eq!(between(&triangle, 5.0, 9.0), []);
    }
}

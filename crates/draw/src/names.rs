//! Where the name of a mark stands.

use super::canvas::{At, Place};

/// Pixels between a mark and its name.
const BESIDE: f64 = 10.0;
/// Height of a line of names, and of the letters in it.
const LINE: f64 = 17.0;
const LETTERS: f64 = 16.0;

/// Where a name of this width stands beside a mark: the first place in the chart that hides nothing.
pub(super) fn place_of_name((x, y): At, width: f64, taken: &[Place], inside: Place) -> Place {
    // Whole pixels: letters are drawn sharper there.
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
    let hidden = |place: &Place| {
        let is_inside = inside.x < place.x
            && place.right() < inside.right()
            && place.y > inside.y - LINE
            && place.bottom() < inside.bottom();
        taken.iter().filter(|other| place.overlaps(**other)).count() + if is_inside { 0 } else { 1000 }
    };
    candidates.into_iter().min_by_key(hidden).unwrap_or_else(|| at(right, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_way_to_what_is_there() {
        let inside = Place::new(80.0, 0.0, 820.0, 500.0);
        let first = place_of_name((100.0, 100.0), 50.0, &[], inside);
        assert_eq!(first, Place::new(110.0, 92.0, 50.0, 16.0));
        assert_ne!(place_of_name((100.0, 100.0), 50.0, &[first], inside), first);
        // Not over the edge on the right; on the left stand the labels of the axis.
        assert!(place_of_name((890.0, 100.0), 50.0, &[], inside).right() <= 900.0);
        assert!(place_of_name((90.0, 100.0), 50.0, &[first], inside).x >= 80.0);
    }
}

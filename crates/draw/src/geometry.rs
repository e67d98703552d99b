//! Distances between straight lines, and polygons that are cut.

/// Both ends of a straight line.
pub(super) type Segment = [(f64, f64); 2];

/// The smallest distance between two segments; 0 where they cross.
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

/// Whether the ends of each segment lie on different sides of the other.
fn cross(a: Segment, b: Segment) -> bool {
    let side = |[from, to]: Segment, p: (f64, f64)| {
        (to.0 - from.0) * (p.1 - from.1) - (to.1 - from.1) * (p.0 - from.0)
    };
    side(a, b[0]) * side(a, b[1]) < 0.0 && side(b, a[0]) * side(b, a[1]) < 0.0
}

/// The part of a convex polygon between two heights, after Sutherland and Hodgman.
pub(super) fn between(corners: &[(f64, f64)], low: f64, high: f64) -> Vec<(f64, f64)> {
    let above = cut(corners, |y| y - low);
    cut(&above, |y| high - y)
}

/// The part of a convex polygon where `inside`, linear in y, is not negative.
fn cut(corners: &[(f64, f64)], inside: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
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

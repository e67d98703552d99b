//! Where the name of a mark stands.

/// Pixels between a mark and its name.
const BESIDE: i32 = 10;
/// Height of a name.
const LINE: i32 = 17;

/// The pixels of the chart in the whole picture.
pub(super) type Inside = (std::ops::Range<i32>, std::ops::Range<i32>);

/// Where a name of this width stands beside the mark at (x, y): the first place in the chart that hides nothing, as
/// left, top, right and bottom.
pub(super) fn place_of_name(x: i32, y: i32, width: i32, taken: &[[i32; 4]], inside: &Inside) -> [i32; 4] {
    let half = LINE / 2;
    let at = |left: i32, middle: i32| [left, middle - half, left + width, middle + half];
    let candidates = [
        at(x + BESIDE, y),
        at(x - BESIDE - width, y),
        at(x - width / 2, y - LINE - 2),
        at(x - width / 2, y + LINE + 2),
        at(x + BESIDE, y - LINE),
        at(x + BESIDE, y + LINE),
        at(x - BESIDE - width, y - LINE),
        at(x - BESIDE - width, y + LINE),
        at(x - BESIDE - width, y - 2 * LINE),
        at(x - BESIDE - width, y + 2 * LINE),
    ];
    let hidden = |place: &[i32; 4]| {
        let over = |o: &&[i32; 4]| place[0] < o[2] && o[0] < place[2] && place[1] < o[3] && o[1] < place[3];
        let (across, down) = inside;
        let within = across.start < place[0]
            && place[2] < across.end
            && place[1] > down.start - LINE
            && place[3] < down.end;
        taken.iter().filter(over).count() + if within { 0 } else { 1000 }
    };
    candidates.into_iter().min_by_key(hidden).unwrap_or_else(|| at(x + BESIDE, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_way_to_what_is_there() {
        let inside = (80..900, 0..500);
        let first = place_of_name(100, 100, 50, &[], &inside);
        assert_eq!(first, [110, 92, 160, 108]);
        assert_ne!(place_of_name(100, 100, 50, &[first], &inside), first);
        // Not over the edge on the right; on the left stand the labels of the axis.
        assert!(place_of_name(890, 100, 50, &[], &inside)[2] <= 900);
        assert!(place_of_name(90, 100, 50, &[first], &inside)[0] >= 80);
    }
}

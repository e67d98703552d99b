//! How wide a text is, for places where nothing may overlap.

/// Widths of the characters from space to `~` in DejaVu Sans, in thousandths of the font size.
///
/// It is the font of PNGs, and one of the widest that stand for `sans-serif`: elsewhere a text takes less.
const DEJAVU_SANS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
    500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
/// Of most other characters; Chinese and Japanese ones take a whole square.
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

/// `text`, cut with an ellipsis where it is wider than `most` pixels.
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

/// `text`, its middle left out where it is wider than `most` pixels: names that begin alike often end with a number.
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

/// The number of the first of `sizes`, from the largest to the smallest, in which `text` has room; cut in the last one where
/// it has room in none.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_its_place() {
        // 4 x 636 + 318 thousandths of 10 pixels
        assert!((width("1234 ", 10.0) - 28.62).abs() < 1e-9);
        assert_eq!(cut("1234", 10.0, 25.44), "1234");
        assert_eq!(cut("123456789", 10.0, 36.0), "1234…");
        assert!(width(&cut("one app per node", 12.0, 60.0), 12.0) <= 60.0);
    }

    #[test]
    fn what_is_cut_in_the_middle_keeps_its_beginning_and_its_end() {
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
}

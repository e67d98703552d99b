//! Errors for the eye: signed percentages and bars to both sides of zero.

use anstyle::AnsiColor;

use crate::view::Style;

/// Cells on each side of zero.
const SIDE: usize = 8;
/// Up to here an error is small, in the colour of success; up to twice as much it is a warning.
const SMALL: f64 = 0.05;

/// `+1.7 %`; `-` where there is none.
pub(crate) fn signed(error: Option<f64>) -> String {
    let Some(error) = error.filter(|error| error.is_finite()) else { return "-".to_owned() };
    let text = format!("{:+.1} %", 100.0 * error);
    if text == "-0.0 %" || text == "+0.0 %" { "0.0 %".to_owned() } else { text }
}

/// `1.7 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `text` in a colour that tells how large the error is.
pub(in crate::view) fn judged(error: Option<f64>, text: &str, style: &Style) -> String {
    let colour = match error.map(f64::abs) {
        None => return text.to_owned(),
        Some(error) if error <= SMALL => AnsiColor::Green,
        Some(error) if error <= 2.0 * SMALL => AnsiColor::Yellow,
        Some(_) => AnsiColor::Red,
    };
    style.painted(anstyle::Style::new().fg_color(Some(colour.into())), text)
}

/// What a full bar stands for: a round figure that holds the worst error.
pub(crate) fn scale(worst: f64) -> f64 {
    const ROUND: [f64; 6] = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0];
    ROUND.into_iter().find(|&scale| worst <= scale).unwrap_or(5.0)
}

/// The header above the bars: `-5 %    0    +5 %`.
pub(super) fn header(scale: f64) -> String {
    let end = format!("{:.0} %", 100.0 * scale);
    format!("{:<SIDE$}0{:>SIDE$}", format!("-{end}"), format!("+{end}"))
}

/// Columns that a bar takes.
pub(super) const WIDTH: usize = 2 * SIDE + 1;

/// A bar to the left of zero where the model promises too little, to the right where it promises too much.
pub(super) fn bar(error: Option<f64>, scale: f64, style: &Style) -> String {
    let Some(error) = error.filter(|error| error.is_finite()) else { return String::new() };
    if style.markdown {
        return String::new();
    }
    let (zero, shade) = if style.unicode { ("│", "█") } else { ("|", "#") };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to SIDE")]
    let cells = ((error.abs() / scale).min(1.0) * SIDE as f64).round() as usize;
    let drawn = judged(Some(error), &shade.repeat(cells), style);
    if error < 0.0 {
        format!("{}{drawn}{}", " ".repeat(SIDE - cells), style.faint(zero))
    } else {
        format!("{}{}{drawn}", " ".repeat(SIDE), style.faint(zero))
    }
}

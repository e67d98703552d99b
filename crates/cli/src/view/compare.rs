//! Several scenarios side by side.

use numasim_draw::grid::{Align, Grid};

use super::{Style, figures};

/// What each scenario is worth in `unit` (total GFLOPS), the factor to the best one, and a bar. The best stands out.
pub(crate) fn compare(totals: &[(&str, f64)], unit: &str, style: &Style) -> String {
    const BAR: usize = 30;
    let best = totals.iter().map(|&(_, total)| total).fold(0.0, f64::max);
    let figures = figures::column(&totals.iter().map(|&(_, total)| total).collect::<Vec<_>>());
    let mut grid = Grid::new(&[
        ("scenario", Align::Left),
        (unit, Align::Right),
        ("of best", Align::Right),
        ("", Align::Left),
    ]);
    for (&(name, total), figure) in totals.iter().zip(figures) {
        let factor = if best > 0.0 { total / best } else { 1.0 };
        let is_best = total >= best * (1.0 - 1e-12);
        let emphasis = |text: &str| if is_best { style.strong(text) } else { text.to_owned() };
        let shade = if style.unicode { "█" } else { "#" };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to BAR")]
        let cells = (factor * BAR as f64).round() as usize;
        grid.row(vec![
            emphasis(name),
            emphasis(&figure),
            emphasis(&format!("{factor:.3}")),
            if style.markdown { String::new() } else { shade.repeat(cells) },
        ]);
    }
    grid.render(style)
}

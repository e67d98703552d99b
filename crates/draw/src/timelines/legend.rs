//! What the colours and lines mean.

use super::super::canvas::Canvas;
use super::super::ink::{Font, SMALL, Stroke};
use super::super::legend::{self, LEGEND, name};
use super::super::palette::{FAINT_LINE, FAINT_TEXT, PAPER, TEXT, ground_colour, line_colour};
use super::super::place::Place;
use super::super::style::HEADING;
use super::{DASHES, MOST_APPS, TimelinePlot};

/// What stands behind the names of the applications.
const SIGNS: [Sign; 6] = [Sign::Unused, Sign::Idle, Sign::Blocked, Sign::Order, Sign::Solid, Sign::Dashed];
const THICK_AND_THIN: &str = "items: thick is the mean, thin the most";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Unused,
    Idle,
    Blocked,
    Order,
    Solid,
    Dashed,
}

impl Sign {
    fn words(self, plot: &TimelinePlot) -> String {
        match self {
            Self::Unused => format!("{} not used", plot.resource_label),
            Self::Idle => "threads without a task".to_owned(),
            Self::Blocked => "threads blocked".to_owned(),
            Self::Order => "an order to the threads below".to_owned(),
            Self::Solid => plot.measured.name.clone(),
            Self::Dashed => plot.simulated.name.clone(),
        }
    }
}

/// All texts, in their order.
fn texts(plot: &TimelinePlot) -> Vec<String> {
    let names = plot.names.iter().take(MOST_APPS).cloned();
    let mut texts: Vec<String> = names.chain(SIGNS.map(|sign| sign.words(plot))).collect();
    texts.extend(plot.has_items().then(|| THICK_AND_THIN.to_owned()));
    texts
}

/// The rows that they take.
pub(super) fn rows(plot: &TimelinePlot, width: f64) -> Vec<Vec<(usize, f64)>> {
    let texts = texts(plot);
    legend::rows(texts.iter().map(String::as_str), width)
}

pub(super) fn draw(canvas: &mut Canvas, plot: &TimelinePlot, rows: &[Vec<(usize, f64)>]) {
    let texts = texts(plot);
    let apps = plot.names.len().min(MOST_APPS);
    for (row, entries) in rows.iter().enumerate() {
        let y = f64::from(HEADING) + 2.0 + LEGEND * row as f64;
        for &(i, x) in entries {
            let Some(text) = texts.get(i) else { continue };
            let patch = Place::new(x, y - 6.0, 18.0, 12.0);
            let middle = x + 9.0;
            match i.checked_sub(apps).map(|sign| SIGNS.get(sign)) {
                None => canvas.rect(patch, 0.0, Some(line_colour(i)), None),
                Some(Some(Sign::Unused)) => canvas.rect(patch, 0.0, Some(FAINT_LINE), None),
                Some(Some(Sign::Idle)) => {
                    canvas.rect(patch, 0.0, Some(PAPER), Some(Stroke::new(FAINT_TEXT, 0.7)));
                }
                Some(Some(Sign::Blocked)) => canvas.rect(patch, 0.0, Some(ground_colour(0)), None),
                Some(Some(Sign::Order)) => {
                    canvas.line((middle, y - 3.0), (middle, y + 4.0), Stroke::new(TEXT, 1.0));
                }
                Some(Some(Sign::Solid)) => canvas.line((x, y), (x + 18.0, y), Stroke::new(TEXT, 1.6)),
                Some(Some(Sign::Dashed)) => {
                    let stroke = Stroke { dashes: DASHES, ..Stroke::new(TEXT, 1.6) };
                    canvas.line((x, y), (x + 18.0, y), stroke);
                }
                // Words without a sign.
                Some(None) => {
                    canvas.text(x + 24.0, y, &name(text), Font::new(SMALL).colour(FAINT_TEXT));
                    continue;
                }
            }
            canvas.text(x + 24.0, y, &name(text), Font::new(SMALL));
        }
    }
}

//! The presentation of a finished plot: on light or dark paper, and its size.

use crate::canvas::SMALL;
use crate::palette::{BADGE_EDGES, Colour, DARK, FAINT_LINE, FAINT_TEXT, FULL, PAPER, TEXT};

/// The paper of a plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white paper.
    #[default]
    Light,
    /// Light ink on dark paper.
    Dark,
    /// According to the reader's browser or system. Programs that ignore the style sheet in the file show the light plot.
    Auto,
}

/// Pixels of CSS in a point.
const PIXELS_PER_POINT: f64 = 96.0 / 72.0;

/// The plot in a theme.
pub fn in_theme(svg: &str, theme: Theme) -> String {
    match theme {
        Theme::Light => svg.to_owned(),
        Theme::Dark => svg.split_inclusive('>').map(darkened).collect(),
        Theme::Auto => {
            let style = format!("<style>{}</style>\n", in_the_dark(&dark_rules()));
            svg.replacen("<title>", &(style + "<title>"), 1)
        }
    }
}

/// An element of the plot in the colours of dark paper. Areas with letters in them keep their colour: the colour of the letters was chosen
/// for it.
fn darkened(element: &str) -> String {
    let is_badge =
        BADGE_EDGES.iter().any(|edge| both_cases("stroke", *edge).iter().any(|of| element.contains(of)));
    DARK.iter()
        .fold(element.to_owned(), |element, (light, dark)| {
            // The mark prevents a second replacement.
            let in_place_of = |element: &str, attribute: &str| {
                let dark = format!("{attribute}=\"\u{0}{}\"", dark.hex().to_ascii_lowercase());
                both_cases(attribute, *light)
                    .iter()
                    .fold(element.to_owned(), |element, of| element.replace(of, &dark))
            };
            let element = if is_badge { element } else { in_place_of(&element, "fill") };
            in_place_of(&element, "stroke")
        })
        .replace('\u{0}', "")
}

/// An attribute with a colour, in the notation of our plots and of hand-written drawings.
fn both_cases(attribute: &str, colour: Colour) -> [String; 2] {
    [colour.hex(), colour.hex().to_ascii_lowercase()].map(|colour| format!("{attribute}=\"{colour}\""))
}

/// Rules for a reader who prefers dark paper.
fn in_the_dark(rules: &str) -> String {
    format!("@media (prefers-color-scheme: dark) {{\n{rules}}}")
}

/// A style sheet for a page that shows plots: its own colours `--paper`, `--ink`, `--faint`, `--line` and `--full`, on light and on dark paper,
/// and the dark colours of the plots.
pub fn page_style() -> String {
    let own = [(PAPER, "paper"), (TEXT, "ink"), (FAINT_TEXT, "faint"), (FAINT_LINE, "line"), (FULL, "full")];
    let dark = |light: Colour| DARK.iter().find(|(own, _)| *own == light).map_or(light, |(_, dark)| *dark);
    let root = |of: &dyn Fn(Colour) -> Colour| {
        let set = own.map(|(colour, name)| format!(" --{name}: {};", of(colour).hex()));
        format!(":root {{{} }}\n", set.concat())
    };
    root(&|light| light) + &in_the_dark(&(root(&dark) + &dark_rules()))
}

/// The same as rules of CSS.
fn dark_rules() -> String {
    let not_badge = BADGE_EDGES.map(|edge| format!(":not([stroke=\"{}\"])", edge.hex())).concat();
    let rules = DARK.iter().map(|(light, dark)| {
        let (light, dark) = (light.hex(), dark.hex());
        format!("[fill=\"{light}\"]{not_badge}{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}\n")
    });
    rules.collect()
}

/// The plot at this width, in pixels; its height, lines and letters change in the same proportion.
pub fn of_width(svg: &str, pixels: f64) -> String {
    match size(svg) {
        Some(width) if width > 0.0 => scaled(svg, pixels / width),
        _ => svg.to_owned(),
    }
}

/// The plot scaled so that its labels have this size in points.
pub fn of_font_size(svg: &str, points: f64) -> String {
    scaled(svg, points * PIXELS_PER_POINT / SMALL)
}

/// The width of the whole picture in pixels.
fn size(svg: &str) -> Option<f64> {
    number(svg.split_once('>')?.0, " width=\"").map(|(_, value)| value)
}

/// The text and the value of an attribute.
fn number<'a>(tag: &'a str, before: &str) -> Option<(&'a str, f64)> {
    let text = tag.split_once(before)?.1.split_once('"')?.0;
    text.parse().ok().map(|value| (text, value))
}

fn scaled(svg: &str, factor: f64) -> String {
    let Some((tag, rest)) = svg.split_once('>') else { return svg.to_owned() };
    let resized = [" width=\"", " height=\""].into_iter().fold(tag.to_owned(), |tag, before| {
        match number(&tag, before) {
            Some((text, value)) => {
                tag.replacen(&format!("{before}{text}\""), &format!("{before}{:.0}\"", value * factor), 1)
            }
            None => tag.clone(),
        }
    });
    format!("{resized}>{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: &str = "<svg height=\"100\" viewBox=\"0 0 900 100\" width=\"900\">\n<title>t</title>\
                        <rect fill=\"#FFFFFF\" height=\"100\"/><circle fill=\"#0072B2\" stroke=\"#3C3C3C\"/>\
                        <path fill=\"none\" stroke=\"#0072B2\"/></svg>";

    #[test]
    fn dark_paper_changes_ink_and_lines_but_not_areas_with_letters() {
        let dark = in_theme(PLOT, Theme::Dark);
        assert!(dark.contains("<rect fill=\"#0d1117\""), "{dark}");
        assert!(dark.contains("<circle fill=\"#0072B2\"") && dark.contains("stroke=\"#58a9e0\""), "{dark}");
    }

    #[test]
    fn the_auto_theme_is_a_style_sheet_over_the_light_plot() {
        let auto = in_theme(PLOT, Theme::Auto);
        assert!(
            auto.contains("prefers-color-scheme: dark") && auto.contains("<rect fill=\"#FFFFFF\""),
            "{auto}"
        );
        assert_eq!(in_theme(PLOT, Theme::Light), PLOT);
    }

    #[test]
    fn a_page_has_the_paper_and_ink_of_its_plots() {
        let style = page_style();
        let (light, dark) = style.split_once("@media (prefers-color-scheme: dark)").expect("both papers");
        assert!(light.contains("--paper: #FFFFFF;") && light.contains("--full: #BE3C00;"), "{light}");
        assert!(dark.contains("--paper: #0D1117;") && dark.contains("--full: #FF9D73;"), "{dark}");
        assert!(dark.contains("[fill=\"#FFFFFF\"]") && dark.contains("{fill:#0D1117}"), "{dark}");
    }

    #[test]
    fn width_and_size_of_letters_scale_the_whole_plot() {
        assert!(
            of_width(PLOT, 450.0).starts_with("<svg height=\"50\" viewBox=\"0 0 900 100\" width=\"450\">")
        );
        // Labels of 11.3 pixels; 8 points are 10.67 pixels: 900 x 10.67 / 11.3 = 849.6.
        assert!(
            of_font_size(PLOT, 8.0).starts_with("<svg height=\"94\" viewBox=\"0 0 900 100\" width=\"850\">")
        );
    }
}

//! The colours of all plots, and plots in the colours of a page.

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl Colour {
    /// `#RRGGBB`
    pub(super) fn hex(self) -> String {
        format!("#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// The background.
pub(super) const PAPER: Colour = Colour(255, 255, 255);
/// Text on dark colours; not the white of the background, which follows the theme of a page.
pub(super) const LIGHT_TEXT: Colour = Colour(252, 252, 252);
/// The same on light colours.
pub(super) const DARK_TEXT: Colour = Colour(10, 10, 10);
pub(super) const TEXT: Colour = Colour(30, 30, 30);
pub(super) const FAINT_TEXT: Colour = Colour(95, 95, 95);
pub(super) const FAINT_LINE: Colour = Colour(225, 225, 225);
/// The band on both sides of equality.
pub(super) const BAND: Colour = Colour(205, 225, 238);
/// The colour of cells without a result.
pub(super) const NO_RESULT: Colour = Colour(205, 205, 205);

/// The palette of Okabe and Ito, distinct for colour-blind readers; its yellow is too light for lines.
const LINES: [Colour; 7] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(0, 0, 0),
];

/// The colour of the i-th line.
pub(super) fn line_colour(i: usize) -> Colour {
    LINES[i % LINES.len()]
}

/// Null models: greys, so that models are more prominent.
pub(super) const NULL_MODELS: [Colour; 3] =
    [Colour(110, 110, 110), Colour(140, 140, 140), Colour(165, 165, 165)];

/// The colours of applications, the same in plots, reports and terminals, each with the nearest of the 256 terminal colours that is
/// readable on black and on white. They are distinct for colour-blind readers (Okabe and Ito; Tol), and neighbours differ in lightness, so
/// that they also differ in print. None of them is the colour of a link or of a full resource.
const APPS: [(Colour, u8); 8] = [
    (Colour(0, 114, 178), 32),
    (Colour(230, 159, 0), 214),
    (Colour(0, 158, 115), 36),
    (Colour(226, 206, 46), 227),
    (Colour(170, 68, 153), 133),
    (Colour(86, 180, 233), 117),
    (Colour(110, 110, 110), 245),
    (Colour(153, 153, 51), 142),
];

/// Links, and bandwidth read over them.
pub(super) const LINK: Colour = Colour(84, 96, 112);
/// Resources at their limit.
pub(super) const FULL: Colour = Colour(190, 60, 0);

/// The colour of the i-th application.
pub(super) fn fill_colour(i: usize) -> Colour {
    APPS[i % APPS.len()].0
}

/// The number of the application's colour among the 256 of a terminal.
pub fn terminal_colour_of(app: usize) -> u8 {
    APPS[app % APPS.len()].1
}

/// The colour on dark paper for each colour of the light theme; a colour that is missing here is visible on both.
pub(super) const DARK: [(Colour, Colour); 27] = [
    // Paper and ink.
    (PAPER, Colour(13, 17, 23)),
    (TEXT, Colour(230, 237, 243)),
    (Colour(0, 0, 0), Colour(230, 237, 243)),
    (FAINT_TEXT, Colour(157, 167, 177)),
    // Faint lines and borders.
    (FAINT_LINE, Colour(43, 50, 59)),
    (Colour(214, 214, 214), Colour(58, 63, 70)),
    (Colour(120, 120, 120), Colour(139, 148, 158)),
    (Colour(60, 60, 60), Colour(139, 148, 158)),
    (Colour(165, 165, 165), Colour(91, 100, 110)),
    (NO_RESULT, Colour(65, 70, 77)),
    // Areas behind other elements.
    (Colour(238, 245, 250), Colour(20, 32, 43)),
    (Colour(115, 178, 214), Colour(62, 110, 142)),
    (BAND, Colour(44, 66, 83)),
    (Colour(226, 230, 235), Colour(38, 46, 56)),
    (GROUNDS[0], Colour(92, 42, 38)),
    (GROUNDS[1], Colour(67, 51, 92)),
    (GROUNDS[2], Colour(87, 70, 27)),
    (GROUNDS[3], Colour(74, 64, 50)),
    (GROUNDS[4], Colour(34, 64, 94)),
    (GROUNDS[5], Colour(64, 69, 75)),
    (GROUNDS[6], Colour(42, 46, 51)),
    // Colours that are too dark to be visible.
    (LINK, Colour(169, 180, 194)),
    (FULL, Colour(255, 157, 115)),
    (Colour(0, 114, 178), Colour(88, 169, 224)),
    (Colour(170, 68, 153), Colour(221, 130, 205)),
    (Colour(110, 110, 110), Colour(150, 150, 150)),
    (Colour(125, 125, 125), Colour(139, 139, 139)),
];

/// Borders of areas that contain letters: both keep their colours on dark paper.
pub(super) const BADGE_EDGES: [Colour; 2] = [DARK_TEXT, Colour(60, 60, 60)];

/// The colours behind data, pale on light paper; a page may have others ([`themed`]).
pub(super) const GROUNDS: [Colour; 7] = [
    Colour(250, 209, 203),
    Colour(226, 213, 240),
    Colour(250, 232, 190),
    Colour(233, 221, 203),
    Colour(208, 227, 246),
    Colour(224, 225, 226),
    Colour(241, 242, 243),
];

/// The ground of the i-th reason.
pub(super) fn ground_colour(i: usize) -> Colour {
    GROUNDS[i % GROUNDS.len()]
}

/// Black or white, whichever is easier to read on `ground`.
pub(super) fn text_on(ground: Colour) -> Colour {
    let linear = |part: u8| (f64::from(part) / 255.0).powf(2.2);
    let light = 0.2126 * linear(ground.0) + 0.7152 * linear(ground.1) + 0.0722 * linear(ground.2);
    // The point at which both have the same contrast (WCAG 2: lightness + 0.05).
    if light > 0.179 { DARK_TEXT } else { LIGHT_TEXT }
}

/// The map viridis, perceptually uniform in colour and in greyscale, at every eighth.
const VIRIDIS: [(u8, u8, u8); 9] = [
    (68, 1, 84),
    (71, 45, 123),
    (59, 82, 139),
    (44, 114, 142),
    (33, 145, 140),
    (40, 174, 128),
    (94, 201, 98),
    (173, 220, 48),
    (253, 231, 37),
];

/// The colour of a share from 0 to 1.
pub(super) fn heat_colour(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8")]
    let below = (at.floor() as usize).min(VIRIDIS.len() - 2);
    let part = at - below as f64;
    let ((r0, g0, b0), (r1, g1, b1)) = (VIRIDIS[below], VIRIDIS[below + 1]);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
    let between = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    Colour(between(r0, r1), between(g0, g1), between(b0, b1))
}

/// The same plot with the colours of its background, text and faint lines as CSS variables of the page that it is
/// embedded in: `--plot-paper`, `--plot-text`, `--plot-faint-text`, `--plot-faint-line`,
/// `--plot-no-result`, `--plot-band`, `--plot-ground-0` to `--plot-ground-6`.
pub fn themed(svg: &str) -> String {
    let colours = [
        (PAPER, "paper"),
        (TEXT, "text"),
        (FAINT_TEXT, "faint-text"),
        (FAINT_LINE, "faint-line"),
        (NO_RESULT, "no-result"),
        (BAND, "band"),
    ];
    let named = colours.into_iter().map(|(colour, name)| (colour, name.to_owned()));
    let grounds = GROUNDS.into_iter().enumerate().map(|(i, colour)| (colour, format!("ground-{i}")));
    named.chain(grounds).fold(svg.to_owned(), |svg, (colour, name)| {
        let colour = colour.hex();
        svg.replace(&format!("\"{colour}\""), &format!("\"var(--plot-{name}, {colour})\""))
    })
}

/// The colour of the application with this number, in CSS syntax.
pub fn colour_of(app: usize) -> String {
    fill_colour(app).hex()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bars::{BarPlot, Pair};
    use crate::canvas::Heading;

    #[test]
    fn the_colour_map_starts_and_ends_like_viridis() {
        assert_eq!([heat_colour(0.0), heat_colour(1.0)], [Colour(68, 1, 84), Colour(253, 231, 37)]);
        assert_eq!(heat_colour(0.0625), Colour(70, 23, 104));
    }

    #[test]
    fn adjacent_applications_differ_in_grey_and_from_links_and_full_resources() {
        // Luma of Rec. 709, 0 to 255; the last one is the neighbour of the first.
        let grey = |c: Colour| 0.2126 * f64::from(c.0) + 0.7152 * f64::from(c.1) + 0.0722 * f64::from(c.2);
        for i in 0..APPS.len() {
            let (one, next) = (fill_colour(i), fill_colour(i + 1));
            assert!((grey(one) - grey(next)).abs() > 20.0, "{one:?} and {next:?}");
            assert!(one != LINK && one != FULL);
        }
    }

    #[test]
    fn paper_and_ink_follow_the_page_and_colours_of_data_do_not() {
        let pair = Pair {
            name: "even".to_owned(),
            model: 1.0,
            measured: 1.0,
            model_interval: None,
            range: None,
            error_percent: Some(0.0),
        };
        let plot = BarPlot { heading: Heading::default(), label: "GFLOPS".to_owned(), pairs: vec![pair] };
        let themed = themed(&plot.svg());
        assert!(themed.contains("fill=\"var(--plot-paper, #FFFFFF)\"") && !themed.contains("\"#1E1E1E\""));
        assert!(themed.contains("\"#0072B2\""));
    }
}

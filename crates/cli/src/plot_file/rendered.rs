//! From SVG to PNG and PDF, with the font DejaVu Sans that is part of the program: the same pictures on every machine.

use std::error::Error;

use usvg::{Options, Tree};

/// The SVG, with fonts for its text.
fn tree(svg: &str) -> Result<Tree, Box<dyn Error>> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    Ok(Tree::from_str(svg, &options)?)
}

/// The PNG of one of our SVGs.
///
/// # Errors
/// An SVG that cannot be read, or one without a size: faults of this program.
#[cfg(feature = "png")]
pub(super) fn png(svg: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    use resvg::tiny_skia::{Pixmap, Transform};
    /// Number of PNG pixels per SVG pixel: sharp on paper and on dense screens.
    const SCALE: f32 = 2.0;
    let tree = tree(svg)?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("a plot of no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("a plot of no size")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}

/// The PDF of one of our SVGs: one page with the same shapes as vectors, and text as text, with the necessary part of the font. The same
/// SVG yields the same bytes.
///
/// # Errors
/// An SVG that cannot be read: a fault of this program.
#[cfg(feature = "pdf")]
pub(super) fn pdf(svg: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    use svg2pdf::{ConversionOptions, PageOptions};
    /// Pixels per inch, as defined by CSS: a plot of 900 pixels is 9.4 inches wide.
    const DPI: f32 = 96.0;
    // Its error does not implement the trait of the standard library.
    svg2pdf::to_pdf(&tree(svg)?, ConversionOptions::default(), PageOptions { dpi: DPI })
        .map_err(|error| error.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dark pixels of a picture that contains only this text.
    #[cfg(feature = "png")]
    fn dark(text: &str) -> usize {
        let svg = format!(
            "<svg width=\"60\" height=\"30\" xmlns=\"http://www.w3.org/2000/svg\"><text x=\"5\" y=\"20\" \
             font-family=\"sans-serif\" font-size=\"20\">{text}</text></svg>"
        );
        let png = png(&svg).expect("rendered");
        let pixels = resvg::tiny_skia::Pixmap::decode_png(&png).expect("a PNG");
        assert_eq!((pixels.width(), pixels.height()), (120, 60));
        pixels.pixels().iter().filter(|pixel| pixel.alpha() > 128).count()
    }

    #[cfg(feature = "png")]
    #[test]
    fn text_is_there_without_any_font_of_the_system() {
        assert_eq!(dark(""), 0);
        assert!(dark("M") > 100);
        assert!(dark("MMM") > 2 * dark("M"));
    }

    #[cfg(feature = "pdf")]
    fn page(text: &str) -> Vec<u8> {
        pdf(&format!(
            "<svg width=\"960\" height=\"480\" xmlns=\"http://www.w3.org/2000/svg\"><text x=\"5\" y=\"20\" \
             font-family=\"sans-serif\" font-size=\"20\">{text}</text></svg>"
        ))
        .expect("converted")
    }

    #[cfg(feature = "pdf")]
    fn has(pdf: &[u8], words: &str) -> bool {
        pdf.windows(words.len()).any(|part| part == words.as_bytes())
    }

    #[cfg(feature = "pdf")]
    #[test]
    fn a_plot_is_one_page_of_its_size_and_text_stays_text_with_its_font() {
        let pdf = page("GB/s");
        assert!(pdf.starts_with(b"%PDF-1.") && pdf.ends_with(b"%%EOF"));
        // 960 x 480 pixels are 10 x 5 inches, 720 x 360 points.
        assert!(has(&pdf, "/MediaBox [0 0 720 360]") && has(&pdf, "/Count 1\n"));
        assert!(has(&pdf, "DejaVuSans") && has(&pdf, "/ToUnicode"), "text that can be searched");
        assert!(!has(&page(""), "/ToUnicode"));
        assert!(pdf.len() < 20_000, "{} bytes: the letters of the font that are needed, not all", pdf.len());
        assert_eq!(pdf, page("GB/s"));
    }
}

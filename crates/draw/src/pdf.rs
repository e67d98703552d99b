//! From SVG to PDF: one page with the same shapes as vectors, and text as text, with the part of the font DejaVu Sans that it needs.

use svg2pdf::usvg::{Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions};

use super::heading::DrawError;

/// Pixels of an inch, as CSS defines them: a plot of 900 pixels is 9.4 inches wide.
const DPI: f32 = 96.0;

/// The PDF of an SVG of ours. The same SVG gives the same bytes.
///
/// # Errors
/// An SVG that cannot be read: a fault of this program.
pub fn convert(svg: &str) -> Result<Vec<u8>, DrawError> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options)?;
    // Its error is none of the standard library.
    svg2pdf::to_pdf(&tree, ConversionOptions::default(), PageOptions { dpi: DPI })
        .map_err(|error| error.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Vec<u8> {
        convert(&format!(
            "<svg width=\"960\" height=\"480\" xmlns=\"http://www.w3.org/2000/svg\"><text x=\"5\" y=\"20\" \
             font-family=\"sans-serif\" font-size=\"20\">{text}</text></svg>"
        ))
        .expect("converted")
    }

    fn has(pdf: &[u8], words: &str) -> bool {
        pdf.windows(words.len()).any(|part| part == words.as_bytes())
    }

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

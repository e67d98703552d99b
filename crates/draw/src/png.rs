//! From SVG to PNG, with the font DejaVu Sans that is part of the program: the same picture on every machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::heading::DrawError;

/// Pixels of the PNG for one of the SVG: sharp on paper and on dense screens.
const SCALE: f32 = 2.0;

/// The PNG of an SVG of ours.
///
/// # Errors
/// An SVG that cannot be read, or one of no size: faults of this program.
pub fn render(svg: &str) -> Result<Vec<u8>, DrawError> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("a plot of no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("a plot of no size")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dark pixels of a picture that has nothing but this text.
    fn dark(text: &str) -> usize {
        let svg = format!(
            "<svg width=\"60\" height=\"30\" xmlns=\"http://www.w3.org/2000/svg\"><text x=\"5\" y=\"20\" \
             font-family=\"sans-serif\" font-size=\"20\">{text}</text></svg>"
        );
        let png = render(&svg).expect("rendered");
        let pixels = Pixmap::decode_png(&png).expect("a PNG");
        assert_eq!((pixels.width(), pixels.height()), (120, 60));
        pixels.pixels().iter().filter(|pixel| pixel.alpha() > 128).count()
    }

    #[test]
    fn text_is_there_without_any_font_of_the_system() {
        assert_eq!(dark(""), 0);
        assert!(dark("M") > 100);
        assert!(dark("MMM") > 2 * dark("M"));
    }
}

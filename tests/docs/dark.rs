//! Pictures of the README: each exists twice, for light and for dark pages, and both must match the output of their
//! command.

use std::fs;
use std::path::Path;

use numasim_draw::look::{Theme, in_theme};

/// Colours of pictures that no plot draws, and their replacements on dark pages.
const OTHERS: [(&str, &str); 3] = [("#1f2328", "#e6edf3"), ("#6e7781", "#8b949e"), ("#c1272d", "#ff7b72")];

/// The same picture for a dark page.
pub(crate) fn dark(svg: &str) -> String {
    let svg = OTHERS.iter().fold(svg.to_owned(), |svg, (light, dark)| svg.replace(light, dark));
    in_theme(&svg, Theme::Dark)
}

/// Compares `docs/NAME.svg` and `docs/NAME-dark.svg` with the new drawing; with `UPDATE_README` set writes both first.
/// `comparable`: the part of a picture that must be equal. `test`: the test that writes them.
pub(crate) fn keep(name: &str, drawn: &str, comparable: fn(&str) -> Vec<&str>, test: &str) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (file, drawn) in
        [(format!("{name}.svg"), drawn.to_owned()), (format!("{name}-dark.svg"), dark(drawn))]
    {
        let path = docs.join(&file);
        if std::env::var_os("UPDATE_README").is_some() {
            fs::write(&path, &drawn).expect("writable");
        }
        let kept = fs::read_to_string(path).expect("the picture is there");
        assert!(
            comparable(&kept) == comparable(&drawn),
            "docs/{file} is out of date: UPDATE_README=1 cargo test --release --test program {test}"
        );
    }
}

/// Lightness as WCAG 2 has it.
fn lightness(colour: &str) -> f64 {
    let part = |at: usize| {
        let byte = u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits");
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn text_can_be_read_on_dark_pages() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for name in ["concepts", "explore", "run", "static-work", "threads", "trade-off", "vms", "what-if"] {
        let svg = fs::read_to_string(docs.join(format!("{name}-dark.svg"))).expect("the picture is there");
        let paper = lightness("#0d1117");
        for tag in svg.split("<text").skip(1).filter_map(|rest| rest.split('>').next()) {
            let colour = tag.split(" fill=\"").nth(1).and_then(|rest| rest.get(..7)).expect("a colour");
            let colour = colour.to_ascii_lowercase();
            // Letters in a circle or square with a background colour.
            if ["#0a0a0a", "#fcfcfc"].contains(&colour.as_str()) {
                continue;
            }
            let contrast = (lightness(&colour) + 0.05) / (paper + 0.05);
            assert!(contrast >= 4.5, "{name}: {colour} has a contrast of {contrast:.1}");
        }
    }
}

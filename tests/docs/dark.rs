//! Pictures of the README: each is kept twice, for light and for dark pages, and both must be what its command draws.

use std::fs;
use std::path::Path;

/// A colour on light pages, and what stands for it on dark ones.
const COLOURS: [(&str, &str); 20] = [
    // paper and ink
    ("#ffffff", "#0d1117"),
    ("#1e1e1e", "#e6edf3"),
    ("#1f2328", "#e6edf3"),
    ("#000000", "#e6edf3"),
    ("#5f5f5f", "#9da7b1"),
    ("#6e7781", "#8b949e"),
    // faint lines and borders
    ("#e1e1e1", "#2b323b"),
    ("#d6d6d6", "#3a3f46"),
    ("#787878", "#8b949e"),
    ("#3c3c3c", "#8b949e"),
    ("#a5a5a5", "#5b646e"),
    // areas behind other things
    ("#eef5fa", "#14202b"),
    ("#73b2d6", "#3e6e8e"),
    ("#cde1ee", "#2c4253"),
    ("#d6e8f4", "#1c3346"),
    ("#fad1cb", "#5c2a26"),
    // what is too dark to be read
    ("#0072b2", "#58a9e0"),
    ("#be3c00", "#ff9d73"),
    ("#c1272d", "#ff7b72"),
    ("#c2629a", "#d57fb0"),
];

/// Colours that can be seen on both.
const KEPT: [&str; 11] = [
    "#0a0a0a", "#fcfcfc", "#7d7d7d", "#56b4e9", "#d55e00", "#f0e442", "#e69f00", "#009e73", "#cc79a7",
    "#2f8fcf", "#d98e00",
];

/// The same picture for a dark page.
///
/// # Panics
/// A colour that is in neither list.
pub(crate) fn dark(svg: &str) -> String {
    svg.split_inclusive('>').map(recoloured).collect()
}

fn recoloured(element: &str) -> String {
    // Letters stand in it, and are chosen for its colour.
    let is_badge = ["#0a0a0a", "#3c3c3c"]
        .iter()
        .any(|edge| element.to_ascii_lowercase().contains(&format!("stroke=\"{edge}\"")));
    let mut text = String::with_capacity(element.len());
    let mut rest = element;
    while let Some(at) = rest.find("\"#") {
        let colour = rest[at + 1..at + 8].to_ascii_lowercase();
        text.push_str(&rest[..=at]);
        let other = COLOURS.iter().find(|(light, _)| *light == colour).map(|(_, dark)| *dark);
        let is_fill = rest[..at].ends_with("fill=");
        match other {
            Some(_) if is_badge && is_fill => text.push_str(&colour),
            Some(dark) => text.push_str(dark),
            None => {
                assert!(KEPT.contains(&colour.as_str()), "no colour for {colour} on dark pages: {element}");
                text.push_str(&colour);
            }
        }
        rest = &rest[at + 8..];
    }
    text + rest
}

/// Compares `docs/NAME.svg` and `docs/NAME-dark.svg` with what was drawn; with `UPDATE_README` set writes both first.
/// `comparable`: what of a picture must be the same. `test`: the test that writes them.
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
            // Letters in a circle or square of their own colour.
            if ["#0a0a0a", "#fcfcfc"].contains(&colour) {
                continue;
            }
            let contrast = (lightness(colour) + 0.05) / (paper + 0.05);
            assert!(contrast >= 4.5, "{name}: {colour} has a contrast of {contrast:.1}");
        }
    }
}

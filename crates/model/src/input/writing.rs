//! Pieces of input files for those who write some: `detect`, `calibrate`, `fit`, `import`.

use std::fmt::Write as _;

use crate::text::is_hidden;

/// What a comment says where `gflops_per_core` is not known: how to find it.
pub const PEAK: &str = "# GFLOPS: numasim calibrate, or clock in GHz x FLOP per cycle, or likwid-bench -t peakflops_avx_fma on one core";

/// A TOML basic string.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_hidden(c) => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back_as_it_was_written() {
        for text in ["plain", "a \"b\" \\ c", "two\nlines\u{7}", "ä → 八"] {
            let read: toml::Table = toml::from_str(&format!("x = {}", quoted(text))).expect("TOML");
            assert_eq!(read["x"].as_str(), Some(text));
        }
    }
}

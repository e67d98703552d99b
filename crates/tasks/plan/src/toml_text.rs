//! Numbers and strings as TOML has them.

use std::fmt::{self, Write as _};

/// A number as TOML has them, in the shortest form that reads back to the same value.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `Debug` writes 1e-7, and a point where there is no exponent.
        write!(f, "{:?}", self.0)
    }
}

/// Text inside of a string of TOML.
pub(crate) struct Escaped<'t>(pub(crate) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                hidden if hidden.is_control() => write!(f, "\\u{:04X}", u32::from(hidden))?,
                plain => f.write_char(plain)?,
            }
        }
        Ok(())
    }
}

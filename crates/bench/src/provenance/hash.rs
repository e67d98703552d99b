//! SHA-256 in the form that `sha256sum` prints.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The SHA-256 of bytes, 64 hexadecimal digits in lower case.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

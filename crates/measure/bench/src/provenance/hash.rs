//! SHA-256 in the form that `sha256sum` prints.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read};

use sha2::{Digest, Sha256};

/// The SHA-256 of bytes, 64 hexadecimal digits in lower case.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The same of all that `reader` has, which need not fit into memory.
///
/// # Errors
/// Those of `reader`.
pub fn sha256_of(mut reader: impl Read) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match reader.read(&mut block) {
            Ok(0) => return Ok(hexadecimal(&digest.finalize())),
            Ok(length) => digest.update(&block[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

//! What the page may do: nothing but run its own script. A name that would slip through the escaping still runs nothing.

use numasim_bench::provenance::sha256;

/// The content security policy of a page whose only script is `script`; with the `program` of the what-if page, which holds in its
/// frame, too: it compiles WebAssembly that is inside, and searches in a worker made of text that is inside.
pub(super) fn policy(script: &str, program: Option<&str>) -> String {
    let hash = |script: &str| format!("'sha256-{}'", base64(&bytes(&sha256(script.as_bytes()))));
    let (more, worker) = match program {
        None => (String::new(), ""),
        Some(program) => {
            (format!(" {} 'wasm-unsafe-eval' blob:", hash(program)), " worker-src blob:; img-src data:;")
        }
    };
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src {}{more};{worker} base-uri 'none'; form-action 'none'",
        hash(script)
    )
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = char::from(LETTERS[((bits >> (18 - 6 * i)) & 63) as usize]);
            text.push(if i <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYmFy"]);
    }

    #[test]
    fn the_hash_of_nothing_is_the_known_one() {
        // printf '' | openssl dgst -sha256 -binary | base64
        assert!(policy("", None).contains("'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"));
    }
}

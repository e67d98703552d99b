//! `bundle.toml`: the version of a bundle, and its files with their hashes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::provenance::sha256;
use serde::Deserialize;

use super::SCHEMA;
use super::error::BundleError;

/// Its name.
pub(super) const NAME: &str = "bundle.toml";

/// What it lists. Keys of a later version are passed over, as in a provenance; another schema is refused.
#[derive(Debug, Deserialize)]
pub(super) struct Listed {
    #[serde(default)]
    file: Vec<One>,
}

/// A file as it was packed.
#[derive(Debug, Deserialize)]
struct One {
    name: String,
    sha256: String,
}

/// The text for these files.
pub(super) fn write(files: &BTreeMap<&'static str, String>) -> String {
    let mut text = format!(
        "# Made by `numasim validate --bundle`: a calibrated machine, what was measured on it, and what the model says of it.\n\
         # `numasim report` reads the whole bundle.\n\
         schema = {SCHEMA}\nnumasim = \"{}\"\n",
        env!("CARGO_PKG_VERSION")
    );
    for (name, file) in files {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n[[file]]\nname = \"{name}\"\nbytes = {}\nsha256 = \"{}\"\n",
            file.len(),
            sha256(file.as_bytes())
        );
    }
    text
}

/// Reads it.
pub(super) fn read(text: &str) -> Result<Listed, BundleError> {
    /// The schema alone, so that another one is named before its keys are missed.
    #[derive(Deserialize)]
    struct Head {
        schema: i64,
    }
    let malformed = |error: toml::de::Error| BundleError::Manifest { why: error.message().to_owned() };
    let Head { schema } = toml::from_str(text).map_err(malformed)?;
    if schema != SCHEMA {
        return Err(BundleError::Schema(schema));
    }
    toml::from_str(text).map_err(malformed)
}

/// Whether these are the files that it lists, as they were packed.
pub(super) fn check(listed: &Listed, files: &BTreeMap<&'static str, String>) -> Result<(), BundleError> {
    if let Some(missing) = listed.file.iter().find(|one| !files.contains_key(one.name.as_str())) {
        return Err(BundleError::Missing { name: missing.name.clone() });
    }
    for (name, text) in files {
        let Some(one) = listed.file.iter().find(|one| one.name == *name) else {
            return Err(BundleError::Unlisted { name: (*name).to_owned() });
        };
        let is = sha256(text.as_bytes());
        if is != one.sha256 {
            return Err(BundleError::Changed { name: one.name.clone(), listed: one.sha256.clone(), is });
        }
    }
    Ok(())
}

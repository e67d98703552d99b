//! A bundle: what `numasim validate` found on a host, as one file to send to somebody else (`NAME.tar.zst`).
//!
//! # Format, version 1
//! An archive of POSIX (ustar), compressed as one frame of Zstandard, so that `tar --zstd -xf` unpacks it, too. Its first entry is
//! `bundle.toml`: the version, the numasim that wrote it, and each other file with its length and SHA-256. The files are those of
//! `FILES`, in the order of their names, all of them UTF-8 text, none in a folder. The same files give the same bytes: owner and time of every
//! entry are 0, its mode is 0644.
//!
//! # Reading
//! A bundle comes from somebody else. It is never unpacked on disk: [`Bundle::from_bytes`] keeps its files in memory, and takes nothing but
//! regular files with the names above, once each, together at most [`MOST_BYTES`] long, each as `bundle.toml` has it.
//!
//! # What is not in it
//! The name of the host and the folders of the person: [`private`] says what is taken out where.

mod error;
mod manifest;
mod pack;
pub mod private;
#[cfg(test)]
mod tests;
mod unpack;

use std::collections::BTreeMap;

use numasim_study::SourceFile;

pub use error::BundleError;

/// How names of bundles end; by it commands know one.
pub const ENDING: &str = ".tar.zst";
/// The schema that this version writes and reads.
const SCHEMA: i64 = 1;
/// Bytes of the archive before it is compressed, and of the compressed file.
pub const MOST_BYTES: usize = 256 << 20;

/// The calibrated machine.
pub const MACHINE: &str = "machine.toml";
/// Every round of the calibration.
pub const CALIBRATION: &str = "calibration.csv";
/// The scenarios that were asked for.
pub const SCENARIOS: &str = "scenarios.toml";
/// Every measurement.
pub const MEASURED: &str = "measured.csv";
/// How it was measured.
pub const PROVENANCE: &str = "measured.provenance.json";
/// What ran, and what the model was asked.
pub const STUDY: &str = "measured.study.toml";
/// Prediction beside measurement, for programs.
pub const COMPARISON_JSON: &str = "comparison.json";
/// Prediction beside measurement, for people.
pub const COMPARISON: &str = "comparison.txt";
/// The page.
pub const PAGE: &str = "report.html";
/// How it was made, and what each file is.
pub const README: &str = "README.md";

/// What the last-level cache does, for programs.
pub const CACHE: &str = "cache.json";
/// The scenarios that share the last-level cache.
pub const CACHE_SCENARIOS: &str = "cache.toml";
/// Every measurement of these, of each of the two runs.
pub const CACHE_MEASURED: [&str; 2] = ["cache-beyond.csv", "cache-inside.csv"];
/// How they were measured.
pub const CACHE_PROVENANCE: [&str; 2] = ["cache-beyond.provenance.json", "cache-inside.provenance.json"];
/// What ran of them.
pub const CACHE_STUDY: [&str; 2] = ["cache-beyond.study.toml", "cache-inside.study.toml"];

/// The files that a bundle may have, in the order of their names, and whether it is none without it.
const FILES: [(&str, bool); 18] = [
    (README, false),
    (CACHE_MEASURED[0], false),
    (CACHE_PROVENANCE[0], false),
    (CACHE_STUDY[0], false),
    (CACHE_MEASURED[1], false),
    (CACHE_PROVENANCE[1], false),
    (CACHE_STUDY[1], false),
    (CACHE, false),
    (CACHE_SCENARIOS, false),
    (CALIBRATION, false),
    (COMPARISON_JSON, false),
    (COMPARISON, false),
    (MACHINE, true),
    (MEASURED, true),
    (PROVENANCE, true),
    (STUDY, true),
    (PAGE, false),
    (SCENARIOS, false),
];

/// The files of a bundle, whole and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<&'static str, String>,
}

impl Bundle {
    /// A bundle of these files.
    ///
    /// # Errors
    /// A file that no bundle has, or one that every bundle has is missing.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, String)>) -> Result<Self, BundleError> {
        let mut bundle = Self { files: BTreeMap::new() };
        for (name, text) in files {
            bundle.insert(name, text)?;
        }
        bundle.is_whole()?;
        Ok(bundle)
    }

    /// Adds a file, or replaces it.
    ///
    /// # Errors
    /// A file that no bundle has.
    pub fn insert(&mut self, name: &str, text: String) -> Result<(), BundleError> {
        let known = known(name).ok_or_else(|| BundleError::Unknown { name: name.to_owned() })?;
        self.files.insert(known, text);
        Ok(())
    }

    /// Reads what [`Bundle::to_bytes`] wrote.
    ///
    /// # Errors
    /// Every variant of [`BundleError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BundleError> {
        let mut members = unpack::members(&unpack::archive(bytes)?)?;
        let listed = members.remove(manifest::NAME).ok_or(BundleError::NoManifest)?;
        let listed = manifest::read(&listed)?;
        let bundle = Self::of(members)?;
        manifest::check(&listed, &bundle.files)?;
        Ok(bundle)
    }

    /// As one file.
    ///
    /// # Errors
    /// [`BundleError::TooLarge`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, BundleError> {
        let manifest = manifest::write(&self.files);
        let rest = self.files.iter().map(|(name, text)| (*name, text.as_str()));
        pack::pack(std::iter::once((manifest::NAME, manifest.as_str())).chain(rest))
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// A file with the name that messages and pages show.
    pub fn source(&self, name: &str, shown: impl Into<String>) -> Option<SourceFile> {
        Some(SourceFile { name: shown.into(), text: self.text(name)?.to_owned() })
    }

    /// Its files, in the order of their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.files.keys().copied()
    }

    fn is_whole(&self) -> Result<(), BundleError> {
        match FILES.iter().find(|(name, needed)| *needed && !self.files.contains_key(name)) {
            Some((name, _)) => Err(BundleError::Missing { name: (*name).to_owned() }),
            None => Ok(()),
        }
    }
}

/// The name, if files of bundles have it.
fn known(name: &str) -> Option<&'static str> {
    FILES.iter().map(|(known, _)| *known).find(|known| *known == name)
}

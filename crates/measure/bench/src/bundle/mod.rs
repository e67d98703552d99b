//! A bundle: the results of `numasim validate` on a host, as one file to send to other people (`NAME.tar.zst`).
//!
//! # Format, version 1
//! The bundle is a POSIX archive (ustar), compressed as one frame of Zstandard, so that `tar --zstd -xf` also unpacks it. Its first entry
//! is `bundle.toml`: the version, the numasim that wrote it, and each other file with its length and SHA-256. The files are those of
//! `FILES`, in the order of their names, all of them UTF-8 text, none in a folder. The same files give the same bytes: owner and time of
//! every entry are 0, its mode is 0644.
//!
//! # Reading
//! A bundle comes from other people. It is never unpacked on disk: [`Bundle::from_bytes`] keeps its files in memory. It accepts only
//! regular files with the names above, once each, together at most [`MOST_BYTES`] long, each as listed in `bundle.toml`.
//!
//! # Omitted data
//! A bundle omits the name of the host and the folders of the person: [`private`] lists the data that is removed, and where.

pub mod private;
#[cfg(test)]
mod tests;
mod unpack;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io;

use numasim_study::SourceFile;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde::Deserialize;
use tar::{Builder, EntryType, Header};

use crate::provenance::sha256;

/// The suffix of bundle names, by which commands recognise one.
pub const ENDING: &str = ".tar.zst";
/// The schema that this version writes and reads.
const SCHEMA: i64 = 1;
/// Maximum size in bytes of the archive before compression, and of the compressed file.
pub const MOST_BYTES: usize = 256 << 20;

/// The calibrated machine.
pub const MACHINE: &str = "machine.toml";
/// Every round of the calibration.
pub const CALIBRATION: &str = "calibration.csv";
/// The requested scenarios.
pub const SCENARIOS: &str = "scenarios.toml";
/// Every measurement.
pub const MEASURED: &str = "measured.csv";
/// How the measurements were made.
pub const PROVENANCE: &str = "measured.provenance.json";
/// The scenarios that ran, as a question for the model.
pub const STUDY: &str = "measured.study.toml";
/// Predictions next to measurements, for programs.
pub const COMPARISON_JSON: &str = "comparison.json";
/// Predictions next to measurements, for people.
pub const COMPARISON: &str = "comparison.txt";
/// The report.
pub const PAGE: &str = "report.html";
/// A description of how it was made, and of each file.
pub const README: &str = "README.md";

/// The results for the last-level cache, for programs.
pub const CACHE: &str = "cache.json";
/// The scenarios that share the last-level cache.
pub const CACHE_SCENARIOS: &str = "cache.toml";
/// Every measurement of these, for each of the two runs.
pub const CACHE_MEASURED: [&str; 2] = ["cache-beyond.csv", "cache-inside.csv"];
/// How they were measured.
pub const CACHE_PROVENANCE: [&str; 2] = ["cache-beyond.provenance.json", "cache-inside.provenance.json"];
/// The scenarios of these that ran.
pub const CACHE_STUDY: [&str; 2] = ["cache-beyond.study.toml", "cache-inside.study.toml"];

/// The files that a bundle may contain, in the order of their names, and whether each is required.
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

/// The files of a bundle, complete and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<&'static str, String>,
}

impl Bundle {
    /// A bundle of these files.
    ///
    /// # Errors
    /// An unknown file, or a missing required file.
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
    /// An unknown file.
    pub fn insert(&mut self, name: &str, text: String) -> Result<(), BundleError> {
        let known = known(name).ok_or_else(|| BundleError::unknown(name))?;
        self.files.insert(known, text);
        Ok(())
    }

    /// Reads the output of [`Bundle::to_bytes`].
    ///
    /// # Errors
    /// Bytes that are not a bundle, damaged ones, and modified bundles.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BundleError> {
        let mut members = unpack::members(&unpack::archive(bytes)?)?;
        let listed = members
            .remove(MANIFEST)
            .ok_or_else(|| BundleError(format!("is no bundle: it has no {MANIFEST}")))?;
        let listed = read_manifest(&listed)?;
        let bundle = Self::of(members)?;
        check_manifest(&listed, &bundle.files)?;
        Ok(bundle)
    }

    /// Returns it as one file.
    ///
    /// # Errors
    /// The bundle exceeds the maximum size.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BundleError> {
        let manifest = write_manifest(&self.files);
        let rest = self.files.iter().map(|(name, text)| (*name, text.as_str()));
        pack(std::iter::once((MANIFEST, manifest.as_str())).chain(rest))
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// A file with the name to show in messages and reports.
    pub fn source(&self, name: &str, shown: impl Into<String>) -> Option<SourceFile> {
        Some(SourceFile { name: shown.into(), text: self.text(name)?.to_owned() })
    }

    /// Its files, in the order of their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.files.keys().copied()
    }

    fn is_whole(&self) -> Result<(), BundleError> {
        match FILES.iter().find(|(name, needed)| *needed && !self.files.contains_key(name)) {
            Some((name, _)) => Err(BundleError::missing(name)),
            None => Ok(()),
        }
    }
}

/// The name, if bundles may contain such a file.
fn known(name: &str) -> Option<&'static str> {
    FILES.iter().map(|(known, _)| *known).find(|known| *known == name)
}

/// An error in a bundle: the rest of a sentence that starts with its name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BundleError(String);

impl BundleError {
    fn archive(why: impl fmt::Display) -> Self {
        Self(format!("is no archive of tar: {why}"))
    }

    fn too_large() -> Self {
        Self(format!("is too large: its files have more than {} MiB", MOST_BYTES >> 20))
    }

    fn unknown(name: &str) -> Self {
        Self(format!("has the entry '{name}', which is none of the files of a bundle"))
    }

    /// A required file is missing.
    pub fn missing(name: &str) -> Self {
        Self(format!("is not whole: it has no {name}"))
    }
}

/// The files, in this order, as a compressed archive.
fn pack<'a>(mut files: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Vec<u8>, BundleError> {
    let mut archive = Builder::new(Vec::new());
    let written = files.try_for_each(|(name, text)| append(&mut archive, name, text));
    let archive = written.and_then(|()| archive.into_inner());
    // Writing to memory does not fail, and names of bundles are short.
    let archive = archive.map_err(BundleError::archive)?;
    if archive.len() > MOST_BYTES {
        return Err(BundleError::too_large());
    }
    Ok(compress_to_vec(archive.as_slice(), CompressionLevel::Fastest))
}

/// Only name and content are written: the entry is the same for every person and at any time.
fn append(archive: &mut Builder<Vec<u8>>, name: &str, text: &str) -> io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(text.len() as u64);
    archive.append_data(&mut header, name, text.as_bytes())
}

/// The name of the file that lists the others.
const MANIFEST: &str = "bundle.toml";

/// The contents of [`MANIFEST`]. Keys of a later version are ignored, as in a provenance; another schema is rejected.
#[derive(Debug, Deserialize)]
struct Listed {
    #[serde(default)]
    file: Vec<One>,
}

/// A file as it was packed.
#[derive(Debug, Deserialize)]
struct One {
    name: String,
    sha256: String,
}

/// Its text for these files.
fn write_manifest(files: &BTreeMap<&'static str, String>) -> String {
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

/// Reads the manifest.
fn read_manifest(text: &str) -> Result<Listed, BundleError> {
    /// Only the schema, so that a different one is reported before missing keys are.
    #[derive(Deserialize)]
    struct Head {
        schema: i64,
    }
    let malformed = |error: toml::de::Error| {
        BundleError(format!("has a {MANIFEST} that cannot be read: {}", error.message()))
    };
    let Head { schema } = toml::from_str(text).map_err(malformed)?;
    if schema != SCHEMA {
        return Err(BundleError(format!(
            "has the schema {schema}, but this version of numasim reads {SCHEMA}: use the version that wrote it"
        )));
    }
    toml::from_str(text).map_err(malformed)
}

/// Checks that these are the listed files, as they were packed.
fn check_manifest(listed: &Listed, files: &BTreeMap<&'static str, String>) -> Result<(), BundleError> {
    if let Some(missing) = listed.file.iter().find(|one| !files.contains_key(one.name.as_str())) {
        return Err(BundleError::missing(&missing.name));
    }
    for (name, text) in files {
        let Some(one) = listed.file.iter().find(|one| one.name == *name) else {
            return Err(BundleError(format!("was changed: {MANIFEST} does not list its entry '{name}'")));
        };
        let is = sha256(text.as_bytes());
        if is != one.sha256 {
            return Err(BundleError(format!(
                "is damaged or was changed: the SHA-256 of its entry '{name}' is {is}, not {}",
                one.sha256
            )));
        }
    }
    Ok(())
}

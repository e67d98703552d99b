//! Why a bundle cannot be read, or written.

use super::{MOST_BYTES, SCHEMA};

/// What is wrong with a bundle: the rest of a sentence that begins with its name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// Not of Zstandard, or damaged.
    #[error("cannot be decompressed: {why}")]
    Compression {
        /// What the decoder says.
        why: String,
    },
    /// Bytes after the end of the compressed archive.
    #[error("goes on after its end: {bytes} more bytes")]
    More {
        /// How many.
        bytes: usize,
    },
    /// Not a tar archive, or damaged.
    #[error("is no archive of tar: {why}")]
    Archive {
        /// What is wrong.
        why: String,
    },
    /// Longer than any bundle.
    #[error("is too large: its files have more than {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    /// An entry that is no regular file.
    #[error("has the entry '{name}', which is {what}; a bundle has files only")]
    NotAFile {
        /// Its name.
        name: String,
        /// What it is.
        what: &'static str,
    },
    /// An entry in a folder, or outside.
    #[error("has the entry '{name}', which leads out of the bundle; its files lie in no folder")]
    Outside {
        /// Its name.
        name: String,
    },
    /// A file that no bundle has.
    #[error("has the entry '{name}', which is none of the files of a bundle")]
    Unknown {
        /// Its name.
        name: String,
    },
    /// A name for the second time.
    #[error("has the entry '{name}' twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// An entry that goes on after the end.
    #[error("is damaged: '{name}' is cut short")]
    Short {
        /// Its name.
        name: String,
    },
    /// An entry that is no text.
    #[error("has the entry '{name}', which is not UTF-8 text")]
    NotText {
        /// Its name.
        name: String,
    },
    /// An entry that is longer than files of its kind are.
    #[error("has the entry '{name}', which is too large: more than {kib} KiB")]
    LongFile {
        /// Its name.
        name: String,
        /// What is allowed.
        kib: usize,
    },
    /// An archive of something else.
    #[error("is no bundle: it has no bundle.toml")]
    NoManifest,
    /// `bundle.toml` is not one.
    #[error("has a bundle.toml that cannot be read: {why}")]
    Manifest {
        /// What the parser says.
        why: String,
    },
    /// Written by a version with another schema.
    #[error("has the schema {0}, but this version of numasim reads {SCHEMA}: use the version that wrote it")]
    Schema(i64),
    /// A file that belongs to every bundle.
    #[error("is not whole: it has no {name}")]
    Missing {
        /// Its name.
        name: String,
    },
    /// A file that `bundle.toml` does not list.
    #[error("was changed: bundle.toml does not list its entry '{name}'")]
    Unlisted {
        /// Its name.
        name: String,
    },
    /// A file that is another one than was packed.
    #[error("is damaged or was changed: the SHA-256 of its entry '{name}' is {is}, not {listed}")]
    Changed {
        /// Its name.
        name: String,
        /// What `bundle.toml` says.
        listed: String,
        /// What it is.
        is: String,
    },
}

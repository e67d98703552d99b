//! From files to the bytes of a bundle.

use std::io;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tar::{Builder, EntryType, Header};

use super::MOST_BYTES;
use super::error::BundleError;

/// The files, in this order, as a compressed archive.
pub(super) fn pack<'a>(mut files: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Vec<u8>, BundleError> {
    let mut archive = Builder::new(Vec::new());
    let written = files.try_for_each(|(name, text)| append(&mut archive, name, text));
    let archive = written.and_then(|()| archive.into_inner());
    // Memory does not fail, and names of bundles are short.
    let archive = archive.map_err(|error| BundleError::Archive { why: error.to_string() })?;
    if archive.len() > MOST_BYTES {
        return Err(BundleError::TooLarge);
    }
    Ok(compress_to_vec(archive.as_slice(), CompressionLevel::Fastest))
}

/// Nothing but name and content: the same of every person and at any time.
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

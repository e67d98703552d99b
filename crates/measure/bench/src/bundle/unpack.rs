//! Reads the files of a bundle from its bytes, in memory. The bytes are not trusted.

use std::collections::BTreeMap;
use std::io::Read as _;

use numasim_study::MAX_TEXT_BYTES;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use tar::{Archive, EntryType};

use super::{BundleError, MACHINE, MANIFEST, MOST_BYTES, SCENARIOS, STUDY, known};

/// `bundle.toml` has a few lines for each file.
const MOST_OF_MANIFEST: usize = 64 << 10;
/// Entries start at multiples of this.
const BLOCK: usize = 512;

/// The reason why decompression does not start.
fn of_header(error: &FrameDecoderError) -> &'static str {
    match error {
        FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(_)) => {
            "it does not begin as files of Zstandard do"
        }
        FrameDecoderError::WindowSizeTooBig { .. } => "it asks for more memory than any bundle needs",
        _ => "its header is damaged or cut short",
    }
}

/// The archive, decompressed. The output is at most one byte more than [`MOST_BYTES`], whatever the compressed bytes claim.
pub(super) fn archive(bytes: &[u8]) -> Result<Vec<u8>, BundleError> {
    let damaged = |why: &str| BundleError(format!("cannot be decompressed: {why}"));
    let mut rest = bytes;
    let mut decoder = StreamingDecoder::new(&mut rest).map_err(|error| damaged(of_header(&error)))?;
    let mut archive = Vec::new();
    let most = MOST_BYTES as u64 + 1;
    let read = decoder.by_ref().take(most).read_to_end(&mut archive);
    // Messages of the decoder are for people who write decoders.
    read.map_err(|_| damaged("it is damaged or cut short"))?;
    if archive.len() > MOST_BYTES {
        return Err(BundleError::too_large());
    }
    let frame = decoder.into_frame_decoder();
    if let (Some(written), Some(is)) = (frame.get_checksum_from_data(), frame.get_calculated_checksum())
        && written != is
    {
        return Err(damaged(&format!("its checksum is {is:08x}, not {written:08x}")));
    }
    match rest.len() {
        0 => Ok(archive),
        bytes => Err(BundleError(format!("goes on after its end: {bytes} more bytes"))),
    }
}

/// The files of the archive by name, including `bundle.toml`.
pub(super) fn members(archive: &[u8]) -> Result<BTreeMap<&'static str, String>, BundleError> {
    let mut members = BTreeMap::new();
    let mut end = 0;
    // Raw: entries that give the next one a name or attributes are returned as they are, and rejected.
    for entry in Archive::new(archive).entries().map_err(BundleError::archive)?.raw(true) {
        let entry = entry.map_err(BundleError::archive)?;
        let shown = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = allowed(&shown, entry.header().entry_type())?;
        let size = entry.header().entry_size().map_err(BundleError::archive)?;
        let start = usize::try_from(entry.raw_file_position()).ok();
        let (start, stop) = start
            .and_then(|start| Some((start, start.checked_add(usize::try_from(size).ok()?)?)))
            .filter(|(_, stop)| *stop <= archive.len())
            .ok_or_else(|| BundleError(format!("is damaged: '{shown}' is cut short")))?;
        let most = most_bytes(name);
        if stop - start > most {
            let kib = most >> 10;
            return Err(has(&shown, &format!("is too large: more than {kib} KiB")));
        }
        let Ok(text) = str::from_utf8(&archive[start..stop]) else {
            return Err(has(&shown, "is not UTF-8 text"));
        };
        if members.insert(name, text.to_owned()).is_some() {
            return Err(BundleError(format!("has the entry '{shown}' twice")));
        }
        end = stop.next_multiple_of(BLOCK);
    }
    if archive.get(end..).unwrap_or_default().iter().any(|&byte| byte != 0) {
        return Err(BundleError::archive("something follows after its last entry"));
    }
    Ok(members)
}

fn has(name: &str, what: &str) -> BundleError {
    BundleError(format!("has the entry '{name}', which {what}"))
}

/// The name of an entry, if bundles may contain it.
fn allowed(name: &str, kind: EntryType) -> Result<&'static str, BundleError> {
    let what = match kind {
        EntryType::Regular => None,
        EntryType::Symlink => Some("a symbolic link"),
        EntryType::Link => Some("a hard link"),
        EntryType::Directory => Some("a folder"),
        EntryType::Char | EntryType::Block => Some("a device"),
        EntryType::Fifo => Some("a pipe"),
        _ => Some("of a kind of its own"),
    };
    if let Some(what) = what {
        return Err(has(name, &format!("is {what}; a bundle has files only")));
    }
    if name.contains(['/', '\\']) || name.starts_with("..") {
        return Err(has(name, "leads out of the bundle; its files lie in no folder"));
    }
    let known = if name == MANIFEST { Some(MANIFEST) } else { known(name) };
    known.ok_or_else(|| BundleError::unknown(name))
}

/// Maximum size of a file: parsing TOML needs many times its size in memory.
fn most_bytes(name: &str) -> usize {
    match name {
        MANIFEST => MOST_OF_MANIFEST,
        MACHINE | STUDY | SCENARIOS => MAX_TEXT_BYTES,
        _ => MOST_BYTES,
    }
}

//! From the bytes of a bundle to its files, in memory. Nothing of it is trusted.

use std::collections::BTreeMap;
use std::io::Read as _;

use numasim_study::MAX_TEXT_BYTES;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use tar::{Archive, EntryType};

use super::{BundleError, MACHINE, MANIFEST, MOST_BYTES, SCENARIOS, STUDY, known};

/// `bundle.toml` has a few lines for each file.
const MOST_OF_MANIFEST: usize = 64 << 10;
/// Entries begin at multiples of it.
const BLOCK: usize = 512;

/// Why decompressing does not even begin.
fn of_header(error: &FrameDecoderError) -> &'static str {
    match error {
        FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(_)) => {
            "it does not begin as files of Zstandard do"
        }
        FrameDecoderError::WindowSizeTooBig { .. } => "it asks for more memory than any bundle needs",
        _ => "its header is damaged or cut short",
    }
}

/// The archive, decompressed. At most a byte more than [`MOST_BYTES`] is made, whatever the compressed bytes say.
pub(super) fn archive(bytes: &[u8]) -> Result<Vec<u8>, BundleError> {
    let damaged = |why: String| BundleError::Compression { why };
    let mut rest = bytes;
    let mut decoder =
        StreamingDecoder::new(&mut rest).map_err(|error| damaged(of_header(&error).to_owned()))?;
    let mut archive = Vec::new();
    let most = MOST_BYTES as u64 + 1;
    let read = decoder.by_ref().take(most).read_to_end(&mut archive);
    // What the decoder says is for people who write decoders.
    read.map_err(|_| damaged("it is damaged or cut short".to_owned()))?;
    if archive.len() > MOST_BYTES {
        return Err(BundleError::TooLarge);
    }
    let frame = decoder.into_frame_decoder();
    if let (Some(written), Some(is)) = (frame.get_checksum_from_data(), frame.get_calculated_checksum())
        && written != is
    {
        return Err(damaged(format!("its checksum is {is:08x}, not {written:08x}")));
    }
    match rest.len() {
        0 => Ok(archive),
        bytes => Err(BundleError::More { bytes }),
    }
}

/// The files of the archive by name, `bundle.toml` among them.
pub(super) fn members(archive: &[u8]) -> Result<BTreeMap<&'static str, String>, BundleError> {
    let broken = |error: std::io::Error| BundleError::Archive { why: error.to_string() };
    let mut members = BTreeMap::new();
    let mut end = 0;
    // Raw: entries that lend the next one a name or attributes are shown as what they are, and refused.
    for entry in Archive::new(archive).entries().map_err(broken)?.raw(true) {
        let entry = entry.map_err(broken)?;
        let shown = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = allowed(&shown, entry.header().entry_type())?;
        let size = entry.header().entry_size().map_err(broken)?;
        let start = usize::try_from(entry.raw_file_position()).ok();
        let (start, stop) = start
            .and_then(|start| Some((start, start.checked_add(usize::try_from(size).ok()?)?)))
            .filter(|(_, stop)| *stop <= archive.len())
            .ok_or_else(|| BundleError::Short { name: shown.clone() })?;
        let most = most_bytes(name);
        if stop - start > most {
            return Err(BundleError::LongFile { name: shown, kib: most >> 10 });
        }
        let Ok(text) = str::from_utf8(&archive[start..stop]) else {
            return Err(BundleError::NotText { name: shown });
        };
        if members.insert(name, text.to_owned()).is_some() {
            return Err(BundleError::Twice { name: shown });
        }
        end = stop.next_multiple_of(BLOCK);
    }
    if archive.get(end..).unwrap_or_default().iter().any(|&byte| byte != 0) {
        return Err(BundleError::Archive { why: "something follows after its last entry".to_owned() });
    }
    Ok(members)
}

/// The name of an entry that a bundle may have.
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
        return Err(BundleError::NotAFile { name: name.to_owned(), what });
    }
    if name.contains(['/', '\\']) || name.starts_with("..") {
        return Err(BundleError::Outside { name: name.to_owned() });
    }
    let known = if name == MANIFEST { Some(MANIFEST) } else { known(name) };
    known.ok_or_else(|| BundleError::Unknown { name: name.to_owned() })
}

/// How long a file may be: what is parsed as TOML needs many times as much memory.
fn most_bytes(name: &str) -> usize {
    match name {
        MANIFEST => MOST_OF_MANIFEST,
        MACHINE | STUDY | SCENARIOS => MAX_TEXT_BYTES,
        _ => MOST_BYTES,
    }
}

//! Bundles survive transfer. Files that are not bundles and modified bundles are rejected by name, whatever their bytes are.

use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tar::{Builder, EntryType, Header};

use super::*;

fn example() -> Bundle {
    let files = [
        (STUDY, "[machine]\nname = \"ä\"\n"),
        (MEASURED, "scenario,app,gflops\n"),
        (MACHINE, "[machine]\n"),
        (PROVENANCE, "{}\n"),
        (PAGE, "<!doctype html>\n"),
    ];
    Bundle::of(files.map(|(name, text)| (name, text.to_owned()))).expect("whole")
}

fn bytes(bundle: &Bundle) -> Vec<u8> {
    bundle.to_bytes().expect("small")
}

fn compressed(archive: &[u8]) -> Vec<u8> {
    compress_to_vec(archive, CompressionLevel::Fastest)
}

/// An archive of these entries: name, kind, content. Names are written unchanged.
fn archive(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_cksum();
        archive.append(&header, *content).expect("memory");
    }
    archive.into_inner().expect("memory")
}

/// The entries of a bundle, as [`archive`] accepts them, with the same manifest.
fn entries(bundle: &Bundle) -> Vec<(String, Vec<u8>)> {
    let manifest = write_manifest(&bundle.files);
    let files = bundle.files.iter().map(|(name, text)| ((*name).to_owned(), text.clone().into_bytes()));
    std::iter::once((MANIFEST.to_owned(), manifest.into_bytes())).chain(files).collect()
}

/// The error for the entries of a good bundle after a change.
fn refused(change: impl FnOnce(&mut Vec<(String, Vec<u8>)>)) -> String {
    let mut entries = entries(&example());
    change(&mut entries);
    let entries: Vec<(&str, EntryType, &[u8])> = entries
        .iter()
        .map(|(name, content)| (name.as_str(), EntryType::Regular, content.as_slice()))
        .collect();
    Bundle::from_bytes(&compressed(&archive(&entries))).expect_err("changed").to_string()
}

/// The error for a good bundle with one more entry.
fn refused_with(name: &str, kind: EntryType) -> String {
    let entries = entries(&example());
    let mut all: Vec<(&str, EntryType, &[u8])> = entries
        .iter()
        .map(|(name, content)| (name.as_str(), EntryType::Regular, content.as_slice()))
        .collect();
    all.push((name, kind, b""));
    Bundle::from_bytes(&compressed(&archive(&all))).expect_err("one too many").to_string()
}

#[test]
fn a_packed_bundle_reads_back_unchanged() {
    let bundle = example();
    assert_eq!(Bundle::from_bytes(&bytes(&bundle)), Ok(bundle.clone()));
    let archive = unpack::archive(&bytes(&bundle)).expect("just written");
    assert_eq!(
        names(&archive),
        [
            "bundle.toml",
            "machine.toml",
            "measured.csv",
            "measured.provenance.json",
            "measured.study.toml",
            "report.html"
        ]
    );
}

/// Names of the entries; their headers contain no person and no time.
fn names(archive: &[u8]) -> Vec<String> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().expect("an archive");
    let name = |entry: std::io::Result<tar::Entry<'_, &[u8]>>| {
        let entry = entry.expect("an entry");
        let header = entry.header();
        let numbers = [header.uid(), header.gid(), header.mtime()].map(|number| number.expect("a number"));
        assert_eq!((numbers, header.mode().expect("a mode")), ([0; 3], 0o644));
        assert_eq!((header.username(), header.groupname()), (Ok(Some("")), Ok(Some(""))));
        entry.path().expect("a name").display().to_string()
    };
    entries.map(name).collect()
}

#[test]
fn the_same_files_give_the_same_bytes_in_any_order() {
    let mut other = example();
    other.files.remove(MACHINE);
    other.insert(MACHINE, "[machine]\n".to_owned()).expect("known");
    assert_eq!(bytes(&example()), bytes(&other));
}

#[test]
fn only_known_files_are_accepted() {
    for (name, kind, what) in [
        ("evil", EntryType::Symlink, "which is a symbolic link"),
        ("evil", EntryType::Link, "which is a hard link"),
        ("evil", EntryType::Char, "which is a device"),
        ("evil", EntryType::Block, "which is a device"),
        ("evil", EntryType::Fifo, "which is a pipe"),
        ("evil/", EntryType::Directory, "which is a folder"),
        ("evil", EntryType::GNUSparse, "which is of a kind of its own"),
        ("././@LongLink", EntryType::GNULongName, "which is of a kind of its own"),
        ("evil", EntryType::XHeader, "which is of a kind of its own"),
        ("/etc/passwd", EntryType::Regular, "which leads out of the bundle"),
        ("../evil", EntryType::Regular, "which leads out of the bundle"),
        ("..", EntryType::Regular, "which leads out of the bundle"),
        ("a/machine.toml", EntryType::Regular, "which leads out of the bundle"),
        ("..\\evil", EntryType::Regular, "which leads out of the bundle"),
        ("evil", EntryType::Regular, "which is none of the files of a bundle"),
        ("", EntryType::Regular, "which is none of the files of a bundle"),
    ] {
        let said = refused_with(name, kind);
        assert!(said.starts_with(&format!("has the entry '{name}', {what}")), "{name}: {said}");
    }
    assert_eq!(refused_with(MACHINE, EntryType::Regular), "has the entry 'machine.toml' twice");
    assert_eq!(refused_with(MANIFEST, EntryType::Regular), "has the entry 'bundle.toml' twice");
}

#[test]
fn a_modified_bundle_is_detected() {
    assert_eq!(refused(|entries| entries.truncate(0)), "is no bundle: it has no bundle.toml");
    assert_eq!(refused(|entries| drop(entries.remove(0))), "is no bundle: it has no bundle.toml");
    assert_eq!(refused(|entries| drop(entries.remove(1))), "is not whole: it has no machine.toml");
    // The report is listed, but missing.
    assert_eq!(refused(|entries| drop(entries.pop())), "is not whole: it has no report.html");
    let said = refused(|entries| entries[1].1[0] = b'#');
    assert!(
        said.starts_with("is damaged or was changed: the SHA-256 of its entry 'machine.toml' is "),
        "{said}"
    );
    let said = refused(|entries| entries.push((README.to_owned(), b"# new".to_vec())));
    assert_eq!(said, "was changed: bundle.toml does not list its entry 'README.md'");
    let said = refused(|entries| entries[2].1 = vec![0xff]);
    assert_eq!(said, "has the entry 'measured.csv', which is not UTF-8 text");
}

#[test]
fn a_manifest_of_another_version_is_reported() {
    let with = |text: &str| refused(|entries| entries[0].1 = text.as_bytes().to_vec());
    assert!(with("schema = 2").starts_with("has the schema 2, but this version of numasim reads 1"));
    for broken in ["", "schema = \"1\"", "schema = 1\n[[file]]\nname = 1", "\u{0}"] {
        let said = with(broken);
        assert!(said.starts_with("has a bundle.toml that cannot be read: "), "{broken}: {said}");
    }
    let said = with(&"# long\n".repeat(10_000));
    assert_eq!(said, "has the entry 'bundle.toml', which is too large: more than 64 KiB");
}

#[test]
fn other_data_than_a_compressed_archive_is_reported() {
    let said = |bytes: &[u8]| Bundle::from_bytes(bytes).expect_err("none").to_string();
    assert_eq!(said(b""), "cannot be decompressed: its header is damaged or cut short");
    assert_eq!(said(b"[machine]\n"), "cannot be decompressed: it does not begin as files of Zstandard do");
    assert!(said(&compressed(&[7; 600])).starts_with("is no archive of tar: "));
    let whole = bytes(&example());
    assert_eq!(said(&[&whole[..], b"more"].concat()), "goes on after its end: 4 more bytes");
    // For any wrong byte, messages show no names of Rust, as in `BadMagicNumber(808487711)`.
    for at in (0..whole.len()).step_by(7) {
        for damaged in [whole[..at].to_vec(), [&whole[..at], &[!whole[at]], &whole[at + 1..]].concat()] {
            let Err(why) = Bundle::from_bytes(&damaged).map_err(|error| error.to_string()) else { continue };
            let is_debug = |word: &str| {
                word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase)
            };
            let words = why.split(|c: char| !c.is_alphanumeric()).filter(|word| is_debug(word));
            assert_eq!(words.count(), 0, "{at}: {why}");
        }
    }
    let mut archive = unpack::archive(&whole).expect("just written");
    archive.push(1);
    assert_eq!(said(&compressed(&archive)), "is no archive of tar: something follows after its last entry");
    // The last entry claims to be longer than the archive is.
    let mut header = Header::new_ustar();
    header.as_old_mut().name[..MACHINE.len()].copy_from_slice(MACHINE.as_bytes());
    header.set_entry_type(EntryType::Regular);
    header.set_size(u64::MAX / 2);
    header.set_cksum();
    assert_eq!(said(&compressed(header.as_bytes())), "is damaged: 'machine.toml' is cut short");
}

/// A frame of Zstandard (RFC 8878) in which each block is one byte repeated 128 KiB times: 4 bytes become 131,072.
#[test]
fn a_decompression_bomb_is_rejected() {
    const BLOCKS: usize = MOST_BYTES / (128 << 10) + 1;
    // Magic number; no checksum, no size; a window of 128 KiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3];
    for block in 1..=BLOCKS {
        let header = u32::from(block == BLOCKS) | 1 << 1 | (128 << 10) << 3;
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.push(0);
    }
    assert_eq!(Bundle::from_bytes(&frame), Err(BundleError::too_large()));
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(Bundle::from_bytes(&bytes).is_err());
        // As an archive, and with the start of an archive.
        prop_assert!(Bundle::from_bytes(&compressed(&bytes)).is_err());
        let mut archive = unpack::archive(&self::bytes(&example())).expect("just written");
        let keep = archive.len().min(512 + bytes.len());
        archive.truncate(keep);
        archive.extend_from_slice(&bytes);
        prop_assert!(Bundle::from_bytes(&compressed(&archive)).is_err());
    }

    #[test]
    fn a_damaged_bundle_is_rejected_or_unchanged(at in any::<proptest::sample::Index>(), bit in 0..8_u32) {
        let whole = bytes(&example());
        let place = at.index(whole.len());
        prop_assert!(Bundle::from_bytes(&whole[..place]).is_err());
        let mut hit = whole;
        hit[place] ^= 1 << bit;
        if let Ok(read) = Bundle::from_bytes(&hit) {
            prop_assert_eq!(read, example());
        }
        let mut archive = unpack::archive(&bytes(&example())).expect("just written");
        let place = at.index(archive.len());
        archive[place] ^= 1 << bit;
        if let Ok(read) = Bundle::from_bytes(&compressed(&archive)) {
            prop_assert_eq!(read, example());
        }
    }
}

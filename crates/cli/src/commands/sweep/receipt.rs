//! `FILE.json` beside a part of a sweep (`--shard I/N -o FILE`): which part of which sweep it is, and its SHA-256. So nobody
//! has to trust the name of a file when parts are joined.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use numasim_bench::provenance::sha256_of;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::files;
use crate::output::Place;

/// What is added to the name of the part.
const ENDING: &str = ".json";

/// The receipt of a part that is being computed.
pub(super) struct Receipt {
    place: Place,
    identity: Value,
}

impl Receipt {
    /// Checks that it can be written, and changes nothing.
    pub(super) fn open(part: &Place, identity: &Value) -> Result<Self, Failure> {
        Ok(Self { place: part.beside(ENDING)?, identity: identity.clone() })
    }

    /// Writes it for these rows.
    pub(super) fn write(&self, rows: &Path) -> io::Result<()> {
        let receipt = json!({ "schema": 1, "sha256": sha256_of(File::open(rows)?)?, "sweep": self.identity });
        self.place.replace(format!("{receipt:#}\n").as_bytes())
    }
}

/// What is known of a part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It is not there, or not whole.
    Missing,
    /// It is that part of that sweep, unchanged.
    Whole,
    /// It is something else; says what, to follow its name.
    Foreign(String),
}

/// Looks at a part with its receipt.
///
/// # Errors
/// It cannot be read.
pub(super) fn look(part: &Path, identity: &Value) -> io::Result<Found> {
    let file = match File::open(part) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Missing),
        Err(error) => return Err(error),
    };
    let mut beside = part.as_os_str().to_owned();
    beside.push(ENDING);
    let receipt: Value = match files::read_small_bytes(Path::new(&beside)) {
        Ok(Some(bytes)) => serde_json::from_slice(&bytes).unwrap_or_default(),
        // Longer than any receipt: it says nothing either.
        Ok(None) => Value::Null,
        Err(error) if error.kind() == ErrorKind::NotFound => Value::Null,
        Err(error) => return Err(error),
    };
    if receipt["sweep"].is_null() {
        let name = Path::new(&beside).file_name().unwrap_or_default().display();
        return Ok(Found::Foreign(format!("cannot be told from parts of other sweeps: {name} does not say")));
    }
    if let Some(difference) = difference(&receipt["sweep"], identity) {
        return Ok(Found::Foreign(format!("belongs to another sweep: {difference}")));
    }
    if receipt["sha256"] != sha256_of(file)? {
        return Ok(Found::Foreign(
            "has changed since it was written (its SHA-256 is another one)".to_owned(),
        ));
    }
    Ok(Found::Whole)
}

/// In what another sweep differs from ours, in words that people know; `None`: it is the same one.
pub(super) fn difference(theirs: &Value, ours: &Value) -> Option<String> {
    let (key, value) = ours.as_object()?.iter().find(|(key, value)| theirs[key.as_str()] != **value)?;
    let shown = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" and "),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(if key == "files" {
        "the machine, applications or scenarios in the files have changed".to_owned()
    } else {
        format!("{key} was {} and is now {}", shown(&theirs[key.as_str()]), shown(value))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_part_is_taken_only_if_it_is_that_part_of_that_sweep_unchanged() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("part.csv");
        let ours = json!({ "--set": ["a=1"], "--shard": "1/2" });
        let found = |identity: &Value| look(&path, identity).expect("readable");
        assert_eq!(found(&ours), Found::Missing);
        fs::write(&path, "a,b\n1,2\n").expect("a file for the test");
        assert!(matches!(found(&ours), Found::Foreign(why) if why.contains("part.csv.json does not say")));
        let place = Place::open(&path).expect("writable");
        Receipt::open(&place, &ours).expect("writable").write(&path).expect("written");
        assert_eq!(found(&ours), Found::Whole);
        let other = json!({ "--set": ["a=1"], "--shard": "2/2" });
        let why = "belongs to another sweep: --shard was 1/2 and is now 2/2".to_owned();
        assert_eq!(found(&other), Found::Foreign(why));
        fs::write(&path, "a,b\n1,3\n").expect("a file for the test");
        assert!(matches!(found(&ours), Found::Foreign(why) if why.contains("has changed")));
    }
}

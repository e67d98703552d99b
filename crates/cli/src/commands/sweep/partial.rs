//! `FILE.partial`: the rows of an unfinished sweep, and `FILE.partial.json`, which identifies the sweep.
//!
//! Rows are appended point by point, so a killed process leaves complete rows and possibly a partial one. Resuming drops rows that do not
//! form a complete point, and continues after them. Rows are written only after the identity of their sweep is on disk.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use numasim_bench::provenance::sha256_of;
use serde_json::{Value, json};

use crate::commands::sweep::Plan;
use crate::failure::Failure;
use crate::files;
use crate::output::{NotCreated, Place};

/// The rows so far, on disk.
pub(super) struct Partial {
    target: Place,
    place: Place,
    identity: Place,
    /// Present for a part of a sweep.
    receipt: Option<Receipt>,
    file: File,
    /// Number of points that already existed.
    pub(super) kept: u64,
}

impl Partial {
    /// Starts, or continues with `resume`. `kept_row` receives every existing row that is kept, without the header.
    pub(super) fn open(
        target: Place,
        plan: &Plan,
        header: &[u8],
        resume: bool,
        kept_row: impl FnMut(&[u8]),
    ) -> Result<Self, Failure> {
        let (place, identity) = (target.beside(".partial")?, target.beside(".partial.json")?);
        let receipt = plan.is_part.then(|| Receipt::open(&target, &plan.identity)).transpose()?;
        let refuse = |error: io::Error| place.refused(&error);
        let created = place.create(|_| Ok::<_, Failure>(()));
        let (mut file, there) = match created {
            Ok(created) => (created?.0, false),
            Err(NotCreated::Exists) => (place.resume().map_err(refuse)?, true),
            Err(NotCreated::Busy) => return Err(place.busy()),
            Err(NotCreated::System(error)) => return Err(refuse(error)),
        };
        // A file without rows contains nothing to lose.
        let begun = there && file.metadata().map_err(refuse)?.len() > header.len() as u64;
        if begun && !resume {
            return Err(Failure::input(format!(
                "{} exists, from an unfinished sweep",
                place.path().display()
            ))
            .hint("continue it with --resume, or delete it to start over"));
        }
        let (kept, end) = if begun {
            same_sweep(place.path(), identity.path(), &plan.identity)?;
            let rows = plan.sweep.rows_per_point() as u64;
            let most = plan.points.end - plan.points.start;
            whole_points(&file, header, rows, most, kept_row).map_err(refuse)?.ok_or_else(|| {
                let name = place.path().display();
                Failure::input(format!("{name} does not begin with the header of this sweep"))
                    .hint("delete it to start over")
            })?
        } else {
            let text = format!("{:#}\n", plan.identity);
            identity.replace(text.as_bytes()).map_err(|error| identity.refused(&error))?;
            (0, 0)
        };
        file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).map_err(refuse)?;
        if end == 0 {
            file.write_all(header).map_err(refuse)?;
        }
        Ok(Self { target, place, identity, receipt, file, kept })
    }

    /// Path of the rows until the sweep is finished.
    pub(super) fn path(&self) -> &Path {
        self.place.path()
    }

    /// Appends rows.
    pub(super) fn write(&mut self, rows: &[u8]) -> Result<(), Failure> {
        self.file.write_all(rows).map_err(|error| {
            Failure::output(format!("cannot write to {}", self.place.path().display()))
                .caused_by(&error)
                .hint("the rows so far are there; the same command with --resume continues")
        })
    }

    /// Finishes the sweep: the file gets its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let renamed = || {
            if let Some(permissions) = self.target.permissions() {
                self.file.set_permissions(permissions.clone())?;
            }
            self.file.sync_all()?;
            // Written before the rows get their name: without them it has no meaning.
            if let Some(receipt) = &self.receipt {
                receipt.write(self.place.path())?;
            }
            self.place.rename(&self.target)?;
            self.identity.remove()
        };
        renamed().map_err(|error| self.target.refused(&error))
    }
}

/// Rejects the rows of another sweep and reports the difference.
fn same_sweep(path: &Path, identity: &Path, ours: &Value) -> Result<(), Failure> {
    let start_anew = "delete it to start over, or give -o the name of another file";
    let text = fs::read_to_string(identity).map_err(|error| {
        Failure::input(format!("cannot tell which sweep {} belongs to", path.display()))
            .caused_by(&error)
            .hint(start_anew)
    })?;
    let theirs: Value = serde_json::from_str(&text).unwrap_or_default();
    match difference(&theirs, ours) {
        None => Ok(()),
        Some(difference) => {
            Err(Failure::input(format!("{} belongs to another sweep: {difference}", path.display()))
                .hint(start_anew))
        }
    }
}

/// The number of complete points and the position of their end; `None` if the file does not begin with the header.
fn whole_points(
    file: &File,
    header: &[u8],
    rows: u64,
    most: u64,
    mut kept_row: impl FnMut(&[u8]),
) -> io::Result<Option<(u64, u64)>> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    if !header.is_empty() {
        reader.read_until(b'\n', &mut line)?;
        if line != header {
            // A partial header counts as no header.
            return Ok(header.starts_with(&line).then_some((0, 0)));
        }
    }
    let (mut points, mut end) = (0, header.len() as u64);
    while points < most {
        let mut of_point = Vec::new();
        let mut length = 0;
        for _ in 0..rows {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(_) if line.ends_with(b"\n") => {}
                Ok(_) => return Ok(Some((points, end))),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            length += line.len() as u64;
            of_point.push(std::mem::take(&mut line));
        }
        for row in &of_point {
            kept_row(row);
        }
        points += 1;
        end += length;
    }
    Ok(Some((points, end)))
}

// `FILE.json` next to a part of a sweep (`--shard I/N -o FILE`) identifies the part and the sweep, and contains its SHA-256. Joining
// parts therefore does not depend on file names.

/// The suffix that is added to the name of the part.
const ENDING: &str = ".json";

/// The receipt of a part that is being computed.
pub(super) struct Receipt {
    place: Place,
    identity: Value,
}

impl Receipt {
    /// Checks that the receipt can be written, and changes nothing.
    pub(super) fn open(part: &Place, identity: &Value) -> Result<Self, Failure> {
        Ok(Self { place: part.beside(ENDING)?, identity: identity.clone() })
    }

    /// Writes the receipt for these rows.
    pub(super) fn write(&self, rows: &Path) -> io::Result<()> {
        let receipt = json!({ "schema": 1, "sha256": sha256_of(File::open(rows)?)?, "sweep": self.identity });
        self.place.replace(format!("{receipt:#}\n").as_bytes())
    }
}

/// The state of a part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It does not exist, or is incomplete.
    Missing,
    /// It is the given part of the given sweep, unchanged.
    Whole,
    /// It is something else; the text follows its name in a message.
    Foreign(String),
}

/// Checks a part and its receipt.
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
        // Longer than any receipt, so it is not one either.
        Ok(None) => Value::Null,
        Err(error) if error.kind() == ErrorKind::NotFound => Value::Null,
        Err(error) => return Err(error),
    };
    if receipt["sweep"].is_null() {
        let name = Path::new(&beside).file_name().unwrap_or_default().display();
        return Ok(Found::Foreign(format!(
            "cannot be distinguished from parts of other sweeps: {name} names no sweep"
        )));
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

/// Difference between another sweep and ours, in terms that users know; `None` if they are the same.
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
mod receipt_tests {
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
        assert!(matches!(found(&ours), Found::Foreign(why) if why.contains("part.csv.json names no sweep")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(content: &[u8], header: &[u8], rows: u64) -> Option<(u64, u64)> {
        let mut file = tempfile::tempfile().expect("a file for the test");
        file.write_all(content).and_then(|()| file.rewind()).expect("written");
        whole_points(&file, header, rows, 100, |_| {}).expect("readable")
    }

    #[test]
    fn rows_are_kept_as_far_as_they_make_whole_points() {
        // Two rows per point: three complete rows and a partial one are one point.
        assert_eq!(kept(b"a,b\n1,x\n1,y\n2,x\n2", b"a,b\n", 2), Some((1, 12)));
        assert_eq!(kept(b"1,x\n1,y\n", b"", 2), Some((1, 8)));
        assert_eq!(kept(b"a,b\n", b"a,b\n", 1), Some((0, 4)));
    }

    #[test]
    fn a_torn_header_is_written_again_and_a_wrong_one_refused() {
        assert_eq!(kept(b"a,", b"a,b\n", 1), Some((0, 0)));
        assert_eq!(kept(b"", b"a,b\n", 1), Some((0, 0)));
        assert_eq!(kept(b"a,c\n1,2\n", b"a,b\n", 1), None);
    }
}

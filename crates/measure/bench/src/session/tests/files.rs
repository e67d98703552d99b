//! Rows on disk: the file of a killed run is resumed, and nothing is mixed or overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::plan::PlannedScenario;
use crate::result_file::FileError;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn open(path: &Path) -> fs::File {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).open(path).expect("a file for the test")
}

fn resume(path: &Path, run: &str, plan: &[PlannedScenario]) -> Result<(ResultFile, Vec<Row>), FileError> {
    ResultFile::resume(path, open(path), run, plan, 0)
}

/// Measures two repetitions into `path`.
fn measured(path: &Path, plan: &Plan) -> String {
    let settings = settings();
    let mut file = ResultFile::begin(path, open(path), 10_000).expect("a new file");
    run(
        &session(plan, &settings, 2, &[]),
        Vec::new(),
        &mut Mock::default(),
        &mut file,
        &mut Nobody::default(),
    );
    assert_eq!(file.measurements(), 4);
    file.finish().expect("written");
    fs::read_to_string(path).expect("the result")
}

fn result(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("r.csv")
}

#[test]
fn resuming_after_a_kill_at_any_point_gives_the_same_file() {
    let (folder, plan, settings) = (folder(), plan_of_two(), settings());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    // pair (2 rows), lone, lone, pair: the ends of whole measurements, in lines.
    let ends = [1, 3, 4, 5, 7];
    let edges = whole.match_indices('\n').flat_map(|(end, _)| [end, end + 1, end + 2]);
    for cut in edges.chain((0..whole.len()).step_by(211)).filter(|&cut| cut <= whole.len()) {
        fs::write(&path, &whole[..cut]).expect("a file for the test");
        let (mut file, rows) = resume(&path, "00c0ffee", &plan.scenarios).expect("of this run");
        let lines = whole[..cut].matches('\n').count();
        let kept = ends.iter().rposition(|&end| end <= lines).unwrap_or(0);
        assert_eq!(file.measurements(), kept as u64, "cut at {cut}");
        // The mock counts its time from the start of the process.
        let mut mock = Mock { asked: vec![String::new(); kept], ..Mock::default() };
        run(&session(&plan, &settings, 2, &[]), rows, &mut mock, &mut file, &mut Nobody::default());
        file.finish().expect("written");
        assert!(fs::read_to_string(&path).expect("the result") == whole, "cut at {cut}");
    }
}

#[test]
fn rows_of_another_run_are_rejected_and_unchanged() {
    let (folder, plan) = (folder(), plan_of_two());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    let torn = &whole[..whole.len() - 3];
    fs::write(&path, torn).expect("a file for the test");
    let refused = resume(&path, "beef", &plan.scenarios).expect_err("another run");
    assert!(
        refused
            .to_string()
            .ends_with("has rows of run 00c0ffee, this is run beef: two runs never share a file")
    );
    let mut fewer = plan.scenarios.clone();
    fewer.remove(1);
    let refused = resume(&path, "00c0ffee", &fewer).expect_err("a scenario that is not planned");
    let why = std::error::Error::source(&refused).expect("a cause").to_string();
    assert_eq!(why, "line 4: scenario 'lone' is none of those of this run");
    assert_eq!(fs::read_to_string(&path).expect("still there"), torn);
}

#[test]
fn an_invalid_result_is_rejected_with_its_line() {
    let (folder, plan) = (folder(), plan_of_two());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    let cases = [
        ("a,b\n1,2\n".to_owned(), "it does not begin with the header"),
        (
            whole.replacen("pair,compute", "pair,mem-1", 1),
            "line 3: it does not belong to the measurement that begins at line 2",
        ),
        (whole.replacen("6000000000", "x", 1), "line 2: "),
        (whole.replacen(",read", "", 1), "line 2: this row has 24 fields, the header names 25 columns"),
    ];
    for (text, reason) in cases {
        fs::write(&path, &text).expect("a file for the test");
        let refused = resume(&path, "00c0ffee", &plan.scenarios).expect_err(reason);
        let why = std::error::Error::source(&refused).expect("a cause").to_string();
        assert!(why.starts_with(reason), "{why}");
        assert_eq!(fs::read_to_string(&path).expect("still there"), text);
    }
}

#[test]
fn a_file_with_a_row_identifies_its_run() {
    let (folder, plan) = (folder(), plan_of_two());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    let first_row = header().len() + whole[header().len()..].find('\n').expect("a row") + 1;
    for (length, run) in [(0, None), (9, None), (header().len(), None), (first_row - 1, None)]
        .into_iter()
        .chain([(first_row, Some("00c0ffee")), (whole.len(), Some("00c0ffee"))])
    {
        fs::write(&path, &whole[..length]).expect("a file for the test");
        let found = ResultFile::run_of(&path, &open(&path)).expect("a result");
        assert_eq!(found.as_deref(), run, "the first {length} bytes");
    }
    fs::write(&path, "a,b\n1,2\n").expect("a file for the test");
    assert!(matches!(ResultFile::run_of(&path, &open(&path)), Err(FileError::Unreadable { .. })));
}

#[test]
fn a_full_disk_is_found_before_measuring() {
    let folder = folder();
    // No disk has 2^60 bytes.
    let path = result(&folder);
    let refused = ResultFile::begin(&path, open(&path), 1 << 60).expect_err("no such disk");
    assert!(matches!(refused, FileError::NoRoom { .. } | FileError::NotWritable { .. }), "{refused:?}");
}

#[test]
fn reserved_room_does_not_lengthen_the_file() {
    let (folder, plan) = (folder(), plan_of_two());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    assert_eq!(fs::metadata(&path).expect("there").len(), whole.len() as u64);
}

//! Rows on disk: what a killed run left is taken up again, and nothing is mixed or overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::result_file::FileError;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Measures two repetitions into `path`.
fn measured(path: &Path, plan: &Plan) -> String {
    let settings = settings();
    let mut file = ResultFile::create(path, 10_000).expect("a new file");
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
fn wherever_a_run_is_killed_resuming_makes_the_same_file() {
    let (folder, plan, settings) = (folder(), plan_of_two(), settings());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    // pair (2 rows), lone, lone, pair: the ends of whole measurements, in lines.
    let ends = [1, 3, 4, 5, 7];
    let edges = whole.match_indices('\n').flat_map(|(end, _)| [end, end + 1, end + 2]);
    for cut in edges.chain((0..whole.len()).step_by(211)).filter(|&cut| cut <= whole.len()) {
        fs::write(&path, &whole[..cut]).expect("a file for the test");
        let (mut file, rows) =
            ResultFile::resume(&path, "00c0ffee", &plan.scenarios, 0).expect("of this run");
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
fn rows_of_another_run_are_refused_and_left_alone() {
    let (folder, plan) = (folder(), plan_of_two());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    let torn = &whole[..whole.len() - 3];
    fs::write(&path, torn).expect("a file for the test");
    let refused = ResultFile::resume(&path, "beef", &plan.scenarios, 0).expect_err("another run");
    assert!(
        refused
            .to_string()
            .ends_with("has rows of run 00c0ffee, this is run beef: two runs never share a file")
    );
    let mut fewer = plan.scenarios.clone();
    fewer.remove(1);
    let refused =
        ResultFile::resume(&path, "00c0ffee", &fewer, 0).expect_err("a scenario that is not planned");
    let why = std::error::Error::source(&refused).expect("a cause").to_string();
    assert_eq!(why, "line 4: scenario 'lone' is none of those of this run");
    assert_eq!(fs::read_to_string(&path).expect("still there"), torn);
}

#[test]
fn what_is_no_result_is_refused_with_its_line() {
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
        (whole.replacen(",read", "", 1), "line 2: it has 24 fields, not 25"),
    ];
    for (text, reason) in cases {
        fs::write(&path, &text).expect("a file for the test");
        let refused = ResultFile::resume(&path, "00c0ffee", &plan.scenarios, 0).expect_err(reason);
        let why = std::error::Error::source(&refused).expect("a cause").to_string();
        assert!(why.starts_with(reason), "{why}");
        assert_eq!(fs::read_to_string(&path).expect("still there"), text);
    }
}

#[test]
fn a_result_is_never_overwritten_and_has_one_writer() {
    let (folder, plan) = (folder(), plan_of_two());
    let path = result(&folder);
    assert!(matches!(ResultFile::resume(&path, "x", &plan.scenarios, 0), Err(FileError::Missing(_))));
    let file = ResultFile::create(&path, 0).expect("a new file");
    assert!(matches!(ResultFile::create(&path, 0), Err(FileError::Exists(_))));
    assert!(matches!(ResultFile::resume(&path, "x", &plan.scenarios, 0), Err(FileError::Busy(_))));
    drop(file);
    assert!(ResultFile::resume(&path, "x", &plan.scenarios, 0).is_ok());
}

#[test]
fn a_missing_folder_and_a_full_disk_are_found_before_measuring() {
    let folder = folder();
    let nowhere = folder.path().join("no/r.csv");
    assert!(matches!(ResultFile::create(&nowhere, 0), Err(FileError::NotWritable { .. })));
    // 2^60 bytes are on no disk; nothing is left behind.
    let path = result(&folder);
    let refused = ResultFile::create(&path, 1 << 60).expect_err("no such disk");
    assert!(matches!(refused, FileError::NoRoom { .. } | FileError::NotWritable { .. }), "{refused:?}");
    assert!(!path.exists());
}

#[test]
fn room_that_was_set_aside_does_not_lengthen_the_file() {
    let (folder, plan) = (folder(), plan_of_two());
    let path = result(&folder);
    let whole = measured(&path, &plan);
    assert_eq!(fs::metadata(&path).expect("there").len(), whole.len() as u64);
}

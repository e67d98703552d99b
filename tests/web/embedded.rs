//! `numasim report --interactive`.

use std::fs;
use std::process::{Command, Output, Stdio};

use super::{page, repository};
use crate::report::browser::{DUMP, opened};

fn report(args: &[&str]) -> Output {
    let study = repository("configs/paper/table-iii-all.toml");
    Command::new(env!("CARGO_BIN_EXE_numasim"))
        .arg("report")
        .arg(study)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn a_report_embeds_the_page_which_runs_under_its_policy() {
    if page().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("report.html");
    let named = format!("--interactive={}", std::env::var("NUMASIM_WEB_PAGE").expect("named"));
    let output = report(&[&named, "-o", file.to_str().expect("a plain path")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let more = [DUMP.to_owned(), "--virtual-time-budget=20000".to_owned()];
    let (document, console) = opened(&file, "#what-if", (1280, 900), &more);
    assert!(console.is_empty(), "{console:?}");
    // The page has computed and told its height.
    let frame = document.split("class=\"interactive\"").nth(1).expect("the frame");
    let height = frame.rsplit_once("style=\"height: ").and_then(|(_, rest)| rest.split_once("px"));
    let height: f64 = height.expect("a height").0.parse().expect("a number");
    assert!(height > 1000.0, "{height}");
    assert!(document.contains("table-iii-all.toml"));
}

#[test]
fn a_page_that_is_none_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [page, out] = ["other.html", "report.html"].map(|name| folder.path().join(name));
    fs::write(&page, "<html></html>").expect("a file for the test");
    let [named, gone] = [page.clone(), folder.path().join("gone.html")]
        .map(|path| format!("--interactive={}", path.display()));
    for (named, said) in [(&named, "is not the what-if page of numasim"), (&gone, "gone.html cannot be read")]
    {
        let output = report(&[named, "-o", out.to_str().expect("a plain path")]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(said) && error.contains("bindings/web/build"), "{error}");
        assert!(!out.exists());
    }
}

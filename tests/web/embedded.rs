//! `numasim report --interactive`.

use std::fs;
use std::process::{Command, Output, Stdio};

use super::chromium::told;
use super::{page, repository};

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
    // The frame has a separate policy in addition to that of the report, and its document has the same origin.
    let script = "const frame = document.querySelector('.interactive'); by('what-if').scrollIntoView();\
        const inside = () => frame.contentDocument?.body; await until(() => inside()?.dataset.ready && frame.style.height);\
        tell({ height: parseInt(frame.style.height), total: frame.contentDocument.getElementById('total').textContent });";
    let report = fs::read_to_string(&file).expect("the report");
    let (found, console) = told(&report, "", script);
    assert!(console.is_empty(), "{console:?}");
    // It has computed, and reported its height: the first scenario of the file.
    assert!(found["total"].as_str().is_some_and(|total| total.ends_with(" GFLOPS")), "{found}");
    assert!(found["height"].as_f64().is_some_and(|height| height > 1000.0), "{found}");
    assert!(report.contains("table-iii-all.toml"));
}

#[test]
fn an_invalid_page_is_refused_and_nothing_is_written() {
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

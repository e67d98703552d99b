//! `numasim discriminate` as a user sees it, and the files created with it.

use std::fs;
use std::process::Output;

use crate::common::{self, repository};

fn numasim(args: &[&str]) -> Output {
    common::numasim().args(args).current_dir(repository("")).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn the_discriminating_scenarios_are_current_and_can_be_evaluated() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for entry in fs::read_dir(repository("configs/discriminate")).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let machine = format!("configs/machines/{name}");
        let made = folder.path().join(name);
        let output = numasim(&["discriminate", &machine, "--emit-scenarios", &made.display().to_string()]);
        assert!(output.status.success(), "{output:?}");
        let made = fs::read_to_string(made).expect("written");
        assert!(
            made == fs::read_to_string(&path).expect("a file"),
            "{name} is out of date: numasim discriminate"
        );
        let evaluated = numasim(&["evaluate", &machine, &path.display().to_string(), "--model", "max-min"]);
        assert!(evaluated.status.success(), "{evaluated:?}");
    }
}

#[test]
fn the_differences_between_models_are_reported() {
    let output = numasim(&["discriminate", "configs/machines/xeon-gold-6140-2s.toml"]);
    assert!(output.status.success(), "{output:?}");
    let table = text(&output.stdout);
    assert!(table.contains("baseline-proportional, max-min"), "{table}");
    assert!(
        table.contains(
            "Not distinguishable on this machine: baseline-proportional and remote-first; proportional and"
        ),
        "{table}"
    );
    let both =
        numasim(&["discriminate", "configs/machines/opteron-8n.toml", "-o", "x", "--emit-scenarios", "x"]);
    assert_eq!(both.status.code(), Some(1));
}

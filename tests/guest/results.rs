//! The results of a guest: steps with output and exit code, as `report` in `tests/guest/overlay/lib/report` sends them.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// The results of one guest.
pub(crate) struct Guest {
    name: String,
    steps: Vec<Step>,
}

/// One command in the guest.
#[derive(Clone, Default)]
pub(crate) struct Step {
    name: String,
    /// Its exit code.
    pub(crate) code: i32,
    /// Its standard output.
    pub(crate) out: String,
    /// Its standard error.
    pub(crate) err: String,
}

impl Guest {
    /// Reads `NAME.results`; it must be whole.
    pub(crate) fn read(name: &str) -> Self {
        let folder = std::env::var_os("NUMASIM_GUEST_LOGS").expect("NUMASIM_GUEST_LOGS; run .ci/guest");
        let path = PathBuf::from(folder).join(format!("{name}.results"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (mut steps, mut ended) = (Vec::new(), false);
        let mut step = Step { code: -1, ..Step::default() };
        // `lines` also removes the carriage returns of the serial port.
        for line in text.lines() {
            assert!(!ended, "{name}: something follows the end: {line}");
            if let Some(name) = line.strip_prefix("== step ") {
                name.clone_into(&mut step.name);
            } else if let Some(code) = line.strip_prefix("== code ") {
                step.code = code.parse().expect("an exit code");
                steps.push(std::mem::replace(&mut step, Step { code: -1, ..Step::default() }));
            } else if let Some(out) = line.strip_prefix("out|") {
                step.out += out;
                step.out.push('\n');
            } else if let Some(err) = line.strip_prefix("err|") {
                step.err += err;
                step.err.push('\n');
            } else {
                assert_eq!(line, "== end", "{name}: what is this?");
                ended = true;
            }
        }
        assert!(ended && step.name.is_empty(), "{name}: the results are cut off in the step '{}'", step.name);
        Self { name: name.to_owned(), steps }
    }

    /// The step with this name.
    pub(crate) fn step(&self, name: &str) -> Step {
        let found = self.steps.iter().find(|step| step.name == name);
        found.unwrap_or_else(|| panic!("the guest '{}' did no step '{name}'", self.name)).clone()
    }

    /// Replaces the first occurrence of `from` in the output of a step.
    pub(crate) fn alter(&mut self, name: &str, from: &str, to: &str) {
        let step = self.steps.iter_mut().find(|step| step.name == name).expect("a step");
        assert!(step.out.contains(from), "{name} does not say '{from}': {}", step.out);
        step.out = step.out.replacen(from, to, 1);
    }

    /// Replaces every occurrence of `from` in the output of a step.
    pub(crate) fn alter_all(&mut self, name: &str, from: &str, to: &str) {
        let step = self.steps.iter_mut().find(|step| step.name == name).expect("a step");
        assert!(step.out.contains(from), "{name} does not say '{from}': {}", step.out);
        step.out = step.out.replace(from, to);
    }

    /// Replaces a value in the JSON of a step.
    pub(crate) fn alter_json(&mut self, name: &str, place: &str, value: Value) {
        let step = self.steps.iter_mut().find(|step| step.name == name).expect("a step");
        let mut document: Value = serde_json::from_str(&step.out).expect("JSON");
        let old =
            document.pointer_mut(place).unwrap_or_else(|| panic!("{name} has no {place}: {}", step.out));
        assert_ne!(*old, value, "{name}, {place}");
        *old = value;
        step.out = document.to_string();
    }

    /// The standard output of a step that exited with 0.
    pub(crate) fn done(&self, name: &str) -> String {
        let step = self.step(name);
        assert_eq!(step.code, 0, "{}, {name}: {}", self.name, step.err);
        step.out
    }

    /// The same, as JSON.
    pub(crate) fn json(&self, name: &str) -> Value {
        let out = self.done(name);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{}, {name}: {error}\n{out}", self.name))
    }
}

/// One key of every object in a list.
pub(crate) fn list(object: &Value, list: &str, key: &str) -> Vec<Value> {
    object[list].as_array().expect("a list").iter().map(|entry| entry[key].clone()).collect()
}

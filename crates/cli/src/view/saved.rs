//! The output of `--save`: scenarios that other commands accept together with the same files.

use std::collections::HashSet;
use std::fmt::Write as _;

use numasim_draw::grid::wrap;
use numasim_model::{Data, Scenario};
use numasim_study::writing::study::Written;

use super::{ScenarioView, figures};

/// Width of comments, in columns.
const WIDTH: usize = 100;

/// One scenario of the file.
pub(crate) struct Saved<'a> {
    /// The scenario and its result.
    pub(crate) view: ScenarioView<'a>,
    /// Its role: "best", "alternative", "baseline".
    pub(crate) role: &'static str,
    /// Whether work is scheduled statically.
    pub(crate) static_work: bool,
}

/// A file of scenarios: `facts` as comments, then each scenario, with a name that differs from those of `others` (the scenarios in the
/// files that it will be used with).
pub(crate) fn toml(facts: &[(&'static str, String)], saved: &[Saved<'_>], others: &[Scenario]) -> String {
    let mut text = String::new();
    for (name, value) in facts {
        comment(&mut text, &format!("{name}: {value}"));
    }
    comment(&mut text, "Use it with the files of the same machine and applications.");
    for (one, name) in named(saved, others) {
        let view = &one.view;
        text.push('\n');
        let (total, unit) = view.total();
        comment(&mut text, &format!("{}: {} {unit}", one.role, figures::single(total)));
        let written = Written {
            name: &name,
            apps: view.apps,
            allocation: view.allocation,
            placements: view.placements,
            smt: &view.smt(),
            static_work: one.static_work,
        };
        text.push_str(&written.toml());
    }
    text
}

/// The scenarios of such a file.
pub(crate) fn scenarios(saved: &[Saved<'_>], others: &[Scenario]) -> Vec<Scenario> {
    let scenario = |(one, name): (&Saved<'_>, String)| Scenario {
        name,
        allocation: one.view.allocation.clone(),
        data: one.view.placements.iter().cloned().map(Data::Placed).collect(),
        smt: one.view.smt(),
        static_work: one.static_work,
    };
    named(saved, others).into_iter().map(scenario).collect()
}

/// Each with a name that differs from those of `others`.
fn named<'s, 'a>(saved: &'s [Saved<'a>], others: &[Scenario]) -> Vec<(&'s Saved<'a>, String)> {
    let mut taken: HashSet<String> = others.iter().map(|scenario| scenario.name.clone()).collect();
    let name = |one: &'s Saved<'a>| {
        let name = free_name(one.view.name, &taken);
        taken.insert(name.clone());
        (one, name)
    };
    saved.iter().map(name).collect()
}

fn comment(text: &mut String, words: &str) {
    for line in wrap(&words.replace('\n', " "), WIDTH) {
        let _ = writeln!(text, "# {line}");
    }
}

/// `name`, or `name` with the first free number from 2 on.
fn free_name(name: &str, taken: &HashSet<String>) -> String {
    let numbered = (2_usize..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_somebody_has_gets_a_number() {
        let taken: HashSet<String> = ["best", "best (2)"].map(str::to_owned).into();
        assert_eq!(free_name("even", &taken), "even");
        assert_eq!(free_name("best", &taken), "best (3)");
    }
}

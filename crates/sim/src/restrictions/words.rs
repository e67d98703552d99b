//! What applications ask of a placement beside numbers of threads and nodes, in words.

use numasim_model::App;

/// The restrictions in force, as people would write them: instances of a group that ask the same are named together.
pub(super) fn describe(apps: &[App]) -> Vec<String> {
    let mut words = Vec::new();
    let multiple = |app: &App| app.placing.multiple_of.map(|step| format!("={step}"));
    words.extend(named("--threads-multiple", apps, multiple));
    words.extend(named("--max-nodes", apps, |app| app.placing.max_nodes.map(|most| format!("={most}"))));
    words.extend(named("--exclusive", apps, |app| app.placing.exclusive.then(String::new)));
    words
}

fn named(option: &str, apps: &[App], asked: impl Fn(&App) -> Option<String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for group in apps.chunk_by(|a, b| a.group == b.group) {
        let first = asked(&group[0]);
        if group.iter().all(|app| asked(app) == first) {
            words.extend(first.map(|value| format!("{option} {}{value}", group[0].group)));
        } else {
            let own = |app: &App| asked(app).map(|value| format!("{option} {}{value}", app.name));
            words.extend(group.iter().filter_map(own));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::testing::local_app;

    #[test]
    fn instances_that_ask_the_same_are_named_together() {
        let of = |name: &str| App { group: "mem".to_owned(), ..local_app(name, 1.0) };
        let mut apps = [of("mem-1"), of("mem-2"), local_app("other", 1.0)];
        apps[2].placing.exclusive = true;
        for app in &mut apps[..2] {
            app.placing.multiple_of = NonZeroU32::new(4);
        }
        apps[1].placing.max_nodes = Some(2);
        assert_eq!(describe(&apps), ["--threads-multiple mem=4", "--max-nodes mem-2=2", "--exclusive other"]);
    }
}

//! Constraints on single applications that do not come from the files, added to the study: numbers of threads, multiples, few nodes or L3
//! domains, exclusive nodes.

use std::num::{NonZeroU16, NonZeroU32};

use numasim_course::Study;
use numasim_model::App;

use crate::refusal::Refusal;
use crate::suggest;

/// A value for one application, or for every application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfApp<T> {
    /// The application, or all instances of a group; `None` is every application.
    pub app: Option<String>,
    /// The value.
    pub value: T,
}

/// The constraints on single applications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Exact number of threads over the whole machine.
    pub threads: Vec<OfApp<u32>>,
    /// The threads on each node are a multiple of this.
    pub threads_multiple: Vec<OfApp<NonZeroU32>>,
    /// Maximum number of nodes with threads.
    pub max_nodes: Vec<OfApp<NonZeroU16>>,
    /// An L3 domain has no threads or exactly this number.
    pub threads_per_l3: Vec<OfApp<NonZeroU32>>,
    /// Maximum number of L3 domains with threads, over the whole machine.
    pub max_l3: Vec<OfApp<NonZeroU16>>,
    /// No other application has threads on the nodes of these.
    pub exclusive: Vec<String>,
}

/// The study with the constraints on its applications.
///
/// # Errors
/// A name is not in the files or is given twice, or the files contradict a number of threads. Options are named as on the command line.
pub fn placed(mut study: Study, asked: &Asked) -> Result<Study, Refusal> {
    let Asked { threads, threads_multiple, max_nodes, threads_per_l3, max_l3, exclusive } = asked;
    named("--threads", &study.apps, threads.iter().map(|of| of.app.as_deref()))?;
    named("--threads-multiple", &study.apps, threads_multiple.iter().map(|of| of.app.as_deref()))?;
    named("--max-nodes", &study.apps, max_nodes.iter().map(|of| of.app.as_deref()))?;
    named("--threads-per-l3", &study.apps, threads_per_l3.iter().map(|of| of.app.as_deref()))?;
    named("--max-l3", &study.apps, max_l3.iter().map(|of| of.app.as_deref()))?;
    named("--exclusive", &study.apps, exclusive.iter().map(|app| Some(app.as_str())))?;
    for app in &mut study.apps {
        if let Some(threads) = figure_of(threads, app) {
            fix(app, threads)?;
        }
        let placing = &mut app.placing;
        placing.exclusive |= exclusive.iter().any(|name| *name == app.name || *name == app.group);
    }
    for app in &mut study.apps {
        let multiple_of = figure_of(threads_multiple, app);
        let max_nodes = figure_of(max_nodes, app).map(|most| usize::from(most.get()));
        app.placing.multiple_of = multiple_of.or(app.placing.multiple_of);
        app.placing.max_nodes = max_nodes.or(app.placing.max_nodes);
        app.placing.per_l3 = figure_of(threads_per_l3, app).or(app.placing.per_l3);
        let max_l3 = figure_of(max_l3, app).map(|most| usize::from(most.get()));
        app.placing.max_l3 = max_l3.or(app.placing.max_l3);
    }
    Ok(study)
}

/// The value for an application: its own, else that of its group, else that of all.
fn figure_of<T: Copy>(figures: &[OfApp<T>], app: &App) -> Option<T> {
    let of = |name: Option<&str>| figures.iter().find(|of| of.app.as_deref() == name).map(|of| of.value);
    of(Some(&app.name)).or_else(|| of(Some(&app.group))).or_else(|| of(None))
}

fn fix(app: &mut App, threads: u32) -> Result<(), Refusal> {
    let name = &app.name;
    let contradicted = |key: &str, limit: u32| {
        let message = format!("--threads {name}={threads} contradicts `{key}` {limit} of {name}");
        Refusal::said(message).hint(format!("change `{key}` in its [[app]] table, or the number of threads"))
    };
    if let Some(max) = app.max_threads.filter(|&max| max < threads) {
        return Err(contradicted("max_threads", max));
    }
    if threads < app.min_threads {
        return Err(contradicted("min_threads", app.min_threads));
    }
    (app.min_threads, app.max_threads) = (threads, Some(threads));
    Ok(())
}

/// Checks that every name is in the files and that no name is given twice.
fn named<'a>(
    option: &str,
    apps: &[App],
    names: impl Iterator<Item = Option<&'a str>>,
) -> Result<(), Refusal> {
    let mut seen: Vec<Option<&str>> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            let whose = name.map_or_else(|| "all applications".to_owned(), |name| format!("'{name}'"));
            return Err(Refusal::said(format!("{option} is given twice for {whose}")).hint("leave out one"));
        }
        seen.push(name);
        let Some(name) = name else { continue };
        let mut known: Vec<&str> =
            apps.iter().flat_map(|app| [app.group.as_str(), app.name.as_str()]).collect();
        known.sort_unstable();
        known.dedup();
        if !known.contains(&name) {
            let refusal = Refusal::said(format!("{option}: there is no application '{name}'"));
            return Err(match suggest::nearest(name, &known) {
                Some(near) => refusal.hint(format!("did you mean '{near}'?")),
                None => refusal.hint(format!("the applications are: {}", suggest::list(&known))),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::reading::read_study;
    use numasim_study::SourceFile;

    use super::*;

    const MACHINE: &str = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 8\ngflops_per_core = 1\nbandwidth_gbs = 1\nlink_gbs = 1\n";

    fn study() -> Study {
        let apps = "[[app]]\nname = \"a\"\narithmetic_intensity = 1\ninstances = 2\n[[app]]\nname = \"b\"\narithmetic_intensity = 1\nmax_threads = 4\n";
        let file = SourceFile { name: "m.toml".to_owned(), text: MACHINE.to_owned() + apps };
        read_study(&[file]).expect("a study").study
    }

    fn of<T>(app: Option<&str>, value: T) -> OfApp<T> {
        OfApp { app: app.map(str::to_owned), value }
    }

    #[test]
    fn the_own_figure_comes_before_that_of_the_group_and_of_all() {
        let most = |nodes| NonZeroU16::new(nodes).expect("not 0");
        let max_nodes = vec![of(None, most(3)), of(Some("a"), most(2)), of(Some("a-1"), most(1))];
        let asked = Asked { max_nodes, exclusive: vec!["a".to_owned()], ..Asked::default() };
        let apps = placed(study(), &asked).expect("known names").at_rest.apps;
        let found: Vec<_> = apps.iter().map(|app| (app.placing.max_nodes, app.placing.exclusive)).collect();
        assert_eq!(found, [(Some(1), true), (Some(2), true), (Some(3), false)]);
    }

    #[test]
    fn a_number_of_threads_that_the_files_forbid_is_refused() {
        let asked = Asked { threads: vec![of(Some("b"), 5)], ..Asked::default() };
        let text = placed(study(), &asked).expect_err("more than 4").text(false);
        assert!(text.contains("--threads b=5 contradicts `max_threads` 4 of b"), "{text}");
        let asked = Asked { threads: vec![of(Some("c"), 5)], ..Asked::default() };
        let text = placed(study(), &asked).expect_err("nobody").text(false);
        assert!(text.contains("there is no application 'c'"), "{text}");
    }
}

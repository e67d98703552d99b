//! What the command line asks of single applications, put into the study.

use numasim_model::{App, Study};

use crate::args::{OfApp, PlacingArgs};
use crate::failure::Failure;
use crate::suggest;

/// The study with what the command line asks of its applications.
pub(super) fn placed(mut study: Study, args: &PlacingArgs) -> Result<Study, Failure> {
    let fixed: Vec<OfApp<u32>> = args.threads().cloned().collect();
    named("--threads", &study.apps, fixed.iter().map(|of| of.app.as_deref()))?;
    named("--threads-multiple", &study.apps, args.threads_multiple.iter().map(|of| of.app.as_deref()))?;
    named("--max-nodes", &study.apps, args.max_nodes.iter().map(|of| of.app.as_deref()))?;
    named("--exclusive", &study.apps, args.exclusive.iter().map(|app| Some(app.as_str())))?;
    for app in &mut study.apps {
        if let Some(threads) = asked(&fixed, app) {
            fix(app, threads)?;
        }
        let placing = &mut app.placing;
        placing.exclusive |= args.exclusive.iter().any(|name| *name == app.name || *name == app.group);
    }
    for app in &mut study.apps {
        let multiple_of = asked(&args.threads_multiple, app);
        let max_nodes = asked(&args.max_nodes, app).map(|most| usize::from(most.get()));
        app.placing.multiple_of = multiple_of.or(app.placing.multiple_of);
        app.placing.max_nodes = max_nodes.or(app.placing.max_nodes);
    }
    Ok(study)
}

/// The figure of an application: its own, else that of its group, else that of all.
fn asked<T: Copy>(figures: &[OfApp<T>], app: &App) -> Option<T> {
    let of = |name: Option<&str>| figures.iter().find(|of| of.app.as_deref() == name).map(|of| of.value);
    of(Some(&app.name)).or_else(|| of(Some(&app.group))).or_else(|| of(None))
}

fn fix(app: &mut App, threads: u32) -> Result<(), Failure> {
    let name = &app.name;
    let contradicted = |key: &str, limit: u32| {
        let message = format!("--threads {name}={threads} contradicts `{key}` {limit} of {name}");
        Failure::input(message).hint(format!("change `{key}` in its [[app]] table, or the number of threads"))
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

/// Every name is one of the files, and none stands twice.
fn named<'a>(
    option: &str,
    apps: &[App],
    names: impl Iterator<Item = Option<&'a str>>,
) -> Result<(), Failure> {
    let mut seen: Vec<Option<&str>> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            let whose = name.map_or_else(|| "all applications".to_owned(), |name| format!("'{name}'"));
            return Err(Failure::input(format!("{option} is given twice for {whose}")).hint("leave out one"));
        }
        seen.push(name);
        let Some(name) = name else { continue };
        let mut known: Vec<&str> =
            apps.iter().flat_map(|app| [app.group.as_str(), app.name.as_str()]).collect();
        known.sort_unstable();
        known.dedup();
        if !known.contains(&name) {
            let failure = Failure::input(format!("{option}: there is no application '{name}'"));
            return Err(match suggest::nearest(name, &known) {
                Some(near) => failure.hint(format!("did you mean '{near}'?")),
                None => failure.hint(format!("the applications are: {}", suggest::list(&known))),
            });
        }
    }
    Ok(())
}

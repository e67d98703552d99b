//! What a report says in words: its question, and the commands that make it again.

use std::path::Path;

use numasim_ask::compare::Compared;
use numasim_bench::provenance::Provenance;
use numasim_model::Study;

use super::explored::SAVED;
use super::inputs::Inputs;
use crate::args::Page;
use crate::report::{Explored, Repeated, Simulations, Tasks};
use crate::view::figures;

/// What was asked, in one sentence.
pub(super) fn question(
    study: &Study,
    compared: Option<&Compared>,
    simulations: Option<&Simulations>,
    tasks: Option<&Tasks>,
    explored: Option<&Explored>,
) -> String {
    let machine = study.machine.name();
    let apps = figures::count(study.apps.len() as u64, "application");
    if let Some(explored) = explored {
        return format!(
            "Which threads of {apps} belong where on {machine}, for {} under the model {}?",
            explored.objective,
            study.machine.sharing().name()
        );
    }
    let scenarios = |count: usize| figures::count(count as u64, "scenario");
    if let (Some(simulations), true) = (simulations, study.scenarios.is_empty()) {
        let policies = simulations.courses.len() + simulations.without.len();
        return format!(
            "What does the model {} predict for {machine} when {apps} run over time, with {}?",
            study.machine.sharing().name(),
            if policies == 1 { "1 policy".to_owned() } else { format!("{policies} policies") }
        );
    }
    if let (Some(tasks), true) = (tasks, study.scenarios.is_empty()) {
        let schedulers = tasks.runs.len() + tasks.without.len();
        return format!(
            "How long do the tasks of {} take on {machine}, as the model {} has it, under {}?",
            tasks.facts.name,
            study.machine.sharing().name(),
            figures::count(schedulers as u64, "scheduler")
        );
    }
    match compared.map(|view| view.comparison.scenarios.len()) {
        None => format!(
            "What does the model {} predict for {machine} in {} of {apps}?",
            study.machine.sharing().name(),
            scenarios(study.scenarios.len())
        ),
        Some(1) => format!("Does the model predict what {machine} does in one scenario of {apps}?"),
        Some(count) => format!(
            "Does the model predict what {machine} does in {} of {apps}, and does it pick the best of them?",
            scenarios(count)
        ),
    }
}

/// The commands that make the measurements, the comparison and the page again.
pub(super) fn commands(
    page: &Page,
    inputs: &Inputs,
    known: Option<&Provenance>,
    study: &Study,
    (simulations, tasks): (Option<&Simulations>, Option<&Tasks>),
    explored: Option<&Explored>,
) -> Vec<Repeated> {
    let mut commands = Vec::new();
    if let Some(known) = known.filter(|known| !known.command.is_empty()) {
        // The path of the program is that of another host.
        let words = std::iter::once("numasim").chain(known.command.iter().skip(1).map(String::as_str));
        commands.push(Repeated { what: "Measure", line: words.map(quoted).collect::<Vec<_>>().join(" ") });
    }
    let path = |path: &Path| path.display().to_string();
    let model =
        page.model.map(|model| vec!["--model".to_owned(), model.name().to_owned()]).unwrap_or_default();
    let files: Vec<String> = inputs.files.iter().map(|file| path(file)).collect();
    let line = |command: &str, rest: &[Vec<String>]| {
        let words =
            ["numasim".to_owned(), command.to_owned()].into_iter().chain(rest.iter().flatten().cloned());
        words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
    };
    if let Some(bundle) = inputs.bundle_file() {
        commands.push(Repeated { what: "Unpack", line: format!("tar --zstd -xf {}", quoted(&path(bundle))) });
    }
    let files = match explored {
        Some(explored) => {
            let options = ["--objective", explored.objective, "--models", "all", "--simple", "--sensitivity"];
            let limit = ["--time-limit".to_owned(), page.time_limit.as_secs_f64().to_string()];
            let options = options.map(str::to_owned).into_iter().chain(limit).collect();
            let save = ["--save", SAVED].map(str::to_owned).into();
            commands.push(Repeated {
                what: "Search, and save what is found",
                line: line("explore", &[files.clone(), options, save, model.clone()]),
            });
            files.into_iter().chain([SAVED.to_owned()]).collect()
        }
        None => files,
    };
    match &inputs.measured {
        Some(csv) => {
            let measured = vec!["--measured".to_owned(), path(csv)];
            let words = [files.clone(), measured, model.clone()];
            commands.push(Repeated { what: "Compare", line: line("compare", &words) });
        }
        None if study.scenarios.is_empty() => {}
        None => {
            let words = [files.clone(), model.clone()];
            commands.push(Repeated { what: "Evaluate", line: line("evaluate", &words) });
        }
    }
    let option = |name: &str, value: Option<String>| {
        value.map(|value| vec![name.to_owned(), value]).unwrap_or_default()
    };
    let until = option("--until", page.until.map(|until| until.to_string()));
    if let Some(simulations) = simulations {
        let policies = simulations.courses.iter().map(|course| course.simulated.policy.clone());
        let policies = policies.flat_map(|policy| ["--policy".to_owned(), policy]).collect();
        let words = [files.clone(), policies, until.clone(), model.clone()];
        commands.push(Repeated { what: "Simulate", line: line("simulate", &words) });
    }
    if let Some(tasks) = tasks {
        let names: Vec<&str> = tasks.runs.iter().map(|(tasked, _)| tasked.scheduler.as_str()).collect();
        let words = [files, option("--scheduler", Some(names.join(","))), model.clone()];
        commands.push(Repeated { what: "Simulate the tasks", line: line("tasks", &words) });
    }
    let schedulers: Vec<&str> = page.scheduler.iter().map(|kind| kind.as_str()).collect();
    let schedulers = option("--scheduler", Some(schedulers.join(",")).filter(|names| !names.is_empty()));
    let policies =
        page.policy.iter().flat_map(|policy| ["--policy".to_owned(), policy.to_string()]).collect();
    let interactive = page.interactive.iter().map(|named| match named {
        Some(file) => format!("--interactive={}", path(file)),
        None => "--interactive".to_owned(),
    });
    let interactive = interactive.collect();
    let again = line(
        "report",
        &[
            inputs.named.iter().map(|one| path(one)).collect(),
            option("--measured", inputs.named_measured.as_deref().map(path)),
            model,
            policies,
            schedulers,
            until,
            option("--objective", explored.map(|explored| explored.objective.to_owned())),
            option("--title", page.title.clone()),
            interactive,
            option("-o", Some("report.html".to_owned())),
        ],
    );
    commands.push(Repeated { what: "Reproduce this page", line: again });
    commands
}

/// A word for a shell.
pub(in crate::commands) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell_where_they_must_be() {
        assert_eq!(
            ["a/b-1.toml", "two words", "it's", ""].map(quoted),
            ["a/b-1.toml", "'two words'", "'it'\\''s'", "''"]
        );
    }
}

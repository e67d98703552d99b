//! Simulations for people: one in full, or several side by side.

use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_dynamic::Run;
use numasim_evidence::statistics;
use numasim_model::Study;
use numasim_model::dynamics::PolicyChoice;
use numasim_model::units::Seconds;

use super::super::{Style, figures, machine_title};
use super::{Simulated, mb, mean_gflops};

/// The machine, then the one simulation, or a row for each policy.
pub(crate) fn table(study: &Study, runs: &[Simulated], style: &Style) -> String {
    let model = study.machine.sharing().in_words();
    let mut text = format!("Machine: {}\nModel:   {model}\n", machine_title(&study.machine));
    // Writing to a String cannot fail.
    match runs {
        [only] => {
            let _ = write!(
                text,
                "Policy:  {}\n\n{}",
                policy(only, &study.dynamics.policy),
                one(study, only, style)
            );
        }
        several => {
            let _ = write!(text, "\n{}", side_by_side(study, several, style));
        }
    }
    text
}

/// `lead:2, asked every 80 ms; orders arrive after 1 ms`
fn policy(simulated: &Simulated, choice: &PolicyChoice) -> String {
    let name = &simulated.policy;
    if matches!(name.as_str(), "none" | "script") {
        return name.clone();
    }
    let ms = |time: Seconds| figures::short(time.value() * 1e3);
    let asked = if choice.period.value() > 0.0 {
        format!("asked every {} ms", ms(choice.period))
    } else {
        "asked whenever something changes".to_owned()
    };
    let arrive = if choice.command_delay.value() > 0.0 {
        format!("; orders arrive after {} ms", ms(choice.command_delay))
    } else {
        String::new()
    };
    format!("{name}, {asked}{arrive}")
}

/// A column of figures; what is not there is `-`.
fn column(values: impl Iterator<Item = Option<f64>>) -> Vec<String> {
    figures::column(&values.map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<_>>())
}

/// Rows of names and columns of figures.
fn grid(name: &str, names: Vec<String>, columns: &[(&str, Vec<String>)], style: &Style) -> String {
    let mut heads = vec![(name, Align::Left)];
    heads.extend(columns.iter().map(|(head, _)| (*head, Align::Right)));
    let mut grid = Grid::new(&heads);
    for (r, name) in names.into_iter().enumerate() {
        let cells = columns.iter().map(|(_, cells)| cells.get(r).cloned().unwrap_or_default());
        grid.row(std::iter::once(name).chain(cells).collect());
    }
    grid.render(style)
}

fn one(study: &Study, simulated: &Simulated, style: &Style) -> String {
    let run = &simulated.run;
    let mut text = String::new();
    let end = figures::single(run.time.value());
    if simulated.is_partial() {
        let partial =
            format!("Partial: ended by Ctrl-C after {end} s of simulated time; all figures are until then.");
        let _ = write!(text, "{}\n\n", wrap(&partial, style.columns()).join("\n"));
    }
    let names = || study.apps.iter().map(|app| app.name.clone()).collect::<Vec<_>>();
    let apps = || run.apps.iter();
    let value = |time: Option<Seconds>| time.map(Seconds::value);
    text += &grid(
        "application",
        names(),
        &[
            ("arrived\ns", column(apps().map(|app| value(app.arrived)))),
            ("finished\ns", column(apps().map(|app| value(app.finished)))),
            ("iterations", apps().map(|app| app.iterations.to_string()).collect()),
            ("work\nGFLOP", column(apps().map(|app| Some(app.work.value())))),
            ("mean\nGFLOPS", column(apps().map(|app| Some(mean_gflops(app, run))))),
            ("mean\nthreads", column(apps().map(|app| Some(app.mean_threads)))),
        ],
        style,
    );
    text.push('\n');
    text += &grid(
        "application",
        names(),
        &[
            ("waits for\ninput s", column(apps().map(|app| Some(app.waited_input.value())))),
            ("waits for\nroom s", column(apps().map(|app| Some(app.waited_output.value())))),
            ("waits for\na call s", column(apps().map(|app| Some(app.waited_call.value())))),
            ("idle\nthread-s", column(apps().map(|app| Some(app.idle.value())))),
            ("blocked\nthread-s", column(apps().map(|app| Some(app.blocked.value())))),
            ("sharing cores\nthread-s", column(apps().map(|app| Some(app.shared.value())))),
        ],
        style,
    );
    if !run.channels.is_empty() {
        let name = |app: numasim_model::AppId| study.apps[app.0].name.clone();
        let channels = || run.channels.iter().zip(&study.dynamics.channels);
        text.push('\n');
        text += &grid(
            "channel",
            run.channels
                .iter()
                .map(|channel| format!("{} {} {}", name(channel.from), style.arrow(), name(channel.to)))
                .collect(),
            &[
                ("most\nitems", run.channels.iter().map(|channel| channel.max_items.to_string()).collect()),
                ("mean\nitems", column(run.channels.iter().map(|channel| Some(channel.mean_items)))),
                ("most\nMB", column(channels().map(|(run, of)| Some(mb(of, run.max_items as f64))))),
                ("mean\nMB", column(channels().map(|(run, of)| Some(mb(of, run.mean_items))))),
            ],
            style,
        );
    }
    text.push('\n');
    text += &totals(simulated, &end);
    text
}

fn totals(simulated: &Simulated, end: &str) -> String {
    let run = &simulated.run;
    let mut text = String::new();
    let makespan = match simulated.makespan_s() {
        Some(makespan) => format!("{} s", figures::single(makespan)),
        None => format!("not finished after {end} s"),
    };
    let _ = writeln!(text, "Makespan:    {makespan}");
    if let Some(bound) = simulated.lower_bound_s {
        let because = simulated.bound_by.as_ref().map_or(String::new(), |why| format!(": {why}"));
        let _ = writeln!(text, "Lower bound: {} s under any policy{because}", figures::single(bound));
        if let Some(above) = simulated.above_bound() {
            let _ = writeln!(text, "             the makespan is {:.1} % above it", above.max(0.0) * 100.0);
        }
    }
    if let Some(cluster) = simulated.cluster {
        let _ = writeln!(
            text,
            "Cluster:     {} s, {} times as fast as static-even on all nodes",
            figures::single(cluster.makespan.value()),
            figures::rounded(cluster.speedup)
        );
    }
    let _ = writeln!(text, "Performance: {} GFLOPS on average", figures::single(gflops(run)));
    let _ = writeln!(
        text,
        "Orders:      {}; {} unblocked by them",
        figures::count(run.commands, "order"),
        figures::count(run.core_moves, "thread")
    );
    if run.reaction.count > 0 {
        let _ = writeln!(
            text,
            "Reaction:    {} s on average, {} s at most, from an order to the last thread that blocks",
            figures::rounded(run.reaction.mean.value()),
            figures::rounded(run.reaction.max.value())
        );
    }
    let _ = writeln!(text, "Events:      {}", run.events);
    text
}

/// GFLOPS of all applications together, on average over the whole time.
fn gflops(run: &Run) -> f64 {
    let seconds = run.time.value();
    if seconds > 0.0 { run.work().value() / seconds } else { 0.0 }
}

/// The simulations of one policy.
struct OfPolicy<'a> {
    runs: Vec<&'a Simulated>,
}

impl OfPolicy<'_> {
    fn mean(&self, value: impl Fn(&Simulated) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<f64>> = self.runs.iter().map(|run| value(run)).collect();
        statistics::mean(&values?)
    }

    fn makespans(&self) -> Option<Vec<f64>> {
        self.runs.iter().map(|run| run.makespan_s()).collect()
    }

    fn max(&self, value: impl Fn(&Simulated) -> f64) -> f64 {
        self.runs.iter().map(|run| value(run)).fold(0.0, f64::max)
    }
}

fn side_by_side(study: &Study, runs: &[Simulated], style: &Style) -> String {
    let mut policies: Vec<OfPolicy> = Vec::new();
    for run in runs {
        let is_new_seed = |known: &OfPolicy| {
            known.runs[0].policy == run.policy && known.runs.iter().all(|other| other.seed != run.seed)
        };
        match policies.last_mut().filter(|known| is_new_seed(known)) {
            Some(known) => known.runs.push(run),
            None => policies.push(OfPolicy { runs: vec![run] }),
        }
    }
    let several = policies.iter().any(|policy| policy.runs.len() > 1);
    let all = || policies.iter();
    let first = policies.first().and_then(|policy| policy.mean(Simulated::makespan_s));
    let percent = |part: Option<f64>| part.map_or("-".to_owned(), |part| format!("{:.1} %", part * 100.0));
    let mut columns = vec![(
        if several { "mean\nmakespan s" } else { "makespan\ns" },
        column(all().map(|policy| policy.mean(Simulated::makespan_s))),
    )];
    if several {
        let spread = |policy: &OfPolicy| policy.makespans().and_then(|values| statistics::spread(&values));
        columns.push(("spread", all().map(|policy| percent(spread(policy))).collect()));
    }
    let ratio = |policy: &OfPolicy| {
        let (makespan, first) = policy.mean(Simulated::makespan_s).zip(first)?;
        (first > 0.0).then(|| format!("{:.3}", makespan / first))
    };
    let ratios = all().map(|policy| ratio(policy).unwrap_or_else(|| "-".to_owned()));
    columns.push(("ratio to\nthe first", ratios.collect()));
    if runs.iter().any(|run| run.above_bound().is_some()) {
        columns.push(("lower\nbound s", column(all().map(|policy| policy.mean(|run| run.lower_bound_s)))));
        let above = |policy: &OfPolicy| policy.mean(Simulated::above_bound).map(|above| above.max(0.0));
        columns.push(("above\nit", all().map(|policy| percent(above(policy))).collect()));
    }
    if runs.iter().any(|run| run.cluster.is_some()) {
        let cluster =
            |policy: &OfPolicy| policy.mean(|run| run.cluster.map(|cluster| cluster.makespan.value()));
        columns.push(("cluster\ns", column(all().map(cluster))));
    }
    columns.push(("mean\nGFLOPS", column(all().map(|policy| policy.mean(|run| Some(gflops(&run.run)))))));
    if !study.dynamics.channels.is_empty() {
        let stored = |policy: &OfPolicy| policy.max(|run| run.most_stored_mb(study));
        columns.push(("channels\nmost MB", column(all().map(|policy| Some(stored(policy))))));
    }
    let rounded = |value: f64| figures::short((value * 10.0).round() / 10.0);
    let mean = |policy: &OfPolicy, value: fn(&Simulated) -> u64| {
        policy.mean(|run| Some(value(run) as f64)).map_or("-".to_owned(), rounded)
    };
    columns.push(("orders", all().map(|policy| mean(policy, |run| run.run.commands)).collect()));
    columns
        .push(("threads\nunblocked", all().map(|policy| mean(policy, |run| run.run.core_moves)).collect()));
    let longest = |policy: &OfPolicy| policy.max(|run| run.run.reaction.max.value());
    if all().any(|policy| longest(policy) > 0.0) {
        let reaction = |policy: &OfPolicy| policy.mean(|run| Some(run.run.reaction.mean.value()));
        columns.push(("mean\nreaction s", column(all().map(reaction))));
        columns.push(("longest\nreaction s", column(all().map(|policy| Some(longest(policy))))));
    }
    columns.push(("events", all().map(|policy| mean(policy, |run| run.run.events)).collect()));
    let names = all().map(|policy| policy.runs[0].policy.clone()).collect();
    let mut text = grid("policy", names, &columns, style);
    let mut notes = Vec::new();
    if several {
        let most = policies.iter().map(|policy| policy.runs.len()).max().unwrap_or_default();
        notes.push(format!(
            "Means over {}; spread: sample standard deviation over mean.",
            figures::count(most as u64, "seed")
        ));
    }
    let partial = runs.iter().filter(|run| run.is_partial()).count();
    if partial > 0 {
        notes.push(format!("Partial: Ctrl-C ended {} early.", figures::count(partial as u64, "simulation")));
    }
    let unfinished = runs.iter().filter(|run| run.makespan_s().is_none() && !run.is_partial()).count();
    if unfinished > 0 {
        notes.push(format!(
            "In {} not every application finished.",
            figures::count(unfinished as u64, "simulation")
        ));
    }
    for note in notes {
        let _ = write!(text, "\n{}\n", wrap(&note, style.columns()).join("\n"));
    }
    text
}

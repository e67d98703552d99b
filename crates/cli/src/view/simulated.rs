//! Results of simulations: pure functions from runs to a table.

use std::fmt::Write as _;

pub(crate) use numasim_ask::simulate::Simulated;
use numasim_ask::simulate::{mb, mean_of_all};
use numasim_ask::table::{Of, grid};
use numasim_ask::tables::{self, percent};
use numasim_ask::wording::common_unit;
use numasim_course::{Channel, PolicyChoice, Study};
use numasim_draw::grid::wrap;
use numasim_dynamic::{ChannelRun, Run};
use numasim_evidence::statistics;
use numasim_model::units::Seconds;

use crate::view::{Style, figures, machine_title};

// Simulations for people: one in full, or several side by side.

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

fn one(study: &Study, simulated: &Simulated, style: &Style) -> String {
    let run = &simulated.run;
    let mut text = String::new();
    let end = figures::single(run.time.value());
    if simulated.is_partial() {
        let partial =
            format!("Partial: ended by Ctrl-C after {end} s of simulated time; all figures are until then.");
        let _ = write!(text, "{}\n\n", wrap(&partial, style.columns()).join("\n"));
    }
    let rows: Vec<tables::Ran> = tables::Ran::all(&study.apps, std::slice::from_ref(simulated)).collect();
    let (work, waits) = (tables::Ran::work(&study.apps), tables::Ran::waits());
    text += &grid(&work, &rows).render(style);
    text.push('\n');
    text += &grid(work[..1].iter().chain(&waits), &rows).render(style);
    if !run.channels.is_empty() {
        text.push('\n');
        text += &channels(study, run, style);
    }
    text.push('\n');
    text += &totals(study, simulated, &end);
    text
}

fn channels(study: &Study, run: &Run, style: &Style) -> String {
    type Row<'v> = (&'v ChannelRun, &'v Channel);
    let name = |app: numasim_model::AppId| study.apps[app.0].name.as_str();
    let number = |key, title, value: fn(&Row) -> f64| Of::number(key, value).titled(title).rounded();
    let columns = [
        Of::text("channel", |(run, _): &Row| {
            format!("{} {} {}", name(run.from), style.arrow(), name(run.to))
        }),
        Of::count("max_items", |(run, _): &Row| run.max_items).titled("most\nitems"),
        number("mean_items", "mean\nitems", |(run, _)| run.mean_items),
        number("max_mb", "most\nMB", |(run, channel)| mb(channel, run.max_items as f64)),
        number("mean_mb", "mean\nMB", |(run, channel)| mb(channel, run.mean_items)),
    ];
    let rows: Vec<Row> = run.channels.iter().zip(&study.dynamics.channels).collect();
    grid(&columns, &rows).render(style)
}

fn totals(study: &Study, simulated: &Simulated, end: &str) -> String {
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
    let (mean, unit) = mean_of_all(study, run);
    let _ = writeln!(text, "Performance: {} {unit} on average", figures::single(mean));
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
    let first = policies.first().and_then(|policy| policy.mean(Simulated::makespan_s));
    let spread = |policy: &OfPolicy| policy.makespans().and_then(|values| statistics::spread(&values));
    let ratio = move |policy: &OfPolicy| {
        let (makespan, first) = policy.mean(Simulated::makespan_s).zip(first)?;
        (first > 0.0).then(|| makespan / first)
    };
    let above = |policy: &OfPolicy| policy.mean(Simulated::above_bound).map(|above| above.max(0.0));
    let mean = |key, title, value: fn(&Simulated) -> Option<f64>| {
        Of::number(key, move |policy: &OfPolicy| policy.mean(value)).titled(title)
    };
    let count = |key, title, value: fn(&Simulated) -> Option<f64>| {
        mean(key, title, value).written(|mean| figures::short((mean * 10.0).round() / 10.0))
    };
    let longest = |policy: &OfPolicy| policy.max(|run| run.run.reaction.max.value());
    let stored = |policy: &OfPolicy| policy.max(|run| run.most_stored_mb(study));
    let bounded = runs.iter().any(|run| run.above_bound().is_some());
    let reacts = policies.iter().any(|policy| longest(policy) > 0.0);
    let makespan = if several { "mean\nmakespan s" } else { "makespan\ns" };
    let columns = [
        Of::text("policy", |policy: &OfPolicy| policy.runs[0].policy.clone()),
        mean("makespan_s", makespan, Simulated::makespan_s).rounded(),
        Of::number("spread", spread).written(percent).only_if(several),
        Of::number("ratio", ratio).titled("ratio to\nthe first").written(|ratio| format!("{ratio:.3}")),
        mean("lower_bound_s", "lower\nbound s", |run| run.lower_bound_s).rounded().only_if(bounded),
        Of::number("above", above).titled("above\nit").written(percent).only_if(bounded),
        mean("cluster_s", "cluster\ns", |run| run.cluster.map(|cluster| cluster.makespan.value()))
            .rounded()
            .only_if(runs.iter().any(|run| run.cluster.is_some())),
        Of::number("mean_gflops", |policy: &OfPolicy| {
            policy.mean(|run| Some(mean_of_all(study, &run.run).0))
        })
        .titled(format!("mean\n{}", common_unit(&study.apps).unwrap_or("GFLOPS")))
        .rounded(),
        Of::number("stored_mb", stored)
            .titled("channels\nmost MB")
            .rounded()
            .only_if(!study.dynamics.channels.is_empty()),
        count("commands", "orders", |run| Some(run.run.commands as f64)),
        count("core_moves", "threads\nunblocked", |run| Some(run.run.core_moves as f64)),
        mean("reaction_s", "mean\nreaction s", |run| Some(run.run.reaction.mean.value()))
            .rounded()
            .only_if(reacts),
        Of::number("longest_s", longest).titled("longest\nreaction s").rounded().only_if(reacts),
        count("events", "events", |run| Some(run.run.events as f64)),
    ];
    let mut text = grid(&columns, &policies).render(style);
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

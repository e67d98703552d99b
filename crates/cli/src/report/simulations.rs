//! Applications over time: the policies side by side, a picture of each, and values at a time that the reader selects.

use maud::{Markup, html};
use numasim_ask::compare::percent;
use numasim_ask::table::{Cell, Of};
use numasim_ask::wording::{common_unit, unit_title};
use numasim_model::App;
use numasim_model::units::Seconds;
use numasim_tasks::{IdleReason, Traffic};
use serde_json::Value;

use crate::report::contents::{Course, Report, Simulations, Tasks};
use crate::report::html::{self, Shown, figure, scrolling};
use crate::view::figures;
use crate::view::simulated::Simulated;
use crate::view::tasked::{Tasked, bound_in_words, idle_in_words};

/// With more applications, the times of their ends are only in the JSON.
pub(crate) const MOST_APPS: usize = 200;

pub(super) fn section(report: &Report<'_>) -> Markup {
    let Some(simulations) = report.simulations else { return html! {} };
    html! {
        p {
            "Simulated on the model: when the applications run, on which cores, and when each is finished. Nothing of this is \
             measured."
        }
        @if !simulations.courses.is_empty() {
            (scrolling("Policies", &policies(simulations)))
            (scrolling("Applications", &applications(report, simulations)))
        }
        @for (policy, why) in &simulations.without {
            p.note { "No result with policy " (policy) ": " (why) "." }
        }
        (moment(report, simulations))
        @for (run, course) in simulations.courses.iter().enumerate() { (picture(run, course)) }
    }
}

/// The policy with the shortest makespan, in a sentence.
pub(super) fn best(simulations: &Simulations) -> Markup {
    let makespan = |course: &Course| course.simulated.run.makespan.map(Seconds::value);
    let known = simulations.courses.iter().enumerate().filter_map(|(r, course)| Some((r, makespan(course)?)));
    let Some((r, shortest)) = known.reduce(|best, next| if next.1 < best.1 { next } else { best }) else {
        return html! {};
    };
    let course = &simulations.courses[r];
    html! {
        p {
            "Over time the applications are finished after "
            (Shown::simulated(figures::single(shortest), format!("/runs/{r}/makespan_s")).inline()) " s with policy " (course.simulated.policy)
            @if simulations.courses.len() > 1 { ", the best of " (simulations.courses.len()) " (" a href="#time" { "Over time" } ")" } "."
        }
    }
}

/// A row for each policy.
fn policies(simulations: &Simulations) -> Markup {
    let runs: Vec<&Simulated> = simulations.courses.iter().map(|course| &course.simulated).collect();
    let makespan = |one: &&Simulated| one.run.makespan.map(Seconds::value);
    let first = runs.first().and_then(makespan).filter(|first| *first > 0.0);
    let ratio = move |one: &&Simulated| Some(makespan(one)? / first?);
    let at = |key: &'static str| move |r: usize, _: &&Simulated| format!("simulation#/runs/{r}/{key}");
    let columns = [
        Of::text("policy", |one: &&Simulated| one.policy.clone()),
        Of::number("makespan s", makespan).rounded().at(at("makespan_s")),
        Of::number("ratio", ratio).written(|ratio| format!("{ratio:.3}")),
        Of::number("lower bound s", |one: &&Simulated| one.lower_bound_s)
            .rounded()
            .at(at("lower_bound_s"))
            .only_if(runs.iter().any(|one| one.lower_bound_s.is_some())),
        Of::count("orders", |one: &&Simulated| one.run.commands).at(at("commands")),
        Of::count("threads unblocked", |one: &&Simulated| one.run.core_moves).at(at("core_moves")),
        Of::count("events", |one: &&Simulated| one.run.events).at(at("events")),
    ];
    html::table("Policies; the ratio is to the first", &columns, &runs)
}

/// End of each application, with a column for each policy.
fn applications(report: &Report<'_>, simulations: &Simulations) -> Markup {
    type Row<'a> = (usize, &'a App);
    let apps = &report.study.apps;
    let in_json = simulations.document["runs"][0]["apps"].as_array().map_or(0, Vec::len);
    let listed = apps.len().min(MOST_APPS).min(in_json);
    let mut columns = vec![Of::text("application", |(_, app): &Row| app.name.clone())];
    columns.extend(simulations.courses.iter().enumerate().map(|(r, course)| {
        let times = &course.simulated.run.apps;
        let finished = move |&(a, _): &Row| times.get(a)?.finished.map(Seconds::value);
        Of::number("finished_s", finished)
            .titled(course.simulated.policy.as_str())
            .rounded()
            .at(move |a, _| format!("simulation#/runs/{r}/apps/{a}/finished_s"))
    }));
    let rows: Vec<Row> = apps.iter().enumerate().take(listed).collect();
    html! {
        (html::table("When each application is finished, in seconds", &columns, &rows))
        @if apps.len() > listed {
            p.faint {
                "The first " (listed) " applications of " (apps.len()) "; "
                @if simulations.is_whole { "the JSON in this page has all." } @else {
                    code { "numasim simulate --format json" } " has all."
                }
            }
        }
    }
}

/// The values at a selected time. Shown only by the script: without it, pictures and tables show the same for all times. Empty if there
/// are too many applications for a table: the pictures show the largest ones.
fn moment(report: &Report<'_>, simulations: &Simulations) -> Markup {
    let Some(Value::Object(run)) = simulations.strips.pointer("/runs/0") else { return html! {} };
    let list = |key: &str| run.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (nodes, apps, channels) = (list("nodes"), list("apps"), list("channels"));
    if simulations.end_s() <= 0.0 {
        return html! {};
    }
    html! {
        div.moment hidden {
            h3 id="moment-title" { "At a time" }
            div.choice {
                label for="moment" { "Time" }
                input type="range" id="moment" min="0" max="1000" value="0";
                output for="moment" id="moment-time" {}
            }
            @if simulations.courses.len() > 1 {
                div.choice {
                    label for="moment-policy" { "Policy" }
                    select id="moment-policy" {
                        @for (r, course) in simulations.courses.iter().enumerate() {
                            option value=(r) { (course.simulated.policy) }
                        }
                    }
                }
            }
            (scrolling(&format!("Cores and {} at this time", unit_title(&report.study.apps)), &cores(nodes, apps, &report.study.apps)))
            @if !channels.is_empty() { (scrolling("Items at this time", &items(channels))) }
            p.faint {
                "Means over a slot of time; "
                @if simulations.courses.len() > 1 { "each policy has slots of a different length. " }
                "The line in each picture below is this time."
            }
        }
    }
}

/// A value at the selected time; `pointer` is that of all its slots.
fn slot(values: Option<&Value>, pointer: &str) -> Markup {
    let first = values.and_then(|values| values.get(0)).and_then(Value::as_f64);
    let place = first.map(|_| format!("strips#{pointer}/0"));
    html! { td.n data-at=(pointer) data-json=[place] { (first.map_or("-".to_owned(), figures::short)) } }
}

/// Adds the unit of each application, if there are several.
fn cores(nodes: &[Value], strips: &[Value], apps: &[App]) -> Markup {
    let what = [("cores", "cores"), ("gflops", unit_title(apps))];
    let is_mixed = common_unit(apps).is_none();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    html! {
        table {
            thead {
                tr { td {} @for (_, title) in what { th.group colspan=(nodes.len()) scope="colgroup" { (title) } } }
                tr {
                    th scope="col" { "application" }
                    @for _ in what { @for node in nodes { th.n scope="col" { (text(node)) } } }
                }
            }
            tbody {
                @for (a, (strip, app)) in strips.iter().zip(apps).enumerate() {
                    tr {
                        th scope="row" { (app.name) @if is_mixed { " (" (app.unit()) ")" } }
                        @for (key, _) in what { @for node in 0..nodes.len() {
                            (slot(strip[key].get(node), &format!("/runs/0/apps/{a}/{key}/{node}")))
                        } }
                    }
                }
            }
        }
    }
}

fn items(channels: &[Value]) -> Markup {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    html! {
        table {
            thead { tr {
                th scope="col" { "channel" } th.n scope="col" { "items" } th.n scope="col" { "most" }
            } }
            tbody {
                @for (c, channel) in channels.iter().enumerate() {
                    tr {
                        th scope="row" { (text(&channel["from"])) " → " (text(&channel["to"])) }
                        (slot(Some(&channel["items"]), &format!("/runs/0/channels/{c}/items")))
                        (slot(Some(&channel["most"]), &format!("/runs/0/channels/{c}/most")))
                    }
                }
            }
        }
    }
}

/// A picture, and the position of the time axis in it.
fn picture(run: usize, course: &Course) -> Markup {
    let area = course.area;
    let pixels = |value: f64| format!("{value:.1}");
    html! {
        div.course data-run=(run) data-left=(pixels(area.left)) data-right=(pixels(area.right)) data-top=(pixels(area.top))
            data-bottom=(pixels(area.bottom)) { (figure(&course.figure)) }
    }
}

// A graph of tasks: schedulers side by side, the sources of their bytes, reasons for idle cores, and a chart of each.

pub(super) fn tasks_section(report: &Report<'_>) -> Markup {
    let Some(tasks) = report.tasks else { return html! {} };
    let facts = &tasks.facts;
    let first = tasks.runs.first().map(|(tasked, _)| tasked);
    let mut bounds: Vec<String> = runs(tasks).map(|tasked| bound_in_words(tasked.bound.because_of)).collect();
    bounds.dedup();
    html! {
        p {
            b { (facts.name) } ": " (figures::count(facts.tasks as u64, "task")) " on "
            (figures::count(facts.blocks as u64, "block")) " of data, " (figures::count(facts.edges as u64, "edge"))
            " between them, " (facts.span) " tasks on the longest path. Simulated on the model: which task runs on which core, \
             and when. Nothing of this is measured."
        }
        @if let Some(first) = first {
            (scrolling("Schedulers", &schedulers(tasks)))
            p.faint {
                "No schedule is shorter than the lower bound: " (bounds.join("; ")) ". Pages: " (first.placement.as_str())
                "; seed " (first.seed) "."
            }
            @if runs(tasks).any(|tasked| tasked.run.traffic.total() > 0.0) { (scrolling("Bytes", &bytes(tasks))) }
            @if runs(tasks).any(|tasked| tasked.run.idle > 0.0) { (scrolling("Idle cores", &idle(tasks))) }
        }
        @for (scheduler, why) in &tasks.without {
            p.note { "No result with scheduler " (scheduler) ": " (why) "." }
        }
        @for (_, chart) in &tasks.runs {
            @if let Some(chart) = chart { (figure(chart)) }
        }
        @if tasks.runs.iter().any(|(_, chart)| chart.is_none()) {
            p.faint { "There are too many cores for a chart on a page; " code { "numasim tasks --gantt" } " draws one." }
        }
    }
}

/// The scheduler with the shortest makespan, in a sentence.
pub(super) fn best_tasks(tasks: &Tasks) -> Markup {
    let seconds = |tasked: &Tasked| tasked.run.makespan.value();
    let all = runs(tasks).enumerate();
    let Some((r, shortest)) =
        all.reduce(|best, next| if seconds(next.1) < seconds(best.1) { next } else { best })
    else {
        return html! {};
    };
    html! {
        p {
            "The tasks of " (tasks.facts.name) " are done after "
            (Shown::tasked(figures::single(seconds(shortest)), format!("/runs/{r}/makespan_s")).inline()) " s with scheduler "
            (shortest.scheduler.as_str())
            @if tasks.runs.len() > 1 { ", the best of " (tasks.runs.len()) " (" a href="#tasks" { "Tasks" } ")" } "."
        }
    }
}

fn runs(tasks: &Tasks) -> impl Iterator<Item = &Tasked> {
    tasks.runs.iter().map(|(tasked, _)| tasked)
}

/// A value of each run, with its key in the document, if it has one.
fn of_run<'a, C: Into<Cell<'a>>>(
    title: &'static str,
    key: &'static str,
    value: impl Fn(&Tasked) -> C + 'a,
) -> Of<'a, &'a Tasked> {
    let of = Of::number(title, move |tasked: &&Tasked| value(tasked));
    if key.is_empty() { of } else { of.at(move |r, _| format!("tasked#/runs/{r}/{key}")) }
}

/// The first column.
fn named<'a>() -> Of<'a, &'a Tasked> {
    Of::text("scheduler", |tasked: &&Tasked| tasked.scheduler.as_str())
}

/// A row for each scheduler.
fn schedulers(tasks: &Tasks) -> Markup {
    let runs: Vec<&Tasked> = runs(tasks).collect();
    let first = runs.first().map_or(0.0, |tasked| tasked.run.makespan.value());
    let speedup = move |tasked: &Tasked| {
        Some(tasked.run.makespan.value()).filter(|seconds| *seconds > 0.0).map(|seconds| first / seconds)
    };
    let columns = [
        named(),
        of_run("makespan s", "makespan_s", |tasked| tasked.run.makespan.value()).rounded(),
        of_run("speedup", "", speedup).written(|speedup| format!("{speedup:.3}")),
        of_run("lower bound s", "bound_s", |tasked| tasked.bound.makespan.value()).rounded(),
        of_run("above it", "", Tasked::above_bound).written(percent),
        of_run("remote bytes", "", |tasked| tasked.run.traffic.remote_share()).written(percent),
        of_run("idle", "idle", |tasked| tasked.run.idle).written(percent),
        of_run("steals", "steals", |tasked| tasked.run.steals).if_any(),
        of_run("partition s", "partition_s", |tasked| tasked.run.partition.value())
            .written(|seconds| if seconds > 0.0 { figures::short(seconds) } else { "0".to_owned() })
            .if_any(),
    ];
    html::table("Schedulers; the speedup is over the first", &columns, &runs)
}

/// Bytes of all tasks, by their source.
fn bytes(tasks: &Tasks) -> Markup {
    let runs: Vec<&Tasked> = runs(tasks).collect();
    let class = |title, of: fn(&Traffic) -> f64| {
        of_run(title, "", move |tasked| of(&tasked.run.traffic) / 1e9).rounded().if_any()
    };
    let columns = [
        named(),
        class("own cache", |traffic| traffic.llc_local),
        class("other caches", |traffic| traffic.llc_remote),
        class("own memory", |traffic| traffic.dram_local),
        class("other memories", |traffic| traffic.dram_remote),
        of_run("edges cut", "cut_edges", |tasked| tasked.run.cut.map(|cut| cut.edges))
            .written(|edges| edges.to_string())
            .only_if(runs.iter().any(|tasked| tasked.run.cut.is_some())),
    ];
    html::table("What served the bytes of all tasks, in GB", &columns, &runs)
}

/// Reasons for idle cores.
fn idle(tasks: &Tasks) -> Markup {
    let runs: Vec<&Tasked> = runs(tasks).collect();
    let because = |reason: IdleReason| {
        of_run(idle_in_words(reason), "", move |tasked| tasked.run.idle_because(reason))
            .written(percent)
            .if_any()
            .at(move |r, _| format!("tasked#/runs/{r}/idle_reasons/{}", reason.as_str()))
    };
    let together = of_run("together", "idle", |tasked| tasked.run.idle).written(percent);
    let columns: Vec<_> =
        std::iter::once(named()).chain(IdleReason::ALL.map(because)).chain([together]).collect();
    html::table("Why cores were idle, of all cores x makespan", &columns, &runs)
}

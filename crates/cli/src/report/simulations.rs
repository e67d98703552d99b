//! Applications over time: the policies beside each other, a picture of each, and figures at a time that the reader
//! chooses.

use maud::{Markup, html};
use numasim_model::App;
use numasim_model::units::Seconds;
use serde_json::Value;

use super::contents::{Course, Report, Simulations};
use super::html::{self, Shown, figure, number, scrolling};
use crate::view::figures;
use crate::view::simulated::Simulated;

/// Of more applications the times of their ends are left to the JSON.
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
        (moment(simulations))
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
            (shown(r, &figures::single(shortest), "makespan_s").inline()) " s with policy " (course.simulated.policy)
            @if simulations.courses.len() > 1 { ", the best of " (simulations.courses.len()) " (" a href="#time" { "Over time" } ")" } "."
        }
    }
}

fn shown(run: usize, text: &str, pointer: &str) -> Shown {
    Shown::simulated(text, format!("/runs/{run}/{pointer}"))
}

fn seconds(values: impl Iterator<Item = Option<f64>>) -> Vec<String> {
    figures::column(&values.map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<_>>())
}

/// A row for each policy.
fn policies(simulations: &Simulations) -> Markup {
    let runs = || simulations.courses.iter().map(|course| &course.simulated);
    let makespans: Vec<Option<f64>> = runs().map(|one| one.run.makespan.map(Seconds::value)).collect();
    let texts = seconds(makespans.iter().copied());
    let first = makespans.first().copied().flatten();
    let ratio = |makespan: Option<f64>| match makespan.zip(first) {
        Some((makespan, first)) if first > 0.0 => format!("{:.3}", makespan / first),
        _ => "-".to_owned(),
    };
    let bounds = runs().any(|one| one.lower_bound_s.is_some());
    let bound_texts = seconds(runs().map(|one| one.lower_bound_s));
    let figure = |title, key, text: fn(&Simulated) -> String| {
        number(title, move |r, one: &Simulated| shown(r, &text(one), key).cell(""))
    };
    let mut columns = vec![
        number("makespan s", |r, _: &Simulated| shown(r, &texts[r], "makespan_s").cell("")),
        number("ratio", |r, _: &Simulated| Shown::plain(ratio(makespans[r])).cell("")),
    ];
    columns.extend(bounds.then(|| {
        number("lower bound s", |r, _: &Simulated| shown(r, &bound_texts[r], "lower_bound_s").cell(""))
    }));
    columns.extend([
        figure("orders", "commands", |one| one.run.commands.to_string()),
        figure("threads unblocked", "core_moves", |one| one.run.core_moves.to_string()),
        figure("events", "events", |one| one.run.events.to_string()),
    ]);
    let caption = "Policies; the ratio is to the first";
    html::table(caption, ("policy", &|one: &Simulated| html! { (one.policy) }), &columns, runs())
}

/// When each application is finished, with a column for each policy.
fn applications(report: &Report<'_>, simulations: &Simulations) -> Markup {
    let finished = |course: &Course| {
        let times = course.simulated.run.apps.iter().map(|app| app.finished.map(Seconds::value));
        seconds(times)
    };
    let columns = simulations.courses.iter().enumerate().map(|(r, course)| {
        let times = finished(course);
        number(course.simulated.policy.as_str(), move |a, _: &App| {
            shown(r, &times[a], &format!("apps/{a}/finished_s")).cell("")
        })
    });
    let apps = &report.study.apps;
    let in_json = simulations.document["runs"][0]["apps"].as_array().map_or(0, Vec::len);
    let listed = apps.len().min(MOST_APPS).min(in_json);
    html! {
        (html::table(
            "When each application is finished, in seconds",
            ("application", &|app: &App| html! { (app.name) }),
            &columns.collect::<Vec<_>>(),
            apps.iter().take(listed),
        ))
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

/// What is chosen by time. Shown by the script only: without it, pictures and tables say the same for all times. Nothing where
/// there are too many applications for a table: the pictures show the largest.
fn moment(simulations: &Simulations) -> Markup {
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
            (scrolling("Cores and GFLOPS at this time", &cores(nodes, apps)))
            @if !channels.is_empty() { (scrolling("Items at this time", &items(channels))) }
            p.faint {
                "Means over a slot of time; "
                @if simulations.courses.len() > 1 { "the slots of each policy are of their own length. " }
                "The line in each picture below is this time."
            }
        }
    }
}

/// A figure at the time that is chosen; `pointer` is that of all its slots.
fn slot(values: Option<&Value>, pointer: &str) -> Markup {
    let first = values.and_then(|values| values.get(0)).and_then(Value::as_f64);
    let place = first.map(|_| format!("strips#{pointer}/0"));
    html! { td.n data-at=(pointer) data-json=[place] { (first.map_or("-".to_owned(), figures::short)) } }
}

fn cores(nodes: &[Value], apps: &[Value]) -> Markup {
    let what = [("cores", "cores"), ("gflops", "GFLOPS")];
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
                @for (a, app) in apps.iter().enumerate() {
                    tr {
                        th scope="row" { (text(&app["name"])) }
                        @for (key, _) in what { @for node in 0..nodes.len() {
                            (slot(app[key].get(node), &format!("/runs/0/apps/{a}/{key}/{node}")))
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

/// A picture, and where a time stands in it.
fn picture(run: usize, course: &Course) -> Markup {
    let area = course.area;
    let pixels = |value: f64| format!("{value:.1}");
    html! {
        div.course data-run=(run) data-left=(pixels(area.left)) data-right=(pixels(area.right)) data-top=(pixels(area.top))
            data-bottom=(pixels(area.bottom)) { (figure(&course.figure)) }
    }
}

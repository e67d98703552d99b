//! Results as pictures.

use numasim_draw::Heading;
use numasim_draw::bars::{Group, GroupBar, GroupPlot};
use numasim_graph::values::TaskScenario::{self, ApIntl, NacsNadd, NoapIntl};

use crate::codes::Code;
use crate::runs::Runs;

/// The values that the paper reports for the Westmere without contention (section 5.2); all other bars of its figures are images.
fn printed(code: &str, scenario: TaskScenario) -> Option<f64> {
    match (code, scenario) {
        ("cg", ApIntl) => Some(0.40),
        ("cg", NacsNadd) => Some(0.34),
        ("streamcluster", NoapIntl) => Some(0.55),
        ("streamcluster", NacsNadd) => Some(0.38),
        _ => None,
    }
}

/// A value of every code and scenario.
fn plot(
    (title, subtitle, label): (&str, &str, &str),
    line: f64,
    codes: &[Code],
    bar: impl Fn(&'static str, TaskScenario) -> GroupBar,
) -> String {
    let none = GroupBar { value: f64::NAN, range: None, mark: None };
    let group = |code: &Code| Group {
        name: code.name().to_owned(),
        bars: TaskScenario::ALL
            .map(
                |scenario| {
                    if code.scenarios().contains(&scenario) { bar(code.name(), scenario) } else { none }
                },
            )
            .to_vec(),
    };
    let plot = GroupPlot {
        heading: Heading { title: title.to_owned(), subtitle: subtitle.to_owned() },
        label: label.to_owned(),
        series: TaskScenario::ALL.map(|scenario| scenario.as_str().to_owned()).to_vec(),
        ranges: "95 % interval of the mean".to_owned(),
        marks: "printed in the paper".to_owned(),
        line,
        groups: codes.iter().map(group).collect(),
        sums_from: usize::MAX,
    };
    plot.svg()
}

/// Relative times; `marked`: with the values reported in the paper.
pub(crate) fn times(title: &str, subtitle: &str, runs: &Runs, codes: &[Code], marked: bool) -> String {
    let words = (title, subtitle, "time relative to noap-ft (noap-ft = 1)");
    plot(words, 1.0, codes, |code, scenario| {
        let time = runs.relative(code, scenario);
        let mark = printed(code, scenario).filter(|_| marked);
        GroupBar { value: time.mean, range: Some([time.low, time.high]), mark }
    })
}

/// Fractions of the bytes from remote nodes.
pub(crate) fn remote(title: &str, subtitle: &str, runs: &Runs, codes: &[Code]) -> String {
    let words = (title, subtitle, "bytes from caches and memory of other nodes, %");
    plot(words, 0.0, codes, |code, scenario| GroupBar {
        value: 100.0 * runs.remote(code, scenario),
        range: None,
        mark: None,
    })
}

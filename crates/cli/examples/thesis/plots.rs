//! Results as pictures.

use numasim_draw::bars::{Group, GroupBar, GroupPlot};
use numasim_draw::line::{Line, LinePlot};
use numasim_draw::{Axis, Heading, Scale};

use crate::codes::Code;
use crate::common::statistics::Estimate;
use crate::machines::Calibrated;
use crate::printed;
use crate::runs::Way;
use crate::study::{COMPARED, Study};
use crate::windows::{PRICES, Point};

const SPEEDUP: &str = "speedup over fifo (fifo = 1)";
const INTERVAL: &str = "95 % interval of the mean";
const PRINTED: &str = "printed in the thesis";

fn bar(ours: Estimate, mark: Option<f64>) -> GroupBar {
    GroupBar { value: ours.mean, range: Some([ours.low, ours.high]), mark }
}

/// Figure 3.2, 3.3 or 3.4.
pub(crate) fn machine(study: &Study, codes: &[Code]) -> String {
    let names: Vec<&'static str> = codes.iter().map(Code::name).collect();
    let single = |code: &&'static str| Group {
        name: (*code).to_owned(),
        bars: COMPARED
            .map(|kind| {
                bar(study.runs.speedup(code, Way::of(kind)), printed::single(study.platform, code, kind))
            })
            .to_vec(),
    };
    let mut groups: Vec<Group> = names.iter().map(single).collect();
    let sums_from = groups.len();
    let of = |kind| bar(study.seven(Way::of(kind)), printed::mean(study.platform, kind));
    groups.push(Group { name: "mean of 7".to_owned(), bars: COMPARED.map(of).to_vec() });
    let of = |kind| bar(study.runs.mean(&names, Way::of(kind)), None);
    groups.push(Group { name: "mean of 8".to_owned(), bars: COMPARED.map(of).to_vec() });
    let calibrated = Calibrated::of(&study.machine);
    let lines = calibrated.map_or(0.0, |figures| figures.outstanding_lines);
    let subtitle = format!(
        "simulated, 10 seeds; {lines} lines under way, calibrated on fifo and sa; means are geometric, of 7 codes without nstream"
    );
    let title = format!(
        "{}: schedulers of the thesis (its figure {})",
        study.platform.name(),
        study.platform.figure()
    );
    let plot = GroupPlot {
        heading: Heading { title, subtitle },
        label: SPEEDUP.to_owned(),
        series: COMPARED.map(|kind| kind.as_str().to_owned()).to_vec(),
        ranges: INTERVAL.to_owned(),
        marks: PRINTED.to_owned(),
        line: 1.0,
        groups,
        sums_from,
    };
    plot.svg()
}

/// The stealing study.
pub(crate) fn stealing(studies: &[Study]) -> String {
    let mut groups = Vec::new();
    for study in studies {
        for kind in COMPARED {
            let ways = [
                bar(study.seven(Way::of(kind)), printed::mean(study.platform, kind)),
                bar(study.seven(Way::stealing(kind)), None),
            ];
            groups.push(Group {
                name: format!("{} {}", study.platform.name(), kind.as_str()),
                bars: ways.to_vec(),
            });
        }
    }
    let plot = GroupPlot {
        heading: Heading {
            title: "With and without stealing (figure 3.7 of the thesis)".to_owned(),
            subtitle:
                "geometric mean of 7 codes, simulated, 10 seeds; the thesis prints no value with stealing"
                    .to_owned(),
        },
        label: SPEEDUP.to_owned(),
        series: ["without stealing", "with stealing"].map(str::to_owned).to_vec(),
        ranges: INTERVAL.to_owned(),
        marks: PRINTED.to_owned(),
        line: 1.0,
        groups,
        sums_from: usize::MAX,
    };
    plot.svg()
}

/// The window study, up to a few iterations.
pub(crate) fn windows(points: &[Point]) -> String {
    const LARGEST: u32 = 1100;
    let shown: Vec<&Point> = points.iter().filter(|point| point.window <= LARGEST).collect();
    let line = |(number, price): (usize, &f64)| Line {
        name: if *price > 1.0 {
            format!("{price} times as dear")
        } else {
            "partitioning as assumed".to_owned()
        },
        values: shown
            .iter()
            .map(|point| point.speedups.get(number).map_or(f64::NAN, |speedup| speedup.mean))
            .collect(),
    };
    let plot = LinePlot {
        heading: Heading {
            title: "Jacobi on 150 blocks, rip-dep, Sandy Bridge: the window (figure 3.5 of the thesis)"
                .to_owned(),
            subtitle: "mean of 10 seeds; 152 tasks come before the first iteration, an iteration has 150"
                .to_owned(),
        },
        x: Axis {
            label: "tasks in the first window".to_owned(),
            scale: Scale::Linear(shown.iter().map(|point| f64::from(point.window)).collect()),
        },
        y: SPEEDUP.to_owned(),
        lines: PRICES.iter().enumerate().map(line).collect(),
    };
    plot.svg()
}

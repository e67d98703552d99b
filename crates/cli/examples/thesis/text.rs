//! Results as tables of text.

use numasim_draw::grid::{Align, Grid};
use numasim_graph::values::SchedulerKind;

use crate::calibration::SEVEN;
use crate::codes::Code;
use crate::common::statements::Statement;
use crate::common::statements::Verdict::{Fitted, Met, Missed, OutOfReach};
use crate::common::statistics::Estimate;
use crate::common::table::{STYLE, judged};
use crate::machines::Calibrated;
use crate::printed;
use crate::runs::{Runs, Way};
use crate::statements::small;
use crate::study::{CACHELESS, COMPARED, REFERENCES, Study, Variant};
use crate::windows::{PRICES, Point};

/// `1.114 ±0.004`, and the reported value.
fn cell(ours: Estimate, printed: Option<f64>) -> String {
    let half = (ours.high - ours.low) / 2.0;
    let printed = printed.map_or("      ".to_owned(), |printed| format!("({printed:.2})"));
    format!("{:.3} ±{half:.3} {printed}", ours.mean)
}

fn grid(first: &str, kinds: &[SchedulerKind]) -> Grid {
    let mut columns = vec![(first, Align::Left)];
    columns.extend(kinds.iter().map(|kind| (kind.as_str(), Align::Right)));
    Grid::new(&columns)
}

/// `outstanding_lines 10, llc_gbs 20`
fn figures(calibrated: Calibrated) -> String {
    let llc = calibrated.llc_gbs.map_or("none".to_owned(), |gbs| gbs.to_string());
    format!("outstanding_lines {}, llc_gbs {llc}", calibrated.outstanding_lines)
}

/// All tables of a machine: figure 3.2, 3.3 or 3.4.
pub(crate) fn machine(study: &Study, codes: &[Code], variants: &[Variant], tiles: &Runs) -> String {
    let names: Vec<&'static str> = codes.iter().map(Code::name).collect();
    let calibrated = Calibrated::of(&study.machine).map_or(String::new(), figures);
    let mut text = format!(
        "Figure {} of the thesis: {} ({calibrated})\nSpeedups over fifo: mean of 10 seeds, half of its 95 % interval, (what the thesis prints)\n\n",
        study.platform.figure(),
        study.platform.name(),
    );
    let mut table = grid("code", &COMPARED);
    for code in &names {
        let of =
            |kind| cell(study.runs.speedup(code, Way::of(kind)), printed::single(study.platform, code, kind));
        table.row(std::iter::once((*code).to_owned()).chain(COMPARED.map(of)).collect());
    }
    let of = |kind| cell(study.seven(Way::of(kind)), printed::mean(study.platform, kind));
    table.row(std::iter::once("mean of 7".to_owned()).chain(COMPARED.map(of)).collect());
    let of = |kind| cell(study.runs.mean(&names, Way::of(kind)), None);
    table.row(std::iter::once("mean of 8".to_owned()).chain(COMPARED.map(of)).collect());
    text += &table.render(&STYLE);
    text += "\nmean of 7: geometric, without nstream; of 8: with it.\n\nPlain alternatives: speedups over fifo\n\n";

    let mut table = grid("code", &REFERENCES);
    for code in &names {
        let of = |kind| cell(study.runs.speedup(code, Way::of(kind)), None);
        table.row(std::iter::once((*code).to_owned()).chain(REFERENCES.map(of)).collect());
    }
    let of = |kind| cell(study.seven(Way::of(kind)), None);
    table.row(std::iter::once("mean of 7".to_owned()).chain(REFERENCES.map(of)).collect());
    text += &table.render(&STYLE);

    text += "\nWhy: workers without a task, of all worker-seconds / bytes that came from other nodes, of all bytes\n\n";
    let mut kinds = vec![SchedulerKind::Fifo];
    kinds.extend(COMPARED);
    let mut table = grid("code", &kinds);
    for code in &names {
        let of = |&kind: &SchedulerKind| {
            let way = Way::of(kind);
            let idle = study.runs.mean_of(code, way, |run| run.idle);
            let remote = study.runs.mean_of(code, way, |run| run.traffic.remote_share());
            format!("{:.1} / {:.1} %", 100.0 * idle, 100.0 * remote)
        };
        table.row(std::iter::once((*code).to_owned()).chain(kinds.iter().map(of)).collect());
    }
    text += &table.render(&STYLE);

    text += "\nMean of 7, were something decided otherwise (3 seeds)\n\n";
    let mut table = grid("what", &COMPARED);
    for variant in variants {
        let of = |kind| format!("{:.3}", variant.runs.mean(&SEVEN, Way::of(kind)).mean);
        table.row(std::iter::once(variant.name.to_owned()).chain(COMPARED.map(of)).collect());
    }
    text += &table.render(&STYLE);
    text += "\nStencils on 32 x 32 tiles of 256 x 256 in place of 16 x 16 of 512 x 512 (3 seeds)\n\n";
    let mut table = grid("code", &COMPARED);
    for code in ["gauss-seidel", "red-black"] {
        let of = |kind| format!("{:.3}", tiles.speedup(code, Way::of(kind)).mean);
        table.row(std::iter::once(code.to_owned()).chain(COMPARED.map(of)).collect());
    }
    text += &table.render(&STYLE);
    let Some(cacheless) = variants.iter().find(|variant| variant.name == CACHELESS) else { return text };
    text += "\nSingle codes without last-level caches (3 seeds)\n\n";
    let mut table = grid("code", &COMPARED);
    for code in &names {
        let of = |kind| format!("{:.3}", cacheless.runs.speedup(code, Way::of(kind)).mean);
        table.row(std::iter::once((*code).to_owned()).chain(COMPARED.map(of)).collect());
    }
    text + &table.render(&STYLE)
}

/// The window study.
pub(crate) fn windows(points: &[Point]) -> String {
    let mut text = "Figure 3.5 of the thesis: Jacobi on 150 blocks, rip-dep, Sandy Bridge; speedups over fifo by the size of the first window\n\n".to_owned();
    let titles: Vec<String> = PRICES.iter().map(|price| format!("partitioning x {price}")).collect();
    let mut columns = vec![("window", Align::Right)];
    columns.extend(titles.iter().map(|title| (title.as_str(), Align::Right)));
    let mut table = Grid::new(&columns);
    for point in points {
        let cells = point.speedups.iter().map(|&speedup| cell(speedup, None).trim_end().to_owned());
        table.row(std::iter::once(point.window.to_string()).chain(cells).collect());
    }
    text += &table.render(&STYLE);
    text
}

/// The stealing study.
pub(crate) fn stealing(studies: &[Study]) -> String {
    let mut text = "Figure 3.7 of the thesis: speedups over fifo with stealing, mean of the 7 codes; x: times those without\n\n".to_owned();
    let mut table = grid("machine", &COMPARED);
    for study in studies {
        let of = |kind| {
            let with = study.seven(Way::stealing(kind));
            format!("{} x {:.3}", cell(with, None).trim_end(), small::worth(study, kind))
        };
        table.row(std::iter::once(study.platform.name().to_owned()).chain(COMPARED.map(of)).collect());
    }
    text += &table.render(&STYLE);
    text
}

/// Every statement, then the causes of those that are not met.
pub(crate) fn statements(all: &[Statement]) -> String {
    let title = "What the thesis says of its schedulers beside what comes out here.\na: Sandy Bridge, b: its single codes, c: UV100, d: POWER8, e: windows, f: stealing, g: partitions; in brackets the 95 % interval of the mean of 10 seeds.";
    judged(all, title, &[Met, Missed, Fitted, OutOfReach], false)
}

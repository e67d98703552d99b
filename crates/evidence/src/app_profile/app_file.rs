//! Writes the `[[app]]` of a profiled program, each value with its kind and source. Unknown values are
//! comments.

use numasim_model::Placement;
use numasim_model::scaling::Scaling;
use numasim_model::text::visible;
use numasim_study::keys::{Key, SCALING, app, rate, serial, speedup};
use numasim_study::writing::study::placement;
use numasim_study::writing::{Lines, float, inline, list, quoted, six_digits};

use super::placement::{Candidate, Signature, Verdict};
use super::scaling::{Figure, Overhead, Scaled};
use crate::formats::counted::Kind;

/// The known properties of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct AppFile {
    /// Its name in the file.
    pub name: String,
    /// Sources of the file, one line each.
    pub origin: Vec<String>,
    /// Its work per byte of memory traffic.
    pub does: Does,
    /// GB/s of one thread alone.
    pub thread_gbs: Option<Figure>,
    /// Its loss on several nodes.
    pub overhead: Option<Overhead>,
    /// Its data placement; `None` if it was not examined.
    pub data: Option<DataFound>,
    /// Its scaling.
    pub scaling: Option<Scaled>,
    /// Further warnings for the reader, one sentence each.
    pub doubts: Vec<String>,
}

/// Work of an application per byte that it moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// FLOP per byte.
    Flop(Figure),
    /// Work of another kind per GB.
    Work {
        /// The unit of its rate: `queries/s`.
        unit: String,
        /// Units per GB.
        per_gb: Figure,
    },
}

/// The observed data placement.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFound {
    /// The class of placement.
    pub verdict: Verdict,
    /// Its source: `numa_maps of process 4711`.
    pub source: String,
    /// The signature, if two looks with different threads determine it.
    pub signature: Option<Signature>,
    /// Size of the data; `None` if no pages were counted.
    pub resident: Option<Resident>,
}

/// Resident pages of a program, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// All data, mapped files included.
    pub data: u64,
    /// Mapped files that count as data, and the largest of them.
    pub mapped: (u64, Option<String>),
    /// Programs and libraries, which are excluded, and the largest of them.
    pub left_out: (u64, Option<String>),
}

impl AppFile {
    /// The text of the file.
    pub fn text(&self) -> String {
        let mut lines = Lines::default();
        lines.comment(
            "An application as numasim profile-app found it. A comment above each value says how it was obtained.",
        );
        self.origin.iter().for_each(|line| lines.comment(visible(&format!("From {line}"))));
        self.doubts.iter().for_each(|doubt| lines.comment(visible(&format!("Warning: {doubt}."))));
        lines.first_table(&app::TABLE);
        lines.put(&app::NAME, quoted(&self.name));
        match &self.does {
            Does::Flop(intensity) => figure(&app::ARITHMETIC_INTENSITY, intensity, &mut lines),
            Does::Work { unit, per_gb } => {
                source(per_gb, &mut lines);
                let each = [(&rate::UNIT, quoted(unit)), (&rate::PER_GB, six_digits(per_gb.value))];
                lines.put(&app::RATE, inline(each));
            }
        }
        if let Some(gbs) = &self.thread_gbs {
            figure(&app::THREAD_GBS, gbs, &mut lines);
        }
        match &self.data {
            Some(found) => data(found, &mut lines),
            None => lines.comment(
                "The placement of the data is not known: no pages were looked at. Without this key numasim takes \"local\".",
            ),
        }
        if let Some(scaled) = &self.scaling {
            scaling(scaled, &mut lines);
        }
        if let Some(found) = &self.overhead {
            overhead(found, &mut lines);
        }
        lines.text()
    }
}

fn figure(key: &Key, figure: &Figure, lines: &mut Lines) {
    source(figure, lines);
    lines.put(key, six_digits(figure.value));
}

fn source(figure: &Figure, lines: &mut Lines) {
    let runs = match (figure.runs, figure.range) {
        (runs, Some((low, high))) if runs >= 6 => {
            format!("; median of {runs} runs, 95 % interval {} to {}", short(low), short(high))
        }
        (runs, Some((low, high))) => format!("; median of {runs} runs, {} to {}", short(low), short(high)),
        _ => String::new(),
    };
    lines.comment(format_args!("{}: {}{runs}", figure.kind, visible(&figure.source)));
}

fn overhead(found: &Overhead, lines: &mut Lines) {
    let points: Vec<String> = found
        .points
        .iter()
        .map(|(nodes, threads, share)| format!("{} with {threads} threads on {nodes}", percent(*share)))
        .collect();
    lines.comment(format_args!(
        "{}: speed as a share of as many nodes apart: {}; 1/(1 + node_overhead log2 nodes) by least squares, residual {}",
        Kind::Measured,
        points.join(", "),
        percent(found.residual)
    ));
    lines.put(&app::NODE_OVERHEAD, six_digits(found.value));
}

fn data(found: &DataFound, lines: &mut Lines) {
    let source = visible(&found.source);
    match &found.verdict {
        Verdict::Told { best, others } => {
            lines.comment(format_args!(
                "{}: {source}; residual {} of the data lies elsewhere",
                Kind::Measured,
                percent(best.residual)
            ));
            for other in others.iter().take(MOST_SHOWN) {
                alternative(other, ", with more open shares", lines);
            }
            lines.put(&app::DATA, placement(&rounded(&best.placement)));
        }
        Verdict::Equal(classes) => {
            let how = if classes.len() == 1 {
                "without the threads of each node only this can be said"
            } else {
                "these describe it equally well"
            };
            lines.comment(format_args!("data is not determined: {source}; {how}."));
            lines.comment("Remove the `# ` before the line that you know to be right; without this key numasim takes \"local\".");
            classes.iter().take(MOST_SHOWN).for_each(|class| alternative(class, "", lines));
        }
        Verdict::OneNode => {
            lines.comment(format_args!(
                "data is not determined: {source}, and with one node all placements are the same."
            ));
            lines.comment("Without this key numasim takes \"local\".");
        }
    }
    if let Some(signature) = &found.signature {
        let fixed = signature.fixed.iter().enumerate().filter(|(_, share)| **share >= 0.0005);
        let fixed: Vec<String> =
            fixed.map(|(node, share)| format!(", node {node} {}", percent(*share))).collect();
        lines.comment(format_args!(
            "shares by least squares over the runs: local {}, interleaved {}{}; residual {}",
            percent(signature.local),
            percent(signature.interleaved),
            fixed.concat(),
            percent(signature.residual)
        ));
    }
    if let Some(resident) = &found.resident {
        lines.comment(format_args!("{}: {}", Kind::Measured, visible(&counted(resident))));
        lines.put(&app::MEMORY_GIB, six_digits(gib(resident.data)));
    }
}

/// The pages that were counted and excluded.
fn counted(resident: &Resident) -> String {
    let Resident { data, mapped, left_out } = resident;
    let largest = |name: &Option<String>| {
        name.as_ref().map_or_else(String::new, |name| format!(" (the largest is {name})"))
    };
    let own = data.saturating_sub(mapped.0);
    let mut parts = vec![format!("resident data: {} GiB of anonymous and shared memory", short(gib(own)))];
    if mapped.0 > 0 {
        parts.push(format!(", {} GiB of mapped files{}", short(gib(mapped.0)), largest(&mapped.1)));
    }
    if left_out.0 > 0 {
        let share = left_out.0 as f64 / (left_out.0 as f64 + *data as f64);
        parts.push(format!(
            "; left out: {} GiB of programs and libraries{}, {} of all resident pages",
            short(gib(left_out.0)),
            largest(&left_out.1),
            percent(share)
        ));
    }
    parts.concat()
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

/// More classes, such as a home on each of many nodes, carry no further information.
const MOST_SHOWN: usize = 8;

fn alternative(class: &Candidate, more: &str, lines: &mut Lines) {
    let (key, value) = (app::DATA.name, placement(&rounded(&class.placement)));
    lines.comment(format_args!("{key} = {value:18} # residual {}{more}", percent(class.residual)));
}

/// The placement with shares of four digits that still sum to 1, as in files.
pub fn rounded(placement: &Placement) -> Placement {
    match placement {
        Placement::PartHome { home, share } => {
            Placement::PartHome { home: *home, share: four_digits(*share) }
        }
        Placement::PartInterleave { share } => Placement::PartInterleave { share: four_digits(*share) },
        Placement::Fractions(fractions) => Placement::Fractions(whole(fractions)),
        Placement::Local | Placement::Interleave | Placement::Replicated | Placement::Home(_) => {
            placement.clone()
        }
    }
}

/// Shares with four digits that still sum to 1: the largest absorbs the rounding error.
fn whole(fractions: &[f64]) -> Vec<f64> {
    let mut parts: Vec<i64> = fractions.iter().map(|share| tenths_of_a_thousand(*share)).collect();
    let rest = 10_000 - parts.iter().sum::<i64>();
    if let Some(largest) = parts.iter_mut().max() {
        *largest += rest;
    }
    parts.iter().map(|&part| part as f64 / 1e4).collect()
}

#[allow(clippy::cast_possible_truncation, reason = "0 to 10,000")]
fn tenths_of_a_thousand(share: f64) -> i64 {
    (share.clamp(0.0, 1.0) * 1e4).round() as i64
}

fn four_digits(share: f64) -> f64 {
    tenths_of_a_thousand(share) as f64 / 1e4
}

fn scaling(found: &Scaled, lines: &mut Lines) {
    let what = if found.gflops { "GFLOPS" } else { "1/s (the same work in each run)" };
    let speeds: Vec<String> =
        found.speeds.iter().map(|(threads, speed)| format!("{threads}: {}", short(*speed))).collect();
    let serial = |fraction: f64| inline([(&serial::SERIAL_FRACTION, float(fraction))]);
    let (how, value) = match &found.scaling {
        Scaling::Linear => ("linear", serial(0.0)),
        Scaling::Serial { fraction } => (
            "1/v(n) = a + b/n by least squares of relative errors, serial fraction a/(a + b)",
            serial(four_digits(*fraction)),
        ),
        Scaling::Table(points) => {
            // Rounded up to at most the number of threads, and never less than before.
            let speedups = points.iter().enumerate().map(|(place, &(threads, speedup))| {
                let speedup = if place == 0 { 1.0 } else { (speedup * 1e4).floor() / 1e4 };
                list([if place == 0 { "1".to_owned() } else { threads.to_string() }, float(speedup)])
            });
            let table = inline([(&speedup::TABLE_OF_SPEEDUPS, list(speedups))]);
            ("v(n)/v(1), as no serial fraction describes it", table)
        }
    };
    lines.comment(format_args!(
        "{}: speed v(n) in {what} by threads {}; {how}; residual {}",
        Kind::Measured,
        speeds.join(", "),
        percent(found.residual)
    ));
    lines.put(&SCALING, value);
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn short(value: f64) -> String {
    format!("{value:.3e}").parse::<f64>().unwrap_or(value).to_string()
}

#[cfg(test)]
mod tests {
    use numasim_course::read_study;
    use numasim_model::units::Gibibytes;
    use numasim_model::{Data, NodeId};
    use numasim_study::SourceFile;

    use super::*;

    fn figure(value: f64) -> Figure {
        Figure { value, kind: Kind::Estimated, source: "FLOP over bytes".to_owned(), runs: 1, range: None }
    }

    fn file() -> AppFile {
        AppFile {
            name: "so\"l".to_owned(),
            origin: vec!["perf\u{1b}.csv".to_owned()],
            does: Does::Flop(figure(1.0 / 3.0)),
            thread_gbs: None,
            overhead: None,
            data: None,
            scaling: None,
            doubts: Vec::new(),
        }
    }

    fn read(file: &AppFile) -> numasim_course::Study {
        let machine = "[machine]\nname = 'm'\nnodes = 3\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 10\n";
        let text = format!("{machine}{}", file.text());
        let source = SourceFile { name: "app.toml".to_owned(), text: text.clone() };
        read_study(&[source]).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}")).study
    }

    #[test]
    fn every_class_is_read_back_unchanged() {
        let third = 1.0 / 3.0;
        for (placement, expected) in [
            (Placement::Local, Placement::Local),
            (Placement::Interleave, Placement::Interleave),
            (Placement::Home(NodeId(2)), Placement::Home(NodeId(2))),
            (
                Placement::PartHome { home: NodeId(1), share: 0.123_456 },
                Placement::PartHome { home: NodeId(1), share: 0.1235 },
            ),
            (Placement::PartHome { home: NodeId(1), share: 0.999_99 }, Placement::Home(NodeId(1))),
            (Placement::PartInterleave { share: 0.5 }, Placement::PartInterleave { share: 0.5 }),
            (
                Placement::Fractions(vec![third, third, third]),
                Placement::Fractions(vec![0.3333, 0.3333, 0.3334]),
            ),
        ] {
            let best = Candidate { placement, residual: 0.01, open: 0 };
            let verdict = Verdict::Told { best, others: Vec::new() };
            let resident = Some(Resident { data: 3 << 29, ..Resident::default() });
            let found = DataFound { verdict, source: "x".to_owned(), signature: None, resident };
            let study = read(&AppFile { data: Some(found), ..file() });
            assert_eq!(study.apps[0].data, Data::Placed(expected));
            assert_eq!(study.apps[0].memory.map(Gibibytes::value), Some(1.5));
        }
    }

    #[test]
    fn work_in_another_unit_is_read_back() {
        let does = Does::Work { unit: "queries/s".to_owned(), per_gb: figure(125.0) };
        let study = read(&AppFile { does, thread_gbs: Some(figure(2.5)), ..file() });
        assert_eq!(study.apps[0].rate_unit.as_deref(), Some("queries/s"));
        assert_eq!(study.apps[0].arithmetic_intensity.value(), 125.0, "per GB");
    }

    #[test]
    fn the_file_reports_counted_and_excluded_pages() {
        // 4 GiB, 3 of them a file; a quarter of 5.33 GiB is excluded.
        let resident = Resident {
            data: 4 << 30,
            mapped: (3 << 30, Some("/data/model.bin".to_owned())),
            left_out: ((4 << 30) / 3, Some("/opt/app/libbig.so".to_owned())),
        };
        assert_eq!(
            counted(&resident),
            "resident data: 1 GiB of anonymous and shared memory, 3 GiB of mapped files (the largest is /data/model.bin); \
             left out: 1.333 GiB of programs and libraries (the largest is /opt/app/libbig.so), 25.0 % of all resident pages"
        );
        let plain = Resident { data: 3 << 29, ..Resident::default() };
        assert_eq!(counted(&plain), "resident data: 1.5 GiB of anonymous and shared memory");
    }

    #[test]
    fn unknown_values_are_comments_and_scaling_is_read_back() {
        let equal = [Placement::Local, Placement::Home(NodeId(0))];
        let classes = equal.map(|placement| Candidate { placement, residual: 0.0, open: 0 }).to_vec();
        let found = DataFound {
            verdict: Verdict::Equal(classes),
            source: "one look".to_owned(),
            signature: None,
            resident: None,
        };
        let scaled =
            |scaling| Scaled { scaling, speeds: vec![(1, 1.0), (4, 3.0)], gflops: true, residual: 0.0 };
        let table = Scaling::Table(vec![(1, 1.0), (4, 3.000_06)]);
        let written = AppFile { data: Some(found), scaling: Some(scaled(table)), ..file() };
        let study = read(&written);
        assert_eq!(study.apps[0].data, Data::Placed(Placement::Local), "the default");
        assert_eq!(study.apps[0].name, "so\"l");
        assert!(
            written.text().contains("# data = { home = 0 }       # residual 0.0 %\n"),
            "{}",
            written.text()
        );
        assert!(written.text().contains("scaling = { table = [[1, 1.0], [4, 3.0]] }"), "{}", written.text());
        read(&AppFile { scaling: Some(scaled(Scaling::Serial { fraction: 0.012_34 })), ..file() });
    }
}

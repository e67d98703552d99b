//! Assessment of the sharing models on results that users sent as bundles: values and verdicts are those of `compare`.

use crate::sets::validated::Method;
use crate::sets::{Role, Summary};
use numasim_ask::compare::{Compared, sharing_sentence};
use numasim_ask::{document, machine_title, table};
use numasim_bench::provenance::{Provenance, Tool};
use numasim_course::Study;
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_draw::{Style, figures};
use numasim_evidence::compare::{BesideNull, CONTENDED, Errors, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Row, columns, heading};

/// A method on the rows of a bundle.
pub(crate) struct Judged {
    /// The method.
    pub(crate) method: Method,
    /// Prediction compared with measurement.
    pub(crate) compared: Compared,
}

/// A bundle.
pub(crate) struct Sent {
    /// The name of its file, without folders.
    pub(crate) file: String,
    /// The program that ran.
    pub(crate) study: Study,
    /// The method of measurement.
    pub(crate) known: Provenance,
    /// The model of the machine file first; not empty.
    pub(crate) methods: Vec<Judged>,
}

/// For people: a table for each bundle, a row for each null model and each method, and the decision of contended
/// scenarios.
pub(crate) fn table(sent: &[Sent], style: &Style) -> String {
    let mut parts: Vec<String> = sent.iter().map(|one| of_bundle(one, style)).collect();
    let notes = format!(
        "Absolute errors of the scenarios' totals, in % of the measured values; no scenario calibrated anything. Contended: scenarios that want at least \
         {CONTENDED} times what a memory or link has. Gain: how much larger the mean error of the null model is that is hardest to beat, on contended \
         scenarios, with the 95 % interval of a paired bootstrap. Better: the intervals of all null models are above 0; ? : nothing or too little is \
         contended to say."
    );
    parts.push(heading("How to read it", &notes, style).trim_end().to_owned() + "\n");
    parts.join("\n")
}

fn of_bundle(sent: &Sent, style: &Style) -> String {
    let Some(first) = sent.methods.first() else { return String::new() };
    let mut grid = Grid::new(&[
        ("method", Align::Left),
        ("all\nmean", Align::Right),
        ("\nworst", Align::Right),
        ("contended\nmean", Align::Right),
        ("\nworst", Align::Right),
        ("gain", Align::Left),
        ("better", Align::Left),
    ])
    .named_by(1);
    let row =
        |name: String, all: Option<&Errors>, contended: Option<&Errors>, [gain, better]: [String; 2]| {
            let percent = |errors: Option<&Errors>, figure: fn(&Errors) -> f64| {
                errors.map_or_else(|| "-".to_owned(), |errors| format!("{:.1}", 100.0 * figure(errors)))
            };
            let [all, contended] =
                [all, contended].map(|errors| [percent(errors, |e| e.mean), percent(errors, |e| e.worst)]);
            [vec![name], all.to_vec(), contended.to_vec(), vec![gain, better]].concat()
        };
    let beside = &first.compared.comparison.beside;
    for null in &beside.nulls {
        let contended = beside.contended.nulls.iter().find(|one| one.null == null.null);
        let contended = contended.and_then(|one| one.totals.as_ref());
        grid.row(row(null.null.name().to_owned(), null.totals.as_ref(), contended, Default::default()));
    }
    for one in &sent.methods {
        let (comparison, contended) = (&one.compared.comparison, &one.compared.comparison.beside.contended);
        let name = format!("{}, {}", one.method.model.name(), one.method.variant);
        let last = [gain(&contended.nulls), better(&comparison.beside.verdict).to_owned()];
        grid.row(row(name, comparison.totals.as_ref(), contended.totals.as_ref(), last));
    }
    let verdict: String = sharing_sentence(&first.compared.comparison)
        .iter()
        .flat_map(|sentence| wrap(sentence, style.columns()))
        .map(|line| line + "\n")
        .collect();
    format!("{}{}{verdict}", heading(&sent.file, &origin(sent), style), grid.render(style))
}

/// The machine, the method of measurement, and the fraction that counts.
fn origin(sent: &Sent) -> String {
    let (known, contended) = (
        &sent.known,
        sent.methods.first().map_or(0, |one| one.compared.comparison.beside.contended.scenarios),
    );
    let measured = sent.methods.first().map_or(0, |one| one.compared.comparison.scenarios.len());
    let day: String = known.started_utc.chars().take(10).collect();
    let mut doubts: Vec<&str> = Vec::new();
    for doubt in &known.doubts {
        // Many repetitions with the same problem are one warning here.
        if !doubts.contains(&doubt.code.as_str()) {
            doubts.push(&doubt.code);
        }
    }
    let doubts = if doubts.is_empty() { String::new() } else { format!(" Doubts: {}.", doubts.join(", ")) };
    format!(
        "{}, measured {day} by {} {} (run {}): {}, {contended} contended, {} each.{doubts}",
        machine_title(&sent.study.machine),
        known.tool.name,
        known.tool.version,
        known.run,
        figures::count(measured as u64, "scenario"),
        figures::count(u64::from(known.settings.repeat), "repetition"),
    )
}

/// "+12.3 (8.1 to 16.0) equal-parts"; empty without contention.
fn gain(nulls: &[BesideNull]) -> String {
    let of = |null: &BesideNull| Some((null.null, null.advantage?));
    let closest = nulls.iter().filter_map(of).min_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    closest.map_or_else(String::new, |(null, advantage)| {
        let interval = advantage
            .interval
            .map_or_else(String::new, |(low, high)| format!(" ({:.1} to {:.1})", 100.0 * low, 100.0 * high));
        format!("{:+.1}{interval} {}", 100.0 * advantage.mean, null.name())
    })
}

fn better(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "yes",
        Verdict::NullsAsGood(_) => "no",
        Verdict::NothingMeasured | Verdict::NothingContended | Verdict::TooFew => "?",
    }
}

/// For each bundle its origin, and for each method the output of `compare --format json`, without single scenarios.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    schema: u64,
    command: &'static str,
    bundles: Vec<BundleEntry<'a>>,
}

#[derive(Serialize)]
struct BundleEntry<'a> {
    bundle: &'a str,
    machine: &'a str,
    run: &'a str,
    started_utc: &'a str,
    tool: &'a Tool,
    doubts: Vec<&'a str>,
    methods: Vec<MethodEntry<'a>>,
}

#[derive(Serialize)]
struct MethodEntry<'a> {
    #[serde(flatten)]
    compared: Map<String, Value>,
    variant: &'a str,
}

impl<'a> From<&'a [Sent]> for Document<'a> {
    fn from(sent: &'a [Sent]) -> Self {
        let entry = |sent: &'a Sent| BundleEntry {
            bundle: &sent.file,
            machine: sent.study.machine.name(),
            run: &sent.known.run,
            started_utc: &sent.known.started_utc,
            tool: &sent.known.tool,
            doubts: sent.known.doubts.iter().map(|doubt| doubt.code.as_str()).collect(),
            methods: sent.methods.iter().map(MethodEntry::of).collect(),
        };
        Self { schema: 1, command: "published", bundles: sent.iter().map(entry).collect() }
    }
}

impl<'a> MethodEntry<'a> {
    fn of(one: &'a Judged) -> Self {
        const KEPT: [&str; 4] = ["model", "summary", "null_models", "sharing"];
        let mut compared = match document::value(&one.compared) {
            Value::Object(compared) => compared,
            _ => Map::new(),
        };
        compared.retain(|key, _| KEPT.contains(&key.as_str()));
        Self { compared, variant: &one.method.variant }
    }
}

/// The columns of the other sets; two rows for each null model and method, of all scenarios and of those that are contended.
pub(crate) fn csv(sent: &[Sent]) -> String {
    let sets: Vec<String> =
        sent.iter().map(|one| format!("{}: {}", one.file, one.study.machine.name())).collect();
    let mut rows = Vec::new();
    for (one, set) in sent.iter().zip(&sets) {
        let mut row = |traffic, model, variant, errors: Option<&Errors>| {
            let Some(&Errors { count: points, mean, median, p95: percentile_95, worst, .. }) = errors else {
                return;
            };
            rows.push(Row {
                part: "bundle",
                set,
                traffic,
                write_allocate: "",
                model,
                variant,
                errors: Summary { points, mean, median, percentile_95, worst, held: None },
                mean_of_machines: None,
                role: Some(Role::Given),
                falls: None,
                figures: "",
            });
        };
        let nulls = one.methods.first().map(|first| &first.compared.comparison.beside);
        for (traffic, nulls) in
            nulls.into_iter().flat_map(|beside| [(ALL, &beside.nulls), (COUNTED, &beside.contended.nulls)])
        {
            for null in nulls {
                row(traffic, null.null.name(), "no fit", null.totals.as_ref());
            }
        }
        for Judged { method, compared } in &one.methods {
            let comparison = &compared.comparison;
            let (model, variant) = (method.model.name(), method.variant.as_str());
            row(ALL, model, variant, comparison.totals.as_ref());
            row(COUNTED, model, variant, comparison.beside.contended.totals.as_ref());
        }
    }
    table::csv(&columns(), rows)
}

/// The subject of a row of CSV.
const ALL: &str = "all scenarios";
/// The scenarios that count for a verdict.
const COUNTED: &str = "contended scenarios";

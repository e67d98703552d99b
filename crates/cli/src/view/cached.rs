//! The last-level cache as the contended resource: a document, and its presentation for people.
//!
//! `validate` writes it as `cache.json`, and `report` displays it.

#[cfg(test)]
mod tests;

use numasim_ask::compare::percent;
use numasim_ask::table::{self, Of};
use numasim_draw::grid::wrap;
use numasim_evidence::contended::{CachePlan, CachedApp, NoCache};
use numasim_host::memory::size;
use serde::{Deserialize, Serialize};

use super::{Style, figures};

/// The claims that are not made.
pub(crate) const NO_CLAIM: &str = "The sharing models do not cover caches: they and the null models count all data as read from memory. They make no claim here, and this \
     result is not part of the verdict on sharing.";
/// Explanation of the columns.
pub(crate) const COLUMNS: &str = "Data: of all applications together, as a multiple of the cache. Of alone: of what the same kernel got alone \
     with the same data.";
/// Prefix of the names of scenarios.
const PREFIX: &str = "last-level cache, ";

/// `cache.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    pub(crate) schema: u32,
    pub(crate) command: String,
    /// The subject of the scenarios, with a single possible value.
    pub(crate) asked: Asked,
    /// The reason why nothing was measured.
    pub(crate) not_measured: Option<String>,
    /// Size of the cache in bytes.
    pub(crate) cache_bytes: Option<u64>,
    /// Threads of both applications together.
    pub(crate) threads: Option<u32>,
    /// The model that predicts.
    pub(crate) model: String,
    pub(crate) apps: Vec<App>,
}

/// The contended resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Asked {
    LastLevelCache,
}

/// An application in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "the key of its JSON is `app`, as everywhere")]
pub(crate) struct App {
    pub(crate) scenario: String,
    pub(crate) app: String,
    /// Data of all applications of the scenario in bytes.
    pub(crate) data_bytes: u64,
    /// The data as a multiple of the cache size: the degree of contention.
    pub(crate) data_of_cache: f64,
    /// Measured GB/s: the median and the ends of the repetitions.
    pub(crate) gbs: f64,
    pub(crate) gbs_min: f64,
    pub(crate) gbs_max: f64,
    /// Sample standard deviation over mean.
    pub(crate) spread: Option<f64>,
    pub(crate) repetitions: usize,
    /// Fraction of the bandwidth that the same kernel reached alone with the same data.
    pub(crate) of_alone: Option<f64>,
    /// Predicted GB/s, if all data came from memory.
    pub(crate) model_gbs: f64,
    pub(crate) no_sharing_gbs: f64,
    pub(crate) equal_parts_gbs: f64,
}

impl Document {
    /// The document of the measurements.
    pub(crate) fn new(plan: &CachePlan, apps: &[CachedApp], model: &str) -> Self {
        let of_cache = |bytes: u64| bytes as f64 / plan.cache.bytes as f64;
        let app = |own: &CachedApp| {
            let [no_sharing_gbs, equal_parts_gbs] = own.null_gbs;
            App {
                scenario: own.scenario.clone(),
                app: own.app.clone(),
                data_bytes: own.data_bytes,
                data_of_cache: of_cache(own.data_bytes),
                gbs: own.gbs.median,
                gbs_min: own.gbs.min,
                gbs_max: own.gbs.max,
                spread: own.gbs.relative,
                repetitions: own.gbs.repetitions,
                of_alone: own.of_alone,
                model_gbs: own.model_gbs,
                no_sharing_gbs,
                equal_parts_gbs,
            }
        };
        Self {
            not_measured: None,
            cache_bytes: Some(plan.cache.bytes),
            threads: Some(plan.threads),
            apps: apps.iter().map(app).collect(),
            ..Self::nothing(model)
        }
    }

    /// The document of a host that does not allow the measurement.
    pub(crate) fn without(why: NoCache, model: &str) -> Self {
        Self { not_measured: Some(why.to_string()), ..Self::nothing(model) }
    }

    fn nothing(model: &str) -> Self {
        Self {
            schema: 1,
            command: "validate".to_owned(),
            asked: Asked::LastLevelCache,
            not_measured: None,
            cache_bytes: None,
            threads: None,
            model: model.to_owned(),
            apps: Vec::new(),
        }
    }

    /// "32 MiB, asked by 2 threads".
    pub(crate) fn what(&self) -> String {
        let bytes = self.cache_bytes.map(size);
        let threads = self.threads.map(|threads| {
            format!("two applications of {}", figures::count(u64::from(threads / 2), "thread"))
        });
        bytes.into_iter().chain(threads).collect::<Vec<_>>().join(", ")
    }

    /// The cost of co-runners, if the data of all applications fits and if it does not.
    pub(crate) fn sentences(&self) -> Vec<String> {
        if let Some(why) = &self.not_measured {
            return vec![format!("The last-level cache was not asked: {why}.")];
        }
        let beside = |fits: bool| {
            let own =
                self.apps.iter().filter(|app| (app.data_of_cache <= 1.0) == fits && !self.is_alone(app));
            let shares: Vec<f64> = own.filter_map(|app| app.of_alone).collect();
            let least = shares.iter().copied().reduce(f64::min)?;
            let most = shares.iter().copied().reduce(f64::max)?;
            let where_to =
                if fits { "Where the data of both fit the cache" } else { "Where only the data of one do" };
            Some(format!(
                "{where_to}, an application gets {} to {} of what it gets alone.",
                percent(least),
                percent(most)
            ))
        };
        [true, false].into_iter().filter_map(beside).chain([NO_CLAIM.to_owned()]).collect()
    }

    fn is_alone(&self, app: &App) -> bool {
        self.apps.iter().filter(|other| other.scenario == app.scenario).count() == 1
    }
}

impl App {
    /// The name of the scenario without the common prefix.
    pub(crate) fn scenario(&self) -> &str {
        self.scenario.strip_prefix(PREFIX).unwrap_or(&self.scenario)
    }

    /// "0.75 x"
    pub(crate) fn data(&self) -> String {
        format!("{:.2} x", self.data_of_cache)
    }

    /// "1.2 % of 10"
    pub(crate) fn spread(&self) -> String {
        self.spread.map_or_else(
            || figures::count(self.repetitions as u64, "run"),
            |spread| format!("{} of {}", percent(spread), self.repetitions),
        )
    }
}

/// The columns of its table, for terminals and pages.
pub(crate) fn columns<'a>(document: &Document, style: &'a Style) -> [Of<'a, App>; 9] {
    let gbs = |title: &'static str, key: &'static str, gbs: fn(&App) -> f64| {
        Of::number(key, gbs)
            .titled(title)
            .alike("gbs")
            .at(move |i, _| format!("cache-figures#/apps/{i}/{key}"))
    };
    [
        Of::text("scenario", |app: &App| app.scenario().to_owned())
            .titled(format!("last-level cache\n{}", document.what()))
            .on_page("scenario")
            .once(),
        Of::text("app", |app: &App| app.app.clone()).titled("\napplication"),
        Of::text("data", App::data).titled("\ndata").right().once(),
        gbs("GB/s\nmeasured", "gbs", |app| app.gbs).painted(|_, text| style.strong(&text)),
        Of::text("spread", App::spread).titled("\nspread").right(),
        Of::number("of_alone", |app: &App| app.of_alone)
            .titled("\nof alone")
            .written(percent)
            .at(|i, _| format!("cache-figures#/apps/{i}/of_alone")),
        gbs("as memory\nmodel", "model_gbs", |app| app.model_gbs).on_page("as memory: model"),
        gbs("\nno sharing", "no_sharing_gbs", |app| app.no_sharing_gbs),
        gbs("\nequal shares", "equal_parts_gbs", |app| app.equal_parts_gbs),
    ]
}

/// For people.
pub(crate) fn table(document: &Document, style: &Style) -> String {
    let grid = table::grid(&columns(document, style), &document.apps);
    let grid = if document.apps.is_empty() { String::new() } else { grid.render(style) };
    let columns = (!document.apps.is_empty()).then(|| COLUMNS.to_owned());
    let lines = columns.into_iter().chain(document.sentences());
    let lines: Vec<String> = lines.flat_map(|line| wrap(&line, style.columns())).collect();
    format!("{grid}{}\n", lines.join("\n"))
}

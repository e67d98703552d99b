//! Scenarios for spreadsheets.

use numasim_model::AppId;

use super::ScenarioView;

/// One header line, then one row per scenario, application and node, all numbers in full precision:
///
/// | column | meaning |
/// |---|---|
/// | `scenario` | its name |
/// | `app` | name of the application instance |
/// | `node` | NUMA node, from 0 |
/// | `threads` | threads of the application on the node |
/// | `gflops` | GFLOPS of these threads |
/// | `bandwidth_gbs` | GB/s they draw from all memories |
/// | `bottleneck` | `core-peak`, `core-bandwidth`, `local-controller`, `link`, `remote-demand`, `shared-link`, `node-read`, `slowest-thread` (work divided beforehand); empty without threads |
/// | `home` | node of all data of the application; empty if it has no one home |
/// | `scenario_total_gflops` | GFLOPS of the whole scenario, the same in all its rows |
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(views: &[ScenarioView]) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in views.iter().flat_map(rows) {
        writer.write_record(row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The header.
pub(super) const COLUMNS: [&str; 9] = [
    "scenario",
    "app",
    "node",
    "threads",
    "gflops",
    "bandwidth_gbs",
    "bottleneck",
    "home",
    "scenario_total_gflops",
];

/// The rows of one scenario.
pub(super) fn rows<'a>(view: &'a ScenarioView<'a>) -> impl Iterator<Item = [String; COLUMNS.len()]> + 'a {
    let of_app = move |app: AppId| {
        let result = &view.evaluation.apps[app.0];
        result.per_node.iter().enumerate().map(move |(node, group)| {
            let of_group = |value: Option<f64>| (value.unwrap_or(0.0) + 0.0).to_string();
            [
                view.name.to_owned(),
                view.apps[app.0].name.clone(),
                node.to_string(),
                group.as_ref().map_or(0, |g| g.threads).to_string(),
                of_group(group.as_ref().map(|g| g.gflops.value())),
                of_group(group.as_ref().map(|g| g.bandwidth.value())),
                group.as_ref().map_or("", |g| g.bottleneck.kind()).to_owned(),
                result.home.map_or(String::new(), |home| home.0.to_string()),
                (view.evaluation.total.value() + 0.0).to_string(),
            ]
        })
    };
    view.app_ids().flat_map(of_app)
}

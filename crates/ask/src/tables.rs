//! The tables of answers, with each column declared once. CSV has all numbers in full precision and empty cells for missing values.
//! People see titles, units and precision.

use numasim_dynamic::AppRun;
use numasim_model::evaluation::GroupResult;
use numasim_model::units::Seconds;
use numasim_model::{App, AppId};

use crate::evaluate::UnderModel;
use crate::simulate::{Simulated, mean_gflops};
use crate::table::{self, Of};
use crate::{Explored, ScenarioView, caution};

/// One application on one node in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'v> {
    view: &'v ScenarioView<'v>,
    app: AppId,
    node: usize,
}

impl<'v> Placed<'v> {
    /// Each application of a scenario on each node.
    pub fn all(view: &'v ScenarioView<'v>) -> impl Iterator<Item = Self> {
        let of_app = move |app: AppId| {
            let nodes = 0..view.evaluation.apps[app.0].per_node.len();
            nodes.map(move |node| Self { view, app, node })
        };
        view.app_ids().flat_map(of_app)
    }

    /// The performance of its threads on the node; `None` without threads.
    fn group(&self) -> Option<&'v GroupResult> {
        self.view.evaluation.apps[self.app.0].per_node[self.node].as_ref()
    }

    fn app(&self) -> &'v App {
        &self.view.apps[self.app.0]
    }

    fn speed(&self) -> f64 {
        self.group().map_or(0.0, |group| group.gflops.value())
    }

    /// The columns of `evaluate`; those of rates only if an application has a rate.
    pub fn columns(apps: &[App]) -> Vec<Of<'v, Self>> {
        let has_rates = apps.iter().any(|app| app.rate_unit.is_some());
        let is_rate = |row: &Self| row.app().rate_unit.is_some();
        let mut columns = vec![
            Of::text("scenario", |row: &Self| row.view.name),
            Of::text("app", |row: &Self| row.app().name.as_str()),
            Of::count("node", |row: &Self| row.node),
            Of::count("threads", |row: &Self| {
                row.group().map_or(0, |group| group.threads * row.app().smt.threads_per_core())
            }),
            Of::number("gflops", move |row: &Self| (!is_rate(row)).then(|| row.speed())),
            // Bandwidth from all memories.
            Of::number("bandwidth_gbs", |row: &Self| {
                row.group().map_or(0.0, |group| group.bandwidth.value())
            }),
            Of::text("bottleneck", |row: &Self| row.group().map_or("", |group| group.bottleneck.kind())),
            // Home node of all data of the application.
            Of::whole("home", |row: &Self| row.view.evaluation.apps[row.app.0].home.map(|home| home.0)),
            Of::number("scenario_total_gflops", |row: &Self| row.view.evaluation.total.value()),
        ];
        if has_rates {
            let unit = |row: &Self| row.app().rate_unit.as_deref().unwrap_or_default();
            columns.push(Of::number("rate", move |row: &Self| is_rate(row).then(|| row.speed())));
            columns.push(Of::text("rate_unit", unit));
            let total = move |row: &Self| {
                row.view.total_rates().into_iter().find(|(_, of)| *of == unit(row)).map(|(total, _)| total)
            };
            columns.push(Of::number("scenario_total_rate", total));
        }
        columns
    }
}

/// The CSV of `explore`: a row for each allocation, application and node, with the columns of `evaluate` between those of the search.
pub fn explored(found: &Explored) -> String {
    type Row<'v> = ((&'static str, f64), Placed<'v>);
    let status = found.status();
    let objective = found.problem.goal().objective().as_str();
    let cautions = caution::codes(&found.cautions);
    let views: Vec<_> =
        found.all().map(|(role, rated)| ((role, rated.value), rated.scenario.view())).collect();
    let mut columns = vec![
        // `best`, `alternative`, `robust`, `baseline` or `simple`.
        Of::text("role", |((role, _), _): &Row| *role),
        Of::text("objective", move |_: &Row| objective),
        Of::number("value", |((_, value), _): &Row| *value),
        // Only for the best.
        Of::text("status", move |_: &Row| status),
        Of::number("bound", |_: &Row| found.bound),
    ];
    let columns_of_placed = Placed::columns(found.problem.apps()).into_iter();
    columns.extend(columns_of_placed.map(|column| column.within(|(_, placed): &Row| placed)));
    columns.push(Of::text("cautions", |_: &Row| cautions.as_str()));
    let rows = views.iter().flat_map(|(rated, view)| Placed::all(view).map(|placed| (*rated, placed)));
    table::csv(&columns, rows)
}

/// The CSV of `evaluate` under several models: its rows, preceded by the model.
pub fn under_models(models: &[UnderModel]) -> String {
    type Row<'v> = (&'static str, Placed<'v>);
    fn of(model: &UnderModel) -> (&'static str, Vec<ScenarioView<'_>>) {
        (model.model, model.scenarios.iter().map(|one| one.view()).collect())
    }
    let views: Vec<_> = models.iter().map(of).collect();
    let mut columns = vec![Of::text("model", |(model, _): &Row| *model)];
    let apps =
        models.first().and_then(|model| model.scenarios.first()).map_or(&[][..], |one| one.view().apps);
    columns.extend(Placed::columns(apps).into_iter().map(|column| column.within(|(_, placed): &Row| placed)));
    let rows = views
        .iter()
        .flat_map(|(model, views)| views.iter().flat_map(Placed::all).map(move |placed| (*model, placed)));
    table::csv(&columns, rows)
}

/// One application in a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'v> {
    simulated: &'v Simulated,
    app: &'v App,
    run: &'v AppRun,
}

impl<'v> Ran<'v> {
    /// Each application of each simulation.
    pub fn all(apps: &'v [App], runs: &'v [Simulated]) -> impl Iterator<Item = Self> {
        let of = move |simulated: &'v Simulated| {
            simulated.run.apps.iter().zip(apps).map(move |(run, app)| Self { simulated, app, run })
        };
        runs.iter().flat_map(of)
    }

    /// The columns of `simulate`.
    pub fn columns(apps: &[App]) -> Vec<Of<'v, Self>> {
        let mut columns = vec![
            Of::text("policy", |row: &Self| row.simulated.policy.as_str()),
            Of::count("seed", |row: &Self| row.simulated.seed),
            Of::number("makespan_s", |row: &Self| row.simulated.makespan_s()),
            Of::number("lower_bound_s", |row: &Self| row.simulated.lower_bound_s),
            Of::text("partial", |row: &Self| row.simulated.is_partial()),
        ];
        columns.extend(Self::of_apps(apps));
        columns
    }

    /// The columns of the application.
    pub fn of_apps(apps: &[App]) -> Vec<Of<'v, Self>> {
        Self::work(apps).into_iter().chain(Self::waits()).collect()
    }

    /// Its work; columns of rates only if one of `apps` has a rate.
    pub fn work(apps: &[App]) -> Vec<Of<'v, Self>> {
        let number =
            |name, title, value: fn(&Self) -> Option<f64>| Of::number(name, value).titled(title).rounded();
        let rates = |row: &Self| row.app.rate_unit.is_some();
        let mut columns = vec![
            Of::text("app", |row: &Self| row.app.name.as_str()).titled("application"),
            number("arrived_s", "arrived\ns", |row| row.run.arrived.map(Seconds::value)),
            number("finished_s", "finished\ns", |row| row.run.finished.map(Seconds::value)),
            Of::count("iterations", |row: &Self| row.run.iterations),
            number("gflop", "work\nGFLOP", |row| row.app.rate_unit.is_none().then(|| row.run.work.value())),
            number("mean_gflops", "mean\nGFLOPS", |row| {
                row.app.rate_unit.is_none().then(|| mean_gflops(row.run, &row.simulated.run))
            }),
            number("mean_threads", "mean\nthreads", |row| Some(row.run.mean_threads)),
        ];
        if apps.iter().any(|app| app.rate_unit.is_some()) {
            let mean = move |row: &Self| rates(row).then(|| mean_gflops(row.run, &row.simulated.run));
            columns.extend([
                Of::number("work", move |row: &Self| rates(row).then(|| row.run.work.value())).rounded(),
                Of::number("mean_rate", mean).titled("mean\nrate").rounded(),
                Of::text("rate_unit", |row: &Self| row.app.rate_unit.clone()).titled("unit"),
            ]);
        }
        columns
    }

    /// Its waiting times; `idle_s`, `blocked_s` and `shared_s` are thread-seconds.
    pub fn waits() -> [Of<'v, Self>; 6] {
        let wait = |name, title, time: fn(&AppRun) -> Seconds| {
            Of::number(name, move |row: &Self| time(row.run).value()).titled(title).rounded()
        };
        [
            wait("wait_input_s", "waits for\ninput s", |run| run.waited_input),
            wait("wait_output_s", "waits for\nroom s", |run| run.waited_output),
            wait("wait_call_s", "waits for\na call s", |run| run.waited_call),
            wait("idle_s", "idle\nthread-s", |run| run.idle),
            wait("blocked_s", "blocked\nthread-s", |run| run.blocked),
            wait("shared_s", "sharing cores\nthread-s", |run| run.shared),
        ]
    }
}

/// `2.2 %`
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

//! A front for spreadsheets.

use numasim_ask::table::{self, Of};
use numasim_model::AppId;

use super::{FrontView, Shown};

/// One point or baseline; `mark` and `beaten_by` in words.
struct Row<'v> {
    role: &'static str,
    status: &'static str,
    mark: String,
    beaten_by: String,
    shown: &'v Shown,
}

impl FrontView<'_> {
    /// One row per point, then one per baseline.
    pub(crate) fn csv(&self) -> String {
        let status = if self.unproven.is_none() { "optimal" } else { "feasible" };
        let points = self.points.iter().enumerate().map(|(i, shown)| {
            let best = self.best_for(i).into_iter().map(|objective| format!("best for {}", objective.name()));
            let knee = (self.knee == Some(i)).then(|| "knee".to_owned());
            let mark = best.chain(knee).collect::<Vec<_>>().join("; ");
            Row { role: "point", status, mark, beaten_by: String::new(), shown }
        });
        let baselines = self.baselines.iter().map(|baseline| {
            let breaks = baseline.breaks.as_deref();
            let mark = breaks.map_or(String::new(), |why| format!("not allowed: {why}"));
            let beaten_by: Vec<String> = baseline.beaten_by.iter().map(|i| (i + 1).to_string()).collect();
            let beaten_by = beaten_by.join(" ");
            Row { role: "baseline", status: "", mark, beaten_by, shown: &baseline.shown }
        });
        table::csv(&self.columns(), points.chain(baselines))
    }

    fn columns<'v>(&'v self) -> Vec<Of<'v, Row<'v>>> {
        let apps = &self.study.apps;
        let mut columns = vec![
            Of::text("role", |row: &Row<'v>| row.role),
            Of::text("name", |row: &Row<'v>| row.shown.name.as_str()),
            Of::text("status", |row: &Row<'v>| row.status),
            // Of a point what it is best for; of a baseline the restriction that it breaks.
            Of::text("mark", |row: &Row<'v>| row.mark.clone()),
            // Points that are better in one objective and not worse in the other.
            Of::text("beaten_by", |row: &Row<'v>| row.beaten_by.clone()),
        ];
        let values = self.objectives().into_iter().enumerate();
        columns.extend(
            values.map(|(o, objective)| Of::number(objective.name(), move |row: &Row| row.shown.values[o])),
        );
        columns.push(Of::number("total_gflops", |row: &Row<'v>| row.shown.evaluation.total.value()));
        columns.push(Of::number("smallest_p", |row: &Row<'v>| self.smallest_p(row.shown)));
        let each = || apps.iter().enumerate();
        columns.extend(each().map(|(a, app)| {
            Of::number("gflops", move |row: &Row| row.shown.evaluation.apps[a].gflops.value()).each(&app.name)
        }));
        columns.extend(each().map(|(a, app)| {
            Of::per_node("threads", move |row: &Row| row.shown.allocation.row(AppId(a)).to_vec())
                .each(&app.name)
        }));
        let open = each().filter(|(_, app)| app.data.is_open());
        columns.extend(open.map(|(a, app)| {
            let home = move |row: &Row| row.shown.evaluation.apps[a].home.map(|home| home.0);
            Of::whole("home", home).each(&app.name)
        }));
        columns
    }
}

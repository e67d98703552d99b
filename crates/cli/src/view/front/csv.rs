//! A front for spreadsheets.

use numasim_model::AppId;

use super::{FrontView, Shown};

impl FrontView<'_> {
    /// One header line, then one row per point, then one per baseline, all numbers in full precision:
    ///
    /// | column | meaning |
    /// |---|---|
    /// | `role` | `point` or `baseline` |
    /// | `name` | `point 1`, ..., or the name of the baseline |
    /// | `status` | of a point: `optimal` if it is proven that nothing beats it, else `feasible` |
    /// | `mark` | of a point: `best for OBJECTIVE`, `knee`; of a baseline: the restriction it breaks |
    /// | `beaten_by` | of a baseline: points that are better in one objective and not worse in the other |
    /// | `OBJECTIVE` | a column with the value of each objective (GFLOPS, a fraction, or seconds) |
    /// | `total_gflops` | plain sum of GFLOPS |
    /// | `smallest_p` | smallest GFLOPS / GFLOPS alone |
    /// | `gflops:APP` | GFLOPS of the application |
    /// | `threads:APP` | its threads on each node, with spaces between them |
    /// | `home:APP` | where its data lies, of applications with an open home |
    ///
    /// # Errors
    /// Only those of the writer; memory does not fail.
    pub(crate) fn csv(&self) -> Result<String, Box<dyn std::error::Error>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let apps = &self.study.apps;
        let mut header: Vec<String> =
            ["role", "name", "status", "mark", "beaten_by"].map(str::to_owned).to_vec();
        header.extend(self.objectives().map(|objective| objective.name().to_owned()));
        header.extend(["total_gflops", "smallest_p"].map(str::to_owned));
        header.extend(apps.iter().map(|app| format!("gflops:{}", app.name)));
        header.extend(apps.iter().map(|app| format!("threads:{}", app.name)));
        header.extend(self.open_apps().map(|app| format!("home:{}", apps[app.0].name)));
        writer.write_record(&header)?;
        let status = if self.unproven.is_none() { "optimal" } else { "feasible" };
        for (i, point) in self.points.iter().enumerate() {
            let best = self.best_for(i).into_iter().map(|objective| format!("best for {}", objective.name()));
            let knee = (self.knee == Some(i)).then(|| "knee".to_owned());
            let mark = best.chain(knee).collect::<Vec<_>>().join("; ");
            writer.write_record(self.record(["point", &point.name, status, &mark, ""], point))?;
        }
        for baseline in &self.baselines {
            let breaks =
                baseline.breaks.as_deref().map_or(String::new(), |why| format!("not allowed: {why}"));
            let beaten_by: Vec<String> = baseline.beaten_by.iter().map(|i| (i + 1).to_string()).collect();
            let first = ["baseline", &baseline.shown.name, "", &breaks, &beaten_by.join(" ")];
            writer.write_record(self.record(first, &baseline.shown))?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    fn record(&self, first: [&str; 5], shown: &Shown) -> Vec<String> {
        let apps = || (0..self.study.apps.len()).map(AppId);
        let number = |value: f64| if value.is_finite() { (value + 0.0).to_string() } else { String::new() };
        let mut record = first.map(str::to_owned).to_vec();
        record.extend(shown.values.map(number));
        record.extend([number(shown.evaluation.total.value()), number(self.smallest_p(shown))]);
        record.extend(shown.evaluation.apps.iter().map(|app| number(app.gflops.value())));
        record.extend(
            apps().map(|app| {
                shown.allocation.row(app).iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
            }),
        );
        let homes = self.open_apps().map(|app| shown.evaluation.apps[app.0].home);
        record.extend(homes.map(|home| home.map_or(String::new(), |home| home.0.to_string())));
        record
    }

    fn open_apps(&self) -> impl Iterator<Item = AppId> {
        let apps = self.study.apps.iter().enumerate();
        apps.filter(|(_, app)| app.data.is_open()).map(|(a, _)| AppId(a))
    }
}

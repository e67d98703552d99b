//! A search for spreadsheets.

use super::Answer;
use crate::view::caution;
use crate::view::csv::{COLUMNS, rows};

impl Answer<'_> {
    /// One header line, then one row per allocation, application and node: the columns of `evaluate` between these:
    ///
    /// | column | meaning |
    /// |---|---|
    /// | `role` | `best`, `alternative`, `robust` or `baseline` |
    /// | `objective` | name of the objective |
    /// | `value` | value of the objective (GFLOPS, a fraction, or seconds) |
    /// | `status` | `optimal` or `feasible`, of the best |
    /// | `bound` | no allocation has a better value |
    /// | `cautions` | what to know about the best beside value and status, as words with `;` between them; the last column |
    ///
    /// # Errors
    /// Only those of the writer; memory does not fail.
    pub(crate) fn csv(&self) -> Result<String, Box<dyn std::error::Error>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(
            ["role", "objective", "value", "status", "bound"].iter().chain(&COLUMNS).chain([&"cautions"]),
        )?;
        let status = if self.unproven.is_none() { "optimal" } else { "feasible" };
        let objective = self.problem.goal().objective().name();
        let cautions = caution::codes(&self.cautions);
        for (role, rated) in self.all() {
            let first = [
                role.to_owned(),
                objective.to_owned(),
                (rated.value + 0.0).to_string(),
                status.to_owned(),
                (self.bound + 0.0).to_string(),
            ];
            for row in rows(&self.view(rated)) {
                writer.write_record(first.iter().chain(&row).chain([&cautions]))?;
            }
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }
}

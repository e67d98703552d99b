//! A search for spreadsheets.

use numasim_ask::table::{self, Of};
use numasim_ask::tables::Placed;

use super::Answer;
use crate::view::caution;

/// A row of an allocation: its role and its value.
type Row<'v> = ((&'static str, f64), Placed<'v>);

impl Answer<'_> {
    /// One row per allocation, application and node: the columns of `evaluate` between those of the search.
    pub(crate) fn csv(&self) -> String {
        let status = self.status();
        let objective = self.problem.goal().objective().name();
        let cautions = caution::codes(&self.cautions);
        let views: Vec<_> =
            self.all().map(|(role, rated)| ((role, rated.value), rated.scenario.view())).collect();
        let mut columns = vec![
            // `best`, `alternative`, `robust`, `baseline` or `simple`.
            Of::text("role", |((role, _), _): &Row| *role),
            Of::text("objective", move |_: &Row| objective),
            Of::number("value", |((_, value), _): &Row| *value),
            // Of the best.
            Of::text("status", move |_: &Row| status),
            Of::number("bound", |_: &Row| self.bound),
        ];
        columns.extend(Placed::columns().map(|column| column.within(|(_, placed): &Row| placed)));
        columns.push(Of::text("cautions", |_: &Row| cautions.as_str()));
        let rows = views.iter().flat_map(|(rated, view)| Placed::all(view).map(|placed| (*rated, placed)));
        table::csv(&columns, rows)
    }
}

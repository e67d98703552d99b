//! The best allocation beside the baselines.

use numasim_draw::grid::{Align, Grid};
use numasim_ask::wording::{value_title, weighted};
use numasim_sim::Objective;

use super::Answer;
use crate::view::{Style, figures};
use numasim_ask::explored::Rated;

impl Answer<'_> {
    /// What people do without a search, and the factor won.
    pub(super) fn compared(&self, style: &Style) -> String {
        let noted = self.baselines.iter().any(|one| one.breaks.is_some());
        let note = [("note", Align::Left)];
        let mut columns = vec![("best is", Align::Right)];
        columns.extend(noted.then_some(note).into_iter().flatten());
        let mut grid = self.values_grid(&columns);
        let rated: Vec<&Rated> =
            std::iter::once(&self.best).chain(self.baselines.iter().map(|one| &one.rated)).collect();
        let cells = self.value_cells(&rated);
        for (i, (rated, cells)) in rated.iter().zip(cells).enumerate() {
            let breaks = i.checked_sub(1).and_then(|b| self.baselines[b].breaks.as_deref());
            let mut row =
                vec![if i == 0 { style.strong(&rated.scenario.name) } else { rated.scenario.name.clone() }];
            row.extend(cells);
            row.push(if i == 0 {
                String::new()
            } else {
                self.won(rated) + super::rivals::blurred(rated, self.ties(rated))
            });
            if noted {
                row.push(breaks.map_or(String::new(), |why| style.faint(&format!("not allowed: {why}"))));
            }
            grid.row(row);
        }
        grid.render(style)
    }

    /// How the best compares with a baseline. One that breaks a restriction can be the better one.
    fn won(&self, rated: &Rated) -> String {
        let goal = self.problem.goal();
        match goal.factor(self.best.value, rated.value) {
            _ if self.ties(rated) => "as good".to_owned(),
            Some(factor) if factor >= 1.0 => times(factor, "better"),
            _ => match goal.factor(rated.value, self.best.value) {
                Some(factor) if factor > 1.0 => times(factor, "worse"),
                _ => "-".to_owned(),
            },
        }
    }

    /// A table that begins with the name of an allocation and its value.
    pub(super) fn values_grid(&self, more: &[(&str, Align)]) -> Grid {
        let objective = self.problem.goal().objective();
        let value = match objective {
            Objective::Makespan => "makespan\ns".to_owned(),
            _ => value_title(objective, self.weighted()).replace(' ', "\n"),
        };
        let mut columns = vec![("allocation", Align::Left), (value.as_str(), Align::Right)];
        if objective != Objective::TotalGflops || self.weighted() {
            columns.push(("total\nGFLOPS", Align::Right));
        }
        columns.extend(more);
        Grid::new(&columns)
    }

    fn weighted(&self) -> bool {
        weighted(&self.study.apps)
    }

    /// Value, and total GFLOPS where that is something else, of each allocation.
    pub(super) fn value_cells(&self, rated: &[&Rated]) -> Vec<Vec<String>> {
        let values = figures::column(&rated.iter().map(|rated| rated.value).collect::<Vec<_>>());
        let totals = figures::column(
            &rated.iter().map(|rated| rated.scenario.evaluation.total.value()).collect::<Vec<_>>(),
        );
        let both = self.problem.goal().objective() != Objective::TotalGflops || self.weighted();
        values.into_iter().zip(totals).map(|(v, t)| if both { vec![v, t] } else { vec![v] }).collect()
    }
}

/// A factor above 1 with three decimals, or fewer where it is large.
fn times(factor: f64, what: &str) -> String {
    match factor {
        f if f < 1.000_5 => format!("barely {what}"), // would read "1.000 times"
        f if f < 100.0 => format!("{f:.3} times {what}"),
        f => format!("{} times {what}", figures::single(f)),
    }
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn a_factor_has_three_decimals_and_a_small_win_is_not_1() {
        assert_eq!(
            [1.28, 1.000_01, 1234.5].map(|factor| times(factor, "better")),
            ["1.280 times better", "barely better", "1234.5 times better"]
        );
    }
}

//! The best allocation beside the baselines.

use numasim_ask::table::{Of, grid};
use numasim_ask::wording::{value_title, weighted};
use numasim_sim::Objective;

use super::Answer;
use crate::view::{Style, figures};
use numasim_ask::explored::Rated;

impl Answer<'_> {
    /// What people do without a search, and the factor won.
    pub(super) fn compared(&self, style: &Style) -> String {
        let breaks = |rated: &&Rated| {
            let baseline = self.baselines.iter().find(|one| std::ptr::eq(&raw const one.rated, *rated))?;
            baseline.breaks.as_ref().map(|why| style.faint(&format!("not allowed: {why}")))
        };
        let won = |rated: &&Rated| {
            let won = || self.won(rated) + self.blurred(rated);
            (!self.is_best(rated)).then(won)
        };
        let mut columns = self.value_columns(style);
        columns.push(Of::text("best is", won).right());
        columns.push(Of::text("note", breaks).if_any());
        let baselines = self.baselines.iter().map(|one| &one.rated);
        grid(&columns, &std::iter::once(&self.best).chain(baselines).collect::<Vec<_>>()).render(style)
    }

    fn is_best(&self, rated: &Rated) -> bool {
        std::ptr::eq(rated, &raw const self.best)
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

    /// The columns that every table of allocations begins with: name, value, and total GFLOPS where that is something else.
    pub(super) fn value_columns<'v>(&'v self, style: &'v Style) -> Vec<Of<'v, &'v Rated>> {
        let objective = self.problem.goal().objective();
        let weighted = weighted(&self.study.apps);
        let value = match objective {
            Objective::Makespan => "makespan\ns".to_owned(),
            _ => value_title(objective, weighted).replace(' ', "\n"),
        };
        let stressed =
            |rated: &&Rated, name: String| if self.is_best(rated) { style.strong(&name) } else { name };
        vec![
            Of::text("allocation", |rated: &&'v Rated| rated.scenario.name.as_str()).painted(stressed),
            Of::number("value", |rated: &&Rated| rated.value).titled(value).rounded(),
            Of::number("total_gflops", |rated: &&Rated| rated.scenario.evaluation.total.value())
                .titled("total\nGFLOPS")
                .rounded()
                .only_if(objective != Objective::TotalGflops || weighted),
        ]
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

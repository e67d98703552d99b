//! A search for people.

use numasim_model::sharing::MODEL_NAME;
use numasim_model::{AppId, Data};
use numasim_sim::Objective;

use super::{Answer, Rated, WhyUnproven};
use crate::view::grid::{Align, Grid, wrap};
use crate::view::lettering::{Lettering, painted};
use crate::view::{Style, figures, table};

impl Answer<'_> {
    /// The question, the answer and how sure it is, the best allocation, and what it is compared with.
    pub(crate) fn table(&self, style: &Style) -> String {
        let mut parts =
            vec![self.question(style), self.verdict(style), table::table(&self.view(&self.best), style)];
        parts.push(self.compared(style));
        if let Some(others) = self.others(style) {
            parts.push(others);
        }
        parts.join("\n")
    }

    fn question(&self, style: &Style) -> String {
        let machine = &self.study.machine;
        let objective = self.problem.goal().objective();
        let meaning = match objective {
            Objective::TotalGflops => "the largest sum of weight x GFLOPS",
            Objective::Fair => "the largest minimum of p = GFLOPS / GFLOPS alone on the whole machine",
            Objective::Geomean => {
                "the largest weighted geometric mean of p = GFLOPS / GFLOPS alone on the machine"
            }
            Objective::Makespan => "the shortest time until every application has done its work",
        };
        let restrictions = self.problem.restrictions().describe(&self.study.apps);
        let restrictions = if restrictions.is_empty() { "none".to_owned() } else { restrictions.join(", ") };
        let open = self.study.apps.iter().filter(|app| app.data == Data::OpenHome).count();
        let homes = if open > 0 { ", homes of data included" } else { "" };
        let lines = [
            (
                "Machine",
                format!(
                    "{} ({} NUMA nodes, {} cores)",
                    machine.name(),
                    machine.node_count(),
                    machine.total_cores()
                ),
            ),
            ("Model", MODEL_NAME.to_owned()),
            ("Objective", format!("{}: {meaning}", objective.name())),
            ("Restrictions", restrictions),
            ("Allocations", format!("{}{homes}", power_of_ten(self.problem.size_log10()))),
        ];
        lines.map(|(key, value)| format!("{} {value}\n", style.faint_padded(key, 12))).concat()
    }

    /// How good the answer is, and how sure.
    fn verdict(&self, style: &Style) -> String {
        let value = style.strong(&self.with_unit(self.best.value));
        let bound = self.with_unit(self.bound);
        let limit = if self.problem.goal().objective() == Objective::Makespan {
            format!("no allocation takes less than {bound}")
        } else {
            format!("no allocation reaches more than {bound}")
        };
        let gap = format!("gap {} %", figures::short((self.gap * 1e4).round() / 1e2));
        let time = format!("{:.2} s", self.elapsed_s);
        let text = match self.unproven {
            None => format!("Best: {value}. Proven: no allocation is better. ({time})"),
            Some(WhyUnproven::Interrupted) => {
                format!("Best so far, interrupted after {time}: {value}. Not proven: {limit} ({gap}).")
            }
            Some(WhyUnproven::TimeLimit) => {
                format!("Best within the time limit of {time}: {value}. Not proven: {limit} ({gap}).")
            }
            Some(WhyUnproven::TooLarge) => {
                format!(
                    "Best found: {value}. Not proven, the space is too large to be covered: {limit} ({gap}, {time})."
                )
            }
        };
        wrap(&text, style.columns()).join("\n") + "\n"
    }

    fn with_unit(&self, value: f64) -> String {
        let unit = self.problem.goal().objective().unit();
        let figure = figures::single(value);
        match unit {
            "" => format!("p = {figure}"),
            unit => format!("{figure} {unit}"),
        }
    }

    /// What people do without a search, and the factor won.
    fn compared(&self, style: &Style) -> String {
        let goal = self.problem.goal();
        let mut grid = self.values_grid(&[("best is", Align::Right), ("", Align::Left)]);
        let rated: Vec<&Rated> =
            std::iter::once(&self.best).chain(self.baselines.iter().map(|(r, _)| r)).collect();
        let columns = self.value_cells(&rated);
        for (i, (rated, cells)) in rated.iter().zip(columns).enumerate() {
            let breaks = i.checked_sub(1).and_then(|b| self.baselines[b].1.as_deref());
            let factor = goal.factor(self.best.value, rated.value);
            let better = match factor {
                _ if i == 0 => String::new(),
                Some(factor) => format!("{} times better", figures::single(factor)),
                None => "-".to_owned(),
            };
            let mut row = vec![if i == 0 { style.strong(&rated.name) } else { rated.name.clone() }];
            row.extend(cells);
            row.push(better);
            row.push(breaks.map_or(String::new(), |why| style.faint(&format!("not allowed: {why}"))));
            grid.row(row);
        }
        grid.render(style)
    }

    /// Other allocations that tie or come close.
    fn others(&self, style: &Style) -> Option<String> {
        if self.alternatives.is_empty() {
            return None;
        }
        let letters = Lettering::new(&self.study.apps);
        let mut grid = self.values_grid(&[("from best", Align::Right), ("threads per node", Align::Left)]);
        let rated: Vec<&Rated> = self.alternatives.iter().collect();
        for (rated, cells) in rated.iter().zip(self.value_cells(&rated)) {
            let difference = (rated.value - self.best.value) / self.best.value * 100.0;
            let mut row = vec![rated.name.clone()];
            row.extend(cells);
            row.push(if self.ties(rated) { "tie".to_owned() } else { format!("{} %", signed(difference)) });
            row.push(self.threads(rated, &letters, style));
            grid.row(row);
        }
        let note = if self.alternatives_complete {
            "Other allocations, the next best first; those that only swap equal nodes or instances are left out. --top K shows more."
        } else {
            "Other good allocations that were met; better ones between them are possible. Those that only swap equal \
             nodes or instances are left out. --top K shows more."
        };
        let note: Vec<String> = wrap(note, style.columns()).iter().map(|line| style.faint(line)).collect();
        Some(format!("{}{}\n", grid.render(style), note.join("\n")))
    }

    fn values_grid(&self, more: &[(&str, Align)]) -> Grid {
        let objective = self.problem.goal().objective();
        let value = match objective {
            Objective::TotalGflops if !self.weighted() => "GFLOPS".to_owned(),
            Objective::TotalGflops => "weighted\nGFLOPS".to_owned(),
            Objective::Fair => "smallest\np".to_owned(),
            Objective::Geomean => "mean\np".to_owned(),
            Objective::Makespan => "makespan\ns".to_owned(),
        };
        let mut columns = vec![("allocation", Align::Left), (value.as_str(), Align::Right)];
        if objective != Objective::TotalGflops || self.weighted() {
            columns.push(("total\nGFLOPS", Align::Right));
        }
        columns.extend(more);
        Grid::new(&columns)
    }

    fn weighted(&self) -> bool {
        self.study.apps.iter().any(|app| (app.weight - 1.0).abs() > 0.0)
    }

    /// Value, and total GFLOPS where that is something else, of each allocation.
    fn value_cells(&self, rated: &[&Rated]) -> Vec<Vec<String>> {
        let values = figures::column(&rated.iter().map(|rated| rated.value).collect::<Vec<_>>());
        let totals =
            figures::column(&rated.iter().map(|rated| rated.evaluation.total.value()).collect::<Vec<_>>());
        let both = self.problem.goal().objective() != Objective::TotalGflops || self.weighted();
        values.into_iter().zip(totals).map(|(v, t)| if both { vec![v, t] } else { vec![v] }).collect()
    }

    /// `A 1 0 0 0  B 0 1 0 0  D 7 7 7 8 (data on 3)`
    fn threads(&self, rated: &Rated, letters: &Lettering, style: &Style) -> String {
        let allocation = &rated.candidate.allocation;
        let apps = (0..self.study.apps.len()).map(AppId).filter(|&app| allocation.total(app) > 0);
        let words = apps.map(|app| {
            let counts: Vec<String> = allocation.row(app).iter().map(u32::to_string).collect();
            let open = self.study.apps[app.0].data == Data::OpenHome;
            let home = rated.evaluation.apps[app.0].home.filter(|_| open);
            let home = home.map_or(String::new(), |home| format!(" (data on {})", home.0));
            format!("{} {}{home}", painted(letters.of(app), style), counts.join(" "))
        });
        words.collect::<Vec<_>>().join("  ")
    }
}

/// `6.0e10`, or `165` where that is short.
fn power_of_ten(log10: f64) -> String {
    if log10 < 5.5 {
        return format!("{:.0}", 10_f64.powf(log10));
    }
    let exponent = log10.floor();
    format!("{:.1}e{exponent:.0}", 10_f64.powf(log10 - exponent))
}

/// A difference in percent with its sign: `-2.2`, `+0.05`.
fn signed(percent: f64) -> String {
    let digits = if percent.abs() < 0.1 { format!("{percent:+.4}") } else { format!("{percent:+.1}") };
    if digits.trim_start_matches(['+', '-']).parse().is_ok_and(|number: f64| number == 0.0) {
        "0".to_owned()
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_of_allocations_are_powers_of_ten() {
        assert_eq!(power_of_ten(495_f64.powi(4).log10()), "6.0e10");
        assert_eq!(power_of_ten(495_f64.log10()), "495");
    }

    #[test]
    fn small_differences_keep_their_digits() {
        assert_eq!([signed(-2.1875), signed(0.001), signed(0.0)], ["-2.2", "+0.0010", "0"]);
    }
}

//! A front for people.

use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::AppId;
use numasim_sim::Objective;

use super::{FrontView, Shown};
use crate::view::answer::{gap, power_of_ten};
use crate::view::lettering::{Lettering, painted};
use crate::view::{Style, caution, figures, machine_title};
use numasim_ask::explored::WhyUnproven;

/// Columns of the words before the answer.
const KEY: usize = 12;
/// On more nodes than this the changed ones are listed, not all.
const MOST_NODES_IN_A_ROW: usize = 12;
/// Holds together what belongs to one application where the cell is wrapped.
const NO_BREAK: &str = "\u{a0}";

impl FrontView<'_> {
    /// The question, how sure the answer is, the points, and the baselines beside them.
    pub(crate) fn table(&self, style: &Style) -> String {
        [self.head(style), self.verdict(style), self.front(style), self.compared(style)].join("\n")
    }

    fn head(&self, style: &Style) -> String {
        let problem = &self.question.problems()[0];
        let meanings =
            self.objectives().map(|objective| format!("{}: {}", objective.name(), meaning(objective)));
        let restrictions = problem.restrictions().describe(&self.study.apps);
        let restrictions = if restrictions.is_empty() { "none".to_owned() } else { restrictions.join(", ") };
        let open = self.study.apps.iter().any(|app| app.data.is_open());
        let homes = if open { ", homes of data included" } else { "" };
        let [first, second] = meanings;
        let lines = [
            ("Machine", machine_title(&self.study.machine)),
            ("Model", self.study.machine.sharing().in_words()),
            ("Trade-off", first),
            ("against", second),
            ("Restrictions", restrictions),
            ("Allocations", format!("{}{homes}", power_of_ten(problem.size_log10()))),
        ];
        let in_words = lines.map(|(key, value)| {
            let value = wrap(&value, style.columns() - KEY - 1).join(&format!("\n{}", " ".repeat(KEY + 1)));
            format!("{} {value}\n", style.faint_padded(key, KEY))
        });
        in_words.concat()
    }

    /// How many points, and how sure.
    fn verdict(&self, style: &Style) -> String {
        let points = style.strong(&figures::count(self.points.len() as u64, "point"));
        let time = format!("{:.2} s", self.elapsed_s);
        let mut words = match self.unproven {
            None if self.points.len() == 1 => {
                format!("{points}: one allocation is best for both. Proven. ({time})")
            }
            None => format!("{points}. Complete: every allocation was compared. ({time})"),
            Some(why) => {
                let ended = match why {
                    WhyUnproven::Interrupted => format!("Interrupted after {time}: "),
                    WhyUnproven::TimeLimit => format!("Stopped by the time limit after {time}: "),
                    WhyUnproven::TooLarge | WhyUnproven::Model => String::new(),
                };
                let compared = format!("{} allocations", power_of_ten((self.compared.max(1) as f64).log10()));
                let time = if ended.is_empty() { format!(" ({time})") } else { String::new() };
                format!(
                    "{ended}{points}, which none of {compared} compared allocations dominates.{time} Not complete: the \
                     space is larger, others may lie between or beyond them."
                )
            }
        };
        if self.unproven.is_some() {
            for (i, end) in self.ends.iter().enumerate() {
                let objective = self.objectives()[i];
                let value = self.with_unit(i, end.value);
                let limit = if objective == Objective::Makespan { "less" } else { "more" };
                let in_words = match end.bound {
                    _ if end.proven => format!(" The best {}, {value}, is proven.", objective.name()),
                    Some(bound) => format!(
                        " The best {} found, {value}, is not proven: nothing has {limit} than {}{}.",
                        objective.name(),
                        self.with_unit(i, bound),
                        end.gap().map_or(String::new(), |share| format!(" (gap {})", gap(share)))
                    ),
                    None => format!(" The best {} found, {value}, is not proven.", objective.name()),
                };
                words.push_str(&in_words);
            }
        }
        for (i, objective) in self.objectives().into_iter().enumerate() {
            let clauses = caution::clauses(&self.cautions(i), &self.study.apps);
            if !clauses.is_empty() {
                let _ = write!(words, " Caution, the best {}: {}.", objective.name(), clauses.join("; "));
            }
        }
        let mut text = wrap(&words, style.columns()).join("\n") + "\n";
        if let Some(knee) = self.knee_in_words() {
            text += &(wrap(&knee, style.columns()).join("\n") + "\n");
        }
        text
    }

    /// What the knee keeps of both ends.
    fn knee_in_words(&self) -> Option<String> {
        let Some(knee) = self.knee else {
            let straight =
                "No knee: the front is almost a straight line, no point stands out as a compromise.";
            return (self.points.len() > 2).then(|| straight.to_owned());
        };
        let values = self.points.get(knee)?.values;
        let kept = |i: usize| {
            let factor = self.question.problems()[i].goal().factor(values[i], self.ends[i].value)?;
            Some(format!("{:.1} % of the best {}", factor * 100.0, self.objectives()[i].name()))
        };
        Some(format!(
            "The knee, point {}, keeps {} and {}: it lies farthest outside the straight line between both ends.",
            knee + 1,
            kept(0)?,
            kept(1)?
        ))
    }

    /// Which totals are not among the objectives already.
    fn more_columns(&self) -> (bool, bool) {
        let asked = |objective| self.objectives().contains(&objective);
        (!asked(Objective::TotalGflops) || self.weighted(), !asked(Objective::Fair))
    }

    fn figure_columns(&self) -> Vec<(String, Align)> {
        let (total, smallest) = self.more_columns();
        let mut columns: Vec<(String, Align)> =
            self.objectives().map(|objective| (self.title(objective), Align::Right)).to_vec();
        columns.extend(total.then(|| ("total\nGFLOPS".to_owned(), Align::Right)));
        columns.extend(smallest.then(|| ("smallest\np".to_owned(), Align::Right)));
        columns
    }

    fn title(&self, objective: Objective) -> String {
        let unit = match objective {
            Objective::TotalGflops if self.weighted() => "weighted GFLOPS",
            Objective::TotalGflops => "GFLOPS",
            Objective::Fair => "smallest p",
            Objective::Geomean => "mean p",
            Objective::Makespan => "s",
        };
        format!("{}\n{unit}", objective.name())
    }

    /// The figures of each of `shown`, column by column in the same precision.
    fn figure_cells(&self, shown: &[&Shown]) -> Vec<Vec<String>> {
        let (total, smallest) = self.more_columns();
        let column = |value: &dyn Fn(&Shown) -> f64| {
            figures::column(&shown.iter().map(|shown| value(shown)).collect::<Vec<_>>())
        };
        let mut columns = vec![column(&|s| s.values[0]), column(&|s| s.values[1])];
        columns.extend(total.then(|| column(&|s| s.evaluation.total.value())));
        columns.extend(smallest.then(|| column(&|s| self.smallest_p(s))));
        (0..shown.len()).map(|i| columns.iter().map(|column| column[i].clone()).collect()).collect()
    }

    fn front(&self, style: &Style) -> String {
        let letters = Lettering::new(&self.study.apps);
        let mut rows = self.shown.clone();
        rows.extend(self.knee.filter(|knee| !rows.contains(knee)));
        rows.sort_unstable();
        let marks: Vec<String> = rows.iter().map(|&i| self.mark(i)).collect();
        let mut columns = vec![("point".to_owned(), Align::Right)];
        columns.extend(self.figure_columns());
        columns.push((String::new(), Align::Left));
        columns.push(("threads per node,\nwhere not as above".to_owned(), Align::Left));
        let columns: Vec<(&str, Align)> =
            columns.iter().map(|(title, align)| (title.as_str(), *align)).collect();
        let mut grid = Grid::new(&columns);
        let shown: Vec<&Shown> = rows.iter().map(|&i| &self.points[i]).collect();
        for (r, cells) in self.figure_cells(&shown).into_iter().enumerate() {
            let number = (rows[r] + 1).to_string();
            let mut row = vec![if marks[r].is_empty() { number } else { style.strong(&number) }];
            row.extend(cells);
            row.push(marks[r].clone());
            let before = r.checked_sub(1).map(|before| shown[before]);
            row.push(self.differences(shown[r], before, &letters, style));
            grid.row(row);
        }
        let mut text = grid.render(style).replace(NO_BREAK, " ");
        let mut notes = Vec::new();
        if !letters.shared() {
            let names = (0..letters.count()).map(|l| format!("{} {}", painted(l, style), letters.name(l)));
            notes.extend(wrap(&names.collect::<Vec<_>>().join(style.wide_gap()), style.columns()));
        }
        if rows.len() < self.points.len() {
            let note = format!(
                "{} of {} points, evenly spread; --format csv and json have all, --plot FILE.svg draws them.",
                rows.len(),
                self.points.len()
            );
            notes.extend(wrap(&note, style.columns()).iter().map(|line| style.faint(line)));
        }
        for note in notes {
            text += &(note + "\n");
        }
        text
    }

    fn mark(&self, point: usize) -> String {
        let best: Vec<&str> = self.best_for(point).iter().map(|objective| objective.name()).collect();
        match best.as_slice() {
            [] if self.knee == Some(point) => "knee".to_owned(),
            [] => String::new(),
            names => format!("best {}", names.join(" and ")),
        }
    }

    /// `A 1 0 7 3   C 0 7 0 0 (data on 1)`: the applications that are not as in `before`.
    fn differences(
        &self,
        shown: &Shown,
        before: Option<&Shown>,
        letters: &Lettering,
        style: &Style,
    ) -> String {
        let words = (0..self.study.apps.len()).map(AppId).filter_map(|app| {
            let row = shown.allocation.row(app);
            let home = shown.evaluation.apps[app.0].home;
            let home = home.filter(|_| self.study.apps[app.0].data.is_open());
            let same_row = before.is_some_and(|before| before.allocation.row(app) == row);
            let same_home =
                before.is_none_or(|before| before.evaluation.apps[app.0].home == home) || home.is_none();
            if same_row && same_home {
                return None;
            }
            let name = if letters.shared() {
                self.study.apps[app.0].name.clone()
            } else {
                painted(letters.of(app), style)
            };
            let threads = (!same_row).then(|| match before {
                Some(before) if row.len() > MOST_NODES_IN_A_ROW => {
                    crate::view::answer::changes(row, before.allocation.row(app))
                }
                _ => row.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
            });
            let home =
                home.filter(|_| before.is_none() || !same_home).map(|home| format!("(data on {})", home.0));
            let words: Vec<String> = std::iter::once(name).chain(threads).chain(home).collect();
            Some(words.join(" ").replace(' ', NO_BREAK))
        });
        words.collect::<Vec<_>>().join(style.wide_gap())
    }

    /// What people do without a search, beside the front.
    fn compared(&self, style: &Style) -> String {
        let mut columns = vec![("allocation".to_owned(), Align::Left)];
        columns.extend(self.figure_columns());
        columns.push(("beside the front".to_owned(), Align::Left));
        let columns: Vec<(&str, Align)> =
            columns.iter().map(|(title, align)| (title.as_str(), *align)).collect();
        let mut grid = Grid::new(&columns);
        let shown: Vec<&Shown> = self.baselines.iter().map(|baseline| &baseline.shown).collect();
        for (baseline, cells) in self.baselines.iter().zip(self.figure_cells(&shown)) {
            let mut row = vec![baseline.shown.name.clone()];
            row.extend(cells);
            let numbers: Vec<usize> = baseline.beaten_by.iter().map(|i| i + 1).collect();
            let place = match (numbers.as_slice(), baseline.same_as) {
                ([], Some(point)) => format!("on the front, as point {}", point + 1),
                ([], None) => "no point dominates it".to_owned(),
                ([point], _) => format!("dominated by point {point}"),
                (points, _) => format!("dominated by points {}", figures::ranges(points)),
            };
            row.push(match &baseline.breaks {
                Some(why) => format!("{place} {}", style.faint(&format!("(not allowed: {why})"))),
                None => place,
            });
            grid.row(row);
        }
        grid.render(style)
    }
}

fn meaning(objective: Objective) -> &'static str {
    match objective {
        Objective::TotalGflops => "the largest sum of weight x GFLOPS",
        Objective::Fair => "the largest minimum of p = GFLOPS / GFLOPS alone on the whole machine",
        Objective::Geomean => {
            "the largest weighted geometric mean of p = GFLOPS / GFLOPS alone on the machine"
        }
        Objective::Makespan => "the shortest time until every application has done its work",
    }
}

//! Output of a search for people and programs: the best allocation, a bound on its quality, and the allocations that it is compared with.

use numasim_ask::data_words;
use std::ops::Deref;

use numasim_ask::Explored;
use numasim_ask::explored::{Baseline, Rated, Robust};
use numasim_ask::table::{Of, grid};
use numasim_ask::verdict::{allocations, loss, restrictions};
use numasim_ask::wording::{NO_BREAK, common_unit, meaning, value_scale, value_title, weighted};
use numasim_draw::grid::wrap;
use numasim_model::pinning::node_without_cpus;
use numasim_model::{App, AppId, Scenario, Smt};
use numasim_sim::{Candidate, Objective};

use crate::view::lettering::{Lettering, painted};
use crate::view::saved::{self, Saved};
use crate::view::{Style, figures, machine_title, table};

pub(crate) mod sensitivity;

/// The answer to an `explore`, for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a>(&'a Explored);

impl<'a> Answer<'a> {
    /// For people.
    pub(crate) const fn of(found: &'a Explored) -> Self {
        Self(found)
    }
}

impl Deref for Answer<'_> {
    type Target = Explored;

    fn deref(&self) -> &Explored {
        self.0
    }
}

/// Width of the labels before the answer, in columns.
const KEY: usize = 12;

impl Answer<'_> {
    /// The question, the best allocation, its comparisons, `more`; then the answer in words, which a terminal shows last. A Markdown
    /// document is read from the top, so the words come before the tables there.
    pub(crate) fn table(&self, style: &Style, more: Option<String>) -> String {
        let words = self.words(style);
        let mut tables = vec![table::table(&self.best.scenario.view(), style), self.compared(style)];
        tables.extend(self.others(style));
        tables.extend(self.told_apart(style));
        tables.extend(self.robust_part(style));
        tables.extend(more);
        let (first, second) = if style.markdown { (words, tables) } else { (tables, words) };
        std::iter::once(self.question(style)).chain(first).chain(second).collect::<Vec<_>>().join("\n")
    }

    /// The answer in words: other allocations, levels, saturation, the verdict, and the next command.
    fn words(&self, style: &Style) -> Vec<String> {
        let mut words: Vec<String> = self.simple_in_words(style).into_iter().collect();
        words.extend(self.fewest_in_words(style));
        words.extend(self.levels_in_words(style));
        words.extend(self.saturation_in_words(style));
        words.push(self.verdict(style));
        words.push(self.next(style));
        words
    }

    /// The next command.
    fn next(&self, style: &Style) -> String {
        let has_cpus = node_without_cpus(&self.study.machine).is_none();
        let emit =
            if has_cpus { "--emit numactl -o start.sh writes the commands that set it up, " } else { "" };
        let text =
            format!("Next: {emit}--save best.toml saves the placements for evaluate, bench and compare.");
        wrap(&text, style.columns()).iter().map(|line| style.faint(line) + "\n").collect()
    }

    fn question(&self, style: &Style) -> String {
        let objective = self.problem.goal().objective();
        let lines = [
            ("Machine", machine_title(&self.study.machine)),
            ("Model", self.study.machine.sharing().in_words()),
            ("Objective", format!("{}: {}", objective.as_str(), meaning(objective, &self.study.apps))),
            ("Constraints", restrictions(&self.problem)),
            ("Placements", allocations(&self.problem)),
        ];
        head(lines, style)
    }
}

/// The question: a line for each key.
pub(in crate::view) fn head<const N: usize>(lines: [(&str, String); N], style: &Style) -> String {
    let in_words = lines.map(|(key, value)| {
        let value = wrap(&value, style.columns() - KEY - 1).join(&format!("\n{}", " ".repeat(KEY + 1)));
        format!("{} {value}\n", style.faint_padded(key, KEY))
    });
    in_words.concat()
}

impl Answer<'_> {
    /// Baselines that need no search, and the factor gained.
    fn compared(&self, style: &Style) -> String {
        let why = |rated: &Rated| {
            let baseline = self.baselines.iter().find(|one| std::ptr::eq(&raw const one.rated, rated))?;
            baseline.breaks.as_deref()
        };
        let breaks =
            |rated: &&Rated| why(rated).map(|why| style.faint(&format!("breaks a constraint: {why}")));
        // A forbidden baseline may have a higher value than the best.
        let won = |rated: &&Rated| match why(rated) {
            _ if self.is_best(rated) => None,
            Some(_) => Some("-".to_owned()),
            None => Some(self.won(rated) + self.blurred(rated)),
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

    /// How the best compares with a baseline that satisfies the constraints.
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

    /// The first columns of every table of allocations: name, value, and total GFLOPS if it differs from the value.
    fn value_columns<'v>(&'v self, style: &'v Style) -> Vec<Of<'v, &'v Rated>> {
        let objective = self.problem.goal().objective();
        let weighted = weighted(&self.study.apps);
        let stressed =
            |rated: &&Rated, name: String| if self.is_best(rated) { style.strong(&name) } else { name };
        vec![
            Of::text("allocation", |rated: &&'v Rated| rated.scenario.name.as_str())
                .titled("placement")
                .painted(stressed),
            Of::number("value", |rated: &&Rated| rated.value)
                .titled(value_title(objective, weighted))
                .scaled(value_scale(objective))
                .rounded(),
            Of::number("total_gflops", |rated: &&Rated| rated.scenario.evaluation.total.value())
                .titled("total\nGFLOPS")
                .rounded()
                .only_if(
                    (objective != Objective::TotalGflops || weighted)
                        && common_unit(&self.study.apps).is_none_or(|unit| unit == "GFLOPS"),
                ),
        ]
    }
}

/// A factor above 1 with three decimals, or fewer if it is large.
fn times(factor: f64, what: &str) -> String {
    match factor {
        f if f < 1.000_5 => format!("barely {what}"), // would read "1.000 times"
        f if f < 100.0 => format!("{f:.3} times {what}"),
        f => format!("{} times {what}", figures::single(f)),
    }
}

/// With more nodes, only the changed ones are listed.
pub(in crate::view) const MOST_NODES_IN_A_ROW: usize = 12;

impl Answer<'_> {
    /// The alternatives, each by its differences from the best.
    fn others(&self, style: &Style) -> Option<String> {
        if self.alternatives.is_empty() {
            return None;
        }
        let letters = Lettering::new(&self.study.apps);
        let from_best = |rated: &&Rated| {
            let ties = self.ties(rated);
            let difference = match (rated.value - self.best.value) / self.best.value * 100.0 {
                _ if ties => "tie".to_owned(),
                percent if percent.is_finite() => format!("{} %", signed(percent)),
                _ => "-".to_owned(),
            };
            difference + self.blurred(rated)
        };
        let changed =
            |rated: &&Rated| self.differences(&rated.candidate, &self.best.candidate, &letters, style);
        let mut columns = self.value_columns(style);
        columns.push(Of::text("from best", from_best).right());
        columns.push(Of::text("threads", changed).titled("threads per node,\nif not as in the best"));
        let grid = grid(&columns, &self.alternatives.iter().collect::<Vec<_>>());
        let which = if self.alternatives_complete {
            "Other placements, the next best first, without those that only swap equal nodes or instances."
        } else {
            "Other good placements that the search found; better ones between them are possible. Placements that only swap equal \
             nodes or instances are left out."
        };
        let note = wrap(&format!("{which} --top K shows more."), style.columns());
        let note: Vec<String> = note.iter().map(|line| style.faint(line)).collect();
        Some(format!("{}{}\n", grid.render(style).replace(NO_BREAK, " "), note.join("\n")))
    }

    /// `D 7 7 7 8 (data on 3)`: the applications that differ from `from`.
    fn differences(&self, other: &Candidate, from: &Candidate, letters: &Lettering, style: &Style) -> String {
        changed_apps(&self.study.apps, letters, style, |app| {
            let smt = |of: &Candidate| of.smt.get(app.0).copied().unwrap_or(self.study.apps[app.0].smt);
            let threads = |of: &Candidate| (smt(of), smt(of).threads(of.allocation.row(app)));
            changed_threads(&threads(other), &threads(from))
                .into_iter()
                .chain(self.changed_home(other, from, app))
                .collect()
        })
    }

    fn changed_home(&self, other: &Candidate, from: &Candidate, app: AppId) -> Option<String> {
        let lies = |candidate: &Candidate| data_words::chosen(&candidate.placements[app.0]);
        let open = self.study.apps[app.0].data.is_open();
        lies(other).filter(|_| open && lies(other) != lies(from)).map(|lies| format!("({lies})"))
    }
}

/// The changed applications, each with its changes.
pub(in crate::view) fn changed_apps(
    apps: &[App],
    letters: &Lettering,
    style: &Style,
    changes: impl Fn(AppId) -> Vec<String>,
) -> String {
    let words = (0..apps.len()).map(AppId).filter_map(|app| {
        let changes = changes(app);
        if changes.is_empty() {
            return None;
        }
        let name = if letters.shared() { apps[app.0].name.clone() } else { painted(letters.of(app), style) };
        let words: Vec<String> = std::iter::once(name).chain(changes).collect();
        Some(words.join(" ").replace(' ', NO_BREAK))
    });
    words.collect::<Vec<_>>().join(style.wide_gap())
}

/// Threads on each node, with the number of hardware threads per core if it changes.
fn changed_threads((smt, own): &(Smt, Vec<u32>), before: &(Smt, Vec<u32>)) -> Option<String> {
    if (smt, own) == (&before.0, &before.1) {
        return None;
    }
    let threads = if own.len() <= MOST_NODES_IN_A_ROW || *own == before.1 {
        own.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
    } else {
        changes(own, &before.1)
    };
    Some(if *smt == before.0 { threads } else { format!("{threads} ({})", smt.as_str()) })
}

/// `7 on nodes 0-3, 8 on node 5`: the nodes whose number of threads differs from the best, by their new number.
pub(in crate::view) fn changes(own: &[u32], best: &[u32]) -> String {
    let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
    for (node, (&threads, _)) in own.iter().zip(best).enumerate().filter(|(_, (own, best))| own != best) {
        match groups.iter_mut().find(|(other, _)| *other == threads) {
            Some((_, nodes)) => nodes.push(node),
            None => groups.push((threads, vec![node])),
        }
    }
    let in_words = groups.iter().map(|(threads, nodes)| format!("{threads} on {}", figures::nodes(nodes)));
    in_words.collect::<Vec<_>>().join(", ")
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

/// The losses of placements under each model.
fn matrix(robust: &Robust, baselines: &[Baseline], style: &Style) -> String {
    type Row<'v> = (String, &'v [f64]);
    let worst = |(_, regrets): &Row| regrets.iter().copied().fold(0.0, f64::max);
    let mut columns =
        vec![Of::text("loses, %", |(name, _): &Row| name.clone()), Of::number("worst", worst).written(loss)];
    columns.extend(robust.over.kinds.iter().enumerate().map(|(number, kind)| {
        let title = kind.as_str().replace('-', "-\n");
        Of::number("loss", move |(_, regrets): &Row| regrets[number]).titled(title).written(loss)
    }));
    let mut rows = robust.losses(baselines);
    rows[0].0 = style.strong(&rows[0].0);
    grid(&columns, &rows).render(style)
}

impl Answer<'_> {
    /// The robust placement below the answer for one model; `None` without `--models`.
    fn robust_part(&self, style: &Style) -> Option<String> {
        let robust = self.robust.as_ref()?;
        let best = &self.best.candidate;
        let same = robust.best.candidate.allocation == best.allocation
            && robust.best.candidate.placements == best.placements;
        let map = if same {
            "The robust placement is the best one above.\n".to_owned()
        } else {
            table::table(&robust.best.scenario.view(), style)
        };
        let note = wrap(&robust.note(&self.baselines), style.columns());
        let note: Vec<String> = note.iter().map(|line| style.faint(line)).collect();
        Some(format!(
            "{}\n{}{}\n\n{map}",
            robust.verdict(style),
            matrix(robust, &self.baselines, style),
            note.join("\n")
        ))
    }

    /// The content of `--plot`: the robust placement if there is one, else the best.
    pub(crate) fn drawn_view(&self) -> numasim_ask::ScenarioView<'_> {
        self.robust.as_ref().map_or(&self.best, |robust| &robust.best).scenario.view()
    }
}

impl Answer<'_> {
    /// The content of `--save`: best, alternatives, the robust placement, and the baselines that are not in a file.
    pub(crate) fn saved(&self) -> String {
        let mut facts = vec![("Found by", "numasim explore".to_owned())];
        facts.extend(self.facts());
        saved::toml(&facts, &self.kept(), &self.study.scenarios)
    }

    /// The same as values.
    pub(crate) fn scenarios(&self) -> Vec<Scenario> {
        saved::scenarios(&self.kept(), &self.study.scenarios)
    }

    fn kept(&self) -> Vec<Saved<'_>> {
        let of_files = &self.study.scenarios;
        let known = |role: &str, rated: &Rated| {
            role == "baseline" && of_files.iter().any(|scenario| scenario.name == rated.scenario.name)
        };
        let all = self.all().filter(|(role, rated)| !known(role, rated));
        all.map(|(role, rated)| Saved { view: rated.scenario.view(), role, static_work: false }).collect()
    }

    /// The best allocation with all its parts.
    pub(crate) fn best_view(&self) -> numasim_ask::ScenarioView<'_> {
        self.best.scenario.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_has_three_decimals_and_a_small_win_is_not_1() {
        assert_eq!(
            [1.28, 1.000_01, 1234.5].map(|factor| times(factor, "better")),
            ["1.280 times better", "barely better", "1234.5 times better"]
        );
    }

    #[test]
    fn small_differences_keep_their_digits() {
        assert_eq!([signed(-2.1875), signed(0.001), signed(0.0)], ["-2.2", "+0.0010", "0"]);
    }

    #[test]
    fn changed_nodes_are_listed_by_their_new_number_of_threads() {
        assert_eq!(changes(&[1, 2, 2, 2, 0], &[1, 1, 1, 1, 1]), "2 on nodes 1-3, 0 on node 4");
    }
}

//! Sentences about the result of a search: its quality, how certain that is, and what to set up. Every front end shows them.

use crate::data_words;
use std::fmt::Write as _;

use numasim_draw::grid::wrap;
use numasim_draw::{Style, figures};
use numasim_model::{Allocation, AppId, Machine, NodeId, OpenData, Smt};
use numasim_sim::intervals::Interval;
use numasim_sim::search::robust::Robust as OverModels;
use numasim_sim::search::{Level, Spent, Status};
use numasim_sim::{Objective, Problem};

use crate::explored::{Baseline, Explored, Fewest, Rated, Robust, Simple, WhyUnproven};
use crate::pareto::Front;
use crate::wording::{NO_BREAK, gap, machine_title, value_scale, with_unit};
use crate::{caution, intervals, saturation, suggest};

/// Lines of a paragraph.
fn paragraph(text: &str, style: &Style) -> String {
    wrap(text, style.columns()).join("\n").replace(NO_BREAK, " ") + "\n"
}

/// The constraints of a search, in words.
pub fn restrictions(problem: &Problem) -> String {
    let restrictions = problem.restrictions().describe(problem.apps());
    if restrictions.is_empty() { "none".to_owned() } else { restrictions.join(", ") }
}

/// How many allocations there are.
pub fn allocations(problem: &Problem) -> String {
    let open = |open| problem.apps().iter().any(|app| app.data.open() == Some(open));
    let homes = match (open(OpenData::Home), open(OpenData::Fractions)) {
        (false, false) => "",
        (true, false) => ", including home nodes",
        (_, true) => ", including data fractions",
    };
    format!("{}{homes}", figures::power_of_ten(problem.size_log10()))
}

/// The limit that no allocation can exceed.
const fn limit(objective: Objective) -> &'static str {
    if matches!(objective, Objective::Makespan) { "less" } else { "more" }
}

/// The largest gap that is mentioned.
const WORTH_SAYING: f64 = 0.5;

/// Paragraphs with line breaks only between applications.
const PLAIN: Style = Style { color: false, unicode: true, width: None, markdown: false };

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Explored {
    /// The verdicts on the best, on saturation, the simplest placement, the placement with the fewest threads, and the robust placement:
    /// one paragraph each, with line breaks only between applications.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = vec![one_line(&self.verdict(&PLAIN))];
        words.extend(self.levels_in_words(&PLAIN).map(|words| one_line(&words)));
        words.extend(saturation::in_words(self).iter().map(|words| one_line(words)));
        words.extend(self.simple_in_words(&PLAIN));
        words.extend(self.fewest_in_words(&PLAIN));
        words.extend(self.robust.as_ref().map(Robust::in_words));
        words
    }

    /// A value in the unit of the objective.
    pub fn with_unit(&self, value: f64) -> String {
        with_unit(self.problem.goal().objective(), value)
    }

    /// Distance of the best from the bound: `within 0.003 % of the best possible`; `None` if the bound is too loose.
    fn near(&self) -> Option<String> {
        let within = gap(self.gap).replace(' ', NO_BREAK);
        (self.gap <= WORTH_SAYING).then(|| format!("within {within} of the best possible"))
    }

    /// Quality of the best, and how certain it is.
    pub fn verdict(&self, style: &Style) -> String {
        let scale = value_scale(self.problem.goal().objective());
        let off = self.uncertainty.as_ref().map(|(_, value)| {
            let value = Interval { low: value.low * scale, high: value.high * scale };
            intervals::plus_minus(value, self.best.value * scale, style)
        });
        let off = off.map_or(String::new(), |off| format!(" ({off})"));
        let value = style.strong(&self.with_unit(self.best.value)) + &off;
        let bound = self.with_unit(self.bound);
        let limit = if self.problem.goal().objective() == Objective::Makespan {
            format!("no placement takes less than {bound}")
        } else {
            format!("no placement exceeds {bound}")
        };
        let near = self.near().map_or(String::new(), |near| format!(", {near}"));
        let but = caution::but(&caution::clauses(&self.cautions, &self.study.apps));
        let time = format!("{:.2}{NO_BREAK}s", self.elapsed_s);
        let nothing_better = if self.levels.iter().all(|level| level.proven) {
            "no placement is better"
        } else {
            "no placement has a larger smallest p"
        };
        let text = match self.unproven {
            None if but.is_empty() => format!("Best: {value}. Proven: {nothing_better}. ({time})"),
            None => format!("Best: {value}. Proven ({nothing_better}){but}. ({time})"),
            Some(WhyUnproven::Interrupted) => {
                format!("Best so far, interrupted after {time}: {value}{near}{but}. Not proven: {limit}.")
            }
            Some(WhyUnproven::TimeLimit) => {
                format!(
                    "Best so far, stopped by the time limit after {time}: {value}{near}{but}. Not proven: {limit}."
                )
            }
            Some(WhyUnproven::Model) => {
                let model = self.study.machine.sharing().name();
                format!(
                    "Best found: {value}{near}{but}. Not proven: under {model}, threads elsewhere may help if data is on several \
                     memories or limits are shared, and only small problems of that kind can be proven; {limit}. ({time})"
                )
            }
            Some(WhyUnproven::TooLarge) => {
                format!(
                    "Best found: {value}{near}{but}. Not proven, the search space is too large: {limit}. ({time})"
                )
            }
        };
        paragraph(&(text + &self.effort.as_ref().map_or_else(String::new, effort)), style)
    }

    /// Fraction of stand-alone speed of each application, the slowest first; `None` for objectives other than `fair`.
    pub fn levels_in_words(&self, style: &Style) -> Option<String> {
        let shown = |level: &Level| (figures::short((level.p * 1e4).round() / 1e2), level.proven);
        // Levels with the same text are merged.
        let alike = self.levels.chunk_by(|a, b| shown(a) == shown(b));
        let of = |levels: &[Level]| {
            let mut apps: Vec<AppId> = levels.iter().flat_map(|level| level.apps.clone()).collect();
            apps.sort_unstable();
            let (percent, proven) = shown(&levels[0]);
            let names = caution::names(&apps, &self.study.apps);
            let keeps = if apps.len() == 1 { "keeps" } else { "keep" };
            let sure = if proven { "" } else { " (not proven)" };
            format!("{names} {keeps} {percent}{NO_BREAK}%{sure}")
        };
        let levels: Vec<String> = alike.map(of).collect();
        let text = format!("Fraction of stand-alone speed: {}.", levels.join("; "));
        (!levels.is_empty()).then(|| paragraph(&text, style))
    }

    /// The question, the value, and how certain it is, each with its name; values that differ from run to run are omitted.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let objective = self.problem.goal().objective();
        let apps = &self.study.apps;
        let mut facts = vec![
            ("Machine", machine_title(&self.study.machine)),
            ("Model", self.study.machine.sharing().in_words()),
            ("Objective", format!("{}: {}", objective.as_str(), self.with_unit(self.best.value))),
        ];
        let restrictions = self.problem.restrictions().describe(apps);
        if !restrictions.is_empty() {
            facts.push(("Constraints", restrictions.join(", ")));
        }
        let (limit, bound) = (limit(objective), self.with_unit(self.bound));
        let status = if self.unproven.is_none() {
            "optimal: proven, no placement is better".to_owned()
        } else {
            let near = self.near().map_or(String::new(), |near| format!("{near}, "));
            format!("feasible: {near}not proven, no placement has {limit} than {bound}")
        };
        facts.push(("Status", status));
        facts.extend(caution::clauses(&self.cautions, apps).into_iter().map(|clause| ("Caution", clause)));
        facts
    }

    /// Note after a difference that may come from the uncertainty of the machine alone. Ties need no such note.
    pub fn blurred(&self, rated: &Rated) -> &'static str {
        match rated.rival {
            Some(rival) if !self.ties(rated) && !rival.distinguishable => ", not distinguishable",
            _ => "",
        }
    }

    /// The allocations that cannot be distinguished from the best, and a note on the intervals; `None` if no value of the machine is
    /// uncertain.
    pub fn told_apart(&self, style: &Style) -> Option<String> {
        let (draws, _) = self.uncertainty.as_ref()?;
        let others = self.all().map(|(_, rated)| rated).filter(|rated| !self.blurred(rated).is_empty());
        let blurred: Vec<&str> = others.map(|rated| rated.scenario.name.as_str()).collect();
        let note = intervals::note(draws, style);
        if blurred.is_empty() {
            return Some(note);
        }
        let text = format!(
            "Not statistically distinguishable from the best: {}. The 95 % interval of the difference contains 0: they are better on \
             some of the drawn machines, and worse on others.",
            suggest::list(&blurred)
        );
        Some(paragraph(&text, style) + &note)
    }

    /// Resources for which more threads gain nothing, one paragraph each.
    pub fn saturation_in_words(&self, style: &Style) -> Vec<String> {
        saturation::in_words(self).iter().map(|words| paragraph(words, style)).collect()
    }

    /// Quality of the simplest placement, and what to set up, with a line for each application; `None` if it was not requested.
    pub fn simple_in_words(&self, style: &Style) -> Option<String> {
        let simple = self.simple.as_ref()?;
        let text = paragraph(&simple.verdict(), style);
        Some(if simple.is_best { text } else { text + &self.set_up(&simple.rated, style) })
    }

    /// The fewest threads that suffice, and what to set up, with a line for each application; `None` if it was not requested.
    pub fn fewest_in_words(&self, style: &Style) -> Option<String> {
        let fewest = self.fewest.as_ref()?;
        let of_best = self.problem.threads_of(&self.best.candidate);
        let text = paragraph(&fewest.verdict(of_best), style);
        Some(if fewest.is_best { text } else { text + &self.set_up(&fewest.rated, style) })
    }

    /// Threads to set up, with a line for each application. Instances with the same setup share a line.
    fn set_up(&self, rated: &Rated, style: &Style) -> String {
        let mut text = String::new();
        let allocation = &rated.candidate.allocation;
        let apps = &rated.scenario.study.apps;
        let words_of = |app: usize| set_up(allocation, AppId(app), apps[app].smt, &self.study.machine);
        let mut rest = 0..apps.len();
        while let Some(first) = rest.next() {
            let words = words_of(first);
            let mut last = first;
            while last + 1 < rest.end
                && apps[last + 1].group == apps[first].group
                && words_of(last + 1) == words
            {
                last += 1;
                rest.next();
            }
            let name = |app: usize| apps[app].name.as_str();
            let who = match last - first {
                0 => name(first).to_owned(),
                1 => format!("{} and {}", name(first), name(last)),
                _ => format!("{} to {}", name(first), name(last)),
            };
            let each = if last > first { ", each" } else { "" };
            let placement = &rated.candidate.placements[first];
            let home = data_words::chosen(placement).filter(|_| self.study.apps[first].data.is_open());
            let home = home.map_or_else(String::new, |lies| format!(" ({lies})"));
            let line = format!("  {who}{each}: {words}{home}");
            text += &(wrap(&line, style.columns()).join("\n    ") + "\n");
        }
        text
    }
}

/// Progress of an unproven search within its budget, and how to continue. The gain from a larger budget is unknown and is not guessed.
fn effort(spent: &Spent) -> String {
    let percent = |part: f64| format!("{:.0} %", part * 100.0);
    let so_far = match spent.marks.as_slice() {
        [] => format!(" It used {} of the search budget.", percent(spent.part)),
        marks => {
            let mut words: Vec<String> = marks
                .iter()
                .map(|mark| format!("{} after {}", gap(mark.gap()), percent(mark.effort)))
                .collect();
            if let Some(first) = words.first_mut() {
                first.push_str(" of the search budget");
            }
            format!(" The gap was {}; the search used {}.", words.join(", "), percent(spent.part))
        }
    };
    so_far.replace(" %", &format!("{NO_BREAK}%")) + " To continue: --time-limit 60."
}

impl Simple {
    /// Its quality, and whether there is a simpler placement.
    pub fn verdict(&self) -> String {
        let within = gap(self.within);
        let proof = match (self.is_best, self.found.proven) {
            (true, true) => format!("proven: no simpler placement is within {within} of the best"),
            (true, false) => format!("no simpler placement within {within} of it was found; not proven"),
            (false, true) => format!("proven: nothing simpler is within {within}"),
            (false, false) => format!("the simplest within {within} that was found; not proven"),
        };
        match gap(self.found.loss).as_str() {
            _ if self.is_best => format!("Simple: the best itself ({proof})."),
            "0 %" => format!("Simple: as good as the best ({proof})."),
            loss => format!("Simple: loses {loss} of the best ({proof})."),
        }
    }
}

impl Fewest {
    /// Compares the number of threads with `of_best`, the threads of the best, and reports whether it is proven.
    pub fn verdict(&self, of_best: u64) -> String {
        let threads = figures::count(self.found.threads, "thread");
        let (are, lose) = if self.found.threads == 1 { ("is", "loses") } else { ("are", "lose") };
        let may_lose = if self.within > 0.0 {
            format!("loses at most {} of the best", gap(self.within))
        } else {
            "is as good as the best".to_owned()
        };
        let sure = if self.found.proven {
            format!("proven: no placement with fewer {may_lose}")
        } else {
            format!("none with fewer that {may_lose} was found; not proven")
        };
        match gap(self.found.loss).as_str() {
            _ if self.is_best => format!("Fewest threads: {threads}, the best itself ({sure})."),
            "0 %" => {
                format!("Fewest threads: {threads} instead of {of_best} {are} as good as the best ({sure}).")
            }
            loss => {
                format!("Fewest threads: {threads} instead of {of_best} {lose} {loss} of the best ({sure}).")
            }
        }
    }
}

/// `4 threads on every node`, `16 threads on nodes 0, 1; 3 on node 2`.
fn set_up(allocation: &Allocation, app: AppId, smt: Smt, machine: &Machine) -> String {
    let mut by_number: Vec<(u32, Vec<usize>)> = Vec::new();
    let compute: Vec<NodeId> = machine.compute_nodes().collect();
    for &node in &compute {
        let threads = allocation.get(app, node) * smt.threads_per_core();
        match by_number.iter_mut().find(|(number, _)| *number == threads) {
            _ if threads == 0 => {}
            Some((_, nodes)) => nodes.push(node.0),
            None => by_number.push((threads, vec![node.0])),
        }
    }
    let part = |(i, (threads, nodes)): (usize, &(u32, Vec<usize>))| {
        let noun = match (i, threads) {
            (0, 1) => " thread",
            (0, _) => " threads",
            _ => "",
        };
        let place = if nodes.len() == compute.len() && nodes.len() > 1 {
            "every node".to_owned()
        } else {
            figures::nodes(nodes)
        };
        format!("{threads}{noun} on {place}")
    };
    let words: Vec<String> = by_number.iter().enumerate().map(part).collect();
    if words.is_empty() { "no thread".to_owned() } else { words.join("; ") }
}

/// Smaller losses are not shown: a thousandth of a percent.
const SHOWN: f64 = 1e-5;

/// A loss in percent: one decimal, two below 1 %.
pub fn loss(part: f64) -> String {
    let percent = part * 100.0;
    match percent.abs() {
        size if size < 0.005 => "0".to_owned(),
        size if size < 1.0 => format!("{percent:.2}"),
        _ => format!("{percent:.1}"),
    }
}

/// Maximum width of the name of an allocation, in columns.
const NAME_COLUMNS: usize = 36;

/// The name of an allocation that is also the best under the models `others`.
fn together(name: &str, others: &[&str]) -> String {
    let all = std::iter::once(&name).chain(others).copied().collect::<Vec<_>>().join(", ");
    match others.len() {
        0 => name.to_owned(),
        _ if all.len() <= NAME_COLUMNS => all,
        more => format!("{name} + {more}"),
    }
}

impl Robust {
    /// The loss of the placement, and how certain it is, without line breaks.
    pub fn in_words(&self) -> String {
        one_line(&self.verdict(&PLAIN))
    }

    /// The same text, broken into lines.
    pub fn verdict(&self, style: &Style) -> String {
        let percent = |part: f64| format!("{} %", loss(part));
        let OverModels { worst_regret, bound, at_most, status, .. } = &self.over.found;
        let best = if self.all_proven() { "the best" } else { "the best found" };
        let count = figures::count(self.over.kinds.len() as u64, "model");
        let loses = format!(
            "Robust: at most {} below {best}, whichever of {count} is right",
            style.strong(&percent(*worst_regret))
        );
        let possible = if *at_most > worst_regret + SHOWN {
            format!(", and at most {} below their bounds", percent(*at_most))
        } else {
            String::new()
        };
        // The largest loss of the best of the first model.
        let own = self.over.kinds[0].as_str();
        let first = self.over.others.first().map_or_else(String::new, |(_, regrets)| {
            let worst = regrets.iter().zip(&self.over.kinds).max_by(|a, b| a.0.total_cmp(b.0));
            match worst {
                Some((regret, kind)) if *regret > SHOWN => {
                    format!(
                        "; the best of {own} is up to {} below it under {}",
                        percent(*regret),
                        kind.as_str()
                    )
                }
                _ => format!("; the best of {own} is as good"),
            }
        });
        let sure = if *status == Status::Optimal {
            "Proven: no placement has a smaller worst loss.".to_owned()
        } else if *bound >= worst_regret - SHOWN {
            "No placement is known to lose less; not every best is proven.".to_owned()
        } else {
            format!("Not proven: no placement has a worst loss below {}.", percent(*bound))
        };
        paragraph(&format!("{loses}{possible}{first}. {sure} ({:.2} s)", self.elapsed_s), style)
    }

    /// Whether the best of every model is proven.
    fn all_proven(&self) -> bool {
        self.over.found.models.iter().all(|of| of.proven)
    }

    /// Explains the losses, and names the models that make no difference and those that are left out.
    pub fn note(&self, baselines: &[Baseline]) -> String {
        let best = if self.all_proven() { "best value" } else { "best value found" };
        let left_out = self.over.left_out.iter().map(|one| format!(" Left out: {}.", one.reason));
        let idle = self.deciding_nothing();
        let idle = if idle.is_empty() {
            String::new()
        } else {
            let verb = if idle.len() == 1 { "does" } else { "do" };
            format!(" {} {verb} not distinguish the placements of the table.", caution::listed(idle, 0))
        };
        let better = |(name, regrets): &(String, Vec<f64>)| {
            let breaks = baselines.iter().any(|one| one.breaks.is_some() && one.rated.scenario.name == *name);
            breaks && regrets.iter().any(|&regret| regret < -SHOWN)
        };
        let forbidden = if self.over.others.iter().any(better) {
            " Below 0: better than the best, but breaks a constraint."
        } else {
            ""
        };
        format!(
            "Loss: 1 - value / {best} under that model; JSON has the details of each. Columns: the model that is right.{idle}{forbidden}{}",
            left_out.collect::<String>()
        )
    }

    /// The losses of the robust placement under each model, then those of the others, each with its name. Bests with the same allocation share
    /// a row. A baseline that violates a constraint may have a negative loss.
    pub fn losses(&self, baselines: &[Baseline]) -> Vec<(String, &[f64])> {
        let mut rows: Vec<(String, &[f64])> = vec![("robust".to_owned(), &self.over.found.regrets)];
        let bests = &self.over.found.models;
        for (number, (name, regrets)) in self.over.others.iter().enumerate() {
            let same = |other: &usize| match (bests.get(*other), bests.get(number)) {
                (Some(a), Some(b)) => {
                    a.best.allocation == b.best.allocation && a.best.placements == b.best.placements
                }
                _ => false,
            };
            if (0..number).any(|other| same(&other)) {
                continue;
            }
            let others = (number + 1..bests.len()).filter(same).map(|other| self.over.kinds[other].as_str());
            let is_allowed =
                !baselines.iter().any(|one| one.breaks.is_some() && one.rated.scenario.name == *name);
            let name = if is_allowed { name.clone() } else { format!("{name} (not allowed)") };
            rows.push((together(&name, &others.collect::<Vec<_>>()), regrets));
        }
        rows
    }

    /// The models under which no allocation in the table has a loss.
    fn deciding_nothing(&self) -> Vec<String> {
        let rows = || self.over.others.iter().map(|(_, regrets)| regrets).chain([&self.over.found.regrets]);
        let decides = |number: usize| rows().any(|regrets| regrets[number].abs() > SHOWN);
        let kinds = self.over.kinds.iter().enumerate().filter(|(number, _)| !decides(*number));
        kinds.map(|(_, kind)| kind.as_str().to_owned()).collect()
    }
}

impl Front {
    /// Number of points and how certain they are; then the fraction of both ends that the knee reaches. One paragraph each.
    pub fn in_words(&self) -> Vec<String> {
        self.paragraphs(&PLAIN).collect()
    }

    /// The same text, broken into lines.
    pub fn verdict(&self, style: &Style) -> String {
        self.paragraphs(style).map(|words| paragraph(&words, style)).collect()
    }

    fn paragraphs(&self, style: &Style) -> impl Iterator<Item = String> {
        let points = style.strong(&figures::count(self.points.len() as u64, "point"));
        let time = format!("{:.2} s", self.elapsed_s);
        let mut words = match self.unproven {
            None if self.points.len() == 1 => {
                format!("{points}: one placement is best for both. Proven. ({time})")
            }
            None => format!("{points}. Complete: every placement was compared. ({time})"),
            Some(why) => {
                let ended = match why {
                    WhyUnproven::Interrupted => format!("Interrupted after {time}: "),
                    WhyUnproven::TimeLimit => format!("Stopped by the time limit after {time}: "),
                    WhyUnproven::TooLarge | WhyUnproven::Model => String::new(),
                };
                let compared =
                    format!("{} placements", figures::power_of_ten((self.compared.max(1) as f64).log10()));
                let time = if ended.is_empty() { format!(" ({time})") } else { String::new() };
                format!(
                    "{ended}{points}, not dominated by any of {compared} compared.{time} Not complete: the \
                     search space is larger, so better points may exist between or beyond them."
                )
            }
        };
        let ends = self.ends.iter().zip(self.objectives());
        for (end, objective) in ends.filter(|_| self.unproven.is_some()) {
            let (name, value) = (objective.as_str(), with_unit(objective, end.value));
            let limit = limit(objective);
            let in_words = match end.bound {
                _ if end.proven => format!(" The best {name}, {value}, is proven."),
                Some(bound) => format!(
                    " The best {name} found, {value}, is not proven: no placement has {limit} than {}{}.",
                    with_unit(objective, bound),
                    end.gap().map_or(String::new(), |share| format!(" (gap {})", gap(share)))
                ),
                None => format!(" The best {name} found, {value}, is not proven."),
            };
            words.push_str(&in_words);
        }
        // Printed once because it applies to both ends.
        let of_machine = caution::of_machine(&self.study.machine, &self.study.apps);
        for (i, objective) in self.objectives().into_iter().enumerate() {
            let mut clauses = caution::clauses(&self.cautions(i), &self.study.apps);
            clauses.retain(|clause| !of_machine.contains(clause));
            if !clauses.is_empty() {
                let _ = write!(words, " Caution, the best {}: {}.", objective.as_str(), clauses.join("; "));
            }
        }
        if !of_machine.is_empty() {
            let _ = write!(words, " Caution: {}.", of_machine.join("; "));
        }
        std::iter::once(words).chain(self.knee_in_words())
    }

    /// The fraction of both ends that the knee reaches.
    fn knee_in_words(&self) -> Option<String> {
        let Some(knee) = self.knee else {
            let straight =
                "No knee: the front is almost a straight line, no point stands out as a compromise.";
            return (self.points.len() > 2).then(|| straight.to_owned());
        };
        let values = self.points.get(knee)?.values;
        let kept = |i: usize| {
            let factor = self.question.problems()[i].goal().factor(values[i], self.ends[i].value)?;
            Some(format!("{:.1} % of the best {}", factor * 100.0, self.objectives()[i].as_str()))
        };
        Some(format!(
            "The knee, point {}, keeps {} and {}: it is the point farthest outside the straight line between both ends.",
            knee + 1,
            kept(0)?,
            kept(1)?
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::reading::read_study;
    use numasim_sim::search::Mark;
    use numasim_study::SourceFile;

    use super::*;

    #[test]
    fn a_gap_is_never_rounded_to_nothing() {
        assert_eq!(
            [0.0218, 0.00123, 2.6e-5, 1e-6, 1e-9, 0.0].map(gap),
            ["2.18 %", "0.12 %", "0.003 %", "0.0001 %", "below 0.000001 %", "0 %"]
        );
    }

    #[test]
    fn gaps_meanwhile_are_told_and_nothing_is_guessed() {
        let mark = |effort, bound| Mark { effort, value: 100.0, bound, elapsed_s: 1.0 };
        // (125 - 100) / 125 and (110 - 100) / 110
        let spent = Spent { part: 0.98, marks: vec![mark(0.26, 125.0), mark(0.5, 110.0)] };
        assert_eq!(
            effort(&spent).replace(NO_BREAK, " "),
            " The gap was 20 % after 26 % of the search budget, 9.09 % after 50 %; the search used 98 %. To continue: --time-limit 60."
        );
    }

    #[test]
    fn a_search_that_ended_early_says_how_early() {
        let text = effort(&Spent { part: 0.031, marks: Vec::new() }).replace(NO_BREAK, " ");
        assert_eq!(text, " It used 3 % of the search budget. To continue: --time-limit 60.");
    }

    #[test]
    fn losses_have_two_digits_and_nothing_is_0() {
        assert_eq!(
            [0.0, 1e-7, 0.004_21, 0.018, 0.138, -0.02].map(loss),
            ["0", "0", "0.42", "1.8", "13.8", "-2.0"]
        );
    }

    #[test]
    fn threads_are_told_by_their_number() {
        let text = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 8\ngflops_per_core = 1\nbandwidth_gbs = 1\nlink_gbs = 1\n";
        let file = SourceFile { name: "m.toml".to_owned(), text: text.to_owned() };
        let machine = read_study(&[file]).expect("a machine").study.at_rest.machine;
        let rows = [vec![3, 3, 3, 3], vec![1, 0, 0, 0], vec![4, 4, 0, 2], vec![0; 4]];
        let allocation = Allocation::from_rows(&rows).expect("equal rows");
        let told: Vec<String> =
            (0..4).map(|app| set_up(&allocation, AppId(app), Smt::One, &machine)).collect();
        assert_eq!(
            told,
            [
                "3 threads on every node",
                "1 thread on node 0",
                "4 threads on nodes 0, 1; 2 on node 3",
                "no thread"
            ]
        );
    }
}

//! Results as tables of text.

use numasim_draw::grid::{Align, Grid};
use numasim_graph::values::TaskScenario;
use numasim_tasks::IdleReason;

use crate::codes::Code;
use crate::common::statements::Statement;
use crate::common::statements::Verdict::{Fitted, Met, Missed};
use crate::common::table::{STYLE, judged};
use crate::runs::Runs;

/// Times, bytes by source, and the activity of workers, for every code and scenario.
pub(crate) fn machine(title: &str, runs: &Runs, codes: &[Code]) -> String {
    let text = format!(
        "{title}\nTimes of whole runs relative to (noap, FT): mean of 10 seeds with its 95 % interval; without: without what moving pages takes. Bytes in % by what served them. Idle: workers without a task, of all worker-seconds\nof the simulated part, in which the time that moving pages takes weighs more than in a whole run; elsewhere: with ready tasks where they do not take from.\n\n"
    );
    let left = ["code", "scenario", "time"].map(|name| (name, Align::Left));
    let right = ["without", "own cache", "own memory", "other cache", "other memory", "idle", "elsewhere"];
    let columns: Vec<_> = left.into_iter().chain(right.map(|name| (name, Align::Right))).collect();
    let mut table = Grid::new(&columns);
    for code in codes {
        let code = code.name();
        for scenario in runs.scenarios(code) {
            let time = runs.relative(code, scenario);
            let without = runs.over(code, scenario, TaskScenario::NoapFt, false);
            let mut cells = vec![
                code.to_owned(),
                scenario.as_str().to_owned(),
                format!("{:.3} [{:.3}, {:.3}]", time.mean, time.low, time.high),
                format!("{:.3}", without.mean),
            ];
            cells.extend(runs.shares(code, scenario).map(|share| format!("{:.1}", 100.0 * share)));
            let percent = |value: f64| format!("{:.1} %", 100.0 * value);
            cells.push(percent(runs.mean_of(code, scenario, |run| run.idle)));
            cells.push(percent(runs.mean_of(code, scenario, |run| run.idle_because(IdleReason::Elsewhere))));
            table.row(cells);
        }
    }
    text + &table.render(&STYLE)
}

/// Every statement, then the causes of those that are missed.
pub(crate) fn statements(all: &[Statement]) -> String {
    let title = "What the paper says of TBB and TBB-NUMA beside what comes out here.\na: Westmere, b: its bytes, c: with a contender, d: Nehalem and Bulldozer; in brackets the 95 % interval of the mean of 10 seeds.";
    judged(all, title, &[Met, Missed, Fitted], true)
}

//! A study as an input file with all its keys, so that it is read back unchanged, except for the behaviour of
//! its applications over time. Also its `[[scenario]]` tables alone, for `explore --save`, `evaluate --save`
//! and `discriminate`.

use numasim_model::allocation::{Allocation, OnNode};
use numasim_model::app::{App, Data, DataWord, IntensityFrom, Placement, Smt};
use numasim_model::demand::with_smt;
use numasim_model::ids::AppId;
use numasim_model::problem::{Cells, KernelProblem};
use numasim_model::scenario::{Scenario, Study};

use crate::keys::{
    Key, Shape, app, fractions, home as of_home, interleave, problem, rate, scenario, scenario as keys,
};
use crate::writing::machine::{Style, machine};
use crate::writing::{Lines, float, inline, list, quoted};

/// The study as an input file.
pub fn study(study: &Study) -> String {
    let mut lines = Lines::default();
    machine(&mut lines, &study.machine, Style { figure: float, short: false });
    for app in &study.apps {
        write_app(&mut lines, app);
    }
    for scenario in &study.scenarios {
        write_scenario(&mut lines, study, scenario);
    }
    lines.text()
}

fn write_app(lines: &mut Lines, of: &App) {
    lines.table(&app::TABLE);
    lines.put(&app::NAME, quoted(&of.name));
    lines.put(&app::DATA, data(&of.data));
    lines.maybe(&app::SMT, (of.smt != Smt::One).then(|| quoted(of.smt.as_str())));
    lines.maybe(&app::RANKS, (of.ranks > 1).then_some(of.ranks));
    if let Some(nodes) = &of.nodes {
        lines.put(&app::NODES, list(nodes.iter().map(|node| node.0)));
    }
    if of.write_share == 0.0 {
        let kernel = of.problem.map_or(of.kernel.as_str(), |problem| problem.kernel().as_str());
        lines.put(&app::KERNEL, quoted(kernel));
    }
    if let Some(unit) = &of.rate_unit {
        let per_gb = float(of.arithmetic_intensity.value());
        let work = of.work.map(|work| (&rate::WORK, float(work.value())));
        lines.put(
            &app::RATE,
            inline([(&rate::UNIT, quoted(unit)), (&rate::PER_GB, per_gb)].into_iter().chain(work)),
        );
    }
    let given =
        |key: &&&Key| !(of.intensity_from == IntensityFrom::Quotient && **key == &app::ARITHMETIC_INTENSITY);
    for key in app::TABLE.keys.iter().filter(given) {
        match key.app.and_then(|field| (field.get)(of)) {
            Some(value) if matches!(key.shape, Shape::Whole(..)) => lines.put(key, value),
            Some(value) => lines.put(key, float(value)),
            None => {}
        }
    }
    if let Some(problem) = &of.problem {
        lines.table(&problem::TABLE);
        write_problem(lines, problem);
    }
}

fn write_problem(lines: &mut Lines, of: &KernelProblem) {
    let mut counts = |counts: &[(&Key, u64)]| {
        for (key, count) in counts {
            lines.put(key, count);
        }
    };
    match of {
        KernelProblem::BlackScholes(own) => {
            counts(&[(&problem::OPTIONS, own.options), (&problem::RUNS, own.runs)]);
        }
        KernelProblem::Dmv(own) => {
            counts(&[(&problem::ROWS, own.rows), (&problem::ITERATIONS, own.iterations)]);
        }
        KernelProblem::Stencil2d(own) => counts(&[
            (&problem::ROWS, own.rows),
            (&problem::COLUMNS, own.columns),
            (&problem::ITERATIONS, own.iterations),
        ]),
        KernelProblem::Seismic(own) => counts(&[
            (&problem::ROWS, own.rows),
            (&problem::COLUMNS, own.columns),
            (&problem::ITERATIONS, own.iterations),
        ]),
        KernelProblem::Chase(own) => counts(&[
            (&problem::SIZE_MIB, own.size_mib),
            (&problem::CHAINS, own.chains),
            (&problem::HOPS, own.hops),
        ]),
        KernelProblem::Spmv(own) => {
            let Cells(cells) = own.cells;
            counts(&[(&problem::ITERATIONS, own.iterations)]);
            lines.put(&problem::CELLS, format!("{cells:?}"));
            lines.put(&problem::ELEMENTS, quoted(own.elements.as_str()));
            lines.put(&problem::PARTITION, quoted(own.partition.as_str()));
            lines.put(&problem::STORAGE, quoted(own.storage.as_str()));
        }
        KernelProblem::Memcpy(own) => {
            counts(&[(&problem::SIZE_MIB, own.size_mib), (&problem::COPIES, own.copies)]);
            lines.put(&problem::SOURCE, quoted(own.source.as_str()));
            lines.put(&problem::FAULTS, quoted(own.faults.as_str()));
            lines.put(&problem::HOW, quoted(own.how.as_str()));
        }
    }
}

fn write_scenario(lines: &mut Lines, study: &Study, of: &Scenario) {
    lines.table(&scenario::TABLE);
    lines.put(&scenario::NAME, quoted(&of.name));
    if of.static_work {
        lines.put(&scenario::STATIC, true);
    }
    let counts = counted(&study.apps_in(of), &of.allocation);
    lines.put(&scenario::THREADS, threads(&study.apps, &counts));
    lines.maybe(&scenario::SMT, smt(&study.apps, &of.smt, &counts));
    let apps = study.apps.iter().zip(&of.data).enumerate();
    let elsewhere: Vec<String> = apps
        .filter(|(number, (app, own))| of.allocation.total(AppId(*number)) > 0 && app.data != **own)
        .map(|(_, (app, own))| format!("{} = {}", quoted(&app.name), data(own)))
        .collect();
    if !elsewhere.is_empty() {
        lines.put(&scenario::DATA, format!("{{ {} }}", elsewhere.join(", ")));
    }
}

/// The value of `data`.
fn data(of: &Data) -> String {
    match of {
        Data::Placed(placed) => placement(placed),
        Data::OpenHome { share } => home("\"any\"", *share),
        Data::OpenFractions => inline([(&fractions::FRACTIONS, "\"any\"".to_owned())]),
    }
}

/// A scenario to be written.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// Its name.
    pub name: &'a str,
    /// The applications of the study.
    pub apps: &'a [App],
    /// Threads of each of them on each node.
    pub allocation: &'a Allocation,
    /// Data placement of each of them, with open homes decided.
    pub placements: &'a [Placement],
    /// Hardware threads per core of each of them; empty: those of the applications.
    pub smt: &'a [Smt],
    /// Whether scheduling is static.
    pub static_work: bool,
}

impl Written<'_> {
    /// The table. With the same applications it is read back as the same allocation, placements and work.
    /// Applications without threads are omitted from `threads`, and applications with these placements as
    /// their own data from `data`.
    pub fn toml(&self) -> String {
        let Self { name, apps, allocation, placements, smt, static_work } = *self;
        let threads = counted(&with_smt(apps, smt), allocation);
        Counted { name, apps, threads: &threads, placements, smt, static_work }.toml()
    }
}

/// A scenario to be written, with threads counted as in files.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// Its name.
    pub name: &'a str,
    /// The applications of the study.
    pub apps: &'a [App],
    /// Hardware threads of each of them on each node, or in each L3 domain of it.
    pub threads: &'a [Vec<OnNode>],
    /// Data placement of each of them, with open homes decided.
    pub placements: &'a [Placement],
    /// Hardware threads per core of each of them; empty: those of the applications.
    pub smt: &'a [Smt],
    /// Whether scheduling is static.
    pub static_work: bool,
}

impl Counted<'_> {
    /// The table, as for [`Written::toml`].
    pub fn toml(&self) -> String {
        let mut lines = Lines::default();
        lines.table(&keys::TABLE);
        lines.put(&keys::NAME, quoted(self.name));
        lines.maybe(&keys::STATIC, self.static_work.then_some(true));
        lines.put(&keys::THREADS, threads(self.apps, self.threads));
        lines.maybe(&keys::SMT, smt(self.apps, self.smt, self.threads));
        let moved = self.apps.iter().zip(self.placements);
        let moved = moved.filter(|(app, placement)| app.data.placement() != Some(placement));
        let data: Vec<String> =
            moved.map(|(app, data)| format!("{} = {}", quoted(&app.name), placement(data))).collect();
        lines.maybe(&keys::DATA, (!data.is_empty()).then(|| format!("{{ {} }}", data.join(", "))));
        lines.text()
    }
}

/// The value of `data` for a placement.
pub fn placement(placement: &Placement) -> String {
    match placement {
        Placement::Home(node) => home(node.0, 1.0),
        Placement::Local | Placement::Interleave | Placement::Replicated => {
            quoted(placement.word().map_or("", DataWord::as_str))
        }
        Placement::Fractions(parts) => {
            inline([(&fractions::FRACTIONS, list(parts.iter().copied().map(float)))])
        }
        Placement::PartHome { home: node, share } => home(node.0, *share),
        Placement::PartInterleave { share } => inline([(&interleave::INTERLEAVE, float(*share))]),
    }
}

/// Data with a share on one node, the rest local to the threads.
pub fn home(node: impl std::fmt::Display, share: f64) -> String {
    let share = (share < 1.0).then(|| (&of_home::SHARE, float(share)));
    inline([(&of_home::HOME, node.to_string())].into_iter().chain(share))
}

/// Threads of cores, counted as in files: of each application on each node, in each of its L3 domains if the
/// allocation specifies them.
pub fn counted(apps: &[App], allocation: &Allocation) -> Vec<Vec<OnNode>> {
    let row = |(number, app): (usize, &App)| match allocation.own_domains() {
        Some(per_l3) => per_l3[number].iter().map(|cores| OnNode::Domains(app.smt.threads(cores))).collect(),
        None => app.smt.threads(allocation.row(AppId(number))).into_iter().map(OnNode::Threads).collect(),
    };
    apps.iter().enumerate().map(row).collect()
}

fn has_threads(row: &[OnNode]) -> bool {
    row.iter().any(|on_node| on_node.threads() > 0)
}

/// The value of `smt` in a scenario, for the applications with threads that may use both hardware threads of
/// a core.
fn smt(apps: &[App], of: &[Smt], threads: &[Vec<OnNode>]) -> Option<String> {
    let each = apps.iter().zip(of).zip(threads);
    let words: Vec<String> = each
        .filter(|((app, own), row)| (app.smt_speedup.is_some() || app.smt != **own) && has_threads(row))
        .map(|((app, own), _)| format!("{} = {}", quoted(&app.name), quoted(own.as_str())))
        .collect();
    (!words.is_empty()).then(|| format!("{{ {} }}", words.join(", ")))
}

/// The value of `threads` in a scenario; applications without threads are omitted.
fn threads(apps: &[App], threads: &[Vec<OnNode>]) -> String {
    let on_node = |on_node: &OnNode| match on_node {
        OnNode::Threads(threads) => threads.to_string(),
        OnNode::Domains(list) => format!("{list:?}"),
    };
    let with_threads = apps.iter().zip(threads).filter(|(_, row)| has_threads(row));
    let written = with_threads.map(|(app, row)| {
        let row: Vec<String> = row.iter().map(on_node).collect();
        format!("{} = [{}]", quoted(&app.name), row.join(", "))
    });
    format!("{{ {} }}", written.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceFile, read_study};
    use numasim_model::ids::NodeId;
    use numasim_model::scenario::Study;

    const STUDY: &str = "[machine]\nname = \"m\"\nnodes = 3\ncores_per_node = 4\ngflops_per_core = 1\nbandwidth_gbs = 9\nlink_gbs = 5\n\
        [[app]]\nname = \"a\"\ninstances = 2\narithmetic_intensity = 1\ndata = { home = \"any\" }\n\
        [[app]]\nname = \"the \\\"b\\\"\"\narithmetic_intensity = 2\ndata = \"interleave\"\n";

    fn read(more: &str) -> Study {
        let file = SourceFile { name: "s.toml".into(), text: format!("{STUDY}{more}") };
        read_study(&[file]).expect("in order").study
    }

    #[test]
    fn scenarios_are_read_back_unchanged() {
        let study = read("");
        let allocation = Allocation::from_rows(&[vec![1, 0, 2], vec![0, 0, 0], vec![0, 4, 1]]).expect("rows");
        let third = 1.0 / 3.0;
        for data in [
            Placement::Local,
            Placement::Home(NodeId(2)),
            Placement::Interleave,
            Placement::Replicated,
            Placement::Fractions(vec![third, third, 1.0 - 2.0 * third]),
            Placement::PartHome { home: NodeId(1), share: 0.1 },
            Placement::PartInterleave { share: third },
        ] {
            let placements = vec![Placement::Home(NodeId(0)), Placement::Home(NodeId(1)), data];
            let apps = study.apps.as_slice();
            let (allocation, placements) = (&allocation, placements.as_slice());
            let smt = &[Smt::One; 3];
            let written = Written { name: "x \"y\"", apps, allocation, placements, smt, static_work: true };
            let again = read(&written.toml());
            let scenario = &again.scenarios[0];
            assert_eq!((scenario.name.as_str(), scenario.static_work), ("x \"y\"", true));
            assert_eq!(&scenario.allocation, allocation);
            let read: Vec<_> = scenario.data.iter().filter_map(|data| data.placement().cloned()).collect();
            assert_eq!(read, placements, "{}", written.toml());
        }
    }

    #[test]
    fn values_of_the_applications_are_not_repeated() {
        let study = read("");
        let allocation = Allocation::from_rows(&[vec![1, 0, 0], vec![0, 1, 0], vec![0, 0, 1]]).expect("rows");
        let placements = [Placement::Home(NodeId(0)), Placement::Home(NodeId(1)), Placement::Interleave];
        let written = Written {
            name: "best",
            apps: &study.apps,
            allocation: &allocation,
            placements: &placements,
            smt: &[Smt::One; 3],
            static_work: false,
        };
        assert_eq!(
            written.toml(),
            "[[scenario]]\nname = \"best\"\n\
             threads = { \"a-1\" = [1, 0, 0], \"a-2\" = [0, 1, 0], \"the \\\"b\\\"\" = [0, 0, 1] }\n\
             data = { \"a-1\" = { home = 0 }, \"a-2\" = { home = 1 } }\n"
        );
    }
}

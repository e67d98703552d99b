//! `numasim plot allocations`: the objective over the threads of two applications on each node.

use numasim_ask::explore::refused;
use numasim_ask::located::{HomeNeeded, Located};
use numasim_ask::room;
use numasim_ask::wording::{axis_title, weighted};
use numasim_course::Study;
use numasim_draw::heat_map::HeatMap;
use numasim_draw::{Axis, Heading, Scale};
use numasim_model::memory::{self, MemoryFull};
use numasim_model::sharing::Solver;
use numasim_model::{Allocation, AppId, Demand, NodeId, OpenData, Placement, Scenario};
use numasim_sim::objective::Goal;
use numasim_sim::{Objective, ProblemError};

use crate::args::Axes;
use crate::failure::Failure;
use crate::suggest;
use crate::view::{figures, machine_title};

/// With more threads, cells would be smaller than a pixel.
const MOST_THREADS: u32 = 400;

/// Rejects open homes, with their locations in the files.
pub(super) fn homes_are_given(
    axes: &Axes,
    scenario: Option<&Scenario>,
    study: &Study,
    located: &Located,
) -> Result<(), Failure> {
    let data = |a: usize| scenario.map_or(&study.apps[a].data, |scenario| &scenario.data[a]);
    let apps = Question::new(axes, study)?.apps().into_iter();
    let open = apps.filter_map(|a| Some((scenario, AppId(a), data(a).open()?)));
    let hint = |app: &str, open: OpenData| {
        format!(
            "{} in the file, or choose a --scenario with e.g. `data = {{ {app} = {} }}`",
            open.deciding(),
            open.example()
        )
    };
    let needed = HomeNeeded {
        message: "plot does not choose",
        in_scenario: "drawn with the data of this scenario",
        hint: &hint,
    };
    Ok(located.homes_are_needed(study, open, &needed)?)
}

/// The values at all numbers of threads; cells whose data does not fit in memory have none. `located`: the locations of the study in the
/// files, if the user is to see them.
pub(crate) fn heat_map(
    axes: &Axes,
    scenario: Option<&Scenario>,
    study: &Study,
    located: Option<&Located>,
) -> Result<HeatMap, Failure> {
    numasim_ask::over_time::one_thread_per_core(study, "plot allocations")?;
    let question = Question::new(axes, study)?;
    let machine = &study.machine;
    if let Some(refusal) = machine.sharing_refusal() {
        return Err(refused(ProblemError::Refused(refusal)).into());
    }
    let objective = axes.objective.unwrap_or_default();
    let taking_part = question.apps();
    let apps: Vec<_> = taking_part.iter().map(|&a| study.apps[a].clone()).collect();
    let goal = Goal::new(objective, machine, &apps).map_err(|error| refused(ProblemError::Goal(error)))?;
    let static_work = axes.static_work || scenario.is_some_and(|scenario| scenario.static_work);
    let demands = demands(study, scenario, &taking_part)?;
    let mut data = LyingData::new(study, scenario, &taking_part);
    let solver = Solver::new(machine, &demands);
    let mut workspace = solver.workspace();

    let cores: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    // The same number on every node with cores, so the smallest node limits it.
    let smallest = cores.iter().copied().filter(|&cores| cores > 0).min().unwrap_or(0);
    if smallest > MOST_THREADS {
        return Err(Failure::input(format!("{smallest} cores on each node are more than a plot can show"))
            .hint("use `numasim sweep` with larger steps"));
    }
    let room = Room { cores: smallest, nodes: machine.compute_nodes().count() as u64 };
    let (mut columns, mut rows) = (room.threads(study, &question.x)?, room.threads(study, &question.y)?);
    // Removes rows and columns without any value: those that leave no cores for the fewest threads of the other application.
    let beside = |least: Option<&u32>, other: &Addressed| {
        smallest.saturating_sub(least.copied().unwrap_or(0) * other.count())
    };
    let (for_x, for_y) = (beside(rows.first(), &question.y), beside(columns.first(), &question.x));
    columns.retain(|x| x * question.x.count() <= for_x);
    rows.retain(|y| y * question.y.count() <= for_y);
    if columns.is_empty() || rows.is_empty() {
        return Err(Failure::input(format!(
            "'{}' and '{}' together need more than the {smallest} cores of a node",
            question.x.name, question.y.name
        ))
        .hint("lower min_threads, or name other applications with --x and --y"));
    }
    let rest = question.rest.as_ref().map(|rest| (rest, room.limits(study, rest)));
    let mut values = Vec::new();
    for (&x, &y) in columns.iter().flat_map(|x| rows.iter().map(move |y| (x, y))) {
        let used = x * question.x.count() + y * question.y.count();
        // The remaining cores are shared evenly by the instances of the rest, up to their limit.
        let left = |cores: u32| {
            rest.as_ref().map_or(0, |(rest, (_, most))| ((cores - used) / rest.count()).min(*most))
        };
        if used > smallest || rest.as_ref().is_some_and(|(_, (fewest, _))| left(smallest) < *fewest) {
            values.push(f64::NAN);
            continue;
        }
        let threads = |app: usize, cores: u32| match app {
            _ if cores == 0 => 0,
            app if app < question.x.apps.len() => x,
            app if app < question.x.apps.len() + question.y.apps.len() => y,
            _ => left(cores),
        };
        let mut allocation = Allocation::empty(apps.len(), cores.len());
        for (app, (node, &cores)) in
            (0..apps.len()).flat_map(|app| cores.iter().enumerate().map(move |of| (app, of)))
        {
            allocation.set(AppId(app), NodeId(node), threads(app, cores));
        }
        if !data.fits(allocation.as_slice()) {
            values.push(f64::NAN);
            continue;
        }
        solver.solve(allocation.rows(machine).as_slice(), &mut workspace);
        if static_work {
            solver.wait_for_slowest(&mut workspace);
        }
        values.push(goal.value(goal.score(workspace.gflops())));
    }
    if values.iter().all(|value| value.is_nan())
        && let Some(full) = &data.full
    {
        return Err(no_room(study, full, located));
    }
    let best = only_best(&values, objective == Objective::Makespan);
    let message = best.map(|at| (columns[at / rows.len()], rows[at % rows.len()], values[at]));
    Ok(HeatMap {
        heading: heading(study, &question, &goal, static_work, message),
        x: axis(&question.x, &columns),
        y: axis(&question.y, &rows),
        label: axis_title(objective, weighted(&apps)).to_owned(),
        values,
        best,
        numbers: true,
        gap: "impossible",
    })
}

/// The demands of the applications, with their data as in the scenario.
fn demands(study: &Study, scenario: Option<&Scenario>, apps: &[usize]) -> Result<Vec<Demand>, Failure> {
    let demand = |&a: &usize| {
        let app = &study.apps[a];
        let data = scenario.map_or(&app.data, |scenario| &scenario.data[a]);
        if let Some(open) = data.open() {
            let said = open.said_of(&format!("'{}'", app.name));
            return Err(Failure::input(format!("{said} ({}), and plot does not choose", open.key()))
                .hint(format!("{} in the file, or choose a --scenario that does", open.deciding())));
        }
        Ok(app.demand(data.placement_or_local()))
    };
    apps.iter().map(demand).collect()
}

/// The best of the values, if it is unique: with several best values, one mark would mislead.
pub(in crate::commands) fn only_best(values: &[f64], least: bool) -> Option<usize> {
    let sign = if least { -1.0 } else { 1.0 };
    let finite = || values.iter().copied().enumerate().filter(|(_, value)| value.is_finite());
    let (at, best) = finite().reduce(|best, next| if sign * next.1 > sign * best.1 { next } else { best })?;
    let equal = finite().filter(|(_, value)| (value - best).abs() <= 1e-9 * best.abs()).count();
    (equal == 1).then_some(at)
}

// The possible numbers of threads on each node.

/// The capacity of a node.
struct Room {
    /// Cores of the smallest node with cores.
    cores: u32,
    /// Number of nodes with cores.
    nodes: u64,
}

impl Room {
    /// Minimum and maximum number of threads of each instance on each node, by its limits for the whole machine.
    fn limits(&self, study: &Study, addressed: &Addressed) -> (u32, u32) {
        let apps = || addressed.apps.iter().map(|&a| &study.apps[a]);
        let on_each = |threads: u64| u32::try_from(threads).unwrap_or(u32::MAX);
        let fewest = apps().map(|app| u64::from(app.min_threads).div_ceil(self.nodes)).max().unwrap_or(0);
        let most = apps().filter_map(|app| app.max_threads).map(|most| u64::from(most) / self.nodes).min();
        (on_each(fewest), most.map_or(u32::MAX, on_each))
    }

    /// The possible numbers of threads.
    fn threads(&self, study: &Study, addressed: &Addressed) -> Result<Vec<u32>, Failure> {
        let (fewest, most) = self.limits(study, addressed);
        let threads: Vec<u32> = (fewest..=most.min(self.cores / addressed.count())).collect();
        if threads.is_empty() {
            return Err(Failure::input(format!(
                "'{}' cannot have the same number of threads on every node: {} nodes of {} cores, its min_threads and its \
                 max_threads leave no number",
                addressed.name, self.nodes, self.cores
            ))
            .hint("change its limits, or name another application with --x and --y"));
        }
        Ok(threads)
    }
}

// Whether the data of all applications fits in the memory of the nodes.

/// The data of all applications of a study, with the threads of those that take part.
struct LyingData<'a> {
    study: &'a Study,
    placements: Vec<Placement>,
    taking_part: &'a [usize],
    /// The reason why the first rejected allocation does not fit.
    full: Option<MemoryFull>,
}

impl<'a> LyingData<'a> {
    /// Data as in the scenario; an application without threads and with an open home has no data placement.
    fn new(study: &'a Study, scenario: Option<&Scenario>, taking_part: &'a [usize]) -> Self {
        let data = |a: usize| scenario.map_or(&study.apps[a].data, |scenario| &scenario.data[a]);
        let placements = (0..study.apps.len()).map(|a| data(a).placement_or_local()).collect();
        Self { study, placements, taking_part, full: None }
    }

    /// Whether the data fits with these threads: for each application that takes part, one number per node.
    fn fits(&mut self, threads: &[u32]) -> bool {
        let numasim_model::Study { machine, apps, .. } = &self.study.at_rest;
        if !memory::is_limited(machine, apps) {
            return true;
        }
        let nodes = machine.node_count();
        let mut allocation = Allocation::empty(apps.len(), nodes);
        for (&app, row) in self.taking_part.iter().zip(threads.chunks_exact(nodes)) {
            for (node, &threads) in row.iter().enumerate() {
                allocation.set(AppId(app), NodeId(node), threads);
            }
        }
        match memory::fits(machine, apps, &self.placements, &allocation) {
            Ok(()) => true,
            Err(full) => {
                self.full.get_or_insert(full);
                false
            }
        }
    }
}

/// The error if no numbers of threads leave enough memory.
fn no_room(study: &Study, full: &MemoryFull, located: Option<&Located>) -> Failure {
    let message = format!("the data does not fit with any numbers of threads: {}", room::words(study, full));
    let shown = located.and_then(|located| located.too_much_data(study, full, &message));
    shown.map_or_else(|| Failure::input(message).hint(room::hint()), Failure::from)
}

// The applications in the plot: those of both axes, and of the rest.

/// The instances selected by one name.
struct Addressed {
    name: String,
    apps: Vec<usize>,
}

impl Addressed {
    /// The instances of a name, as in `threads = { NAME = 1 }`.
    fn new(study: &Study, name: &str) -> Result<Self, Failure> {
        let apps: Vec<usize> = (0..study.apps.len())
            .filter(|&a| study.apps[a].name == name || study.apps[a].group == name)
            .collect();
        if !apps.is_empty() {
            return Ok(Self { name: name.to_owned(), apps });
        }
        let mut known: Vec<&str> =
            study.apps.iter().flat_map(|app| [app.group.as_str(), &app.name]).collect();
        known.dedup();
        let failure = Failure::input(format!("there is no application '{name}'"));
        Err(match suggest::nearest(name, &known) {
            Some(near) => failure.hint(format!("did you mean '{near}'?")),
            None => failure.hint(format!("the applications are: {}", suggest::list(&known))),
        })
    }

    fn count(&self) -> u32 {
        u32::try_from(self.apps.len()).unwrap_or(u32::MAX)
    }

    fn title(&self) -> String {
        match self.apps.len() {
            1 => format!("threads of {} on each node", self.name),
            instances => format!("threads of each {} ({instances} instances) on each node", self.name),
        }
    }
}

/// The applications in the plot.
struct Question {
    x: Addressed,
    y: Addressed,
    rest: Option<Addressed>,
}

impl Question {
    fn new(axes: &Axes, study: &Study) -> Result<Self, Failure> {
        let mut groups: Vec<&str> = study.apps.iter().map(|app| app.group.as_str()).collect();
        groups.dedup();
        let named = [&axes.x, &axes.y, &axes.rest];
        let taken = |group: &str| named.iter().any(|name| name.as_deref() == Some(group));
        let mut free = groups.iter().filter(|group| !taken(group));
        let mut choose = |name: &Option<String>| match name {
            Some(name) => Addressed::new(study, name),
            None => match free.next() {
                Some(group) => Addressed::new(study, group),
                None => Err(Failure::input("the plot needs two applications, but there are fewer")
                    .hint("add another [[app]], or name instances with --x and --y")),
            },
        };
        let (x, y) = (choose(&axes.x)?, choose(&axes.y)?);
        let rest = axes.rest.as_deref().map(|name| Addressed::new(study, name)).transpose()?;
        let all: Vec<&Addressed> = [&x, &y].into_iter().chain(&rest).collect();
        for (i, one) in all.iter().enumerate() {
            if let Some(other) = all[..i].iter().find(|other| other.apps.iter().any(|a| one.apps.contains(a)))
            {
                return Err(Failure::input(format!(
                    "'{}' and '{}' are the same application",
                    other.name, one.name
                ))
                .hint("name different ones with --x, --y and --rest"));
            }
        }
        Ok(Self { x, y, rest })
    }

    /// The applications in the plot: x first, then y, then the rest.
    fn apps(&self) -> Vec<usize> {
        [&self.x, &self.y].into_iter().chain(&self.rest).flat_map(|one| one.apps.iter().copied()).collect()
    }
}

// The text above the plot and next to its axes.

fn axis(addressed: &Addressed, threads: &[u32]) -> Axis {
    // As words: numbers of threads are integers, and so are their ticks.
    Axis { label: addressed.title(), scale: Scale::Words(threads.iter().map(u32::to_string).collect()) }
}

fn heading(
    study: &Study,
    question: &Question,
    goal: &Goal,
    static_work: bool,
    best: Option<(u32, u32, f64)>,
) -> Heading {
    let model = format!("model {}", study.machine.sharing().name());
    let mut parts = vec![model];
    if static_work {
        parts.push("work divided beforehand".to_owned());
    }
    if let Some(rest) = &question.rest {
        parts.push(format!("{} gets the remaining cores", rest.name));
    }
    let left_out = study.apps.len() - question.apps().len();
    if left_out > 0 {
        parts.push(format!("{} without threads", figures::count(left_out as u64, "application")));
    }
    if let Some((x, y, value)) = best {
        let (x_name, y_name) = (&question.x.name, &question.y.name);
        parts.push(format!("best: {} for {x} {x_name}, {y} {y_name}", figures::single(value)));
    }
    parts.push(machine_title(&study.machine));
    let title = format!("How many threads on each node are best for {}?", goal.objective().as_str());
    Heading { title, subtitle: parts.join("; ") }
}

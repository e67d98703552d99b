//! The result of reading: the study, every value that no file gave, and where applications and scenarios stand in the files, for
//! messages about a study that could be read but cannot be used.

use numasim_model::scenario::Study;

use crate::problem::Place;

/// The text of one input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// How messages call it: the path as given.
    pub name: String,
    /// Its whole text.
    pub text: String,
}

/// Which table of a file a default belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableKind {
    /// `[machine]`
    Machine,
    /// `[[machine.node]]`; its name is the number of the node
    Node,
    /// `[[app]]`
    App,
    /// `[[scenario]]`
    Scenario,
    /// `[[channel]]`; its name is `producer -> consumer`
    Channel,
    /// `[[call]]`; its name is `caller -> callee`
    Call,
    /// `[[command]]`; its name is that of its instance
    Command,
    /// `[policy]`, without a name
    Policy,
    /// `[os]`, without a name
    Os,
    /// `[cluster]`, without a name
    Cluster,
    /// `[[block]]`, all of them together and without a name
    Block,
    /// `[[task]]`, all of them together and without a name
    Task,
    /// `[graph]`, without a name
    Graph,
    /// `[scheduler]`, without a name
    Scheduler,
    /// `[runtime]`, without a name
    Runtime,
    /// `[contender]`, without a name
    Contender,
    /// `[program]`, without a name
    Program,
    /// `[[program.loop]]`
    Loop,
}

impl TableKind {
    /// The name of the table as in a file: `machine.node`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Node => "machine.node",
            Self::App => "app",
            Self::Scenario => "scenario",
            Self::Channel => "channel",
            Self::Call => "call",
            Self::Command => "command",
            Self::Policy => "policy",
            Self::Os => "os",
            Self::Cluster => "cluster",
            Self::Block => "block",
            Self::Task => "task",
            Self::Graph => "graph",
            Self::Scheduler => "scheduler",
            Self::Runtime => "runtime",
            Self::Contender => "contender",
            Self::Program => "program",
            Self::Loop => "program.loop",
        }
    }
}

/// A value that no file gives, and what is used in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultUsed {
    /// The kind of table.
    pub table: TableKind,
    /// The name of the machine, application or scenario; the number of a node.
    pub name: String,
    /// The key that is not there: `weight`, `threads.mem-2`.
    pub key: String,
    /// What stands for it: `1`, `no limit`. Of blocks and tasks, of which there may be very many: `0, of 3 of 12 tasks` where others give it.
    pub value: String,
}

/// One `[[app]]` table, which makes one instance or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name in the file.
    pub name: String,
    /// Its first instance, as an index into the applications of the study.
    pub first: usize,
    /// How many instances.
    pub instances: usize,
}

/// All files, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<T = ()> {
    /// What they describe.
    pub study: Study,
    /// What they say of tasks, for readers that know of them.
    pub tasks: T,
    /// The `[[app]]` tables in order.
    pub groups: Vec<Group>,
    /// How many sockets the machine has, where its file says it by `sockets`.
    pub sockets: Option<usize>,
    /// For each scenario and each application whether the scenario names it, by its own name or that of its group.
    pub named: Vec<Vec<bool>>,
    /// Where the applications and scenarios stand in the files.
    pub places: Places,
    /// Every value that no file gave, in the order of the tables.
    pub defaults: Vec<DefaultUsed>,
    /// The numbers of the defaults by table, name and key: files with thousands of tables have a hundred thousand.
    pub(super) defaults_by_name: Vec<usize>,
    /// The names of the files, in the order they were read.
    pub files: Vec<String>,
}

impl<T> Reading<T> {
    /// The same reading with these defaults.
    pub(super) fn with_defaults(self, defaults: Vec<DefaultUsed>) -> Self {
        let mut defaults_by_name: Vec<usize> = (0..defaults.len()).collect();
        defaults_by_name.sort_by(|&a, &b| by_name(&defaults[a]).cmp(&by_name(&defaults[b])));
        Self { defaults, defaults_by_name, ..self }
    }

    /// Whether the file gives phases to this `[[app]]`; without them the application is the one phase.
    pub fn has_phases(&self, group: &Group) -> bool {
        let mut places = self.groups.iter().zip(&self.places.courses);
        places.any(|(own, places)| own.first == group.first && !places.phases.is_empty())
    }

    /// Whether the value of `key` comes from no file.
    pub fn is_default(&self, table: TableKind, name: &str, key: &str) -> bool {
        let defaults = &self.defaults;
        self.defaults_by_name
            .binary_search_by(|&number| by_name(&defaults[number]).cmp(&(table, name, key)))
            .is_ok()
    }
}

fn by_name(default: &DefaultUsed) -> (TableKind, &str, &str) {
    (default.table, &default.name, &default.key)
}

/// The places of a study, beside its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// One entry for each `[[app]]` table, in the order of [`Reading::groups`](crate::Reading::groups).
    pub apps: Vec<AppPlaces>,
    /// Of the same tables what is about time.
    pub courses: Vec<CoursePlaces>,
    /// One entry for each `[[scenario]]`, in the order of the study.
    pub scenarios: Vec<ScenarioPlaces>,
    /// The header of each `[[channel]]`, in the order of the study.
    pub channels: Vec<Place>,
    /// The header of each `[[call]]`, in the order of the study.
    pub calls: Vec<Place>,
    /// What each command of the study says (`total`, `per_node` or `cores`): one entry for each instance that a
    /// `[[command]]` names.
    pub commands: Vec<Place>,
    /// The value of `name` in `[policy]`; `None` where no file gives it.
    pub policy: Option<Place>,
    /// The value of `period_ms` in `[policy]`; `None` where no file gives it.
    pub period: Option<Place>,
}

/// Places of one `[[app]]` table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppPlaces {
    /// The value of `name`.
    pub name: Place,
    /// The value of `data`; `None` where the file does not give it.
    pub data: Option<Place>,
    /// The value of `min_threads`; `None` where the file does not give it.
    pub min_threads: Option<Place>,
    /// The value of `nodes`; `None` where the file does not give it.
    pub nodes: Option<Place>,
    /// The value of `memory_gib`; `None` where the file does not give it.
    pub memory_gib: Option<Place>,
}

/// Places of what one `[[app]]` table says of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoursePlaces {
    /// The value of `name`.
    pub name: Place,
    /// The value of `work_gflop` or `task_gflop` of the application itself; `None` where the file gives neither.
    pub work: Option<Place>,
    /// The value of `iterations`; `None` where the file does not give it.
    pub iterations: Option<Place>,
    /// The value of `threads`; `None` where the file does not give it.
    pub threads: Option<Place>,
    /// The value of `control`; `None` where the file does not give it.
    pub control: Option<Place>,
    /// One entry for each `[[app.phase]]`; none where an iteration is one phase.
    pub phases: Vec<PhasePlaces>,
}

/// Places of one `[[app.phase]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhasePlaces {
    /// Its header.
    pub table: Place,
    /// The value of `work_gflop` or `task_gflop`; `None` where the file gives neither.
    pub work: Option<Place>,
    /// The value of `data`; `None` where the file does not give it.
    pub data: Option<Place>,
}

/// Places of one `[[scenario]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioPlaces {
    /// The value of `name`.
    pub name: Place,
    /// Names of applications or of single instances as written in `data`, each with the place of its value.
    pub data: Vec<(String, Place)>,
    /// The value of `threads`; `None` where the file does not give it.
    pub threads: Option<Place>,
}

impl ScenarioPlaces {
    /// Where this scenario says where the data of `instance` lies: by its own name, else by that of its group.
    pub fn data_of(&self, instance: &str, group: &str) -> Option<&Place> {
        let written = |name: &str| self.data.iter().find(|(own, _)| own == name).map(|(_, place)| place);
        written(instance).or_else(|| written(group))
    }
}

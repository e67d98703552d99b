//! The result of reading: the study, every default, and the places of applications and scenarios in the
//! files, for messages about a valid study that cannot be used.

use numasim_model::scenario::Study;

use crate::problem::Place;

/// The text of one input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name in messages: the path as given.
    pub name: String,
    /// Its whole text.
    pub text: String,
}

numasim_model::words! {
    /// The table of a file to which a default belongs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum TableKind {
        /// `[machine]`
        Machine = "machine",
        /// `[[machine.node]]`; its name is the number of the node
        Node = "machine.node",
        /// `[[app]]`
        App = "app",
        /// `[[scenario]]`
        Scenario = "scenario",
        /// `[[channel]]`; its name is `producer -> consumer`
        Channel = "channel",
        /// `[[call]]`; its name is `caller -> callee`
        Call = "call",
        /// `[[command]]`; its name is that of its instance
        Command = "command",
        /// `[policy]`, without a name
        Policy = "policy",
        /// `[os]`, without a name
        Os = "os",
        /// `[cluster]`, without a name
        Cluster = "cluster",
        /// `[[block]]`, all of them together and without a name
        Block = "block",
        /// `[[task]]`, all of them together and without a name
        Task = "task",
        /// `[graph]`, without a name
        Graph = "graph",
        /// `[scheduler]`, without a name
        Scheduler = "scheduler",
        /// `[runtime]`, without a name
        Runtime = "runtime",
        /// `[contender]`, without a name
        Contender = "contender",
        /// `[program]`, without a name
        Program = "program",
        /// `[[program.loop]]`
        Loop = "program.loop",
    }
}

/// A value that no file contains, and its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultUsed {
    /// The kind of table.
    pub table: TableKind,
    /// The name of the machine, application or scenario; the number of a node.
    pub name: String,
    /// The missing key: `weight`, `threads.mem-2`.
    pub key: String,
    /// Its default: `1`, `no limit`. For blocks and tasks, which may be very numerous, with counts: `0, of 3
    /// of 12 tasks` if only some lack it.
    pub value: String,
}

/// One `[[app]]` table, which makes one instance or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name in the file.
    pub name: String,
    /// Its first instance, as an index into the applications of the study.
    pub first: usize,
    /// Number of instances.
    pub instances: usize,
}

/// All files, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<S = Study, T = ()> {
    /// The study that they describe.
    pub study: S,
    /// The results of readers of further tables.
    pub further: T,
    /// The `[[app]]` tables in order.
    pub groups: Vec<Group>,
    /// Number of sockets of the machine, if its file contains `sockets`.
    pub sockets: Option<usize>,
    /// For each scenario and each application, whether the scenario names it, by its name or that of its
    /// group.
    pub named: Vec<Vec<bool>>,
    /// The places of applications and scenarios in the files.
    pub places: Places,
    /// Every default, in the order of the tables.
    pub defaults: Vec<DefaultUsed>,
    /// The numbers of the defaults by table, name and key: files with thousands of tables have a hundred
    /// thousand of them.
    pub(super) defaults_by_name: Vec<usize>,
    /// The names of the files, in the order they were read.
    pub files: Vec<String>,
}

impl<S, T> Reading<S, T> {
    /// The same reading with the study and the further tables converted by `made`.
    pub fn map<R, U>(self, made: impl FnOnce(S, T) -> (R, U)) -> Reading<R, U> {
        let Self { study, further, groups, sockets, named, places, defaults, defaults_by_name, files } = self;
        let (study, further) = made(study, further);
        Reading { study, further, groups, sockets, named, places, defaults, defaults_by_name, files }
    }

    /// The same reading with these defaults.
    pub(super) fn with_defaults(self, defaults: Vec<DefaultUsed>) -> Self {
        let mut defaults_by_name: Vec<usize> = (0..defaults.len()).collect();
        defaults_by_name.sort_by(|&a, &b| by_name(&defaults[a]).cmp(&by_name(&defaults[b])));
        Self { defaults, defaults_by_name, ..self }
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

/// The places of the values of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// One entry for each `[[app]]` table, in the order of [`Reading::groups`](crate::Reading::groups).
    pub apps: Vec<AppPlaces>,
    /// One entry for each `[[scenario]]`, in the order of the study.
    pub scenarios: Vec<ScenarioPlaces>,
}

/// Places of one `[[app]]` table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppPlaces {
    /// The value of `name`.
    pub name: Place,
    /// The value of `data`; `None` if the file does not contain it.
    pub data: Option<Place>,
    /// The value of `min_threads`; `None` if the file does not contain it.
    pub min_threads: Option<Place>,
    /// The value of `nodes`; `None` if the file does not contain it.
    pub nodes: Option<Place>,
    /// The value of `memory_gib`; `None` if the file does not contain it.
    pub memory_gib: Option<Place>,
    /// The value of `smt`; `None` if the file does not contain it.
    pub smt: Option<Place>,
    /// The value of `ranks`; `None` if the file does not contain it.
    pub ranks: Option<Place>,
}

/// Places of one `[[scenario]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioPlaces {
    /// The value of `name`.
    pub name: Place,
    /// Names of applications or of single instances as written in `data`, each with the place of its value.
    pub data: Vec<(String, Place)>,
    /// The value of `threads`; `None` if the file does not contain it.
    pub threads: Option<Place>,
}

impl ScenarioPlaces {
    /// The place of the data of `instance` in this scenario: by its own name, or else by that of its group.
    pub fn data_of(&self, instance: &str, group: &str) -> Option<&Place> {
        let written = |name: &str| self.data.iter().find(|(own, _)| own == name).map(|(_, place)| place);
        written(instance).or_else(|| written(group))
    }
}

//! Where in the files the applications and scenarios of a study stand, for messages about a study that could be read
//! but cannot be used: an open home that nobody decides, work that an objective needs.

use super::problem::Place;

/// The places of a study, beside its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// One entry for each `[[app]]` table, in the order of [`Reading::groups`](super::Reading::groups).
    pub apps: Vec<AppPlaces>,
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

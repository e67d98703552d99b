//! Behaviour of applications over time, as files describe it: the values, the keys, their reader, and the parameters that a
//! sweep can replace.
//!
//! [`read_study`] reads files with machine, applications and scenarios (`numasim-study`) and their keys about time, as a
//! [`Study`].

mod commands;
mod couplings;
mod courses;
pub mod figure;
pub mod keys;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
mod values;

#[cfg(test)]
mod tests;

use commands::Commands;
use couplings::Couplings;
use numasim_model::units::Gflop;
use numasim_study::reader::{AppReading, Apps, Log, MachineReading, TableReader, Tables};
use numasim_study::{Family, Group, Place, Problem, SourceFile};

pub use courses::{CoursePlaces, Courses, PhasePlaces};
pub use numasim_model::scaling::Scaling;
pub use values::{
    Binding, Call, Channel, Cluster, Command, Course, Dynamics, Os, Phase, Pick, PolicyChoice, Study,
    Synchronisation, Wake, Work,
};

/// All files, read and checked, with the behaviour of the applications over time.
pub type Reading = numasim_study::Reading<Study, Places>;

/// Reads all files as one study.
///
/// # Errors
/// Every problem that was found, in the order of the files and their lines.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    let reading = numasim_study::read_study_with(files, &keys::FILE, Courses::default())?;
    Ok(reading.map(|at_rest, (dynamics, places)| (Study { at_rest, dynamics }, places)))
}

/// Places of the keys about time in the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// One entry for each `[[app]]` table, in the order of the groups of the reading.
    pub apps: Vec<CoursePlaces>,
    /// The header of each `[[channel]]`, in the order of the study.
    pub channels: Vec<Place>,
    /// The header of each `[[call]]`, in the order of the study.
    pub calls: Vec<Place>,
    /// The order of each command of the study (`total`, `per_node` or `cores`): one entry for each instance that a
    /// `[[command]]` names.
    pub commands: Vec<Place>,
    /// The value of `name` in `[policy]`; `None` if no file gives it.
    pub policy: Option<Place>,
    /// The value of `period_ms` in `[policy]`; `None` if no file gives it.
    pub period: Option<Place>,
}

impl Places {
    /// Whether the file gives phases to this one of `groups`; without them the application is the one phase.
    pub fn has_phases(&self, groups: &[Group], group: &Group) -> bool {
        let mut places = groups.iter().zip(&self.apps);
        places.any(|(own, places)| own.first == group.first && !places.phases.is_empty())
    }
}

impl Family for Courses {
    type Read = (Dynamics, Places);

    fn app(
        &mut self,
        table: &mut TableReader<'_>,
        app: &AppReading,
        machine: &MachineReading,
    ) -> Option<Gflop> {
        self.read(table, app, machine)
    }

    fn may_lack_intensity(&self, table: &TableReader<'_>) -> bool {
        table.place_of(&keys::app::COMMAND).is_some()
    }

    fn tables<'a>(
        self,
        tables: &mut Tables<'a>,
        log: &'a Log,
        apps: &Apps,
        machine: &MachineReading,
    ) -> Option<(Self::Read, bool)> {
        let mut couplings = Couplings::default();
        for table in tables.list(&keys::root::CHANNEL) {
            couplings.add_channel(table, apps);
        }
        for table in tables.list(&keys::root::CALL) {
            couplings.add_call(table, apps);
        }
        let coupled = couplings.finish(apps, &self, log);
        let mut commands = Commands::default();
        for table in tables.list(&keys::root::COMMAND) {
            commands.add(table, (apps, &self), machine);
        }
        let policy = commands::policy(tables.table_or_none(&keys::root::POLICY, log));
        let os = commands::os(tables.table_or_none(&keys::root::OS, log));
        let cluster = commands::cluster(tables.table(&keys::root::CLUSTER, log));
        let (policy, policy_places) = policy?;
        let (coupled, (commands, command_places)) = (coupled?, commands.finish()?);
        let places = Places {
            apps: self.places(),
            channels: coupled.channel_places,
            calls: coupled.call_places,
            commands: command_places,
            policy: policy_places.name,
            period: policy_places.period,
        };
        let dynamics = Dynamics {
            courses: self.of_instances(&apps.groups)?,
            channels: coupled.channels,
            calls: coupled.calls,
            commands,
            policy,
            os: os?,
            cluster: cluster?,
        };
        Some(((dynamics, places), false))
    }
}

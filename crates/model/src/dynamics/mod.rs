//! What applications do over time: iterations, phases and tasks, who waits for whom, and what commands say.
//!
//! The static model asks for threads only. Here is the rest of a study, for simulated time and for an agent: values, as the
//! input files give them (`input`), without any behaviour in time. Terms follow paper 002, sections II, IV and V.

pub mod coupling;
pub mod course;
pub mod order;
pub mod settings;

pub use coupling::{Call, Channel};
pub use course::{Binding, Course, Phase, Pick, Scaling, Work};
pub use order::{Command, Control, Order};
pub use settings::{Cluster, Os, PolicyChoice, Synchronisation};

/// The part of a study that is about time; the default is that of files that say nothing of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dynamics {
    /// What each application instance does; one entry for each application of the study.
    pub courses: Vec<Course>,
    /// `[[channel]]`, in the order of the files. With the calls they form no circle.
    pub channels: Vec<Channel>,
    /// `[[call]]`, in the order of the files.
    pub calls: Vec<Call>,
    /// `[[command]]`, in the order of the files; one entry for each instance that a command names.
    pub commands: Vec<Command>,
    /// `[policy]`.
    pub policy: PolicyChoice,
    /// `[os]`.
    pub os: Os,
    /// `[cluster]`, where there is one.
    pub cluster: Option<Cluster>,
}

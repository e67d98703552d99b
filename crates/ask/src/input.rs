//! Input files as every question uses them: a checked study, and the locations of its parts in the files.

use std::sync::Arc;

use numasim_course::Study;
use numasim_graph::values::TaskStudy;
use numasim_model::machine::doubts;
use numasim_model::sharing::Parameter;
use numasim_model::{Machine, ModelKind};
use numasim_study::{DefaultUsed, SourceFile};

use crate::located::Located;
use crate::placing::{Asked, placed};
use crate::reading::{Reading, read_study};
use crate::refusal::Refusal;

/// Machine, applications and scenarios, read and checked together.
#[derive(Clone, Debug)]
pub struct Input {
    /// The contents of the files.
    pub study: Arc<Study>,
    /// The contents of the files about tasks.
    pub tasks: Arc<TaskStudy>,
    /// Locations in the files, for messages.
    pub located: Arc<Located>,
    /// Every value that no file contains, and the default that replaces it.
    pub defaults: Arc<[DefaultUsed]>,
}

impl Input {
    /// Reads the texts of files, each with the name that messages use.
    ///
    /// ```
    /// let input = numasim_ask::Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?;
    /// assert_eq!(input.study.machine.name(), "two nodes");
    /// # Ok::<(), numasim_ask::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// All mistakes of the files, with their places.
    pub fn read(files: &[(&str, &str)]) -> Result<Self, Refusal> {
        let source =
            |&(name, text): &(&str, &str)| SourceFile { name: name.to_owned(), text: text.to_owned() };
        Self::of_sources(files.iter().map(source).collect())
    }

    /// Reads files that are already sources.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn of_sources(sources: Vec<SourceFile>) -> Result<Self, Refusal> {
        match read_study(&sources) {
            Ok(reading) => Ok(Self::of_reading(reading, sources)),
            Err(problems) => Err(Refusal::Located { problems, sources }),
        }
    }

    /// The input from a reading of `sources`.
    pub fn of_reading(mut reading: Reading, sources: Vec<SourceFile>) -> Self {
        let defaults = std::mem::take(&mut reading.defaults).into();
        let tasks = Arc::new(std::mem::take(&mut reading.further.tasks));
        let (study, located) = Located::split(reading, sources);
        Self { study: Arc::new(study), tasks, located: Arc::new(located), defaults }
    }

    /// The same input with constraints on single applications that are not in the files.
    ///
    /// # Errors
    /// The errors of [`placed`].
    pub fn placed(mut self, asked: &Asked) -> Result<Self, Refusal> {
        self.study = Arc::new(placed(Study::clone(&self.study), asked)?);
        Ok(self)
    }

    /// The same input under another sharing model, with the corrections in the file. The warnings list corrections that the model ignores
    /// and implausible values of the machine.
    ///
    /// # Errors
    /// The model does not support something that the machine has.
    pub fn under(mut self, kind: Option<ModelKind>) -> Result<(Self, Vec<String>), Refusal> {
        if let Some(kind) = kind {
            let study = Arc::make_mut(&mut self.study);
            study.machine = study.machine.clone().with_model(kind);
        }
        let warnings = model_warnings(&self.study.machine)?;
        Ok((self, warnings))
    }
}

/// Warnings about a machine under its sharing model: corrections that the model ignores, and implausible values.
///
/// # Errors
/// The model does not support something that the machine has.
pub fn model_warnings(machine: &Machine) -> Result<Vec<String>, Refusal> {
    if let Some(refusal) = machine.sharing_refusal() {
        let able = |kind: &ModelKind| machine.clone().with_model(*kind).sharing_refusal().is_none();
        let able: Vec<&str> = ModelKind::ALL.into_iter().filter(able).map(ModelKind::as_str).collect();
        return Err(Refusal::said(format!("machine '{}': {refusal}", machine.name()))
            .hint(format!("take one that has: --model {}", able.join(" or --model "))));
    }
    let sharing = machine.sharing();
    let idle = sharing.parameters.in_use().map(|(parameter, _)| parameter);
    let idle: Vec<&str> =
        idle.filter(|parameter| !parameter.is_used_by(sharing.kind)).map(Parameter::as_str).collect();
    let of_idle = (!idle.is_empty()).then(|| {
        format!("the model {} does not look at {} of [machine.sharing]", sharing.name(), idle.join(", "))
    });
    Ok(of_idle.into_iter().chain(implausible(machine)).collect())
}

/// Implausible values of a machine, one sentence each.
pub fn implausible(machine: &Machine) -> Vec<String> {
    doubts(machine).into_iter().map(|doubt| format!("machine '{}': {doubt}", machine.name())).collect()
}

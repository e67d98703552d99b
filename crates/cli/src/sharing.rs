//! Which sharing model a command computes with: the one on the command line, else the one in the machine file.

use numasim_model::machine::doubts;
use numasim_model::sharing::Parameter;
use numasim_model::{Machine, ModelKind, Study};

use crate::failure::Failure;
use crate::shell::Shell;

/// Takes the model of the command line, if there is one, and warns of corrections that it does not look at, and of figures
/// that no machine has.
///
/// # Errors
/// A [`Failure`] if the model has no reading of something that the machine has.
pub(crate) fn choose(study: Study, chosen: Option<ModelKind>, shell: &Shell) -> Result<Study, Failure> {
    let machine = match chosen {
        Some(kind) => study.machine.with_model(kind),
        None => study.machine,
    };
    if let Some(refusal) = machine.sharing_refusal() {
        return Err(Failure::input(format!("machine '{}': {refusal}", machine.name()))
            .hint(format!("take one that has: --model {}", able(&machine).join(" or --model "))));
    }
    let sharing = machine.sharing();
    let idle: Vec<&str> = sharing
        .parameters
        .in_use()
        .map(|(parameter, _)| parameter)
        .filter(|parameter| !parameter.is_used_by(sharing.kind))
        .map(Parameter::key)
        .collect();
    if !idle.is_empty() {
        shell.warn(format!(
            "the model {} does not look at {} of [machine.sharing]",
            sharing.name(),
            idle.join(", ")
        ));
    }
    warn_of_doubts(&machine, shell);
    Ok(Study { machine, ..study })
}

/// The models that honour all that a machine has.
fn able(machine: &Machine) -> Vec<&'static str> {
    let able = |kind: &ModelKind| machine.clone().with_model(*kind).sharing_refusal().is_none();
    ModelKind::ALL.into_iter().filter(able).map(ModelKind::name).collect()
}

/// Says which figures of the machine are hardly what somebody meant.
pub(crate) fn warn_of_doubts(machine: &Machine, shell: &Shell) {
    for doubt in doubts(machine) {
        shell.warn(format!("machine '{}': {doubt}", machine.name()));
    }
}

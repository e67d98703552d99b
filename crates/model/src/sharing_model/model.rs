//! Which sharing model answers, with which corrections.

use super::kind::ModelKind;
use super::parameter::Parameter;
use super::parameters::{ParameterError, Parameters};

/// A sharing model and its corrections: part of a machine, because it says how that machine arbitrates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Model {
    /// The rules.
    pub kind: ModelKind,
    /// The corrections.
    pub parameters: Parameters,
}

/// A machine says something that a model has no reading of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model {} has no reading of `{what}`", model.name())]
pub struct Refusal {
    /// The model.
    pub model: ModelKind,
    /// The key of the machine file.
    pub what: &'static str,
}

impl From<ModelKind> for Model {
    fn from(kind: ModelKind) -> Self {
        Self { kind, parameters: Parameters::default() }
    }
}

impl Model {
    /// Its name on the command line, in files and in JSON.
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// The same corrections with the rules of another model.
    #[must_use]
    pub const fn with_kind(self, kind: ModelKind) -> Self {
        Self { kind, ..self }
    }

    /// The same model with one parameter set.
    ///
    /// # Errors
    /// [`ParameterError`] if the parameter cannot have this value.
    pub fn with(mut self, parameter: Parameter, value: f64) -> Result<Self, ParameterError> {
        self.parameters.set(parameter, value)?;
        Ok(self)
    }

    /// The same model without the ceilings on single threads: nobody gets less from it, wherever the data lies.
    #[must_use]
    pub const fn without_ceilings(mut self) -> Self {
        self.parameters.core_local_gbs = None;
        self.parameters.core_remote_gbs = None;
        self.parameters.outstanding_lines = None;
        self
    }

    /// The parameters that change what this model answers, with their values.
    pub fn in_use(&self) -> impl Iterator<Item = (Parameter, f64)> + '_ {
        self.parameters.in_use().filter(|(parameter, _)| parameter.is_used_by(self.kind))
    }

    /// Whether this is the default as it is, without any correction: it has a compiled path of its own.
    pub(crate) fn is_plain_default(&self) -> bool {
        self.is_plain(ModelKind::BaselineProportional)
    }

    /// Whether these are the rules of `kind` without any correction.
    pub(crate) fn is_plain(&self, kind: ModelKind) -> bool {
        self.kind == kind && self.in_use().next().is_none()
    }

    /// Whether links are served before the node's own threads, whatever these want.
    pub fn serves_remote_first(&self) -> bool {
        self.kind == ModelKind::RemoteFirst
    }

    /// Whether a thread added on one node never helps a thread on another one, wherever their data lies. The search
    /// proves with it: GFLOPS on a node with all others empty are then an upper bound.
    ///
    /// - Remote first: more demand on one link leaves less for every other port, and a smaller pool gives nobody more.
    /// - Proportional, request fraction: more demand at a controller means a smaller factor for all.
    /// - ECM: more demand means a longer wait for all; not where a controller also loses bandwidth when too much is asked of it: a random question had
    ///   somebody with 0.03 % more beside others.
    /// - The default and max-min: only where every thread reads one memory; else a thread that is slowed down at one memory
    ///   leaves more to others at another ([`crate::sharing::Solver::threads_elsewhere_never_help`] looks at that).
    /// - With a saturation knee a controller delivers more when more is asked of it: nothing is promised.
    pub fn threads_elsewhere_never_help(&self) -> bool {
        !matches!(self.kind, ModelKind::BaselineProportional | ModelKind::MaxMin)
            && self.one_controller_never_helps()
    }

    /// The same of threads that all read one memory each.
    pub(crate) fn one_controller_never_helps(&self) -> bool {
        let loses = self.kind == ModelKind::Ecm && self.parameters.overload_loss != 0.0;
        self.parameters.saturation_knee == 0.0 && !loses
    }

    /// What this model has no reading of, on a machine with shared links or nodes whose reads are limited; `None` where it
    /// honours everything.
    ///
    /// Links that share a link: filled evenly or in proportion before a controller looks at them, but not where threads claim
    /// parts of a controller (request-fraction). What a node reads in all limits several controllers
    /// at once, which only models that look at all of them can do.
    pub fn refusal(&self, shared_links: bool, limited_reads: bool) -> Option<Refusal> {
        let whole = matches!(self.kind, ModelKind::BaselineProportional | ModelKind::MaxMin);
        let what = if self.kind == ModelKind::RequestFraction && shared_links {
            "[[machine.shared_link]]"
        } else if !whole && limited_reads {
            "read_gbs"
        } else {
            return None;
        };
        Some(Refusal { model: self.kind, what })
    }

    /// The name, with the corrections in use: `max-min (link_efficiency 0.9)`.
    pub fn in_words(&self) -> String {
        let used: Vec<String> =
            self.in_use().map(|(parameter, value)| format!("{} {value}", parameter.key())).collect();
        if used.is_empty() {
            self.name().to_owned()
        } else {
            format!("{} ({})", self.name(), used.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_a_model_does_not_use_leaves_it_as_it_is() {
        let weighted = Model::from(ModelKind::RemoteFirst).with(Parameter::RemoteWeight, 2.0).unwrap();
        assert!(weighted.is_plain(ModelKind::RemoteFirst));
        assert_eq!(weighted.in_words(), "remote-first");
        assert_eq!(weighted.with_kind(ModelKind::MaxMin).in_words(), "max-min (remote_weight 2)");
    }
}

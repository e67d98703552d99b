//! The sharing model of a machine: its kind, the values of its corrections, and descriptions of both.
//!
//! These are only values, part of a [`crate::Machine`]; [`crate::sharing`] implements the models.

use crate::access::Traffic;
use crate::bounds::{self, LARGEST, SMALLEST};

pub mod about;

crate::words! {
    /// The rules by which bandwidth is shared; each is described in the module of its name.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ModelKind {
        /// Ports of a controller filled evenly, inside each the paper's baseline plus proportional; dealt again in rounds.
        #[default]
        BaselineProportional = "baseline-proportional",
        /// The paper's literal rule: remote readers first, then baseline plus proportional.
        RemoteFirst = "remote-first",
        /// All rates rise together until a resource is full.
        MaxMin = "max-min",
        /// Shares in proportion to demand.
        Proportional = "proportional",
        /// Shares in proportion to the part of the controller that a thread alone would use.
        RequestFraction = "request-fraction",
        /// Every cache line waits the same time; soft saturation.
        Ecm = "ecm",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_found_by_its_name() {
        for kind in ModelKind::ALL {
            assert_eq!(ModelKind::from_word(kind.as_str()), Some(kind));
        }
        assert_eq!(ModelKind::from_word("fair"), None);
    }
}

/// A sharing model and its corrections: part of a machine, because it describes how that machine arbitrates
/// bandwidth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Model {
    /// The rules.
    pub kind: ModelKind,
    /// The corrections.
    pub parameters: Parameters,
}

crate::words! {
    /// The origin of the penalties of ecm.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Penalties {
        /// The values of most machines, by the kind of traffic.
        Usual = "usual",
        /// Measured or assumed values.
        Given = "given",
        /// None: each controller delivers every request up to its bandwidth.
        HardCorner = "hard-corner",
    }
}

/// A machine has a property that a model does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model {} has no reading of `{what}`", model.as_str())]
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
        self.kind.as_str()
    }

    /// The same corrections with the rules of another model.
    #[must_use]
    pub const fn with_kind(self, kind: ModelKind) -> Self {
        Self { kind, ..self }
    }

    /// The same model with one parameter set.
    ///
    /// # Errors
    /// [`ParameterError`] if the value is outside the parameter's range.
    pub fn with(mut self, parameter: Parameter, value: f64) -> Result<Self, ParameterError> {
        self.parameters.set(parameter, value)?;
        Ok(self)
    }

    /// The origin of its penalties; `None` for models without penalties.
    pub fn penalties(&self) -> Option<Penalties> {
        let Parameters { ecm_penalty, ecm_write_penalty, .. } = self.parameters;
        (self.kind == ModelKind::Ecm).then_some(match (ecm_penalty, ecm_write_penalty) {
            (None, None) => Penalties::Usual,
            (Some(0.0), None | Some(0.0)) => Penalties::HardCorner,
            _ => Penalties::Given,
        })
    }

    /// Whether threads wait before a queue is full.
    pub fn has_soft_corners(&self) -> bool {
        self.penalties().is_some_and(|penalties| penalties != Penalties::HardCorner)
    }

    /// Whether its penalties are those of most machines, by kind of traffic; only ecm uses penalties.
    pub fn has_usual_penalties(&self) -> bool {
        self.penalties() == Some(Penalties::Usual)
    }

    /// The parameters that affect the results of this model, with their values.
    pub fn in_use(&self) -> impl Iterator<Item = (Parameter, f64)> + '_ {
        self.parameters.in_use().filter(|(parameter, _)| parameter.is_used_by(self.kind))
    }

    /// Whether this is the default model without any correction: it has a separate compiled path.
    pub(crate) fn is_plain_default(&self) -> bool {
        self.is_plain(ModelKind::BaselineProportional)
    }

    /// Whether these are the rules of `kind` without any correction.
    pub(crate) fn is_plain(&self, kind: ModelKind) -> bool {
        self.kind == kind && self.in_use().next().is_none()
    }

    /// Whether links are served before the node's own threads, regardless of their demand.
    pub fn serves_remote_first(&self) -> bool {
        self.kind == ModelKind::RemoteFirst
    }

    /// Whether a thread added on one node never helps a thread on another, for any data placement. The search
    /// uses this in proofs: the GFLOPS of a node with all other nodes empty are then an upper bound.
    ///
    /// - Remote first: more demand on one link leaves less for every other port, and a smaller pool gives no
    ///   thread more.
    /// - Proportional, request fraction: more demand on a controller means a smaller factor for all.
    /// - ECM: only if every thread reads one memory. More demand then means a longer wait for all. Not if a
    ///   controller also loses bandwidth under excess demand: in one random question an application got 0.03
    ///   % more next to others.
    /// - The default and max-min: only if every thread reads one memory. Otherwise a thread that is slowed
    ///   down at one memory leaves more for others at another memory
    ///   ([`crate::sharing::Solver::threads_elsewhere_never_help`] checks this).
    /// - With a saturation knee a controller delivers more under more demand, so there is no guarantee.
    pub fn threads_elsewhere_never_help(&self) -> bool {
        !matches!(self.kind, ModelKind::BaselineProportional | ModelKind::MaxMin | ModelKind::Ecm)
            && self.one_controller_never_helps()
    }

    /// The same property for threads that each read one memory.
    pub(crate) fn one_controller_never_helps(&self) -> bool {
        let loses = self.kind == ModelKind::Ecm && self.parameters.overload_loss != 0.0;
        self.parameters.saturation_knee == 0.0 && !loses
    }

    /// The property that this model does not support, on a machine with shared links or nodes with limited
    /// reads; `None` if the model supports all properties.
    ///
    /// Shared links are filled evenly or in proportion before a controller is. This is not possible if
    /// threads claim shares of a controller (request-fraction). The total reads of a node or an L3 domain
    /// limit several controllers at once, so only models that consider all controllers together support them.
    pub fn refusal(&self, shared_links: bool, limited_reads: bool, limited_domains: bool) -> Option<Refusal> {
        let whole = matches!(self.kind, ModelKind::BaselineProportional | ModelKind::MaxMin | ModelKind::Ecm);
        let what = if self.kind == ModelKind::RequestFraction && shared_links {
            "[[machine.shared_link]]"
        } else if !whole && limited_reads {
            "read_gbs"
        } else if !whole && limited_domains {
            "l3_read_gbs"
        } else {
            return None;
        };
        Some(Refusal { model: self.kind, what })
    }

    /// The name and the corrections in use: `max-min (link_efficiency 0.9)`.
    pub fn in_words(&self) -> String {
        let usual = self.has_usual_penalties().then(|| "usual penalties".to_owned());
        let used = self.in_use().map(|(parameter, value)| format!("{} {value}", parameter.as_str()));
        let used: Vec<String> = used.chain(usual).collect();
        if used.is_empty() {
            self.name().to_owned()
        } else {
            format!("{} ({})", self.name(), used.join(", "))
        }
    }
}

#[cfg(test)]
mod model_tests {
    use super::*;

    #[test]
    fn unused_parameters_do_not_change_a_model() {
        let weighted = Model::from(ModelKind::RemoteFirst).with(Parameter::RemoteWeight, 2.0).unwrap();
        assert!(weighted.is_plain(ModelKind::RemoteFirst));
        assert_eq!(weighted.in_words(), "remote-first");
        assert_eq!(weighted.with_kind(ModelKind::MaxMin).in_words(), "max-min (remote_weight 2)");
    }
}

// Parameters of the sharing models in addition to the machine's own values: corrections, each switched off by
// its default.
//
// A parameter is identified by its key, in `[machine.sharing]`, in `sweep --set machine.sharing.KEY=…` and in
// fits to measurements. If the value has a unit, the unit is part of the key.

crate::words! {
    /// One of the corrections, or the one parameter of a model.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Parameter {
        /// How soft the transition to a saturated controller is.
        SaturationKnee = "saturation_knee",
        /// The bandwidth that a controller loses under excess demand.
        OverloadLoss = "overload_loss",
        /// Maximum bandwidth of one thread from local memory.
        CoreLocal = "core_local_gbs",
        /// Maximum bandwidth of one thread from remote memory.
        CoreRemote = "core_remote_gbs",
        /// Cache lines that one thread has outstanding at a time.
        OutstandingLines = "outstanding_lines",
        /// The share of a link's bandwidth that carries data.
        LinkEfficiency = "link_efficiency",
        /// The cost of remote readers for the home node beyond their own bandwidth.
        RemoteLoss = "remote_loss",
        /// The weight of remote traffic relative to local traffic at a controller.
        RemoteWeight = "remote_weight",
        /// The time that each other thread adds to a cache line on a busy controller or link.
        EcmPenalty = "ecm_penalty",
        /// The same for write threads and for bytes over a link.
        EcmWritePenalty = "ecm_write_penalty",
    }
}

impl Parameter {
    /// The unit of its value; empty for a plain number.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::CoreLocal | Self::CoreRemote => "GB/s",
            Self::OutstandingLines => "lines of 64 byte",
            Self::EcmPenalty | Self::EcmWritePenalty => "transfer times of a line",
            _ => "",
        }
    }

    /// The value that switches it off; `None`: it is off unless given.
    pub const fn default(self) -> Option<f64> {
        match self {
            Self::SaturationKnee | Self::OverloadLoss | Self::RemoteLoss => Some(0.0),
            Self::LinkEfficiency | Self::RemoteWeight => Some(1.0),
            Self::CoreLocal
            | Self::CoreRemote
            | Self::OutstandingLines
            | Self::EcmPenalty
            | Self::EcmWritePenalty => None,
        }
    }

    /// The smallest and the largest valid value.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::SaturationKnee => (0.0, 1.0),
            Self::CoreLocal | Self::CoreRemote => (SMALLEST, LARGEST),
            Self::OutstandingLines => (1e-3, 1e6),
            Self::LinkEfficiency => (1e-3, 1.0),
            Self::OverloadLoss | Self::RemoteLoss | Self::EcmPenalty | Self::EcmWritePenalty => (0.0, 100.0),
            Self::RemoteWeight => (1e-3, 1e3),
        }
    }

    /// "a number from 0 to 1".
    pub fn range_in_words(self) -> String {
        let (low, high) = self.range();
        if high > 1e9 {
            "a finite number above 0".to_owned()
        } else {
            format!("a number from {low} to {high}")
        }
    }

    /// Its meaning, in one or two sentences.
    pub const fn about(self) -> &'static str {
        match self {
            Self::SaturationKnee => {
                "A controller asked for W GB/s has (W^-p + B^-p)^(-1/p) GB/s with p = 1/saturation_knee, instead of \
                 min(W, B). 0 is the hard corner; at 0.1 a controller asked for just what it has gives 93 % of it."
            }
            Self::OverloadLoss => {
                "A controller asked for W GB/s, more than its B, has B / (1 + overload_loss x (W/B - 1)) GB/s: the more \
                 readers queue, the less it delivers. Only with a ceiling on single threads (core_local_gbs, \
                 core_bandwidth_gbs): without one a single thread may ask for many times B."
            }
            Self::CoreLocal => {
                "The most one thread draws from the memory of its own node. Data on several nodes: the time per byte \
                 is the mean over the data."
            }
            Self::CoreRemote => {
                "The most one thread draws from the memory of another node. Data on several nodes: the time per byte \
                 is the mean over the data."
            }
            Self::OutstandingLines => {
                "A thread with C lines under way draws at most C x 64 byte / latency from a memory. Needs \
                 latency_matrix_ns."
            }
            Self::LinkEfficiency => "The part of the bandwidth of every link that data gets.",
            Self::RemoteLoss => {
                "Each GB/s read from outside costs the home controller 1 + remote_loss GB/s: it then delivers \
                 B x (1 - remote_loss x remote / B) in all."
            }
            Self::RemoteWeight => {
                "A remote thread (baseline-proportional: a link) has this many times the right of a local one at a controller."
            }
            Self::EcmPenalty => {
                "p0 / T_mem: the latency that each further thread adds on a busy controller or link, in units of the time that it \
                 needs for a line. 0 is a hard corner. Where it is not given: 0.33 for threads that only \
                 read the memory of their own node, 0.5 for those that write and for all bytes over a link."
            }
            Self::EcmWritePenalty => {
                "The ecm_penalty of threads that write, and of all bytes over a link. Without it they have ecm_penalty."
            }
        }
    }

    /// Its source.
    pub const fn source(self) -> &'static str {
        match self {
            Self::SaturationKnee => {
                "a common smooth minimum; the soft knee itself: Hofmann, Hager, Fey, arXiv 1803.01618"
            }
            Self::OverloadLoss => {
                "our addition, fitted: some controllers are slower with all cores reading than with half of them \
                 (ThunderX2 in the machine files of Kerncraft)"
            }
            Self::CoreLocal | Self::CoreRemote => {
                "McCalpin 2025: the bandwidth of one core is limited by concurrency and latency"
            }
            Self::OutstandingLines => "Little's law: concurrency = bandwidth x latency",
            Self::LinkEfficiency => "our addition: protocol overhead on links, fitted",
            Self::RemoteLoss => "our addition: coherence and probe traffic, B_eff = B (1 - beta rho), fitted",
            Self::RemoteWeight => "our addition: arbitration between local and remote requests, fitted",
            Self::EcmPenalty => "Hofmann, Hager, Fey, arXiv 1803.01618: T(n) = T + (n - 1) u(n - 1) p0",
            Self::EcmWritePenalty => {
                "our addition: on five machines 0.5 for what writes and for links, 0.33 for local reads"
            }
        }
    }

    /// Whether a model uses it.
    pub const fn is_used_by(self, kind: ModelKind) -> bool {
        match self {
            // Remote first has no traffic to weigh. Under ecm all bytes wait equally long in a queue, so a
            // single wait represents spread data.
            Self::RemoteWeight => !matches!(kind, ModelKind::RemoteFirst | ModelKind::Ecm),
            Self::EcmPenalty | Self::EcmWritePenalty => matches!(kind, ModelKind::Ecm),
            _ => true,
        }
    }
}

/// Values of the parameters; everything off by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// See [`Parameter::SaturationKnee`]; 0 is a hard corner.
    pub saturation_knee: f64,
    /// See [`Parameter::OverloadLoss`]; 0 is none.
    pub overload_loss: f64,
    /// See [`Parameter::CoreLocal`], GB/s; `None` is no limit.
    pub core_local_gbs: Option<f64>,
    /// See [`Parameter::CoreRemote`], GB/s; `None` is no limit.
    pub core_remote_gbs: Option<f64>,
    /// See [`Parameter::OutstandingLines`]; `None` is no limit. Needs a latency matrix.
    pub outstanding_lines: Option<f64>,
    /// See [`Parameter::LinkEfficiency`]; 1 is the full bandwidth.
    pub link_efficiency: f64,
    /// See [`Parameter::RemoteLoss`]; 0 is none.
    pub remote_loss: f64,
    /// See [`Parameter::RemoteWeight`]; 1 is the weight of local traffic.
    pub remote_weight: f64,
    /// See [`Parameter::EcmPenalty`], in transfer times of a line. 0 is a hard corner, `None` the usual value
    /// by kind of traffic (`penalty`).
    pub ecm_penalty: Option<f64>,
    /// See [`Parameter::EcmWritePenalty`]; `None`: equal to `ecm_penalty`.
    pub ecm_write_penalty: Option<f64>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            saturation_knee: 0.0,
            overload_loss: 0.0,
            core_local_gbs: None,
            core_remote_gbs: None,
            outstanding_lines: None,
            link_efficiency: 1.0,
            remote_loss: 0.0,
            remote_weight: 1.0,
            ecm_penalty: None,
            ecm_write_penalty: None,
        }
    }
}

/// The `ecm_penalty` of most machines for threads that only read local memory.
pub const USUAL_PENALTY: f64 = 0.33;
/// The `ecm_penalty` of most machines for threads that write and for bytes over a link.
pub const USUAL_WRITE_PENALTY: f64 = 0.5;

/// A value outside a parameter's range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("`{}` must be {}, not {value}", parameter.as_str(), parameter.range_in_words())]
pub struct ParameterError {
    /// The parameter.
    pub parameter: Parameter,
    /// The value.
    pub value: f64,
}

/// Access to the field of a parameter.
enum Field<'p> {
    Always(&'p mut f64),
    Optional(&'p mut Option<f64>),
}

impl Parameters {
    /// The value of a parameter; `None` if it is off and has no value.
    pub fn get(mut self, parameter: Parameter) -> Option<f64> {
        match self.field(parameter) {
            Field::Always(value) => Some(*value),
            Field::Optional(value) => *value,
        }
    }

    fn field(&mut self, parameter: Parameter) -> Field<'_> {
        match parameter {
            Parameter::SaturationKnee => Field::Always(&mut self.saturation_knee),
            Parameter::OverloadLoss => Field::Always(&mut self.overload_loss),
            Parameter::CoreLocal => Field::Optional(&mut self.core_local_gbs),
            Parameter::CoreRemote => Field::Optional(&mut self.core_remote_gbs),
            Parameter::OutstandingLines => Field::Optional(&mut self.outstanding_lines),
            Parameter::LinkEfficiency => Field::Always(&mut self.link_efficiency),
            Parameter::RemoteLoss => Field::Always(&mut self.remote_loss),
            Parameter::RemoteWeight => Field::Always(&mut self.remote_weight),
            Parameter::EcmPenalty => Field::Optional(&mut self.ecm_penalty),
            Parameter::EcmWritePenalty => Field::Optional(&mut self.ecm_write_penalty),
        }
    }

    fn put(&mut self, parameter: Parameter, new: Option<f64>) {
        match self.field(parameter) {
            Field::Always(value) => *value = new.unwrap_or(*value),
            Field::Optional(value) => *value = new,
        }
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`ParameterError`] if the value is outside its range; nothing changes then.
    pub fn set(&mut self, parameter: Parameter, value: f64) -> Result<(), ParameterError> {
        let (low, high) = parameter.range();
        if bounds::outside(value, low, high).is_some() {
            return Err(ParameterError { parameter, value });
        }
        self.put(parameter, Some(value + 0.0)); // -0.0 is 0
        Ok(())
    }

    /// Switches a parameter off.
    pub fn reset(&mut self, parameter: Parameter) {
        self.put(parameter, parameter.default());
    }

    /// The parameters that are not off, with their values.
    pub fn in_use(&self) -> impl Iterator<Item = (Parameter, f64)> + '_ {
        Parameter::ALL.into_iter().filter_map(|parameter| {
            let value = self.get(parameter)?;
            (Some(value) != parameter.default()).then_some((parameter, value))
        })
    }

    /// The penalty of threads with this traffic, over a link or not: the given one, or that of most machines
    /// (each of five left out in turn, `results/published-data/CHOICES.md`).
    pub(crate) fn penalty(&self, traffic: Traffic, over_link: bool) -> f64 {
        if over_link || traffic.writes() {
            self.ecm_write_penalty.or(self.ecm_penalty).unwrap_or(USUAL_WRITE_PENALTY)
        } else {
            self.ecm_penalty.unwrap_or(USUAL_PENALTY)
        }
    }
}

#[cfg(test)]
mod parameters_tests {
    use super::*;

    #[test]
    fn every_parameter_is_found_by_its_key_and_starts_off() {
        for parameter in Parameter::ALL {
            assert_eq!(Parameter::from_word(parameter.as_str()), Some(parameter));
            assert_eq!(Parameters::default().get(parameter), parameter.default());
        }
        assert_eq!(Parameters::default().in_use().count(), 0);
    }

    #[test]
    fn parameters_can_be_set_read_and_switched_off() {
        let mut parameters = Parameters::default();
        for parameter in Parameter::ALL {
            parameters.set(parameter, 0.5).unwrap();
            assert_eq!(parameters.get(parameter), Some(0.5));
        }
        assert_eq!(parameters.in_use().count(), Parameter::ALL.len());
        for parameter in Parameter::ALL {
            parameters.reset(parameter);
        }
        assert_eq!(parameters, Parameters::default());
    }

    #[test]
    fn the_error_for_a_value_out_of_range_names_the_range() {
        let mut parameters = Parameters::default();
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(parameters.set(Parameter::SaturationKnee, wrong).is_err(), "{wrong}");
        }
        let error = parameters.set(Parameter::LinkEfficiency, 2.0).unwrap_err();
        assert_eq!(error.to_string(), "`link_efficiency` must be a number from 0.001 to 1, not 2");
        assert_eq!(parameters, Parameters::default());
    }
}

//! The figures of the sharing models beyond the machine's own: corrections, each of which its default switches off.
//!
//! A parameter is named by its key, in `[machine.sharing]`, in `sweep --set machine.sharing.KEY=…` and when it is
//! fitted to measurements. The unit is part of the key where there is one.

use super::model::ModelKind;

/// One of the corrections, or the one parameter of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parameter {
    /// How soft the transition to a saturated controller is.
    SaturationKnee,
    /// What a controller loses when it is asked for more than it has.
    OverloadLoss,
    /// The most one thread can draw from the memory of its own node.
    CoreLocal,
    /// The most one thread can draw from the memory of another node.
    CoreRemote,
    /// Cache lines that one thread has under way at a time.
    OutstandingLines,
    /// The part of a link's bandwidth that data really gets.
    LinkEfficiency,
    /// What remote readers cost the home node beyond what they get.
    RemoteLoss,
    /// The weight of remote traffic beside local traffic at a controller.
    RemoteWeight,
    /// The time that each other thread adds to a cache line on a busy controller.
    EcmPenalty,
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
    /// See [`Parameter::LinkEfficiency`]; 1 is all of it.
    pub link_efficiency: f64,
    /// See [`Parameter::RemoteLoss`]; 0 is none.
    pub remote_loss: f64,
    /// See [`Parameter::RemoteWeight`]; 1 is as local traffic.
    pub remote_weight: f64,
    /// See [`Parameter::EcmPenalty`], in transfer times of a line; 0 is none.
    pub ecm_penalty: f64,
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
            ecm_penalty: 0.0,
        }
    }
}

/// A value that a parameter cannot have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("`{}` must be {}, not {value}", parameter.key(), parameter.range_in_words())]
pub struct ParameterError {
    /// The parameter.
    pub parameter: Parameter,
    /// The value.
    pub value: f64,
}

impl Parameter {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 9] = [
        Self::SaturationKnee,
        Self::OverloadLoss,
        Self::CoreLocal,
        Self::CoreRemote,
        Self::OutstandingLines,
        Self::LinkEfficiency,
        Self::RemoteLoss,
        Self::RemoteWeight,
        Self::EcmPenalty,
    ];

    /// Its key in `[machine.sharing]`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::SaturationKnee => "saturation_knee",
            Self::OverloadLoss => "overload_loss",
            Self::CoreLocal => "core_local_gbs",
            Self::CoreRemote => "core_remote_gbs",
            Self::OutstandingLines => "outstanding_lines",
            Self::LinkEfficiency => "link_efficiency",
            Self::RemoteLoss => "remote_loss",
            Self::RemoteWeight => "remote_weight",
            Self::EcmPenalty => "ecm_penalty",
        }
    }

    /// The parameter with this key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|parameter| parameter.key() == key)
    }

    /// The unit of its value; empty for a plain number.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::CoreLocal | Self::CoreRemote => "GB/s",
            Self::OutstandingLines => "lines of 64 byte",
            Self::EcmPenalty => "transfer times of a line",
            _ => "",
        }
    }

    /// The value that switches it off; `None`: it is off where it is not given.
    pub const fn default(self) -> Option<f64> {
        match self {
            Self::SaturationKnee | Self::OverloadLoss | Self::RemoteLoss | Self::EcmPenalty => Some(0.0),
            Self::LinkEfficiency | Self::RemoteWeight => Some(1.0),
            Self::CoreLocal | Self::CoreRemote | Self::OutstandingLines => None,
        }
    }

    /// The smallest and the largest value it may have.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::SaturationKnee => (0.0, 1.0),
            Self::CoreLocal | Self::CoreRemote => (1e-30, 1e30),
            Self::OutstandingLines => (1e-3, 1e6),
            Self::LinkEfficiency => (1e-3, 1.0),
            Self::OverloadLoss | Self::RemoteLoss | Self::EcmPenalty => (0.0, 100.0),
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

    /// What it means, in one or two sentences.
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
                "A remote thread (fair-port: a link) has this many times the right of a local one at a controller."
            }
            Self::EcmPenalty => {
                "p0 / T_mem: the latency that each further thread adds on a busy controller, in units of the time the \
                 controller needs for a line."
            }
        }
    }

    /// Where it comes from.
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
        }
    }

    /// Whether a model looks at it.
    pub const fn is_used_by(self, kind: ModelKind) -> bool {
        match self {
            // Remote first leaves nothing to weigh.
            Self::RemoteWeight => !matches!(kind, ModelKind::BaselineProportional),
            Self::EcmPenalty => matches!(kind, ModelKind::Ecm),
            _ => true,
        }
    }
}

impl Parameters {
    /// The value of a parameter; `None` where it is off without a value.
    pub const fn get(&self, parameter: Parameter) -> Option<f64> {
        match parameter {
            Parameter::SaturationKnee => Some(self.saturation_knee),
            Parameter::OverloadLoss => Some(self.overload_loss),
            Parameter::CoreLocal => self.core_local_gbs,
            Parameter::CoreRemote => self.core_remote_gbs,
            Parameter::OutstandingLines => self.outstanding_lines,
            Parameter::LinkEfficiency => Some(self.link_efficiency),
            Parameter::RemoteLoss => Some(self.remote_loss),
            Parameter::RemoteWeight => Some(self.remote_weight),
            Parameter::EcmPenalty => Some(self.ecm_penalty),
        }
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`ParameterError`] if it cannot have this value; nothing is changed then.
    pub fn set(&mut self, parameter: Parameter, value: f64) -> Result<(), ParameterError> {
        let (low, high) = parameter.range();
        if !(low..=high).contains(&value) {
            return Err(ParameterError { parameter, value });
        }
        let value = value + 0.0; // -0.0 is 0
        match parameter {
            Parameter::SaturationKnee => self.saturation_knee = value,
            Parameter::OverloadLoss => self.overload_loss = value,
            Parameter::CoreLocal => self.core_local_gbs = Some(value),
            Parameter::CoreRemote => self.core_remote_gbs = Some(value),
            Parameter::OutstandingLines => self.outstanding_lines = Some(value),
            Parameter::LinkEfficiency => self.link_efficiency = value,
            Parameter::RemoteLoss => self.remote_loss = value,
            Parameter::RemoteWeight => self.remote_weight = value,
            Parameter::EcmPenalty => self.ecm_penalty = value,
        }
        Ok(())
    }

    /// Switches a parameter off.
    pub fn reset(&mut self, parameter: Parameter) {
        let off = Self::default();
        match parameter {
            Parameter::SaturationKnee => self.saturation_knee = off.saturation_knee,
            Parameter::OverloadLoss => self.overload_loss = off.overload_loss,
            Parameter::CoreLocal => self.core_local_gbs = None,
            Parameter::CoreRemote => self.core_remote_gbs = None,
            Parameter::OutstandingLines => self.outstanding_lines = None,
            Parameter::LinkEfficiency => self.link_efficiency = off.link_efficiency,
            Parameter::RemoteLoss => self.remote_loss = off.remote_loss,
            Parameter::RemoteWeight => self.remote_weight = off.remote_weight,
            Parameter::EcmPenalty => self.ecm_penalty = off.ecm_penalty,
        }
    }

    /// The parameters that are not off, with their values.
    pub fn in_use(&self) -> impl Iterator<Item = (Parameter, f64)> + '_ {
        Parameter::ALL.into_iter().filter_map(|parameter| {
            let value = self.get(parameter)?;
            (Some(value) != parameter.default()).then_some((parameter, value))
        })
    }

    /// Whether any of the three ceilings on a thread is set.
    pub(super) const fn have_ceilings(&self) -> bool {
        self.core_local_gbs.is_some() || self.core_remote_gbs.is_some() || self.outstanding_lines.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_found_by_its_key_and_starts_off() {
        for parameter in Parameter::ALL {
            assert_eq!(Parameter::from_key(parameter.key()), Some(parameter));
            assert_eq!(Parameters::default().get(parameter), parameter.default());
        }
        assert_eq!(Parameters::default().in_use().count(), 0);
    }

    #[test]
    fn what_is_set_is_got_and_can_be_switched_off() {
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
    fn values_out_of_range_are_refused_in_words() {
        let mut parameters = Parameters::default();
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(parameters.set(Parameter::SaturationKnee, wrong).is_err(), "{wrong}");
        }
        let error = parameters.set(Parameter::LinkEfficiency, 2.0).unwrap_err();
        assert_eq!(error.to_string(), "`link_efficiency` must be a number from 0.001 to 1, not 2");
        assert_eq!(parameters, Parameters::default());
    }
}

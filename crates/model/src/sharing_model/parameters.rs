//! Values of the corrections.

use super::parameter::Parameter;
use crate::bounds;

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
        if bounds::outside(value, low, high).is_some() {
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
    pub(crate) const fn have_ceilings(&self) -> bool {
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

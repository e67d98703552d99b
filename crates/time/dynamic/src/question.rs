//! What is simulated.

use numasim_engine::SimTime;
use numasim_model::{AppId, Data, Placement, Study};
use numasim_policy::Policy;

use crate::error::{SimulateError, is_too_short};

/// Who decides how many threads may run.
pub enum Controller<'a> {
    /// Nobody: every thread may run.
    Nobody,
    /// The `[[command]]` tables of the study; every thread may run until then.
    Script,
    /// A policy; applications that arrive are blocked until its first order.
    Policy(&'a mut dyn Policy),
}

/// What is simulated.
pub struct Question<'a> {
    /// Machine, applications and what they do.
    pub study: &'a Study,
    /// Who decides.
    pub controller: Controller<'a>,
    /// Data of each application in place of its own, such as that of a scenario; phases with data of their own keep it
    /// ([`Phase::data_with`](numasim_model::dynamics::Phase::data_with)).
    pub data: Option<&'a [Data]>,
    /// Of the work of tasks, where it is spread.
    pub seed: u64,
    /// Ends the simulation; what ends at that instant still counts.
    pub until: Option<SimTime>,
}

impl Question<'_> {
    /// Refuses a policy that is asked more often than times are told apart.
    ///
    /// # Errors
    /// [`SimulateError::PeriodTooShort`].
    pub(crate) fn check_period(&self) -> Result<(), SimulateError> {
        let period = self.study.dynamics.policy.period;
        let is_asked = matches!(self.controller, Controller::Policy(_));
        if is_asked && is_too_short(period) {
            return Err(SimulateError::PeriodTooShort { period });
        }
        Ok(())
    }

    /// Where the data of each phase of each application lies.
    ///
    /// # Errors
    /// [`SimulateError`] if work is missing, or the home of data is open.
    pub(crate) fn placements(&self) -> Result<Vec<Vec<Placement>>, SimulateError> {
        let courses = &self.study.dynamics.courses;
        let without_work: Vec<AppId> = (0..self.study.apps.len())
            .filter(|&app| courses.get(app).is_none_or(|course| course.total_work().is_none()))
            .map(AppId)
            .collect();
        if !without_work.is_empty() {
            return Err(SimulateError::NoWork { apps: without_work });
        }
        let of = |(app, course): (usize, &numasim_model::dynamics::Course)| {
            let other = self.data.and_then(|data| data.get(app));
            let placements = course.phases.iter().map(|phase| {
                let data = phase.data_with(other);
                data.placement().cloned().ok_or(SimulateError::OpenHome { app: AppId(app) })
            });
            placements.collect()
        };
        courses.iter().enumerate().map(of).collect()
    }
}

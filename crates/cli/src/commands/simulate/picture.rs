//! `--plot`: the simulation alone, or below the run that it is compared with.

use numasim_dynamic::{Observer, StripRecorder};
use numasim_model::Study;

use super::compared::Compared;
use crate::failure::Failure;
use crate::view::plots::{self, Course, CourseRecorder, Other};
use crate::view::simulated::Simulated;

/// A picture whose simulation is under way.
pub(super) enum Picture<'a> {
    Alone(StripRecorder),
    Beside { recorder: CourseRecorder, compared: &'a Compared, course: Course },
}

impl<'a> Picture<'a> {
    /// Reads what a comparison needs.
    ///
    /// # Errors
    /// The files of the run are not there, or not what they should be.
    pub(super) fn of(study: &Study, compared: Option<&'a Compared>) -> Result<Self, Failure> {
        Ok(match compared {
            None => Self::Alone(StripRecorder::new(study)),
            Some(compared) => {
                let course = compared.course(study)?;
                Self::Beside { recorder: CourseRecorder::new(study), compared, course }
            }
        })
    }

    /// Who looks on at the simulation.
    pub(super) fn observer(&mut self) -> &mut dyn Observer {
        match self {
            Self::Alone(recorder) => recorder,
            Self::Beside { recorder, .. } => recorder,
        }
    }

    /// The picture of a simulation that is over.
    pub(super) fn svg(self, study: &Study, simulated: &Simulated, files: &[String]) -> String {
        let end = simulated.run.time;
        match self {
            Self::Alone(recorder) => plots::strips(study, simulated, &recorder.finish(end), files).svg(),
            Self::Beside { recorder, compared, course } => {
                let folder = compared.folder.display().to_string();
                let other = Other { measured: &compared.measured, folder: &folder, course: &course };
                plots::timelines(study, simulated, &recorder.finish(end), &other, files).svg()
            }
        }
    }
}

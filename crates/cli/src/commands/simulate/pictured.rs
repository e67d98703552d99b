//! Simulations with what a picture of them needs, for the page of `report`.

use numasim_dynamic::{SimulateError, StripRecorder, Strips};
use numasim_model::Study;
use numasim_policy::PolicyName;

use super::running::{Ended, Job};
use crate::view::figures;
use crate::view::simulated::Simulated;

/// A simulation, with its cores and items over time.
pub(crate) struct Pictured {
    pub(crate) simulated: Simulated,
    pub(crate) strips: Strips,
}

/// Simulates with one policy.
///
/// # Errors
/// Why there is no result, in words.
pub(crate) fn pictured(study: &Study, policy: &PolicyName, until_s: Option<f64>) -> Result<Pictured, String> {
    let job = Job { study, policy, seed: 1, until_s };
    let mut recorder = StripRecorder::new(study);
    let run = job.run(&mut recorder, &|| false).map_err(|ended| in_words(study, &ended))?;
    let strips = recorder.finish(run.time);
    Ok(Pictured { simulated: job.with(run), strips })
}

/// Why there is no result.
pub(crate) fn in_words(study: &Study, ended: &Ended) -> String {
    match ended {
        Ended::Unmade(error) => error.to_string(),
        Ended::Failed(SimulateError::Deadlock(deadlock)) => {
            let stuck = deadlock.stuck.iter().map(|stuck| study.apps[stuck.app.0].name.as_str());
            format!(
                "a deadlock after {} s, in which these cannot go on: {}",
                figures::rounded(deadlock.time.value()),
                stuck.collect::<Vec<_>>().join(", ")
            )
        }
        Ended::Failed(SimulateError::Impossible { app, why }) => {
            format!("it ordered what '{}' cannot do: {why}", study.apps[app.0].name)
        }
        Ended::Failed(error) => error.to_string(),
    }
}

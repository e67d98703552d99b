//! Simulations with what a picture of them needs, for the page of `report`.

use numasim_ask::over_time::in_words;
use numasim_dynamic::{Job, StripRecorder, Strips};
use numasim_model::Study;
use numasim_policy::PolicyName;

use crate::view::simulated::Simulated;
use crate::watch;

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
    Ok(Pictured { simulated: Simulated::of(&job, job.with(run, &watch::interrupted)), strips })
}

//! Doubts that a plan raises before anything is measured.

use numasim_model::cpus::CpuList;

use super::Doubt;
use crate::plan::Plan;

/// What is doubtful about a plan with so much data for each thread of a synthetic kernel, in the order of its scenarios. `cache_bytes` tells how much all
/// last-level caches of some threads hold together; `processor` is the model of the one here, where it is known.
pub fn planned(
    plan: &Plan,
    bytes_per_thread: u64,
    processor: Option<&str>,
    cache_bytes: impl Fn(&[&CpuList]) -> Option<u64>,
) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let all = plan.scenarios.iter().flat_map(|scenario| &scenario.apps).flat_map(|app| &app.threads);
    if let Some(cpus) = all.map(|thread| thread.cpus.as_slice().len()).max().filter(|&cpus| cpus > 1) {
        doubts.push(Doubt::NotPinned { cpus });
    }
    if !plan.unavailable.is_empty() {
        doubts.push(Doubt::TunedElsewhere { kernels: plan.unavailable.clone() });
    }
    if let Some((processor, here)) =
        plan.tried_on.as_deref().zip(processor).filter(|(tried, here)| tried != here)
    {
        doubts.push(Doubt::TriedElsewhere { processor: processor.to_owned(), here: here.to_owned() });
    }
    for scenario in &plan.scenarios {
        for app in &scenario.apps {
            let threads: Vec<&CpuList> = app.threads.iter().map(|thread| &thread.cpus).collect();
            let both = app.data_bytes(bytes_per_thread).zip(cache_bytes(&threads));
            if let Some((bytes, cache_bytes)) = both.filter(|(bytes, cache)| bytes <= cache) {
                let (scenario, app) = (scenario.name.clone(), app.name.clone());
                doubts.push(Doubt::FitsCache { scenario, app, bytes, cache_bytes });
            }
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use numasim_model::{Access, Scenario};

    use super::*;
    use crate::plan::tests::{PAPER, host, study};
    use crate::plan::{self, Unavailable};
    use numasim_kernels::isa::Isa;

    #[test]
    fn ways_of_another_processor_are_a_doubt_about_everything_measured() {
        let study =
            study(&format!("{PAPER}[[scenario]]\nname = \"lone\"\nthreads = {{ \"mem-1\" = [1,0,0,0] }}\n"));
        let scenarios: Vec<&Scenario> = study.scenarios.iter().filter(|s| s.name == "lone").collect();
        let options = plan::Options::default();
        let mut plan = plan::make(&study, &scenarios, &host(&[4]), &options).expect("a plan");
        let tuned = |doubts: Vec<Doubt>| doubts.into_iter().find(|doubt| doubt.code() == "tuned-elsewhere");
        assert_eq!(tuned(planned(&plan, 1 << 30, Some("here"), |_| None)), None);
        let lacking = |access| Unavailable { access, isa: Isa::Avx512 };
        plan.unavailable = vec![lacking(Access::Read), lacking(Access::Triad)];
        let doubt = tuned(planned(&plan, 1 << 30, Some("here"), |_| None)).expect("a doubt");
        assert_eq!(
            doubt.to_string(),
            "the machine file's ways of kernels through memory were chosen on another processor: read with avx512, \
             triad with avx512, which this one lacks; they go the usual way"
        );
        assert!(doubt.holds_for("any", "any") && doubt.advice().contains("numasim calibrate"));
    }

    #[test]
    fn ways_that_were_tried_on_another_model_of_processor_are_a_doubt() {
        let study =
            study(&format!("{PAPER}[[scenario]]\nname = \"lone\"\nthreads = {{ \"mem-1\" = [1,0,0,0] }}\n"));
        let scenarios: Vec<&Scenario> = study.scenarios.iter().filter(|s| s.name == "lone").collect();
        let mut plan =
            plan::make(&study, &scenarios, &host(&[4]), &plan::Options::default()).expect("a plan");
        // No way of the file is used: nothing was tried.
        assert_eq!(plan.tried_on, None);
        plan.tried_on = Some("Xeon 6138".to_owned());
        let of = |here: Option<&str>| {
            planned(&plan, 1 << 30, here, |_| None).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(of(None).is_empty() && of(Some("Xeon 6138")).is_empty());
        assert_eq!(
            of(Some("EPYC 9654")),
            [
                "the machine file's ways of kernels through memory were tried on another processor (Xeon 6138; here: EPYC 9654): others \
              may be faster here"
            ]
        );
    }
}

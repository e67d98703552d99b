//! Why a measurement cannot be compared, in words.

use numasim_evidence::compare::{Mismatch, Unmatched};

use crate::suggest;

/// Why one measurement cannot be compared, and what to do.
pub(crate) fn reason(one: &Unmatched) -> String {
    let scenario = &one.scenario;
    let app = one.app.as_deref().unwrap_or_default();
    let meant = |near: &Option<String>| {
        near.as_ref().map_or(String::new(), |near| format!("; did you mean '{near}'?"))
    };
    match &one.why {
        Mismatch::UnknownScenario(near) => format!("no file has a scenario '{scenario}'{}", meant(near)),
        Mismatch::UnknownApp(near) => format!("no file has an application '{app}'{}", meant(near)),
        Mismatch::SeveralInstances(instances) => {
            let instances: Vec<&str> = instances.iter().map(String::as_str).collect();
            format!("'{app}' has several instances; name {}", suggest::one_of(&instances))
        }
        Mismatch::NoThreads => format!("'{app}' has no threads in scenario '{scenario}'"),
        Mismatch::OtherThreads { node, measured, wanted, fitted } => {
            let why = if *fitted {
                "the benchmark scaled the scenario to its host: compare with a file for that host"
            } else {
                "compare with the file that was measured"
            };
            format!(
                "'{app}' in '{scenario}' was measured with {measured} threads on node {node}, the file says {wanted}; {why}"
            )
        }
        Mismatch::NothingCounts => format!("no repetition of '{app}' in '{scenario}' is usable"),
    }
}

//! What `run` cannot do, shown where it stands in the files.

use numasim_model::Study;
use numasim_policy::PolicyName;
use numasim_study::{Problem, ProblemKind};

use crate::failure::Failure;
use numasim_ask::located::Located;

/// The policy of the command line, else of the files, else `fair-share`.
///
/// # Errors
/// A name in the files that no policy has, and `script`: commands have times of a simulation.
pub(super) fn policy(
    asked: Option<&PolicyName>,
    study: &Study,
    located: &Located,
) -> Result<PolicyName, Failure> {
    let policy = match asked {
        Some(policy) => policy.clone(),
        None if study.dynamics.policy.name.is_none() => PolicyName::FairShare,
        None => numasim_ask::over_time::policy_of_files(study, located)?,
    };
    if policy == PolicyName::Script {
        return Err(Failure::input(
            "policy script is for `numasim simulate`: an agent has no list of commands",
        )
        .hint("name another one with --policy"));
    }
    Ok(policy)
}

/// Refuses real kernels: what an application does here is made of tasks of any size, with a synthetic kernel.
///
/// # Errors
/// The first of them.
pub(super) fn kernels_are_synthetic(study: &Study, located: &Located) -> Result<(), Failure> {
    let alone = |app: usize| study.dynamics.courses.get(app).is_some_and(|course| course.command.is_some());
    for (number, app) in study.apps.iter().enumerate() {
        let Some(problem) = app.problem.filter(|_| !alone(number)) else { continue };
        let (name, kernel) = (&app.group, problem.kernel().as_str());
        let message =
            format!("the kernel {kernel} of `{name}` is measured by `numasim bench`; `run` has tasks");
        let problem = Problem::new(ProblemKind::BadValue, message).hint(
            "write `kernel = \"read\"`, \"copy\", \"triad\" or \"update\" with an `arithmetic_intensity`, or the `command` of a program",
        );
        return Err(located
            .refusal(&[match located.app_places(name) {
                Some(places) => problem.at(places.name.clone(), format!("its kernel is {kernel}")),
                None => problem,
            }])
            .into());
    }
    Ok(())
}

/// Refuses programs of their own that others wait for: nobody outside knows their iterations.
///
/// # Errors
/// The first of them.
pub(super) fn programs_stand_alone(study: &Study, located: &Located) -> Result<(), Failure> {
    let channels = study.dynamics.channels.iter().map(|channel| [channel.from, channel.to]);
    let calls = study.dynamics.calls.iter().map(|call| [call.from, call.to]);
    for app in channels.chain(calls).flatten() {
        let course = study.dynamics.courses.get(app.0);
        if course.is_none_or(|course| course.command.is_none()) {
            continue;
        }
        let Some(name) = study.apps.get(app.0).map(|app| app.group.as_str()) else { continue };
        let message = format!("`{name}` is a program of its own, and nobody outside knows its iterations");
        let problem = Problem::new(ProblemKind::BadValue, message).hint(
            "leave out its [[channel]] and [[call]], or its `command`: then its tasks are those of numasim",
        );
        return Err(located
            .refusal(&[match located.app_places(name) {
                Some(places) => problem.at(places.name.clone(), "in a channel or a call"),
                None => problem,
            }])
            .into());
    }
    Ok(())
}

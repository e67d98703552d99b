//! How the numbers of what happens over time are found and changed in a study.

use numasim_model::dynamics::{Call, Channel, Course, Phase, Work};
use numasim_model::ids::NodeId;
use numasim_model::scenario::Study;
use numasim_model::units::{FlopPerByte, Gflop};

/// Where a number over time is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The application instance, channel or call; 0 for what there is one of.
    pub of: usize,
    /// The phase of the application.
    pub phase: usize,
}

/// A number of what happens over time, in a study.
#[derive(Clone, Copy, Debug)]
pub struct OverTime {
    /// Reads it; `None` where nothing is said of it.
    pub get: fn(&Study, At) -> Option<f64>,
    /// Replaces it by a number in its range; `None` where there is no such application, channel or call.
    pub put: fn(&mut Study, At, f64) -> Option<()>,
}

/// A count in its range as a number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the range of its key")]
pub(super) const fn whole(value: f64) -> u64 {
    value as u64
}

pub(super) fn course(study: &Study, at: At) -> Option<&Course> {
    study.dynamics.courses.get(at.of)
}

pub(super) fn course_mut(study: &mut Study, at: At) -> Option<&mut Course> {
    study.dynamics.courses.get_mut(at.of)
}

pub(super) fn phase(study: &Study, at: At) -> Option<&Phase> {
    course(study, at)?.phases.get(at.phase)
}

pub(super) fn phase_mut(study: &mut Study, at: At) -> Option<&mut Phase> {
    course_mut(study, at)?.phases.get_mut(at.phase)
}

pub(super) fn channel(study: &mut Study, at: At) -> Option<&mut Channel> {
    study.dynamics.channels.get_mut(at.of)
}

pub(super) fn call(study: &mut Study, at: At) -> Option<&mut Call> {
    study.dynamics.calls.get_mut(at.of)
}

/// The only phase of an application has its intensity.
pub(super) fn put_intensity(study: &mut Study, at: At, value: f64) -> Option<()> {
    let alone = course(study, at)?.phases.len() == 1;
    phase_mut(study, at)?.arithmetic_intensity = FlopPerByte::new(value);
    if alone {
        study.apps.get_mut(at.of)?.arithmetic_intensity = FlopPerByte::new(value);
    }
    Some(())
}

/// Threads on every node that has cores and that the application may use.
pub(super) fn put_threads(study: &mut Study, at: At, value: f64) -> Option<()> {
    let count = u32::try_from(whole(value)).unwrap_or(u32::MAX);
    let (app, course) = (study.apps.get(at.of)?, study.dynamics.courses.get_mut(at.of)?);
    for (node, (there, threads)) in study.machine.nodes().iter().zip(&mut course.threads).enumerate() {
        let may = app.nodes.as_ref().is_none_or(|nodes| nodes.contains(&NodeId(node)));
        *threads = if may && there.cores > 0 { count } else { 0 };
    }
    Some(())
}

/// Work of all iterations together, where the file gives that.
pub(super) fn total_work(study: &Study, at: At) -> Option<f64> {
    let phase = phase(study, at).filter(|phase| phase.total_given)?;
    Some(phase.work.as_ref()?.total().value() * course(study, at)?.iterations as f64)
}

/// Takes the place of the work of tasks.
pub(super) fn put_total_work(study: &mut Study, at: At, value: f64) -> Option<()> {
    let iterations = course(study, at)?.iterations as f64;
    let phase = phase_mut(study, at)?;
    phase.work =
        Some(Work::of_iteration(Gflop::new(value / iterations), phase.work.as_ref().and_then(Work::tasks)));
    phase.total_given = true;
    Some(())
}

/// Work of each task, where the file gives that.
pub(super) fn task_work(study: &Study, at: At) -> Option<f64> {
    match &phase(study, at)?.work {
        Some(Work::Tasks { each, .. }) if !phase(study, at)?.total_given => Some(each.first()?.value()),
        _ => None,
    }
}

/// Takes the place of the work of all iterations.
pub(super) fn put_task_work(study: &mut Study, at: At, value: f64) -> Option<()> {
    let phase = phase_mut(study, at)?;
    let count = phase.work.as_ref().and_then(Work::tasks).unwrap_or(1);
    phase.work = Some(Work::Tasks { count, each: vec![Gflop::new(value)] });
    phase.total_given = false;
    Some(())
}

/// Work that is given for all tasks together is cut into so many.
pub(super) fn put_tasks(study: &mut Study, at: At, value: f64) -> Option<()> {
    let phase = phase_mut(study, at)?;
    match &mut phase.work {
        Some(Work::Tasks { count, .. }) if !phase.total_given => *count = whole(value),
        Some(work) => *work = Work::of_iteration(work.total(), Some(whole(value))),
        None => {}
    }
    Some(())
}

//! What plots show of a machine and of an evaluated scenario: from the values of the model to plain figures.

mod compared;
mod front;
mod machine;
mod strips;
#[cfg(test)]
mod tests;
mod timelines;

pub(crate) use compared::{bars, scatter};
pub(crate) use front::front;
pub(crate) use machine::{matrix, roofline};
pub(crate) use numasim_ask::thread_map::{machine_map, thread_map};
pub(crate) use strips::{node_groups, strips, summed, time_unit};
pub(crate) use timelines::{Course, CourseRecorder, Other, timelines};

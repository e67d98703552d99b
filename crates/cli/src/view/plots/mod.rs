//! What plots show of a machine and of an evaluated scenario: from the values of the model to plain figures.

mod compared;
mod heading;
mod machine;
mod published;
mod strips;
#[cfg(test)]
mod tests;
mod threads;
mod timelines;

pub(crate) use compared::{bars, scatter};
pub(crate) use machine::{matrix, roofline};
pub(crate) use published::published;
pub(crate) use strips::{node_groups, strips, summed, time_unit};
pub(crate) use threads::{machine_map, thread_map};
pub(crate) use timelines::{Course, CourseRecorder, Other, timelines};

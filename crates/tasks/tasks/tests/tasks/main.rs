//! Simulations of small graphs, by hand.

mod advice;
mod arenas;
mod caches;
mod common;
mod contenders;
mod creation;
mod dep;
mod durations;
mod edges;
mod hint;
mod idling;
mod instants;
mod latency;
mod placement;
mod plan;
mod priorities;
mod profile;
mod references;
mod rip;
mod static_loops;
mod stealing;
mod taskloop_affinity;
mod tbb;
mod trees;
mod wavefront;

//! Simulations of small graphs, by hand.

mod caches;
mod common;
mod contenders;
mod dep;
mod durations;
mod edges;
mod hint;
mod idling;
mod instants;
mod latency;
mod placement;
mod profile;
mod references;
mod rip;
mod stealing;
mod tbb;
mod trees;
mod wavefront;

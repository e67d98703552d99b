//! Simulations of small graphs, by hand.

mod caches;
mod common;
mod dep;
mod durations;
mod edges;
mod idling;
mod instants;
mod latency;
mod placement;
mod profile;
mod references;
mod rip;
mod stealing;
mod wavefront;

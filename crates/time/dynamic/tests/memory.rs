//! A long simulation needs no more memory than a short one.
//!
//! The only test in its process, so that nothing else allocates meanwhile.

#![allow(unsafe_code, reason = "an allocator that counts; every call is handed on to that of the system")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use numasim_course::Os;
use numasim_dynamic::{Controller, Question, Silent, simulate};
use numasim_model::order::Order;
use numasim_model::units::Seconds;

#[path = "dynamic/common.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod common;

use common::*;

#[global_allocator]
static COUNTED: Counted = Counted;

/// Bytes in use, and their maximum.
static BYTES: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counted;

impl Counted {
    fn add(bytes: usize) {
        let now = BYTES.fetch_add(bytes, Relaxed) + bytes;
        MOST.fetch_max(now, Relaxed);
    }
}

// SAFETY: every call is passed on to `System` unchanged, and the result of `System` is returned.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        // SAFETY: the guarantee of the caller is the one that `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above; all memory of this allocator is from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The maximum of additional bytes, and the number of events, of a study with all features that repeat.
fn most_bytes(iterations: u64) -> (usize, u64) {
    let (producer, mut first) = app("producer", 10.0, tasks(4, &[1.0, 2.0, 0.5]), 2, 3);
    let (consumer, mut second) = app("consumer", 0.5, divisible(2.0), 2, 2);
    let (library, mut third) = app("library", 1.0, tasks(3, &[1.0]), 2, 2);
    first.phases[0].io = Seconds::new(0.01);
    first.task_spread = 0.5;
    (first.iterations, second.iterations, third.iterations) = (iterations, iterations, iterations / 2);
    let apps = vec![(producer, first), (consumer, second), (library, third)];
    let mut study = study(machine(2, 4), apps);
    study.dynamics.os = Os::default();
    study.dynamics.channels = vec![channel(0, 1, Some(3))];
    study.dynamics.calls =
        vec![numasim_course::Call { from: numasim_model::AppId(1), to: numasim_model::AppId(2), every: 2 }];
    study.dynamics.commands = vec![command(1.0, 0, Order::PerNode(vec![1, 3]))];
    let before = BYTES.load(Relaxed);
    MOST.store(before, Relaxed);
    let question =
        Question { study: &study, controller: Controller::Script, data: None, seed: 1, until: None };
    let run = simulate(question, &mut Silent, &|| false).expect("runs");
    (MOST.load(Relaxed) - before, run.events)
}

#[test]
fn memory_does_not_grow_with_the_number_of_events() {
    let (short, few) = most_bytes(1000);
    let (long, many) = most_bytes(100_000);
    assert!(many > 1_000_000 && many > 90 * few, "{few} {many} events");
    // The same except for differences in the largest size of a set or queue.
    assert!(long <= short + short / 4, "{short} bytes for {few} events, {long} for {many}");
}

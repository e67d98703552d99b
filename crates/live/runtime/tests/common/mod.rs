//! Pools of a few workers, and waiting.

use std::any::Any;
use std::time::{Duration, Instant};

use numasim_runtime::{Bind, Layout, Pool, PoolNode, join};

/// This number, or fewer under Miri, which is slow.
#[allow(dead_code, reason = "not every test program has a use for it")]
pub(crate) const fn many(count: usize) -> usize {
    if cfg!(miri) { count.isqrt() } else { count }
}

/// Nodes with these workers, as many cores as workers, bound to nothing.
pub(crate) fn pool(workers: &[usize]) -> Pool {
    let node = |&workers: &usize| PoolNode { workers, cores: workers, cpus: None };
    let nodes = workers.iter().map(node).collect();
    Pool::new(Layout::new(nodes, Bind::None).expect("a layout")).expect("threads")
}

/// Waits for a condition that must become true, with a generous limit: a slow machine is no failure.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Many small tasks.
pub(crate) fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// The message of a panic.
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    payload.downcast_ref::<&str>().copied().unwrap_or_default()
}

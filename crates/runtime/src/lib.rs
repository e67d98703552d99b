//! A task runtime: workers bound to cores or NUMA nodes, whose number an agent may change while tasks run.
//!
//! ```
//! use numasim_runtime::{Layout, Order, Pool};
//!
//! let pool = Pool::new(Layout::unbound(4)?)?;
//! pool.order(&Order::Total(2))?; // two of them park as soon as they are between two tasks
//! let (a, b) = pool.join(|| 6 * 7, || "in parallel");
//! assert_eq!((a, b), (42, "in parallel"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod barrier;
mod gate;
mod job;
mod latch;
mod layout;
mod order;
mod serve;
mod sync;

#[cfg(not(loom))]
mod client;
#[cfg(not(loom))]
mod fork_join;
#[cfg(not(loom))]
mod loops;
#[cfg(not(loom))]
mod pool;
#[cfg(not(loom))]
mod said;
#[cfg(not(loom))]
mod scope;
#[cfg(not(loom))]
mod shared;
#[cfg(not(loom))]
mod worker;

#[cfg(not(loom))]
pub use client::Agent;
#[cfg(not(loom))]
pub use fork_join::join;
pub use layout::{Bind, HostError, Layout, LayoutError, PoolNode};
pub use numasim_protocol::{Control, Waiting};
pub use order::{Order, OrderError};
#[cfg(not(loom))]
pub use pool::{Pool, PoolError, PoolStatus};
#[cfg(not(loom))]
pub use scope::Scope;

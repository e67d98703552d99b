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
//!
//! # Tasks
//! A task runs to its end on one worker; nothing is preempted. [`Pool::spawn`] has tasks run that nobody waits for,
//! [`Pool::scope`] waits for tasks that borrow, [`join`] runs two halves without allocation, [`Pool::for_each`] a range of
//! numbers in blocks. Each worker has a deque: it takes its own tasks last in first out; others steal first in first out, inside
//! the node first, then from the nearest one. [`Pool::spawn_on`] and [`Scope::spawn_on`] say at which node a task is offered
//! first. A worker that waits inside a task runs other tasks meanwhile, as far as it may.
//!
//! [`Pool::dispatch`] leaves it to a [`Dispatcher`] which worker runs which task, and nobody steals: for schedulers that have queues
//! of their own.
//!
//! # Orders
//! An [`Order`] says how many workers may run, or which ([`Layout`] says where they are). Each looks at a flag of its own before
//! it fetches a task; those that are too many park there, idle ones at once, others after their task, and nobody begins a task
//! that the order does not allow: running workers are at most as many as ordered, or as are still inside a task that they
//! fetched before. Raising an order wakes the missing ones at once. A task that waits for others goes on when they are done,
//! even on a worker that is too many: another one parks instead. With no worker at all tasks wait until an order raises them;
//! the end of an agent, and of the pool, do so too.
//!
//! # Agent
//! [`Pool::with_agent`] keeps up a connection to `numasim agent`: the environment says where ([`Agent::of_environment`]).
//! Orders are obeyed and acknowledged as they come, by a thread of their own. [`Pool::progress`], [`Pool::waiting`] and
//! [`Pool::phase`] are what policies know of a program beside what its workers do. A child of fork has neither workers nor agent.
//!
//! The kinds of orders are options 1 to 3 of paper 002, section II. Unlike in OCR-Vx, whoever raises an order picks the workers
//! that it wakes, so that none can be too many.

mod barrier;
mod gate;
mod job;
mod latch;
mod layout;
mod serve;
mod sync;

#[cfg(not(loom))]
mod client;
#[cfg(not(loom))]
mod dispatch;
#[cfg(not(loom))]
mod pool;
#[cfg(not(loom))]
mod posted;
#[cfg(not(loom))]
mod said;
#[cfg(not(loom))]
mod scope;
#[cfg(not(loom))]
mod shared;
#[cfg(not(loom))]
mod worker;

#[cfg(not(loom))]
pub use dispatch::Dispatcher;
pub use layout::{Bind, HostError, Layout, LayoutError, OrderError, PoolNode, WorkerId};
#[cfg(not(loom))]
pub use numasim_client::Agent;
pub use numasim_model::order::{Control, Order, Waiting};
#[cfg(not(loom))]
pub use pool::{Pool, PoolError, PoolStatus};
#[cfg(not(loom))]
pub use scope::{Scope, join};

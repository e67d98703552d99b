//! A task runtime: workers bound to cores or NUMA nodes, whose number an agent may change while tasks run.
//!
//! ```
//! use numasim_runtime::{Layout, Order, Pool};
//!
//! let pool = Pool::new(Layout::unbound(4)?)?;
//! pool.order(&Order::Total(2))?; // two workers park as soon as they are between two tasks
//! let (a, b) = pool.join(|| 6 * 7, || "in parallel");
//! assert_eq!((a, b), (42, "in parallel"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Tasks
//! A task runs to its end on one worker; nothing is preempted. [`Pool::spawn`] runs tasks without waiting for them, [`Pool::scope`] waits
//! for tasks that borrow, [`join`] runs two halves without allocation, and [`Pool::for_each`] runs a range of numbers in blocks. Each
//! worker has a deque. It takes its own tasks last in first out; others steal first in first out, inside the node first, then from the
//! nearest one. [`Pool::spawn_on`] and [`Scope::spawn_on`] set the node at which a task is offered first. A worker that waits inside a
//! task runs other tasks meanwhile, if the order permits.
//!
//! In [`Pool::dispatch`] a [`Dispatcher`] decides which worker runs which task, and no worker steals: for schedulers with separate
//! queues.
//!
//! # Orders
//! An [`Order`] determines how many workers may run, or which ([`Layout`] contains their places). Each worker checks a private flag
//! before it fetches a task. Surplus workers park there: idle ones immediately, others after their task. No worker begins a task that the
//! order does not allow: the number of running workers is at most the ordered one, or that of workers still inside a task that they
//! fetched before. Raising an order wakes the missing ones immediately. A task that waits for others continues when they are done, even
//! on a surplus worker: another one parks instead. With no worker at all, tasks wait until an order raises the number; the end of an
//! agent, and of the pool, also do so.
//!
//! # Agent
//! [`Pool::with_agent`] maintains a connection to `numasim agent`, whose socket the environment determines ([`Agent::of_environment`]). A
//! separate thread obeys and acknowledges orders as they come. [`Pool::progress`], [`Pool::waiting`] and [`Pool::phase`] report further
//! data about a program to policies, in addition to the states of its workers. A child of fork has neither workers nor agent.
//!
//! The kinds of orders are options 1 to 3 of paper 002, section II. Unlike in OCR-Vx, the thread that raises an order selects the workers
//! that it wakes, so that there can be no surplus.

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

//! Applications of a study as real processes on this host: each does its tasks with the kernels of the benchmark on the task
//! runtime, and they wait for each other over counts in shared memory.
//!
//! The process that starts them has a [`Family`]: it starts and watches them, and ends them however it ends itself. Each of them is
//! the same program again ([`APP_COMMAND`]), reads its [`Order`] and calls [`serve`]. What they do stands on the [`Board`], where the
//! starting process looks at it ([`Look`]) as often as it likes, without disturbing anybody.

mod app;
mod board;
mod channels;
mod family;
mod left;
mod look;
mod order;
mod program;
mod stock;
mod team;
mod work;

pub use app::{APP_COMMAND, serve};
pub use board::{Board, Extent};
pub use family::{Ended, Family, FamilyError, Outputs};
pub use left::Left;
pub use look::{AppLook, ChannelLook, DataPages, Look, NodeLook};
pub use order::{Input, Node, Order, Output, Phase, Program, Tasks};

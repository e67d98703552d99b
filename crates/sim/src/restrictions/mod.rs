//! What an allocation may not do, and why a question has no answer.

mod check;
mod infeasible;
mod placing;
mod rules;

pub use infeasible::Infeasible;
pub use rules::Restrictions;
pub(crate) use rules::may_hold;

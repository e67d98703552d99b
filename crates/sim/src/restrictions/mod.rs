//! What an allocation may not do, and why a question has no answer.

pub use check::Infeasible;
pub use rules::Restrictions;
pub(crate) use rules::may_hold;

mod check;
mod rules;

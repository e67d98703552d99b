//! What an allocation may not do, and why a question has no answer.

mod check;
mod placing;
mod rules;

pub use check::Infeasible;
pub use rules::Restrictions;
pub(crate) use rules::may_hold;

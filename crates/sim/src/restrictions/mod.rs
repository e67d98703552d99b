//! Constraints on an allocation, and the reasons why a question has no answer.

pub use check::Infeasible;
pub use rules::Restrictions;
pub(crate) use rules::may_hold;

mod check;
mod rules;

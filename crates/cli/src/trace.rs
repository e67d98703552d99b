//! What a policy saw and decided, as lines of JSON: written by a simulation or an agent, and asked of the policy again.

mod lines;
mod record;
pub(crate) mod replay;
mod writer;

pub(crate) use writer::{Of, TraceWriter};

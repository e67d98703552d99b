//! What a policy saw and decided, as lines of JSON: written by a simulation or an agent, and asked of the policy again.

#[cfg(target_os = "linux")]
mod agent;
mod host;
mod lines;
mod orders;
mod record;
pub(crate) mod replay;
mod writer;

#[cfg(target_os = "linux")]
pub(crate) use agent::AgentRecord;
#[cfg(target_os = "linux")]
pub(crate) use host::{has_machine, host_of};
pub(crate) use orders::orders;
pub(crate) use writer::{Of, TraceWriter};

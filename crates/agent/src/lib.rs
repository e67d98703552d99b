//! The agent: who is connected, what they say, and what a policy of `numasim-policy` makes of it.

pub mod load;
#[cfg(target_os = "linux")]
pub mod socket;

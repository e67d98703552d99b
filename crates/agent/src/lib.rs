//! The agent: who is connected, what they say, and what a policy of `numasim-policy` makes of it.

#[cfg(target_os = "linux")]
pub mod adopt;
pub mod load;
#[cfg(target_os = "linux")]
pub mod socket;
pub mod started;

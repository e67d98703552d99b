//! System calls of Linux that the standard library does not offer, each behind a safe function.

#![allow(unsafe_code, reason = "system calls; every block says why it is sound")]

pub mod fork;
pub mod mapping;
pub mod perf;
pub mod process;
pub mod shared;
pub mod thread;

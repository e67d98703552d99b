//! System calls of Linux that the standard library does not offer, each behind a safe function.

#![allow(unsafe_code, reason = "system calls; every block says why it is sound")]

pub mod child;
pub mod clock;
pub mod cpu;
pub mod faults;
pub mod futex;
pub mod group;
pub mod heap;
pub mod held;
pub mod mapping;
pub mod peer;
pub mod shared;

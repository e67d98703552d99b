//! System calls of Linux that the standard library does not offer, each behind a safe function.

#![allow(unsafe_code, reason = "system calls; every block says why it is sound")]

pub(crate) mod child;
pub(crate) mod clock;
pub(crate) mod cpu;
pub(crate) mod mapping;
pub(crate) mod shared;

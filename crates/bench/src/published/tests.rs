//! The summary figures that the README quotes.

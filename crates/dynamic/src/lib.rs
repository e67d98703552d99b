//! Applications over simulated time.

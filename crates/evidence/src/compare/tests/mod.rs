//! Reading measured files, and comparing them, against figures calculated by hand.

mod comparing;
mod reading;

//! numasim
fn main() {}

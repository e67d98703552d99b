//! numasim sim

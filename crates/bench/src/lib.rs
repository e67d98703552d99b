//! numasim bench

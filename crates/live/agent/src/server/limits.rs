//! How many files this process may have open: each connection is one.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the soft limit to the hard one. Where that fails, connections wait for room as before.
pub(super) fn raise() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

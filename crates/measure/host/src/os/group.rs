//! Groups of processes: a child with all that it started.

/// Asks every process of the group that this child leads to end.
pub fn terminate(leader: u32) {
    signal(leader, libc::SIGTERM);
}

/// Ends every process of the group that this child leads, if there is any.
pub fn kill(leader: u32) {
    signal(leader, libc::SIGKILL);
}

fn signal(leader: u32, signal: libc::c_int) {
    // 0 and 1 would be this process's own group and everybody.
    if let Some(leader) = libc::pid_t::try_from(leader).ok().filter(|&leader| leader > 1) {
        // SAFETY: numbers only. That nobody is left is no mistake.
        unsafe { libc::kill(-leader, signal) };
    }
}

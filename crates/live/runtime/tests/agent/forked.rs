//! A child of fork has no agent and no workers, and does not disturb its parent.
#![allow(unsafe_code, reason = "fork; every block says why it is sound")]

use super::fake::{Agents, until};
use super::{agent_of, pool_of};
use numasim_protocol::{Control, FromApp};

/// A copy of this process that runs `life` and exits; returns its process ID.
fn child(life: impl FnOnce()) -> libc::pid_t {
    // SAFETY: the child calls `life`, which allocates nothing and takes no lock that another thread may have held, and
    // leaves with _exit.
    match unsafe { libc::fork() } {
        0 => {
            life();
            // SAFETY: exits the child without running anything of the test.
            unsafe { libc::_exit(7) }
        }
        child => child,
    }
}

fn exit_status(child: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: writes one number.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    status
}

#[test]
fn a_child_does_not_keep_the_connection_of_its_parent_open() {
    let agents = Agents::listen();
    let pool = pool_of(&[1], agent_of(&agents, Control::Total));
    let mut agent = agents.accept();
    agent.hear();
    agent.welcome(false, 1000.0);
    agent.status();
    let path = agents.path();
    // The application's end is the one whose peer has the path; this process, which acts as the agent, has the other one.
    let open = || (3..256).filter(|&number| peer_is(number, path.as_bytes())).count();
    assert_eq!(open(), 1);
    let of_child = exit_status(child(|| {
        if open() > 0 {
            // SAFETY: as in `child`.
            unsafe { libc::_exit(8) }
        }
    }));
    assert_eq!(libc::WEXITSTATUS(of_child), 7, "8: it is open there");
    drop(pool);
    assert_eq!(agent.answer(), FromApp::Bye);
    until("the connection is closed", || agent.is_closed());
}

/// Whether this is the number of a socket that is connected to a socket of this path.
fn peer_is(number: i32, path: &[u8]) -> bool {
    // SAFETY: an address of zeros is one without a path.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    let mut length = libc::socklen_t::try_from(size_of_val(&address)).expect("small");
    // SAFETY: writes at most `length` bytes.
    let failed = unsafe { libc::getpeername(number, (&raw mut address).cast(), &raw mut length) };
    let found = address.sun_path.iter().map(|&byte| byte.cast_unsigned()).take_while(|&byte| byte != 0);
    failed == 0 && found.eq(path.iter().copied())
}

#[test]
fn a_child_that_drops_the_pool_of_its_parent_does_not_wait_for_threads_that_it_has_not() {
    let agents = Agents::listen();
    let mut pool = Some(pool_of(&[2], agent_of(&agents, Control::Total)));
    let mut agent = agents.accept();
    agent.hear();
    agent.welcome(false, 1000.0);
    agent.status();
    let child = child(|| drop(pool.take()));
    assert_eq!(libc::WEXITSTATUS(exit_status(child)), 7);
    assert_eq!(pool.expect("of the parent").install(|| 3), 3);
}

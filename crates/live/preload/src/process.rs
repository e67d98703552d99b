//! The only connection of this process: made at the first region, closed at exit, absent in children of fork.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use numasim_client::{Agent, Link};

use crate::environment::Wanted;
use crate::steering::Steering;

/// Before the first region.
const NEW: u8 = 0;
/// The agent steers the process.
const ON: u8 = 1;
/// No agent is wanted, or the process exits, or it is a child of fork.
const OFF: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(NEW);
static STEERING: OnceLock<Option<Arc<Steering>>> = OnceLock::new();
static LINK: Mutex<Option<Link>> = Mutex::new(None);

/// The steering of this process; `None` if it is not steered. The first call connects.
pub(crate) fn steering() -> Option<&'static Steering> {
    match STATE.load(Ordering::Acquire) {
        ON => STEERING.get()?.as_deref(),
        OFF => None,
        _ => {
            let steering = STEERING.get_or_init(start).as_deref();
            let state = if steering.is_some() { ON } else { OFF };
            let _ = STATE.compare_exchange(NEW, state, Ordering::AcqRel, Ordering::Acquire);
            steering
        }
    }
}

/// The same without connecting.
pub(crate) fn steering_already() -> Option<&'static Steering> {
    if STATE.load(Ordering::Acquire) == ON { STEERING.get()?.as_deref() } else { None }
}

fn start() -> Option<Arc<Steering>> {
    let without = |why: &dyn std::fmt::Display| {
        eprintln!("numasim: {why}; the program runs without an agent");
    };
    let wanted = Wanted::of_this_process().map_err(|why| without(&why)).ok()?;
    let agent = Agent::of_environment(wanted.control).map_err(|why| without(&why)).ok()??;
    let steering = Arc::new(Steering::new(wanted.nodes));
    let link = without_signals(|| Link::start(agent, steering.clone()));
    let link = link.map_err(|why| without(&why)).ok()?;
    *LINK.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
    // SAFETY: both functions live as long as the program: nothing unloads a preloaded library. In a child of fork the handler stores
    // one number, which is allowed there.
    unsafe {
        libc::atexit(at_exit);
        libc::pthread_atfork(None, None, Some(in_child));
    }
    Some(steering)
}

/// Calls a function whose threads receive no signals: signals of the program go to the program's threads.
fn without_signals<R>(function: impl FnOnce() -> R) -> R {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: `all` is filled by the first call and read by the second one, which fills `before`; neither can fail.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let result = function();
    // SAFETY: `before` was filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    result
}

/// Runs before the destructors of the wrapped libraries, since it was registered after they were loaded: from here on nothing calls them.
extern "C" fn at_exit() {
    if STATE.swap(OFF, Ordering::AcqRel) == ON {
        drop(LINK.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

extern "C" fn in_child() {
    STATE.store(OFF, Ordering::Release);
}

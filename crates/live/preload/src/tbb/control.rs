//! `tbb::global_control` with `max_allowed_parallelism`: as many threads as the order allows.

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use crate::next::{TBB, next};
use crate::process::steering_already;

/// `tbb::detail::d1::global_control`, the fields in their order.
#[repr(C)]
struct GlobalControl {
    value: usize,
    reserved: isize,
    /// 0 is `max_allowed_parallelism`.
    parameter: c_int,
}

/// What is in force.
struct InForce {
    /// This program uses oneTBB.
    used: bool,
    /// oneTBB has its address.
    control: Option<Box<GlobalControl>>,
}

static IN_FORCE: Mutex<InForce> = Mutex::new(InForce { used: false, control: None });

/// The program uses oneTBB from now on.
pub(super) fn begin() {
    IN_FORCE.lock().unwrap_or_else(PoisonError::into_inner).used = true;
    if let Some(steering) = steering_already() {
        allow(steering.allowed());
    }
}

/// Allows so many threads, the one of the program included: oneTBB has no 0, and the program's thread waits in that case before
/// its next work. `None` allows all.
pub(crate) fn allow(threads: Option<u32>) {
    type Entry = unsafe extern "C-unwind" fn(*mut GlobalControl);
    let mut in_force = IN_FORCE.lock().unwrap_or_else(PoisonError::into_inner);
    if !in_force.used {
        return;
    }
    let value = threads.map(|threads| threads.max(1) as usize);
    if in_force.control.as_ref().map(|control| control.value) == value {
        return;
    }
    let new = value.map(|value| {
        let mut control = Box::new(GlobalControl { value, reserved: 0, parameter: 0 });
        let create = next!(c"_ZN3tbb6detail2r16createERNS0_2d114global_controlE" in TBB, as Entry);
        // SAFETY: the object is as its constructor in the header leaves it, and stays in its place until it is destroyed below.
        unsafe { create(&raw mut *control) };
        control
    });
    // Of several controls the lowest counts: with the new one there first, no moment is without.
    if let Some(mut old) = std::mem::replace(&mut in_force.control, new) {
        let destroy = next!(c"_ZN3tbb6detail2r17destroyERNS0_2d114global_controlE" in TBB, as Entry);
        // SAFETY: it was made above, and is destroyed once.
        unsafe { destroy(&raw mut *old) };
    }
}

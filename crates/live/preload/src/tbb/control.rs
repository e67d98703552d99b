//! `tbb::global_control` with `max_allowed_parallelism`: as many threads as the order allows.

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use crate::next::{TBB, next};
use crate::steering::Steering;

/// `tbb::detail::d1::global_control`, the fields in their order.
#[repr(C)]
struct GlobalControl {
    value: usize,
    reserved: isize,
    /// 0 is `max_allowed_parallelism`.
    parameter: c_int,
}

/// The one in force; oneTBB has its address.
static IN_FORCE: Mutex<Option<Box<GlobalControl>>> = Mutex::new(None);

/// Allows as many threads as the order, including the program's thread. OneTBB does not accept 0: in that case the program's thread waits
/// before its next work.
pub(super) fn allow(steering: &Steering) {
    type Entry = unsafe extern "C-unwind" fn(*mut GlobalControl);
    let mut in_force = IN_FORCE.lock().unwrap_or_else(PoisonError::into_inner);
    // Called under the lock: of two calls the last one has the newest order.
    let value = steering.allowed().map(|threads| threads.max(1) as usize);
    if in_force.as_ref().map(|control| control.value) == value {
        return;
    }
    let new = value.map(|value| {
        let mut control = Box::new(GlobalControl { value, reserved: 0, parameter: 0 });
        let create = next!(c"_ZN3tbb6detail2r16createERNS0_2d114global_controlE" in TBB, as Entry);
        // SAFETY: the object is in the state in which its constructor in the header leaves it, and stays in its place until it is
        // destroyed below.
        unsafe { create(&raw mut *control) };
        control
    });
    // Of several controls the lowest counts: the new one exists before the old one is destroyed, so there is always one.
    if let Some(mut old) = std::mem::replace(&mut *in_force, new) {
        let destroy = next!(c"_ZN3tbb6detail2r17destroyERNS0_2d114global_controlE" in TBB, as Entry);
        // SAFETY: it was made above, and is destroyed once.
        unsafe { destroy(&raw mut *old) };
    }
}

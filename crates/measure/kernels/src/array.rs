//! Arrays that several threads use at once: any thread may read a whole array, or change its own part.
//!
//! Nothing waits here. A thread that accesses data which another thread is changing gets an error; a kernel whose threads keep its steps
//! apart never does. The memory belongs to the caller, who decides on its placement.
// Several threads with parts of one memory need pointers.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use crate::team::Division;

/// Invalid access to memory that another thread is changing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// It is in use.
    #[error("{what} are accessed while another thread changes them: the steps of a kernel overlap")]
    Busy {
        /// The name of the elements.
        what: &'static str,
    },
    /// The part holds nothing yet.
    #[error("{what} are used before their part {part} was prepared")]
    NotPrepared {
        /// The name of the elements.
        what: &'static str,
        /// The part, from 0.
        part: usize,
    },
    /// The kernel has fewer parts.
    #[error("there is no part {part}: {what} have {parts}")]
    NoPart {
        /// The name of the elements.
        what: &'static str,
        /// The part, from 0.
        part: usize,
        /// Number of parts.
        parts: usize,
    },
}

/// Memory that is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} need {needed} bytes, and the memory has {there}")]
pub struct TooSmall {
    /// The purpose of the memory.
    pub what: &'static str,
    /// Bytes that it needs.
    pub needed: usize,
    /// Bytes that it has.
    pub there: usize,
}

/// Elements of arrays.
///
/// # Safety
/// Any bits are a valid value, and the alignment does not exceed that of `f64`.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}
// SAFETY: numbers of 4 and 8 bytes without forbidden bits.
unsafe impl Plain for f64 {}
// SAFETY: as above.
unsafe impl Plain for f32 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}

/// Memory as elements of another type.
pub fn elements<T: Plain>(memory: &mut [f64]) -> &mut [T] {
    let len = size_of_val(memory) / size_of::<T>();
    // SAFETY: the number of bytes fits, they are aligned for `f64` and therefore for T, for which any bits are a valid value; the result
    // takes over the borrow.
    unsafe { slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), len) }
}

/// An array in parts.
#[derive(Debug)]
pub struct Array<'m, T> {
    what: &'static str,
    start: NonNull<T>,
    division: Division,
    /// Number of readers of the whole array, or below 0 the number of parts that are being changed.
    users: AtomicIsize,
    /// The parts that are being changed.
    taken: Vec<AtomicBool>,
    memory: PhantomData<&'m mut [T]>,
}

// SAFETY: references to elements go through `read` and `write`, which never let one thread read data that another one changes.
unsafe impl<T: Plain> Sync for Array<'_, T> {}
// SAFETY: it is a borrowed slice, which may be sent.
unsafe impl<T: Plain> Send for Array<'_, T> {}

impl<'m, T: Plain> Array<'m, T> {
    /// The first elements of `memory`, divided; `what` names its contents for messages, in the plural.
    ///
    /// # Errors
    /// [`TooSmall`].
    pub fn new(what: &'static str, memory: &'m mut [T], division: Division) -> Result<Self, TooSmall> {
        if memory.len() < division.len() {
            let needed = division.len().saturating_mul(size_of::<T>());
            return Err(TooSmall { what, needed, there: size_of_val(memory) });
        }
        let taken = (0..division.parts()).map(|_| AtomicBool::new(false)).collect();
        let start = NonNull::from(memory).cast();
        Ok(Self { what, start, division, users: AtomicIsize::new(0), taken, memory: PhantomData })
    }

    /// Its parts.
    pub fn division(&self) -> &Division {
        &self.division
    }

    /// The whole array.
    ///
    /// # Errors
    /// [`AccessError::Busy`]: another thread is changing a part.
    pub fn read(&self) -> Result<Reading<'_, T>, AccessError> {
        self.enter(|users| (users >= 0).then_some(users + 1))?;
        // SAFETY: `division.len()` elements exist; none is being changed, since `users` is above 0 until the guard is gone.
        let all = unsafe { slice::from_raw_parts(self.start.as_ptr(), self.division.len()) };
        Ok(Reading { all, users: &self.users })
    }

    /// A part, to change it.
    ///
    /// # Errors
    /// [`AccessError`]: another thread is reading the array or changing this part, or there is no part with this number.
    pub fn write(&self, part: usize) -> Result<Writing<'_, T>, AccessError> {
        let (what, parts) = (self.what, self.division.parts());
        let taken = self.taken.get(part).ok_or(AccessError::NoPart { what, part, parts })?;
        self.enter(|users| (users <= 0).then_some(users - 1))?;
        if taken.swap(true, Ordering::Acquire) {
            self.users.fetch_add(1, Ordering::Release);
            return Err(AccessError::Busy { what });
        }
        let range = self.division.range(part);
        // SAFETY: parts do not overlap (`Division`) and end within the memory (`new`); this one is ours while `taken`, and there are no
        // readers, since `users` is below 0 until the guard is gone.
        let own = unsafe { slice::from_raw_parts_mut(self.start.as_ptr().add(range.start), range.len()) };
        Ok(Writing { own, users: &self.users, taken })
    }

    fn enter(&self, next: impl Fn(isize) -> Option<isize>) -> Result<(), AccessError> {
        let entered = self.users.fetch_update(Ordering::Acquire, Ordering::Relaxed, next);
        entered.map(drop).map_err(|_| AccessError::Busy { what: self.what })
    }
}

/// An array that is read.
#[derive(Debug)]
pub struct Reading<'a, T> {
    all: &'a [T],
    users: &'a AtomicIsize,
}

impl<T> Deref for Reading<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.all
    }
}

impl<T> Drop for Reading<'_, T> {
    fn drop(&mut self) {
        self.users.fetch_sub(1, Ordering::Release);
    }
}

/// A part of an array that is changed.
#[derive(Debug)]
pub struct Writing<'a, T> {
    own: &'a mut [T],
    users: &'a AtomicIsize,
    taken: &'a AtomicBool,
}

impl<T> Deref for Writing<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.own
    }
}

impl<T> DerefMut for Writing<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.own
    }
}

impl<T> Drop for Writing<'_, T> {
    fn drop(&mut self) {
        self.taken.store(false, Ordering::Release);
        self.users.fetch_add(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_changed_in_parallel_but_not_during_reads() {
        let mut memory = vec![0.0; 5];
        let array = Array::new("numbers", &mut memory, Division::even(5, 2)).expect("room");
        let busy = AccessError::Busy { what: "numbers" };
        {
            let (mut one, mut two) = (array.write(0).expect("free"), array.write(1).expect("free"));
            one.fill(1.0);
            two.fill(2.0);
            assert_eq!(array.read().map(drop), Err(busy));
            assert_eq!(array.write(0).map(drop), Err(busy));
        }
        let (all, again) = (array.read().expect("free"), array.read().expect("shared"));
        // 2 and 3 elements.
        assert_eq!((&all[..], again.len()), (&[1.0, 1.0, 2.0, 2.0, 2.0][..], 5));
        assert_eq!(array.write(0).map(drop), Err(busy));
        drop((all, again));
        assert!(array.write(0).is_ok());
        assert_eq!(array.write(2).map(drop), Err(AccessError::NoPart { what: "numbers", part: 2, parts: 2 }));
    }

    #[test]
    fn too_small_memory_is_rejected() {
        let mut memory = vec![0.0; 2];
        let refused = Array::<u32>::new("columns", elements(&mut memory), Division::even(5, 1)).map(drop);
        let message = refused.expect_err("16 bytes").to_string();
        assert_eq!(message, "columns need 20 bytes, and the memory has 16");
    }

    #[test]
    fn threads_see_the_writes_of_others() {
        let mut memory = vec![0.0; 64];
        let array = Array::<u64>::new("numbers", elements(&mut memory), Division::even(64, 4)).expect("room");
        std::thread::scope(|scope| {
            for part in 0..4 {
                let array = &array;
                scope.spawn(move || array.write(part).expect("nobody reads").fill(part as u64));
            }
        });
        // 16 each of 0, 1, 2 and 3.
        assert_eq!(array.read().expect("free").iter().sum::<u64>(), 16 * 6);
    }
}

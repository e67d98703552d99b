//! The functions of the wrapped libraries: those that the program would have called without this library.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// OpenMP of GNU and of LLVM, and Intel's name of the latter.
pub(crate) const OPENMP: &[&CStr] = &[c"libgomp.so.1", c"libomp.so.5", c"libomp.so", c"libiomp5.so"];
/// LLVM's OpenMP.
pub(crate) const LLVM: &[&CStr] = &[c"libomp.so.5", c"libomp.so", c"libiomp5.so"];
/// oneTBB.
pub(crate) const TBB: &[&CStr] = &[c"libtbb.so.12"];

/// A function of a library after this one in the search order.
pub(crate) struct Next {
    name: &'static CStr,
    libraries: &'static [&'static CStr],
    found: AtomicPtr<c_void>,
}

impl Next {
    pub(crate) const fn new(name: &'static CStr, libraries: &'static [&'static CStr]) -> Self {
        Self { name, libraries, found: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Its address; null if no library has it.
    pub(crate) fn find(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Acquire);
        if !found.is_null() {
            return found;
        }
        let found = self.look();
        self.found.store(found, Ordering::Release);
        found
    }

    /// Its address. The process aborts if there is none: the program called a function that no library has.
    pub(crate) fn get(&self) -> *mut c_void {
        let found = self.find();
        if found.is_null() {
            eprintln!("numasim: no library after libnumasim_agent.so has {}", self.name.to_string_lossy());
            std::process::abort();
        }
        found
    }

    fn look(&self) -> *mut c_void {
        // SAFETY: the name ends with a zero byte.
        let next = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if !next.is_null() {
            return next;
        }
        // A library that was opened with RTLD_LOCAL, such as those of Python's modules, is not in the search order of this one.
        let of = |library: &&CStr| {
            // SAFETY: both names end with a zero byte. RTLD_NOLOAD opens only a library that is loaded already, and that stays open: the
            // handle is kept.
            unsafe {
                let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                if handle.is_null() { ptr::null_mut() } else { libc::dlsym(handle, self.name.as_ptr()) }
            }
        };
        self.libraries.iter().map(of).find(|found| !found.is_null()).unwrap_or(ptr::null_mut())
    }
}

/// `next!(NAME in LIBRARIES as TYPE)`: the function of this name as a function pointer of this type.
macro_rules! next {
    ($name:literal in $libraries:expr, as $type:ty) => {{
        static NEXT: $crate::next::Next = $crate::next::Next::new($name, $libraries);
        // SAFETY: the type is that of the function in the headers or the sources of its library.
        unsafe { std::mem::transmute::<*mut std::ffi::c_void, $type>(NEXT.get()) }
    }};
}
pub(crate) use next;

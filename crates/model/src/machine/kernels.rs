//! What a memory delivers to kernels that write, beside what it delivers to readers.

use crate::access::Access;
use crate::units::GigabytesPerSecond;

/// The bandwidth of one memory under each kernel that writes, all cores of its node at work, counted as the kernel moves data
/// ([`Access`]); `None` where nobody measured it.
///
/// A memory spends time on turning from reads to writes, and a line that is written may be read first: a GB/s of such a
/// kernel occupies more of a memory than a GB/s of reads does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelBandwidths {
    /// Of [`Access::Copy`].
    pub copy: Option<GigabytesPerSecond>,
    /// Of [`Access::Triad`].
    pub triad: Option<GigabytesPerSecond>,
    /// Of [`Access::Update`].
    pub update: Option<GigabytesPerSecond>,
}

impl KernelBandwidths {
    /// Nothing measured.
    pub const NONE: Self = Self { copy: None, triad: None, update: None };

    /// Those of which `figure` knows the bandwidth; it is asked for each kernel that writes.
    pub fn from_fn(mut figure: impl FnMut(Access) -> Option<GigabytesPerSecond>) -> Self {
        Self { copy: figure(Access::Copy), triad: figure(Access::Triad), update: figure(Access::Update) }
    }

    /// That of one kernel; `None` for reads, whose bandwidth is that of the memory.
    pub const fn get(&self, kernel: Access) -> Option<GigabytesPerSecond> {
        match kernel {
            Access::Read => None,
            Access::Copy => self.copy,
            Access::Triad => self.triad,
            Access::Update => self.update,
        }
    }

    /// Sets that of one kernel; reads have none.
    pub const fn set(&mut self, kernel: Access, bandwidth: GigabytesPerSecond) {
        match kernel {
            Access::Read => {}
            Access::Copy => self.copy = Some(bandwidth),
            Access::Triad => self.triad = Some(bandwidth),
            Access::Update => self.update = Some(bandwidth),
        }
    }

    /// Each of them times `factor`.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self::from_fn(|kernel| self.get(kernel).map(|measured| measured * factor))
    }

    /// What there is, in the order of [`Access::WRITING`].
    pub fn iter(&self) -> impl Iterator<Item = (Access, GigabytesPerSecond)> + '_ {
        Access::WRITING.into_iter().filter_map(|kernel| Some((kernel, self.get(kernel)?)))
    }
}

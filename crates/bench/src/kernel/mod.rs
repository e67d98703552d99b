//! What a thread of the benchmark computes: a [`Kernel`] with a chosen arithmetic intensity and way of using memory.

use std::fmt;

use numasim_model::Access;
use numasim_model::units::FlopPerByte;

/// An instruction set that a kernel is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// Plain Rust, on every processor.
    Portable,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 F.
    Avx512,
}

impl Isa {
    /// The word that stands for it on the command line and in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A kernel as data: what it does with each cache line, before an instruction set is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    access: Access,
    /// FLOP per 512 bytes of traffic: 8 is an arithmetic intensity of 1/64.
    flop_per_512_bytes: u32,
}

impl Kernel {
    /// How it uses memory.
    pub const fn access(self) -> Access {
        self.access
    }

    /// The arithmetic intensity it really has.
    pub fn arithmetic_intensity(self) -> FlopPerByte {
        FlopPerByte::new(f64::from(self.flop_per_512_bytes) / 512.0)
    }
}

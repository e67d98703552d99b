//! The names of real kernels.

/// A real kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelName {
    /// Prices of options by Black and Scholes.
    BlackScholes,
    /// Dense matrix times vector.
    Dmv,
    /// Sparse matrix times vector.
    Spmv,
    /// Copying memory.
    Memcpy,
    /// A stencil of five points on two grids.
    Stencil2d,
    /// Waves in an elastic medium.
    Seismic,
    /// Chains of addresses.
    Chase,
}

impl KernelName {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 7] = [
        Self::BlackScholes,
        Self::Dmv,
        Self::Spmv,
        Self::Memcpy,
        Self::Stencil2d,
        Self::Seismic,
        Self::Chase,
    ];

    /// The word that stands for it in files, tables and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BlackScholes => "blackscholes",
            Self::Dmv => "dmv",
            Self::Spmv => "spmv",
            Self::Memcpy => "memcpy",
            Self::Stencil2d => "stencil2d",
            Self::Seismic => "seismic",
            Self::Chase => "chase",
        }
    }
}

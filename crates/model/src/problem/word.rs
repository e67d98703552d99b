//! The names of real kernels.

crate::words! {
    /// A real kernel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum KernelName {
        /// Prices of options by Black and Scholes.
        BlackScholes = "blackscholes",
        /// Dense matrix times vector.
        Dmv = "dmv",
        /// Sparse matrix times vector.
        Spmv = "spmv",
        /// Copying memory.
        Memcpy = "memcpy",
        /// A stencil of five points on two grids.
        Stencil2d = "stencil2d",
        /// Waves in an elastic medium.
        Seismic = "seismic",
        /// Chains of addresses.
        Chase = "chase",
    }
}

//! How applications use memory: what they read and write.

crate::words! {
    /// How the kernel of the benchmark that stands for an application uses memory.
    ///
    /// The sharing models see GB/s only; what a byte is to the kernel is decided here, and what a GB/s of it occupies of a memory by
    /// the machine ([`crate::Node::occupied_by`]). Traffic is counted as the program
    /// asks for it (the rule of STREAM): a line that is written counts once, and the read of the line that a plain store
    /// causes (write-allocate) is not counted; kernels that write lines which they do not read use non-temporal stores,
    /// which avoid that read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Access {
        /// Reads only.
        /// The traffic of the paper's benchmark and of Intel MLC's matrices.
        #[default]
        Read = "read",
        /// One line read, one written: `a[i] = b[i]`.
        Copy = "copy",
        /// Two lines read, one written: `a[i] = b[i] + s * c[i]`.
        /// That of STREAM.
        Triad = "triad",
        /// Each line read and written back in place: `a[i] = s * a[i]`.
        Update = "update",
    }
}

impl Access {
    /// Those that write, too.
    pub const WRITING: [Self; 3] = [Self::Copy, Self::Triad, Self::Update];

    /// The key of a machine file for the bandwidth of a memory under it; for reads that is the bandwidth of the memory itself.
    pub const fn figure_key(self) -> &'static str {
        match self {
            Self::Read => "bandwidth_gbs",
            Self::Copy => "copy_gbs",
            Self::Triad => "triad_gbs",
            Self::Update => "update_gbs",
        }
    }
}

/// How the bytes of an application divide into reads and writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traffic {
    /// As those of a kernel of the benchmark.
    Kernel(Access),
    /// This share of them is written, above 0 and at most 1; the rest is read.
    Mixed(f64),
}

impl Traffic {
    /// Whether anything is written.
    pub fn writes(self) -> bool {
        self != Self::Kernel(Access::Read)
    }

    /// The share of its bytes that is written, 0 to 1.
    pub const fn write_share(self) -> f64 {
        match self {
            Self::Kernel(Access::Read) => 0.0,
            Self::Kernel(Access::Triad) => 1.0 / 3.0,
            Self::Kernel(Access::Copy | Access::Update) => 0.5,
            Self::Mixed(share) => share,
        }
    }
}

impl Default for Traffic {
    fn default() -> Self {
        Self::Kernel(Access::Read)
    }
}

impl From<Access> for Traffic {
    fn from(kernel: Access) -> Self {
        Self::Kernel(kernel)
    }
}

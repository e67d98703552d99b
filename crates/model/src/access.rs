//! How applications use memory: what they read and write.

crate::words! {
    /// How the benchmark kernel that represents an application uses memory.
    ///
    /// The sharing models see only GB/s. This type defines what a byte means for the kernel; the machine
    /// defines how much of a memory's bandwidth one GB/s of the kernel consumes
    /// ([`crate::Node::occupied_by`]). Traffic is counted as the program requests it (the rule of STREAM): a
    /// written line counts once, and the read of that line that a plain store causes (write-allocate) is not
    /// counted. Kernels that write lines without reading them use non-temporal stores, which avoid that read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Access {
        /// Reads only.
        /// This is the traffic of the paper's benchmark and of Intel MLC's matrices.
        #[default]
        Read = "read",
        /// One line read, one written: `a[i] = b[i]`.
        Copy = "copy",
        /// Two lines read, one written: `a[i] = b[i] + s * c[i]`.
        /// This is the triad of STREAM.
        Triad = "triad",
        /// Each line read and written back in place: `a[i] = s * a[i]`.
        Update = "update",
    }
}

impl Access {
    /// The write kernels.
    pub const WRITING: [Self; 3] = [Self::Copy, Self::Triad, Self::Update];

    /// The machine file's key for a memory's bandwidth under this kernel. For reads it is the key of the
    /// memory bandwidth itself.
    pub const fn figure_key(self) -> &'static str {
        match self {
            Self::Read => "bandwidth_gbs",
            Self::Copy => "copy_gbs",
            Self::Triad => "triad_gbs",
            Self::Update => "update_gbs",
        }
    }
}

/// How an application's bytes divide into reads and writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traffic {
    /// The mix of a benchmark kernel.
    Kernel(Access),
    /// The share of bytes written, above 0 and at most 1; the rest is read.
    Mixed(f64),
}

impl Traffic {
    /// Whether any bytes are written.
    pub fn writes(self) -> bool {
        self != Self::Kernel(Access::Read)
    }

    /// The share of bytes that is written, 0 to 1.
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

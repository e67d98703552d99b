//! `[app.problem]`: how large the problem of a real kernel is.

use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;

use numasim_model::app::{Access, App};
use numasim_model::problem::{
    Cells, Elements, Faults, How, KernelName, KernelProblem, Partition, Source, Storage,
};

/// What a thread computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KernelWord {
    /// Reads only.
    Read,
    /// One line read, one written: `a[i] = b[i]`.
    Copy,
    /// Two lines read, one written: `a[i] = b[i] + s * c[i]`.
    Triad,
    /// Each line read and written back in place: `a[i] = s * a[i]`.
    Update,
    /// Prices of `options`, `runs` times.
    BlackScholes,
    /// A dense complex matrix of `rows` rows times vectors, twice in each of `iterations`.
    Dmv,
    /// The sparse matrix of a crystal of `cells` times vectors, twice in each of `iterations`.
    Spmv,
    /// Each thread copies `size_mib`, `copies` times.
    Memcpy,
    /// A stencil of five points on `rows` x `columns`, `iterations` times.
    Stencil2d,
    /// Waves on `rows` x `columns` points, `iterations` times.
    Seismic,
    /// Each thread follows `chains` of addresses in `size_mib` for `hops`.
    Chase,
}

/// Sizes of the problem of a real kernel; each kernel has its own keys, and defaults for all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProblemTable {
    /// blackscholes: options. Default: 10000000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub options: Option<u64>,
    /// blackscholes: how often all options are priced. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub runs: Option<u64>,
    /// dmv: rows of the square matrix, default 5120; stencil2d and seismic: rows of points, default 8192.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_777_216))]
    pub rows: Option<u64>,
    /// stencil2d and seismic: columns of points. Default: 8192.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_777_216))]
    pub columns: Option<u64>,
    /// spmv: cells of the crystal along x, y and z, or one number for all; 80 rows for each cell. Default: 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsValue>,
    /// dmv and spmv: pairs of products, default 10; stencil2d and seismic: default 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub iterations: Option<u64>,
    /// spmv: what elements are. Default: "complex".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<ElementsWord>,
    /// spmv: how rows are divided among threads. Default: "equal".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionWord>,
    /// spmv: how the matrix lies in memory. Default: "whole".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageWord>,
    /// memcpy: MiB of each source and destination, default 4096; chase: MiB of each thread, default 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 67_108_864))]
    pub size_mib: Option<u64>,
    /// memcpy: how often each thread copies. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub copies: Option<u64>,
    /// memcpy: whose the source is. Default: "shared".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceWord>,
    /// memcpy: when pages of the destination are touched for the first time. Default: "before".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultsWord>,
    /// memcpy: what copies. Default: "streaming".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<HowWord>,
    /// chase: chains that each thread follows at once. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 32))]
    pub chains: Option<u64>,
    /// chase: hops of each chain. Default: 4194304.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub hops: Option<u64>,
}

/// Cells along all axes, or along each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CellsValue {
    /// Along each of the three.
    All(#[schemars(range(min = 1))] u64),
    /// Along x, y and z.
    Each([u64; 3]),
}

/// Words with a value each.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident of $value:ident { $($(#[$of:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($(#[$of])* $variant),*
        }

        impl From<$value> for $name {
            fn from(value: $value) -> Self {
                match value {
                    $($value::$variant => Self::$variant),*
                }
            }
        }
    };
}

words!(
    /// What elements of a sparse matrix are.
    ElementsWord of Elements {
        /// Two numbers of 8 bytes.
        Complex,
        /// One.
        Real,
    }
);
words!(
    /// How rows are divided among threads.
    PartitionWord of Partition {
        /// As many rows each.
        Equal,
        /// About as many elements that are not zero each.
        Nonzeros,
    }
);
words!(
    /// How a sparse matrix lies in memory.
    StorageWord of Storage {
        /// Arrays with all rows.
        Whole,
        /// For the rows of each node arrays of their own.
        PerNode,
    }
);
words!(
    /// Whose a source is.
    SourceWord of Source {
        /// All threads copy from one.
        Shared,
        /// The threads of a node copy from one of its own.
        PerNode,
        /// Each thread has its own.
        Own,
    }
);
words!(
    /// When pages are touched for the first time.
    FaultsWord of Faults {
        /// Before what is measured.
        Before,
        /// By the copy.
        Inside,
    }
);
words!(
    /// What copies.
    HowWord of How {
        /// Stores past the caches.
        Streaming,
        /// Stores through the caches.
        Cached,
        /// `memcpy` of the C library.
        Library,
    }
);

impl From<&App> for KernelWord {
    fn from(app: &App) -> Self {
        match app.problem.as_ref().map(KernelProblem::kernel) {
            Some(KernelName::BlackScholes) => Self::BlackScholes,
            Some(KernelName::Dmv) => Self::Dmv,
            Some(KernelName::Spmv) => Self::Spmv,
            Some(KernelName::Memcpy) => Self::Memcpy,
            Some(KernelName::Stencil2d) => Self::Stencil2d,
            Some(KernelName::Seismic) => Self::Seismic,
            Some(KernelName::Chase) => Self::Chase,
            None => match app.kernel {
                Access::Read => Self::Read,
                Access::Copy => Self::Copy,
                Access::Triad => Self::Triad,
                Access::Update => Self::Update,
            },
        }
    }
}

impl From<&KernelProblem> for ProblemTable {
    fn from(problem: &KernelProblem) -> Self {
        let none = Self::default();
        match *problem {
            KernelProblem::BlackScholes(own) => {
                Self { options: Some(own.options), runs: Some(own.runs), ..none }
            }
            KernelProblem::Dmv(own) => {
                Self { rows: Some(own.rows), iterations: Some(own.iterations), ..none }
            }
            KernelProblem::Spmv(own) => {
                let Cells(cells) = own.cells;
                Self {
                    cells: Some(CellsValue::Each(cells)),
                    iterations: Some(own.iterations),
                    elements: Some(own.elements.into()),
                    partition: Some(own.partition.into()),
                    storage: Some(own.storage.into()),
                    ..none
                }
            }
            KernelProblem::Memcpy(own) => Self {
                size_mib: Some(own.size_mib),
                copies: Some(own.copies),
                source: Some(own.source.into()),
                faults: Some(own.faults.into()),
                how: Some(own.how.into()),
                ..none
            },
            KernelProblem::Stencil2d(own) => Self {
                rows: Some(own.rows),
                columns: Some(own.columns),
                iterations: Some(own.iterations),
                ..none
            },
            KernelProblem::Seismic(own) => Self {
                rows: Some(own.rows),
                columns: Some(own.columns),
                iterations: Some(own.iterations),
                ..none
            },
            KernelProblem::Chase(own) => {
                Self { size_mib: Some(own.size_mib), chains: Some(own.chains), hops: Some(own.hops), ..none }
            }
        }
    }
}

/// An intensity, or a kernel that counts its own; sizes only for such a kernel.
pub(super) fn intensity_or_kernel(schema: &mut Schema) {
    let real = KernelName::ALL.map(|kernel| serde_json::json!({ "const": kernel.as_str() }));
    let kernel = json_schema!({ "required": ["kernel"], "properties": { "kernel": { "anyOf": real } } });
    let mut forms = json_schema!({
        "anyOf": [{ "required": ["arithmetic_intensity"] }, kernel],
        "dependentRequired": { "problem": ["kernel"] },
    });
    for key in ["anyOf", "dependentRequired"] {
        if let Some(form) = forms.remove(key) {
            schema.insert(key.to_owned(), form);
        }
    }
}

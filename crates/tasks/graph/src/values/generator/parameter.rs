//! Parameters of generators by their keys in files.

/// A parameter of generators, by its key in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The key.
    pub key: &'static str,
    /// What it is, as in "write ...".
    pub what: &'static str,
    /// A value, for examples.
    pub example: &'static str,
    /// The least that makes sense.
    pub least: u64,
    /// The most that can be computed with.
    pub most: u64,
    /// Bytes of 1, for sizes that files have in MB and may have a fraction; else 1.
    pub unit: u64,
}

/// Whole numbers up to here are exact in every number of a file.
const EXACT: u64 = 1 << 53;

impl Parameter {
    /// All, each once, also where several generators have it.
    pub const ALL: [Self; 27] = [
        Self::of("grid", "how many tiles there are in each direction", "16", 1),
        Self::of("tile", "how many elements a tile has in each direction", "512", 1),
        Self::of("iterations", "a number of iterations", "20", 0),
        Self::of("control", "how many tasks without data are created first", "1", 0),
        Self::of("blocks", "how many blocks of rows there are", "30", 1),
        Self::of("rows", "a number of rows", "9600", 1),
        Self::of("columns", "a number of columns", "8192", 1),
        Self::of("nnz_per_row", "how many entries of a row of the matrix are not zero", "27", 1),
        Self::of("bins", "how many bins the histogram has", "32", 1),
        Self::of("arrays", "how many triples of arrays there are", "64", 1),
        Self::of("mb", "the size of an array in MB (10^6 bytes)", "2.5", 1).in_units_of(1_000_000),
        Self::of("n", "how many tiles or points there are in each direction", "16", 1),
        Self::of("width", "how many tasks a step has", "16", 1),
        Self::of("steps", "a number of steps", "100", 1),
        Self::of("radix", "on how many tasks of the step before one depends", "3", 0),
        Self::of("flop", "the FLOP of a task", "1000000", 0),
        Self::of("bytes", "how many bytes a task hands to each of the next step", "16", 0),
        Self::of("nnz", "how many entries of the matrix are not zero", "36100000", 1),
        Self::of("log2", "the binary logarithm of the points of the finest grid in each direction", "9", 4)
            .up_to(20),
        Self::of("points", "a number of points", "10000000", 1),
        Self::of("dims", "how many coordinates a point has", "128", 1),
        Self::of("particles", "a number of particles", "500000", 1),
        Self::of("queries", "a number of queries", "3500", 0),
        Self::of("database", "the size of the database in bytes", "700000000", 1),
        Self::of("chunks", "into how many chunks each array is dealt", "256", 1),
        Self::of("repeat", "how often the loops are run", "25", 0),
        Self::of("strips", "how many strips of rows a block has", "40", 1),
    ];

    const fn of(key: &'static str, what: &'static str, example: &'static str, least: u64) -> Self {
        Self { key, what, example, least, most: EXACT, unit: 1 }
    }

    const fn up_to(self, most: u64) -> Self {
        Self { most, ..self }
    }

    const fn in_units_of(self, unit: u64) -> Self {
        Self { unit, ..self }
    }

    /// The one with this key.
    pub fn find(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|parameter| parameter.key == key)
    }

    /// A value as files have it: 2,500,000 bytes are 2.5 of `mb`.
    pub fn in_its_unit(&self, value: u64) -> f64 {
        value as f64 / self.unit as f64
    }
}

//! Where the figures of a machine come from.

/// How a figure of a machine file came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureKind {
    /// Measured on the machine, e.g. by STREAM, Intel MLC or likwid-bench.
    Measured,
    /// Computed from a data sheet: clock x FLOP per cycle, channels x transfer rate.
    Theoretical,
    /// Derived from other measurements, e.g. fitted to a benchmark run.
    Estimated,
    /// Chosen by the author of the file, e.g. for a made-up machine.
    Assumed,
}

impl FigureKind {
    /// The word that stands for it in files and tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Theoretical => "theoretical",
            Self::Estimated => "estimated",
            Self::Assumed => "assumed",
        }
    }
}

/// Kind and source of one figure (`[machine.provenance]`).
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// Measured, theoretical, estimated or assumed.
    pub kind: FigureKind,
    /// Who measured or computed it, and how.
    pub source: Option<String>,
    /// How far off it may be, in percent of the figure (of the worst one, where the key has several figures).
    pub uncertainty_percent: Option<f64>,
    /// Half-width of its interval of 95 %, in percent of the figure (of the worst one, where the key has several): the true
    /// figure lies between figure / (1 + p / 100) and figure x (1 + p / 100). Predictions have an interval for it.
    pub interval95_percent: Option<f64>,
}

impl Provenance {
    /// A kind and a source without uncertainty.
    pub const fn of(kind: FigureKind, source: String) -> Self {
        Self { kind, source: Some(source), uncertainty_percent: None, interval95_percent: None }
    }
}

//! The keys of `[app.problem]` with their values, as text.

use super::{Cells, KernelProblem};

impl KernelProblem {
    /// Each key of its table with its value as in a file, words without quotes.
    pub fn sizes(&self) -> Vec<(&'static str, String)> {
        let word = ToString::to_string;
        match self {
            Self::BlackScholes(own) => {
                vec![("options", own.options.to_string()), ("runs", own.runs.to_string())]
            }
            Self::Dmv(own) => {
                vec![("rows", own.rows.to_string()), ("iterations", own.iterations.to_string())]
            }
            Self::Spmv(own) => {
                let Cells(cells) = own.cells;
                vec![
                    ("cells", format!("{cells:?}")),
                    ("iterations", own.iterations.to_string()),
                    ("elements", word(own.elements.as_str())),
                    ("partition", word(own.partition.as_str())),
                    ("storage", word(own.storage.as_str())),
                ]
            }
            Self::Memcpy(own) => vec![
                ("size_mib", own.size_mib.to_string()),
                ("copies", own.copies.to_string()),
                ("source", word(own.source.as_str())),
                ("faults", word(own.faults.as_str())),
                ("how", word(own.how.as_str())),
            ],
            Self::Stencil2d(own) => grid([own.rows, own.columns, own.iterations]),
            Self::Seismic(own) => grid([own.rows, own.columns, own.iterations]),
            Self::Chase(own) => vec![
                ("size_mib", own.size_mib.to_string()),
                ("chains", own.chains.to_string()),
                ("hops", own.hops.to_string()),
            ],
        }
    }
}

fn grid([rows, columns, iterations]: [u64; 3]) -> Vec<(&'static str, String)> {
    vec![("rows", rows.to_string()), ("columns", columns.to_string()), ("iterations", iterations.to_string())]
}

//! Parameters that follow from the machine where nobody gives them: chunks and strips for its cores, blocks for its nodes.

use super::super::program::Program;
use super::Generator;

/// What `chunks` is where nobody gives it.
const CHUNKS: &str = "8 for each worker";

/// Chunks of a program of loops on a machine: 8 for each worker under every scheduler, so that all of them run one graph.
fn chunks_of(cores: &[u32]) -> u64 {
    8 * cores.iter().copied().map(u64::from).sum::<u64>().max(1)
}

/// A parameter that follows from the machine where nobody gives it.
#[derive(Debug)]
pub struct OfMachine<'a> {
    /// Its key.
    pub key: &'static str,
    /// What it is then, in words.
    pub otherwise: &'static str,
    /// Its value.
    pub value: &'a mut Option<u64>,
}

impl Generator {
    /// Its parameters that follow from the machine where nobody gives them.
    pub fn of_machine_mut(&mut self) -> Vec<OfMachine<'_>> {
        match self {
            Self::NpbCg { chunks, .. }
            | Self::NpbMg { chunks, .. }
            | Self::Streamcluster { chunks, .. }
            | Self::Fluidanimate { chunks, .. } => {
                vec![OfMachine { key: "chunks", otherwise: CHUNKS, value: chunks }]
            }
            Self::Seismic { blocks, strips, .. } => vec![
                OfMachine { key: "blocks", otherwise: "one for each node with cores", value: blocks },
                OfMachine {
                    key: "strips",
                    otherwise: "two for each core of the first node with cores",
                    value: strips,
                },
            ],
            _ => Vec::new(),
        }
    }

    /// Gives the parameters that nobody gave the values that follow from a machine: `cores` are those of each node that has any, in order.
    pub fn settle(&mut self, cores: &[u32]) {
        match self {
            Self::NpbCg { chunks, .. }
            | Self::NpbMg { chunks, .. }
            | Self::Streamcluster { chunks, .. }
            | Self::Fluidanimate { chunks, .. } => {
                chunks.get_or_insert(chunks_of(cores));
            }
            Self::Seismic { blocks, strips, .. } => {
                blocks.get_or_insert(cores.len().max(1) as u64);
                strips.get_or_insert(2 * u64::from(cores.first().copied().unwrap_or(1)));
            }
            _ => {}
        }
    }

    /// The `throttle` of its programs where nobody gives one, for so many workers: a pipeline has twice as many tokens as there are workers
    /// (paper 003, section 5).
    pub const fn throttle(&self, workers: u64) -> Option<u64> {
        match self {
            Self::Ferret { .. } => Some(2 * workers),
            _ => None,
        }
    }
}

impl Program {
    /// Gives `chunks` where nobody gave it the value that follows from a machine: `cores` are those of each node that has any.
    pub fn settle(&mut self, cores: &[u32]) {
        self.chunks.get_or_insert(chunks_of(cores));
    }
}

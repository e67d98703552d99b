//! Where data lies.

use schemars::JsonSchema;
use serde::Serialize;

/// Where data lies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum DataValue {
    /// A word.
    Word(DataWord),
    /// All data, or a share of it, on one node.
    Home(HomeTable),
    /// A share of the data on all nodes.
    Interleave(InterleaveTable),
    /// A fraction on each node.
    Fractions(FractionsTable),
}

/// Data that needs no further figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DataWord {
    /// Every thread reads the memory of its own node.
    Local,
    /// Spread evenly over all nodes.
    Interleave,
}

/// All data on one node, or a share of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HomeTable {
    /// The node, or "any": explore chooses it.
    pub home: HomeValue,
    /// The share of the data that lies there, the rest where each thread runs. Default: 1, all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: Option<f64>,
}

/// A share of the data spread evenly over all nodes, the rest where each thread runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct InterleaveTable {
    /// That share.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub interleave: f64,
}

/// A node, or "any".
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HomeValue {
    /// Number of the node, from 0.
    Node(#[schemars(range(min = 0, max = 1023))] u32),
    /// Explore chooses the node.
    Word(AnyWord),
}

/// The word "any".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnyWord {
    /// Explore chooses.
    Any,
}

/// A fraction of the data on each node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FractionsTable {
    /// One fraction for each node; they sum to 1.
    #[schemars(inner(range(min = 0.0)), length(min = 1, max = 1024))]
    pub fractions: Vec<f64>,
}

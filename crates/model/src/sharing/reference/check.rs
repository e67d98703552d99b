//! Whether a question can be answered at all.

use crate::allocation::{Allocation, TooManyThreads};
use crate::app::Placement;
use crate::demand::Demand;
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::sharing::dealt::demand_in_all;

/// How far the fractions of an application's data may be from a sum of 1.
const FRACTION_SUM_TOLERANCE: f64 = 1e-9;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReferenceError {
    /// More threads than cores on a node.
    #[error(transparent)]
    TooManyThreads(#[from] TooManyThreads),
    /// The allocation is for another number of applications or nodes.
    #[error(
        "{apps} applications on {nodes} nodes need as many rows and columns of threads, not {rows} x {columns}"
    )]
    Shape {
        /// Applications given.
        apps: usize,
        /// Nodes of the machine.
        nodes: usize,
        /// Applications of the allocation.
        rows: usize,
        /// Nodes of the allocation.
        columns: usize,
    },
    /// The data of an application is not wholly on the nodes of this machine.
    #[error("the data of application {} does not lie on the {nodes} nodes of the machine: {placement:?}", app.0)]
    Placement {
        /// The application.
        app: AppId,
        /// Nodes of the machine.
        nodes: usize,
        /// Where its data is said to lie.
        placement: Placement,
    },
    /// The arithmetic intensity is not positive, or too small for the demand to be a finite number.
    #[error("the arithmetic intensity of application {} must be a positive finite number and ask for a finite bandwidth, not {value}", app.0)]
    ArithmeticIntensity {
        /// The application.
        app: AppId,
        /// Its arithmetic intensity in FLOP per byte.
        value: f64,
    },
}

/// The allocation, the placements and the demands fit the machine.
pub(super) fn check(
    machine: &Machine,
    demands: &[Demand],
    allocation: &Allocation,
) -> Result<(), ReferenceError> {
    let (apps, nodes) = (demands.len(), machine.node_count());
    let (rows, columns) = (allocation.apps(), allocation.nodes());
    // Without applications an allocation cannot say how many nodes it is for.
    if rows != apps || (apps > 0 && columns != nodes) {
        return Err(ReferenceError::Shape { apps, nodes, rows, columns });
    }
    let is_memory = |home: NodeId| home.0 < nodes && machine.has_memory(home);
    for (a, demand) in demands.iter().enumerate() {
        let app = AppId(a);
        let on_machine = match &demand.placement {
            Placement::Local | Placement::Interleave => true,
            Placement::Home(home) => is_memory(*home),
            Placement::PartHome { home, share } => is_memory(*home) && (0.0..=1.0).contains(share),
            Placement::PartInterleave { share } => (0.0..=1.0).contains(share),
            Placement::Fractions(fractions) => {
                fractions.len() == nodes
                    && fractions.iter().all(|fraction| (0.0..=1.0).contains(fraction))
                    && machine.node_ids().all(|node| fractions[node.0] == 0.0 || machine.has_memory(node))
                    && (fractions.iter().sum::<f64>() - 1.0).abs() <= FRACTION_SUM_TOLERANCE
            }
        };
        if !on_machine {
            let placement = demand.placement.clone();
            return Err(ReferenceError::Placement { app, nodes, placement });
        }
        let value = demand.arithmetic_intensity.value();
        let finite = machine.compute_nodes().all(|node| demand_in_all(machine, node, demand).is_finite());
        if !(value > 0.0 && value.is_finite() && finite) {
            return Err(ReferenceError::ArithmeticIntensity { app, value });
        }
    }
    if apps > 0 {
        allocation.fits(machine)?;
    }
    Ok(())
}

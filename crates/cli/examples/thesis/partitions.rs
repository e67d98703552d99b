//! Partitioning of Gauss-Seidel on 8 x 8 tiles between two sockets (thesis, section 2.3.4, figures 2.4 and 2.5): three iterations, Sandy
//! Bridge.

use numasim_graph::values::{Generator, RuntimeSettings, SchedulerKind};
use numasim_model::{Machine, NodeId};
use numasim_tasks::{Observer, Question, TaskRecord, simulate};

use crate::codes::Settings;
use crate::common::{Failure, windows};
use crate::machines::sockets;
use crate::study::SEEDS;

/// Rows and columns of tiles.
const GRID: u32 = 8;

/// The division of the first iteration, and of the whole graph, by a scheduler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    /// Fraction of the off-diagonal tiles on the socket assigned by a division along the diagonal, for the better assignment of halves:
    /// at least 0.5. Mean of the seeds.
    pub(crate) like_diagonal: f64,
    /// Edges between the sockets in all three iterations. Mean of the seeds.
    pub(crate) cut_edges: f64,
}

/// Records the socket that each task was given.
#[derive(Default)]
struct Sockets(Vec<(u32, Option<NodeId>)>);

impl Observer for Sockets {
    fn ended(&mut self, record: &TaskRecord) {
        self.0.push((record.task.0, record.socket));
    }
}

/// The division of a scheduler, in windows of three iterations.
pub(crate) fn of(machine: &Machine, kind: SchedulerKind) -> Result<Division, Failure> {
    let generator = Generator::defaults().into_iter().find_map(|generator| match generator {
        Generator::GaussSeidel { tile, control, init, .. } => {
            Some(Generator::GaussSeidel { grid: u64::from(GRID), tile, iterations: 3, control, init })
        }
        _ => None,
    });
    let code = generator.and_then(windows::of).ok_or("no gauss-seidel")?;
    let graph = code.graph(&sockets(machine))?;
    let scheduler = code.scheduler(kind, &Settings::default());
    // The last tasks are three iterations with the same number of tiles, row by row.
    let first = u32::try_from(graph.task_count())? - 3 * GRID * GRID;
    let mut sums = Division { like_diagonal: 0.0, cut_edges: 0.0 };
    for seed in 1..=SEEDS {
        let runtime = RuntimeSettings { seed, ..RuntimeSettings::default() };
        let mut seen = Sockets::default();
        let run = simulate(&Question::new(machine, &graph, &scheduler, &runtime), &mut seen)?;
        let (mut above, mut beside) = (0, 0);
        for (task, socket) in seen.0 {
            let Some(tile) = task.checked_sub(first).filter(|&tile| tile < GRID * GRID) else { continue };
            let (row, column) = (tile / GRID, tile % GRID);
            if row != column {
                beside += 1;
                above += u32::from((column > row) == (socket == Some(NodeId(0))));
            }
        }
        let share = f64::from(above) / f64::from(beside);
        sums.like_diagonal += share.max(1.0 - share) / SEEDS as f64;
        sums.cut_edges += run.cut.map_or(f64::NAN, |cut| cut.edges as f64) / SEEDS as f64;
    }
    Ok(sums)
}

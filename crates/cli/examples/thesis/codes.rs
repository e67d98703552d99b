//! The eight codes of the thesis (section 3.1.5).

use numasim_graph::values::Generator;

use crate::common::windows;
pub(crate) use crate::common::windows::{Code, Settings};

/// The codes on tiles with a quarter of the elements, and the same total number of bytes: the thesis does not report either.
pub(crate) fn of_small_tiles() -> Vec<Code> {
    let small = |generator: Generator| match generator {
        Generator::GaussSeidel { grid, tile, iterations, control, init } => {
            Some(Generator::GaussSeidel { grid: 2 * grid, tile: tile / 2, iterations, control, init })
        }
        Generator::RedBlack { grid, tile, iterations, control, init } => {
            Some(Generator::RedBlack { grid: 2 * grid, tile: tile / 2, iterations, control, init })
        }
        _ => None,
    };
    Generator::defaults().into_iter().filter_map(small).filter_map(windows::of).collect()
}

/// All eight, in the order of the figures here; sizes are the defaults of the generators.
pub(crate) fn all() -> Vec<Code> {
    let ours =
        |generator: &Generator| !matches!(generator, Generator::Cholesky { .. } | Generator::TaskBench(_));
    Generator::defaults().into_iter().filter(ours).filter_map(windows::of).collect()
}

//! The eight codes of the thesis (section 3.1.5).

use numasim_graph::values::Generator;

use crate::common::windows;
pub(crate) use crate::common::windows::{Code, Settings};

/// All eight, in the order of the figures here; sizes are the defaults of the generators.
pub(crate) fn all() -> Vec<Code> {
    let ours =
        |generator: &Generator| !matches!(generator, Generator::Cholesky { .. } | Generator::TaskBench(_));
    Generator::defaults().into_iter().filter(ours).filter_map(windows::of).collect()
}

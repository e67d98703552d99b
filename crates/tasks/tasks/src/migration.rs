//! Blocks that are moved before the first task is created (placement `nadd`; paper 003, section 4.4).

use numasim_graph::values::{BlockId, PagePlacement};
use numasim_model::NodeId;
use numasim_model::units::Seconds;

use crate::question::Question;

/// Size of a page in bytes.
const PAGE_BYTES: f64 = 4096.0;

/// How long that takes: every block with a hint goes from `master`, the node of worker 0, in whose memory all are, to the node that it hints at, one
/// after the other. Its bytes go over the link, and each begun page costs `[runtime] page_us` beside that.
pub(crate) fn migration(question: &Question<'_>, master: NodeId) -> Seconds {
    if question.placement != PagePlacement::Nadd {
        return Seconds::default();
    }
    let home = question.machine.local_memory(master);
    let block_s = |(block, bytes): (BlockId, f64)| {
        let hint = question.graph.hint(block)?;
        let to = Some(question.machine.local_memory(hint)).filter(|&to| to != home)?;
        let link = question.machine.link(master, to)?;
        let pages = (bytes / PAGE_BYTES).ceil();
        Some(bytes / 1e9 / link.value() + pages * question.runtime.page.value())
    };
    let blocks = (0..).map(BlockId).zip(question.graph.blocks().iter().map(|block| block.bytes));
    Seconds::new(blocks.filter_map(block_s).sum())
}

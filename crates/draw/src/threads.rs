//! The thread map of a scenario, as Figures 2 and 3 of Dokulil and Benkner, "NUMA-aware CPU core allocation in
//! cooperating dynamic applications": which thread is where, what memories and links carry.
//!
//! Two rows of nodes with the links between them, so that no link runs through a node. An application is a colour and a
//! letter.

mod layout;
mod legend;
mod links;
mod map;
mod node;

use super::canvas::Canvas;
use layout::Layout;

pub use map::{MapApp, MapData, MapLink, MapNode, MapSharedLink, ThreadMap};

impl ThreadMap {
    /// The map as SVG.
    pub fn svg(&self) -> String {
        let layout = Layout::of(self);
        let placed = links::place(self, &layout);
        let legend = legend::Legend::of(self, &placed, &layout);
        let mut canvas = Canvas::new(layout.width, &self.heading);
        let bundle = links::Bundle::of(self, &layout);
        links::draw_lines(&mut canvas, &placed);
        if let Some(bundle) = &bundle {
            bundle.draw_lines(&mut canvas);
        }
        for (number, (node, place)) in self.nodes.iter().zip(&layout.boxes).enumerate() {
            node::draw(&mut canvas, self, &layout, number, node, *place);
        }
        links::draw_heads_and_labels(&mut canvas, &placed);
        if let Some(bundle) = &bundle {
            bundle.draw_heads_and_labels(&mut canvas);
        }
        legend.draw(&mut canvas, self, layout.bottom);
        canvas.finish(layout.bottom + legend.height())
    }
}

#[cfg(test)]
mod tests;

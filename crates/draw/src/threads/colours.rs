//! The colours of a thread map.

use plotters::style::RGBColor;

/// Links in use, links that are full, links that are not used.
pub(super) const USED: RGBColor = RGBColor(0, 114, 178);
pub(super) const FULL: RGBColor = RGBColor(190, 60, 0);
pub(super) const UNUSED: RGBColor = RGBColor(214, 214, 214);
/// Borders of nodes.
pub(super) const BORDER: RGBColor = RGBColor(120, 120, 120);

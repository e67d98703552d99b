//! The colours, one constant for each meaning. Terminals without colours get none: see [`crate::shell::Shell`].

use anstyle::{AnsiColor, Style};

/// `error:`
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// `warning:`
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// `caused by:`
pub(crate) const CAUSE: Style = Style::new().bold();
/// `hint:`
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();

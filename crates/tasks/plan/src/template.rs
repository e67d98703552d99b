//! Templates: what a task is made from, `type/number of accesses`. Equal ones have one number.

use std::collections::HashMap;

use numasim_model::text::is_hidden;

use crate::cells::Cells;
use crate::fault::{Fault, Shown};

/// A template, by its number in a [`Templates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template(pub u32);

/// All templates that were met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    names: Vec<(Box<str>, u32)>,
    numbers: HashMap<Box<str>, Template>,
}

impl Templates {
    /// The name of the template of tasks of a type with so many accesses.
    pub fn name_of(kind: &str, accesses: usize) -> String {
        format!("{kind}/{accesses}")
    }

    /// The number of a name that was met.
    pub fn find(&self, name: &str) -> Option<Template> {
        self.numbers.get(name).copied()
    }

    /// The name.
    pub fn name(&self, template: Template) -> &str {
        self.names.get(template.0 as usize).map_or("", |(name, _)| name)
    }

    /// How many accesses its tasks have.
    pub fn accesses(&self, template: Template) -> u32 {
        self.names.get(template.0 as usize).map_or(0, |(_, accesses)| *accesses)
    }

    /// The number of a name; `None` unless it is `type/number of accesses`.
    pub(crate) fn number(&mut self, name: &str) -> Option<Template> {
        if let Some(known) = self.find(name) {
            return Some(known);
        }
        let (_, accesses) = name.rsplit_once('/')?;
        let digits = !accesses.is_empty() && accesses.bytes().all(|byte| byte.is_ascii_digit());
        let accesses = accesses.parse().ok().filter(|_| digits && !name.contains(is_hidden))?;
        let number = Template(u32::try_from(self.names.len()).ok()?);
        self.names.push((name.into(), accesses));
        self.numbers.insert(name.into(), number);
        Some(number)
    }

    /// The number of the name in a cell.
    ///
    /// # Errors
    /// It is no template.
    pub(crate) fn read<const N: usize>(
        &mut self,
        cells: &Cells<'_, N>,
        cell: usize,
    ) -> Result<Template, Fault> {
        let text = cells.text(cell);
        self.number(text).ok_or_else(|| {
            let message = format!("'{}' is no template", Shown(text));
            cells
                .fault(cell, message)
                .hint("write TYPE/NUMBER, a type of tasks and how many accesses they have")
        })
    }
}

//! Generalized paths of paper 000: how a task of a class came to be, from the root on, with a star for what repeats.
//!
//! `(main/0, 0, creator/1):(creator/1, 0, creator/1)*:(creator/1, 1, worker/2)`

use std::fmt;

use crate::classes::{ClassId, Classes, Entry};

/// Most steps that are written; of a longer path the last ones.
const MOST: u64 = 100;

/// Paths of all classes.
pub(crate) struct Paths<'c> {
    classes: &'c Classes,
    /// Per class: how many steps its path has.
    steps: Vec<u64>,
}

impl<'c> Paths<'c> {
    pub(crate) fn new(classes: &'c Classes) -> Self {
        let mut steps: Vec<u64> = Vec::with_capacity(classes.all().len());
        for (number, class) in (0..).map(ClassId).zip(classes.all()) {
            // A class is met under one that was met before.
            let before = class.met.and_then(|(under, _)| steps.get(under.0 as usize)).copied().unwrap_or(0);
            let own = u64::from(class.met.is_some()) + stars(&class.entries, number).count() as u64;
            steps.push(before + own);
        }
        Self { classes, steps }
    }

    /// Writes the path of a class.
    pub(crate) fn write(&self, class: ClassId, out: &mut impl fmt::Write) -> fmt::Result {
        let all = self.steps.get(class.0 as usize).copied().unwrap_or(0);
        if all == 0 {
            return out.write_str(self.name(class));
        }
        // From the class to the root, until there are enough.
        let mut lineage = vec![class];
        let mut below = class;
        while let Some((under, _)) = self.classes.get(below).and_then(|class| class.met) {
            if self.steps.get(under.0 as usize).is_none_or(|steps| all - steps >= MOST) {
                break;
            }
            lineage.push(under);
            below = under;
        }
        let mut separator = "";
        let left_out = self.classes.get(below).and_then(|class| class.met);
        let left_out = left_out.and_then(|(under, _)| self.steps.get(under.0 as usize)).copied().unwrap_or(0);
        if left_out > 0 {
            write!(out, "({left_out} more steps)")?;
            separator = ":";
        }
        for &class in lineage.iter().rev() {
            let Some(known) = self.classes.get(class) else { continue };
            let name = self.name(class);
            if let Some((under, seq)) = known.met {
                write!(out, "{separator}({}, {seq}, {name})", self.name(under))?;
                separator = ":";
            }
            let mut own: Vec<u64> = stars(&known.entries, class).collect();
            own.sort_unstable();
            for seq in own {
                write!(out, "{separator}({name}, {seq}, {name})*")?;
                separator = ":";
            }
        }
        Ok(())
    }

    fn name(&self, class: ClassId) -> &'c str {
        self.classes.get(class).map_or("", |known| self.classes.templates().name(known.template))
    }
}

/// Seqs of children that are of the class itself.
fn stars(entries: &[Entry], class: ClassId) -> impl Iterator<Item = u64> {
    entries.iter().filter(move |entry| entry.child == class).map(|entry| entry.seq)
}

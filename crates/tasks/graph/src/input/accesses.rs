//! Reads which blocks a task accesses, and how much of them.

use std::collections::HashMap;

use crate::values::{Access, AccessMode};

use super::blocks::Blocks;
use crate::keys::task;
use numasim_study::names;
use numasim_study::reader::TableReader;
use numasim_study::reader::Value;
use numasim_study::{Place, Problem, ProblemKind};

/// What a task accesses, by the name of the block.
#[derive(Default)]
pub(super) struct Accesses<'a> {
    pub(super) list: Vec<Access>,
    /// Number in the list, and where it stands.
    by_name: HashMap<&'a str, (Option<usize>, Place)>,
    /// Something could not be read.
    broken: bool,
}

/// Reads `in`, `inout`, `out`, `declared_bytes` and `moved_bytes`; `called` is the task. `None` if something makes no sense.
pub(super) fn read<'a>(
    table: &mut TableReader<'a>,
    called: &str,
    blocks: &Blocks<'a>,
) -> Option<(Vec<Access>, [bool; 2])> {
    let mut accesses = Accesses::default();
    for mode in AccessMode::ALL {
        if let Some(value) = table.named(mode.as_str()) {
            accesses.add(&value, mode, called, blocks);
        }
    }
    let [declared, moved] = [&task::DECLARED_BYTES, &task::MOVED_BYTES].map(|key| table.optional(key));
    let given = [&declared, &moved].map(Option::is_some);
    if let Some(value) = declared {
        accesses.set(&value, called, blocks, |access, bytes| {
            (access.declared_bytes, access.moved_bytes) = (bytes, bytes);
        });
    }
    if let Some(value) = moved {
        accesses.set(&value, called, blocks, |access, bytes| access.moved_bytes = bytes);
    }
    (!accesses.broken).then_some((accesses.list, given))
}

impl<'a> Accesses<'a> {
    /// Adds the blocks of a list.
    fn add(&mut self, value: &Value<'a>, mode: AccessMode, called: &str, blocks: &Blocks<'a>) {
        let hint = format!("write the names of blocks, e.g. `{} = [\"X\"]`", mode.as_str());
        let Some(entries) = value.list("a list of blocks", hint) else {
            self.broken = true;
            return;
        };
        for entry in entries {
            let Some((name, known)) = blocks.find(&entry) else {
                self.broken = true;
                continue;
            };
            if let Some((_, first)) = self.by_name.get(name) {
                let message = format!("`{called}` accesses the block `{}` twice", names::shown(name));
                let problem = Problem::new(ProblemKind::DuplicateName, message)
                    .at(entry.place(), "a second time")
                    .related(first.clone(), "first here")
                    .hint("name each block once: `inout` reads and writes it");
                value.source.log.report(problem);
                self.broken = true;
                continue;
            }
            let number = known.block.map(|(block, bytes)| {
                self.list.push(Access { block, mode, declared_bytes: bytes, moved_bytes: bytes });
                self.list.len() - 1
            });
            self.broken |= number.is_none();
            self.by_name.insert(name, (number, entry.place()));
        }
    }

    /// Sets the bytes of some accesses.
    fn set(&mut self, value: &Value<'a>, called: &str, blocks: &Blocks<'a>, set: impl Fn(&mut Access, f64)) {
        let hint = format!("write the bytes of each block, e.g. `{} = {{ X = 1e6 }}`", value.name);
        let Some(entries) = value.entries("a table of blocks", hint) else {
            self.broken = true;
            return;
        };
        for (name, entry) in entries {
            let bytes = entry.number();
            self.broken |= bytes.is_none();
            let Some((number, _)) = self.by_name.get(name) else {
                report_not_accessed(name, &entry, called, blocks);
                self.broken = true;
                continue;
            };
            let access = number.and_then(|number| self.list.get_mut(number));
            if let Some((access, bytes)) = access.zip(bytes) {
                set(access, bytes);
            }
        }
    }
}

fn report_not_accessed(name: &str, entry: &Value<'_>, called: &str, blocks: &Blocks<'_>) {
    if !blocks.is_known(name) {
        blocks.report_unknown(name, entry.key_place(), entry.source.log);
        return;
    }
    let shown = names::shown(name);
    let message = format!("`{called}` does not access the block `{shown}`");
    let problem = Problem::new(ProblemKind::BadValue, message)
        .at(entry.key_place(), "not accessed")
        .hint(format!("name `{shown}` in `in`, `inout` or `out` of this task, or leave its bytes out"));
    entry.source.log.report(problem);
}

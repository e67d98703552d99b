//! `workflow.specification.files`: blocks, and the order that follows from who writes them.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::HashMap;

use numasim_study::{Place, Problem, ProblemKind};

use super::super::draft::Draft;
use super::super::{Noted, Warning};
use super::json::Json;
use crate::problems::{Problems, shown};

/// Files by their identifiers.
#[derive(Default)]
pub(super) struct Files {
    numbers: HashMap<String, (u32, f64)>,
    places: Vec<Place>,
    /// Some could not be read: they are there all the same.
    lacks: bool,
}

impl Files {
    /// Those of an instance, as blocks of `draft`.
    pub(super) fn read(files: &[Json<'_>], draft: &mut Draft, problems: &mut Problems) -> Self {
        let mut known = Self::default();
        for &file in files {
            if problems.is_full() {
                break;
            }
            let Some((id, bytes)) = problems.take(one(file)) else { continue };
            let Some(block) = draft.block(id.clone(), bytes) else {
                let message = "there are more files than a graph may have blocks";
                problems.add(file.problem(ProblemKind::Limit, message));
                break;
            };
            if known.numbers.contains_key(&id) {
                let message = format!("the file `{}` is there twice", shown(&id));
                problems.add(file.problem(ProblemKind::DuplicateName, message));
            }
            known.numbers.insert(id, (block, bytes));
            known.places.push(Place::at(0, file.first_line()));
        }
        known.lacks = !problems.is_empty();
        known
    }

    /// The block of a file that a task names, and its bytes.
    pub(super) fn find(&self, file: Json<'_>, key: &str) -> Result<(u32, f64), Problem> {
        let id = file.string(key)?;
        let unread = self.lacks.then_some((0, 0.0));
        self.numbers.get(&id).copied().or(unread).ok_or_else(|| {
            let message =
                format!("`{key}` names `{}`, which is not in `workflow.specification.files`", shown(&id));
            file.problem(ProblemKind::UnknownName, message)
        })
    }

    /// Who reads a file that one task alone writes comes behind that task. Where several write it, only `parents` say who comes first.
    pub(super) fn order(&self, draft: &mut Draft) -> Option<Warning> {
        let mut writers: Vec<Vec<u32>> = vec![Vec::new(); draft.blocks.len()];
        for (number, task) in (0_u32..).zip(&draft.tasks) {
            for (block, ..) in task.accesses.iter().filter(|access| access.1.writes()) {
                if let Some(writers) = writers.get_mut(*block as usize) {
                    writers.push(number);
                }
            }
        }
        for (number, task) in (0_u32..).zip(&mut draft.tasks) {
            let of = |block: u32| match writers.get(block as usize).map(Vec::as_slice) {
                Some(&[writer]) if writer != number => Some(writer),
                _ => None,
            };
            let parents: Vec<u32> = task.accesses.iter().filter_map(|&(block, ..)| of(block)).collect();
            task.parents.extend(parents);
        }
        let mut several = Noted::default();
        for ((writers, (name, _)), place) in writers.iter().zip(&draft.blocks).zip(&self.places) {
            if writers.len() > 1 {
                several.at(name, place);
            }
        }
        several.warning(
            ["the file", "files"],
            "with several writers: where `parents` do not say who comes first, the order of the file does",
        )
    }
}

fn one(file: Json<'_>) -> Result<(String, f64), Problem> {
    let object = file.object("a file")?;
    Ok((object.need("id")?.string("id")?, object.need("sizeInBytes")?.amount("sizeInBytes")?))
}

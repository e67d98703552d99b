//! `--collect`: all shards in order, whole or not at all.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::question::{Question, log, part};
use super::shards;
use crate::failure::Failure;
use crate::output::Destination;

/// Joins the shards of a folder.
pub(in super::super) fn collect(folder: &Path, output: Option<&Path>) -> Result<(), Failure> {
    let question = Question::read(folder)?;
    let parts: Vec<PathBuf> = (1..=question.shards).map(|shard| part(folder, shard)).collect();
    let destination = Destination::open(output)?;
    let missing = question.missing(folder)?;
    if let [first, ..] = missing.as_slice() {
        return Err(not_done(folder, &question, &missing, *first));
    }
    match &destination {
        Destination::File(place) => {
            place.replace_by(|mut file| join(&parts, &mut file)).map_err(|error| place.refused(&error))
        }
        Destination::Stdout | Destination::Special(_) => {
            let stream = destination.stream().map_err(|error| super::super::not_written(&error))?;
            let mut stream = stream.ok_or_else(|| Failure::fault("a destination of no known kind"))?;
            match join(&parts, &mut stream).and_then(|()| stream.flush()) {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(super::super::not_written(&error)),
                _ => Ok(()),
            }
        }
    }
}

fn join(parts: &[PathBuf], out: &mut impl Write) -> io::Result<()> {
    for part in parts {
        io::copy(&mut File::open(part)?, out)?;
    }
    Ok(())
}

fn not_done(folder: &Path, question: &Question, missing: &[u32], first: u32) -> Failure {
    let failure = Failure::input(format!(
        "{} of {} shards are not there: {}",
        missing.len(),
        question.shards,
        shards(missing)
    ));
    let log = log(folder, first);
    let failure = if log.exists() {
        failure.hint(format!("what the task of shard {first} said is in {}", log.display()))
    } else {
        failure
    };
    failure.hint(format!(
        "wait for the job (squeue), or compute what failed again: numasim sweep --resubmit {}",
        folder.display()
    ))
}

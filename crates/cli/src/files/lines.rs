//! Files of profiles and plans, line by line: they may be longer than memory.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use numasim_plan::{Fault, File, Lines};

use crate::diagnostics::{self, LineProblem};
use crate::failure::Failure;
use crate::inputs;
use crate::output::Whole;
use crate::watch;

/// The longest line that is read: a path of a program is shorter.
const LONGEST: u64 = 1 << 20;
/// Lines between two questions whether Ctrl-C was pressed.
const LINES_PER_LOOK: u64 = 1 << 16;

/// Files of a folder.
pub(crate) struct PlainFiles<'a> {
    folder: &'a Path,
    whole: Whole,
    /// What the folder should have in it.
    expected: &'static str,
}

/// Why reading ends before the end.
pub(crate) enum Stop {
    /// Something is wrong with a line.
    Fault(Fault),
    /// A file cannot be read, or Ctrl-C.
    Failure(Failure),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<'a> PlainFiles<'a> {
    /// `files` are those that will be read.
    ///
    /// # Errors
    /// A run was killed while it wrote there.
    pub(crate) fn in_folder(
        folder: &'a Path,
        files: &[File],
        expected: &'static str,
    ) -> Result<Self, Failure> {
        Ok(Self { folder, whole: Whole::look(folder, files.iter().map(|file| file.name()))?, expected })
    }

    /// That all that was read is of one run.
    ///
    /// # Errors
    /// A file was written meanwhile.
    pub(crate) fn are_unchanged(&self) -> Result<(), Failure> {
        self.whole.is_unchanged()
    }

    /// Tells all lines of a file.
    pub(crate) fn feed(&self, file: File, each: Lines<'_>) -> Result<(), Stop> {
        let mut from = self.open(file).map_err(Stop::Failure)?;
        let mut bytes = Vec::new();
        let mut number = 0;
        while self.next(file, &mut from, &mut bytes, number).map_err(Stop::Failure)? {
            number += 1;
            if number % LINES_PER_LOOK == 0 && watch::interrupted() {
                return Err(Stop::Failure(Failure::interrupted("interrupted")));
            }
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| Stop::Failure(self.bad_line(file, number, "is no UTF-8 text")))?;
            each(number, text)?;
        }
        Ok(())
    }

    /// What a person is told.
    pub(crate) fn failure(&self, stop: Stop) -> Failure {
        match stop {
            Stop::Failure(failure) => failure,
            Stop::Fault(fault) => {
                let name = self.path(fault.file).display().to_string();
                let text = self.line(&fault).unwrap_or_default();
                Failure::Diagnostics(diagnostics::render_line(&LineProblem {
                    name: &name,
                    line: usize::try_from(fault.line).unwrap_or(usize::MAX),
                    span: cell(&text, fault.cell),
                    text: &text,
                    message: &fault.message,
                    hint: fault.hint.as_deref(),
                }))
            }
        }
    }

    fn path(&self, file: File) -> PathBuf {
        self.folder.join(file.name())
    }

    fn open(&self, file: File) -> Result<BufReader<fs::File>, Failure> {
        let path = self.path(file);
        inputs::note(&path);
        let opened = fs::File::open(&path).and_then(|opened| {
            // A folder can be opened, but not read.
            if opened.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(opened) }
        });
        opened.map(BufReader::new).map_err(|error| {
            Failure::input(format!("{} cannot be read", path.display())).caused_by(&error).hint(self.expected)
        })
    }

    /// Reads a line without its end; whether there was one.
    fn next(
        &self,
        file: File,
        from: &mut BufReader<fs::File>,
        bytes: &mut Vec<u8>,
        before: u64,
    ) -> Result<bool, Failure> {
        bytes.clear();
        let read = from.take(LONGEST).read_until(b'\n', bytes).map_err(|error| {
            Failure::input(format!("{} cannot be read", self.path(file).display())).caused_by(&error)
        })?;
        if read as u64 == LONGEST {
            return Err(self.bad_line(file, before + 1, "is longer than 1 MiB"));
        }
        if before == 0 && bytes.starts_with(super::MARK) {
            bytes.drain(..super::MARK.len());
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            bytes.pop_if(|last| *last == b'\r');
        }
        Ok(read > 0)
    }

    fn bad_line(&self, file: File, number: u64, why: &str) -> Failure {
        Failure::input(format!("{}:{number}: this line {why}", self.path(file).display())).hint(self.expected)
    }

    /// The text of the line of a fault, read again.
    fn line(&self, fault: &Fault) -> Option<String> {
        let mut from = self.open(fault.file).ok()?;
        let mut bytes = Vec::new();
        for before in 0..fault.line {
            if !self.next(fault.file, &mut from, &mut bytes, before).ok()? {
                return None;
            }
        }
        String::from_utf8(bytes).ok()
    }
}

/// The bytes of a cell, or of the whole line.
fn cell(text: &str, cell: Option<usize>) -> std::ops::Range<usize> {
    let Some(cell) = cell else { return 0..text.len() };
    let start: usize = text.split(';').take(cell).map(|cell| cell.len() + 1).sum();
    start..start + text.split(';').nth(cell).map_or(0, str::len)
}

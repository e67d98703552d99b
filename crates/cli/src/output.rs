//! Where a result goes: standard output, or a file that is written whole or not at all.

mod draft;
mod folder;
mod path;
mod place;
mod printout;
mod tame;

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};

use crate::failure::Failure;
use crate::inputs;
pub(crate) use folder::{Folder, FolderFiles, Text, Whole};
use place::Found;
pub(crate) use place::{NotCreated, Place};
use printout::Printout;
pub(crate) use tame::tame;

/// How a result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Table,
    /// For programs; one object
    Json,
    /// For spreadsheets; one header line
    Csv,
    /// For issues and papers; tables of GitHub-flavoured Markdown
    Markdown,
}

/// Why `--format markdown` is refused where `what` is no table.
pub(crate) fn without_table(what: &str) -> Failure {
    Failure::input(format!("{what}, not a table: there is nothing for --format markdown"))
        .hint("leave out --format, or use json or csv")
}

/// `--format` and `-o`.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// How to write the result
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    pub(crate) format: Format,

    /// Write the result to FILE, whole or not at all, instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

/// A place for a result, known to be writable when it was opened.
#[derive(Debug)]
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// A regular file, existing or not: replaced at one stroke.
    File(Place),
    /// A pipe, a device: there is nothing to replace.
    Special(PathBuf),
}

impl Destination {
    /// Checks that a result can be written to `output` (`None` and `-`: standard output) and changes nothing.
    ///
    /// For a command that computes for long: opened before, delivered to after. A file that the command reads is refused (`inputs`).
    pub(crate) fn open(output: Option<&Path>) -> Result<Self, Failure> {
        let output = output.filter(|path| *path != Path::new("-") && !is_stdout(path));
        let Some(output) = output else {
            inputs::refuse_standard_output()?;
            return Ok(Self::Stdout);
        };
        Ok(match Place::find(output)? {
            Found::File(place) => Self::File(place),
            Found::Special => Self::Special(output.to_owned()),
        })
    }

    /// A place for a result that is too long to be held: standard output, a pipe or a device. `None` for a regular file,
    /// which is written whole or not at all.
    pub(crate) fn stream(&self) -> io::Result<Option<Box<dyn Write>>> {
        Ok(match self {
            Self::Stdout => Some(Box::new(io::stdout().lock())),
            Self::Special(path) => Some(Box::new(open_special(path)?)),
            Self::File(_) => None,
        })
    }

    /// Writes the result. Colours reach a terminal only, or what `--color` says.
    pub(crate) fn deliver(&self, text: &str) -> Result<(), Failure> {
        self.deliver_by(|out| out.write_all(text.as_bytes()))
    }

    /// Writes the result as `write` makes it, which must be text: what is long need not be held whole.
    pub(crate) fn deliver_by(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let (name, written) = match self {
            Self::Stdout => ("standard output".to_owned(), to_stdout(write)),
            Self::File(place) => {
                let replaced = place.replace_by(|file| without_colours(file, write));
                return replaced.map_err(|error| place.refused(&error));
            }
            Self::Special(path) => {
                let written = open_special(path).and_then(|file| without_colours(file, write));
                (path.display().to_string(), written)
            }
        };
        let written = written.or_else(closed_pipe_is_no_error);
        written.map_err(|error| place::explained(Failure::output(format!("cannot write to {name}")), &error))
    }

    /// Writes a result that is no text.
    pub(crate) fn deliver_bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let (name, written) = match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
                ("standard output".to_owned(), written.or_else(closed_pipe_is_no_error))
            }
            Self::File(place) => {
                return place.replace(bytes).map_err(|error| place.refused(&error));
            }
            Self::Special(path) => {
                let written = open_special(path).and_then(|mut file| file.write_all(bytes));
                (path.display().to_string(), written.or_else(closed_pipe_is_no_error))
            }
        };
        written.map_err(|error| place::explained(Failure::output(format!("cannot write to {name}")), &error))
    }
}

fn without_colours(out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut printout = Printout::to_file(out, false);
    write(&mut printout)?;
    printout.finish()
}

/// Prints what `--help` or `--version` asks for, with its colours.
pub(crate) fn print_help(help: &clap::Error) -> Result<(), Failure> {
    let printed = help.print().and_then(|()| io::stdout().flush());
    printed
        .or_else(closed_pipe_is_no_error)
        .map_err(|error| Failure::output("cannot write to standard output").caused_by(&error))
}

fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let stdout = io::stdout().lock();
    if anstream::AutoStream::choice(&stdout) == anstream::ColorChoice::Never {
        let mut printout = Printout::to_terminal(stdout, false);
        write(&mut printout)?;
        return printout.finish();
    }
    let mut printout = Printout::to_terminal(anstream::AutoStream::auto(stdout), true);
    write(&mut printout)?;
    printout.finish()
}

/// `numasim ... | head` has all it wants.
fn closed_pipe_is_no_error(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// A pipe or a device. A regular file that took its place since it was looked at is left alone.
fn open_special(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).open(path)?;
    if file.metadata()?.is_file() {
        return Err(io::Error::other("it is another file now"));
    }
    Ok(file)
}

/// Names that systems have for standard output. It may be a file, which then belongs to who started the program.
fn is_stdout(path: &Path) -> bool {
    cfg!(unix) && ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn opening_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let old = folder.path().join("old");
        fs::write(&old, "before").expect("a file for the test");
        Destination::open(Some(&old)).expect("writable");
        Destination::open(Some(&folder.path().join("new"))).expect("writable");
        assert_eq!(fs::read_to_string(&old).expect("still there"), "before");
        assert_eq!(fs::read_dir(folder.path()).expect("still there").count(), 1);
    }

    #[test]
    fn an_input_file_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let input = folder.path().join("in.toml");
        fs::write(&input, "[machine]").expect("a file for the test");
        let same = folder.path().join(".").join("in.toml");
        inputs::note(&input);
        let refused = Destination::open(Some(&same)).expect_err("the output is an input");
        assert!(refused.to_string().contains("is also an input file"), "{refused}");
    }

    #[test]
    fn a_file_gets_no_colours() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("out");
        let target = Destination::open(Some(&path)).expect("writable");
        target.deliver("\u{1b}[1mbold\u{1b}[0m\n").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("written"), "bold\n");
    }
}

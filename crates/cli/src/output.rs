//! Where a result goes: standard output, or a file that is written whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};

use crate::failure::Failure;

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
    /// A regular file, existing or not, behind all symbolic links: replaced at one stroke.
    File { path: PathBuf, permissions: Option<Permissions> },
    /// A pipe, a device: there is nothing to replace.
    Special(PathBuf),
}

impl Destination {
    /// Checks that a result can be written to `output` (`None` and `-`: standard output) and changes nothing.
    ///
    /// For a command that computes for long: opened before, delivered to after. `inputs` are the files that the
    /// command reads; it refuses to replace one of them.
    pub(crate) fn open(output: Option<&Path>, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let Some(output) = output.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::Stdout);
        };
        let refuse = |error: io::Error| {
            Failure::output(format!("cannot write to {}", output.display())).caused_by(&error)
        };
        let names_directory = output.as_os_str().as_encoded_bytes().last().is_none_or(|&end| end == b'/');
        match fs::metadata(output) {
            Ok(found) if found.is_dir() => Err(refuse(io::Error::from(ErrorKind::IsADirectory))
                .hint("-o takes the name of a file, not of a directory")),
            Ok(found) if !found.is_file() => Ok(Self::Special(output.to_owned())),
            Ok(found) => {
                let path = fs::canonicalize(output).map_err(refuse)?;
                if inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == path)) {
                    return Err(Failure::input(format!("{} is also an input file", output.display()))
                        .hint("give -o the name of another file"));
                }
                // Renaming over a read-only file would succeed; its owner did not want that.
                OpenOptions::new().write(true).open(&path).map_err(refuse)?;
                tempfile::tempfile_in(directory_of(&path)).map_err(refuse)?;
                Ok(Self::File { path, permissions: Some(found.permissions()) })
            }
            Err(error) if error.kind() == ErrorKind::NotFound && !names_directory => {
                let path = behind_links(output).map_err(refuse)?;
                let directory = directory_of(&path);
                if !directory.is_dir() {
                    return Err(refuse(error).hint(format!("there is no directory {}", directory.display())));
                }
                tempfile::tempfile_in(directory).map_err(refuse)?;
                Ok(Self::File { path, permissions: None })
            }
            Err(error) => Err(refuse(error)),
        }
    }

    /// A place for a result that is too long to be held: standard output, a pipe or a device. `None` for a regular file,
    /// which is written whole or not at all.
    pub(crate) fn stream(&self) -> io::Result<Option<Box<dyn Write>>> {
        Ok(match self {
            Self::Stdout => Some(Box::new(io::stdout().lock())),
            Self::Special(path) => Some(Box::new(OpenOptions::new().write(true).open(path)?)),
            Self::File { .. } => None,
        })
    }

    /// Writes the result. Colours reach a terminal only, or what `--color` says.
    pub(crate) fn deliver(&self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Stdout => to_stdout(text)
                .map_err(|error| Failure::output("cannot write to standard output").caused_by(&error)),
            Self::File { .. } | Self::Special(_) => self.deliver_bytes(without_colours(text).as_bytes()),
        }
    }

    /// Writes a result that is no text.
    pub(crate) fn deliver_bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let (place, written) = match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
                ("standard output".to_owned(), written.or_else(closed_pipe_is_no_error))
            }
            Self::File { path, permissions } => {
                (path.display().to_string(), replace(path, permissions.clone(), bytes))
            }
            Self::Special(path) => {
                let file = OpenOptions::new().write(true).open(path);
                let written = file.and_then(|mut file| file.write_all(bytes));
                (path.display().to_string(), written.or_else(closed_pipe_is_no_error))
            }
        };
        written.map_err(|error| Failure::output(format!("cannot write to {place}")).caused_by(&error))
    }
}

fn without_colours(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn to_stdout(text: &str) -> io::Result<()> {
    let mut stdout = anstream::AutoStream::auto(io::stdout().lock());
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).or_else(closed_pipe_is_no_error)
}

/// `numasim ... | head` has all it wants.
fn closed_pipe_is_no_error(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Writes beside `path` and renames: at every moment the file has its old content or the whole new one.
fn replace(path: &Path, permissions: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".numasim-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What any new file gets: the umask takes its part of it. A temporary file is private by default.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory_of(path))?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map(|_: File| ()).map_err(|failed| failed.error)
}

/// Follows a chain of symbolic links to the name of a file that does not exist yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40; // what Linux follows
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = directory_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let old = folder.path().join("old");
        fs::write(&old, "before").expect("a file for the test");
        Destination::open(Some(&old), &[]).expect("writable");
        Destination::open(Some(&folder.path().join("new")), &[]).expect("writable");
        assert_eq!(fs::read_to_string(&old).expect("still there"), "before");
        assert_eq!(fs::read_dir(folder.path()).expect("still there").count(), 1);
    }

    #[test]
    fn an_input_file_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let input = folder.path().join("in.toml");
        fs::write(&input, "[machine]").expect("a file for the test");
        let same = folder.path().join(".").join("in.toml");
        let refused = Destination::open(Some(&same), &[input]).expect_err("the output is an input");
        assert!(refused.to_string().contains("is also an input file"), "{refused}");
    }

    #[test]
    fn a_file_gets_no_colours() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("out");
        let target = Destination::open(Some(&path), &[]).expect("writable");
        target.deliver("\u{1b}[1mbold\u{1b}[0m\n").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("written"), "bold\n");
    }
}

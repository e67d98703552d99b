//! The destination of a result: standard output, or a file that is written completely or not at all.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anstream::adapter::StripStr;
use clap::{Args, ValueEnum, ValueHint};
pub(crate) use folder::{Folder, FolderFiles, Text, Whole};
use numasim_model::text::is_hidden;
use place::Found;
pub(crate) use place::{NotCreated, Place};

use crate::failure::Failure;
use crate::inputs;

mod draft;
mod folder;
mod place;

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

/// The refusal of `--format markdown` if `what` is not a table.
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

    /// Write the result to FILE
    ///
    /// Whole or not at all, instead of standard output.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

impl OutputArgs {
    /// The destination of the result, checked to be writable.
    pub(crate) fn open(&self) -> Result<Destination, Failure> {
        Destination::open(self.output.as_deref())
    }
}

/// A destination for a result, checked to be writable when it was opened.
#[derive(Debug)]
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// A regular file, existing or not: replaced atomically.
    File(Place),
    /// A pipe or a device, which cannot be replaced.
    Special(PathBuf),
}

impl Destination {
    /// Checks that a result can be written to `output` (`None` and `-`: standard output) and changes nothing.
    ///
    /// For long computations: the destination is opened before them and written after them. A file that the command reads is rejected
    /// (`inputs`).
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

    /// The same for a file in addition to the result, if it was requested.
    pub(crate) fn beside(output: Option<&Path>) -> Result<Option<Self>, Failure> {
        output.map(|path| Self::open(Some(path))).transpose()
    }

    /// A stream for a result that is too long for memory: standard output, a pipe or a device. `None` for a regular file, which is
    /// written completely or not at all.
    pub(crate) fn stream(&self) -> io::Result<Option<Box<dyn Write>>> {
        Ok(match self {
            Self::Stdout => Some(Box::new(io::stdout().lock())),
            Self::Special(path) => Some(Box::new(open_special(path)?)),
            Self::File(_) => None,
        })
    }

    /// Writes the result. Colours reach only a terminal, unless `--color` says otherwise.
    pub(crate) fn deliver(&self, text: &str) -> Result<(), Failure> {
        self.deliver_by(|out| out.write_all(text.as_bytes()))
    }

    /// Writes the result with `write`, which must produce text: long results need not fit in memory.
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

    /// The same for an optional file: without it, `write` has no destination.
    pub(crate) fn deliver_if(
        asked: Option<&Self>,
        write: impl FnOnce(Option<&mut dyn Write>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match asked {
            Some(destination) => destination.deliver_by(|out| write(Some(out))),
            None => write(None).map_err(|error| Failure::output("cannot write").caused_by(&error)),
        }
    }

    /// Writes a result that is not text.
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

/// Prints the output of `--help` or `--version`, with its colours.
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

/// The reader in `numasim ... | head` needs no more data.
fn closed_pipe_is_no_error(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// A pipe or a device. A regular file that replaced it since it was checked is not touched.
fn open_special(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).open(path)?;
    if file.metadata()?.is_file() {
        return Err(io::Error::other("it is another file now"));
    }
    Ok(file)
}

/// Names that systems use for standard output. It may be a file, which then belongs to the user who started the program.
fn is_stdout(path: &Path) -> bool {
    cfg!(unix) && ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

// Files by their names: the folder of a file, and opening the file itself rather than the target of a link.

/// Opening fails if the name is a symbolic link.
fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flag = rustix::fs::OFlags::NOFOLLOW.bits();
        options.custom_flags(flag.cast_signed());
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    }
    options
}

/// The folder of a file; `.` if the path does not contain one.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

// A result in pieces: long results are never held in memory as a whole.

/// Number of bytes that are held before they are passed on, at the next end of a line.
const ENOUGH: usize = 64 << 10;

/// Writes text to `out`, without sequences that could harm a terminal, and without colours if `out` does not support them.
///
/// Text is passed on at ends of lines: no colour sequence contains one.
struct Printout<W: Write> {
    out: W,
    /// Its end is an incomplete line.
    held: Vec<u8>,
    /// Length of the complete lines in `held`.
    whole: usize,
    tamed: bool,
    /// Removes the colours. `None` if they are kept.
    strip: Option<StripStr>,
    /// Whether the text so far contained only letters, digits, signs and ends of lines, so that there was nothing to remove.
    plain_so_far: bool,
}

impl<W: Write> Printout<W> {
    /// For a terminal, or a program that reads text for a terminal.
    fn to_terminal(out: W, colours: bool) -> Self {
        Self { tamed: true, ..Self::to_file(out, colours) }
    }

    /// For a file, which gets the text unchanged except for colours.
    fn to_file(out: W, colours: bool) -> Self {
        let strip = (!colours).then(StripStr::new);
        Self { out, held: Vec::new(), whole: 0, tamed: false, strip, plain_so_far: true }
    }

    /// Passes on the remaining text.
    fn finish(mut self) -> io::Result<()> {
        self.whole = self.held.len();
        self.pass_on()?;
        self.out.flush()
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let lines = &self.held[..self.whole];
        // Most of a long result is plain: checking each character takes longer than creating it.
        self.plain_so_far &= is_plain(lines);
        if self.plain_so_far {
            self.out.write_all(lines)?;
        } else {
            let text =
                str::from_utf8(lines).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            let text = if self.tamed { tame(text) } else { Cow::Borrowed(text) };
            match &mut self.strip {
                None => self.out.write_all(text.as_bytes())?,
                Some(strip) => {
                    for part in strip.strip_next(&text) {
                        self.out.write_all(part.as_bytes())?;
                    }
                }
            }
        }
        self.held.drain(..self.whole);
        self.whole = 0;
        Ok(())
    }
}

impl<W: Write> Write for Printout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = &bytes[..bytes.len().min(ENOUGH)];
        if let Some(end) = taken.iter().rposition(|&byte| byte == b'\n') {
            self.whole = self.held.len() + end + 1;
        }
        self.held.extend_from_slice(taken);
        if self.held.len() >= ENOUGH && self.whole > 0 {
            self.pass_on()?;
        }
        Ok(taken.len())
    }

    /// Lines wait until there are enough of them.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether these are only characters that a terminal prints as they are.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |&byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    // In blocks without early exit, which the compiler makes fast.
    bytes.chunks(256).all(|block| block.iter().fold(true, |all, byte| all & plain(byte)))
}

#[cfg(test)]
mod printout_tests {
    use super::*;

    /// As one piece and as many pieces.
    fn printed(text: &str, colours: bool, terminal: bool) -> String {
        let all = [text.len(), 7, 1].map(|length| {
            let mut out = Vec::new();
            let made = if terminal { Printout::to_terminal } else { Printout::to_file };
            let mut printout = made(&mut out, colours);
            for piece in text.as_bytes().chunks(length.max(1)) {
                printout.write_all(piece).expect("memory");
            }
            printout.finish().expect("memory");
            String::from_utf8(out).expect("text")
        });
        assert!(all[0] == all[1] && all[1] == all[2], "{all:?}");
        all[0].clone()
    }

    #[test]
    fn colours_reach_only_those_that_take_them() {
        let text = "\u{1b}[1mbold\u{1b}[0m\nplain";
        assert_eq!(printed(text, true, true), text);
        assert_eq!(printed(text, false, true), "bold\nplain");
        assert_eq!(printed(text, false, false), "bold\nplain");
    }

    #[test]
    fn a_terminal_gets_nothing_hidden() {
        assert_eq!(printed("a\u{1b}[2Jb\u{202e}\n", true, true), "a\\u{1b}[2Jb\\u{202e}\n");
        assert_eq!(printed("\u{202e}ä\n", false, false), "\u{202e}ä\n");
    }

    #[test]
    fn long_text_arrives_whole_whatever_its_lines_are() {
        // Two-byte umlauts cross the borders of the pieces; the first text has no end of line.
        for line in ["xä", "xä\n", "ä\u{1b}[1mö\u{1b}[0m\n", "plain\n"] {
            let text = line.repeat(100_000);
            let mut out = Vec::new();
            let mut printout = Printout::to_file(&mut out, true);
            printout.write_all(text.as_bytes()).expect("memory");
            printout.finish().expect("memory");
            assert!(out == text.as_bytes(), "{line:?}");
        }
    }

    #[test]
    fn of_long_text_only_the_last_lines_are_held() {
        let mut printout = Printout::to_file(io::sink(), false);
        for _ in 0..1_000_000 {
            printout.write_all(b"a line\n").expect("nothing is written");
            assert!(printout.held.len() <= ENOUGH);
        }
    }
}

// The effects that a result may have on a terminal: text, line breaks and colours. Names and remarks in input files have no other effect.

/// The text with everything escaped that has an effect on a terminal other than printing or colouring: other sequences, control
/// characters, changes of direction.
pub(crate) fn tame(text: &str) -> Cow<'_, str> {
    let suspect = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    if !text.contains(suspect) {
        return Cow::Borrowed(text);
    }
    let mut tamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(suspect) {
        tamed.push_str(&rest[..at]);
        rest = &rest[at..];
        let colour = colour_at_start(rest);
        if colour > 0 {
            tamed.push_str(&rest[..colour]);
            rest = &rest[colour..];
        } else if let Some(c) = rest.chars().next() {
            tamed.extend(c.escape_default());
            rest = &rest[c.len_utf8()..];
        }
    }
    tamed.push_str(rest);
    Cow::Owned(tamed)
}

/// Length of the sequence that sets colours (SGR of ECMA-48) at the start of the text; 0 if there is none.
fn colour_at_start(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return 0 };
    let length = parameters.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if parameters[length..].starts_with('m') { "\u{1b}[".len() + length + "m".len() } else { 0 }
}

#[cfg(test)]
mod tame_tests {
    use super::*;

    #[test]
    fn colours_pass_and_nothing_else() {
        let coloured = "\u{1b}[1;31mred\u{1b}[0m\tplain\n";
        assert!(matches!(tame(coloured), Cow::Borrowed(_)) || tame(coloured) == coloured);
        // Clears the screen, sets the title, hides the following text, begins an unterminated sequence.
        let hostile = "a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{202e}d\r\u{1b}[1";
        assert_eq!(tame(hostile), "a\\u{1b}[2Jb\\u{1b}]0;title\\u{7}c\\u{202e}d\\r\\u{1b}[1");
    }
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

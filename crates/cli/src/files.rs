//! From paths to a checked study: the only module that reads input files from disk or from the catalogue.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use numasim_ask::Input;
use numasim_ask::reading::Reading;
use numasim_bench::bundle::{self, Bundle};
use numasim_model::text::visible;
use numasim_plan::{Fault, File, Lines};
use numasim_study::{MAX_TEXT_BYTES, Problem, ProblemKind, SourceFile};

use crate::catalog::{self, Unknown};
use crate::diagnostics::LineProblem;
use crate::failure::Failure;
use crate::output::Whole;
use crate::{diagnostics, inputs, watch};

/// Reads and checks the files of a study. `-` is standard input, `@NAME` a file of the catalogue.
///
/// All files that cannot be read are reported together. If all can be read, all problems in them are reported.
pub(crate) fn read_study(paths: &[PathBuf]) -> Result<Reading, Failure> {
    read_study_and_texts(paths).map(|(reading, _)| reading)
}

/// As [`read_study`], with the texts from which the result was created.
pub(crate) fn read_study_and_texts(paths: &[PathBuf]) -> Result<(Reading, Vec<SourceFile>), Failure> {
    let sources = read_texts(paths)?;
    let reading = read_from_texts(&sources)?;
    Ok((reading, sources))
}

/// The files of a study, as questions use them.
pub(crate) fn read_input(paths: &[PathBuf]) -> Result<Input, Failure> {
    let (reading, sources) = read_study_and_texts(paths)?;
    Ok(Input::of_reading(reading, sources))
}

/// The same for commands that start external programs and do not compute their speed.
#[cfg(target_os = "linux")]
pub(crate) fn read_input_of_programs(paths: &[PathBuf]) -> Result<Input, Failure> {
    let sources = read_texts(paths)?;
    Ok(Input::of_reading(read_programs(&sources)?, sources))
}

/// The study of these texts, for commands that do not compute the speed of external programs.
pub(crate) fn read_programs(sources: &[SourceFile]) -> Result<Reading, Failure> {
    numasim_ask::reading::read_programs(sources).map_err(|problems| to_failure(&problems, sources))
}

/// The texts of the files of a study.
pub(crate) fn read_texts(paths: &[PathBuf]) -> Result<Vec<SourceFile>, Failure> {
    read_sources(paths).map_err(|problems| to_failure(&problems, &[]))
}

/// The study of these texts.
pub(crate) fn read_from_texts(sources: &[SourceFile]) -> Result<Reading, Failure> {
    numasim_ask::reading::read_study(sources).map_err(|problems| to_failure(&problems, sources))
}

/// The text of an hwloc XML.
pub(crate) fn read_topology(path: &Path) -> Result<String, Failure> {
    read_other(path, &TOML)
}

/// A file of measurements (`compare`, `import`): its name and its text.
pub(crate) fn read_measurements(path: &Path) -> Result<SourceFile, Failure> {
    Ok(SourceFile { name: named(path), text: read_other(path, &MEASUREMENTS)? })
}

/// Whether the name of a path ends with `ending`.
pub(crate) fn ends_with(path: &Path, ending: &str) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(ending))
}

/// A graph of another tool (`import`): its name and its text.
pub(crate) fn read_graph(path: &Path) -> Result<SourceFile, Failure> {
    Ok(SourceFile { name: named(path), text: read_other(path, &GRAPH)? })
}

/// One CSV of a graph of tasks (`tasks --graph`): its name and its text.
pub(crate) fn read_graph_csv(path: &Path) -> Result<SourceFile, Failure> {
    Ok(SourceFile { name: named(path), text: read_other(path, &GRAPH_CSV)? })
}

/// A trace that is read line by line: its name and its bytes. `-` is standard input.
pub(crate) fn open_trace(path: &Path) -> Result<(String, Box<dyn BufRead>), Failure> {
    let name = named(path);
    if path != Path::new("-") {
        inputs::note(path);
    }
    let opened = || -> io::Result<Box<dyn BufRead>> {
        let mut from: Box<dyn BufRead> = if path == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(BufReader::new(fs::File::open(path)?))
        };
        if !path.is_dir() && from.fill_buf()?.starts_with(MARK) {
            from.consume(MARK.len());
        }
        Ok(from)
    };
    match opened() {
        Ok(from) => Ok((name, from)),
        Err(error) => Err(Failure::input(format!("{name} cannot be read")).caused_by(&error)),
    }
}

/// The byte order mark of UTF-8, which Windows editors write at the beginning of a text.
pub(crate) const MARK: &[u8] = "\u{feff}".as_bytes();

/// The files of a folder, in order, without its subfolders.
pub(crate) fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable =
        |error: io::Error| Failure::input(format!("{} cannot be read", folder.display())).caused_by(&error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(unreadable)?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

/// The text of a small file that this program wrote; otherwise the reason why it cannot be read, as a sentence.
pub(crate) fn read_small(path: &Path) -> Result<String, String> {
    read_text(path, &TOML).map_err(|why| format!("{} {}", named(path), why.message))
}

/// The bytes of a small file that this program wrote; `None` if the file is longer than any such file.
pub(crate) fn read_small_bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_bytes(path, TOML.most_bytes)
}

/// The first line of a CSV that is not a comment; `None` if it cannot be read.
pub(crate) fn csv_header(path: &Path) -> Option<String> {
    /// Headers are shorter.
    const MOST_BYTES: u64 = 64 << 10;
    inputs::note(path);
    let lines = BufReader::new(fs::File::open(path).ok()?.take(MOST_BYTES)).lines().map_while(Result::ok);
    let mut lines = lines.map(|line| line.trim_start_matches('\u{feff}').trim().to_owned());
    lines.find(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Problems in the text of a file.
pub(crate) fn refused(problems: &[Problem], source: SourceFile) -> Failure {
    to_failure(problems, &[source])
}

/// The same for several files.
pub(crate) fn refused_among(problem: Problem, sources: &[SourceFile]) -> Failure {
    to_failure(&[problem], sources)
}

fn read_other(path: &Path, kind: &Kind) -> Result<String, Failure> {
    read_text(path, kind)
        .map_err(|why| Failure::input(format!("{} {}", named(path), why.message)).hint(why.hint))
}

/// The name of a file in the form for all messages: on one line.
fn named(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}

fn to_failure(problems: &[Problem], sources: &[SourceFile]) -> Failure {
    Failure::Diagnostics(diagnostics::render(problems, sources, true))
}

fn read_sources(paths: &[PathBuf]) -> Result<Vec<SourceFile>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut sources = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let name = named(path);
        if paths[..index].iter().any(|earlier| same_file(earlier, path)) {
            let message = format!("{name} is named twice");
            problems.push(Problem::new(ProblemKind::NoFile, message).hint("name each file once"));
            continue;
        }
        let read = match catalog::named_by(path) {
            Some(named) => catalog::find(named).map(|entry| entry.text.to_owned()),
            None => read_text(path, &TOML)
                .map_err(|why| Unknown { message: why.message, hint: why.hint.to_owned() }),
        };
        match read {
            Ok(text) => sources.push(SourceFile { name, text }),
            Err(why) => problems
                .push(Problem::new(ProblemKind::NoFile, format!("{name} {}", why.message)).hint(why.hint)),
        }
    }
    if problems.is_empty() { Ok(sources) } else { Err(problems) }
}

fn same_file(a: &Path, b: &Path) -> bool {
    let in_catalog = |path| catalog::named_by(path).map(catalog::find);
    match (in_catalog(a), in_catalog(b)) {
        (Some(a), Some(b)) => return a.is_ok() && a == b,
        (Some(_), None) | (None, Some(_)) => return false,
        (None, None) => {}
    }
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// The reason why a file cannot be read: the rest of a sentence that begins with its name.
struct Why {
    message: String,
    hint: &'static str,
}

/// Expectations for a kind of file.
struct Kind {
    most_bytes: usize,
    name_one: &'static str,
    name_them: &'static str,
    too_large: &'static str,
}

const TOML: Kind = Kind {
    most_bytes: MAX_TEXT_BYTES,
    name_one: "name a TOML file",
    name_them: "name the TOML files in it one by one",
    too_large: "is this an input file? Even a full matrix of 1024 nodes is smaller",
};

const MEASUREMENTS: Kind = Kind {
    most_bytes: 256 << 20, // a million rows of the benchmark
    name_one: "name a file of measurements",
    name_them: "name a file in it",
    too_large: "are these measurements? A million rows are smaller",
};

const GRAPH: Kind = Kind {
    most_bytes: 512 << 20,
    name_one: "name a file with a graph of tasks",
    name_them: "name a file in it",
    too_large: "with what is made of it, it would need more than 4 GiB of memory",
};

const GRAPH_CSV: Kind = Kind {
    most_bytes: 1 << 30, // 10^7 tasks with several accesses each
    name_one: "a graph is a folder with blocks.csv and tasks.csv, as --emit-graph and import write them",
    name_them: "a graph is a folder with blocks.csv and tasks.csv, as --emit-graph and import write them",
    too_large: "with what is made of it, it would need more than 4 GiB of memory",
};

impl Why {
    fn of(error: &io::Error, kind: &Kind) -> Self {
        match error.kind() {
            ErrorKind::NotFound => {
                Self { message: "does not exist".into(), hint: "check the path and the spelling" }
            }
            ErrorKind::IsADirectory => Self { message: "is a directory".into(), hint: kind.name_them },
            ErrorKind::PermissionDenied => {
                Self { message: "cannot be read: permission denied".into(), hint: "check who may read it" }
            }
            _ => Self { message: format!("cannot be read: {error}"), hint: kind.name_one },
        }
    }

    fn too_large(kind: &Kind) -> Self {
        let message = format!("is too large: more than {} MiB", kind.most_bytes >> 20);
        Self { message, hint: kind.too_large }
    }
}

fn read_text(path: &Path, kind: &Kind) -> Result<String, Why> {
    let bytes = read_bytes(path, kind.most_bytes).map_err(|error| Why::of(&error, kind))?;
    let Some(mut bytes) = bytes else { return Err(Why::too_large(kind)) };
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Why { message: "is UTF-16 text".into(), hint: "save the file with the encoding UTF-8" });
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..offset]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
        let message = format!(
            "is not UTF-8 text: byte 0x{byte:02X} at line {line}, column {column} (offset {offset} in the file)"
        );
        Why { message, hint: "save the file with the encoding UTF-8" }
    })
}

/// `None` if there are more than `most` bytes. Reads at most one byte more than that, so that an endless file also terminates; reads
/// nothing if the size of the file already exceeds the limit.
fn read_bytes(path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
    let most = most as u64;
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().take(most + 1).read_to_end(&mut bytes)?;
    } else {
        inputs::note(path);
        let file = fs::File::open(path)?;
        if file.metadata()?.len() > most {
            return Ok(None);
        }
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}

// Bundles of `numasim validate`, from disk into memory.

const BUNDLE: Kind = Kind {
    most_bytes: bundle::MOST_BYTES,
    name_one: "name a bundle of `numasim validate --bundle`",
    name_them: "name the bundles in it one by one",
    too_large: "is this a bundle? Those of a million measurements are smaller",
};

/// Whether a path is that of a bundle, according to its name.
pub(crate) fn is_bundle(path: &Path) -> bool {
    ends_with(path, bundle::ENDING)
}

/// A bundle of `numasim validate`, checked.
pub(crate) fn read_bundle(path: &Path) -> Result<Bundle, Failure> {
    let refused = |why: &str| Failure::input(format!("{} {why}", named(path)));
    let unread = |why: Why| refused(&why.message).hint(why.hint);
    let bytes = read_bytes(path, BUNDLE.most_bytes).map_err(|error| unread(Why::of(&error, &BUNDLE)))?;
    let Some(bytes) = bytes else { return Err(unread(Why::too_large(&BUNDLE))) };
    Bundle::from_bytes(&bytes).map_err(|error| {
        refused(&error.to_string()).hint(
            "a bundle is what `numasim validate --bundle` writes; who sent it makes it again with `numasim validate -o DIR --resume \
             --bundle FILE.tar.zst`",
        )
    })
}

// Files of profiles and plans, line by line: they may be longer than memory.

/// The longest line that is read; the path of a program is shorter.
const LONGEST: u64 = 1 << 20;
/// Number of lines between two checks for Ctrl-C.
const LINES_PER_LOOK: u64 = 1 << 16;

/// Files of a folder.
pub(crate) struct PlainFiles<'a> {
    folder: &'a Path,
    whole: Whole,
    /// The expected content of the folder.
    expected: &'static str,
}

/// The reason why reading stops before the end.
pub(crate) enum Stop {
    /// A line contains a mistake.
    Fault(Fault),
    /// A file cannot be read, or Ctrl-C was pressed.
    Failure(Failure),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<'a> PlainFiles<'a> {
    /// `files` are the files to be read.
    ///
    /// # Errors
    /// A run was killed while it wrote to the folder.
    pub(crate) fn in_folder(
        folder: &'a Path,
        files: &[File],
        expected: &'static str,
    ) -> Result<Self, Failure> {
        Ok(Self { folder, whole: Whole::look(folder, files.iter().map(|file| file.as_str()))?, expected })
    }

    /// Checks that all files that were read are from one run.
    ///
    /// # Errors
    /// A file was written in the meantime.
    pub(crate) fn are_unchanged(&self) -> Result<(), Failure> {
        self.whole.is_unchanged()
    }

    /// Passes on all lines of a file.
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

    /// The message for the user.
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
        self.folder.join(file.as_str())
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

    /// Reads a line without its end; returns whether there was one.
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
        if before == 0 && bytes.starts_with(MARK) {
            bytes.drain(..MARK.len());
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

    /// The text of the line with a fault, read again.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(paths: &[PathBuf]) -> Vec<String> {
        read_sources(paths).expect_err("bad files").into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn every_file_that_cannot_be_read_is_reported() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let latin = folder.path().join("latin.toml");
        // "# é" in Latin-1, in the second line
        std::fs::write(&latin, b"a = 1\n# \xE9\n").expect("a file for the test");
        let missing = folder.path().join("missing.toml");
        let found = messages(&[folder.path().to_owned(), missing, latin.clone(), latin]);
        assert!(found[0].ends_with("is a directory"), "{found:?}");
        assert!(found[1].ends_with("does not exist"), "{found:?}");
        assert!(
            found[2].ends_with("is not UTF-8 text: byte 0xE9 at line 2, column 3 (offset 8 in the file)"),
            "{found:?}"
        );
        assert!(found[3].ends_with("is named twice"), "{found:?}");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "\u{feff}a = 1\n").expect("a file for the test");
        assert_eq!(read_topology(&path).ok().as_deref(), Some("a = 1\n"));
        assert_eq!(csv_header(&path).as_deref(), Some("a = 1"));
        let mut trace = String::new();
        let Ok((_, mut from)) = open_trace(&path) else { panic!("{} is there", path.display()) };
        from.read_to_string(&mut trace).expect("read");
        assert_eq!(trace, "a = 1\n");
        // As written by PowerShell when output is redirected.
        std::fs::write(&path, [0xff, 0xfe, b'a', 0]).expect("a file for the test");
        assert!(messages(&[path])[0].ends_with("is UTF-16 text"));
    }

    #[test]
    fn the_same_file_by_another_path_is_named_twice() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let file = folder.path().join("a.toml");
        std::fs::write(&file, "").expect("a file for the test");
        let found = messages(&[file.clone(), folder.path().join(".").join("a.toml")]);
        assert!(found[0].ends_with("is named twice"), "{found:?}");
    }

    #[test]
    fn a_file_of_the_catalogue_is_named_twice_by_two_names() {
        let paths = ["@epyc-7501-2s", "@machines/epyc-7501-2s", "@epyc-7501"].map(PathBuf::from);
        let found = messages(&paths);
        assert_eq!(
            found,
            ["@machines/epyc-7501-2s is named twice", "@epyc-7501 is not in the catalogue"],
            "{found:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_file_is_too_large() {
        assert_eq!(messages(&[PathBuf::from("/dev/zero")]), ["/dev/zero is too large: more than 8 MiB"]);
    }
}

//! Files that this process reads. Outputs never replace them.
//!
//! The command line names most of them: every path that is not the value of an output option is an input ([`of_command_line`]), so new
//! options are protected automatically. Code that reads files adds each file that it opens ([`note`]). Every output is compared with
//! both, when it is opened and again just before it gets its name ([`refuse`]).

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use crate::catalog;
use crate::failure::Failure;

/// Options and arguments whose value is a file or a folder that the command writes. The values of all others are read.
const OUTPUTS: [&str; 13] = [
    "output",
    "save",
    "plot",
    "plots",
    "timeline",
    "trace",
    "gantt",
    "emit_graph",
    "emit_machine",
    "emit_scenarios",
    "record",
    "dir",
    "folder",
];
/// Paths that are not files: sockets.
const NEITHER: [&str; 1] = ["socket"];

/// Names of files that commands read from folders: an output with such a name would be read as data the next time.
const READ_BY_NAME: [&str; 8] = [
    "result.json",
    "timeline.csv",
    "agent.jsonl",
    "blocks.csv",
    "tasks.csv",
    "plan-tree.csv",
    "plan-dbs.csv",
    "sweep.json",
];

/// The known files of this process.
static KNOWN: Mutex<Known> =
    Mutex::new(Known { files: Vec::new(), folders: Vec::new(), outputs: Vec::new() });

struct Known {
    files: Vec<Input>,
    folders: Vec<InputFolder>,
    outputs: Vec<Output>,
}

/// A file that is read.
struct Input {
    named: PathBuf,
    resolved: PathBuf,
    /// The identity of a file without a name, which this process holds open. Identities of other files are looked up for each comparison,
    /// because the number of a deleted file may be reused.
    open: Option<Identity>,
}

/// A folder whose files are read.
struct InputFolder {
    named: PathBuf,
    resolved: PathBuf,
    /// Whether the command reads, or might read, a file with this name.
    is_read: fn(&str) -> bool,
}

/// A requested output on the command line.
struct Output {
    switch: String,
    named: PathBuf,
    resolved: PathBuf,
}

impl Input {
    fn of(path: &Path) -> Self {
        Self { named: path.to_owned(), resolved: resolved(path), open: None }
    }

    fn is(&self, resolved: &Path, wanted: Option<Identity>) -> bool {
        self.resolved == resolved
            || wanted.is_some() && self.open.or_else(|| identity(&self.resolved)) == wanted
    }
}

fn known() -> MutexGuard<'static, Known> {
    // A path is added completely or not at all.
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads inputs and outputs from the command line.
///
/// # Errors
/// Two outputs with the same name.
pub(crate) fn of_command_line(program: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    let mut known = known();
    known.files.extend(standard_input());
    let (mut command, mut matches) = (program, matches);
    while let Some((name, below)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { break };
        (command, matches) = (found, below);
        let is_path = |parser: &ValueParser| parser.type_id() == ValueParser::path_buf().type_id();
        for arg in command.get_arguments().filter(|arg| is_path(arg.get_value_parser())) {
            let id = arg.get_id().as_str();
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let paths = matches.get_raw(id).into_iter().flatten().map(PathBuf::from);
            let paths = paths.filter(|path| path != Path::new("-"));
            match role(name, id) {
                Role::Neither => {}
                Role::Output => {
                    let switch = match (arg.get_short(), arg.get_long()) {
                        (Some(short), _) => format!("-{short}"),
                        (None, Some(long)) => format!("--{long}"),
                        (None, None) => id.to_uppercase(),
                    };
                    paths.for_each(|path| known.outputs.push(Output::of(switch.clone(), path)));
                }
                Role::Input => paths.for_each(|path| known.read(name, id, &path)),
            }
        }
    }
    known.two_of_one_name().map_or(Ok(()), Err)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Input,
    Output,
    Neither,
}

fn role(command: &str, id: &str) -> Role {
    match (command, id) {
        ("validate", "bundle") => Role::Output,
        _ if OUTPUTS.contains(&id) => Role::Output,
        _ if NEITHER.contains(&id) => Role::Neither,
        _ => Role::Input,
    }
}

/// The files of a folder that a command might read: all, unless the command is more specific. Pages and joined rows are often written
/// repeatedly into the folder that they are created from.
fn is_read(command: &str, id: &str) -> fn(&str) -> bool {
    match (command, id) {
        ("report", _) => {
            |name| !Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"))
        }
        ("plan", "from") => |name| name.starts_with("ptrace-"),
        ("sweep", "collect") => |name| {
            let begins = ["part-", "input-", "shard-", "sweep.json", "sweep.sbatch"];
            begins.iter().any(|begin| name.starts_with(begin))
        },
        _ => |_| true,
    }
}

/// The file behind standard input, if it is one.
fn standard_input() -> Option<Input> {
    let open = Some(behind(std::io::stdin())?);
    let named = PathBuf::from("standard input");
    Some(Input { resolved: named.clone(), named, open })
}

/// The regular file behind a stream.
#[cfg(unix)]
fn behind(stream: impl std::os::fd::AsFd) -> Option<Identity> {
    let file = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
    Identity::of(&file.metadata().ok().filter(fs::Metadata::is_file)?)
}

#[cfg(not(unix))]
fn behind<S>(_: S) -> Option<Identity> {
    None
}

impl Output {
    fn of(switch: String, named: PathBuf) -> Self {
        Self { switch, resolved: resolved(&named), named }
    }

    /// A pipe or a device can receive several results.
    fn is_special(&self) -> bool {
        fs::metadata(&self.named).is_ok_and(|found| !found.is_file() && !found.is_dir())
    }
}

impl Known {
    fn read(&mut self, command: &str, id: &str, path: &Path) {
        if catalog::named_by(path).is_some() {
            return;
        }
        if path.is_dir() {
            let (named, resolved) = (path.to_owned(), resolved(path));
            self.folders.push(InputFolder { named, resolved, is_read: is_read(command, id) });
        } else {
            self.files.push(Input::of(path));
        }
    }

    fn two_of_one_name(&self) -> Option<Failure> {
        let mut rest = self.outputs.as_slice();
        while let [first, others @ ..] = rest {
            rest = others;
            if let Some(other) =
                others.iter().find(|other| other.resolved == first.resolved && !first.is_special())
            {
                // The result is named first, as in every help text.
                let (a, b) = if other.switch == "-o" { (other, first) } else { (first, other) };
                let message = format!("{} and {} name the same file", a.switch, b.switch);
                return Some(Failure::input(message).hint("give them different names"));
            }
        }
        None
    }

    /// The option of this output.
    fn switch(&self, resolved: &Path) -> &str {
        let of_output = |output: &&Output| resolved.starts_with(&output.resolved);
        self.outputs.iter().find(of_output).map_or("-o", |output| &output.switch)
    }
}

/// Notes that a file is about to be read: no output replaces it from now on. Files in a folder that the command writes are results that
/// it reads again, and are not noted.
pub(crate) fn note(path: &Path) {
    // A missing file is not read.
    if path == Path::new("-") || fs::symlink_metadata(path).is_err() {
        return;
    }
    let input = Input::of(path);
    let mut known = known();
    let is_below =
        |output: &Output| input.resolved != output.resolved && input.resolved.starts_with(&output.resolved);
    let is_result = known.outputs.iter().any(is_below);
    if !is_result && !known.files.iter().any(|known| known.resolved == input.resolved) {
        known.files.push(input);
    }
}

/// Checks that `path` is not an input, and does not have a name in an input folder that the command reads.
///
/// # Errors
/// It is an input, with the reason.
pub(crate) fn refuse(path: &Path) -> Result<(), Failure> {
    let known = known();
    let (place, identity) = (resolved(path), identity(path));
    let switch = known.switch(&place);
    if let Some(input) = known.files.iter().find(|input| input.is(&place, identity)) {
        let failure = Failure::input(format!("{} is also an input file", path.display()));
        let failure = if input.resolved == place {
            failure
        } else {
            failure.because(format!("it is the same file as {}", input.named.display()))
        };
        return Err(failure.hint(format!("give {switch} the name of another file")));
    }
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let of_folder = |folder: &&InputFolder| {
        let is_in = place.parent() == Some(&folder.resolved);
        let is_there = fs::symlink_metadata(path).is_ok();
        is_in
            && (folder.is_read)(&name)
            && (is_there || READ_BY_NAME.contains(&name.as_str()) || name.starts_with("ptrace-"))
    };
    if let Some(folder) = known.folders.iter().find(of_folder) {
        let message =
            format!("{} is in {}, a folder that this command reads", path.display(), folder.named.display());
        return Err(Failure::input(message).hint(format!("give {switch} a name in another folder")));
    }
    match known.folders.iter().find_map(|folder| linked_in(folder, path, identity)) {
        None => Ok(()),
        Some(other) => Err(Failure::input(format!("{} is also an input file", path.display()))
            .because(format!("it is the same file as {}", other.display()))
            .hint(format!("give {switch} the name of another file"))),
    }
}

/// Checks that standard output, which a shell may have redirected into a file (`>>`), is not an input.
///
/// # Errors
/// It is an input.
pub(crate) fn refuse_standard_output() -> Result<(), Failure> {
    if let Some(behind) = behind(std::io::stdout()) {
        let known = known();
        let is_input = |input: &&Input| input.open.or_else(|| identity(&input.resolved)) == Some(behind);
        if let Some(input) = known.files.iter().find(is_input) {
            return Err(Failure::input(format!(
                "standard output is {}, which is also an input file",
                input.named.display()
            ))
            .hint("send it into another file"));
        }
    }
    Ok(())
}

/// Checks that two outputs of this process do not share a file: `path` is created next to another output and is not on the command line.
///
/// # Errors
/// They share a file.
pub(crate) fn refuse_second(path: &Path) -> Result<(), Failure> {
    let (known, place) = (known(), resolved(path));
    match known.outputs.iter().find(|output| output.resolved == place) {
        None => Ok(()),
        Some(output) => Err(Failure::input(format!("{} is also written for another output", path.display()))
            .hint(format!("give {} another name", output.switch))),
    }
}

/// The file in the folder that `path` is a second name of.
fn linked_in(folder: &InputFolder, path: &Path, wanted: Option<Identity>) -> Option<PathBuf> {
    let wanted = wanted.filter(|_| is_linked_twice(path))?;
    let files = fs::read_dir(&folder.named).ok()?.map_while(Result::ok).map(|entry| entry.path());
    files.into_iter().find(|file| identity(file) == Some(wanted))
}

/// The values of an option as they appear on the command line, for the test.
#[cfg(test)]
fn roles(program: &Command) -> String {
    fn of(command: &Command, path: &str, rows: &mut String) {
        for arg in command.get_arguments() {
            if arg.get_value_parser().type_id() == ValueParser::path_buf().type_id() {
                let id = arg.get_id().as_str();
                let _ = std::fmt::Write::write_fmt(
                    rows,
                    format_args!("{path} {id}: {:?}\n", role(command.get_name(), id)),
                );
            }
        }
        for below in command.get_subcommands() {
            of(below, format!("{path} {}", below.get_name()).trim(), rows);
        }
    }
    let mut rows = String::new();
    of(program, "", &mut rows);
    rows
}

// The file behind a name, resolved through `..`, symbolic links and hard links.

/// Device and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
}

impl Identity {
    /// The identity of an open file; `None` if the system has no such numbers.
    #[cfg_attr(unix, allow(clippy::unnecessary_wraps, reason = "other systems have no such numbers"))]
    fn of(found: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Some(Self { device: found.dev(), number: found.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = found;
            None
        }
    }
}

/// The identity of the regular file with this name.
fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().filter(Metadata::is_file).as_ref().and_then(Identity::of)
}

/// Whether the file has a second name.
fn is_linked_twice(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).is_ok_and(|found| found.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The name without links and `..`, including the name of a file that does not exist yet.
fn resolved(path: &Path) -> PathBuf {
    let of_folder = || {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok::<_, io::Error>(folder.canonicalize()?.join(name))
    };
    path.canonicalize()
        .or_else(|_| of_folder())
        .unwrap_or_else(|_| std::path::absolute(path).unwrap_or(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_path_of_the_command_line_is_read_or_written() {
        insta::assert_snapshot!(roles(&Cli::command()));
    }
}

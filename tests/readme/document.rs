//! A document of the repository: its fenced blocks, the commands in them, and a check of the shown outputs.

/// Commands that are not run: the build itself and system installation.
const SKIPPED: [&str; 4] = ["cargo test ", "cargo build ", "cargo install ", "apt install "];

/// The beginnings of commands that are run.
const STARTS: [&str; 3] = ["numasim ", "cargo run --release -- ", "mkdir -p "];

/// One fenced block.
pub(crate) struct Block {
    /// The line before it.
    before: String,
    language: String,
    pub(crate) text: String,
}

impl Block {
    /// The value in a comment `<!-- KIND: VALUE -->` before the block.
    fn mark(&self, kind: &str) -> Option<&str> {
        self.before.strip_prefix("<!-- ")?.strip_suffix(" -->")?.strip_prefix(kind)?.strip_prefix(": ")
    }

    /// The file whose text is the block.
    pub(crate) fn file(&self) -> Option<&str> {
        self.mark("file").filter(|_| self.language == "toml")
    }

    /// The exit code of the command that prints this block.
    fn exit_code(&self) -> Option<i32> {
        if self.before == "<!-- output -->" {
            return Some(0);
        }
        self.before.strip_prefix("<!-- output, exit code ")?.strip_suffix(" -->")?.parse().ok()
    }

    /// Whether it contains marks of left-out lines.
    pub(crate) fn is_an_excerpt(&self) -> bool {
        self.text.lines().any(|line| line == "...")
    }

    /// The reason why no test would detect an error in the block.
    fn untested(&self) -> Option<String> {
        let tested = match self.language.as_str() {
            "sh" => true,
            "toml" => self.file().is_some(),
            "text" => self.exit_code().is_some(),
            "bash" => self.mark("run by").is_some_and(|file| super::root().join(file).is_file()),
            _ => false,
        };
        let first = self.text.lines().next().unwrap_or_default();
        (!tested)
            .then(|| format!("nothing tests the block ```{} after `{}`: {first}", self.language, self.before))
    }
}

/// The treatment of a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    Run,
    /// Only its switches are checked against the command line.
    Parsed,
    Skipped,
}

/// A line of an `sh` block, and the block that shows its output.
pub(crate) struct Command<'a> {
    pub(crate) line: &'a str,
    pub(crate) fate: Fate,
    pub(crate) shown: Option<&'a Block>,
}

impl Command<'_> {
    pub(crate) fn exit_code(&self) -> i32 {
        self.shown.and_then(Block::exit_code).unwrap_or(0)
    }
}

/// The fenced blocks of a document, in order.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut before, mut open) = ("", false);
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => (before, open) = ("", false),
            Some(language) => {
                open = true;
                let (before, language) = (before.to_owned(), language.to_owned());
                blocks.push(Block { before, language, text: String::new() });
            }
            None if open => {
                let block = blocks.last_mut().expect("a block is open");
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => before = line,
        }
    }
    assert!(!open, "a fenced block is not closed");
    blocks
}

/// The commands of a document, with their shown output if there is any; every problem of its blocks.
pub(crate) fn commands(blocks: &[Block]) -> Result<Vec<Command<'_>>, String> {
    let mut commands: Vec<Command<'_>> = Vec::new();
    let mut wrong: Vec<String> = blocks.iter().filter_map(Block::untested).collect();
    for block in blocks {
        if block.language == "sh" {
            for line in block.text.lines() {
                let fate = fate(block, line);
                if fate == Fate::Run && !STARTS.iter().any(|start| line.starts_with(start)) {
                    wrong.push(format!("neither run nor in the list of what is not run: {line}"));
                }
                commands.push(Command { line, fate, shown: None });
            }
        } else if block.exit_code().is_some() {
            match commands.iter_mut().rfind(|command| command.fate != Fate::Skipped) {
                Some(command) if command.shown.is_none() => command.shown = Some(block),
                _ => wrong.push(format!("an output without a command that prints it:\n{}", block.text)),
            }
        }
    }
    if wrong.is_empty() { Ok(commands) } else { Err(wrong.join("\n")) }
}

fn fate(block: &Block, line: &str) -> Fate {
    let ours = line.starts_with("numasim ");
    let runs = match (block.mark("needs"), block.mark("not run")) {
        (Some(feature), _) => feature == "hwloc" && cfg!(feature = "hwloc"),
        (None, Some(_)) => false,
        (None, None) => true,
    };
    match (runs, ours) {
        _ if SKIPPED.iter().any(|start| line.starts_with(start)) => Fate::Skipped,
        (true, _) => Fate::Run,
        (false, true) => Fate::Parsed,
        (false, false) => Fate::Skipped,
    }
}

/// `(0.21 s)` becomes `(_ s)`: the duration of a search is not guaranteed. Spaces at the end of lines are invisible.
pub(crate) fn comparable(text: &str) -> Vec<String> {
    let without_time = |line: &str| match line.split_once(" s)") {
        Some((before, after)) => {
            format!("{}_ s){after}", before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
        }
        None => line.to_owned(),
    };
    text.lines().map(|line| without_time(line.trim_end())).collect()
}

/// Whether `shown`, in which `...` stands for any lines, matches `real`.
pub(crate) fn shows(shown: &[String], real: &[String]) -> bool {
    let parts: Vec<&[String]> = shown.split(|line| line == "...").collect();
    let [first, between @ .., last] = parts.as_slice() else { return shown == real };
    let Some(mut rest) = real.strip_prefix(*first) else { return false };
    for part in between {
        let Some(at) = (0..=rest.len()).find(|&at| rest[at..].starts_with(part)) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[test]
fn left_out_lines_match_anything_and_shown_ones_must_follow() {
    let lines = |text: &str| comparable(text);
    let real = lines("a\nb\nc\n(0.21 s)\ne");
    for (shown, expected) in [
        ("a\nb\nc\n(9.00 s)\ne", true),
        ("a\n...\n(1.00 s)\ne", true),
        ("...\nc\n...", true),
        ("a\nb", false),
        ("b\n...", false),
        ("a\n...\nb\n(1.00 s)\n...", false),
        ("a\n...\nc", false),
        ("...\na\nb\nc\n(1.00 s)\ne", true),
        ("...\nx\n...", false),
    ] {
        assert_eq!(shows(&lines(shown), &real), expected, "{shown}");
    }
}

#[test]
fn an_untested_block_is_refused() {
    let refused = |text: &str| commands(&blocks(text)).err().unwrap_or_default();
    for text in [
        "```sh\nnumasim models\n```\n<!-- output, exit code 1 -->\n```text\nerror\n```",
        "<!-- file: a.toml -->\n```toml\n[machine]\n```",
        "<!-- run by: tests/readme.rs -->\n```bash\nparallel ls\n```",
    ] {
        assert_eq!(refused(text), "");
    }
    for (text, reason) in [
        ("```\nnumasim models\n```", "nothing tests the block"),
        ("```shell\nnumasim models\n```", "nothing tests the block"),
        ("```toml\n[machine]\n```", "nothing tests the block"),
        ("```sh\nnumasim models\n```\n\n```text\nprinted\n```", "nothing tests the block"),
        ("<!-- run by: tests/nowhere.rs -->\n```bash\nls\n```", "nothing tests the block"),
        ("```sh\nls\n```", "neither run nor"),
        ("<!-- output -->\n```text\nprinted\n```", "an output without a command"),
        (
            "```sh\ncargo build --release\n```\n<!-- output -->\n```text\nbuilt\n```",
            "an output without a command",
        ),
    ] {
        assert!(refused(text).contains(reason), "{text}: {}", refused(text));
    }
}

#[test]
fn commands_that_are_not_run_are_checked_against_the_command_line() {
    let of = |text: &str| {
        let blocks = blocks(text);
        commands(&blocks).expect("in order").iter().map(|command| command.fate).collect::<Vec<_>>()
    };
    assert_eq!(of("```sh\nnumasim models\napt install numactl\n```"), [Fate::Run, Fate::Skipped]);
    let measures = "<!-- not run: it measures this host -->\n```sh\nnumasim validate -o here\ncargo build --release\n```";
    assert_eq!(of(measures), [Fate::Parsed, Fate::Skipped]);
    let hwloc = if cfg!(feature = "hwloc") { Fate::Run } else { Fate::Parsed };
    assert_eq!(of("<!-- needs: hwloc -->\n```sh\nnumasim detect\n```"), [hwloc]);
}

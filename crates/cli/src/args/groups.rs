//! The commands in groups, for `numasim -h`: clap itself prints one list of thirty.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;

/// The groups, in the order of the help, and their commands.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Ask the model", &["evaluate", "explore", "sweep", "discriminate", "models"]),
    ("Measure and compare", &["calibrate", "bench", "validate", "compare", "fit", "profile-app"]),
    ("Over time", &["simulate", "agent", "run", "top"]),
    ("This host", &["snapshot", "advise"]),
    ("Tasks", &["tasks", "profile", "plan"]),
    (
        "Files and pictures",
        &[
            "init",
            "detect",
            "import",
            "export",
            "catalog",
            "check",
            "plot",
            "report",
            "schema",
            "completions",
            "man",
            "help",
        ],
    ),
];

/// Makes the help of the program show its commands in groups, each with the first sentence of its help.
pub(crate) fn grouped(program: Command) -> Command {
    let header = program.get_styles().get_header();
    let (name, reset) = (program.get_styles().get_literal(), "\u{1b}[0m");
    let widest = program.get_subcommands().map(|one| one.get_name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, names) in GROUPS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}{title}:{reset}", header.render());
        for command in names {
            let about = program.find_subcommand(command).and_then(Command::get_about);
            let about = about.map_or_else(
                || "Print this message, or the help of a command".to_owned(),
                StyledStr::to_string,
            );
            let _ = writeln!(text, "  {}{command:widest$}{reset}  {about}", name.render());
        }
        text.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{}Options:{reset}\n{{options}}{{after-help}}",
        header.render()
    );
    program.help_template(template)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_is_in_one_group() {
        let program = Cli::command();
        let mut known: Vec<&str> = program.get_subcommands().map(Command::get_name).chain(["help"]).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, known);
    }
}

//! The questions of `numasim init`, on standard error, and the answers, line by line.

use std::io::{BufRead, Write};
use std::path::Path;

use numasim_model::text::visible;

use super::{Chosen, Figures, topology};
use super::{Described, template_names};
use crate::args::{AppTemplate, Like, positive};
use crate::catalog;
use crate::failure::Failure;

/// The source of the answers and the destination of the questions.
pub(super) struct Asking<R, W> {
    answers: R,
    questions: W,
}

impl<R: BufRead, W: Write> Asking<R, W> {
    pub(super) fn new(answers: R, questions: W) -> Self {
        Self { answers, questions }
    }

    /// The machine, and for a host the values that cannot be read.
    pub(super) fn machine(&mut self) -> Result<Chosen, Failure> {
        self.say("Press Enter to accept the value in brackets. Nothing is written before the last answer.\n");
        loop {
            let answer = self.ask(
                "Machine: host for this one, a name of the catalogue such as @epyc-7501-2s (? lists them), or a file",
                Some("host"),
            )?;
            match answer.as_str() {
                "host" => {
                    let host = topology()?;
                    let figures = self.figures(host.nodes.len() > 1)?;
                    return Ok(Chosen::of_host(&host, &figures));
                }
                "?" => {
                    let names: Vec<String> =
                        catalog::of_folder("machines").map(catalog::Entry::shortest).collect();
                    self.say(&format!("  {}\n", names.join("\n  ")));
                }
                name => match Chosen::of_path(Path::new(name)) {
                    Ok(chosen) => return Ok(chosen),
                    Err(failure) => self.say(&failure.to_string()),
                },
            }
        }
    }

    fn figures(&mut self, has_links: bool) -> Result<Figures, Failure> {
        let round = Figures::default();
        self.say("Figures that no system tells; numasim calibrate measures them later. [ ] is a round figure, not this host's.\n");
        Ok(Figures {
            gflops_per_core: self
                .number("GFLOPS of one core, clock in GHz x FLOP per cycle", round.gflops_per_core)?,
            bandwidth_gbs: self.number("GB/s of the memory of one NUMA node", round.bandwidth_gbs)?,
            link_gbs: if has_links {
                self.number("GB/s from one node to another", round.link_gbs)?
            } else {
                round.link_gbs
            },
        })
    }

    /// Applications, one by one; at least one.
    pub(super) fn apps(&mut self) -> Result<Vec<AppTemplate>, Failure> {
        let mut apps: Vec<AppTemplate> = Vec::new();
        loop {
            let number = apps.len() + 1;
            let (question, default) = match number {
                1 => (format!("Name of application {number}"), Some("solver")),
                _ => (format!("Name of application {number}, empty for no more"), None),
            };
            let name = self.ask(&question, default)?;
            if name.is_empty() {
                return Ok(apps);
            }
            if apps.iter().any(|app| app.name == name) {
                self.say("  There is one of that name already.\n");
                continue;
            }
            let like = self.like()?;
            apps.push(AppTemplate { name, like });
        }
    }

    fn like(&mut self) -> Result<Like, Failure> {
        loop {
            let answer = self.ask(
                "  FLOP per byte moved to or from memory, such as 0.2, or a similar program (? lists the choices)",
                Some("triad"),
            )?;
            if answer == "?" {
                let names = template_names()?;
                self.say(&format!("  {}\n", names.join(", ")));
                continue;
            }
            let known = Like::parse(&answer).and_then(|like| {
                let app = AppTemplate { name: "app".to_owned(), like: like.clone() };
                Described::of(&app).map(|_| like).map_err(|failure| failure.message().to_owned())
            });
            match known {
                Ok(like) => return Ok(like),
                Err(why) => self.say(&format!("  {why}.\n")),
            }
        }
    }

    fn number(&mut self, question: &str, default: f64) -> Result<f64, Failure> {
        loop {
            let answer = self.ask(question, Some(&default.to_string()))?;
            match positive(&answer) {
                Ok(number) => return Ok(number),
                Err(why) => self.say(&format!("  {why}.\n")),
            }
        }
    }

    /// An answer without surrounding spaces; the default if it is empty.
    ///
    /// # Errors
    /// The answers end, or cannot be read.
    fn ask(&mut self, question: &str, default: Option<&str>) -> Result<String, Failure> {
        /// Names and paths are shorter.
        const LONGEST: u64 = 1 << 16;
        let brackets = default.map_or_else(String::new, |default| format!(" [{default}]"));
        self.say(&format!("{question}{brackets}: "));
        let mut bytes = Vec::new();
        let mut line = std::io::Read::take(&mut self.answers, LONGEST);
        let read = line.read_until(b'\n', &mut bytes);
        let unread = |what: &str| {
            Failure::input(format!("{what}: nothing was written"))
                .hint("answer the questions, or pass everything on the command line: numasim init --machine @NAME --app NAME=INTENSITY")
        };
        match read {
            Ok(0) => {
                self.say("\n");
                return Err(unread("the answers ended before the last question"));
            }
            Ok(_) => {}
            Err(error) => return Err(unread("the answer cannot be read").caused_by(&error)),
        }
        let text = String::from_utf8_lossy(&bytes);
        let answer = text.trim();
        Ok(if answer.is_empty() {
            default.unwrap_or_default().to_owned()
        } else {
            visible(answer).into_owned()
        })
    }

    fn say(&mut self, text: &str) {
        // If standard error is closed, the questions cannot be shown; the answers then also end.
        let _ = self.questions.write_all(text.as_bytes()).and_then(|()| self.questions.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of these answers, and the printed questions.
    fn apps(answers: &str) -> (Result<Vec<String>, String>, String) {
        let mut said = Vec::new();
        let apps = Asking::new(answers.as_bytes(), &mut said).apps();
        let names = apps.map(|apps| apps.iter().map(|app| format!("{}={:?}", app.name, app.like)).collect());
        (names.map_err(|failure| failure.message().to_owned()), String::from_utf8(said).expect("UTF-8"))
    }

    #[test]
    fn empty_answers_take_what_stands_in_brackets() {
        let (apps, said) = apps("\n\n\n");
        assert_eq!(apps, Ok(vec!["solver=Template(\"triad\")".to_owned()]));
        assert!(said.starts_with("Name of application 1 [solver]: "), "{said}");
    }

    #[test]
    fn a_wrong_answer_is_asked_again() {
        let (apps, said) = apps("a\n-1\nspnv\n0.5\na\nb\ndgemm\n\n");
        assert_eq!(apps, Ok(vec!["a=Intensity(0.5)".to_owned(), "b=Template(\"dgemm\")".to_owned()]));
        assert!(said.contains("write an intensity, in FLOP per byte, above zero"), "{said}");
        assert!(said.contains("'spnv' is no number"), "{said}");
        assert!(said.contains("There is one of that name already."), "{said}");
    }

    #[test]
    fn the_end_of_the_answers_is_an_end() {
        let (apps, _) = apps("solver\n");
        assert_eq!(apps, Err("the answers ended before the last question: nothing was written".to_owned()));
    }
}

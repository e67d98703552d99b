//! Names of policies as users write them, and policies by name.

use std::fmt;
use std::str::FromStr;

use numasim_course::Study;
use numasim_model::text::visible;
use numasim_model::{App, AppId, NodeId, OpenData, Refusal, Scenario};

use crate::lead::Lead;
use crate::marginal::Marginal;
use crate::reexplore::Reexplore;
use crate::replan::Replan;
use crate::shares::{Fixed, Lend, Oversubscribe, StaticEven, lacking};
use crate::view::Policy;

/// Default maximum of items between a producer and its consumers.
const DEFAULT_LEAD: u64 = 2;
/// Default of extra threads per node for applications that sleep in I/O.
const DEFAULT_MORE: u32 = 1;

/// A policy, with its argument: `NAME` or `NAME:ARGUMENT`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PolicyName {
    /// No decisions: all threads run.
    None,
    /// The commands of the file.
    Script,
    /// All present applications share the machine.
    StaticEven,
    /// The threads and the data of a scenario.
    Static(String),
    /// Applications that do not wait share the machine.
    FairShare,
    /// Producers stay at most this number of items ahead.
    Lead(u64),
    /// Each owns a share and lends its unneeded cores.
    Lend,
    /// This number of extra threads per node for applications that sleep in I/O.
    Oversubscribe(u32),
    /// Each core goes to the place at which it adds most.
    Marginal,
    /// The search, repeated at every change.
    Reexplore,
    /// The search with the remaining work and the cost of a move.
    Replan,
}

/// The help text of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its syntax: `lead:K`.
    pub usage: &'static str,
    /// Its description in one line.
    pub summary: &'static str,
}

/// All policies, in the order of the help.
pub const ABOUT: [About; 11] = [
    About { usage: "none", summary: "no decisions: all threads run" },
    About { usage: "script", summary: "the commands of the file, [[command]]" },
    About { usage: "static-even", summary: "all that are there share the cores, whether they wait or not" },
    About { usage: "static:SCENARIO", summary: "the threads and the data of a scenario" },
    About { usage: "fair-share", summary: "those that do not wait share the cores" },
    About { usage: "lead:K", summary: "as fair-share, and a producer K items ahead waits (default 2)" },
    About { usage: "lend", summary: "as static-even, and unused cores are lent" },
    About {
        usage: "oversubscribe:N",
        summary: "as fair-share, and N threads more per node for who has io_ms (default 1)",
    },
    About { usage: "marginal", summary: "each core to the application to which it adds most GFLOPS" },
    About {
        usage: "reexplore",
        summary: "the allocation of explore --objective total-gflops, again after each change",
    },
    About { usage: "replan", summary: "as reexplore, but with the work that is left and what a move costs" },
];

/// The reason why a text is no policy name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No such policy.
    #[error("there is no policy '{}'; there are {}", visible(.0), usages())]
    Unknown(String),
    /// An argument is missing.
    #[error("policy '{policy}' needs {what}: {usage}")]
    Missing {
        /// The policy.
        policy: &'static str,
        /// The missing argument.
        what: &'static str,
        /// The syntax.
        usage: &'static str,
    },
    /// The policy does not accept the argument.
    #[error("policy '{policy}' takes {what}, not '{}': for example {example}", visible(.argument))]
    Wrong {
        /// The policy.
        policy: &'static str,
        /// The accepted form.
        what: &'static str,
        /// The given text.
        argument: String,
        /// A valid example.
        example: &'static str,
    },
    /// An argument for a policy without one.
    #[error("policy '{policy}' takes no argument: leave out ':{}'", visible(.argument))]
    Unexpected {
        /// The policy.
        policy: &'static str,
        /// The given text.
        argument: String,
    },
}

/// `none`, `script`, ... in one line.
fn usages() -> String {
    let all: Vec<&str> = ABOUT.iter().map(|about| about.usage).collect();
    match all.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A whole number, of digits only.
fn number<N: FromStr>(text: &str) -> Option<N> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

impl FromStr for PolicyName {
    type Err = NameError;

    /// Parses `NAME` or `NAME:ARGUMENT`.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        let bare = |policy: &'static str, of: Self| match argument {
            None => Ok(of),
            Some(argument) => Err(NameError::Unexpected { policy, argument: argument.to_owned() }),
        };
        let wrong = |policy: &'static str, what: &'static str, example: &'static str| NameError::Wrong {
            policy,
            what,
            argument: argument.unwrap_or_default().to_owned(),
            example,
        };
        match name {
            "none" => bare("none", Self::None),
            "script" => bare("script", Self::Script),
            "static-even" => bare("static-even", Self::StaticEven),
            "static" => match argument {
                Some(scenario) if !scenario.is_empty() => Ok(Self::Static(scenario.to_owned())),
                _ => Err(NameError::Missing {
                    policy: "static",
                    what: "the name of a scenario",
                    usage: "static:SCENARIO",
                }),
            },
            "fair-share" => bare("fair-share", Self::FairShare),
            "lead" => argument
                .map_or(Some(DEFAULT_LEAD), number)
                .filter(|&lead| lead > 0)
                .map(Self::Lead)
                .ok_or_else(|| wrong("lead", "a whole number of items, at least 1", "lead:2")),
            "lend" => bare("lend", Self::Lend),
            "oversubscribe" => {
                argument.map_or(Some(DEFAULT_MORE), number).map(Self::Oversubscribe).ok_or_else(|| {
                    wrong("oversubscribe", "a whole number of threads per node", "oversubscribe:1")
                })
            }
            "marginal" => bare("marginal", Self::Marginal),
            "reexplore" => bare("reexplore", Self::Reexplore),
            "replan" => bare("replan", Self::Replan),
            _ => Err(NameError::Unknown(name.to_owned())),
        }
    }
}

/// The name as users write it, with its argument: `lead:2`.
impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Script => f.write_str("script"),
            Self::StaticEven => f.write_str("static-even"),
            Self::Static(scenario) => write!(f, "static:{scenario}"),
            Self::FairShare => f.write_str("fair-share"),
            Self::Lead(most) => write!(f, "lead:{most}"),
            Self::Lend => f.write_str("lend"),
            Self::Oversubscribe(more) => write!(f, "oversubscribe:{more}"),
            Self::Marginal => f.write_str("marginal"),
            Self::Reexplore => f.write_str("reexplore"),
            Self::Replan => f.write_str("replan"),
        }
    }
}

/// The reason why a policy cannot be created for a study.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MakeError {
    /// No scenario of this name.
    #[error("there is no scenario '{}'{}", visible(.name), known_scenarios(.known))]
    UnknownScenario {
        /// The requested name.
        name: String,
        /// The available scenarios.
        known: Vec<String>,
    },
    /// A scenario asks for threads that an application does not have.
    #[error(
        "scenario '{scenario}' gives {app} {asked} threads on {node}, but it has {has}: set its key threads, or give it fewer"
    )]
    TooManyThreads {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// The first such node.
        node: NodeId,
        /// Threads of the scenario there.
        asked: u32,
        /// Threads of the application there.
        has: u32,
    },
    /// The policy computes, and the sharing model does not support the machine.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The policy computes, and the data placement of an application is open.
    #[error(
        "policy '{policy}' needs to know where the data of {app} lies: {} instead of {}", .open.deciding(), .open.key()
    )]
    OpenData {
        /// The policy.
        policy: String,
        /// The application.
        app: String,
        /// The open value.
        open: OpenData,
    },
}

fn known_scenarios(known: &[String]) -> String {
    const SHOWN: usize = 12;
    if known.is_empty() {
        return "; the files have none".to_owned();
    }
    let shown: Vec<String> = known.iter().take(SHOWN).map(|name| format!("'{}'", visible(name))).collect();
    let more = known.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("; there are {}{rest}", shown.join(", "))
}

impl PolicyName {
    /// The policy for `study`; `None` for `none` and `script`, which decide nothing.
    ///
    /// # Errors
    /// An unknown scenario; for policies that compute, a machine that the sharing model rejects, or data with an open home.
    /// [`PolicyName::scenario`] checks whether applications have the threads of the scenario.
    pub fn make(&self, study: &Study) -> Result<Option<Box<dyn Policy + Send>>, MakeError> {
        if self.computes() {
            self.check_figures(study)?;
        }
        Ok(Some(match self {
            Self::None | Self::Script => return Ok(None),
            Self::StaticEven => Box::new(StaticEven::new(&study.machine)),
            Self::Static(name) => Box::new(Fixed::new(find_scenario(study, name)?)),
            Self::FairShare => Box::new(Oversubscribe::new(study, 0)),
            Self::Lead(most) => Box::new(Lead::new(study, *most)),
            Self::Lend => Box::new(Lend::new(&study.machine)),
            Self::Oversubscribe(more) => Box::new(Oversubscribe::new(study, *more)),
            Self::Marginal => Box::new(Marginal::new(study)),
            Self::Reexplore => Box::new(Reexplore::new(study)),
            Self::Replan => Box::new(Replan::new(study)),
        }))
    }

    /// The scenario of `static:SCENARIO`, whose threads and data apply; `None` for other policies.
    ///
    /// # Errors
    /// An unknown scenario, or one that gives an application more threads on a node than its course has there.
    pub fn scenario<'s>(&self, study: &'s Study) -> Result<Option<&'s Scenario>, MakeError> {
        let Self::Static(name) = self else { return Ok(None) };
        let scenario = find_scenario(study, name)?;
        for (a, (app, course)) in study.apps.iter().zip(&study.dynamics.courses).enumerate() {
            check_threads(scenario, AppId(a), &app.name, &course.threads)?;
        }
        Ok(Some(scenario))
    }

    /// Whether applications are blocked from their arrival until their first order.
    pub const fn holds_arrivals(&self) -> bool {
        !matches!(self, Self::None | Self::Script)
    }

    /// Whether it computes with the values of the machine, and of every application that it gives threads to.
    pub const fn computes(&self) -> bool {
        matches!(self, Self::Marginal | Self::Reexplore | Self::Replan)
    }

    fn check_figures(&self, study: &Study) -> Result<(), MakeError> {
        if let Some(refusal) = study.machine.sharing_refusal() {
            return Err(refusal.into());
        }
        let of = |(a, app): (usize, &App)| {
            let open = match study.dynamics.courses.get(a) {
                Some(course) => course.phases.iter().find_map(|phase| phase.data.open()),
                None => app.data.open(),
            };
            open.map(|open| (app.name.clone(), open))
        };
        match study.apps.iter().enumerate().find_map(of) {
            Some((app, open)) => Err(MakeError::OpenData { policy: self.to_string(), app, open }),
            None => Ok(()),
        }
    }
}

/// Whether an application has the threads that a scenario gives it: `threads` on each node.
///
/// # Errors
/// [`MakeError::TooManyThreads`] for the first node with too few threads.
pub fn check_threads(scenario: &Scenario, app: AppId, name: &str, threads: &[u32]) -> Result<(), MakeError> {
    if app.0 >= scenario.allocation.apps() {
        return Ok(());
    }
    match lacking(scenario.allocation.row(app), threads) {
        None => Ok(()),
        Some((node, asked, has)) => {
            let (scenario, app) = (scenario.name.clone(), name.to_owned());
            Err(MakeError::TooManyThreads { scenario, app, node, asked, has })
        }
    }
}

fn find_scenario<'s>(study: &'s Study, name: &str) -> Result<&'s Scenario, MakeError> {
    let found = study.scenarios.iter().find(|scenario| scenario.name == name);
    found.ok_or_else(|| MakeError::UnknownScenario {
        name: name.to_owned(),
        known: study.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
    })
}

#[cfg(test)]
mod tests;

//! What the command line asks of single applications: numbers of threads, multiples, few nodes, nodes of their own.

use std::num::{NonZeroU16, NonZeroU32};

use clap::{ArgAction, Args};
use numasim_ask::limits::MOST_WORKERS;
use numasim_ask::placing::{Asked, OfApp};

const HEADING: &str = "Restrict the choice (these combine)";

/// The value of `--threads`: of an application, or of the search itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// `APP=N`.
    OfApp(OfApp<u32>),
    /// `N`: worker threads of the search.
    OfSearch(NonZeroU16),
}

/// Restrictions of single applications.
#[derive(Default, Debug, Args)]
pub(crate) struct PlacingArgs {
    /// APP=N: the application (or each instance of a group) has exactly N threads over the machine. N alone: worker threads of the
    /// search [default: one per core of this host]
    #[arg(long, value_name = "APP=N", value_parser = threads, action = ArgAction::Append)]
    #[arg(help_heading = HEADING)]
    threads: Vec<Threads>,

    /// The threads of the application on each node are a multiple of N (the cores of an L3, or the hardware threads of a core); N
    /// alone: of every application
    #[arg(long, value_name = "APP=N", value_parser = multiple, action = ArgAction::Append)]
    #[arg(help_heading = HEADING)]
    threads_multiple: Vec<OfApp<NonZeroU32>>,

    /// At most N nodes have threads of the application; N alone: of each application
    #[arg(long, value_name = "APP=N", value_parser = nodes, action = ArgAction::Append)]
    #[arg(help_heading = HEADING)]
    max_nodes: Vec<OfApp<NonZeroU16>>,

    /// Where the application has threads, nobody else has; may be given more than once
    #[arg(long, value_name = "APP", action = ArgAction::Append, help_heading = HEADING)]
    exclusive: Vec<String>,
}

impl PlacingArgs {
    /// What is asked of applications.
    pub(crate) fn asked(&self) -> Asked {
        let threads = self.threads.iter().filter_map(|threads| match threads {
            Threads::OfApp(of) => Some(of.clone()),
            Threads::OfSearch(_) => None,
        });
        Asked {
            threads: threads.collect(),
            threads_multiple: self.threads_multiple.clone(),
            max_nodes: self.max_nodes.clone(),
            exclusive: self.exclusive.clone(),
        }
    }

    /// Worker threads of the search; the last number counts.
    pub(crate) fn workers(&self) -> Option<u16> {
        self.threads.iter().rev().find_map(|threads| match threads {
            Threads::OfApp(_) => None,
            Threads::OfSearch(workers) => Some(workers.get()),
        })
    }
}

fn threads(text: &str) -> Result<Threads, String> {
    if text.contains('=') {
        let refusal = "write a name and a number, such as solver=16";
        return of_app(text, refusal).map(Threads::OfApp);
    }
    let workers = text.parse::<NonZeroU16>().ok().filter(|workers| workers.get() <= MOST_WORKERS);
    workers.map(Threads::OfSearch).ok_or_else(|| {
        format!(
            "write solver=16 for 16 threads of the application solver, or a number from 1 to {MOST_WORKERS} for those of \
             the search"
        )
    })
}

fn multiple(text: &str) -> Result<OfApp<NonZeroU32>, String> {
    of_app(text, "write a number from 1 up, alone or of one application, such as 4 or solver=4")
}

fn nodes(text: &str) -> Result<OfApp<NonZeroU16>, String> {
    of_app(text, "write a number of nodes from 1 up, alone or of one application, such as 2 or solver=2")
}

/// Reads `APP=N`, or `N`. A name may contain `=`.
fn of_app<T: std::str::FromStr>(text: &str, refusal: &str) -> Result<OfApp<T>, String> {
    let (app, value) = match text.rsplit_once('=') {
        Some((app, value)) => (Some(app.trim().to_owned()), value),
        None => (None, text),
    };
    let value = value.trim().parse().map_err(|_| refusal.to_owned())?;
    if app.as_ref().is_some_and(String::is_empty) {
        return Err(refusal.to_owned());
    }
    Ok(OfApp { app, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_that_of_one_application_or_of_all() {
        let of = |app: Option<&str>, value| OfApp { app: app.map(str::to_owned), value };
        assert_eq!(
            multiple("solver=4").map(|of| (of.app, of.value.get())),
            Ok((Some("solver".to_owned()), 4))
        );
        assert_eq!(multiple("4").map(|of| (of.app, of.value.get())), Ok((None, 4)));
        assert_eq!(threads("a=b=16"), Ok(Threads::OfApp(of(Some("a=b"), 16))));
        assert_eq!(threads("8"), Ok(Threads::OfSearch(NonZeroU16::new(8).expect("not 0"))));
        for wrong in ["solver", "solver=", "=4", "solver=-1", "0", "1025", ""] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "solver=0", "x", "solver=1.5"] {
            assert!(multiple(wrong).is_err() && nodes(wrong).is_err(), "{wrong}");
        }
    }
}

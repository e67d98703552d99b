//! The command line of `numasim init`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::topology;

/// `numasim init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Write study.toml into this directory, which is made if it is missing [default: the current directory]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "output")]
    pub(crate) folder: Option<PathBuf>,

    /// Write the study to FILE; - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// The machine: a file of the catalogue (@epyc-7501-2s) or on disk
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "from_host")]
    pub(crate) machine: Option<PathBuf>,

    /// The machine: this host, its nodes, cores and memory; what cannot be read is assumed, and how to measure it is said
    #[arg(long)]
    pub(crate) from_host: bool,

    /// An application: NAME=INTENSITY in FLOP per byte, NAME=TEMPLATE, or TEMPLATE alone, where a template is an application of a
    /// workload of the catalogue (triad, spmv, dgemm, scan, ...); may be given more than once
    #[arg(long, value_name = "NAME=INTENSITY", action = ArgAction::Append, value_parser = AppTemplate::parse)]
    pub(crate) app: Vec<AppTemplate>,

    /// Replace a file that is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// What `--app` says of an application.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AppTemplate {
    /// Its name.
    pub(crate) name: String,
    /// What it is like.
    pub(crate) like: Like,
}

/// What an application is like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Like {
    /// Its arithmetic intensity in FLOP per byte.
    Intensity(f64),
    /// An application of a workload of the catalogue, by its name.
    Template(String),
}

impl AppTemplate {
    /// Reads `solver=0.2`, `solver=spmv` or `spmv`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, like) = text.split_once('=').unwrap_or((text, text));
        let (name, like) = (name.trim(), like.trim());
        if name.is_empty() || like.is_empty() {
            return Err(
                "write NAME=INTENSITY, such as solver=0.2, or NAME=TEMPLATE, such as solver=spmv".into()
            );
        }
        Ok(Self { name: name.to_owned(), like: Like::parse(like)? })
    }
}

impl Like {
    /// Reads a number above zero, or the name of a template, which is not looked up here.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(_) => {
                topology::above_zero(text, "an intensity, in FLOP per byte,", "0.2").map(Self::Intensity)
            }
            Err(_) => Ok(Self::Template(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_has_a_number_or_a_template() {
        let read = |text| AppTemplate::parse(text).map(|app| (app.name, app.like));
        assert_eq!(read("solver=0.2"), Ok(("solver".into(), Like::Intensity(0.2))));
        assert_eq!(read("solver = spmv"), Ok(("solver".into(), Like::Template("spmv".into()))));
        assert_eq!(read("spmv"), Ok(("spmv".into(), Like::Template("spmv".into()))));
        for wrong in ["", "=1", "solver=", "solver=0", "solver=-1", "solver=inf"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

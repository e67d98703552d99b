//! The command line of `numasim top`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

/// `numasim top`.
#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    /// TOML files that describe the applications: with their work and arithmetic_intensity the bandwidth is estimated
    /// from what is done; without them it is not shown
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Where the agent listens [default: NUMASIM_AGENT, else the agent's own default]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) socket: Option<PathBuf>,

    /// Time between two looks, in milliseconds
    #[arg(long, value_name = "MS", default_value = "500", value_parser = interval)]
    pub(crate) interval_ms: Duration,

    /// Print one frame as plain text and end
    #[arg(long)]
    pub(crate) once: bool,
}

/// Reads `--interval-ms`.
fn interval(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(ms @ 20..=60_000) => Ok(Duration::from_millis(ms)),
        _ => Err("write a whole number of milliseconds from 20 to 60000, such as 500".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_20_ms_to_a_minute() {
        assert_eq!(interval("20"), Ok(Duration::from_millis(20)));
        assert_eq!(interval("60000"), Ok(Duration::from_secs(60)));
        for wrong in ["19", "60001", "-1", "0.5", "500ms", ""] {
            assert!(interval(wrong).is_err(), "{wrong} was accepted");
        }
    }
}

//! `--compare DIR`: a run of `numasim run`, read again.

use std::path::{Path, PathBuf};

use numasim_policy::PolicyName;

use crate::failure::Failure;
use crate::files;
use crate::view::beside::Measured;

/// A run and where it is.
pub(super) struct Compared {
    pub(super) folder: PathBuf,
    pub(super) measured: Measured,
}

/// Reads `result.json` of a folder.
///
/// # Errors
/// There is none, or it is that of something else.
pub(super) fn read(folder: &Path) -> Result<Compared, Failure> {
    let path = folder.join("result.json");
    let text = files::read_measurements(&path)?.text;
    let hint = "give the folder that `numasim run ... -o DIR` wrote";
    let measured: Measured = serde_json::from_str(&text).map_err(|error| {
        Failure::input(format!("{} is no result of `numasim run`", path.display()))
            .caused_by(&error)
            .hint(hint)
    })?;
    if measured.command != "run" {
        let message = format!("{} is a result of `{}`, not of `run`", path.display(), measured.command);
        return Err(Failure::input(message).hint(hint));
    }
    Ok(Compared { folder: folder.to_owned(), measured })
}

impl Compared {
    /// The policy under which it ran.
    ///
    /// # Errors
    /// It is that of an agent which was there before.
    pub(super) fn policy(&self) -> Result<PolicyName, Failure> {
        self.measured.policy.parse().map_err(|_| {
            Failure::input(format!(
                "the run was under {}, which simulate does not know",
                self.measured.policy
            ))
            .hint("name the policy with --policy")
        })
    }
}

//! `--compare DIR`: a run of `numasim run`, read again.

use std::path::{Path, PathBuf};

use numasim_evidence::timeline;
use numasim_model::units::Seconds;
use numasim_model::{AppId, Study};
use numasim_policy::PolicyName;

use crate::failure::Failure;
use crate::files;
use crate::trace;
use crate::view::beside::Measured;
use crate::view::plots::{Course, CourseRecorder};

/// What a run writes, as far as it is read here.
pub(crate) const RESULT: &str = "result.json";
pub(crate) const TIMELINE: &str = "timeline.csv";
pub(crate) const RECORD: &str = "agent.jsonl";

const HINT: &str = "give the folder that `numasim run ... -o DIR` wrote";

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
    let path = folder.join(RESULT);
    let text = files::read_measurements(&path)?.text;
    let measured: Measured = serde_json::from_str(&text).map_err(|error| {
        Failure::input(format!("{} is no result of `numasim run`", path.display()))
            .caused_by(&error)
            .hint(HINT)
    })?;
    if measured.command != "run" {
        let message = format!("{} is a result of `{}`, not of `run`", path.display(), measured.command);
        return Err(Failure::input(message).hint(HINT));
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

    /// That it is a run of the applications of these files.
    ///
    /// # Errors
    /// It had others, or not all of them: makespans of different work say nothing about each other.
    pub(super) fn is_of(&self, study: &Study) -> Result<(), Failure> {
        let ran = |name: &str| self.measured.apps.iter().any(|app| app.name == name);
        let missing = study.apps.iter().map(|app| app.name.as_str()).find(|name| !ran(name));
        let known = |name: &str| study.apps.iter().any(|app| app.name == name);
        let other = self.measured.apps.iter().map(|app| app.name.as_str()).find(|name| !known(name));
        let folder = self.folder.display();
        let shown = |name: &str| numasim_model::text::visible(name).into_owned();
        let message = match (missing, other) {
            (None, None) => return Ok(()),
            (Some(missing), None) => {
                format!("'{}' is in the files and not in the run in {folder}", shown(missing))
            }
            (None, Some(other)) => {
                format!("'{}' is in the run in {folder} and not in the files", shown(other))
            }
            (Some(missing), Some(other)) => format!(
                "'{}' is in the files and not in the run in {folder}, which had '{}'",
                shown(missing),
                shown(other)
            ),
        };
        Err(Failure::input(message)
            .hint("simulate the files that were run; provenance.json beside the result has them"))
    }

    /// What it did over time.
    ///
    /// # Errors
    /// The timeline or the record of the agent cannot be read, or is not one of these applications.
    pub(super) fn course(&self, study: &Study) -> Result<Course, Failure> {
        let source = files::read_measurements(&self.folder.join(TIMELINE)).map_err(|failure| {
            failure.hint("--plot needs the timeline of the run; without it the table is printed")
        })?;
        let names: Vec<&str> = study.apps.iter().map(|app| app.name.as_str()).collect();
        let steps = timeline::read(&source.text, &names, study.machine.node_count())
            .map_err(|problems| files::refused(&problems, source))?;
        let mut recorder = CourseRecorder::new(study);
        for (at, app) in self.orders()? {
            if let Some(number) = names.iter().position(|name| *name == app) {
                recorder.order(at, AppId(number));
            }
        }
        recorder.take(&steps);
        Ok(recorder.finish(Seconds::new(self.measured.time_s.max(0.0))))
    }

    /// The orders of its agent, in the time of the run; none without a record, or where nobody knows when the agent started.
    fn orders(&self) -> Result<Vec<(Seconds, String)>, Failure> {
        let path = self.folder.join(RECORD);
        let (Some(started), true) = (self.measured.agent_started_s, path.exists()) else {
            return Ok(Vec::new());
        };
        let (name, from) = files::open_trace(&path)?;
        let orders = trace::orders(&name, from)?.into_iter();
        // Those before the common start are in force when it comes.
        let in_time = |at: Seconds| Seconds::new((at.value() + started).max(0.0));
        // And those after its end, to applications that were being ended, are not the run's.
        let counts = |at: Seconds| at.value() <= self.measured.time_s;
        Ok(orders.map(|(at, app)| (in_time(at), app)).filter(|(at, _)| counts(*at)).collect())
    }
}

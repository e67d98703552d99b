//! `sweep.json`: which sweep a folder is of, and in how many shards; and where each shard lies.

use std::path::{Path, PathBuf};

use numasim_study::SourceFile;
use serde_json::{Value, json};

use super::super::receipt::{Found, look};
use crate::args::MOST_SHARDS;
use crate::emit::words::is_plain;
use crate::failure::Failure;
use crate::files;

/// The file.
pub(super) const NAME: &str = "sweep.json";

/// A sweep in shards.
pub(super) struct Question {
    /// Tasks of the array, numbered from 1.
    pub(super) shards: u32,
    /// Points of all of them.
    pub(super) points: u64,
    /// What tells the sweep from others; each shard has it with its own `--shard`.
    pub(super) identity: Value,
}

impl Question {
    /// The content of the file.
    pub(super) fn text(&self) -> String {
        let document =
            json!({ "schema": 1, "shards": self.shards, "points": self.points, "sweep": self.identity });
        format!("{document:#}\n")
    }

    /// Reads the file of a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(NAME);
        let refuse = || Failure::input(format!("{} is no folder of a sweep", folder.display()));
        let hint = "name the --folder of a `numasim sweep --submit`";
        let text = files::read_small(&path).map_err(|why| refuse().because(why).hint(hint))?;
        let document: Value = serde_json::from_str(&text)
            .map_err(|error| refuse().because(format!("{}: {error}", path.display())).hint(hint))?;
        match (document["shards"].as_u64(), document["points"].as_u64(), &document["sweep"]) {
            (Some(shards @ 1..), Some(points), identity @ Value::Object(_)) if document["schema"] == 1 => {
                let most = points.clamp(1, MOST_SHARDS.into());
                match u32::try_from(shards) {
                    Ok(shards) if u64::from(shards) <= most => {
                        Ok(Self { shards, points, identity: identity.clone() })
                    }
                    _ => Err(refuse()
                        .because(format!(
                            "{} names {shards} shards; a sweep of {points} points has at most {most}",
                            path.display()
                        ))
                        .hint(hint)),
                }
            }
            _ => Err(refuse()
                .because(format!("{} is not what this numasim writes", path.display()))
                .hint(hint)),
        }
    }

    /// The shards that are not there, from 1, ascending.
    ///
    /// # Errors
    /// One that belongs to another sweep or was changed.
    pub(super) fn missing(&self, folder: &Path) -> Result<Vec<u32>, Failure> {
        let mut missing = Vec::new();
        let mut identity = self.identity.clone();
        for shard in 1..=self.shards {
            identity["--shard"] = json!(format!("{shard}/{}", self.shards));
            let path = part(folder, shard);
            match look(&path, &identity) {
                Ok(Found::Whole) => {}
                Ok(Found::Missing) => missing.push(shard),
                Ok(Found::Foreign(why)) => {
                    return Err(Failure::input(format!("{} {why}", path.display()))
                        .hint("delete it, and --resubmit computes it again"));
                }
                Err(error) => {
                    return Err(Failure::input(format!("cannot read {}", path.display())).caused_by(&error));
                }
            }
        }
        Ok(missing)
    }
}

/// The rows of a shard; the names sort in order.
pub(super) fn part(folder: &Path, shard: u32) -> PathBuf {
    folder.join(format!("part-{shard:05}.csv"))
}

/// What the tasks said, by the script's `--output`.
pub(super) fn log(folder: &Path, shard: u32) -> PathBuf {
    folder.join(format!("shard-{shard:05}.log"))
}

/// Names for the copies of the input files, in order: `input-1-study.toml`.
pub(super) fn input_names(texts: &[SourceFile]) -> Vec<String> {
    let name = |(index, text): (usize, &SourceFile)| {
        let known = Path::new(&text.name).file_name().and_then(|name| name.to_str());
        let known = known.filter(|name| is_plain(name)).unwrap_or("file.toml");
        format!("input-{}-{known}", index + 1)
    };
    texts.iter().enumerate().map(name).collect()
}

//! Keys of a sweep: `machine.link_gbs`, `app.mem.arithmetic_intensity`, `scenario.even.threads.mem`.

use std::ops::Range;

use numasim_model::sharing::Parameter;
use numasim_model::{AppId, NodeId, Smt, Study};
use numasim_study::figure::{self, Figure, KeyError, Swept, ValueRange, instances, node_number};
use numasim_study::keys::node;

use super::{SettingError, Task};

/// The target of a key. Applications are the instances that it addresses.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target<S: Swept> {
    /// A number of the machine or of applications.
    Figure(Figure),
    /// A number of a simulation over time.
    OverTime(S::Figure),
    AppData(Range<usize>),
    /// Node `None`: every node that has cores.
    Threads {
        scenario: usize,
        apps: Range<usize>,
        node: Option<NodeId>,
    },
    ScenarioData {
        scenario: usize,
        apps: Range<usize>,
    },
}

impl<S: Swept> Target<S> {
    /// Finds the target of a key from its parts.
    pub(super) fn find(study: &S, parts: &[String], task: Task) -> Result<Self, SettingError> {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Self::known(study, &parts, task)?.map_err(|error| {
            if task != Task::Simulate && study.find(&parts).is_ok() {
                return SettingError::wrong(
                    format!("{} has an influence on what happens over time alone", parts.join(".")),
                    "only --simulate uses it",
                );
            }
            explained(study.at_rest(), error, task)
        })
    }

    /// Data and scenarios are keys of sweeps only; all others are values of the input files.
    fn known(study: &S, parts: &[&str], task: Task) -> Result<Result<Self, KeyError>, SettingError> {
        let over_time = || study.find(parts).map(Self::OverTime);
        let study = study.at_rest();
        match parts {
            ["app", name, "data"] => Ok(instances(&study.apps, name).map(Self::AppData)),
            ["scenario", name, key, app, rest @ ..] => {
                let known = || study.scenarios.iter().map(|scenario| scenario.name.as_str());
                let scenario = known().position(|known| known == *name).ok_or_else(|| {
                    SettingError::unknown(format!("there is no scenario '{name}'"), name, known())
                })?;
                let apps = match instances(&study.apps, app) {
                    Ok(apps) => apps,
                    Err(error) => return Ok(Err(error)),
                };
                let one = |app: usize| study.scenarios[scenario].smt[app] == Smt::One;
                if *key == "threads" && !apps.clone().all(one) {
                    let message =
                        format!("{app} has both hardware threads of its cores in scenario '{name}'");
                    let hint = "a sweep changes threads of applications with `smt = \"one\"`";
                    return Err(SettingError::wrong(message, hint));
                }
                match (*key, rest) {
                    ("threads", []) => Ok(Ok(Self::Threads { scenario, apps, node: None })),
                    ("threads", [node]) => {
                        let node = node_number(&study.machine, node);
                        Ok(node.map(|node| Self::Threads { scenario, apps, node: Some(node) }))
                    }
                    ("data", []) => Ok(Ok(Self::ScenarioData { scenario, apps })),
                    ("threads" | "data", _) => Ok(Err(KeyError::Incomplete)),
                    _ => Err(unknown(&format!("scenario.{name}"), key, &["threads.APP", "data.APP"])),
                }
            }
            ["scenario", ..] => Ok(Err(KeyError::Incomplete)),
            [first, ..] if task == Task::Simulate && *first != "machine" => {
                let over_time = over_time();
                let Err(KeyError::Unknown { table, key, mut known }) = over_time else {
                    return Ok(over_time);
                };
                // Weights and limits of threads, for policies that use them.
                Ok(Figure::find(&study.machine, &study.apps, parts).map(Self::Figure).map_err(|error| {
                    if let KeyError::Unknown { known: others, .. } = error {
                        // Keys that address a phase in a simulation are included already.
                        let others =
                            others.into_iter().filter(|other| !known.contains(other)).collect::<Vec<_>>();
                        known.extend(others);
                    }
                    KeyError::Unknown { table, key, known }
                }))
            }
            _ => Ok(Figure::find(&study.machine, &study.apps, parts).map(Self::Figure)),
        }
    }

    /// The unit of its values; empty for a plain number.
    pub(super) fn unit(&self) -> &'static str {
        match self {
            Self::Figure(figure) => figure.unit(),
            Self::OverTime(figure) => S::unit(figure),
            _ => "",
        }
    }

    /// Whether its values are data placements.
    pub(super) fn takes_data(&self) -> bool {
        matches!(self, Self::AppData(_) | Self::ScenarioData { .. })
    }

    /// The range of its numbers; `None` for data placements.
    pub(super) fn range(&self) -> Option<ValueRange> {
        match self {
            Self::Figure(figure) => Some(figure.range()),
            Self::OverTime(figure) => Some(S::range(figure)),
            Self::Threads { .. } => Some(ValueRange::whole(0, u32::MAX)),
            Self::AppData(_) | Self::ScenarioData { .. } => None,
        }
    }

    /// Whether only `explore` uses it.
    pub(super) fn only_for_explore(&self) -> bool {
        matches!(self, Self::Figure(Figure::App(key, _)) if !figure::is_of_demand(key))
    }

    /// Whether it is the number of cores.
    pub(super) fn is_cores(&self) -> bool {
        matches!(self, Self::Figure(Figure::Node(key, _)) if *key == &node::CORES)
    }

    /// Whether only `evaluate` uses it.
    pub(super) fn only_for_evaluate(&self) -> bool {
        matches!(self, Self::Threads { .. } | Self::ScenarioData { .. })
    }

    /// Whether it is one of the thread counts: the compiled model stays unchanged.
    pub(super) fn is_threads(&self) -> bool {
        matches!(self, Self::Threads { .. })
    }
}

/// The reason why a key has no target, and what to write instead.
fn explained(study: &Study, error: KeyError, task: Task) -> SettingError {
    let words = error.to_string();
    match error {
        KeyError::Incomplete => SettingError::wrong(
            words,
            "keys look like machine.link_gbs, machine.node.0.bandwidth_gbs, app.NAME.arithmetic_intensity, \
             scenario.NAME.threads.APP or scenario.NAME.threads.APP.NODE; write names with spaces or dots in \
             double quotes",
        ),
        KeyError::Table(first) if task == Task::Simulate => SettingError::unknown(
            format!(
                "a key begins with machine, app, channel, call, policy, os or scenario, not with '{first}'"
            ),
            &first,
            ["machine", "app", "channel", "call", "policy", "os", "scenario"],
        ),
        KeyError::Table(first) => SettingError::unknown(
            format!("a key begins with machine, app or scenario, not with '{first}'"),
            &first,
            ["machine", "app", "scenario"],
        ),
        KeyError::Unknown { table, key, known } => unknown(&table, &key, &known),
        KeyError::Node(_) => {
            let last = study.machine.node_count() - 1;
            SettingError::wrong(words, format!("nodes are numbered from 0: 0 to {last}"))
        }
        KeyError::App(name) => {
            let mut known: Vec<&str> = Vec::new();
            for app in &study.apps {
                for name in [app.group.as_str(), app.name.as_str()] {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
            SettingError::unknown(words, &name, known)
        }
        KeyError::Absent { hint, .. } => SettingError::wrong(words, hint),
        KeyError::SharedLink(_) => {
            SettingError::wrong(words, "`numasim check` shows the shared links of the machine")
        }
        KeyError::NoLinks => SettingError::wrong(words, "take machine.bandwidth_gbs for its memory"),
        KeyError::NoReader { .. } => SettingError::wrong(
            words,
            "the first number is the node of the cores, the second the node of the memory",
        ),
        KeyError::NoMemory(_) => SettingError::wrong(
            words,
            "it has no bandwidth: name a node that has memory, or leave the node out",
        ),
        KeyError::Unused(parameter, kind) => {
            let known: Vec<&str> = kind.parameters().map(Parameter::as_str).collect();
            SettingError::wrong(
                format!(
                    "machine.sharing.{} has no influence on the model {}",
                    parameter.as_str(),
                    kind.as_str()
                ),
                format!("its parameters are {}", known.join(", ")),
            )
        }
        KeyError::NeedsLatencies(parameter) => SettingError::wrong(
            format!("machine.sharing.{} needs the latencies of the machine", parameter.as_str()),
            "add latency_matrix_ns to [machine], or sweep core_local_gbs and core_remote_gbs",
        ),
    }
}

fn unknown(table: &str, key: &str, known: &[&str]) -> SettingError {
    SettingError::unknown(format!("{table} has no key '{key}'"), key, known.iter().copied())
}

/// All applications of a range, as ids.
pub(super) fn ids(apps: &Range<usize>) -> impl Iterator<Item = AppId> + use<> {
    apps.clone().map(AppId)
}

/// Splits `KEY=VALUES` at the first `=` outside quotes and `KEY` into its parts, by the rules of TOML.
pub(super) fn split(setting: &str) -> Result<(Vec<String>, &str), SettingError> {
    let mut quote = None;
    let equals = setting.char_indices().find(|&(_, c)| {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            _ => {}
        }
        quote.is_none() && c == '='
    });
    let Some((at, _)) = equals else {
        return Err(SettingError::wrong(
            format!("'{setting}' has no values"),
            "write KEY=VALUES, e.g. machine.link_gbs=5..40:5 or app.mem.arithmetic_intensity=1/32,1/16",
        ));
    };
    let (key, values) = (setting[..at].trim(), setting[at + 1..].trim());
    let parts = parts(key).ok_or_else(|| {
        SettingError::wrong(
            format!("'{key}' is not a key"),
            "write the parts with dots between them; put names with spaces or dots in double quotes: \
             'app.\"my app\".weight=1,2'",
        )
    })?;
    Ok((parts, values))
}

fn parts(key: &str) -> Option<Vec<String>> {
    if key.chars().any(char::is_control) {
        return None;
    }
    let mut table: toml::Table = toml::from_str(&format!("{key} = 0")).ok()?;
    let mut parts = Vec::new();
    loop {
        let mut entries = std::mem::take(&mut table).into_iter();
        let (part, value) = entries.next()?;
        parts.push(part);
        match value {
            toml::Value::Table(inner) => table = inner,
            toml::Value::Integer(0) => return Some(parts),
            _ => return None,
        }
    }
}

/// The key of these parts as TOML writes it.
pub(super) fn join(parts: &[String]) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let part = |part: &String| {
        if !part.is_empty() && part.chars().all(bare) { part.clone() } else { format!("{part:?}") }
    };
    parts.iter().map(part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_parts_that_toml_sees_in_it() {
        let (key, values) = split("app.\"a = b.c\" . weight = 1,2").unwrap();
        assert_eq!(key, ["app", "a = b.c", "weight"]);
        assert_eq!(values, "1,2");
        assert_eq!(join(&key), "app.\"a = b.c\".weight");
    }

    #[test]
    fn invalid_keys_are_rejected() {
        for wrong in ["a", "=1", "a b=1", "a..b=1", "\"a=1", "a\nb=1"] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }
}

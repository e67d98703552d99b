//! Keys of a sweep: `machine.link_gbs`, `app.mem.arithmetic_intensity`, `scenario.even.threads.mem`.

use std::ops::Range;

use numasim_model::sharing::Parameter;
use numasim_model::{AppId, Study};

use super::SettingError;

/// A figure of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeFigure {
    Cores,
    GflopsPerCore,
    Bandwidth,
    CoreBandwidth,
}

/// A number of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AppFigure {
    ArithmeticIntensity,
    MinThreads,
    MaxThreads,
    Weight,
    Work,
}

/// What a key stands for. Applications are the instances that it addresses.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// `None`: every node that has cores, or, for the memory bandwidth, every node.
    Node(NodeFigure, Option<usize>),
    /// `None`: every link.
    Link(Option<(usize, usize)>),
    /// A parameter of the sharing model.
    Sharing(Parameter),
    App(AppFigure, Range<usize>),
    AppData(Range<usize>),
    /// Node `None`: every node that has cores.
    Threads {
        scenario: usize,
        apps: Range<usize>,
        node: Option<usize>,
    },
    ScenarioData {
        scenario: usize,
        apps: Range<usize>,
    },
}

/// What values a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Positive,
    NotNegative,
    Count,
    Data,
    /// A number in the range of the parameter.
    Parameter(Parameter),
}

const MACHINE: [&str; 8] = [
    "cores_per_node",
    "gflops_per_core",
    "bandwidth_gbs",
    "core_bandwidth_gbs",
    "link_gbs",
    "bandwidth_matrix_gbs.FROM.TO",
    "node.NUMBER.KEY",
    "sharing.PARAMETER",
];
const NODE: [&str; 4] = ["cores", "gflops_per_core", "bandwidth_gbs", "core_bandwidth_gbs"];
const APP: [&str; 6] = ["arithmetic_intensity", "data", "min_threads", "max_threads", "weight", "work_gflop"];

impl Target {
    /// Finds what the parts of a key stand for.
    pub(super) fn find(study: &Study, parts: &[String]) -> Result<Self, SettingError> {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["machine", rest @ ..] => machine(study, rest),
            ["app", name, key] => {
                let apps = instances(study, name)?;
                Ok(match *key {
                    "arithmetic_intensity" => Self::App(AppFigure::ArithmeticIntensity, apps),
                    "min_threads" => Self::App(AppFigure::MinThreads, apps),
                    "max_threads" => Self::App(AppFigure::MaxThreads, apps),
                    "weight" => Self::App(AppFigure::Weight, apps),
                    "work_gflop" => Self::App(AppFigure::Work, apps),
                    "data" => Self::AppData(apps),
                    _ => return Err(unknown(&format!("app.{name}"), key, &APP)),
                })
            }
            ["scenario", name, key, app, rest @ ..] => {
                let known = || study.scenarios.iter().map(|scenario| scenario.name.as_str());
                let scenario = known().position(|known| known == *name).ok_or_else(|| {
                    SettingError::unknown(format!("there is no scenario '{name}'"), name, known())
                })?;
                let apps = instances(study, app)?;
                match (*key, rest) {
                    ("threads", []) => Ok(Self::Threads { scenario, apps, node: None }),
                    ("threads", [node]) => {
                        Ok(Self::Threads { scenario, apps, node: Some(node_number(study, node)?) })
                    }
                    ("data", []) => Ok(Self::ScenarioData { scenario, apps }),
                    ("threads" | "data", _) => Err(incomplete()),
                    _ => Err(unknown(&format!("scenario.{name}"), key, &["threads.APP", "data.APP"])),
                }
            }
            ["app" | "scenario", ..] | [] => Err(incomplete()),
            [first, ..] => Err(SettingError::unknown(
                format!("a key begins with machine, app or scenario, not with '{first}'"),
                first,
                ["machine", "app", "scenario"],
            )),
        }
    }

    /// What values it takes.
    pub(super) fn takes(&self) -> Takes {
        match self {
            Self::Node(NodeFigure::Cores, _)
            | Self::App(AppFigure::MinThreads | AppFigure::MaxThreads, _)
            | Self::Threads { .. } => Takes::Count,
            Self::App(AppFigure::Weight, _) => Takes::NotNegative,
            Self::AppData(_) | Self::ScenarioData { .. } => Takes::Data,
            Self::Sharing(parameter) => Takes::Parameter(*parameter),
            _ => Takes::Positive,
        }
    }

    /// The unit of its values; empty for a plain number.
    pub(super) fn unit(&self) -> &'static str {
        match self {
            Self::Node(NodeFigure::GflopsPerCore, _) => "GFLOPS",
            Self::Node(NodeFigure::Bandwidth | NodeFigure::CoreBandwidth, _) | Self::Link(_) => "GB/s",
            Self::App(AppFigure::ArithmeticIntensity, _) => "FLOP/byte",
            Self::App(AppFigure::Work, _) => "GFLOP",
            Self::Sharing(parameter) => parameter.unit(),
            _ => "",
        }
    }

    /// Whether only `explore` looks at it.
    pub(super) fn only_for_explore(&self) -> bool {
        matches!(self, Self::App(figure, _) if *figure != AppFigure::ArithmeticIntensity)
    }

    /// Whether only `evaluate` looks at it.
    pub(super) fn only_for_evaluate(&self) -> bool {
        matches!(self, Self::Threads { .. } | Self::ScenarioData { .. })
    }

    /// Whether it is one of the thread counts: the compiled model stays as it is.
    pub(super) fn is_threads(&self) -> bool {
        matches!(self, Self::Threads { .. })
    }
}

fn machine(study: &Study, rest: &[&str]) -> Result<Target, SettingError> {
    let figure = |key: &str| match key {
        "gflops_per_core" => Some(NodeFigure::GflopsPerCore),
        "bandwidth_gbs" => Some(NodeFigure::Bandwidth),
        "core_bandwidth_gbs" => Some(NodeFigure::CoreBandwidth),
        _ => None,
    };
    let one_node = || {
        SettingError::wrong(
            "a machine with one node has no links",
            "take machine.bandwidth_gbs for its memory",
        )
    };
    match rest {
        ["cores_per_node"] => Ok(Target::Node(NodeFigure::Cores, None)),
        ["link_gbs"] if study.machine.node_count() < 2 => Err(one_node()),
        ["link_gbs"] => Ok(Target::Link(None)),
        ["bandwidth_matrix_gbs", from, to] => {
            let (from, to) = (node_number(study, from)?, node_number(study, to)?);
            if from == to {
                return Ok(Target::Node(NodeFigure::Bandwidth, Some(from)));
            }
            if study.machine.node(numasim_model::NodeId(from)).cores == 0 {
                return Err(SettingError::wrong(
                    format!("node {from} has no cores that could read from node {to}"),
                    "the first number is the node of the cores, the second the node of the memory",
                ));
            }
            Ok(Target::Link(Some((from, to))))
        }
        ["node", number, key] => {
            let node = Some(node_number(study, number)?);
            match (*key, figure(key)) {
                ("cores", _) => Ok(Target::Node(NodeFigure::Cores, node)),
                (_, Some(figure)) => Ok(Target::Node(figure, node)),
                _ => Err(unknown(&format!("machine.node.{number}"), key, &NODE)),
            }
        }
        ["sharing", key] => sharing(study, key),
        ["node" | "bandwidth_matrix_gbs" | "sharing", ..] | [] => Err(incomplete()),
        [key, ..] => match figure(key) {
            Some(figure) if rest.len() == 1 => Ok(Target::Node(figure, None)),
            _ => Err(unknown("machine", key, &MACHINE)),
        },
    }
}

/// A parameter that the sharing model looks at.
fn sharing(study: &Study, key: &str) -> Result<Target, SettingError> {
    let kind = study.machine.sharing().kind;
    let known: Vec<&str> = kind.parameters().map(Parameter::key).collect();
    let parameter = Parameter::from_key(key).ok_or_else(|| unknown("machine.sharing", key, &known))?;
    if !parameter.is_used_by(kind) {
        return Err(SettingError::wrong(
            format!("machine.sharing.{key} has no influence on the model {}", kind.name()),
            format!("its parameters are {}", known.join(", ")),
        ));
    }
    if parameter == Parameter::OutstandingLines && !study.machine.has_latencies() {
        return Err(SettingError::wrong(
            "machine.sharing.outstanding_lines needs the latencies of the machine",
            "add latency_matrix_ns to [machine], or sweep core_local_gbs and core_remote_gbs",
        ));
    }
    Ok(Target::Sharing(parameter))
}

fn node_number(study: &Study, text: &str) -> Result<usize, SettingError> {
    let nodes = study.machine.node_count();
    text.parse().ok().filter(|&node| node < nodes).ok_or_else(|| {
        SettingError::wrong(
            format!("there is no node {text}"),
            format!("nodes are numbered from 0: 0 to {}", nodes - 1),
        )
    })
}

/// The instances that a name addresses: its own, or all of its group.
fn instances(study: &Study, name: &str) -> Result<Range<usize>, SettingError> {
    let apps = &study.apps;
    let first = apps.iter().position(|app| app.group == name);
    if let Some(first) = first {
        let count = apps[first..].iter().take_while(|app| app.group == name).count();
        return Ok(first..first + count);
    }
    if let Some(one) = apps.iter().position(|app| app.name == name) {
        return Ok(one..one + 1);
    }
    let mut known: Vec<&str> = Vec::new();
    for app in apps {
        for name in [app.group.as_str(), app.name.as_str()] {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    Err(SettingError::unknown(format!("there is no application '{name}'"), name, known))
}

fn unknown(table: &str, key: &str, known: &[&str]) -> SettingError {
    SettingError::unknown(format!("{table} has no key '{key}'"), key, known.iter().copied())
}

fn incomplete() -> SettingError {
    SettingError::wrong(
        "the key is incomplete or has too many parts",
        "keys look like machine.link_gbs, machine.node.0.bandwidth_gbs, app.NAME.arithmetic_intensity, \
         scenario.NAME.threads.APP or scenario.NAME.threads.APP.NODE; names with spaces or dots stand in \
         double quotes",
    )
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
    fn what_is_no_key_is_refused() {
        for wrong in ["a", "=1", "a b=1", "a..b=1", "\"a=1", "a\nb=1"] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }
}

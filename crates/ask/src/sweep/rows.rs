//! The rows of a sweep: each column declared once, for CSV, JSON, its schema, tables and Python.

use numasim_course::Study;
use numasim_model::OpenData;
use numasim_sim::sweep::{Task, Value as AxisValue};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Grid, Sweep, Work};
use crate::document::StudyHead;
use crate::table::{Cell, Column, Kind, Look, Table};

/// The known values of one row; a missing value is `None`.
#[derive(Debug, Default)]
pub(super) struct Row<'a> {
    pub(super) scenario: Option<&'a str>,
    pub(super) policy: Option<String>,
    pub(super) status: &'static str,
    pub(super) value: Option<f64>,
    pub(super) bound: Option<f64>,
    pub(super) gap: Option<f64>,
    pub(super) total_gflops: Option<f64>,
    pub(super) makespan_s: Option<f64>,
    pub(super) gflops: Vec<f64>,
    pub(super) threads: Vec<Vec<u32>>,
    pub(super) homes: Vec<Option<usize>>,
    pub(super) fractions: Vec<Option<String>>,
    pub(super) finished_s: Vec<Option<f64>>,
    pub(super) max_items: Vec<u64>,
    pub(super) commands: Option<u64>,
    pub(super) core_moves: Option<u64>,
    pub(super) starved_nodes: Vec<u32>,
    pub(super) cautions: Vec<&'static str>,
    pub(super) reason: Option<String>,
}

/// Whether there is one column, or one for each application or channel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Per {
    Row,
    App,
    /// An application that counts FLOP, or something else.
    Computing,
    Rated,
    /// An application with data of this kind that the search may place.
    Open(OpenData),
    Channel,
}

/// A column with its position in the documents, and the function that reads its cell from a row.
struct Declared {
    column: Column,
    #[cfg_attr(not(feature = "schema"), allow(dead_code, reason = "the description in the schema"))]
    about: &'static str,
    per: Per,
    tasks: &'static [Task],
    cell: for<'a> fn(&Row<'a>, usize) -> Cell<'a>,
}

const fn declared(
    (name, kind, look): (&'static str, Kind, Look),
    about: &'static str,
    (per, tasks): (Per, &'static [Task]),
    cell: for<'a> fn(&Row<'a>, usize) -> Cell<'a>,
) -> Declared {
    let mut column = Column::new(name, kind);
    column.look = look;
    Declared { column, about, per, tasks, cell }
}

const EVALUATE: &[Task] = &[Task::Evaluate];
const EXPLORE: &[Task] = &[Task::Explore];
const SIMULATE: &[Task] = &[Task::Simulate];
const NOW: &[Task] = &[Task::Evaluate, Task::Explore];
const ALL: &[Task] = &[Task::Evaluate, Task::Explore, Task::Simulate];

use Kind::{Nodes, Number, PerNode, Text, Whole, Words};
use Look::{Percent, Plain, Rounded};

/// Every column after those of the axes, in the order of CSV. A new column is one entry here, and its value in [`Row`].
#[rustfmt::skip]
static DECLARED: [Declared; 20] = [
    declared(("scenario", Text, Plain), "The scenario.", (Per::Row, EVALUATE), |row, _| row.scenario.into()),
    declared(("policy", Text, Plain), "The policy.", (Per::Row, SIMULATE), |row, _| row.policy.clone().into()),
    declared(("status", Text, Plain), "`optimal` or `feasible`, or why there is no result.", (Per::Row, ALL),
        |row, _| row.status.into()),
    declared(("value", Number, Rounded), "The objective, in its unit.", (Per::Row, EXPLORE), |row, _| row.value.into()),
    declared(("bound", Number, Rounded), "No placement is better than this.", (Per::Row, EXPLORE),
        |row, _| row.bound.into()),
    declared(("gap", Number, Percent), "|bound - value| / |bound|.", (Per::Row, EXPLORE), |row, _| row.gap.into()),
    declared(("total_gflops", Number, Rounded), "Sum of the GFLOPS of all applications.", (Per::Row, NOW),
        |row, _| row.total_gflops.into()),
    declared(("makespan_s", Number, Rounded), "When the last application was finished, in seconds.", (Per::Row, SIMULATE),
        |row, _| row.makespan_s.into()),
    declared(("gflops", Number, Rounded), "Its GFLOPS.", (Per::Computing, NOW), |row, app| row.gflops.get(app).copied().into()),
    declared(("rate", Number, Rounded), "What it achieves in the unit of its `rate`, where it does not count FLOP.", (Per::Rated, NOW),
        |row, app| row.gflops.get(app).copied().into()),
    declared(("threads", PerNode, Plain), "Threads on each node.", (Per::App, EXPLORE),
        |row, app| row.threads.get(app).cloned().into()),
    declared(("home", Whole, Plain), "The node of its data.", (Per::Open(OpenData::Home), EXPLORE),
        |row, app| row.homes.get(app).copied().flatten().into()),
    declared(("fractions", Text, Plain), "The fraction of its data on each node.", (Per::Open(OpenData::Fractions), EXPLORE),
        |row, app| row.fractions.get(app).cloned().flatten().into()),
    declared(("finished_s", Number, Rounded), "When it was finished, in seconds.", (Per::App, SIMULATE),
        |row, app| row.finished_s.get(app).copied().flatten().into()),
    declared(("max_items", Whole, Plain), "Most items in it.", (Per::Channel, SIMULATE),
        |row, channel| row.max_items.get(channel).copied().into()),
    declared(("commands", Whole, Plain), "Orders that were sent.", (Per::Row, SIMULATE), |row, _| row.commands.into()),
    declared(("core_moves", Whole, Plain), "Threads that orders unblocked.", (Per::Row, SIMULATE),
        |row, _| row.core_moves.into()),
    declared(("starved_nodes", Nodes, Plain),
        "Nodes whose own threads get less than an equal part because of reads of others.", (Per::Row, NOW),
        |row, _| row.starved_nodes.clone().into()),
    declared(("reason", Text, Plain), "Why there is no result.", (Per::Row, ALL), |row, _| row.reason.clone().into()),
    declared(("cautions", Words, Plain), "What to know beside the value, as stable words.", (Per::Row, EXPLORE),
        |row, _| Cell::Words(row.cautions.clone())),
];

/// The columns of a sweep: those of the axes, then those of [`DECLARED`], with the numbers of each.
pub(super) fn columns(grid: &Grid, work: &Work) -> (Vec<Column>, Vec<(usize, usize)>) {
    let study = grid.study();
    let of_axis = |axis: &numasim_sim::sweep::Axis<Study>| {
        let is_text = matches!(axis.value(0), AxisValue::Data(..));
        let mut column = Column::new("", if is_text { Text } else { Number });
        column.name = axis.key().to_owned().into();
        column
    };
    let mut columns: Vec<Column> = grid.axes().iter().map(of_axis).collect();
    let mut numbers = Vec::new();
    for (number, declared) in DECLARED.iter().enumerate() {
        if !declared.tasks.contains(&work.task()) {
            continue;
        }
        let each = match declared.per {
            Per::Row => 1,
            Per::App | Per::Computing | Per::Rated | Per::Open(_) => study.apps.len(),
            Per::Channel => study.dynamics.channels.len(),
        };
        for at in 0..each {
            let of = match declared.per {
                Per::Open(open) if !grid.may_choose(open, at) => continue,
                Per::Computing if study.apps[at].rate_unit.is_some() => continue,
                Per::Rated if study.apps[at].rate_unit.is_none() => continue,
                Per::Row => None,
                Per::App | Per::Computing | Per::Rated | Per::Open(_) => Some(study.apps[at].name.clone()),
                Per::Channel => {
                    let (from, to) = ends(study, at);
                    Some(format!("{from}->{to}"))
                }
            };
            columns.push(Column { of, ..declared.column.clone() });
            numbers.push((number, at));
        }
    }
    (columns, numbers)
}

/// The applications at both ends of a channel.
fn ends(study: &Study, channel: usize) -> (&str, &str) {
    let channel = &study.dynamics.channels[channel];
    (&study.apps[channel.from.0].name, &study.apps[channel.to.0].name)
}

impl Sweep {
    /// The value of every axis at a point, by the number of each value.
    pub(super) fn keys<'a>(&'a self, indices: &[u64]) -> Vec<Cell<'a>> {
        let axes = self.grid.axes().iter().zip(indices);
        axes.map(|(axis, &index)| match axis.value(index) {
            AxisValue::Number(number) => number.into(),
            AxisValue::Data(word, _) => word.into(),
        })
        .collect()
    }

    /// The cells after those of the axes.
    pub(super) fn cells<'a>(&self, row: &Row<'a>) -> impl Iterator<Item = Cell<'a>> {
        self.declared.iter().map(|&(number, at)| (DECLARED[number].cell)(row, at))
    }

    /// Rows as objects of the document, one per line. This crate creates the text because it is compiled with optimisations, unlike a
    /// front end.
    pub fn json_rows(&self, table: &Table) -> String {
        let line = |row| format!("    {}", self.json(row));
        table.rows().map(line).collect::<Vec<_>>().join(",\n")
    }

    /// A row as an object of the document.
    fn json(&self, cells: &[Cell]) -> Value {
        let study = self.grid.study();
        let (mut point, mut object, mut channels) = (Map::new(), Map::new(), Vec::new());
        let named = |name: &String| Map::from_iter([("name".to_owned(), Value::from(name.as_str()))]);
        let mut apps: Vec<Map<String, Value>> = study.apps.iter().map(|app| named(&app.name)).collect();
        let (keys, of_row) = self.columns.split_at(self.grid.axes().len());
        for (column, cell) in keys.iter().zip(cells) {
            point.insert(column.key(), column.kind.json(cell));
        }
        for ((column, cell), &(number, at)) in of_row.iter().zip(&cells[keys.len()..]).zip(&self.declared) {
            let (name, value) = (column.name.clone().into_owned(), column.kind.json(cell));
            match DECLARED[number].per {
                Per::Row => drop(object.insert(name, value)),
                Per::App | Per::Computing | Per::Open(_) => drop(apps[at].insert(name, value)),
                Per::Rated => {
                    apps[at].insert(name, value);
                    apps[at].insert("rate_unit".to_owned(), study.apps[at].unit().into());
                }
                Per::Channel => {
                    let (from, to) = ends(study, at);
                    channels.push(json!({ "from": from, "to": to, name: value }));
                }
            }
        }
        let has_result = object.get("reason").is_none_or(Value::is_null);
        if !has_result {
            apps.clear();
        }
        object.insert("apps".to_owned(), apps.into_iter().map(Value::Object).collect());
        if matches!(self.work, Work::Simulate(_)) && has_result {
            object.insert("channels".to_owned(), channels.into());
        }
        let mut whole = Map::from_iter([("point".to_owned(), Value::Object(point))]);
        whole.append(&mut object);
        Value::Object(whole)
    }

    /// The document without its rows.
    pub fn document(&self) -> Document {
        let machine = &self.grid.study().machine;
        let objective = match &self.work {
            Work::Explore(asked) => Some(asked.objective.as_str().to_owned()),
            _ => None,
        };
        Document {
            head: StudyHead::of("sweep", machine),
            keys: self.grid.axes().iter().map(|axis| axis.key().to_owned()).collect(),
            objective,
            rows: Vec::new(),
        }
    }
}

/// Results at the points of a grid.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document {
    #[serde(flatten)]
    head: StudyHead,
    /// The varied keys, as `--set` accepts them.
    keys: Vec<String>,
    /// With `--explore`: the objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    objective: Option<String>,
    /// A row for each point, and for each scenario or policy.
    rows: Vec<RowObject>,
}

impl Document {
    /// The text of the document with the objects in `rows`, each indented by four spaces and separated by `,\n`.
    pub fn text(&self, rows: &str) -> String {
        let head = serde_json::to_string_pretty(self).unwrap_or_default();
        let head = head.trim_end_matches(['}', '\n', ']']);
        let line = if rows.is_empty() { "" } else { "\n" };
        format!("{head}{line}{rows}\n  ]\n}}\n")
    }
}

/// The shape of [`Sweep::json`].
#[derive(Debug, Serialize)]
struct RowObject;

#[cfg(feature = "schema")]
mod schema {
    //! The shape of the rows, from the same declarations.

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde_json::{Map, Value, json};

    use super::{DECLARED, OpenData, Per, RowObject};

    /// Properties of declared columns, after those that are `always` present.
    fn object(always: Map<String, Value>, about: &str, per: &[Per], required: &[&str]) -> Schema {
        let mut properties = always;
        for declared in DECLARED.iter().filter(|declared| per.contains(&declared.per)) {
            let mut schema = Map::from_iter([("description".to_owned(), Value::from(declared.about))]);
            schema.extend(declared.column.kind.json_schema().as_object().cloned().unwrap_or_default());
            properties.insert(declared.column.name.clone().into_owned(), schema.into());
        }
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
            "required": required,
            "description": about,
        })
    }

    fn text(key: &str, about: &str) -> (String, Value) {
        (key.to_owned(), json!({ "type": "string", "description": about }))
    }

    /// One application.
    struct AppObject;

    impl JsonSchema for AppObject {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "App".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let always =
                Map::from_iter([text("name", "Its name."), text("rate_unit", "The unit of its `rate`.")]);
            let per = [
                Per::App,
                Per::Computing,
                Per::Rated,
                Per::Open(OpenData::Home),
                Per::Open(OpenData::Fractions),
            ];
            object(always, "One application.", &per, &["name"])
        }
    }

    /// One channel.
    struct ChannelObject;

    impl JsonSchema for ChannelObject {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Channel".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let always = Map::from_iter([text("from", "The producer."), text("to", "The consumer.")]);
            object(always, "One channel.", &[Per::Channel], &["from", "to", "max_items"])
        }
    }

    impl JsonSchema for RowObject {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Row".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let point = json!({
                "type": "object", "additionalProperties": true,
                "description": "The value of each key, in its unit; words for keys that have words.",
            });
            let always = Map::from_iter([("point".to_owned(), point)]);
            let about = "One row. Keys that a kind of sweep does not have are missing.";
            let mut row = object(always, about, &[Per::Row], &["point", "apps"]);
            let lists = [
                (
                    "apps",
                    generator.subschema_for::<AppObject>(),
                    "The applications; empty where there is no result.",
                ),
                ("channels", generator.subschema_for::<ChannelObject>(), "The channels."),
            ];
            if let Some(Value::Object(properties)) = row.get_mut("properties") {
                for (key, items, about) in lists {
                    let list = json!({ "type": "array", "items": items, "description": about });
                    properties.insert(key.to_owned(), list);
                }
            }
            row
        }
    }
}

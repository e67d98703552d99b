//! A scenario for programs. Numbers are not rounded.

use std::io::{self, BufWriter, Write};

use numasim_model::evaluation::Warning;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, Model};
use numasim_sim::intervals::{Interval, Prediction};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use crate::scenario::{ScenarioView, numbers};
use crate::warning;

/// The scenario object of the documented JSON, keys in the documented order.
///
/// Beyond the contract: `bottleneck_per_node` of each application (a stable word, null where it has no threads) and
/// `warnings`; `static_work` (true) where work was divided beforehand, and then `slowest_node` of each application; `occupied_gbs` of memories and links under kernels that write, where the machine has figures of its own for them.
/// Where figures of the machine are uncertain, `total_gflops_interval`, `gflops_interval` and `bandwidth_gbs_interval` are
/// `[low, high]` of 95 %. What is not finite is null. Written figure by figure: as values, a million links take half a gigabyte.
impl Serialize for ScenarioView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        entries(self, &mut object)?;
        object.end()
    }
}

/// The entries of the scenario object, for objects that have more.
///
/// # Errors
/// Those of the serializer.
pub fn entries<M: SerializeMap>(view: &ScenarioView, object: &mut M) -> Result<(), M::Error> {
    let evaluation = view.evaluation;
    let of_app =
        |app: AppId, of: fn(&Prediction) -> &Vec<Interval>| of(view.intervals?).get(app.0).copied().map(ends);
    let apps = view.app_ids().map(|app| AppObject {
        name: &view.apps[app.0].name,
        gflops: Number(evaluation.apps[app.0].gflops.value()),
        gflops_interval: of_app(app, |found| &found.gflops),
        bandwidth_gbs: Number(evaluation.apps[app.0].bandwidth.value()),
        bandwidth_gbs_interval: of_app(app, |found| &found.bandwidth_gbs),
        threads: view.allocation.row(app),
        gflops_per_node: Sequence(
            evaluation.apps[app.0]
                .per_node
                .iter()
                .map(|group| Number(group.as_ref().map_or(0.0, |group| group.gflops.value()))),
        ),
        home: evaluation.apps[app.0].home.map(|home| home.0),
        slowest_node: evaluation.apps[app.0].slowest.map(|node| node.0),
        bottleneck_per_node: Sequence(
            evaluation.apps[app.0]
                .per_node
                .iter()
                .map(|group| group.as_ref().map(|group| group.bottleneck.kind())),
        ),
    });
    let nodes = evaluation.nodes.iter().map(|node| NodeObject {
        node: node.node.0,
        capacity_gbs: Number(node.capacity.value()),
        bandwidth_gbs: Number(node.bandwidth.value()),
        remote_gbs: Number(node.remote.value()),
        occupied_gbs: occupied(node.bandwidth, node.occupied),
    });
    let links = evaluation.links.iter().map(|link| LinkObject {
        from: link.from.0,
        to: link.to.0,
        capacity_gbs: Number(link.capacity.value()),
        bandwidth_gbs: Number(link.bandwidth.value()),
        occupied_gbs: occupied(link.bandwidth, link.occupied),
    });
    let shared_links = evaluation.shared_links.iter().map(|link| SharedLinkObject {
        name: &link.name,
        direction: [numbers(&link.from), numbers(&link.to)],
        capacity_gbs: Number(link.capacity.value()),
        bandwidth_gbs: Number(link.bandwidth.value()),
        occupied_gbs: occupied(link.bandwidth, link.occupied),
    });
    object.serialize_entry("name", view.name)?;
    object.serialize_entry("total_gflops", &Number(evaluation.total.value()))?;
    if let Some(intervals) = view.intervals {
        object.serialize_entry("total_gflops_interval", &ends(intervals.total_gflops))?;
    }
    if evaluation.static_work {
        object.serialize_entry("static_work", &true)?;
    }
    object.serialize_entry("apps", &Sequence(apps))?;
    object.serialize_entry("nodes", &Sequence(nodes))?;
    object.serialize_entry("links", &Sequence(links))?;
    object.serialize_entry("shared_links", &Sequence(shared_links))?;
    object.serialize_entry("warnings", &Sequence(evaluation.warnings.iter().map(warning_object)))
}

/// The scenario object, with the worked calculation as text where it is asked for.
pub struct Explained<'a> {
    /// The scenario.
    pub view: &'a ScenarioView<'a>,
    /// The calculation.
    pub explanation: Option<String>,
}

impl Serialize for Explained<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        entries(self.view, &mut object)?;
        if let Some(explanation) = &self.explanation {
            object.serialize_entry("explanation", explanation)?;
        }
        object.end()
    }
}

#[derive(Serialize)]
struct AppObject<'a, G: Serialize, B: Serialize> {
    name: &'a str,
    gflops: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    gflops_interval: Option<Value>,
    bandwidth_gbs: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth_gbs_interval: Option<Value>,
    threads: &'a [u32],
    gflops_per_node: G,
    home: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slowest_node: Option<usize>,
    bottleneck_per_node: B,
}

#[derive(Serialize)]
struct NodeObject {
    node: usize,
    capacity_gbs: Number,
    bandwidth_gbs: Number,
    remote_gbs: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<Number>,
}

#[derive(Serialize)]
struct LinkObject {
    from: usize,
    to: usize,
    capacity_gbs: Number,
    bandwidth_gbs: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<Number>,
}

#[derive(Serialize)]
struct SharedLinkObject<'a> {
    name: &'a str,
    direction: [Vec<usize>; 2],
    capacity_gbs: Number,
    bandwidth_gbs: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<Number>,
}

/// What of a capacity is occupied, in GB/s of reads, where that is not what is drawn.
fn occupied(bandwidth: GigabytesPerSecond, occupied: GigabytesPerSecond) -> Option<Number> {
    (occupied != bandwidth).then(|| Number(occupied.value()))
}

/// A list that is made while it is written.
pub struct Sequence<I>(pub I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Sequence<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// The scenario object as a value.
pub fn json(view: &ScenarioView) -> Value {
    // All keys are text, so that nothing can fail.
    serde_json::to_value(view).unwrap_or_default()
}

/// Writes a document as people read it, with a line break at its end.
///
/// # Errors
/// Those of `out`.
pub fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // It comes in pieces of a few bytes.
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Names the sharing model in a document: `model`, and `model_parameters` where corrections are in use.
pub fn name_model(document: &mut Value, sharing: &Model) {
    document["model"] = sharing.name().into();
    let used: Map<String, Value> =
        sharing.in_use().map(|(parameter, value)| (parameter.key().to_owned(), number(value))).collect();
    if !used.is_empty() {
        document["model_parameters"] = used.into();
    }
}

fn warning_object(found: &Warning) -> Value {
    match found {
        Warning::StarvedByRemote { node, wanted, left, equal_part, readers } => json!({
            "kind": "starved-by-remote",
            "node": node.0,
            "wanted_gbs": number(wanted.value()),
            "left_gbs": number(left.value()),
            "equal_part_gbs": number(equal_part.value()),
            "readers": readers,
            "message": warning::message(found),
        }),
    }
}

/// As [`number`] writes it.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 + 0.0)
    }
}

/// `[low, high]`.
pub fn ends(interval: Interval) -> Value {
    Value::from(vec![number(interval.low), number(interval.high)])
}

/// JSON has no infinity: null. A negative zero becomes zero.
pub fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value + 0.0).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unrounded_and_always_valid_json() {
        assert_eq!(number(0.1 + 0.2).to_string(), "0.30000000000000004");
        assert_eq!(number(254.0).to_string(), "254.0");
        assert_eq!(number(-0.0).to_string(), "0.0");
        assert_eq!(number(f64::INFINITY), Value::Null);
    }

    #[test]
    fn a_number_is_written_as_its_value_is() {
        for value in [0.1 + 0.2, 254.0, -0.0, 1e300, -1e-7, f64::INFINITY, f64::NAN] {
            let written = serde_json::to_string(&Number(value)).expect("a number or null");
            assert_eq!(written, number(value).to_string());
            assert_eq!(serde_json::to_value(Number(value)).expect("a number or null"), number(value));
        }
    }
}

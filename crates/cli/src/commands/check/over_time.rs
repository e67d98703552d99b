//! What happens over time, as JSON in the words of the input files, and as pairs of key and value.

use numasim_model::dynamics::{Course, Order, Phase, Scaling, Work};
use numasim_model::units::Gflop;
use numasim_model::{AppId, Study};
use serde_json::{Map, Value, json};

use super::values::{data, in_unit};

/// What an application does over time; `threads` on each node.
pub(super) fn course(course: &Course) -> Value {
    json!({
        "iterations": course.iterations, "arrives_s": course.arrives.value(), "threads": course.threads,
        "bind": course.binding.as_str(), "control": course.control.as_str(), "pick": course.pick.as_str(),
        "task_spread": course.task_spread, "command": course.command,
        "phases": course.phases.iter().map(phase).collect::<Vec<_>>(),
    })
}

/// Of each iteration: `gflop` of divisible work, or `tasks` with the list `task_gflop`; neither where no file says it.
fn phase(phase: &Phase) -> Value {
    let mut value = json!({
        "arithmetic_intensity": phase.arithmetic_intensity.value(), "data": data(&phase.data),
        "scaling": scaling(&phase.scaling), "io_ms": in_unit(phase.io, 1e3),
    });
    match &phase.work {
        Some(Work::Divisible(work)) => value["gflop"] = json!(work.value()),
        Some(Work::Tasks { count, each }) => {
            value["tasks"] = json!(count);
            value["task_gflop"] = each.iter().copied().map(Gflop::value).collect();
        }
        None => {}
    }
    value
}

fn scaling(scaling: &Scaling) -> Value {
    match scaling {
        Scaling::Linear => json!("linear"),
        Scaling::Serial { fraction } => json!({ "serial_fraction": fraction }),
        Scaling::Table(points) => json!({ "table": points }),
    }
}

fn name(study: &Study, app: AppId) -> &str {
    study.apps.get(app.0).map_or("", |app| app.name.as_str())
}

pub(super) fn channels(study: &Study) -> Value {
    let channels = study.dynamics.channels.iter().map(|channel| {
        json!({
            "from": name(study, channel.from), "to": name(study, channel.to), "item_mb": channel.item.value(),
            "capacity": channel.capacity,
        })
    });
    channels.collect()
}

pub(super) fn calls(study: &Study) -> Value {
    let calls = study.dynamics.calls.iter().map(
        |call| json!({ "from": name(study, call.from), "to": name(study, call.to), "every": call.every }),
    );
    calls.collect()
}

pub(super) fn commands(study: &Study) -> Value {
    let commands = study.dynamics.commands.iter().map(|command| {
        let (key, order) = order(&command.order);
        let mut value = json!({ "at_s": command.at.value(), "app": name(study, command.app) });
        value[key] = order;
        value
    });
    commands.collect()
}

/// Key and value of an order.
fn order(order: &Order) -> (&'static str, Value) {
    match order {
        Order::Total(total) => ("total", json!(total)),
        Order::PerNode(threads) => ("per_node", json!(threads)),
        Order::Cores(cores) => ("cores", json!(cores)),
    }
}

pub(super) fn policy(study: &Study) -> Value {
    let policy = &study.dynamics.policy;
    json!({
        "name": policy.name, "period_ms": in_unit(policy.period, 1e3),
        "command_ms": in_unit(policy.command_delay, 1e3),
    })
}

pub(super) fn os(study: &Study) -> Value {
    let os = &study.dynamics.os;
    json!({
        "slice_ms": in_unit(os.slice, 1e3), "switch_us": in_unit(os.switch, 1e6),
        "refill_ms": in_unit(os.refill, 1e3),
    })
}

pub(super) fn cluster(study: &Study) -> Value {
    study.dynamics.cluster.map_or(Value::Null, |cluster| {
        json!({ "nodes": cluster.nodes, "sync": cluster.sync.as_str(), "policy_on": cluster.policy_on })
    })
}

/// The entries of an object, and of each phase `phase.0.io_ms`, as text; what is no word as JSON.
pub(super) fn pairs(value: &Value) -> Vec<(String, String)> {
    let empty = Map::new();
    let mut pairs = Vec::new();
    for (key, value) in value.as_object().unwrap_or(&empty) {
        if key == "phases" {
            for (number, phase) in value.as_array().into_iter().flatten().enumerate() {
                let of_phase = self::pairs(phase).into_iter();
                pairs.extend(of_phase.map(|(key, value)| (format!("phase.{number}.{key}"), value)));
            }
            continue;
        }
        let text = match value {
            Value::Null => String::new(),
            Value::String(word) => word.clone(),
            Value::Array(list) if list.iter().all(Value::is_number) => {
                list.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
            }
            other => other.to_string(),
        };
        pairs.push((key.clone(), text));
    }
    pairs
}

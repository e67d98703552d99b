//! A record of a real agent: `recorded.jsonl`, policy `lead:1`, period 20 ms. A producer `p` and a consumer `c` of the
//! files, joined by a channel, and `x` (control `cores`) and `y` (`total`), which are not in the files; `p` leaves and
//! comes back, `c` is killed, each reports its status several times.

use serde_json::json;

use super::*;

fn recorded() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/agent/recorded.jsonl");
    std::fs::read_to_string(path).expect("the record")
}

/// Replays a text as a file `r.jsonl`.
fn replay(text: &str, more: &[&str]) -> Output {
    let folder = folder();
    std::fs::write(folder.path().join("r.jsonl"), text).expect("a file");
    let mut command = program();
    command.args(["simulate", "--replay", "r.jsonl"]).args(more).current_dir(folder.path());
    command.output().expect("the program starts")
}

fn actions(line: &str) -> Vec<Value> {
    let line: Value = serde_json::from_str(line).expect("JSON");
    line["actions"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_replay_repeats_every_order() {
    let text = recorded();
    let decisions = text.lines().count() - 1;
    let orders: usize = text.lines().map(|line| actions(line).len()).sum();
    assert!(decisions >= 20 && orders >= 20, "{decisions} decisions, {orders} orders");
    let said: Value = serde_json::from_str(&stdout(&replay(&text, &["--format", "json"]))).expect("JSON");
    assert_eq!(
        said,
        json!({"schema":1,"command":"simulate","replay":{"decisions":decisions,"actions":orders}})
    );
}

#[test]
fn a_different_order_is_named_with_file_and_line() {
    let text = recorded();
    let lines: Vec<&str> = text.lines().collect();
    let mut tried = 0;
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !actions(line).is_empty()).step_by(5) {
        let mut changed: Value = serde_json::from_str(line).expect("JSON");
        let before = changed["actions"][0].clone();
        let order = ["per_node", "total", "cores"].into_iter().find(|key| before.get(key).is_some());
        // 7 is no order here: of 4 cores a node, and 8 in all, dealt to several.
        changed["actions"][0][order.expect("an order")] =
            if order == Some("total") { json!(7) } else { json!([7]) };
        let mut now: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        now[at] = changed.to_string();
        let said = refusal(&replay(&(now.join("\n") + "\n"), &[]), 1);
        assert!(said.contains(&format!("r.jsonl:{}: ", at + 1)), "{said}");
        assert!(
            said.contains(&changed["actions"][0].to_string()) && said.contains(&before.to_string()),
            "{said}"
        );
        tried += 1;
    }
    assert!(tried >= 3);
}

#[test]
fn a_missing_or_surplus_order_is_found() {
    let text = recorded();
    let with_orders = |(_, line): &(usize, &str)| !actions(line).is_empty();
    let (at, line) = text.lines().enumerate().filter(with_orders).nth(2).expect("orders");
    let mut changed: Value = serde_json::from_str(line).expect("JSON");
    changed["actions"] = json!([]);
    let missing = text.replacen(line, &changed.to_string(), 1);
    let said = refusal(&replay(&missing, &[]), 1);
    assert!(said.contains(&format!("r.jsonl:{}: ", at + 1)) && said.contains("recorded: nothing"), "{said}");
    changed["actions"] =
        json!(actions(line).into_iter().chain([json!({"app":"x","seq":99,"total":1})]).collect::<Vec<_>>());
    let said = refusal(&replay(&text.replacen(line, &changed.to_string(), 1), &[]), 1);
    assert!(said.contains(&format!("r.jsonl:{}: ", at + 1)) && said.contains("now:      nothing"), "{said}");
}

#[test]
fn an_incomplete_last_line_is_left_out_with_a_warning() {
    let text = recorded();
    let torn = text.get(..text.len() - 20).expect("ASCII");
    let output = replay(torn, &["--format", "json"]);
    let said: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(said["replay"]["decisions"], text.lines().count() - 2);
    let warning = stderr(&output);
    assert!(warning.contains("warning") && warning.contains(&text.lines().count().to_string()), "{warning}");
}

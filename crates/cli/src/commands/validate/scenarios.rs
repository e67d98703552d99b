//! The scenarios that a host is judged by: pairs of applications that share every node, and on several nodes the data
//! of one of them in one place.

use std::fmt::Write as _;

use numasim_model::Machine;

/// Arithmetic intensities of the pairs, as fractions for names and as numbers, FLOP/byte.
const INTENSITIES: [(&str, f64); 5] =
    [("1/32", 1.0 / 32.0), ("1/8", 0.125), ("1/2", 0.5), ("2", 2.0), ("16", 16.0)];

/// Applications and scenarios for a machine, as an input file.
///
/// Each pair of intensities, equal ones included, gets half of the cores of every node; with four cores or more also a
/// quarter and three quarters. With several nodes, a memory-bound application has its data on each node in turn, beside
/// one whose data is local.
pub(super) fn of(machine: &Machine) -> String {
    let mut text = String::from(
        "# Made by `numasim validate` for the machine beside it: pairs of applications that share every node.\n",
    );
    for (name, value) in INTENSITIES {
        let _ =
            writeln!(text, "\n[[app]]\nname = \"AI {name}\"\ninstances = 2\narithmetic_intensity = {value}");
    }
    let cores: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    let half: Vec<(u32, u32)> = cores.iter().map(|&cores| (cores.div_ceil(2), cores / 2)).collect();
    for (i, (first, _)) in INTENSITIES.iter().enumerate() {
        for (second, _) in &INTENSITIES[i..] {
            scenario(&mut text, first, second, &half, "");
        }
    }
    if cores.iter().any(|&cores| cores >= 4) {
        let quarter: Vec<(u32, u32)> = cores.iter().map(|&cores| (cores / 4, cores - cores / 4)).collect();
        let swapped: Vec<(u32, u32)> = quarter.iter().map(|&(few, many)| (many, few)).collect();
        for (first, second) in [("1/32", "1/2"), ("1/32", "2"), ("1/32", "16"), ("1/8", "2"), ("1/8", "16")] {
            scenario(&mut text, first, second, &quarter, "");
            scenario(&mut text, first, second, &swapped, "");
        }
    }
    if machine.node_count() > 1 {
        for home in machine.node_ids() {
            let home = format!("data = {{ \"AI 1/32-1\" = {{ home = {} }} }}\n", home.0);
            for second in ["1/32", "1/8", "16"] {
                scenario(&mut text, "1/32", second, &half, &home);
            }
        }
    }
    text
}

/// One scenario; `threads` are those of both applications on each node.
fn scenario(text: &mut String, first: &str, second: &str, threads: &[(u32, u32)], data: &str) {
    let list = |which: fn(&(u32, u32)) -> u32| {
        threads.iter().map(|pair| which(pair).to_string()).collect::<Vec<_>>().join(", ")
    };
    let (ours, theirs) = (list(|pair| pair.0), list(|pair| pair.1));
    let home = data.split("home = ").nth(1).and_then(|rest| rest.split(' ').next());
    let placed = home.map_or_else(String::new, |home| format!(", data on node {home}"));
    let node = threads.iter().max().copied().unwrap_or_default();
    let _ = writeln!(
        text,
        "\n[[scenario]]\nname = \"{} x AI {first}{placed} beside {} x AI {second}\"\n\
         threads = {{ \"AI {first}-1\" = [{ours}], \"AI {second}-2\" = [{theirs}] }}",
        node.0, node.1
    );
    text.push_str(data);
}

#[cfg(test)]
mod tests {
    use numasim_model::input::{SourceFile, read_study};

    use super::*;

    fn read(machine: &str) -> numasim_model::Study {
        let file = |name: &str, text: String| SourceFile { name: name.into(), text };
        let machine = file("m.toml", machine.into());
        let alone = read_study(std::slice::from_ref(&machine)).expect("a machine").study.machine;
        read_study(&[machine, file("s.toml", of(&alone))]).expect("no problems").study
    }

    #[test]
    fn two_cores_are_judged_by_fifteen_pairs_of_one_thread_each() {
        let study = read(
            "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 74.5\nbandwidth_gbs = 37.0\n",
        );
        // 5 intensities: 10 different pairs and 5 equal ones.
        assert_eq!(study.scenarios.len(), 15);
        assert_eq!(study.scenarios[1].name, "1 x AI 1/32 beside 1 x AI 1/8");
        let threads = &study.scenarios[1].allocation;
        let total: u64 = (0..study.apps.len()).map(|app| threads.total(numasim_model::AppId(app))).sum();
        assert_eq!(total, 2);
    }

    #[test]
    fn several_nodes_add_uneven_pairs_and_data_in_one_place() {
        let study = read(
            "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 20\ngflops_per_core = 1.0\nbandwidth_gbs = 100.0\nlink_gbs = 10.0\n",
        );
        // 15 pairs, 10 with a quarter of the cores, 3 with data on each of 4 nodes.
        assert_eq!(study.scenarios.len(), 15 + 10 + 12);
        let last = study.scenarios.last().expect("some");
        assert_eq!(last.name, "10 x AI 1/32, data on node 3 beside 10 x AI 16");
    }
}

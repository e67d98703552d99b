//! Snapshots of text for people, for machines and allocations created here.

use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{
    Access, Allocation, App, Data, Evaluation, Machine, Model, ModelKind, Node, NodeId, Placement,
    evaluate_explained,
};

use numasim_ask::table::csv;
use numasim_ask::tables::Placed;

use super::{ScenarioView, Style, explain, lettering, table};

/// The data that a view borrows.
struct Case {
    name: &'static str,
    machine: Machine,
    apps: Vec<App>,
    allocation: Allocation,
    placements: Vec<Placement>,
    evaluation: Evaluation,
}

impl Case {
    fn new(name: &'static str, machine: Machine, apps: Vec<App>, rows: &[Vec<u32>]) -> Self {
        let allocation = Allocation::from_rows(rows).unwrap();
        let placements: Vec<Placement> =
            apps.iter().map(|app| app.data.placement().unwrap().clone()).collect();
        let evaluation = evaluate_explained(&machine, &apps, &placements, &allocation).unwrap();
        Self { name, machine, apps, allocation, placements, evaluation }
    }

    fn view(&self) -> ScenarioView<'_> {
        ScenarioView {
            name: self.name,
            machine: &self.machine,
            apps: &self.apps,
            allocation: &self.allocation,
            placements: &self.placements,
            evaluation: &self.evaluation,
            intervals: None,
        }
    }
}

fn node(cores: u32, peak: f64, bandwidth: f64) -> Node {
    Node {
        cores,
        gflops_per_core: Gflops::new(peak),
        bandwidth: GigabytesPerSecond::new(bandwidth),
        ..Node::default()
    }
}

fn uniform(nodes: usize, cores: u32, bandwidth: f64, link: f64) -> Machine {
    Machine::uniform("test", nodes, node(cores, 10.0, bandwidth), GigabytesPerSecond::new(link)).unwrap()
}

fn apps(group: &str, instances: usize, intensity: f64, placement: &Placement) -> Vec<App> {
    let name = |i| if instances == 1 { group.to_owned() } else { format!("{group}-{}", i + 1) };
    (0..instances)
        .map(|i| {
            let data = Data::Placed(placement.clone());
            App { group: group.to_owned(), ..App::new(name(i), FlopPerByte::new(intensity), data) }
        })
        .collect()
}

/// Paper, Table II and Figure 2 b): three memory-bound applications and a compute-bound one, two threads each.
fn paper_even() -> Case {
    let apps = [apps("mem", 3, 0.5, &Placement::Local), apps("compute", 1, 10.0, &Placement::Local)].concat();
    Case::new("even 2,2,2,2", uniform(4, 8, 32.0, 10.0), apps, &vec![vec![2; 4]; 4])
}

/// Paper, Table I and Figure 2 a).
fn paper_uneven() -> Case {
    let apps = [apps("mem", 3, 0.5, &Placement::Local), apps("compute", 1, 10.0, &Placement::Local)].concat();
    let rows = [vec![1; 4], vec![1; 4], vec![1; 4], vec![5; 4]];
    Case::new("uneven 1,1,1,5", uniform(4, 8, 32.0, 10.0), apps, &rows)
}

/// Paper, Figure 3.
fn paper_numa_bad() -> Case {
    let apps =
        [apps("mem", 3, 0.5, &Placement::Local), apps("bad", 1, 1.0, &Placement::Home(NodeId(0)))].concat();
    Case::new("NUMA-bad even", uniform(4, 8, 60.0, 10.0), apps, &vec![vec![2; 4]; 4])
}

/// Eight nodes, eight applications, one of them with all data on node 2; node 7 is half idle.
fn eight_by_eight() -> Case {
    let apps =
        [apps("mem", 7, 0.5, &Placement::Local), apps("bad", 1, 1.0, &Placement::Home(NodeId(2)))].concat();
    let mut rows = vec![vec![2; 8]; 8];
    rows[0][7] = 0;
    rows[1][7] = 0;
    Case::new("8 nodes", uniform(8, 16, 90.0, 12.0), apps, &rows)
}

/// Two nodes with cores, and a memory-only one that holds the data of one application.
fn memory_only() -> Case {
    let nodes = vec![node(24, 10.0, 200.0), node(24, 10.0, 200.0), node(0, 0.0, 40.0)];
    let links = [0.0, 60.0, 25.0, 60.0, 0.0, 20.0, 0.0, 0.0, 0.0].map(GigabytesPerSecond::new).to_vec();
    let machine = Machine::new("CXL", nodes, links).unwrap();
    let apps =
        [apps("near", 1, 0.5, &Placement::Local), apps("far", 1, 0.5, &Placement::Home(NodeId(2)))].concat();
    Case::new("data on CXL", machine, apps, &[vec![20, 12, 0], vec![4, 6, 0]])
}

/// Forty instances on nodes of 64 cores.
fn forty_instances() -> Case {
    let apps =
        [apps("small", 39, 0.25, &Placement::Local), apps("big", 1, 4.0, &Placement::Interleave)].concat();
    let mut rows = vec![vec![1; 4]; 40];
    rows[39] = vec![17; 4];
    Case::new("forty", uniform(4, 64, 200.0, 40.0), apps, &rows)
}

/// The same under the paper's literal rule, which also has one calculation if data is distributed.
fn forty_instances_remote_first() -> Case {
    let Case { name, machine, apps, placements, allocation, .. } = forty_instances();
    let machine = machine.with_sharing(ModelKind::RemoteFirst.into());
    let evaluation = evaluate_explained(&machine, &apps, &placements, &allocation).unwrap();
    Case { name, machine, apps, allocation, placements, evaluation }
}

/// Data in given fractions, a limit on the core's bandwidth, unequal demands on one pool.
fn fractions() -> Case {
    let mut core = node(8, 10.0, 40.0);
    core.core_bandwidth = Some(GigabytesPerSecond::new(12.0));
    let machine = Machine::uniform("ceiling", 2, core, GigabytesPerSecond::new(6.0)).unwrap();
    let apps = [
        apps("split", 1, 0.5, &Placement::Fractions(vec![0.75, 0.25])),
        apps("low", 1, 1.5, &Placement::Local),
    ]
    .concat();
    Case::new("fractions", machine, apps, &[vec![4, 2], vec![2, 2]])
}

/// One thread that computes 20 GFLOPS and consumes at most 5 GB/s, limited by a value of the machine or of the model.
fn one_slow_thread(core_bandwidth: Option<f64>, core_local: Option<f64>) -> Case {
    let mut core = node(2, 20.0, 100.0);
    core.core_bandwidth = core_bandwidth.map(GigabytesPerSecond::new);
    let mut model = Model::default();
    model.parameters.core_local_gbs = core_local;
    let machine = Machine::uniform("one", 1, core, GigabytesPerSecond::new(1.0)).unwrap().with_sharing(model);
    Case::new("slow", machine, apps("a", 1, 1.0, &Placement::Local), &[vec![1]])
}

fn shown(case: &Case, style: Style) -> String {
    table::table(&case.view(), &style)
}

/// Two nodes of 4 cores with 12 GB/s and links of 2, with data on both nodes, so that unused bandwidth is redistributed.
fn rounds() -> Case {
    let apps = [
        apps("spread", 1, 1.0, &Placement::Interleave),
        apps("local", 1, 1.0, &Placement::Local),
        apps("part", 1, 0.5, &Placement::PartInterleave { share: 0.3 }),
    ]
    .concat();
    Case::new("rounds", uniform(2, 4, 12.0, 2.0), apps, &[vec![1, 1], vec![1, 1], vec![1, 2]])
}

/// The bandwidth that all threads consume is the sum over all rounds, and also the sum of the shown rounds and the rest.
#[test]
fn the_rounds_of_an_explanation_add_up() {
    let case = rounds();
    let drawn: f64 = case.evaluation.nodes.iter().map(|node| node.bandwidth.value()).sum();
    let text = explained(&case);
    let figure = |line: &str| -> Option<f64> {
        line.split(" GB/s").next()?.split_whitespace().next_back()?.parse().ok()
    };
    let parts = text.lines().filter(|line| line.starts_with("Round ") || line.starts_with("... "));
    let parts: Vec<f64> = parts.filter_map(figure).collect();
    let sum = text.lines().find(|line| line.starts_with("Sum of all rounds")).and_then(figure);
    assert_eq!(parts.len(), 4, "{text}");
    // Four digits of each are printed.
    assert!((parts.iter().sum::<f64>() - drawn).abs() < 1e-2, "{parts:?} of {drawn}");
    assert!(sum.is_some_and(|sum| (sum - drawn).abs() < 1e-2), "{sum:?} of {drawn}");
}

fn explained(case: &Case) -> String {
    explain::explain(&case.view(), &Style::default())
}

/// Snapshots are stored next to the tests of the repository.
fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn full_speed_is_the_same_whichever_ceiling_holds_a_thread_back() {
    // 5 GB/s x 1 FLOP/byte = 5 GFLOPS, and no other machine would give this thread more: 100 % of full speed
    let by_machine = shown(&one_slow_thread(Some(5.0), None), Style::default());
    let by_model = shown(&one_slow_thread(None, Some(5.0)), Style::default());
    assert!(by_machine.contains("100 %"), "{by_machine}");
    assert_eq!(by_model, by_machine);
}

#[test]
fn eight_nodes_are_drawn_with_equal_ones_together() {
    snapshot("eight_nodes", &shown(&eight_by_eight(), Style::default()));
}

#[test]
fn a_memory_only_node_is_drawn() {
    snapshot("memory_only_node", &shown(&memory_only(), Style::default()));
}

#[test]
fn forty_instances_share_lines() {
    snapshot("forty_instances", &shown(&forty_instances(), Style::default()));
}

#[test]
fn ascii_is_enough() {
    let text = shown(&paper_numa_bad(), Style { unicode: false, ..Style::default() });
    assert!(text.is_ascii(), "{text}");
    snapshot("ascii", &text);
}

#[test]
fn colours_change_nothing_but_colours() {
    let plain = shown(&eight_by_eight(), Style::default());
    let coloured = shown(&eight_by_eight(), Style { color: true, ..Style::default() });
    assert_ne!(coloured, plain);
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
}

#[test]
fn tables_keep_to_the_terminal() {
    for case in [paper_uneven(), paper_even(), paper_numa_bad(), eight_by_eight(), memory_only(), fractions()]
    {
        for columns in [80, 100, 140] {
            let text = shown(&case, Style { width: Some(columns), ..Style::default() });
            let widest = text.lines().map(numasim_draw::grid::width).max();
            assert!(widest <= Some(columns), "{} is {widest:?} wide:\n{text}", case.name);
        }
    }
}

#[test]
fn a_terminal_of_60_columns_gets_short_titles_in_calculations() {
    let narrow = Style { width: Some(60), ..Style::default() };
    snapshot("explain_narrow", &explain::explain(&paper_uneven().view(), &narrow));
}

#[test]
fn calculations_with_fractions_ceilings_and_scaled_links_are_shown() {
    snapshot("explain_rounds", &explained(&rounds()));
    snapshot("explain_numa_bad", &explained(&paper_numa_bad()));
    snapshot("explain_fractions", &explained(&fractions()));
    snapshot("explain_memory_only", &explained(&memory_only()));
}

#[test]
fn every_calculation_ends_with_the_total_of_the_evaluation() {
    let remote_first = forty_instances_remote_first();
    for case in
        [paper_uneven(), paper_even(), paper_numa_bad(), eight_by_eight(), memory_only(), remote_first]
    {
        let text = explained(&case);
        let last = text.lines().last().unwrap_or_default();
        let total = super::figures::short(case.evaluation.total.value());
        assert!(last.starts_with("total GFLOPS"), "{last}");
        assert!(last.ends_with(&format!("= {total}")), "{last} is not {total}");
    }
}

#[test]
fn csv_has_a_row_for_each_application_and_node() {
    let (one, other) = (memory_only(), paper_even());
    let views = [one.view(), other.view()];
    let text = csv(&Placed::columns(views[0].apps), views.iter().flat_map(Placed::all));
    assert_eq!(text.lines().count(), 1 + 2 * 3 + 4 * 4);
    snapshot("csv", &text);
}

#[test]
fn json_has_the_documented_keys_in_their_order() {
    let case = paper_numa_bad();
    let object = serde_json::to_value(case.view()).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&object), ["name", "total_gflops", "apps", "nodes", "links", "shared_links", "warnings"]);
    let app =
        ["name", "gflops", "bandwidth_gbs", "threads", "gflops_per_node", "home", "bottleneck_per_node"];
    assert_eq!(keys(&object["apps"][3]), app);
    assert_eq!(keys(&object["nodes"][0]), ["node", "capacity_gbs", "bandwidth_gbs", "remote_gbs"]);
    assert_eq!(keys(&object["links"][0]), ["from", "to", "capacity_gbs", "bandwidth_gbs"]);
    // node 1 reads node 0 over a link of 10 GB/s with AI 1; on node 0, 3.75 GB/s for each of two threads
    assert_eq!(object["apps"][3]["gflops_per_node"], serde_json::json!([7.5, 10.0, 10.0, 10.0]));
    assert_eq!(object["apps"][3]["home"], 0);
    assert_eq!(object["apps"][0]["home"], serde_json::Value::Null);
    assert_eq!(object["apps"][3]["bottleneck_per_node"][1], "link");
}

#[test]
fn kernels_that_write_occupy_more_than_they_move() {
    // Triads have 24 of 32 GB/s: 6 for each of four threads, which demand 20. At 0.5 FLOP/byte 12 GFLOPS.
    let mut triad = apps("triad", 1, 0.5, &Placement::Local);
    triad[0].kernel = Access::Triad;
    let mut nodes = uniform(1, 8, 32.0, 1.0).nodes().to_vec();
    nodes[0].kernels.set(Access::Triad, GigabytesPerSecond::new(24.0));
    let machine = Machine::new("writes", nodes, vec![GigabytesPerSecond::new(1.0)]).expect("a machine");
    let case = Case::new("triads", machine, triad, &[vec![4]]);
    let node = &serde_json::to_value(case.view()).unwrap()["nodes"][0];
    let (drawn, occupied) = (&node["bandwidth_gbs"], &node["occupied_gbs"]);
    assert_eq!(
        (drawn.as_f64(), occupied.as_f64(), node["capacity_gbs"].as_f64()),
        (Some(24.0), Some(32.0), Some(32.0))
    );
    let text = shown(&case, Style::default());
    assert!(text.contains("read-equiv.") && text.contains("100 %"), "{text}");
    let text = explained(&case);
    for part in [
        "1 GB/s of the kernel triad stands for 1.33333 of them",
        "10/0.5 * 1.33333 = 26.6667",
        "8 / 1.33333 * 0.5 = 3",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_application_without_threads_is_named_and_has_no_bottleneck() {
    let apps = [apps("on", 1, 0.5, &Placement::Local), apps("off", 1, 0.5, &Placement::Local)].concat();
    let case = Case::new("half", uniform(2, 4, 20.0, 5.0), apps, &[vec![4, 4], vec![0, 0]]);
    assert!(shown(&case, Style::default()).contains("Without threads: off"));
    let object = serde_json::to_value(case.view()).unwrap();
    assert_eq!(object["apps"][1]["bottleneck_per_node"], serde_json::json!([null, null]));
    assert_eq!(object["apps"][1]["gflops_per_node"], serde_json::json!([0.0, 0.0]));
}

#[test]
fn starvation_is_among_the_warnings_of_the_json() {
    // links with the same bandwidth as controllers, remote first: 3 nodes take all 30 GB/s of node 0
    let apps = apps("bad", 1, 0.5, &Placement::Home(NodeId(0)));
    let machine = uniform(4, 4, 30.0, 30.0).with_sharing(ModelKind::RemoteFirst.into());
    let case = Case::new("wide links", machine, apps, &[vec![4; 4]]);
    let warnings = &serde_json::to_value(case.view()).unwrap()["warnings"];
    assert_eq!(warnings[0]["kind"], "starved-by-remote");
    assert_eq!(warnings[0]["left_gbs"], 0.0);
    // 30 / (1 + 3)
    assert_eq!(warnings[0]["equal_part_gbs"], 7.5);
}

#[test]
fn colours_are_those_of_the_palette() {
    let style = Style { color: true, ..Style::default() };
    assert_eq!(lettering::painted(0, &style), "\u{1b}[38;5;32mA\u{1b}[0m");
}

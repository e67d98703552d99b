//! Random questions of 2 to 8 nodes and up to 64 cores each, ten of each kind, as files that `numasim explore` reads.

use numasim_sim::Objective;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const OBJECTIVES: [Objective; 4] =
    [Objective::TotalGflops, Objective::Fair, Objective::Geomean, Objective::Makespan];

/// What makes the questions of a kind hard.
const KINDS: [&str; 6] =
    ["interleaved", "min-threads-per-node", "memory-only", "shared-link", "nodes", "memory-capacity"];
/// Questions of each kind.
const EACH: usize = 10;

/// A question as a file.
pub(crate) struct Drawn {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) objective: Objective,
    pub(crate) min_threads_per_node: u32,
}

/// All of them; the same for the same seed.
pub(crate) fn questions(seed: u64) -> Vec<Drawn> {
    let number = |i: usize| (i, KINDS[i / EACH]);
    (0..KINDS.len() * EACH).map(number).map(|(i, kind)| question(seed, i, kind)).collect()
}

fn question(seed: u64, number: usize, kind: &'static str) -> Drawn {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000).wrapping_add(number as u64));
    let per_node = kind == "min-threads-per-node";
    let nodes = rng.random_range(2..=8_usize);
    // At least C(40, 5) = 658,008 options of a node with 40 cores and 5 applications of one thread or more.
    let cores = if per_node { rng.random_range(40..=64_u32) } else { rng.random_range(4..=64) };
    let apps = if per_node { rng.random_range(5..=6_usize) } else { rng.random_range(2..=5) };
    let mut text = machine(&mut rng, kind, nodes, cores);
    for app in 0..apps {
        add_app(&mut text, &mut rng, kind, app, nodes);
    }
    Drawn {
        name: format!("{kind}-{}", number % EACH),
        kind,
        text,
        objective: OBJECTIVES[number % OBJECTIVES.len()],
        min_threads_per_node: u32::from(per_node),
    }
}

fn machine(rng: &mut ChaCha8Rng, kind: &str, nodes: usize, cores: u32) -> String {
    let peak = rng.random_range(5.0..40.0_f64);
    let bandwidth = f64::from(cores) * rng.random_range(1.0..6.0_f64);
    let equal = rng.random_bool(0.5);
    let mut text = "[machine]\nname = \"random\"\nbandwidth_matrix_gbs = [\n".to_owned();
    let link = rng.random_range(0.1..0.6_f64);
    let mut put = |line: String| text.push_str(&(line + "\n"));
    for row in 0..nodes {
        let of = |column: usize, rng: &mut ChaCha8Rng| {
            let part = if row == column { 1.0 } else { link };
            let unequal = if equal { 1.0 } else { rng.random_range(0.7..1.3_f64) };
            format!("{:.1}", bandwidth * part * unequal)
        };
        let cells: Vec<String> = (0..nodes).map(|column| of(column, rng)).collect();
        put(format!("    [{}],", cells.join(", ")));
    }
    put("]".to_owned());
    for node in 0..nodes {
        let memory_only = kind == "memory-only" && node + 1 == nodes;
        let peak = if memory_only { 0.0 } else { peak };
        put(format!(
            "[[machine.node]]\ncores = {}\ngflops_per_core = {peak:.1}",
            if memory_only { 0 } else { cores }
        ));
        if kind == "memory-capacity" {
            put(format!("memory_gib = {}", rng.random_range(32..=128_u32)));
        }
    }
    if kind == "shared-link" {
        let (left, right) = (0..nodes).partition::<Vec<usize>, _>(|node| *node < nodes / 2);
        let gbs = bandwidth * rng.random_range(0.2..1.0_f64);
        put(format!(
            "[[machine.shared_link]]\nname = \"socket\"\ngbs = {gbs:.1}\nbetween = [{left:?}, {right:?}]"
        ));
    }
    text
}

fn add_app(text: &mut String, rng: &mut ChaCha8Rng, kind: &str, app: usize, nodes: usize) {
    let intensity = 10.0_f64.powf(rng.random_range(-1.5..1.5_f64));
    let mut put = |line: String| text.push_str(&(line + "\n"));
    put(format!("[[app]]\nname = \"app-{app}\"\narithmetic_intensity = {intensity:.3}\nwork_gflop = 1000"));
    let home = rng.random_range(0..nodes);
    let share = rng.random_range(0.1..0.9_f64);
    // What is not local, and how often, depends on the kind.
    let draw = rng.random_range(0..6_u32);
    let data = match (kind, draw) {
        ("interleaved", 0) | ("shared-link", 4) => Some("\"interleave\"".to_owned()),
        ("interleaved", 1 | 2) => Some(format!("{{ interleave = {share:.2} }}")),
        ("interleaved", 3) | ("nodes" | "memory-capacity", 0) => {
            Some(format!("{{ home = {home}, share = {share:.2} }}"))
        }
        ("memory-only", 0 | 1) => Some(format!("{{ home = {} }}", nodes - 1)),
        ("memory-only", 2) => Some(format!("{{ home = {}, share = {share:.2} }}", nodes - 1)),
        ("shared-link" | "nodes", 1) | ("memory-capacity", 1 | 2) => Some("{ home = \"any\" }".to_owned()),
        ("shared-link", 2 | 3) => Some(format!("{{ home = {home} }}")),
        _ => None,
    };
    if let Some(data) = data {
        put(format!("data = {data}"));
    }
    if kind == "nodes" && rng.random_bool(0.6) {
        let first = rng.random_range(0..nodes);
        let count = rng.random_range(1..=nodes);
        let mut allowed: Vec<usize> = (0..count).map(|i| (first + i) % nodes).collect();
        allowed.sort_unstable();
        put(format!("nodes = {allowed:?}"));
    }
    if kind == "memory-capacity" {
        put(format!("memory_gib = {}", rng.random_range(4..=48_u32)));
    }
    if rng.random_bool(0.2) {
        put(format!("weight = {:.1}", rng.random_range(0.5..3.0_f64)));
    }
}

//! Random questions, as files that `numasim explore` reads. There are ten of each kind on machines of 2 to 8 nodes with up to 64 cores
//! each, fifteen of each kind on machines as they are sold now, and 24 on 2 nodes of 12 L3 domains of 8 cores.

use numasim_sim::Objective;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const OBJECTIVES: [Objective; 4] =
    [Objective::TotalGflops, Objective::Fair, Objective::Geomean, Objective::Makespan];

/// The properties that make the questions of a kind hard.
const KINDS: [&str; 6] =
    ["interleaved", "min-threads-per-node", "memory-only", "shared-link", "nodes", "memory-capacity"];
/// Questions of each kind.
const EACH: usize = 10;

/// Properties of current machines and jobs.
const NEW_KINDS: [&str; 4] = ["fixed-sizes", "l3-domains", "smt", "ecm"];
/// Questions of each of these kinds.
const NEW_EACH: usize = 15;

/// A question as a file.
pub(crate) struct Drawn {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) objective: Objective,
    pub(crate) min_threads_per_node: u32,
}

/// All questions; the same seed gives the same questions.
pub(crate) fn questions(seed: u64) -> Vec<Drawn> {
    let number = |i: usize| (i, KINDS[i / EACH]);
    (0..KINDS.len() * EACH).map(number).map(|(i, kind)| question(seed, i, kind)).collect()
}

/// Questions for machines as they are sold now; the same seed gives the same questions.
pub(crate) fn new_questions(seed: u64) -> Vec<Drawn> {
    let number = |i: usize| (i, NEW_KINDS[i / NEW_EACH]);
    (0..NEW_KINDS.len() * NEW_EACH).map(number).map(|(i, kind)| new_question(seed, i, kind)).collect()
}

/// Questions on 2 nodes of 12 L3 domains of 8 cores, three with 4 and three with 8 applications, with each objective. The same seed gives
/// the same questions.
pub(crate) fn domain_questions(seed: u64) -> Vec<Drawn> {
    let sizes = [4, 8].into_iter().flat_map(|apps| (0..3).map(move |number| (apps, number)));
    let drawn = |(apps, number): (u32, u32)| {
        let mut rng =
            ChaCha8Rng::seed_from_u64(seed.wrapping_mul(9_000).wrapping_add(u64::from(apps * 10 + number)));
        let text = domains_with(apps, &mut rng);
        OBJECTIVES.map(|objective| Drawn {
            name: format!("{apps}-applications-{number}"),
            kind: "24-domains",
            text: text.clone(),
            objective,
            min_threads_per_node: 0,
        })
    };
    sizes.flat_map(drawn).collect()
}

fn domains_with(apps: u32, rng: &mut ChaCha8Rng) -> String {
    let (bandwidth, link) = (rng.random_range(300.0..480.0_f64), rng.random_range(80.0..160.0_f64));
    let (core, domain) = (rng.random_range(15.0..30.0_f64), rng.random_range(40.0..65.0_f64));
    let peak = rng.random_range(10.0..40.0_f64);
    let mut text = String::new();
    let mut put = |line: String| text.push_str(&(line + "\n"));
    put(format!(
        "[machine]\nname = \"24 domains\"\nnodes = 2\ncores_per_node = 96\ncores_per_l3 = 8\ngflops_per_core = {peak:.1}\n\
         bandwidth_gbs = {bandwidth:.1}\nlink_gbs = {link:.1}\ncore_bandwidth_gbs = {core:.1}\nl3_read_gbs = {domain:.1}"
    ));
    for app in 0..apps {
        let intensity = 10.0_f64.powf(rng.random_range(-1.3..1.0_f64));
        let work = [1_000, 3_000, 10_000][rng.random_range(0..3_usize)];
        put(format!(
            "[[app]]\nname = \"app-{app}\"\narithmetic_intensity = {intensity:.3}\nwork_gflop = {work}"
        ));
        match rng.random_range(0..4_u32) {
            0 => put("data = { home = \"any\" }".to_owned()),
            1 => put("data = \"interleave\"".to_owned()),
            _ => {}
        }
    }
    text
}

fn new_question(seed: u64, number: usize, kind: &'static str) -> Drawn {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(7_000).wrapping_add(number as u64));
    let rng = &mut rng;
    let pick = |rng: &mut ChaCha8Rng, of: &[u32]| of[rng.random_range(0..of.len())];
    let by_domain = kind == "l3-domains";
    let nodes = if by_domain { pick(rng, &[1, 2, 4]) } else { pick(rng, &[2, 4, 8]) };
    let cores = if by_domain { pick(rng, &[16, 32, 48]) } else { pick(rng, &[8, 16, 24, 32]) };
    let bandwidth = f64::from(cores) * rng.random_range(3.0..12.0_f64);
    let core = bandwidth / f64::from(cores) * rng.random_range(1.5..4.0_f64);
    let (peak, link) = (pick(rng, &[10, 20, 40]), bandwidth * rng.random_range(0.1..0.4_f64));
    let mut text = String::new();
    let mut put = |line: String| text.push_str(&(line + "\n"));
    put(format!(
        "[machine]\nname = \"random\"\nnodes = {nodes}\ncores_per_node = {cores}\ngflops_per_core = {peak}\n\
         bandwidth_gbs = {bandwidth:.1}\nlink_gbs = {link:.1}\ncore_bandwidth_gbs = {core:.1}"
    ));
    match kind {
        "l3-domains" => {
            let domain = core * rng.random_range(1.1..3.0_f64);
            put(format!("cores_per_l3 = 8\nl3_read_gbs = {domain:.1}"));
        }
        "smt" => put("threads_per_core = 2".to_owned()),
        "ecm" => put("[machine.sharing]\nmodel = \"ecm\"".to_owned()),
        _ => {}
    }
    let apps = if kind == "fixed-sizes" { rng.random_range(3..=24_u32) } else { rng.random_range(3..=6) };
    for app in 0..apps {
        let intensity = 10.0_f64.powf(rng.random_range(-1.2..1.0_f64));
        put(format!(
            "[[app]]\nname = \"app-{app}\"\narithmetic_intensity = {intensity:.3}\nwork_gflop = 1000"
        ));
        let (draw, home) = (rng.random_range(0..10_u32), rng.random_range(0..nodes));
        match draw {
            0 => put("data = { home = \"any\" }".to_owned()),
            1 => put(format!("data = {{ home = {home} }}")),
            2 => put("data = \"interleave\"".to_owned()),
            _ => {}
        }
        if kind == "fixed-sizes" {
            // A job has at most three quarters of an equal share of the machine.
            let most = (nodes * cores * 3 / 4 / apps).max(1);
            let threads = rng.random_range(most.div_ceil(2)..=most);
            put(format!("min_threads = {threads}\nmax_threads = {threads}"));
        }
        if kind == "smt" {
            put(format!("smt = \"any\"\nsmt_speedup = {:.2}", rng.random_range(1.0..1.6_f64)));
        }
    }
    let objective = OBJECTIVES[number % OBJECTIVES.len()];
    Drawn { name: format!("{kind}-{}", number % NEW_EACH), kind, text, objective, min_threads_per_node: 0 }
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
    // The kind decides which data is remote, and how often.
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

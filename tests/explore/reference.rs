//! A second implementation of the documented model, as short as possible and independent of the program.

use std::fmt::Write as _;

/// The reads of an application: per node of its threads and node of the memory, the fraction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Local,
    Home(usize),
    Any,
    Fractions(Vec<f64>),
}

#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) intensity: f64,
    pub(crate) data: Data,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    pub(crate) weight: f64,
    pub(crate) work: f64,
}

/// A machine; `matrix[n][m]` is what cores of `n` can read from `m`.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) cores: Vec<u32>,
    pub(crate) peak: Vec<f64>,
    pub(crate) core_bandwidth: Vec<Option<f64>>,
    pub(crate) matrix: Vec<Vec<f64>>,
}

pub(crate) type Threads = Vec<Vec<u32>>;

impl Data {
    fn fraction(&self, node: usize, memory: usize) -> f64 {
        match self {
            Self::Local => f64::from(u8::from(node == memory)),
            Self::Home(home) => f64::from(u8::from(*home == memory)),
            Self::Fractions(fractions) => fractions[memory],
            Self::Any => panic!("decided before"),
        }
    }
}

/// Baseline plus proportional: the share of one thread of each group in `rest`. A group is (threads, wants).
fn split(groups: &[(f64, f64)], rest: f64, cores: f64) -> Vec<f64> {
    let baseline = rest / cores;
    let still: f64 = groups.iter().map(|(t, d)| t * (d - d.min(baseline))).sum();
    let left = rest - groups.iter().map(|(t, d)| t * d.min(baseline)).sum::<f64>();
    let part = if still > 0.0 { (left / still).min(1.0) } else { 0.0 };
    groups.iter().map(|(_, d)| d.min(baseline) + (d - d.min(baseline)) * part).collect()
}

/// The degree to which `asks` are filled at the same pace until `capacity` is used up.
fn level(capacity: f64, asks: &[f64]) -> f64 {
    let mut sorted = asks.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut left = capacity;
    for (i, ask) in sorted.iter().enumerate() {
        let equal = left / (sorted.len() - i) as f64;
        if *ask > equal {
            return equal;
        }
        left -= ask;
    }
    f64::INFINITY
}

/// GFLOPS of each application with fixed homes.
pub(crate) fn gflops(machine: &Machine, apps: &[App], threads: &Threads) -> Vec<f64> {
    let nodes = machine.cores.len();
    let wants = |a: usize, n: usize| {
        let demand_gbs = machine.peak[n] / apps[a].intensity;
        machine.core_bandwidth[n].map_or(demand_gbs, |most| demand_gbs.min(most))
    };
    let fraction = |a: usize, n: usize, m: usize| apps[a].data.fraction(n, m);
    // left[n][m]: of the controller of m (n = m) or of the link; has[a][n]: GB/s of one thread
    let mut left = machine.matrix.clone();
    let mut has = vec![vec![0.0; nodes]; apps.len()];
    for _round in 0..1000 {
        let is_full = |n: usize, m: usize| left[n][m] <= 1e-12 * machine.matrix[n][m];
        let takes_part = |a: usize, n: usize| {
            let reads = |m: &usize| fraction(a, n, *m) > 0.0;
            let held_back = (0..nodes).filter(reads).any(|m| is_full(m, m) || (n != m && is_full(n, m)));
            threads[a][n] > 0 && !held_back && wants(a, n) - has[a][n] > 1e-12 * wants(a, n)
        };
        let asks = |a: usize, n: usize| if takes_part(a, n) { wants(a, n) - has[a][n] } else { 0.0 };
        let mut pace: Vec<Vec<f64>> =
            (0..apps.len()).map(|a| (0..nodes).map(|n| asks(a, n)).collect()).collect();
        for m in 0..nodes {
            let groups = |n: usize| -> Vec<(f64, f64)> {
                (0..apps.len()).map(|a| (f64::from(threads[a][n]), asks(a, n) * fraction(a, n, m))).collect()
            };
            let port = |n: usize| {
                let wanted = groups(n).iter().map(|(t, d)| t * d).sum::<f64>();
                if n == m { wanted } else { wanted.min(left[n][m]) }
            };
            let ports: Vec<f64> =
                (0..nodes).map(|n| if machine.cores[n] > 0 { port(n) } else { 0.0 }).collect();
            let level = level(left[m][m], &ports);
            for n in (0..nodes).filter(|&n| machine.cores[n] > 0) {
                let got = split(&groups(n), ports[n].min(level), f64::from(machine.cores[n]));
                for (a, got) in got.into_iter().enumerate().filter(|(a, _)| fraction(*a, n, m) > 0.0) {
                    pace[a][n] = pace[a][n].min(got / fraction(a, n, m));
                }
            }
        }
        let mut gained = false;
        for (a, n) in
            (0..apps.len()).flat_map(|a| (0..nodes).map(move |n| (a, n))).filter(|&(a, n)| threads[a][n] > 0)
        {
            has[a][n] += pace[a][n];
            gained |= pace[a][n] > 1e-12 * wants(a, n);
            for m in 0..nodes {
                let drawn = f64::from(threads[a][n]) * pace[a][n] * fraction(a, n, m);
                left[m][m] -= drawn;
                if n != m {
                    left[n][m] -= drawn;
                }
            }
        }
        if !gained {
            break;
        }
    }
    let of_app = |a: usize| {
        let on = |n: &usize| threads[a][*n] > 0;
        let one = |n: usize| machine.peak[n].min(has[a][n] * apps[a].intensity);
        (0..nodes).filter(on).map(|n| f64::from(threads[a][n]) * one(n)).sum::<f64>() + 0.0 // an empty sum is -0.0
    };
    (0..apps.len()).map(of_app).collect()
}

/// The files of this machine and these applications, named `a0`, `a1`, ...
pub(crate) fn toml(machine: &Machine, apps: &[App]) -> String {
    let mut text = format!("[machine]\nname = \"random\"\nbandwidth_matrix_gbs = {:?}\n", machine.matrix);
    for (n, cores) in machine.cores.iter().enumerate() {
        let _ = write!(text, "[[machine.node]]\ncores = {cores}\ngflops_per_core = {:?}\n", machine.peak[n]);
        if let Some(most) = machine.core_bandwidth[n] {
            let _ = writeln!(text, "core_bandwidth_gbs = {most:?}");
        }
    }
    for (a, app) in apps.iter().enumerate() {
        let data = match &app.data {
            Data::Local => "\"local\"".to_owned(),
            Data::Home(home) => format!("{{ home = {home} }}"),
            Data::Any => "{ home = \"any\" }".to_owned(),
            Data::Fractions(fractions) => format!("{{ fractions = {fractions:?} }}"),
        };
        let _ = write!(
            text,
            "[[app]]\nname = \"a{a}\"\narithmetic_intensity = {:?}\ndata = {data}\nmin_threads = {}\nweight = {:?}\n\
             work_gflop = {:?}\n",
            app.intensity, app.min, app.weight, app.work
        );
        if let Some(max) = app.max {
            let _ = writeln!(text, "max_threads = {max}");
        }
    }
    text
}

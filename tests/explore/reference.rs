//! The documented model a second time, as short as possible and with nothing of the program in it.

use std::fmt::Write as _;

/// What an application reads: per node of its threads and node of the memory, the fraction.
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

/// Baseline plus proportional: what one thread of each group gets of `rest`. A group is (threads, wants).
fn split(groups: &[(f64, f64)], rest: f64, cores: f64) -> Vec<f64> {
    let baseline = rest / cores;
    let still: f64 = groups.iter().map(|(t, d)| t * (d - d.min(baseline))).sum();
    let left = rest - groups.iter().map(|(t, d)| t * d.min(baseline)).sum::<f64>();
    let part = if still > 0.0 { (left / still).min(1.0) } else { 0.0 };
    groups.iter().map(|(_, d)| d.min(baseline) + (d - d.min(baseline)) * part).collect()
}

/// GFLOPS of each application, homes decided.
pub(crate) fn gflops(machine: &Machine, apps: &[App], threads: &Threads) -> Vec<f64> {
    let nodes = machine.cores.len();
    let draw = |a: usize, n: usize| {
        let demand_gbs = machine.peak[n] / apps[a].intensity;
        machine.core_bandwidth[n].map_or(demand_gbs, |most| demand_gbs.min(most))
    };
    // bandwidth[a][n]: of one thread, the least over all memories that it reads
    let mut bandwidth = vec![vec![f64::INFINITY; nodes]; apps.len()];
    for m in 0..nodes {
        let groups = |n: usize| -> Vec<(f64, f64)> {
            let group = |a: usize| (f64::from(threads[a][n]), draw(a, n) * apps[a].data.fraction(n, m));
            (0..apps.len()).map(group).collect()
        };
        let wanted = |n: usize| groups(n).iter().map(|(t, d)| t * d).sum::<f64>();
        let link = |n: usize| if n == m { 0.0 } else { wanted(n).min(machine.matrix[n][m]) };
        let remote: f64 = (0..nodes).map(link).sum();
        let scale = (machine.matrix[m][m] / remote).min(1.0);
        for n in (0..nodes).filter(|&n| machine.cores[n] > 0) {
            // scaled links that sum to all of it can leave a rounding error
            let left = machine.matrix[m][m] - remote * scale;
            let left = if left > 1e-12 * machine.matrix[m][m] { left } else { 0.0 };
            let rest = if n == m { left } else { link(n) * scale };
            for (a, got) in split(&groups(n), rest, f64::from(machine.cores[n])).into_iter().enumerate() {
                let fraction = apps[a].data.fraction(n, m);
                if fraction > 0.0 {
                    bandwidth[a][n] = bandwidth[a][n].min(got / fraction);
                }
            }
        }
    }
    let of_app = |a: usize| {
        let on = |n: &usize| threads[a][*n] > 0;
        let one = |n: usize| machine.peak[n].min(bandwidth[a][n] * apps[a].intensity);
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

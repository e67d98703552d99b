//! Lists and rates every allocation of small random machines here, and compares with the answer of the program.

use super::reference::{App, Data, Machine, Threads, gflops, toml};
use super::{assert_close, parsed, run_text, threads};

const FILES: u64 = 32;
const OBJECTIVES: [&str; 4] = ["total-gflops", "fair", "geomean", "makespan"];

/// A small generator (xorshift64*), so that the files never change.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }
    fn number(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.below(1000) as f64 / 1000.0
    }
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let last = u64::try_from(from.len()).expect("a short list");
        from[usize::try_from(self.below(last)).expect("in the list")].clone()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Restrictions {
    same: bool,
    whole: bool,
    no_idle: bool,
    per_node: u32,
}

fn machine(dice: &mut Dice) -> Machine {
    let cores = dice.pick(&[vec![2, 3], vec![3, 3], vec![2, 2], vec![3, 0], vec![1, 3]]);
    let mut local = || dice.number(5.0, 60.0);
    let (first, second) = (local(), local());
    let mut link = || dice.number(1.0, 30.0);
    let matrix = vec![vec![first, link()], vec![link(), second]];
    let peak = cores.iter().map(|&c| if c == 0 { 0.0 } else { dice.number(4.0, 12.0) }).collect();
    let core_bandwidth = cores.iter().map(|_| dice.pick(&[None, None, Some(9.0)])).collect();
    Machine { cores, peak, core_bandwidth, matrix }
}

fn app(dice: &mut Dice) -> App {
    let data = dice.pick(&[
        Data::Local,
        Data::Local,
        Data::Any,
        Data::Home(0),
        Data::Home(1),
        Data::Fractions(vec![0.5, 0.5]),
        Data::Fractions(vec![0.25, 0.75]),
    ]);
    App {
        intensity: dice.pick(&[0.1, 0.5, 1.0, 8.0]),
        data,
        min: dice.pick(&[0, 1, 1, 2]),
        max: dice.pick(&[None, None, Some(2), Some(3)]),
        weight: dice.pick(&[1.0, 1.0, 2.5, 0.0]),
        work: dice.number(10.0, 500.0),
    }
}

fn restrictions(dice: &mut Dice) -> Restrictions {
    let mut chance = || dice.below(4) == 0;
    Restrictions { same: chance(), whole: chance(), no_idle: chance(), per_node: u32::from(chance()) }
}

fn arguments(restrictions: Restrictions) -> Vec<&'static str> {
    let Restrictions { same, whole, no_idle, per_node } = restrictions;
    let switches = [
        (same, vec!["--same-on-every-node"]),
        (whole, vec!["--whole-nodes"]),
        (no_idle, vec!["--no-idle-cores"]),
        (per_node > 0, vec!["--min-threads-per-node", "1"]),
    ];
    switches.into_iter().filter(|(on, _)| *on).flat_map(|(_, words)| words).collect()
}

/// Every allocation of two applications on two nodes that fits the cores.
fn allocations(machine: &Machine) -> Vec<Threads> {
    let on = |cores: u32| (0..=cores).flat_map(move |x| (0..=cores - x).map(move |y| (x, y)));
    let (first, second) = (machine.cores[0], machine.cores[1]);
    on(first).flat_map(|(x0, y0)| on(second).map(move |(x1, y1)| vec![vec![x0, x1], vec![y0, y1]])).collect()
}

fn allowed(machine: &Machine, apps: &[App], restrictions: Restrictions, threads: &Threads) -> bool {
    let with_cores: Vec<usize> = (0..2).filter(|&n| machine.cores[n] > 0).collect();
    let ranges = apps.iter().zip(threads).all(|(app, row)| {
        let total: u32 = row.iter().sum();
        total >= app.min && app.max.is_none_or(|max| total <= max)
    });
    let nodes = with_cores.iter().all(|&n| {
        let counts = [threads[0][n], threads[1][n]];
        counts.iter().all(|&t| t >= restrictions.per_node)
            && !(restrictions.whole && counts[0] > 0 && counts[1] > 0)
            && (!restrictions.no_idle || counts[0] + counts[1] == machine.cores[n])
    });
    let same = with_cores.windows(2).all(|pair| threads.iter().all(|row| row[pair[0]] == row[pair[1]]));
    ranges && nodes && (same || !restrictions.same)
}

/// The applications with every combination of open homes.
fn decided(apps: &[App]) -> Vec<Vec<App>> {
    let homes = |app: &App| -> Vec<App> {
        let at = |data| App { data, ..app.clone() };
        if app.data == Data::Any { (0..2).map(|n| at(Data::Home(n))).collect() } else { vec![app.clone()] }
    };
    let seconds = homes(&apps[1]);
    homes(&apps[0]).iter().flat_map(|a| seconds.iter().map(move |b| vec![a.clone(), b.clone()])).collect()
}

/// The most GFLOPS of each application alone, with as many threads as it may have.
fn alone(machine: &Machine, apps: &[App]) -> Vec<f64> {
    let one = |a: usize| {
        let own = |threads: &Threads| {
            let total: u32 = threads[a].iter().sum();
            threads[1 - a] == [0, 0] && total >= apps[a].min && apps[a].max.is_none_or(|max| total <= max)
        };
        let all: Vec<Threads> = allocations(machine).into_iter().filter(own).collect();
        let best =
            |apps: Vec<App>| all.iter().map(|threads| gflops(machine, &apps, threads)[a]).fold(0.0, f64::max);
        decided(apps).into_iter().map(best).fold(0.0, f64::max)
    };
    vec![one(0), one(1)]
}

fn value(objective: &str, apps: &[App], gflops: &[f64], alone: &[f64]) -> f64 {
    let p = |a: usize| if alone[a] > 0.0 { gflops[a] / alone[a] } else { 0.0 };
    match objective {
        "total-gflops" => apps.iter().zip(gflops).map(|(app, g)| app.weight * g).sum(),
        "fair" => p(0).min(p(1)),
        "geomean" => {
            let sum: f64 = apps.iter().map(|app| app.weight).sum();
            // p to the power 0 is 1, even if p is 0
            apps.iter().enumerate().map(|(a, app)| p(a).powf(app.weight / sum)).product()
        }
        _ => apps.iter().zip(gflops).map(|(app, g)| app.work / g).fold(0.0, f64::max),
    }
}

fn best(machine: &Machine, apps: &[App], restrictions: Restrictions, objective: &str) -> Option<f64> {
    let alone = alone(machine, apps);
    let makespan = objective == "makespan";
    let mut values = Vec::new();
    for decided in decided(apps) {
        for threads in allocations(machine) {
            if allowed(machine, apps, restrictions, &threads) {
                values.push(value(objective, apps, &gflops(machine, &decided, &threads), &alone));
            }
        }
    }
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.reduce(if makespan { f64::min } else { f64::max })
}

/// The value of the program's best equals its value by the rules and the model of this file.
fn check_best(
    machine: &Machine,
    apps: &[App],
    restrictions: Restrictions,
    objective: &str,
    answer: &serde_json::Value,
) {
    let found: Threads = threads(&answer["best"])
        .iter()
        .map(|row| row.iter().map(|&t| u32::try_from(t).expect("few threads")).collect())
        .collect();
    assert!(allowed(machine, apps, restrictions, &found), "{found:?} breaks a restriction");
    let mut decided = apps.to_vec();
    for (app, shown) in decided.iter_mut().zip(answer["best"]["apps"].as_array().expect("a list")) {
        let home = shown["home"].as_u64().map(|home| usize::try_from(home).expect("a node"));
        match &app.data {
            Data::Any => app.data = Data::Home(home.expect("a chosen home")),
            Data::Home(fixed) => assert_eq!(home, Some(*fixed)),
            _ => assert_eq!(home, None),
        }
    }
    let gflops = gflops(machine, &decided, &found);
    assert_close(&answer["best"]["total_gflops"], gflops.iter().sum());
    assert_close(&answer["value"], value(objective, apps, &gflops, &alone(machine, apps)));
}

#[test]
fn the_best_of_small_random_machines_beats_every_allocation() {
    let (mut answered, mut refused) = (0, 0);
    for seed in 1..=FILES {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let machine = machine(&mut dice);
        let apps = [app(&mut dice), app(&mut dice)];
        let restrictions = if seed % 2 == 0 { restrictions(&mut dice) } else { Restrictions::default() };
        let text = toml(&machine, &apps);
        for objective in OBJECTIVES {
            if objective == "geomean" && apps.iter().all(|app| app.weight == 0.0) {
                continue;
            }
            let mut arguments = arguments(restrictions);
            arguments.extend(["--objective", objective, "--format", "json"]);
            let output = run_text(&text, &arguments);
            println!("{text}{arguments:?}\n{}", super::stderr(&output)); // visible if the test fails
            match best(&machine, &apps, restrictions, objective) {
                None => {
                    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
                    refused += 1;
                }
                Some(expected) => {
                    let answer = parsed(&output);
                    assert_eq!(answer["status"], "optimal");
                    assert_close(&answer["value"], expected);
                    check_best(&machine, &apps, restrictions, objective, &answer);
                    answered += 1;
                }
            }
        }
    }
    assert!(answered > 60 && refused > 5, "{answered} answered, {refused} refused");
}

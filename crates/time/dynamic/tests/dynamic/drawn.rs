//! Random studies, drawn from small sets of values, so that many events happen at the same time.

use numasim_course::{
    Binding, Call, Channel, Command, Course, Dynamics, Os, Phase, Pick, PolicyChoice, Scaling, Study, Wake,
    Work,
};
use numasim_dynamic::{Controller, Question, Run, Silent, SimulateError, reference, simulate};
use numasim_engine::SimTime;
use numasim_model::machine::{KernelBandwidths, Machine, Node, SharedLink};
use numasim_model::order::{Control, Order, Waiting};
use numasim_model::sharing::Parameter;
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond, Megabytes, Seconds};
use numasim_model::{Access, App, AppId, Data, Model, ModelKind, NodeId, Placement};
use numasim_policy::{Decision, Looks, Policy, PolicyError, PolicyName, Presence, View};
use proptest::prelude::*;

/// Choices that were drawn before: fewer and smaller ones make a simpler study.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) drawn: Vec<u16>,
    pub(crate) used: usize,
}

impl Choices {
    /// 0 to `count` - 1; 0 when all choices are used.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let choice = self.drawn.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        usize::from(choice) % count
    }

    pub(crate) fn of<T: Clone>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())].clone()
    }

    /// Yes in one of `cases` cases.
    pub(crate) fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == cases - 1
    }
}

pub(crate) fn choices() -> impl Strategy<Value = Choices> {
    prop::collection::vec(any::<u16>(), 0..300).prop_map(|drawn| Choices { drawn, used: 0 })
}

/// The decision maker.
#[derive(Clone, Debug)]
pub(crate) enum Chooser {
    Nobody,
    Script,
    Whim(Whim),
    Named(&'static str),
}

/// Policies that decide fast.
const NAMES: [&str; 7] =
    ["static-even", "fair-share", "lead:1", "lead:2", "lend", "oversubscribe:1", "marginal"];

/// A policy that depends only on the fields that it looks at, and otherwise decides arbitrarily.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whim {
    pub(crate) salt: u64,
    pub(crate) looks: Looks,
}

impl Policy for Whim {
    fn looks_at(&self) -> Looks {
        self.looks
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let looks = self.looks;
        let mut sum = self.salt;
        let mut stir = |value: u64| {
            sum = (sum ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            sum ^= sum >> 29;
            sum
        };
        for app in &view.apps {
            stir(app.presence as u64 + 1);
            stir(if looks.waiting { app.waiting as u64 } else { 0 });
            stir(if looks.progress { app.progress } else { 0 });
            stir(if looks.phase { app.phase as u64 } else { 0 });
            if looks.tasks && app.presence == Presence::There {
                stir(app.queued.unwrap_or(99));
                app.running.iter().chain(&app.blocked).for_each(|&threads| _ = stir(u64::from(threads)));
            }
        }
        let threads = view.apps.iter().map(|app| {
            if stir(1) % 5 == 0 {
                return None;
            }
            let waits = looks.waiting && app.waiting != Waiting::None;
            let lowest = u64::from(!waits);
            let mut on = |there: u32| {
                let there = u64::from(there);
                if there == 0 { 0 } else { lowest + stir(2) % (there + 1 - lowest) }
            };
            Some(app.threads.iter().map(|&there| u32::try_from(on(there)).expect("few")).collect())
        });
        Ok(Decision { threads: threads.collect(), reasons: Vec::new() })
    }
}

/// A question that can be asked several times.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) study: Study,
    pub(crate) chooser: Chooser,
    pub(crate) seed: u64,
    pub(crate) until_s: Option<f64>,
}

impl Drawn {
    pub(crate) fn ask<T>(&self, answer: impl FnOnce(Question) -> T) -> T {
        let (mut whim, mut named);
        let controller = match &self.chooser {
            Chooser::Nobody => Controller::Nobody,
            Chooser::Script => Controller::Script,
            Chooser::Whim(policy) => {
                whim = *policy;
                Controller::Policy(&mut whim)
            }
            Chooser::Named(name) => {
                let name: PolicyName = name.parse().expect("a policy");
                named = name.make(&self.study).expect("a policy").expect("one that decides");
                Controller::Policy(named.as_mut())
            }
        };
        let until = self.until_s.and_then(SimTime::from_seconds);
        answer(Question { study: &self.study, controller, data: None, seed: self.seed, until })
    }

    pub(crate) fn fast(&self) -> Result<Run, SimulateError> {
        self.ask(|question| simulate(question, &mut Silent, &|| false))
    }

    pub(crate) fn slow(&self) -> Result<Run, SimulateError> {
        self.ask(reference::simulate)
    }
}

fn drawn_machine(choices: &mut Choices) -> Machine {
    let count = 1 + choices.below(4);
    // Limits that several flows share: two of the models support all of them.
    let is_limited = choices.one_in(8);
    let nodes: Vec<Node> = (0..count)
        .map(|n| {
            let memory_only = n > 0 && choices.one_in(6);
            // Copies use more of a memory than they move, or less.
            let copy = choices.one_in(6).then(|| GigabytesPerSecond::new(choices.of(&[6.0, 24.0])));
            Node {
                cores: if memory_only { 0 } else { choices.of(&[2, 1, 3, 4]) },
                gflops_per_core: Gflops::new(if memory_only { 0.0 } else { choices.of(&[10.0, 5.0]) }),
                bandwidth: GigabytesPerSecond::new(choices.of(&[32.0, 8.0, 20.0])),
                core_bandwidth: choices.one_in(5).then_some(GigabytesPerSecond::new(12.0)),
                read_bandwidth: (is_limited && !memory_only).then_some(GigabytesPerSecond::new(15.0)),
                kernels: KernelBandwidths { copy, ..KernelBandwidths::NONE },
                ..Node::default()
            }
        })
        .collect();
    let links = (0..count * count).map(|_| GigabytesPerSecond::new(choices.of(&[10.0, 3.0]))).collect();
    let kinds = [ModelKind::BaselineProportional, ModelKind::MaxMin];
    let mut model = Model::from(if is_limited { choices.of(&kinds) } else { choices.of(&ModelKind::ALL) });
    if choices.one_in(3) {
        let parameter = choices.of(&Parameter::ALL);
        let value = match parameter {
            Parameter::CoreLocal | Parameter::CoreRemote | Parameter::OutstandingLines => 9.0,
            _ => 0.5,
        };
        model = model.with(parameter, value).expect("in range");
    }
    let latencies =
        (0..count * count).map(|pair| if pair / count == pair % count { 80.0 } else { 140.0 }).collect();
    let machine = Machine::new("M", nodes, links).expect("a machine").with_sharing(model);
    let machine = machine.with_latencies_ns(latencies).expect("latencies");
    if !is_limited || count < 3 {
        return machine;
    }
    let link = SharedLink {
        name: "shared".to_owned(),
        bandwidth: GigabytesPerSecond::new(8.0),
        from: vec![NodeId(0)],
        to: vec![NodeId(1), NodeId(2)],
        both_ways: choices.one_in(2),
    };
    machine.with_shared_links(vec![link]).expect("a shared link")
}

fn drawn_data(choices: &mut Choices, nodes: usize) -> Data {
    let home = NodeId(choices.below(nodes));
    Data::Placed(match choices.below(7) {
        0 | 1 => Placement::Local,
        2 => Placement::Home(home),
        3 => Placement::Interleave,
        4 => Placement::at_home(home, 0.5),
        5 => Placement::interleaved(0.25),
        _ => Placement::Fractions((0..nodes).map(|_| 1.0 / nodes as f64).collect()),
    })
}

fn drawn_phase(choices: &mut Choices, nodes: usize) -> Phase {
    let gflop = |choices: &mut Choices| Gflop::new(choices.of(&[1.0, 2.0, 0.0, 5.0, 10.0]));
    let work = if choices.one_in(2) {
        let each = (0..=choices.below(3)).map(|_| gflop(choices)).collect();
        Work::Tasks { count: 1 + choices.below(7) as u64, each }
    } else {
        Work::Divisible(gflop(choices))
    };
    let io = if matches!(work, Work::Tasks { .. }) { choices.of(&[0.0, 0.0, 0.1, 0.05]) } else { 0.0 };
    Phase {
        arithmetic_intensity: FlopPerByte::new(choices.of(&[10.0, 0.5, 1.0, 0.1])),
        data: drawn_data(choices, nodes),
        owns_data: true,
        scaling: match choices.below(5) {
            0..=2 => Scaling::Linear,
            3 => Scaling::Serial { fraction: choices.of(&[0.1, 0.5, 1.0]) },
            _ => Scaling::Table(vec![(1, 1.0), (3, 2.0), (4, 2.0)]),
        },
        io: Seconds::new(io),
        work: Some(work),
        total_given: false,
    }
}

fn drawn_app(choices: &mut Choices, number: usize, machine: &Machine) -> (App, Course) {
    let nodes = machine.node_count();
    let phases: Vec<Phase> = (0..=choices.of(&[0, 0, 1, 2])).map(|_| drawn_phase(choices, nodes)).collect();
    let mut threads: Vec<u32> = machine
        .nodes()
        .iter()
        .map(|node| if node.cores == 0 { 0 } else { choices.of(&[node.cores, 1, node.cores + 1, 2]) })
        .collect();
    if choices.one_in(4) {
        threads[1..].fill(0);
    }
    let control = choices.of(&[Control::PerNode, Control::Total, Control::Cores, Control::None]);
    let course = Course {
        iterations: 1 + choices.below(3) as u64,
        arrives: Seconds::new(choices.of(&[0.0, 0.0, 0.1, 0.5])),
        threads,
        binding: choices.of(&[Binding::Node, Binding::Core]),
        control,
        pick: choices.of(&Pick::ALL),
        task_spread: choices.of(&[0.0, 0.0, 0.5]),
        task_jitter: choices.of(&[0.0, 0.0, 0.3]),
        wake: choices.of(&[Wake::InOrder, Wake::Random]),
        command: None,
        phases,
    };
    let first = &course.phases[0];
    let is_rated = choices.one_in(6);
    let app = App {
        kernel: choices.of(&[Access::Read, Access::Read, Access::Copy]),
        node_overhead: choices.of(&[0.0, 0.0, 0.0, 0.3]),
        rate_unit: is_rated.then(|| "items/s".to_owned()),
        thread_gbs: is_rated.then_some(GigabytesPerSecond::new(4.0)),
        ..App::new(format!("a{number}"), first.arithmetic_intensity, first.data.clone())
    };
    (app, course)
}

/// Channels and calls along one direction, so that there is no cycle.
fn couple(choices: &mut Choices, dynamics: &mut Dynamics) {
    let apps = dynamics.courses.len();
    let backwards = choices.one_in(3);
    let edge =
        |from: usize, to: usize| if backwards { (AppId(to), AppId(from)) } else { (AppId(from), AppId(to)) };
    // Per application: whether it has a channel, or is called.
    let (mut piped, mut called) = (vec![false; apps], vec![false; apps]);
    let iterations = 1 + choices.below(4) as u64;
    for low in 0..apps {
        for high in low + 1..apps {
            let (from, to) = edge(low, high);
            match choices.below(6) {
                3 | 4 if !called[from.0] && !called[to.0] => {
                    let capacity = choices.of(&[None, Some(1), Some(2), Some(1000)]);
                    dynamics.channels.push(Channel { from, to, item: Megabytes::new(1.0), capacity });
                    (piped[from.0], piped[to.0]) = (true, true);
                }
                5 if !piped[to.0] => {
                    dynamics.calls.push(Call { from, to, every: 1 + choices.below(2) as u64 });
                    called[to.0] = true;
                }
                _ => {}
            }
        }
    }
    for (course, piped) in dynamics.courses.iter_mut().zip(piped) {
        if piped {
            course.iterations = iterations;
        }
    }
    // Callers before their callees.
    let order: Vec<usize> = if backwards { (0..apps).rev().collect() } else { (0..apps).collect() };
    for app in order.into_iter().filter(|&app| called[app]) {
        let to_it = dynamics.calls.iter().filter(|call| call.to == AppId(app));
        let count: u64 = to_it.map(|call| call.count(dynamics.courses[call.from.0].iterations)).sum();
        if count == 0 {
            dynamics.calls.retain(|call| call.to != AppId(app));
        } else {
            dynamics.courses[app].iterations = count;
        }
    }
}

fn drawn_commands(choices: &mut Choices, machine: &Machine, courses: &[Course]) -> Vec<Command> {
    let cores = u32::try_from(machine.total_cores()).expect("few");
    let one = |choices: &mut Choices| {
        let app = choices.below(courses.len());
        let course = &courses[app];
        let up_to =
            |choices: &mut Choices, most: u32| u32::try_from(choices.below(most as usize + 1)).expect("few");
        let order = match course.control {
            Control::None => return None,
            Control::Total => Order::Total(up_to(choices, course.thread_count())),
            Control::PerNode => {
                Order::PerNode(course.threads.iter().map(|&threads| up_to(choices, threads)).collect())
            }
            Control::Cores => Order::Cores((0..cores).filter(|_| !choices.one_in(3)).collect()),
        };
        Some(Command { at: Seconds::new(choices.of(&[0.0, 0.1, 0.25, 0.5, 1.0])), app: AppId(app), order })
    };
    (0..choices.below(6)).filter_map(|_| one(choices)).collect()
}

/// A study with any feature.
pub(crate) fn anything(choices: &mut Choices) -> Drawn {
    let machine = drawn_machine(choices);
    let (apps, courses): (Vec<App>, Vec<Course>) =
        (0..=choices.below(4)).map(|number| drawn_app(choices, number, &machine)).unzip();
    let mut dynamics = Dynamics { courses, ..Dynamics::default() };
    couple(choices, &mut dynamics);
    dynamics.commands = drawn_commands(choices, &machine, &dynamics.courses);
    dynamics.policy = PolicyChoice {
        name: None,
        period: Seconds::new(choices.of(&[0.0, 0.0, 0.05, 0.08])),
        command_delay: Seconds::new(choices.of(&[0.0, 0.0, 0.02, 0.1])),
    };
    if choices.one_in(2) {
        dynamics.os = Os { switch: Seconds::new(0.0), refill: Seconds::new(0.0), ..Os::default() };
    }
    let looks = Looks {
        waiting: !choices.one_in(4),
        progress: choices.one_in(2),
        tasks: choices.one_in(2),
        phase: choices.one_in(2),
        work: false,
    };
    let chooser = match choices.below(6) {
        0 => Chooser::Nobody,
        1 => Chooser::Script,
        2 | 3 => Chooser::Named(choices.of(&NAMES)),
        _ => Chooser::Whim(Whim { salt: choices.below(60_000) as u64, looks }),
    };
    // A policy with a period may continue forever if no application can work.
    let is_endless =
        matches!(chooser, Chooser::Whim(_) | Chooser::Named(_)) && dynamics.policy.period.value() > 0.0;
    let end = if is_endless { Some(10.0) } else { None };
    let until_s = choices.one_in(6).then(|| choices.of(&[0.5, 0.1, 1.0, 3.0])).or(end);
    let study = Study { at_rest: numasim_model::Study { apps, scenarios: Vec::new(), machine }, dynamics };
    Drawn { study, chooser, seed: choices.below(1000) as u64, until_s }
}

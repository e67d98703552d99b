//! The instants of a simulation, one after the other.

use std::collections::BTreeSet;

use numasim_course::{Binding, Dynamics, Study};
use numasim_engine::{Instants, SAME_INSTANT_S, SimTime};
use numasim_model::sharing::Network;
use numasim_model::units::Seconds;
use numasim_model::{AppId, Demand, Machine};
use numasim_policy::{AppView, Looks, Policy, View};

use crate::commands::Commands;
use crate::progress::{Next, Progress, Stage};
use crate::rates::{LaneId, Rates};
use crate::result::{Controller, Question};
use crate::result::{Ending, Run};
use crate::result::{MOST_FRUITLESS, SimulateError};
use crate::result::{Observer, SoFar};
use crate::slots::{AppTally, ChannelTally, State};
use crate::spread::Waking;
use crate::threads::{Moved, Thread, Threads};

mod deciding;
mod work;

use deciding::Ticks;
use work::AppWork;

/// What is to come.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The next task of a lane ends.
    Lane(LaneId),
    /// Divisible work ends.
    Pool(usize),
    /// A thread has slept enough.
    Wake(usize, Thread),
    Arrive(usize),
    /// A command of the file is given.
    Give(usize),
    /// An order arrives.
    Due,
    /// The policy is asked.
    Tick,
}

struct Simulation<'q, 'n, 'p, 's> {
    /// Whether it is to end where it is.
    stop: &'s dyn Fn() -> bool,
    is_stopped: bool,
    machine: &'q Machine,
    dynamics: &'q Dynamics,
    /// What each phase of each application asks for.
    demands: Vec<Vec<Demand>>,
    policy: Option<&'p mut dyn Policy>,
    looks: Looks,
    instants: Instants<Event>,
    progress: Progress<'q>,
    threads: Vec<Threads>,
    work: Vec<AppWork>,
    rates: Rates<'n>,
    commands: Commands,
    /// What the policy sees; threads and tasks of stale applications are brought up to date before it is asked.
    view: View,
    is_stale: Vec<bool>,
    /// What has changed since the policy was last asked; `true` beside it: who is there.
    changed: Looks,
    presence_changed: bool,
    tallies: Vec<AppTally>,
    channels: Vec<ChannelTally>,
    /// Ticks left out.
    events: u64,
    ticks: Ticks,
    /// Orders under way.
    due: usize,
    /// How many instants in a row had nothing but decisions and orders, with nothing else to come.
    fruitless: u32,
    /// Within an instant: applications whose phase is over, that may take tasks, that changed for the tally; tasks that take
    /// no time; lanes and pools to be scheduled anew.
    over: BTreeSet<usize>,
    may_take: BTreeSet<usize>,
    touched: BTreeSet<usize>,
    instantaneous: Vec<(usize, Thread)>,
    /// Commands of the file whose time has come.
    to_give: Vec<usize>,
    touched_lanes: Vec<LaneId>,
    touched_pools: BTreeSet<usize>,
    touched_channels: BTreeSet<usize>,
    /// Applications with more threads than their order allows.
    excess: BTreeSet<usize>,
    moved: Moved,
}

/// How often an instant may be gone through, and iterations begin in it, until `stop` is asked again.
const UNHEARD: u32 = 1024;

/// Simulates `question`. `stop` is asked before every instant, and within one in which much happens, and ends the simulation where it is.
///
/// # Errors
/// [`SimulateError`] if the question is incomplete, the sharing model refuses the machine, the policy fails, or nobody can
/// go on.
pub fn simulate(
    question: Question<'_>,
    observer: &mut dyn Observer,
    stop: &dyn Fn() -> bool,
) -> Result<Run, SimulateError> {
    question.check_period()?;
    let placements = question.placements()?;
    let Question { study, controller, seed, until, .. } = question;
    if let Some(refusal) = study.machine.sharing_refusal() {
        return Err(refusal.into());
    }
    let dynamics = &study.dynamics;
    let network = Network::new(&study.machine);
    let (policy, script) = match controller {
        Controller::Nobody => (None, false),
        Controller::Script => (None, true),
        Controller::Policy(policy) => (Some(policy), false),
    };
    let demands: Vec<Vec<Demand>> = dynamics
        .courses
        .iter()
        .zip(&study.apps)
        .zip(placements)
        .map(|((course, app), placements)| {
            let phases = course.phases.iter().zip(placements);
            phases.map(|(phase, placement)| phase.demand(app, placement)).collect()
        })
        .collect();
    let apps = dynamics.courses.len();
    let rates = Rates::new(
        &network,
        dynamics.os.efficiency(),
        dynamics.courses.iter().zip(&demands).filter_map(|(course, demands)| {
            let (phase, demand) = (course.phases.first()?, demands.first()?);
            Some((demand.clone(), phase.scaling.clone(), course.binding == Binding::Core))
        }),
    );
    let controls = policy.is_some();
    let threads: Vec<Threads> = dynamics
        .courses
        .iter()
        .enumerate()
        .map(|(app, course)| {
            let blocked = controls && course.control != numasim_model::order::Control::None;
            Threads::new(course, &study.machine, Waking::new(course, seed, app), blocked)
        })
        .collect();
    let work = dynamics.courses.iter().enumerate();
    let simulation = Simulation {
        stop,
        is_stopped: false,
        machine: &study.machine,
        dynamics,
        demands,
        looks: policy.as_ref().map_or_else(Looks::default, |policy| policy.looks_at()),
        policy,
        instants: Instants::new(),
        progress: Progress::new(dynamics),
        work: work.map(|(app, course)| AppWork::new(course, &study.machine, seed, app)).collect(),
        rates,
        commands: Commands::new(apps),
        view: View {
            time: Seconds::default(),
            apps: (0..apps).map(|app| AppView::absent(study, AppId(app), false)).collect(),
        },
        threads,
        is_stale: vec![true; apps],
        changed: Looks::default(),
        presence_changed: false,
        tallies: vec![AppTally::default(); apps],
        channels: vec![ChannelTally::default(); dynamics.channels.len()],
        events: 0,
        ticks: Ticks::default(),
        due: 0,
        fruitless: 0,
        over: BTreeSet::new(),
        may_take: BTreeSet::new(),
        touched: BTreeSet::new(),
        instantaneous: Vec::new(),
        to_give: Vec::new(),
        touched_lanes: Vec::new(),
        touched_pools: BTreeSet::new(),
        touched_channels: BTreeSet::new(),
        excess: BTreeSet::new(),
        moved: Moved::new(),
    };
    simulation.run(script, until, observer, study)
}

impl Simulation<'_, '_, '_, '_> {
    fn run(
        mut self,
        script: bool,
        until: Option<SimTime>,
        observer: &mut dyn Observer,
        study: &Study,
    ) -> Result<Run, SimulateError> {
        let at = |seconds: Seconds| SimTime::START.after(seconds.value());
        for (app, course) in self.dynamics.courses.iter().enumerate() {
            self.instants.schedule(at(course.arrives), Event::Arrive(app));
        }
        if script {
            for (number, command) in self.dynamics.commands.iter().enumerate() {
                self.instants.schedule(at(command.at), Event::Give(number));
            }
        }
        self.schedule_first_tick();
        let ending = loop {
            if self.is_stopped {
                break Ending::Stopped;
            }
            if self.progress.is_over() {
                break Ending::Finished;
            }
            let Some(next) = self.instants.next_time() else { return Err(self.deadlock()) };
            if let Some(until) = until
                && next > until.after(SAME_INSTANT_S)
            {
                self.instants.advance_to(until);
                break Ending::Until;
            }
            observer.so_far(SoFar { time: Seconds::new(self.now().seconds()), events: self.all_events() });
            // A policy may compute for long in one instant: whoever wants to stop is heard at the next.
            if (self.stop)() {
                break Ending::Stopped;
            }
            self.instants.advance();
            self.instant(observer)?;
        };
        self.pass_ticks();
        let run = self.result(ending);
        debug_assert_eq!(crate::invariants::violations(study, &run), []);
        Ok(run)
    }

    fn period_s(&self) -> f64 {
        self.dynamics.policy.period.value()
    }

    fn now(&self) -> SimTime {
        self.instants.now()
    }

    /// Whether it is to end: asked every now and then where one instant has no end.
    fn is_to_stop(&mut self, passes: &mut u32) -> bool {
        *passes += 1;
        if *passes >= UNHEARD {
            *passes = 0;
            self.is_stopped |= (self.stop)();
        }
        self.is_stopped
    }

    /// One instant, as often as tasks take no time.
    fn instant(&mut self, observer: &mut dyn Observer) -> Result<(), SimulateError> {
        self.progress.next_instant();
        let given = self.commands.given;
        // A policy that is asked at its time is asked as often as the instant is gone through.
        let (mut tick, mut others, mut work) = (false, false, false);
        let mut passes = 0;
        loop {
            work |= !self.instantaneous.is_empty();
            for (app, thread) in std::mem::take(&mut self.instantaneous) {
                self.computed(app, thread);
            }
            while let Some(event) = self.instants.pop_now() {
                others |= !matches!(event, Event::Tick);
                work |= !matches!(event, Event::Tick | Event::Due);
                tick |= matches!(event, Event::Tick);
                self.happen(event);
            }
            self.end_and_begin();
            self.note_progress();
            if tick || self.is_to_be_asked() {
                self.ask(observer)?;
            }
            self.carry_out();
            self.take_tasks();
            if self.instantaneous.is_empty() || self.is_to_stop(&mut passes) {
                break;
            }
        }
        self.settle();
        if observer.looks() {
            observer.instant(self);
        }
        // A decision that changes nothing will change nothing the next time either.
        let only_tick = tick && !others;
        let is_over = self.progress.is_over() || self.is_stopped;
        let has_ordered = self.commands.given != given;
        if only_tick && !has_ordered && self.instants.is_empty() && !is_over {
            return Err(self.deadlock());
        }
        let own = self.due + usize::from(self.ticks.is_scheduled());
        let is_fruitless = self.policy.is_some() && !work && self.instants.len() <= own;
        self.fruitless = if is_fruitless { self.fruitless + u32::from(has_ordered) } else { 0 };
        if self.fruitless >= MOST_FRUITLESS && !is_over {
            return Err(self.deadlock());
        }
        self.schedule_tick();
        Ok(())
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Lane(lane) => self.tasks_end(lane),
            Event::Pool(app) => self.pool_ends(app),
            Event::Wake(app, thread) => {
                self.events += 1;
                self.task_done(app, thread);
            }
            Event::Arrive(app) => {
                self.events += 1;
                self.progress.arrive(app);
                self.tallies[app].arrived = Some(self.now());
                self.touched.insert(app);
            }
            Event::Give(number) => self.to_give.push(number),
            Event::Due => {
                self.due -= 1;
                self.commands.arrive();
            }
            Event::Tick => self.tick_comes(),
        }
    }

    /// Phases and iterations end and begin, until nothing changes.
    fn end_and_begin(&mut self) {
        let mut passes = 0;
        while !self.is_to_stop(&mut passes) {
            if let Some(app) = self.over.pop_first() {
                match self.progress.work_over(app) {
                    Next::Phase => self.begin_phase(app),
                    Next::Nothing => {}
                }
            } else if let Some(app) = self.progress.next_begin() {
                self.begin_phase(app);
            } else {
                break;
            }
        }
    }

    /// What progress means for the view and the tally.
    fn note_progress(&mut self) {
        let now = self.now();
        while let Some(app) = self.progress.take_touched() {
            let view = &mut self.view.apps[app];
            let presence = self.progress.presence(app);
            if self.progress.stage(app) == Stage::Finished && self.tallies[app].finished.is_none() {
                self.tallies[app].finished = Some(now);
                self.commands.forget(app);
                self.excess.remove(&app);
            }
            self.presence_changed |= view.presence != presence;
            view.presence = presence;
            let waiting = self.progress.waiting(app);
            self.changed.waiting |= view.waiting != waiting;
            view.waiting = waiting;
            let done = self.progress.done(app);
            self.changed.progress |= view.progress != done;
            view.progress = done;
            let phase = self.progress.phase(app);
            self.changed.phase |= view.phase != phase;
            view.phase = phase;
            self.touched.insert(app);
            self.touched_channels.extend(self.progress.channels_of(app));
        }
    }

    /// Speeds, the next ends, and what is counted, for the time until the next instant.
    fn settle(&mut self) {
        let now = self.now();
        self.rates.settle();
        for i in 0..self.rates.changed().len() {
            let lane = self.rates.changed()[i];
            self.speed_changed(lane);
        }
        self.touched.extend(self.rates.reshared());
        self.schedule_ends();
        while let Some(app) = self.touched.pop_first() {
            let state = self.state(app);
            self.tallies[app].set(now, state);
        }
        while let Some(channel) = self.touched_channels.pop_first() {
            self.channels[channel].set(now, self.progress.items(channel));
        }
    }

    fn state(&self, app: usize) -> State {
        match self.progress.stage(app) {
            Stage::Ahead | Stage::Finished => State::default(),
            Stage::Waits(_) | Stage::Works | Stage::Calls(_) => {
                let running = self.rates.running(app);
                let threads = &self.threads[app];
                State {
                    running,
                    shared: self.rates.shared(app),
                    idle: threads.idle_total() - if self.work[app].is_pool() { running } else { 0 },
                    blocked: threads.blocked_total(),
                    waiting: self.progress.waiting(app),
                }
            }
        }
    }
}

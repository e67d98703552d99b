//! What follows what: the time that iterations take one after the other, over channels and calls.

use numasim_model::AppId;
use numasim_model::dynamics::Dynamics;

/// Times of the iterations of an application with the machine to itself, in seconds, without what it calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    first: f64,
    last: f64,
    shortest: f64,
    sum: f64,
}

impl Default for Times {
    fn default() -> Self {
        Self { first: 0.0, last: 0.0, shortest: f64::INFINITY, sum: 0.0 }
    }
}

impl Times {
    /// `count` more iterations of `seconds` each.
    pub(super) fn add(&mut self, seconds: f64, count: u64, is_first: bool) {
        if is_first {
            self.first = seconds;
        }
        self.last = seconds;
        self.shortest = self.shortest.min(seconds);
        self.sum += seconds * count as f64;
    }
}

/// When an application can be where, at the earliest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Earliest {
    begins: f64,
    first_item: f64,
    ends: f64,
}

/// Who hands items to whom, and who calls whom: numbers of channels and calls, per application.
struct Arrows {
    inputs: Vec<Vec<usize>>,
    calls: Vec<Vec<usize>>,
    callers: Vec<Vec<usize>>,
}

impl Arrows {
    fn of(dynamics: &Dynamics) -> Self {
        let none = vec![Vec::new(); dynamics.courses.len()];
        let mut arrows = Self { inputs: none.clone(), calls: none.clone(), callers: none };
        for (number, channel) in dynamics.channels.iter().enumerate() {
            arrows.inputs[channel.to.0].push(number);
        }
        for (number, call) in dynamics.calls.iter().enumerate() {
            arrows.calls[call.from.0].push(number);
            arrows.callers[call.to.0].push(number);
        }
        arrows
    }
}

/// The application that ends last at the earliest, and when that is.
pub(super) fn longest(dynamics: &Dynamics, times: &[Times]) -> (AppId, f64) {
    let arrows = Arrows::of(dynamics);
    let whole = with_calls(dynamics, &arrows, times);
    let mut earliest = vec![Earliest::default(); times.len()];
    // Along the arrows, until nothing changes: they have no circle, so that every path has at most as many steps as there are
    // applications, and every step is a bound by itself.
    for _ in 0..=times.len() {
        let mut unchanged = true;
        for app in 0..times.len() {
            let found = of(dynamics, &arrows, times, &whole, &earliest, app);
            unchanged &= found == earliest[app];
            earliest[app] = found;
        }
        if unchanged {
            break;
        }
    }
    let ends = earliest.iter().map(|earliest| earliest.ends).enumerate();
    ends.fold((AppId(0), 0.0), |last, (app, end)| if end > last.1 { (AppId(app), end) } else { last })
}

/// The same with the iterations of those who are called: each call takes their shortest one.
fn with_calls(dynamics: &Dynamics, arrows: &Arrows, times: &[Times]) -> Vec<Times> {
    let mut whole = times.to_vec();
    for _ in 0..times.len() {
        let mut unchanged = true;
        for (app, times) in times.iter().enumerate() {
            let mut with = *times;
            for call in arrows.calls[app].iter().map(|&call| dynamics.calls[call]) {
                let takes = whole[call.to.0].shortest;
                let iterations = dynamics.courses[app].iterations;
                with.sum += call.count(iterations) as f64 * takes;
                if call.every == 1 {
                    with.first += takes;
                    with.shortest += takes;
                }
                if iterations.is_multiple_of(call.every) {
                    with.last += takes;
                }
            }
            unchanged &= whole[app] == with;
            whole[app] = with;
        }
        if unchanged {
            break;
        }
    }
    whole
}

fn of(
    dynamics: &Dynamics,
    arrows: &Arrows,
    times: &[Times],
    whole: &[Times],
    earliest: &[Earliest],
    app: usize,
) -> Earliest {
    let course = &dynamics.courses[app];
    let inputs = || arrows.inputs[app].iter().map(|&channel| &dynamics.channels[channel]);
    let mut begins = course.arrives.value();
    let mut last_begins: f64 = 0.0;
    for channel in inputs() {
        begins = begins.max(earliest[channel.from.0].first_item);
        last_begins = last_begins.max(earliest[channel.from.0].ends);
    }
    let callers = arrows.callers[app].iter().map(|&call| dynamics.calls[call]);
    let first_call = callers
        .map(|call| earliest[call.from.0].begins + call.every as f64 * times[call.from.0].shortest)
        .min_by(f64::total_cmp);
    begins = begins.max(first_call.unwrap_or(0.0));
    let mut ends = (begins + whole[app].sum).max(last_begins + whole[app].last);
    // Item 1 + k capacity begins after k rounds of producer and consumer; then both have another iteration to go.
    for channel in inputs() {
        if let Some(capacity) = channel.capacity.filter(|&capacity| capacity > 0) {
            let rounds = (course.iterations.saturating_sub(1) / capacity + 1) as f64;
            let round = whole[channel.from.0].shortest + whole[app].shortest;
            ends = ends.max(earliest[channel.from.0].begins + rounds * round);
        }
    }
    Earliest { begins, first_item: begins + whole[app].first, ends }
}
